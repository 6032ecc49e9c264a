//! Labels that take part.

use charta::internals::{Membership, Target};
use charta::methods::umap::TargetMetric;
use charta::methods::umap::Umap;
use charta::{Data, Fit, Labels, Model, Run};

use super::graph::{graph_of, same_edges};
use super::quality::accuracy;
use super::{digits, first_rows, golden, numbers};

const PLAIN: Membership = Membership {
    local_connectivity: 1.0,
    union_share: 1.0,
};

fn target(weight: f64) -> Target {
    Target {
        metric: TargetMetric::Auto,
        weight,
        n_neighbors: 15,
    }
}

#[test]
fn classes_weaken_edges_as_in_the_reference() {
    let words: Vec<String> = (digits().1[..300].iter().enumerate())
        .map(|(row, class)| match row % 4 {
            0 => String::new(),
            _ => class.to_string(),
        })
        .collect();
    let graph = graph_of(300, 15, &PLAIN);
    let met = target(0.5).intersect(&Run::new(), &graph, &Labels::from_words(&words));
    same_edges(&met.unwrap(), &golden()["by_classes"], 2e-5);
}

#[test]
fn numbers_weaken_edges_as_in_the_reference() {
    let stored = &golden()["by_numbers"];
    let graph = graph_of(300, 15, &PLAIN);
    let labels = Labels::numbers(numbers(&stored["numbers"]));
    let wish = Target {
        metric: TargetMetric::Numbers,
        ..target(0.3)
    };
    let met = wish.intersect(&Run::new(), &graph, &labels).unwrap();
    same_edges(&met, &stored["edges"], 1e-4);
}

#[test]
fn labels_count_only_when_asked_for_and_then_help() {
    let (x, classes) = digits();
    let x = first_rows(&x, 600);
    let words: Vec<String> = classes[..600].iter().map(ToString::to_string).collect();
    let half: Vec<String> = (words.iter().enumerate())
        .map(|(row, word)| {
            if row % 2 == 0 {
                word.clone()
            } else {
                String::new()
            }
        })
        .collect();
    let fit = |supervised: bool, words: &[String]| {
        let method = Umap {
            supervised,
            n_epochs: Some(200),
            ..Umap::default()
        };
        let data = Data::from(&x)
            .with_labels(Labels::from_words(words))
            .unwrap();
        method.fit(&data).unwrap().embedding().unwrap().to_owned()
    };
    let plain = fit(false, &words);
    let method = Umap {
        n_epochs: Some(200),
        ..Umap::default()
    };
    assert_eq!(plain, method.fit(&x).unwrap().embedding().unwrap());
    let without = accuracy(&plain.view(), &classes[..600]);
    let with = accuracy(&fit(true, &words).view(), &classes[..600]);
    let partly = accuracy(&fit(true, &half).view(), &classes[..600]);
    assert!(with > 0.995 && with > without, "{with} {without}");
    assert!(partly > without - 0.01, "{partly} {without}");
    let method = Umap {
        supervised: true,
        ..method
    };
    assert!(method.fit(&x).is_err());
}
