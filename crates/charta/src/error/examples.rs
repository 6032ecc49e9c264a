//! One of every error and warning, for the fronts to check their words with.

use super::{Because, Column, Error, Limit, Rule, StepUnit, Warning};
use crate::error::message;
use crate::params::{Kind, Range};

/// An error of every kind.
#[doc(hidden)]
pub fn errors() -> Vec<Error> {
    let (limit, given) = (3_usize, 7_usize);
    let because = |count| {
        [
            Because::Rows(count),
            Because::Columns(count),
            Because::Size {
                rows: count,
                columns: count,
            },
            Because::Classes(count),
            Because::Landmarks(count),
            Because::Rank(count),
            Because::Reason(message!("{n_neighbors:parameter} leaves {count:rows}")),
        ]
    };
    let range = Range {
        min: Some(0.5),
        below: Some(2.5),
        ..Range::default()
    };
    let mut errors: Vec<Error> = because(4)
        .into_iter()
        .map(|because| Error::at_most("n_components", limit, because, given))
        .collect();
    errors.extend([
        Error::at_least("n_components", limit, 1_usize),
        Error::parameter("n_components", Rule::Kind(Kind::Whole(range)), "many"),
        Error::parameter(
            "n_components",
            Rule::Within {
                range,
                or_none: true,
            },
            given,
        ),
        Error::parameter(
            "n_components",
            Rule::Below {
                limit: 1.5.into(),
                because: None,
            },
            given,
        ),
        Error::parameter(
            "n_components",
            Rule::Above {
                limit: 8.5.into(),
                because: None,
            },
            given,
        ),
        Error::parameter(
            "n_components",
            Rule::AtMost {
                limit: Limit::Parameter("n_neighbors", 5.5),
                because: None,
            },
            given,
        ),
        Error::parameter(
            "n_components",
            Rule::Between {
                least: 1.5.into(),
                most: 2.5.into(),
                because: None,
            },
            given,
        ),
        Error::one_of(
            "n_components",
            &["self_tuned", "true"],
            message!("{alpha=auto}"),
            "self_tumed",
        ),
        Error::not("n_components", message!("{:data} has none"), given),
        Error::parameter("n_components", message!("be even"), given),
        Error::UnknownParameter {
            method: Some("kernel_pca".into()),
            name: "n_component".into(),
            nearest: Some("n_components".into()),
        },
        Error::UnknownMethod {
            name: "kernel_pc".into(),
            nearest: Some("kernel_pca".into()),
        },
        Error::Empty {
            rows: 0,
            columns: 5,
        },
        Error::too_few_rows(message!("{'kernel_pca':method}"), limit, 2),
        Error::NotFinite {
            row: 4,
            column: Column {
                index: 1,
                name: Some("weight".into()),
            },
            value: "inf".into(),
            count: 6,
            hint: Some(message!("{missing=em} estimates missing values")),
        },
        Error::Negative {
            what: message!("{'nmf':method}"),
            row: 4,
            column: Column::from(1),
            value: "-2.5".into(),
        },
        Error::shape(
            message!("the distance from {a:row} to {b:row}", a = 4, b = 6),
            message!("{limit:columns}"),
            given,
        ),
        Error::LabelsMissing {
            method: "kernel_lda".into(),
        },
        Error::ViewsMissing {
            method: "kernel_lda".into(),
        },
        Error::Labels {
            problem: message!("the label of {row:row} is infinite", row = 4),
        },
        Error::unsupported(
            message!("{disconnected=join}"),
            message!("needs the distances of the new {:rows} ({DistancesTo:input})"),
        ),
        Error::degenerate(message!(
            "all {:rows} look alike: try another {gamma:parameter} or {'self_tuned'}"
        )),
        Error::too_large(),
        Error::Disconnected {
            n_connected_components: limit,
            sizes: vec![9, 7, 4],
        },
        Error::NotConverged {
            what: message!("the layout"),
            reached: message!("try a smaller {learning_rate:parameter}"),
        },
        Error::Memory {
            needed: 3 << 30,
            limit: 1 << 30,
            advice: message!("use fewer {:rows}, or fit from batches ({Batches:input})"),
        },
        Error::Cancelled,
        Error::ModelFile {
            problem: "it is damaged".into(),
        },
        Error::Threads {
            count: limit,
            problem: "no more processes".into(),
        },
        Error::Function {
            problem: "division by zero".into(),
        },
        Error::Source("the file ends early".into()),
    ]);
    errors
}

/// A warning of every kind.
#[doc(hidden)]
pub fn warnings() -> Vec<Warning> {
    vec![
        Warning::ConstantColumns {
            count: 2,
            first: Column {
                index: 1,
                name: Some("weight".into()),
            },
        },
        Warning::RankDeficient {
            requested: 5,
            rank: 3,
        },
        Warning::MoreComponents {
            count: 9,
            n_columns: 5,
        },
        Warning::MissingFilled { count: 6, rows: 4 },
        Warning::RowsLeftOut {
            count: 2,
            reason: message!("they are not in the largest component ({row:row})", row = 4),
        },
        Warning::EndedEarly {
            step: 3,
            total: 9,
            unit: StepUnit::Epoch,
        },
        Warning::NotConverged {
            what: message!("k-means"),
            reached: message!("increase {max_iterations:parameter}"),
        },
        Warning::adjusted(
            "n_neighbors",
            500_usize,
            149_usize,
            message!("{:data} has {n:rows}", n = 150),
        ),
        Warning::Singular {
            what: message!("the covariance"),
            size: 5,
            rank: 3,
            remedy: message!("{shrinkage=auto} makes it regular"),
        },
        Warning::SingleRowClasses {
            count: 2,
            first: "setosa".into(),
        },
        Warning::Joined {
            n_connected_components: 3,
            n_bridges: 2,
            longest: 1.5,
            remedy: message!("a larger {radius:parameter} or {mutual=false}"),
        },
        Warning::RowsRepeated { count: 3 },
        Warning::doubtful(
            message!("{gamma:parameter}"),
            message!("{n:rows} need another", n = 3),
        ),
    ]
}

/// What a front's message must not hold: names and words of another.
#[doc(hidden)]
pub fn foreign(text: &str, foreign: &[&str]) -> Option<String> {
    let words: Vec<&str> = text
        .split(|letter: char| !(letter.is_alphanumeric() || "_-=.:`".contains(letter)))
        .collect();
    foreign
        .iter()
        .find(|word| words.contains(word))
        .map(ToString::to_string)
}
