//! Advice: on data whose answer textbooks give, on data that allows little, and the same for any number of threads.

use charta::advice::{self, Advice, Caution, Options, Purpose};
use charta::data::{Scaling, SparseRows};
use charta::{Data, Labels, Run};
use ndarray::{Array2, array};

use crate::support::built_in;

fn advise(data: &Data<'_>) -> Advice {
    advice::advise(&Run::new(), data, &Options::default()).unwrap()
}

fn built_in_advice(name: &str) -> Advice {
    let table = built_in(name);
    let options = Options {
        images: table.image.is_some(),
    };
    advice::advise(&Run::new(), &table.data().unwrap(), &options).unwrap()
}

fn names(advice: &Advice) -> Vec<&'static str> {
    let list = advice.recommendations.iter();
    list.map(|advised| advised.method.info().name).collect()
}

fn first_for(advice: &Advice, purpose: Purpose) -> Option<&'static str> {
    let mut list = advice.recommendations.iter();
    let found = list.find(|advised| advised.purpose == purpose);
    found.map(|advised| advised.method.info().name)
}

#[test]
fn classes_that_a_line_separates_get_discriminants_and_a_map() {
    let digits = built_in_advice("digits");
    assert_eq!(first_for(&digits, Purpose::Classes), Some("lda"));
    assert_eq!(digits.recommendations[0].parameters()["n_components"], 9);
    assert!(matches!(
        first_for(&digits, Purpose::Map),
        Some("umap" | "tsne")
    ));
    assert_eq!(first_for(&digits, Purpose::Features), Some("pca"));
    let iris = built_in_advice("iris");
    assert_eq!(names(&iris), ["lda", "pca"]);
    assert_eq!(iris.recommendations[1].scaling, Scaling::None);
}

#[test]
fn features_of_different_scale_are_standardized() {
    let wine = built_in_advice("wine");
    assert!(
        wine.recommendations
            .iter()
            .all(|advised| advised.scaling == Scaling::ZScore)
    );
    assert!(names(&wine).contains(&"pca"));
    let is_told = |caution: &Caution| matches!(caution, Caution::Scales { .. });
    assert!(wine.cautions.iter().any(is_told));
}

#[test]
fn a_rolled_sheet_is_unrolled() {
    for name in ["swiss-roll", "s-curve"] {
        let found = built_in_advice(name);
        assert_eq!(names(&found)[..2], ["isomap", "ltsa"], "{name}");
        assert!(!names(&found).contains(&"pca"), "{name}");
    }
}

#[test]
fn groups_around_or_within_each_other_get_kernels_or_spectra() {
    for name in ["moons", "circles", "concentric-spheres"] {
        let found = built_in_advice(name);
        assert_eq!(
            first_for(&found, Purpose::Groups),
            Some("kernel_pca"),
            "{name}"
        );
        assert!(
            found.recommendations[0].parameters().contains_key("gamma"),
            "{name}"
        );
    }
    assert!(!names(&built_in_advice("circles")).contains(&"lda"));
    // Kernel PCA does not part rings this near each other.
    let near = built_in_advice("circles:600,factor=0.8,noise=0.02");
    assert_eq!(first_for(&near, Purpose::Classes), Some("kernel_lda"));
    // Without labels the parts of the neighbour graph are the groups.
    let moons = charta::data::synthetic::moons(600, 0.0, 0).unwrap();
    let found = advise(&Data::new(&moons.features));
    assert_eq!(first_for(&found, Purpose::Groups), Some("kernel_pca"));
}

#[test]
fn distances_alone_get_scaling_methods() {
    let found = built_in_advice("eurodist");
    assert_eq!(names(&found), ["mds", "classical_mds"]);
    // Few different values are ranks.
    let ranks = array![[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]];
    let found = advise(&Data::distances(ranks.view()).unwrap());
    assert_eq!(found.recommendations[0].parameters()["nonmetric"], true);
}

#[test]
fn signals_counts_and_views_are_recognized() {
    assert_eq!(names(&built_in_advice("signals"))[0], "ica");
    let counts = Array2::from_shape_fn((80, 60), |(row, column)| {
        f64::from(u8::from((row + column) % 17 == 0))
    });
    assert_eq!(
        names(&advise(&Data::from(&counts)))[..2],
        ["truncated_svd", "nmf"]
    );
    let stored = counts.indexed_iter().filter(|(_, value)| **value > 0.0);
    let stored = stored.map(|((row, column), value)| (row, column, *value));
    let sparse = SparseRows::from_entries(80, 60, stored.collect()).unwrap();
    assert_eq!(
        names(&advise(&Data::new(sparse.view())))[..2],
        ["truncated_svd", "nmf"]
    );
    let rows = charta::data::synthetic::swiss_roll(100, 0.0, 0).unwrap();
    let views = Data::new(&rows.features).with_view(&rows.features).unwrap();
    assert_eq!(names(&advise(&views)), ["cca"]);
}

#[test]
fn a_line_gets_a_linear_method() {
    let line = Array2::from_shape_fn((200, 3), |(row, column)| {
        let noise = ((row * 7 + column * 13) % 11) as f64 / 100.0;
        row as f64 * (column as f64 + 1.0) + noise
    });
    let order = Array2::from_shape_fn((200, 3), |(row, column)| line[[row * 83 % 200, column]]);
    assert_eq!(
        first_for(&advise(&Data::from(&order)), Purpose::Map),
        Some("pca")
    );
}

#[test]
fn little_data_is_no_error() {
    let one_row = array![[1.0, 2.0]];
    let three = array![[1.0, 2.0, 3.0], [2.0, 3.0, 5.0], [5.0, 1.0, 2.0]];
    let column = Array2::from_shape_fn((60, 1), |(row, _)| row as f64);
    let constant = Array2::from_elem((60, 3), 2.0);
    for (rows, caution) in [
        (&one_row, Caution::OneRow),
        (&column, Caution::OneColumn),
        (&constant, Caution::Constant),
    ] {
        let found = advise(&Data::from(rows));
        assert!(found.recommendations.is_empty(), "{caution:?}");
        assert!(found.cautions.contains(&caution), "{caution:?}");
    }
    let found = advise(&Data::from(&three));
    assert_eq!(names(&found)[0], "pca");
    assert!(matches!(
        found.cautions[0],
        Caution::FewRows { n_rows: 3, .. }
    ));
    let words = ["a", "b", "a"];
    let labelled = Data::from(&three)
        .with_labels(Labels::from_words(&words))
        .unwrap();
    let found = advise(&labelled);
    let is_singular = |caution: &Caution| matches!(caution, Caution::SingularScatter { .. });
    assert!(found.cautions.iter().any(is_singular));
}

#[test]
fn missing_values_get_what_estimates_them() {
    let mut rows = Array2::from_shape_fn((60, 4), |(row, column)| {
        ((row * 31 + column * 17) % 23) as f64
    });
    rows[[3, 1]] = f64::NAN;
    let found = advise(&Data::from(&rows));
    assert_eq!(names(&found), ["pca"]);
    assert_eq!(found.recommendations[0].parameters()["missing"], "em");
    let expected = Caution::Missing {
        n_missing: 1,
        n_rows: 1,
    };
    assert!(found.cautions.contains(&expected));
    rows[[3, 1]] = f64::INFINITY;
    assert!(advice::advise(&Run::new(), &Data::from(&rows), &Options::default()).is_err());
}

#[test]
fn what_does_not_fit_into_memory_is_left_out() {
    let roll = charta::data::synthetic::swiss_roll(500, 0.0, 0).unwrap();
    let run = Run::new().memory_limit(20_000);
    let found = advice::advise(&run, &Data::new(&roll.features), &Options::default()).unwrap();
    assert!(found.recommendations.is_empty());
    let is_left_out = |caution: &Caution| matches!(caution, Caution::TooLarge { .. });
    assert!(found.cautions.iter().any(is_left_out));
}

#[test]
fn every_recommendation_can_be_fitted_and_is_the_same_for_any_number_of_threads() {
    let roll = charta::data::synthetic::swiss_roll(400, 0.2, 1).unwrap();
    let data = Data::new(&roll.features);
    let of = |threads| {
        let run = Run::new().threads(threads).unwrap();
        advice::advise(&run, &data, &Options::default()).unwrap()
    };
    let (one, three) = (of(1), of(3));
    assert_eq!(one.facts, three.facts);
    assert_eq!(names(&one), names(&three));
    assert_eq!(one.cautions, three.cautions);
    for advised in &one.recommendations {
        assert!(advised.method.fit(&Run::new(), &data).is_ok());
    }
}
