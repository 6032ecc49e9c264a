use super::*;
use crate::linalg::Real;
use crate::linalg::scatter_kernel::tests::levels;
use crate::random::{normal, stream};

/// Numbers for rows, columns, and what the rows add.
struct Sample<T: Score> {
    rows: Vec<Vec<T>>,
    panels: Panels<T>,
}

fn sample<T: Score>(
    n_rows: usize,
    n_columns: usize,
    mut draw: impl FnMut() -> T,
    own: impl Fn(usize) -> Own<T::Sum> + Sync,
) -> Sample<T> {
    let rows: Vec<Vec<T>> = (0..n_rows)
        .map(|_| (0..n_columns).map(|_| draw()).collect())
        .collect();
    let mut panels = Panels::new();
    // The second time over what the first left.
    for _ in 0..2 {
        panels.pack(n_rows, n_columns, |row, target| {
            target.copy_from_slice(&rows[row]);
            own(row)
        });
    }
    Sample { rows, panels }
}

/// All scores of a panel with a group, at one level; `None` where below the threshold.
fn tile_at<T: Score>(
    level: Level,
    sample: &Sample<T>,
    n_group: usize,
) -> Vec<(usize, usize, T::Sum)> {
    let mut group = Group::new();
    group.gather(
        sample.rows[0].len(),
        sample.rows[..n_group].iter().map(Vec::as_slice),
    );
    let mut all = Vec::new();
    for panel in 0..sample.panels.n_panels() {
        let tile = Tile {
            panel: sample.panels.panel(panel),
            own: sample.panels.own(panel),
            group: &group.numbers,
            width: group.width,
            thresholds: &[T::Sum::LEAST; GROUP],
            back: None,
        };
        let mut found = Survivors::new();
        T::tile(level, &tile, &mut found);
        found.each(n_group, |row, lane, score| {
            all.push((row, panel * T::WIDTH + lane, score));
        });
    }
    all
}

fn agree<T: Score<Sum = T> + Sum + Real>(exact: f64) {
    for (n_rows, n_columns, n_group) in [(70, 37, 12), (33, 1, 7), (16, 100, 3), (5, 9, 1)] {
        let mut draw = stream(1, 0);
        let sample = sample(
            n_rows,
            n_columns,
            || T::of(normal(&mut draw)),
            |row| Own::even(T::of(-(row as f64))),
        );
        let mut fused = Vec::new();
        for level in levels() {
            let scores = tile_at(level, &sample, n_group);
            assert_eq!(scores.len(), n_rows * n_group);
            for &(row, index, score) in &scores {
                let (a, b) = (&sample.rows[row], &sample.rows[index]);
                let product: f64 = a.iter().zip(b).map(|(a, b)| a.wide() * b.wide()).sum();
                let want = product - index as f64;
                assert!(
                    (score.wide() - want).abs() < exact,
                    "{level:?} {score} {want}"
                );
            }
            if level != Level::Portable {
                fused.push(scores);
            }
        }
        assert!(
            fused.windows(2).all(|pair| pair[0] == pair[1]),
            "other bits"
        );
    }
}

#[test]
fn every_level_gives_the_scores_and_fused_ones_the_same_bits() {
    agree::<f32>(1e-4);
    agree::<f64>(1e-12);
}

#[test]
fn scores_of_whole_numbers_are_exact() {
    let mut numbers = stream(2, 0);
    let mut byte = || (normal(&mut numbers) * 60.0 + 128.0).clamp(0.0, 255.0) as u8;
    let bytes: Vec<[u8; 4]> = (0..40 * 11)
        .map(|_| [byte(), byte(), byte(), byte()])
        .collect();
    let mut panels = Panels::new();
    panels.pack(40, 11, |row, target| {
        for (to, &from) in target.iter_mut().zip(&bytes[row * 11..]) {
            *to = Quad::known(from);
        }
        Own::even(-(row as i32))
    });
    let rows = bytes
        .chunks(11)
        .map(|row| row.iter().map(|&quad| Quad::query(quad)).collect());
    let sample = Sample {
        rows: rows.collect(),
        panels,
    };
    for level in levels() {
        let scores = tile_at(level, &sample, 12);
        assert_eq!(scores.len(), 40 * 12);
        for (row, index, score) in scores {
            let (a, b) = (&bytes[row * 11..][..11], &bytes[index * 11..][..11]);
            let pairs = a.as_flattened().iter().zip(b.as_flattened());
            let want: i32 = pairs
                .map(|(&a, &b)| i32::from(a) * (i32::from(b) - 128))
                .sum();
            assert_eq!(score, want - index as i32);
        }
    }
}

/// Gathers what comes back, with thresholds that never move.
struct Gathered<S> {
    ahead: Vec<(usize, usize, S)>,
    back: Vec<(usize, usize, S)>,
}

impl<S: Sum> Pairs<S> for Gathered<S> {
    fn ahead(&mut self, row: usize, index: usize, score: S) -> S {
        self.ahead.push((row, index, score));
        S::LEAST
    }

    fn back(&mut self, index: usize, row: usize, score: S) -> S {
        self.back.push((index, row, score));
        S::LEAST
    }
}

#[test]
fn a_pair_serves_both_rows() {
    let mut draw = stream(3, 0);
    let start = |row: usize| -0.25 * row as f64;
    let sample = sample(50, 6, || normal(&mut draw), |row| Own::even(start(row)));
    let mut group = Group::new();
    group.gather(6, sample.rows[..9].iter().map(Vec::as_slice));
    let mut turns = [0.0; GROUP];
    for (row, turn) in turns.iter_mut().enumerate() {
        *turn = start(row);
    }
    let mut thresholds = back_thresholds(&sample.panels, [f64::NEG_INFINITY; 50].into_iter());
    let mut both = Both {
        turns: &turns,
        thresholds: &mut thresholds,
    };
    let mut gathered = Gathered {
        ahead: Vec::new(),
        back: Vec::new(),
    };
    let none = &mut [f64::INFINITY; GROUP];
    scan_both(&sample.panels, 0..4, &group, none, &mut both, &mut gathered);
    assert!(gathered.ahead.is_empty());
    assert_eq!(gathered.back.len(), 50 * 9);
    for (index, row, score) in gathered.back {
        let pairs = sample.rows[index].iter().zip(&sample.rows[row]);
        let want: f64 = pairs.map(|(a, b)| a * b).sum::<f64>() + start(row);
        assert!((score - want).abs() < 1e-12);
    }
}

#[test]
fn thresholds_keep_all_others_out_and_move_at_once() {
    let mut draw = stream(4, 0);
    let sample = sample(100, 5, || normal(&mut draw) as f32, |_| Own::even(0.0));

    let mut group = Group::new();
    group.gather(5, sample.rows[..10].iter().map(Vec::as_slice));
    let mut best = [(f32::NEG_INFINITY, 0); 10];
    scan(
        &sample.panels,
        0..4,
        &group,
        &mut [f32::NEG_INFINITY; GROUP],
        |row, index, score| {
            assert!(score > best[row].0, "below the threshold");
            best[row] = (score, index);
            score
        },
    );
    for (row, (_, index)) in best.into_iter().enumerate() {
        let product = |other: &[f32]| -> f32 {
            other
                .iter()
                .zip(&sample.rows[row])
                .map(|(a, b)| a * b)
                .sum()
        };
        let most = sample
            .rows
            .iter()
            .map(|other| product(other))
            .fold(f32::MIN, f32::max);
        assert!((product(&sample.rows[index]) - most).abs() < 1e-5);
    }
}
