//! What is merely doubtful.

use std::fmt;

use super::counted;

/// Something the user should know about a result that exists all the same.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// Columns with a single value: they carry nothing and get weight 0.
    ConstantColumns {
        /// How many.
        count: usize,
        /// The first of them, by name or number.
        first: String,
    },
    /// Fewer directions carry variance than were asked for.
    RankDeficient {
        /// Components asked for.
        asked: usize,
        /// The rank found.
        rank: usize,
    },
    /// Values that were missing and have been filled in.
    MissingFilled {
        /// How many.
        count: usize,
        /// How many rows have at least one.
        rows: usize,
    },
    /// Rows that were left out of the fit.
    RowsLeftOut {
        /// How many.
        count: usize,
        /// Why.
        reason: String,
    },
    /// The layout was ended by request before its last step.
    EndedEarly {
        /// Steps done.
        step: u64,
        /// Steps that were to be done.
        total: u64,
    },
    /// An iteration stopped at its limit; the result is the best it reached.
    NotConverged {
        /// Which computation.
        what: String,
        /// How far it came.
        reached: String,
    },
    /// A parameter was changed because the data did not allow it.
    Adjusted {
        /// The parameter.
        name: String,
        /// The value given.
        from: String,
        /// The value used.
        to: String,
        /// Why.
        reason: String,
    },
    /// A matrix that should be inverted cannot be, and what was done instead.
    Singular {
        /// Which matrix.
        what: String,
        /// Its size.
        size: usize,
        /// Its rank.
        rank: usize,
        /// What was done.
        remedy: String,
    },
    /// Classes with a single row, which says nothing of how the class varies.
    SingleRowClasses {
        /// How many.
        count: usize,
        /// The first of them.
        first: String,
    },
    /// So many columns that training rows are separated whatever their classes are.
    Separable {
        /// Rows with a class.
        rows: usize,
        /// Columns that vary.
        columns: usize,
        /// Classes.
        classes: usize,
    },
    /// A graph of neighbours that fell apart and was joined.
    Joined {
        /// Parts it had.
        n_parts: usize,
        /// Edges that were added.
        n_bridges: usize,
        /// The longest of them.
        longest: f64,
        /// How it may hang together by itself: "with more neighbours".
        remedy: String,
    },
    /// Rows that are the same as others, and took no part in the fit.
    RowsRepeated {
        /// How many, without those that they repeat.
        count: usize,
    },
    /// A result that exists and says little.
    Doubtful {
        /// Which result.
        what: String,
        /// Why, and what would help.
        reason: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ConstantColumns { count: 1, first } => {
                write!(f, "column {first} is constant and carries no information")
            }
            Self::ConstantColumns { count, first } => write!(
                f,
                "{count} columns are constant and carry no information (the first is {first})"
            ),
            Self::RankDeficient { asked, rank } => write!(
                f,
                "{} asked for, but the data varies in {} only: the others are zero",
                if *asked == 1 {
                    "1 component was".into()
                } else {
                    format!("{asked} components were")
                },
                counted(*rank, "direction")
            ),
            Self::MissingFilled { count, rows } => {
                let values = counted(*count, "missing value");
                let were = if *count == 1 { "was" } else { "were" };
                write!(f, "{values} in {} {were} filled in", counted(*rows, "row"))
            }
            Self::RowsLeftOut { count, reason } => {
                write!(
                    f,
                    "{} left out of the fit: {reason}",
                    counted(*count, "row")
                )
            }
            Self::EndedEarly { step, total } => write!(
                f,
                "ended on request after {step} of {total} steps: the map is as far as it came"
            ),
            Self::NotConverged { what, reached } => write!(f, "{what} did not converge: {reached}"),
            Self::Adjusted {
                name,
                from,
                to,
                reason,
            } => write!(f, "`{name}` changed from {from} to {to}: {reason}"),
            Self::Singular {
                what,
                size,
                rank,
                remedy,
            } => write!(
                f,
                "{what} is singular, of rank {rank} where {size} would be full: {remedy}"
            ),
            Self::SingleRowClasses { count: 1, first } => write!(
                f,
                "class {first} has a single row: its covariance counts as zero"
            ),
            Self::SingleRowClasses { count, first } => write!(
                f,
                "{count} classes have a single row: their covariance counts as zero (the first \
                 is {first})"
            ),
            Self::Separable {
                rows,
                columns,
                classes,
            } => write!(
                f,
                "training accuracy is meaningless: {} of {classes} classes can be separated in {} whatever their \
                 classes are; use `shrinkage = auto` or principal components first, and cross-validate",
                counted(*rows, "row"),
                counted(*columns, "column")
            ),
            Self::Joined {
                n_parts,
                n_bridges,
                longest,
                remedy,
            } => write!(
                f,
                "the graph of neighbours falls into {n_parts} parts: joined by {}, the longest of length {}; \
                 {remedy} it may hang together by itself",
                counted(*n_bridges, "bridge"),
                four_digits(*longest)
            ),
            Self::RowsRepeated { count: 1 } => {
                write!(f, "1 row repeats another: both share a place")
            }
            Self::RowsRepeated { count } => write!(
                f,
                "{count} rows repeat others: each shares the place of the row that it repeats"
            ),
            Self::Doubtful { what, reason } => write!(f, "{what}: {reason}"),
        }
    }
}

/// A number with at most four digits that count: `0.01235`, `1.235e7`.
fn four_digits(value: f64) -> String {
    let exponent = match value == 0.0 {
        true => 0,
        false => value.abs().log10().floor() as i32,
    };
    if !(-4..=6).contains(&exponent) {
        return format!("{value:.3e}");
    }
    let decimals = (3 - exponent).max(0) as usize;
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        for (value, text) in [
            (0.0, "0"),
            (0.012_345_678, "0.01235"),
            (2.5, "2.5"),
            (1.0 / 3.0, "0.3333"),
            (12345.678, "12346"),
            (1.234_56e9, "1.235e9"),
        ] {
            assert_eq!(four_digits(value), text);
        }
    }

    #[test]
    fn joined_parts_come_with_the_remedy_that_fits() {
        let warning = Warning::Joined {
            n_parts: 3,
            n_bridges: 2,
            longest: 3.741_657_386_773_941,
            remedy: "with a larger radius".into(),
        };
        assert_eq!(
            warning.to_string(),
            "the graph of neighbours falls into 3 parts: joined by 2 bridges, the longest of length 3.742; with a \
             larger radius it may hang together by itself"
        );
    }
}
