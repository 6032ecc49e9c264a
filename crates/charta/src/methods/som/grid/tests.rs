use super::*;

fn all() -> Vec<Grid> {
    let mut grids = Vec::new();
    for (width, height) in [
        (1, 1),
        (1, 2),
        (2, 2),
        (3, 4),
        (5, 6),
        (7, 2),
        (4, 5),
        (6, 1),
    ] {
        for cells in [Cells::Rectangular, Cells::Hexagonal] {
            for toroidal in [false, true] {
                grids.extend(Grid::new(width, height, cells, toroidal));
            }
        }
    }
    assert!(grids.len() > 25);
    grids
}

/// The shortest way over nine copies of the grid.
fn by_copies(grid: &Grid, x: f64, y: f64, unit: usize) -> f64 {
    let (u, v) = grid.coordinates(unit);
    let (wide, high) = (grid.width() as f64, grid.height() as f64 * grid.row_step());
    let copies: &[f64] = if grid.is_toroidal() {
        &[-1.0, 0.0, 1.0]
    } else {
        &[0.0]
    };
    let mut least = f64::INFINITY;
    for i in copies {
        for j in copies {
            least = least.min((u + i * wide - x).powi(2) + (v + j * high - y).powi(2));
        }
    }
    least
}

#[test]
fn distances_and_neighbours_are_those_of_all_copies_of_the_grid() {
    for grid in all() {
        for a in 0..grid.n_units() {
            let (x, y) = grid.coordinates(a);
            let mut near = Vec::new();
            for b in 0..grid.n_units() {
                let want = by_copies(&grid, x, y, b);
                let found = grid.squared_distance(a, b);
                assert!(
                    (found - want).abs() < 1e-12,
                    "{grid:?} {a} {b}: {found} for {want}"
                );
                let most = if grid.cells() == Cells::Hexagonal {
                    1.01
                } else {
                    2.01
                };
                if a != b && want < most {
                    near.push(b);
                }
            }
            assert_eq!(grid.neighbors(a), near, "{grid:?} {a}");
        }
    }
}

#[test]
fn inner_units_of_a_hexagonal_grid_have_six_neighbours_at_distance_one() {
    let grid = Grid::new(5, 5, Cells::Hexagonal, false).unwrap();
    for unit in [6, 12, 17] {
        let near = grid.neighbors(unit);
        assert_eq!(near.len(), 6);
        for other in near {
            assert!((grid.squared_distance(unit, other) - 1.0).abs() < 1e-12);
        }
    }
    let torus = Grid::new(4, 4, Cells::Hexagonal, true).unwrap();
    assert!((0..16).all(|unit| torus.neighbors(unit).len() == 6));
    assert!(Grid::new(4, 3, Cells::Hexagonal, true).is_err());
}

#[test]
fn the_nearest_unit_is_found_for_any_coordinates() {
    let mut draw = crate::random::stream(5, 0);
    for grid in all() {
        for unit in 0..grid.n_units() {
            let (x, y) = grid.coordinates(unit);
            assert_eq!(grid.nearest(x, y), unit, "{grid:?}");
        }
        let (wide, high) = grid.extent();
        for _ in 0..200 {
            let mut within = |side: f64| (side + 2.0) * crate::random::uniform(&mut draw) - 1.0;
            let (x, y) = (within(wide), within(high));
            let least = (0..grid.n_units())
                .map(|unit| by_copies(&grid, x, y, unit))
                .fold(f64::INFINITY, f64::min);
            let found = by_copies(&grid, x, y, grid.nearest(x, y));
            assert!(
                found <= least + 1e-9,
                "{grid:?} at {x}, {y}: {found} for {least}"
            );
        }
    }
}

#[test]
fn sizes_follow_the_rows_and_their_shape() {
    let grid_options = GridOptions {
        width: None,
        height: None,
        cells: Cells::Rectangular,
        toroidal: false,
    };
    let sides = |grid_options: GridOptions, n, stretch| {
        let grid = grid_options.grid(n, stretch).unwrap();
        assert!(grid.n_units() <= grid_options.most_units(n), "{grid:?}");
        (grid.width(), grid.height())
    };
    assert_eq!(sides(grid_options, 150, 1.0), (8, 8));
    assert_eq!(sides(grid_options, 150, 2.0), (11, 6));
    assert_eq!(sides(grid_options, 150, 1e9), sides(grid_options, 150, 3.0));
    assert_eq!(sides(grid_options, 150, f64::NAN), (8, 8));
    assert_eq!(sides(grid_options, 1, 1.0), (1, 1));
    assert_eq!(sides(grid_options, 3, 5.0), (3, 1));
    assert_eq!(
        sides(
            GridOptions {
                width: Some(20),
                ..grid_options
            },
            150,
            1.0
        ),
        (20, 3)
    );
    assert_eq!(
        sides(
            GridOptions {
                height: Some(100),
                ..grid_options
            },
            5,
            1.0
        ),
        (1, 100)
    );
    let hexagonal = GridOptions {
        cells: Cells::Hexagonal,
        toroidal: true,
        ..grid_options
    };
    for n in 1..50 {
        assert_eq!(sides(hexagonal, n, 1.3).1 % 2, 0);
    }
    let large = GridOptions {
        width: Some(1 << 13),
        height: Some(1 << 13),
        ..grid_options
    };
    assert!(large.grid(10, 1.0).is_err());
}
