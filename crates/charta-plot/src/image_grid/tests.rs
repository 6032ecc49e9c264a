use super::*;
use crate::color::WHITE;
use crate::png_file::decode;

/// The colour painted at a pixel of an image, in the middle of its square.
fn painted(grid: &ImageGrid<'_>, number: usize, row: usize, column: usize) -> Rgb {
    let mut scene = Scene::new(grid.size).unwrap();
    let tile = grid
        .arrange(&frame::header(&mut scene, &grid.title, &grid.notes()))
        .tile(number);
    let x = tile.left + (column as f64 + 0.5) / grid.width as f64 * tile.width;
    let y = tile.top + (row as f64 + 0.5) / grid.height as f64 * tile.height;
    let (width, _, pixels) = decode(&grid.draw(Format::Png).unwrap());
    pixels[y as usize * width + x as usize]
}

#[test]
fn values_become_the_right_pixels() {
    let images = vec![
        vec![0.0, 0.25, 0.5, 0.75, 1.0, 0.0],
        vec![5.0, 7.0, 9.0, 5.0, 5.0, 5.0],
    ];
    let captions = ["first".to_owned(), "second".to_owned()];
    let grid = ImageGrid {
        captions: &captions,
        title: "two".into(),
        ..ImageGrid::new(&images, 2, 3)
    };
    assert_eq!(painted(&grid, 0, 0, 0), WHITE);
    assert_eq!(painted(&grid, 0, 0, 1), Rgb(191, 191, 191));
    assert_eq!(painted(&grid, 0, 1, 0), Rgb(64, 64, 64));
    assert_eq!(painted(&grid, 0, 1, 1), Rgb(0, 0, 0));
    // Zero is white even where no pixel is zero: 7 of 9.
    assert_eq!(painted(&grid, 1, 0, 1), Rgb(57, 57, 57));
    assert_eq!(painted(&grid, 1, 0, 2), Rgb(0, 0, 0));
    assert_eq!(grid.notes(), "darker is more; each image has its own scale");
}

#[test]
fn unsigned_images_with_negative_numbers_begin_at_the_lowest_and_zeros_stay_white() {
    let images = vec![vec![-1.0, 0.0, 1.0, 3.0], vec![0.0; 4], vec![2.0; 4]];
    let grid = ImageGrid::new(&images, 2, 2);
    assert_eq!(painted(&grid, 0, 0, 0), WHITE);
    assert_eq!(painted(&grid, 0, 0, 1), Rgb(191, 191, 191));
    assert_eq!(painted(&grid, 0, 1, 1), Rgb(0, 0, 0));
    assert_eq!(painted(&grid, 1, 0, 0), WHITE);
    assert_eq!(painted(&grid, 2, 0, 0), Rgb(0, 0, 0));
}

#[test]
fn signed_images_are_blue_below_and_red_above_zero() {
    let images = vec![vec![-2.0, 0.0, 1.0, 2.0]];
    let grid = ImageGrid {
        signed: true,
        ..ImageGrid::new(&images, 2, 2)
    };
    assert_eq!(painted(&grid, 0, 0, 0), diverging(-1.0));
    assert_eq!(painted(&grid, 0, 0, 1), Rgb(247, 247, 247));
    assert_eq!(painted(&grid, 0, 1, 0), diverging(0.5));
    assert_eq!(painted(&grid, 0, 1, 1), diverging(1.0));
}

#[test]
fn three_channels_are_red_green_blue() {
    let images = vec![vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.5, f64::NAN, 0.0, 0.0]];
    let grid = ImageGrid {
        channels: 3,
        ..ImageGrid::new(&images, 1, 3)
    };
    assert_eq!(painted(&grid, 0, 0, 0), Rgb(255, 0, 0));
    assert_eq!(painted(&grid, 0, 0, 1), Rgb(0, 255, 128));
    assert_eq!(painted(&grid, 0, 0, 2), NOT_FINITE);
    assert!(grid.notes().contains("1 numbers"));
}

#[test]
fn images_lie_apart_and_inside_the_picture() {
    for n in [1, 2, 7, 12, 64, 500, 20_000] {
        let images = vec![vec![0.5; 4]; n];
        let captions = vec!["name".to_owned(); n];
        let grid = ImageGrid {
            captions: &captions,
            ..ImageGrid::new(&images, 2, 2)
        };
        let area = frame::header(&mut Scene::new(grid.size).unwrap(), "", "");
        let arrangement = grid.arrange(&area);
        let tiles: Vec<Area> = (0..arrangement.shown)
            .map(|number| arrangement.tile(number))
            .collect();
        assert!(
            tiles
                .iter()
                .all(|tile| tile.right() <= 1200.0 && tile.bottom() <= 900.0 && tile.left >= 0.0),
            "{n}"
        );
        assert!(
            tiles
                .iter()
                .skip(1)
                .all(|tile| tile.overlap(&tiles[0]) == 0.0),
            "{n}"
        );
    }
}

#[test]
fn flat_huge_and_empty_images_do_not_crash_and_mistakes_are_named() {
    let images = vec![
        vec![3.0; 4],
        vec![f64::MAX, f64::MIN, 0.0, 1.0],
        vec![f64::NAN; 4],
    ];
    for signed in [false, true] {
        assert!(
            ImageGrid {
                signed,
                ..ImageGrid::new(&images, 2, 2)
            }
            .draw(Format::Png)
            .is_ok()
        );
    }
    assert!(ImageGrid::new(&[], 2, 2).draw(Format::Svg).is_ok());
    let message = ImageGrid::new(&images, 3, 2)
        .draw(Format::Png)
        .unwrap_err()
        .to_string();
    assert!(message.contains("expected 6, got 4"), "{message}");
    let message = ImageGrid {
        channels: 2,
        ..ImageGrid::new(&images, 1, 2)
    }
    .draw(Format::Png)
    .unwrap_err()
    .to_string();
    assert!(message.contains("1 x 2 with 2"), "{message}");
}

#[test]
fn the_canvas_ends_below_the_last_row_and_beside_the_last_column() {
    let size = |n: usize, height: usize, width: usize| {
        let images = vec![vec![0.5; height * width]; n];
        let captions = vec!["name".to_owned(); n];
        let grid = ImageGrid {
            captions: &captions,
            ..ImageGrid::new(&images, height, width)
        };
        let (width, height, _) = decode(&grid.draw(Format::Png).unwrap());
        let area = frame::header(&mut Scene::new(grid.size).unwrap(), "", &grid.notes());
        let arrangement = grid.arrange(&area);
        let last = arrangement.tile(arrangement.shown - 1);
        let below = height as f64 - last.bottom();
        assert!(below > 20.0 && below < 80.0, "{n}: {below}");
        [width, height]
    };
    // Flat images in a single column leave most of the height free, tall ones most of the width.
    assert!(size(2, 4, 32)[1] < 600);
    assert!(size(1, 64, 16)[0] < 600);
    size(16, 8, 8);
}
