//! Cross-validation: which rows a split trains on and which it holds out.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::iter::repeat_n;

use crate::error::{Error, Result, counted, message};
use crate::params::Choice;
use crate::random::{Stream, permutation, stream};

use super::SequentialSelection;
use super::problem::Target;

/// How rows are held out.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum Validation {
    /// k-fold cross-validation with this number of folds.
    #[choice(min = 2)]
    Folds(usize),
    /// A single split that holds out this fraction of the rows.
    #[choice(above = 0.0, below = 1.0)]
    HoldOut(f64),
}

/// Training rows and held-out rows, each in ascending order, and what every score on them needs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Split {
    pub(super) train: Vec<usize>,
    pub(super) test: Vec<usize>,
    /// Training rows of each class; none for numbers.
    pub(super) train_counts: Vec<f64>,
    /// Held-out rows of each class; none for numbers.
    pub(super) test_counts: Vec<f64>,
    /// Sum of squared deviations of the held-out numbers from their mean; 0 for classes.
    pub(super) test_squares: f64,
}

impl Split {
    /// Fails if a side is empty, or if the training rows have a single class.
    pub(super) fn new(
        number: usize,
        train: Vec<usize>,
        test: Vec<usize>,
        target: &Target,
    ) -> Result<Self> {
        let n_rows = target.len();
        for (rows, which) in [(&train, "training"), (&test, "held-out")] {
            if rows.is_empty() {
                return Err(Error::degenerate(message!(
                    "split {number} of the {n_rows:rows} with a label has no {which} {:row}"
                )));
            }
        }
        let train_counts = class_counts(target, &train);
        if train_counts.iter().filter(|count| **count > 0.0).count() == 1 {
            return Err(Error::degenerate(message!(
                "the training {:rows} of split {number} are of a single class: hold out fewer {:rows}, shuffled and \
                 stratified"
            )));
        }
        Ok(Self {
            train_counts,
            test_counts: class_counts(target, &test),
            test_squares: squared_deviations(target, &test),
            train,
            test,
        })
    }

    /// The logarithms of the class frequencies among the training rows.
    pub(super) fn log_priors(&self) -> Vec<f64> {
        let total = self.train.len() as f64;
        let counts = self.train_counts.iter();
        counts.map(|count| (count / total).ln()).collect()
    }
}

fn class_counts(target: &Target, rows: &[usize]) -> Vec<f64> {
    let mut counts = vec![0.0; target.n_classes()];
    if !counts.is_empty() {
        rows.iter()
            .for_each(|&row| counts[target.class(row)] += 1.0);
    }
    counts
}

fn squared_deviations(target: &Target, rows: &[usize]) -> f64 {
    let Target::Numbers(values) = target else {
        return 0.0;
    };
    let mean = rows.iter().map(|&row| values[row]).sum::<f64>() / rows.len() as f64;
    let deviations = rows.iter().map(|&row| values[row] - mean);
    deviations.map(|d| d * d).sum()
}

/// Splits of all rows given by the caller, as splits of the rows with a label.
pub(super) fn given_splits(
    splits: &[(Vec<usize>, Vec<usize>)],
    labelled: &[usize],
    target: &Target,
) -> Result<Vec<Split>> {
    let indices = |rows: &[usize]| {
        let rows = rows.iter();
        let mut indices: Vec<usize> = rows
            .filter_map(|row| labelled.binary_search(row).ok())
            .collect();
        indices.sort_unstable();
        indices
    };
    let numbered = splits.iter().enumerate();
    let split = |(number, (train, test)): (usize, &(Vec<usize>, Vec<usize>))| {
        let (train, test) = (indices(train), indices(test));
        if train.is_empty() || test.is_empty() {
            return Err(Error::Labels {
                problem: message!("a split has no {:row} with a label to train on or to hold out"),
            });
        }
        let mut all = [train.as_slice(), test.as_slice()].concat();
        all.sort_unstable();
        if let Some(pair) = all.windows(2).find(|pair| pair[0] == pair[1]) {
            let row = labelled[pair[0]];
            let what = message!("{row:row} in split {number}");
            return Err(Error::shape(what, "once", "twice"));
        }
        Split::new(number, train, test, target)
    };
    numbered.map(split).collect()
}

impl SequentialSelection {
    /// All splits of the target's rows. Rows of a group are held out together.
    pub(super) fn splits(&self, target: &Target, groups: Option<&[u32]>) -> Result<Vec<Split>> {
        if self.n_repeats > 1 && !self.shuffle {
            return Err(Error::one_of(
                "n_repeats",
                &["1"],
                message!("without {shuffle:parameter} every repetition would be the same"),
                self.n_repeats,
            ));
        }
        let groups = groups.map(rows_by_key);
        let mut splits = Vec::new();
        for repeat in 0..self.n_repeats {
            let mut numbers = stream(self.seed, repeat as u64);
            // The fold of each row; of a hold-out fraction, 0 is held out.
            let (fold_of_row, n_splits) = match self.validation {
                Validation::Folds(count) => {
                    self.check_folds(count, target, groups.as_deref())?;
                    let folds = match &groups {
                        Some(groups) => self.group_folds(count, groups, &mut numbers),
                        None => self.row_folds(count, target, &mut numbers),
                    };
                    (folds, count)
                }
                Validation::HoldOut(share) => {
                    let folds = match &groups {
                        Some(groups) => self.held_out_groups(share, groups, &mut numbers),
                        None => self.held_out_rows(share, target, &mut numbers),
                    };
                    (folds, 1)
                }
            };
            for fold in 0..n_splits {
                let (test, train) = (0..target.len()).partition(|&row| fold_of_row[row] == fold);
                splits.push(Split::new(splits.len(), train, test, target)?);
            }
        }
        Ok(splits)
    }

    fn check_folds(
        &self,
        count: usize,
        target: &Target,
        groups: Option<&[Vec<usize>]>,
    ) -> Result<()> {
        let n_rows = target.len();
        let largest_class = || self.strata(target).iter().map(Vec::len).max().unwrap_or(0);
        let (most, because) = match groups {
            Some(groups) => {
                let n_groups = groups.len();
                let because = message!("there are {} with a label", counted(n_groups, "group"));
                (n_groups, because)
            }
            None if count > n_rows => (n_rows, message!("{n_rows:rows} have a label")),
            None => (largest_class(), message!("no class has more {:rows}")),
        };
        if count > most {
            return Err(Error::at_most("validation", most, because, count));
        }
        Ok(())
    }

    /// The rows of each class if splits are stratified, else all rows together.
    fn strata(&self, target: &Target) -> Vec<Vec<usize>> {
        match target {
            Target::Classes { of_row, .. } if self.stratify => rows_by_key(of_row),
            _ => vec![(0..target.len()).collect()],
        }
    }

    /// Rows sorted by class are dealt out one by one to see how many of each class a fold gets, then each class is cut
    /// into as many pieces. Classes count in the order in which they first appear.
    fn row_folds(&self, count: usize, target: &Target, numbers: &mut Stream) -> Vec<usize> {
        let mut strata = self.strata(target);
        strata.sort_by_key(|rows| rows[0]);
        let mut folds = vec![0; target.len()];
        let mut n_dealt = 0;
        for rows in &strata {
            let mut sizes = vec![0; count];
            for _ in rows {
                sizes[n_dealt % count] += 1;
                n_dealt += 1;
            }
            let pieces = sizes.into_iter().enumerate();
            let fold_of_place = pieces.flat_map(|(fold, size)| repeat_n(fold, size));
            let order = self.order(rows.len(), numbers);
            for (index, fold) in order.into_iter().zip(fold_of_place) {
                folds[rows[index]] = fold;
            }
        }
        folds
    }

    /// The largest groups first, each into the fold that has the fewest rows so far.
    fn group_folds(&self, count: usize, groups: &[Vec<usize>], numbers: &mut Stream) -> Vec<usize> {
        let mut order = self.order(groups.len(), numbers);
        order.sort_by_key(|&group| Reverse(groups[group].len()));
        let mut folds = vec![0; n_rows(groups)];
        let mut sizes = vec![0; count];
        for group in order {
            let smallest = (0..count).min_by_key(|&fold| sizes[fold]).unwrap_or(0);
            sizes[smallest] += groups[group].len();
            groups[group].iter().for_each(|&row| folds[row] = smallest);
        }
        folds
    }

    /// 0 for the last rows of the order, of each class if it is by chance; else 1.
    fn held_out_rows(&self, share: f64, target: &Target, numbers: &mut Stream) -> Vec<usize> {
        let mut folds = vec![1; target.len()];
        let strata = if self.shuffle {
            self.strata(target)
        } else {
            vec![(0..target.len()).collect()]
        };
        for rows in strata {
            let count = (share * rows.len() as f64).round() as usize;
            let order = self.order(rows.len(), numbers);
            for index in order.into_iter().rev().take(count) {
                folds[rows[index]] = 0;
            }
        }
        folds
    }

    /// 0 for the rows of the last groups of the order, until they are enough; else 1.
    fn held_out_groups(
        &self,
        share: f64,
        groups: &[Vec<usize>],
        numbers: &mut Stream,
    ) -> Vec<usize> {
        let n_rows = n_rows(groups);
        let mut folds = vec![1; n_rows];
        let mut n_held_out = 0;
        for group in self.order(groups.len(), numbers).into_iter().rev() {
            if n_held_out as f64 >= share * n_rows as f64 {
                break;
            }
            n_held_out += groups[group].len();
            groups[group].iter().for_each(|&row| folds[row] = 0);
        }
        folds
    }

    fn order(&self, count: usize, numbers: &mut Stream) -> Vec<usize> {
        if self.shuffle {
            permutation(numbers, count)
        } else {
            (0..count).collect()
        }
    }
}

/// The rows of each key, in ascending order of the keys.
fn rows_by_key(keys: &[u32]) -> Vec<Vec<usize>> {
    let mut rows: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (row, &key) in keys.iter().enumerate() {
        rows.entry(key).or_default().push(row);
    }
    rows.into_values().collect()
}

fn n_rows(groups: &[Vec<usize>]) -> usize {
    groups.iter().map(Vec::len).sum()
}

#[cfg(test)]
mod tests {
    use super::super::tests::class_target;
    use super::*;

    fn splitting(validation: Validation, shuffle: bool) -> SequentialSelection {
        SequentialSelection {
            validation,
            shuffle,
            seed: 3,
            ..SequentialSelection::default()
        }
    }

    #[test]
    fn without_chance_folds_are_those_of_scikit_learn() {
        // StratifiedKFold(3) and KFold(3) of scikit-learn 1.9.1 on these labels.
        let target = class_target(&[1, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0]);
        let mut method = splitting(Validation::Folds(3), false);
        let splits = method.splits(&target, None).unwrap();
        let tests: Vec<_> = splits.iter().map(|split| split.test.clone()).collect();
        assert_eq!(tests, [vec![0, 1, 2, 3], vec![4, 5, 6, 8], vec![7, 9, 10]]);
        method.stratify = false;
        let splits = method.splits(&target, None).unwrap();
        assert_eq!(splits[1].test, [4, 5, 6, 7]);
        assert_eq!(splits[2].test, [8, 9, 10]);
        assert_eq!(splits[2].train.len(), 8);
    }

    #[test]
    fn every_row_is_held_out_once_and_classes_in_proportion() {
        let of_row: Vec<u32> = (0..60).map(|row| u32::from(row % 3 == 0)).collect();
        let target = class_target(&of_row);
        let mut method = splitting(Validation::Folds(4), true);
        let splits = method.splits(&target, None).unwrap();
        let mut seen = vec![0; 60];
        for split in &splits {
            assert_eq!((split.train.len(), split.test.len()), (45, 15));
            assert_eq!(split.test_counts, [10.0, 5.0]);
            split.test.iter().for_each(|&row| seen[row] += 1);
        }
        assert!(seen.iter().all(|&times| times == 1));
        assert_eq!(splits, method.splits(&target, None).unwrap());
        method.seed = 4;
        assert_ne!(splits, method.splits(&target, None).unwrap());
    }

    #[test]
    fn rows_of_a_group_stay_together() {
        let groups: Vec<u32> = (0..40).map(|row| row / 5).collect();
        let target = Target::Numbers((0..40).map(f64::from).collect());
        for validation in [Validation::Folds(3), Validation::HoldOut(0.3)] {
            let splits = splitting(validation, true).splits(&target, Some(&groups));
            for split in splits.unwrap() {
                let inside: Vec<u32> = split.train.iter().map(|&row| groups[row]).collect();
                assert!(split.test.iter().all(|&row| !inside.contains(&groups[row])));
            }
        }
        let many = splitting(Validation::Folds(9), true).splits(&target, Some(&groups));
        let error = many.unwrap_err().to_string();
        assert!(error.contains("there are 8 groups"), "{error}");
    }

    #[test]
    fn a_share_is_held_out_again_and_again() {
        let target = class_target(&[0, 1].repeat(20));
        let mut method = splitting(Validation::HoldOut(0.25), false);
        let last = method.splits(&target, None).unwrap();
        assert_eq!(last[0].test, (30..40).collect::<Vec<_>>());
        method.n_repeats = 3;
        assert!(method.splits(&target, None).is_err());
        method.shuffle = true;
        let splits = method.splits(&target, None).unwrap();
        assert_eq!(splits.len(), 3);
        assert!(splits.iter().all(|split| split.test.len() == 10));
        assert_ne!(splits[0], splits[1]);
    }

    #[test]
    fn more_folds_than_rows_are_refused() {
        let five = splitting(Validation::Folds(5), true);
        let target = Target::Numbers(vec![1.0, 2.0, 4.0]);
        let error = five.splits(&target, None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`validation` must be at most 3, because 3 rows have a label, got 5"
        );
        let target = class_target(&[0, 1, 0, 1, 0, 1, 2]);
        let error = five.splits(&target, None).unwrap_err().to_string();
        assert!(error.contains("no class has more rows"), "{error}");
    }

    #[test]
    fn a_row_is_on_one_side_of_a_given_split() {
        let target = class_target(&[0, 1, 0]);
        let given = |test| given_splits(&[(vec![0, 1], test)], &[0, 1, 2], &target);
        assert!(given(vec![2]).is_ok());
        assert!(given(vec![1]).is_err());
    }
}
