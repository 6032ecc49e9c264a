//! Draws every kind of picture with made-up data: `cargo run -p charta-plot --example gallery -- folder`.

mod linear;

use std::error::Error;
use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

use charta_plot::{Color, Format, ImageGrid, Pairs, Scatter, Scree, Size, Space};

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("give a folder to write to")?);
    std::fs::create_dir_all(&folder)?;
    classes(&folder)?;
    numbers(&folder)?;
    sizes(&folder)?;
    pairs(&folder)?;
    cities(&folder)?;
    degenerate(&folder)?;
    linear::draw(&folder)?;
    scree(&folder)?;
    images(&folder)
}

fn save(
    folder: &Path,
    name: &str,
    draw: impl Fn(Format) -> charta_plot::Result<Vec<u8>>,
    extensions: &[&str],
) -> Outcome {
    for extension in extensions {
        let path = folder.join(format!("{name}.{extension}"));
        let start = std::time::Instant::now();
        let bytes = draw(Format::from_path(&path)?)?;
        eprintln!(
            "{name}.{extension}: {} kB in {:.0?}",
            bytes.len() / 1000,
            start.elapsed()
        );
        std::fs::write(path, bytes)?;
    }
    Ok(())
}

const ALL: &[&str] = &["png", "svg", "html"];
const STILL: &[&str] = &["png", "svg"];

/// A small generator of even numbers in 0 … 1, so that the gallery needs no further crate.
struct Random(u64);

impl Random {
    fn even(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.even()).ln()).sqrt() * (TAU * self.even()).cos()
    }
}

/// Clusters on a ring, some of them stretched, rows sorted by class.
fn clusters(
    n: usize,
    n_classes: usize,
    random: &mut Random,
) -> (Vec<[f64; 2]>, Vec<Option<usize>>) {
    let row = |row: usize| {
        let class = row * n_classes / n;
        let angle = TAU * class as f64 / n_classes as f64;
        let distance = 12.0 + 5.0 * (class % 3) as f64;
        let spread = 1.0 + 0.4 * (class % 4) as f64;
        let point = [
            distance * angle.cos() + spread * random.normal(),
            distance * angle.sin() + 1.2 * random.normal(),
        ];
        (point, (!row.is_multiple_of(97)).then_some(class))
    };
    (0..n).map(row).unzip()
}

fn classes(folder: &Path) -> Outcome {
    let mut random = Random(7);
    let digits: Vec<String> = (0..10).map(|digit| format!("digit {digit}")).collect();
    let regions: Vec<String> = (0..30)
        .map(|region| format!("cell type {region}"))
        .collect();
    let many: Vec<String> = (0..250)
        .map(|word| format!("a rather long name of word {word}"))
        .collect();
    for (name, n, names) in [
        ("ten_classes", 1797, &digits),
        ("thirty_classes", 6000, &regions),
        ("many_classes", 5000, &many),
        ("density_200k", 200_000, &digits),
        ("density_1m", 1_000_000, &regions),
    ] {
        let (points, of_row) = clusters(n, names.len(), &mut random);
        let scatter = Scatter {
            title: format!("t-SNE of {n} rows"),
            subtitle: "perplexity 30 · 64 features · trustworthiness 0.991".into(),
            axes: ["t-SNE 1".into(), "t-SNE 2".into()],
            color: Color::Classes {
                title: "class",
                names,
                of_row: &of_row,
            },
            ..Scatter::new(&points)
        };
        save(folder, name, |format| scatter.draw(format), ALL)?;
    }
    Ok(())
}

fn numbers(folder: &Path) -> Outcome {
    let mut random = Random(3);
    for (name, n) in [("numbers", 2500), ("numbers_density", 100_000)] {
        let roll: Vec<f64> = (0..n).map(|_| 4.5 * (1.0 + 2.0 * random.even())).collect();
        let points: Vec<[f64; 2]> = roll
            .iter()
            .map(|t| {
                [
                    t * t.cos() + 0.3 * random.normal(),
                    t * t.sin() + 0.3 * random.normal(),
                ]
            })
            .collect();
        let values: Vec<f64> = roll
            .iter()
            .map(|t| {
                if random.even() < 0.02 {
                    f64::NAN
                } else {
                    t * 1000.0
                }
            })
            .collect();
        let scatter = Scatter {
            title: "Swiss roll, seen from the side".into(),
            subtitle: "Isomap, 12 neighbours".into(),
            color: Color::Numbers {
                title: "position on the roll",
                values: &values,
            },
            ..Scatter::new(&points)
        };
        save(folder, name, |format| scatter.draw(format), ALL)?;
    }
    Ok(())
}

/// Matrices of scatter plots, and points in space.
fn pairs(folder: &Path) -> Outcome {
    let mut random = Random(11);
    let names: Vec<String> = (0..5).map(|class| format!("class {class}")).collect();
    let (flat, of_row) = clusters(600, 5, &mut random);
    let column = |place: usize, random: &mut Random| -> Vec<f64> {
        let value =
            |point: &[f64; 2]| point[place % 2] / (place + 1) as f64 + 2.0 * random.normal();
        flat.iter().map(value).collect()
    };
    let columns: Vec<Vec<f64>> = (0..8).map(|place| column(place, &mut random)).collect();
    let color = Color::Classes {
        title: "class",
        names: &names,
        of_row: &of_row,
    };
    for n in [2, 3, 4, 8] {
        let picture = Pairs {
            title: format!("PCA: {n} coordinates"),
            subtitle: "600 rows × 64 columns".into(),
            names: (1..=n)
                .map(|number| format!("pc{number} (12.3 %)"))
                .collect(),
            color: if n == 3 {
                Color::Numbers {
                    title: "age",
                    values: &columns[7],
                }
            } else {
                color
            },
            ..Pairs::new(&columns[..n])
        };
        save(
            folder,
            &format!("pairs_{n}"),
            |format| picture.draw(format),
            STILL,
        )?;
    }
    let points: Vec<[f64; 3]> = (0..600)
        .map(|row| [0, 1, 2].map(|place: usize| columns[place][row]))
        .collect();
    let space = Space {
        title: "three coordinates".into(),
        color,
        ..Space::new(&points)
    };
    save(folder, "space", |format| space.draw(format), ALL)
}

fn sizes(folder: &Path) -> Outcome {
    let mut random = Random(11);
    let (points, of_row) = clusters(100_000, 5, &mut random);
    save(
        folder,
        "plain_density",
        |format| Scatter::new(&points).draw(format),
        STILL,
    )?;
    let names: Vec<String> = ["red", "green", "blue", "black", "white"]
        .map(str::to_owned)
        .to_vec();
    for (name, width, height) in [
        ("small", 400, 300),
        ("large", 2400, 1800),
        ("wide", 1600, 500),
    ] {
        let color = Color::Classes {
            title: "class",
            names: &names,
            of_row: &of_row,
        };
        let scatter = Scatter {
            title: format!("{width} x {height}"),
            color,
            size: Size { width, height },
            ..Scatter::new(&points)
        };
        save(folder, name, |format| scatter.draw(format), STILL)?;
    }
    Ok(())
}

fn cities(folder: &Path) -> Outcome {
    let cities = [
        ("Athens", 23.7, 38.0),
        ("Barcelona", 2.2, 41.4),
        ("Brussels", 4.4, 50.8),
        ("Calais", 1.9, 51.0),
        ("Cherbourg", -1.6, 49.6),
        ("Cologne", 7.0, 50.9),
        ("Copenhagen", 12.6, 55.7),
        ("Geneva", 6.1, 46.2),
        ("Gibraltar", -5.4, 36.1),
        ("Hamburg", 10.0, 53.6),
        ("Hook of Holland", 4.1, 52.0),
        ("Lisbon", -9.1, 38.7),
        ("Lyons", 4.8, 45.8),
        ("Madrid", -3.7, 40.4),
        ("Marseilles", 5.4, 43.3),
        ("Milan", 9.2, 45.5),
        ("Munich", 11.6, 48.1),
        ("Paris", 2.4, 48.9),
        ("Rome", 12.5, 41.9),
        ("Stockholm", 18.1, 59.3),
        ("Vienna", 16.4, 48.2),
    ];
    let names: Vec<String> = cities.iter().map(|city| city.0.to_owned()).collect();
    let points: Vec<[f64; 2]> = cities
        .iter()
        .map(|city| [72.0 * city.1, 111.0 * city.2])
        .collect();
    let scatter = Scatter {
        title: "Cities by their road distances".into(),
        subtitle: "classical MDS · stress 0.07".into(),
        row_names: Some(&names),
        label_points: true,
        ..Scatter::new(&points)
    };
    save(folder, "cities", |format| scatter.draw(format), ALL)
}

fn degenerate(folder: &Path) -> Outcome {
    let huge = [[-1.7e308, 1e300], [1.7e308, -1e308], [f64::NAN, 0.0]];
    let line: Vec<[f64; 2]> = (0..100)
        .map(|i| [f64::from(i), 1e-9 * f64::from(i % 5)])
        .collect();
    for (name, points) in [
        ("none", &[][..]),
        ("one", &[[5.0, 5.0]]),
        ("huge", &huge),
        ("line", &line),
    ] {
        let scatter = Scatter {
            title: format!("{name} <&> 名前"),
            size: Size {
                width: 640,
                height: 480,
            },
            ..Scatter::new(points)
        };
        save(folder, name, |format| scatter.draw(format), ALL)?;
    }
    Ok(())
}

fn scree(folder: &Path) -> Outcome {
    let variances: Vec<f64> = (0..64)
        .map(|i| 180.0 * f64::exp(-0.12 * f64::from(i)) / (1.0 + 0.2 * f64::from(i % 2)))
        .collect();
    let total: f64 = variances.iter().sum();
    let suggestions = [
        ("broken stick".to_owned(), 8),
        ("parallel analysis".to_owned(), 13),
        ("95 % of variance".to_owned(), 25),
    ];
    let scree = Scree {
        chosen: 13,
        suggestions: &suggestions,
        title: "Variance of the components of digits".into(),
        ..Scree::new(&variances, total * 1.02)
    };
    save(folder, "scree", |format| scree.draw(format), STILL)?;
    let long: Vec<f64> = (0..784)
        .map(|i| 50.0 / (1.0 + f64::from(i)).powf(1.2))
        .collect();
    let scree = Scree {
        chosen: 700,
        title: "784 components".into(),
        ..Scree::new(&long, long.iter().sum())
    };
    save(folder, "scree_784", |format| scree.draw(format), STILL)?;
    let short = Scree {
        chosen: 1,
        title: "Four components".into(),
        ..Scree::new(&[4.2, 0.24, 0.08, 0.02], 4.54)
    };
    save(folder, "scree_4", |format| short.draw(format), STILL)
}

fn images(folder: &Path) -> Outcome {
    let wave = |component: usize| {
        let value = move |pixel: usize| {
            let (row, column) = ((pixel / 8) as f64 / 7.0, (pixel % 8) as f64 / 7.0);
            (TAU * 0.5 * (component % 4) as f64 * column).cos()
                * (TAU * 0.5 * (component / 4) as f64 * row).cos()
        };
        (0..64).map(value).collect::<Vec<f64>>()
    };
    let components: Vec<Vec<f64>> = (1..=12).map(wave).collect();
    let captions: Vec<String> = (1..=12)
        .map(|component| {
            format!(
                "component {component} ({:.1} %)",
                15.0 / f64::from(component)
            )
        })
        .collect();
    let grid = ImageGrid {
        captions: &captions,
        signed: true,
        title: "Components of digits".into(),
        ..ImageGrid::new(&components, 8, 8)
    };
    save(folder, "components", |format| grid.draw(format), STILL)?;
    let part = |number: usize| {
        let value = move |pixel: usize| {
            let (row, column) = ((pixel / 12) as f64, (pixel % 12) as f64);
            let (across, down) = (
                1.5 + 3.0 * (number % 4) as f64,
                2.0 + 3.5 * (number / 4) as f64,
            );
            (1.0 - ((row - down).powi(2) + (column - across).powi(2)) / 6.0).max(0.0)
        };
        (0..144).map(value).collect::<Vec<f64>>()
    };
    let parts: Vec<Vec<f64>> = (0..12).map(part).collect();
    let grey = ImageGrid {
        title: "Non-negative parts".into(),
        ..ImageGrid::new(&parts, 12, 12)
    };
    save(folder, "parts", |format| grey.draw(format), STILL)
}
