//! Cross-validation: which rows a split trains on and which it holds out.

use crate::error::{Error, Result, counted, message};
use crate::params::Choice;
use crate::random::{Stream, permutation, stream};

use super::target::Target;

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

/// Training rows and held-out rows, each in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Split {
    pub(super) train: Vec<usize>,
    pub(super) test: Vec<usize>,
}

/// How rows are split.
#[derive(Clone, Copy, Debug)]
pub(super) struct CrossValidation<'a> {
    pub(super) validation: Validation,
    pub(super) n_repeats: usize,
    pub(super) shuffle: bool,
    pub(super) stratify: bool,
    pub(super) seed: u64,
    /// The group of each row; rows of a group are held out together.
    pub(super) groups: Option<&'a [u32]>,
}

impl CrossValidation<'_> {
    /// All splits of the target's rows.
    pub(super) fn splits(&self, target: &Target) -> Result<Vec<Split>> {
        if self.n_repeats > 1 && !self.shuffle {
            return Err(Error::one_of(
                "n_repeats",
                &["1"],
                message!("without {shuffle:parameter} every repetition would be the same"),
                self.n_repeats,
            ));
        }
        let mut splits = Vec::new();
        for repeat in 0..self.n_repeats {
            let mut numbers = stream(self.seed, repeat as u64);
            match self.validation {
                Validation::Folds(count) => {
                    self.check_folds(count, target)?;
                    let fold_of_row = self.folds(count, target, &mut numbers);
                    splits.extend((0..count).map(|fold| {
                        Split::holding_out(target.len(), |row| fold_of_row[row] as usize == fold)
                    }));
                }
                Validation::HoldOut(share) => {
                    let out = self.held_out_rows(share, target, &mut numbers);
                    splits.push(Split::holding_out(target.len(), |row| out[row]));
                }
            }
        }
        check_splits(&splits, target.len())?;
        Ok(splits)
    }

    fn check_folds(&self, count: usize, target: &Target) -> Result<()> {
        let given = match self.groups {
            Some(groups) => distinct(groups).len(),
            None => target.len(),
        };
        if count > given {
            let because = match self.groups {
                Some(_) => message!("there are {} with a label", counted(given, "group")),
                None => message!("{given:rows} have a label"),
            };
            return Err(Error::at_most("validation", given, because, count));
        }
        if let (Target::Classes { of_row, names }, None, true) =
            (target, self.groups, self.stratify)
        {
            let most = (0..names.len())
                .map(|class| of_row.iter().filter(|&&c| c as usize == class).count())
                .max()
                .unwrap_or(0);
            if count > most {
                return Err(Error::at_most(
                    "validation",
                    most,
                    message!("no class has more {:rows}"),
                    count,
                ));
            }
        }
        Ok(())
    }

    /// The fold of each row.
    fn folds(&self, count: usize, target: &Target, numbers: &mut Stream) -> Vec<u32> {
        if let Some(groups) = self.groups {
            return self.group_folds(count, groups, numbers);
        }
        match target {
            Target::Classes { of_row, names } if self.stratify => {
                self.stratified_folds(count, of_row, names.len(), numbers)
            }
            _ => {
                let mut folds = vec![0; target.len()];
                let order = self.order(target.len(), numbers);
                let (each, more) = (target.len() / count, target.len() % count);
                let sizes = (0..count).map(|fold| each + usize::from(fold < more));
                let indices = sizes.enumerate();
                let fold_of_place = indices.flat_map(|(fold, size)| vec![fold as u32; size]);
                for (row, fold) in order.into_iter().zip(fold_of_place) {
                    folds[row] = fold;
                }
                folds
            }
        }
    }

    /// Stratified folds: rows sorted by class are dealt out one by one to see how many of each class a fold gets, then
    /// each class is cut into as many pieces. Classes count in the order in which they first appear.
    fn stratified_folds(
        &self,
        count: usize,
        of_row: &[u32],
        n_classes: usize,
        numbers: &mut Stream,
    ) -> Vec<u32> {
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); n_classes];
        for (row, &class) in of_row.iter().enumerate() {
            rows[class as usize].push(row);
        }
        rows.retain(|rows| !rows.is_empty());
        rows.sort_by_key(|rows| rows[0]);
        let mut folds = vec![0; of_row.len()];
        let mut dealt = 0;
        for rows in &rows {
            let mut shares = vec![0; count];
            for _ in rows {
                shares[dealt % count] += 1;
                dealt += 1;
            }
            let pieces = shares.iter().enumerate();
            let fold_of_place = pieces.flat_map(|(fold, &size)| vec![fold as u32; size]);
            let order = self.order(rows.len(), numbers);
            for (index, fold) in order.into_iter().zip(fold_of_place) {
                folds[rows[index]] = fold;
            }
        }
        folds
    }

    /// The largest groups first, each into the fold that has the fewest rows so far.
    fn group_folds(&self, count: usize, groups: &[u32], numbers: &mut Stream) -> Vec<u32> {
        let names = distinct(groups);
        let size = |name: u32| groups.iter().filter(|&&group| group == name).count();
        let order = self.order(names.len(), numbers);
        let mut sized: Vec<(u32, usize)> = order
            .into_iter()
            .map(|index| (names[index], size(names[index])))
            .collect();
        sized.sort_by_key(|&(_, size)| std::cmp::Reverse(size));
        let mut loads = vec![0; count];
        let mut fold_of_group = std::collections::HashMap::new();
        for (name, size) in sized {
            let lightest = (0..count).min_by_key(|&fold| loads[fold]).unwrap_or(0);
            loads[lightest] += size;
            fold_of_group.insert(name, lightest as u32);
        }
        groups.iter().map(|group| fold_of_group[group]).collect()
    }

    fn held_out_rows(&self, share: f64, target: &Target, numbers: &mut Stream) -> Vec<bool> {
        let n_rows = target.len();
        let mut out = vec![false; n_rows];
        if let Some(groups) = self.groups {
            let names = distinct(groups);
            let order = self.order(names.len(), numbers);
            let mut taken = 0;
            for index in order.into_iter().rev() {
                if taken as f64 >= share * n_rows as f64 {
                    break;
                }
                for (row, _) in groups
                    .iter()
                    .enumerate()
                    .filter(|(_, g)| **g == names[index])
                {
                    out[row] = true;
                    taken += 1;
                }
            }
            return out;
        }
        let classes = match target {
            Target::Classes { names, .. } if self.stratify && self.shuffle => names.len(),
            _ => 1,
        };
        for class in 0..classes {
            let of_class = |&row: &usize| classes == 1 || target.class(row) == class;
            let rows: Vec<usize> = (0..n_rows).filter(of_class).collect();
            let count = (share * rows.len() as f64).round() as usize;
            let order = self.order(rows.len(), numbers);
            for index in order.into_iter().rev().take(count) {
                out[rows[index]] = true;
            }
        }
        out
    }

    fn order(&self, count: usize, numbers: &mut Stream) -> Vec<usize> {
        if self.shuffle {
            permutation(numbers, count)
        } else {
            (0..count).collect()
        }
    }
}

impl Split {
    fn holding_out(n_rows: usize, out: impl Fn(usize) -> bool) -> Self {
        let (test, train) = (0..n_rows).partition(|&row| out(row));
        Self { train, test }
    }
}

/// Fails if a split has an empty side, a row that there is not, or a row on both sides.
pub(super) fn check_splits(splits: &[Split], n_rows: usize) -> Result<()> {
    if splits.is_empty() {
        return Err(Error::shape(message!("splits"), "at least 1", 0));
    }
    for (number, split) in splits.iter().enumerate() {
        let mut side = vec![0_u8; n_rows];
        for (rows, mark) in [(&split.train, 1), (&split.test, 2)] {
            if rows.is_empty() {
                let which = if mark == 1 { "training" } else { "held-out" };
                return Err(Error::degenerate(message!(
                    "split {number} of the {n_rows:rows} with a label has no {which} {:row}"
                )));
            }
            for &row in rows {
                match side.get_mut(row) {
                    None => {
                        return Err(Error::shape(
                            message!("a {:row} of split {number}"),
                            message!("below {n_rows}, the {:rows} with a label"),
                            row,
                        ));
                    }
                    Some(seen) if *seen != 0 => {
                        return Err(Error::shape(
                            message!("{row:row} in split {number}"),
                            "once",
                            "twice",
                        ));
                    }
                    Some(seen) => *seen = mark,
                }
            }
        }
    }
    Ok(())
}

/// Splits of all rows given by the caller, as splits of the rows with a label.
pub(super) fn given_splits(
    splits: &[(Vec<usize>, Vec<usize>)],
    labelled: &[usize],
) -> Result<Vec<Split>> {
    let indices = |rows: &[usize]| -> Vec<usize> {
        let mut indices: Vec<usize> = rows
            .iter()
            .filter_map(|row| labelled.binary_search(row).ok())
            .collect();
        indices.sort_unstable();
        indices
    };
    let splits: Vec<Split> = splits
        .iter()
        .map(|(train, test)| Split {
            train: indices(train),
            test: indices(test),
        })
        .collect();
    if splits
        .iter()
        .any(|split| split.train.is_empty() || split.test.is_empty())
    {
        return Err(Error::Labels {
            problem: message!("a split has no {:row} with a label to train on or to hold out"),
        });
    }
    Ok(splits)
}

fn distinct(groups: &[u32]) -> Vec<u32> {
    let mut names = groups.to_vec();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cross_validation(validation: Validation, shuffle: bool) -> CrossValidation<'static> {
        CrossValidation {
            validation,
            n_repeats: 1,
            shuffle,
            stratify: true,
            seed: 3,
            groups: None,
        }
    }

    fn classes(of_row: &[u32]) -> Target {
        let n_classes = of_row.iter().max().map_or(0, |most| most + 1);
        Target::Classes {
            of_row: of_row.to_vec(),
            names: (0..n_classes).map(|class| class.to_string()).collect(),
        }
    }

    #[test]
    fn without_chance_folds_are_those_of_scikit_learn() {
        // StratifiedKFold(3) and KFold(3) of scikit-learn 1.9.1 on these labels.
        let target = classes(&[1, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0]);
        let splits = cross_validation(Validation::Folds(3), false)
            .splits(&target)
            .unwrap();
        let tests: Vec<_> = splits.iter().map(|split| split.test.clone()).collect();
        assert_eq!(tests, [vec![0, 1, 2, 3], vec![4, 5, 6, 8], vec![7, 9, 10]]);
        let plain = CrossValidation {
            stratify: false,
            ..cross_validation(Validation::Folds(3), false)
        };
        let splits = plain.splits(&target).unwrap();
        assert_eq!(splits[1].test, [4, 5, 6, 7]);
        assert_eq!(splits[2].test, [8, 9, 10]);
        assert_eq!(splits[2].train.len(), 8);
    }

    #[test]
    fn every_row_is_held_out_once_and_classes_in_proportion() {
        let of_row: Vec<u32> = (0..60).map(|row| u32::from(row % 3 == 0)).collect();
        let target = classes(&of_row);
        let splits = cross_validation(Validation::Folds(4), true)
            .splits(&target)
            .unwrap();
        let mut seen = vec![0; 60];
        for split in &splits {
            assert_eq!((split.train.len(), split.test.len()), (45, 15));
            let first = split.test.iter().filter(|&&row| of_row[row] == 1).count();
            assert_eq!(first, 5);
            split.test.iter().for_each(|&row| seen[row] += 1);
        }
        assert!(seen.iter().all(|&times| times == 1));
        assert_eq!(
            splits,
            cross_validation(Validation::Folds(4), true)
                .splits(&target)
                .unwrap()
        );
        let other = CrossValidation {
            seed: 4,
            ..cross_validation(Validation::Folds(4), true)
        };
        assert_ne!(splits, other.splits(&target).unwrap());
    }

    #[test]
    fn rows_of_a_group_stay_together() {
        let groups: Vec<u32> = (0..40).map(|row| row / 5).collect();
        let target = Target::Numbers((0..40).map(f64::from).collect());
        for validation in [Validation::Folds(3), Validation::HoldOut(0.3)] {
            let grouped = CrossValidation {
                groups: Some(&groups),
                ..cross_validation(validation, true)
            };
            for split in grouped.splits(&target).unwrap() {
                let inside: Vec<u32> = split.train.iter().map(|&row| groups[row]).collect();
                assert!(split.test.iter().all(|&row| !inside.contains(&groups[row])));
            }
        }
        let many = CrossValidation {
            groups: Some(&groups),
            ..cross_validation(Validation::Folds(9), true)
        };
        let error = many.splits(&target).unwrap_err().to_string();
        assert!(error.contains("there are 8 groups"), "{error}");
    }

    #[test]
    fn a_share_is_held_out_again_and_again() {
        let target = classes(&[0, 1].repeat(20));
        let repeated = CrossValidation {
            n_repeats: 3,
            ..cross_validation(Validation::HoldOut(0.25), true)
        };
        let splits = repeated.splits(&target).unwrap();
        assert_eq!(splits.len(), 3);
        assert!(splits.iter().all(|split| split.test.len() == 10));
        assert_ne!(splits[0], splits[1]);
        let last = cross_validation(Validation::HoldOut(0.25), false)
            .splits(&target)
            .unwrap();
        assert_eq!(last[0].test, (30..40).collect::<Vec<_>>());
        let same = CrossValidation {
            shuffle: false,
            ..repeated
        };
        assert!(same.splits(&target).is_err());
    }

    #[test]
    fn more_folds_than_rows_are_refused() {
        let target = Target::Numbers(vec![1.0, 2.0, 4.0]);
        let error = cross_validation(Validation::Folds(5), true)
            .splits(&target)
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "`validation` must be at most 3, because 3 rows have a label, got 5"
        );
        let target = classes(&[0, 1, 0, 1, 0, 1, 2]);
        let error = cross_validation(Validation::Folds(5), true)
            .splits(&target)
            .unwrap_err();
        assert!(
            error.to_string().contains("no class has more rows"),
            "{error}"
        );
        let overlapping = Split {
            train: vec![0, 1],
            test: vec![1],
        };
        assert!(check_splits(&[overlapping], 2).is_err());
    }
}
