//! Warnings: doubtful results.

use std::fmt;

use serde_json::Value as Json;

use super::message::count_of;
use super::{Column, Given, Library, Message, Noun, Vocabulary, counted};
use crate::error::message;

/// Something the user should know about a result that exists all the same. [`Warning::render`] words it for the users
/// of a front; [`Display`](fmt::Display) uses the library's own words.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// Columns with a single value: they carry nothing and get weight 0.
    ConstantColumns {
        /// How many.
        count: usize,
        /// The first of them.
        first: Column,
    },
    /// Fewer directions have variance than components were requested.
    RankDeficient {
        /// Components requested.
        requested: usize,
        /// The rank found.
        rank: usize,
    },
    /// More components than columns, so that their number is not reduced.
    MoreComponents {
        /// Components requested.
        count: usize,
        /// Columns of the data.
        n_columns: usize,
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
        reason: Message,
    },
    /// The layout was ended by request before its last step.
    EndedEarly {
        /// Steps done.
        step: u64,
        /// Steps that were to be done.
        total: u64,
        /// What a step is.
        unit: StepUnit,
    },
    /// An iteration stopped at its limit; the result is the best it reached.
    NotConverged {
        /// Which computation.
        what: Message,
        /// How far it came, and what would help.
        reached: Message,
    },
    /// A parameter was changed because the data did not allow it.
    Adjusted {
        /// The parameter.
        name: String,
        /// The value given.
        from: Json,
        /// The value used.
        to: Json,
        /// Why.
        reason: Message,
    },
    /// A matrix that should be inverted cannot be, and what was done instead.
    Singular {
        /// Which matrix.
        what: Message,
        /// Its size.
        size: usize,
        /// Its rank.
        rank: usize,
        /// What was done.
        remedy: Message,
    },
    /// Classes with a single row, from which the variance of the class cannot be estimated.
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
    /// A disconnected neighbour graph that was joined.
    Joined {
        /// Connected components it had.
        n_connected_components: usize,
        /// Edges that were added.
        n_bridges: usize,
        /// The longest of them.
        longest: f64,
        /// What may connect it by itself: "more neighbours".
        remedy: Message,
    },
    /// Rows that are the same as others, and took no part in the fit.
    RowsRepeated {
        /// How many, without those that they repeat.
        count: usize,
    },
    /// A result of doubtful value.
    Doubtful {
        /// Which result.
        what: Message,
        /// Why, and what would help.
        reason: Message,
    },
}

/// What an optimization counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepUnit {
    /// Steps of all rows at once.
    Iteration,
    /// Passes over all rows or edges, in many small steps.
    Epoch,
}

impl StepUnit {
    fn plural(self) -> &'static str {
        match self {
            Self::Iteration => "iterations",
            Self::Epoch => "epochs",
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(&Library))
    }
}

impl Warning {
    /// A result of doubtful value.
    pub(crate) fn doubtful(what: Message, reason: Message) -> Self {
        Self::Doubtful { what, reason }
    }

    /// A parameter that was changed because the data did not allow it.
    pub(crate) fn adjusted(
        name: impl Into<String>,
        from: impl Given,
        to: impl Given,
        reason: Message,
    ) -> Self {
        Self::Adjusted {
            name: name.into(),
            from: from.given(),
            to: to.given(),
            reason,
        }
    }

    /// The warning in the words of a front.
    pub fn render(&self, words: &dyn Vocabulary) -> String {
        let rows = |count: usize| count_of(count, Noun::Row, words);
        match self {
            Self::ConstantColumns { count: 1, first } => format!(
                "{} is constant and carries no information",
                words.column(first)
            ),
            Self::ConstantColumns { count, first } => format!(
                "{} are constant and carry no information (the first is {})",
                count_of(*count, Noun::Column, words),
                words.column(first)
            ),
            Self::RankDeficient { requested, rank } => {
                let requested = if *requested == 1 {
                    "1 component was".into()
                } else {
                    format!("{requested} components were")
                };
                message!(
                    "{requested} requested, but {:data} varies in {} only: the others are zero",
                    counted(*rank, "direction")
                )
                .render(words)
            }
            Self::MoreComponents { count, n_columns } => format!(
                "{} of {}: their number is not reduced; use fewer components",
                counted(*count, "component"),
                count_of(*n_columns, Noun::Column, words)
            ),
            Self::MissingFilled { count, rows: n } => {
                let values = counted(*count, "missing value");
                let were = if *count == 1 { "was" } else { "were" };
                format!("{values} in {} {were} filled in with estimates", rows(*n))
            }
            Self::RowsLeftOut { count, reason } => format!(
                "{} left out of the fit: {}",
                rows(*count),
                reason.render(words)
            ),
            Self::EndedEarly { step, total, unit } => format!(
                "stopped on request after {step} of {total} {}: the embedding is unfinished",
                unit.plural()
            ),
            Self::NotConverged { what, reached } => format!(
                "{} did not converge: {}",
                what.render(words),
                reached.render(words)
            ),
            Self::Adjusted {
                name,
                from,
                to,
                reason,
            } => format!(
                "{} changed from {} to {}: {}",
                words.parameter(name),
                words.given(name, from),
                words.given("", to),
                reason.render(words)
            ),
            Self::Singular {
                what,
                size,
                rank,
                remedy,
            } => format!(
                "{} is singular, of rank {rank} where {size} would be full: {}",
                what.render(words),
                remedy.render(words)
            ),
            Self::SingleRowClasses { count: 1, first } => format!(
                "class {first} has a single {}: its covariance counts as zero",
                words.noun(Noun::Row)
            ),
            Self::SingleRowClasses { count, first } => format!(
                "{count} classes have a single {}: their covariance counts as zero (the first is {first})",
                words.noun(Noun::Row)
            ),
            Self::Separable {
                rows,
                columns,
                classes,
            } => message!(
                "the training accuracy is meaningless: {n:rows} of {classes} classes can be separated in {m:columns} \
                 whatever their classes are; use {shrinkage=auto} or principal components first, and cross-validate",
                n = *rows,
                m = *columns
            )
            .render(words),
            Self::Joined {
                n_connected_components,
                n_bridges,
                longest,
                remedy,
            } => format!(
                "the neighbour graph has {n_connected_components} connected components: joined by {}, the longest of length {}; \
                 distances between the components are those of these edges; {} may connect the graph",
                counted(*n_bridges, "edge"),
                four_digits(*longest),
                remedy.render(words)
            ),
            Self::RowsRepeated { count: 1 } => format!(
                "1 {} is a duplicate: it has the coordinates of the one that it repeats",
                words.noun(Noun::Row)
            ),
            Self::RowsRepeated { count } => format!(
                "{count} {} are duplicates: each has the coordinates of the one that it repeats",
                words.noun(Noun::Rows)
            ),
            Self::Doubtful { what, reason } => {
                format!("{}: {}", what.render(words), reason.render(words))
            }
        }
    }
}

/// A number with at most four digits that count: `0.01235`, `1.235e7`.
fn four_digits(value: f64) -> String {
    let exponent = if value == 0.0 {
        0
    } else {
        value.abs().log10().floor() as i32
    };
    if !(-4..=6).contains(&exponent) {
        return format!("{value:.3e}");
    }
    let decimals = (3 - exponent).max(0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').into()
    } else {
        text
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
    fn an_early_end_names_what_the_method_counts() {
        for (unit, name) in [
            (StepUnit::Iteration, "iterations"),
            (StepUnit::Epoch, "epochs"),
        ] {
            let (step, total) = (3, 9);
            assert_eq!(
                Warning::EndedEarly { step, total, unit }.to_string(),
                format!("stopped on request after 3 of 9 {name}: the embedding is unfinished")
            );
        }
    }

    #[test]
    fn joined_components_come_with_the_remedy_that_fits() {
        let warning = Warning::Joined {
            n_connected_components: 3,
            n_bridges: 2,
            longest: 3.741_657_386_773_941,
            remedy: message!("a larger {radius:parameter}"),
        };
        assert_eq!(
            warning.to_string(),
            "the neighbour graph has 3 connected components: joined by 2 edges, the longest of length 3.742; distances \
             between the components are those of these edges; a larger `radius` may connect the graph"
        );
    }
}
