//! The rules: from facts to methods. This is the one place that says what a method is for.

use super::facts::{Facts, LabelFacts, NEIGHBORS, PROPORTION, SourceKind};
use super::reason::{Caution, Reason};
use super::separation::{Groups, Separation, with_width};
use super::trial::n_compared;
use super::{Purpose, Recommendation};
use crate::data::Scaling;
use crate::dimension::{ComponentCount, Components};
use crate::graph::Neighborhood;
use crate::kernel::Kernel;
use crate::method::Method;
use crate::methods::cca::Cca;
use crate::methods::classical_mds::ClassicalMds;
use crate::methods::ica::Ica;
use crate::methods::isomap::Isomap;
use crate::methods::kernel_lda::KernelLda;
use crate::methods::kernel_pca::KernelPca;
use crate::methods::laplacian_eigenmaps::LaplacianEigenmaps;
use crate::methods::lda::Lda;
use crate::methods::ltsa::Ltsa;
use crate::methods::mds::Mds;
use crate::methods::modified_lle::ModifiedLle;
use crate::methods::nmf::Nmf;
use crate::methods::pacmap::Pacmap;
use crate::methods::pca::{Missing, Pca};
use crate::methods::pls::Pls;
use crate::methods::truncated_svd::TruncatedSvd;
use crate::methods::tsne::Tsne;
use crate::methods::umap::Umap;
use crate::metric::Metric;
use crate::neighbors::Search;
use crate::registry::AnyMethod;

/// Methods recommended, at most.
pub(super) const MOST_RECOMMENDED: usize = 3;
/// Rows below which structure may be chance.
const FEW_ROWS: usize = 50;
/// Rows below which neighbour embeddings are not tried.
const FEWEST_FOR_NEIGHBORS: usize = 30;
/// Trustworthiness by which a simpler method may fall behind the best, as a proportion of it.
const TOLERANCE: f64 = 0.015;
/// Dimensions up to which data counts as a manifold that a map can show.
const MOST_MANIFOLD: f64 = 3.0;
/// How far below the number of features the dimension must be: noise makes a surface thick.
const THICKNESS: f64 = 0.2;
/// Proportion of the rows that the largest part of the graph must have for geodesics to mean something.
const CONNECTED: f64 = 0.95;
/// Rows up to which stress is minimized over all pairs.
const MOST_FOR_STRESS: usize = 3_000;
/// Rows above which UMAP is preferred to t-SNE where both do.
const MANY_ROWS: usize = 50_000;
/// Values that are zero, as a proportion, above which rows count as sparse.
const SPARSE: f64 = 0.8;
/// Components of truncated SVD and of NMF.
const TOPICS: usize = 50;
const PARTS: usize = 10;
/// Features above which fewer are recommended.
const MANY_COLUMNS: usize = 8;
/// Correlation of successive rows above which they count as signals.
const SERIAL: f64 = 0.7;
/// Different values of distances up to which they are ranks.
const RANKS: usize = 10;
/// Proportion of duplicates that is worth a caution.
const MANY_DUPLICATES: f64 = 0.01;
/// Neighbours of Isomap and of the locally linear family.
const GEODESIC: usize = 10;
/// Of few rows, fewer neighbours: shortcuts across the gaps of a rolled sheet come with the distances between rows.
const GEODESIC_OF_FEW: usize = 7;
const SPARSELY_SAMPLED: usize = 600;
const LOCAL: usize = 12;
/// Trustworthiness by which a method is clearly better.
const CLEARLY: f64 = 0.005;
/// Perplexity of t-SNE.
const PERPLEXITY: f64 = 30.0;

/// The methods whose maps are tried on the sample.
pub(super) fn candidates(facts: &Facts) -> Vec<Box<dyn AnyMethod>> {
    if facts.n_columns < 2 || facts.n_rows < 3 {
        return Vec::new();
    }
    let mut candidates: Vec<Box<dyn AnyMethod>> = vec![Box::new(Pca::default())];
    if facts.n_sampled < FEWEST_FOR_NEIGHBORS || facts.n_columns == 2 {
        return candidates;
    }
    if is_manifold(facts) {
        candidates.push(Box::new(isomap(facts)));
        candidates.push(Box::new(ltsa()));
        candidates.push(Box::new(modified_lle()));
    }
    candidates.push(Box::new(umap(facts)));
    candidates.push(Box::new(tsne(facts)));
    candidates.push(Box::new(Pacmap::default()));
    candidates
}

/// Up to a few recommendations, the most useful first.
pub(super) fn recommend(facts: &Facts) -> Vec<Recommendation> {
    let mut list = match facts.source {
        SourceKind::Distances => of_distances(facts),
        SourceKind::Kernel => of_kernel(facts),
        SourceKind::Neighbors => of_neighbors(facts),
        SourceKind::Features => of_features(facts),
    };
    for advised in &mut list {
        if facts.scaling != Scaling::None {
            advised.scaling = facts.scaling;
            advised.reasons.push(Reason::Scaled);
        }
    }
    list
}

fn advised(
    purpose: Purpose,
    method: impl Method + 'static,
    reasons: Vec<Reason>,
) -> Recommendation {
    Recommendation {
        purpose,
        method: Box::new(method),
        scaling: Scaling::None,
        reasons,
    }
}

fn of_distances(facts: &Facts) -> Vec<Recommendation> {
    if facts.n_rows < 3 {
        return Vec::new();
    }
    let ranked = facts.n_distinct_distances.filter(|&n| n <= RANKS);
    let mut reasons = vec![Reason::DistancesOnly];
    if facts.n_missing_distances > 0 {
        reasons.push(Reason::MissingDistances);
    }
    reasons.extend(ranked.map(|n_values| Reason::RankedDistances { n_values }));
    let stress = Mds {
        nonmetric: ranked.is_some(),
        ..Mds::default()
    };
    let stress = advised(Purpose::Map, stress, reasons);
    if facts.n_missing_distances > 0 {
        return vec![stress];
    }
    let classical = ClassicalMds::default();
    let reasons = vec![Reason::DistancesOnly, Reason::Eigendecomposition];
    let classical = advised(Purpose::Map, classical, reasons);
    let mut list = if facts.n_rows <= MOST_FOR_STRESS {
        vec![stress, classical]
    } else {
        vec![classical]
    };
    if facts.n_rows >= 4 * FEW_ROWS {
        list.push(advised(
            Purpose::Map,
            umap(facts),
            vec![Reason::Neighborhoods],
        ));
    }
    list
}

fn of_kernel(facts: &Facts) -> Vec<Recommendation> {
    let mut list = Vec::new();
    if let Some(LabelFacts::Classes { n_classes, .. }) = facts.labels {
        let reasons = vec![Reason::Classes { n_classes }];
        list.push(advised(Purpose::Classes, KernelLda::default(), reasons));
    }
    let reasons = vec![Reason::KernelMatrix];
    list.push(advised(Purpose::Map, KernelPca::default(), reasons));
    list
}

fn of_neighbors(facts: &Facts) -> Vec<Recommendation> {
    let reasons = || vec![Reason::NeighborTable, Reason::Neighborhoods];
    vec![
        advised(Purpose::Map, umap(facts), reasons()),
        advised(Purpose::Map, tsne(facts), reasons()),
    ]
}

fn of_features(facts: &Facts) -> Vec<Recommendation> {
    let Some(columns) = facts.columns else {
        return Vec::new();
    };
    if facts.n_rows < 3 || facts.n_columns < 2 || columns.n_constant == facts.n_columns {
        return Vec::new();
    }
    if facts.n_views > 1 {
        let reasons = vec![Reason::Views {
            n_views: facts.n_views,
        }];
        return vec![advised(Purpose::Views, Cca::default(), reasons)];
    }
    if columns.n_missing > 0 {
        return of_missing(facts);
    }
    if facts.sparse || (columns.nonnegative && columns.zeros > SPARSE && !facts.images) {
        return of_sparse(facts);
    }
    let mut list = of_labels(facts);
    if let Some(sources) = of_signals(facts) {
        list.push(sources);
    }
    let grouped = list
        .iter()
        .any(|advised| advised.purpose == Purpose::Groups);
    if facts.n_columns > 2 || !grouped {
        let maps = maps(facts);
        // One map is enough where other purposes stand beside it.
        let kept = MOST_RECOMMENDED.saturating_sub(list.len() + usize::from(reduces(facts)));
        list.extend(maps.into_iter().take(kept.max(1)));
    }
    let smaller = reduces(facts).then(|| fewer(facts));
    let in_parts = columns.nonnegative && (facts.images || columns.zeros > 0.5);
    let in_parts = in_parts.then(|| parts(facts));
    // Images of a few strokes are sums of parts before anything else.
    let mut last = [smaller, in_parts];
    if columns.zeros > SPARSE {
        last.reverse();
    }
    list.extend(last.into_iter().flatten());
    if facts.n_rows < FEW_ROWS {
        list.push(advised(
            Purpose::Map,
            Mds::default(),
            vec![Reason::KeepsDistances],
        ));
    }
    let mut names = Vec::new();
    list.retain(|advised| {
        let name = advised.method.info().name;
        let first = !names.contains(&name);
        names.push(name);
        first
    });
    list
}

/// What takes missing values.
fn of_missing(facts: &Facts) -> Vec<Recommendation> {
    let method = |n_components| Pca {
        n_components,
        missing: Missing::Em,
        ..Pca::default()
    };
    let share = facts.plane.map(|plane| Reason::PlaneShare {
        proportion: plane.proportion,
    });
    let reasons = [Reason::TakesMissing].into_iter().chain(share).collect();
    let most = facts.n_rows.min(facts.n_columns).min(2);
    vec![advised(
        Purpose::Map,
        method(Components::Count(most)),
        reasons,
    )]
}

fn of_sparse(facts: &Facts) -> Vec<Recommendation> {
    let columns = facts.columns.expect("sparse rows have columns");
    let most = facts.n_rows.min(facts.n_columns) - 1;
    let topics = TruncatedSvd {
        n_components: TOPICS.min(most),
        ..TruncatedSvd::default()
    };
    let reasons = vec![Reason::Sparse {
        zeros: columns.zeros,
    }];
    let mut list = of_labels(facts);
    list.truncate(1);
    list.push(advised(Purpose::Features, topics, reasons));
    if columns.nonnegative {
        list.push(parts(facts));
    }
    if facts.n_rows >= FEW_ROWS {
        let by_angle = Umap {
            search: Search {
                metric: Metric::Cosine,
                ..Search::default()
            },
            ..umap(facts)
        };
        list.push(advised(Purpose::Map, by_angle, vec![Reason::Neighborhoods]));
    }
    list
}

fn parts(facts: &Facts) -> Recommendation {
    let most = facts.n_rows.min(facts.n_columns) - 1;
    let method = Nmf {
        n_components: PARTS.min(most),
        ..Nmf::default()
    };
    advised(Purpose::Parts, method, vec![Reason::Nonnegative])
}

/// What labels, or the parts of the graph, call for.
fn of_labels(facts: &Facts) -> Vec<Recommendation> {
    match (facts.labels, facts.separation) {
        (Some(LabelFacts::Classes { n_classes, .. }), found) if n_classes > 1 => match found {
            Some(found) if !found.is_linear() => of_groups(facts, &found),
            Some(found) => {
                let reasons = vec![Reason::LinearClasses {
                    linear: found.linear,
                    nearest: found.nearest,
                }];
                vec![discriminants(facts, n_classes, reasons)]
            }
            None if facts.n_rows > n_classes + 1 => {
                vec![discriminants(
                    facts,
                    n_classes,
                    vec![Reason::Classes { n_classes }],
                )]
            }
            None => Vec::new(),
        },
        (Some(LabelFacts::Numbers { .. }), Some(found))
            if found.linear > 0.1 && found.is_linear() =>
        {
            let reasons = vec![Reason::LinearLabel {
                linear: found.linear,
                nearest: found.nearest,
            }];
            vec![advised(Purpose::Prediction, Pls::default(), reasons)]
        }
        (None, Some(found)) if !found.is_linear() => of_groups(facts, &found),
        _ => Vec::new(),
    }
}

/// Linear discriminants, as many as there are.
fn discriminants(facts: &Facts, n_classes: usize, reasons: Vec<Reason>) -> Recommendation {
    let most = (n_classes - 1).min(facts.n_columns);
    let method = Lda {
        n_components: if most > 2 {
            ComponentCount::Count(most)
        } else {
            ComponentCount::Auto
        },
        ..Lda::default()
    };
    advised(Purpose::Classes, method, reasons)
}

/// Groups that no line separates.
fn of_groups(facts: &Facts, found: &Separation) -> Vec<Recommendation> {
    let curved = Reason::CurvedGroups {
        linear: found.linear,
        nearest: found.nearest,
        of_graph: found.groups == Groups::Graph,
    };
    let mut list = Vec::new();
    if let Some(width) = found.kernel
        && width.accuracy >= found.nearest - 0.05
    {
        let reasons = vec![
            curved.clone(),
            Reason::KernelWidth {
                gamma: width.gamma,
                accuracy: width.accuracy,
            },
        ];
        list.push(advised(Purpose::Groups, with_width(width.gamma), reasons));
    }
    let parts = facts.graph.map_or(1, |graph| graph.n_components);
    if (2..=10).contains(&parts) {
        let method = LaplacianEigenmaps {
            neighborhood: Neighborhood::nearest(GEODESIC.min(facts.n_rows - 1)),
            ..LaplacianEigenmaps::default()
        };
        let reasons = vec![
            curved.clone(),
            Reason::GraphParts {
                n_components: parts,
            },
        ];
        list.push(advised(Purpose::Groups, method, reasons));
    }
    if found.groups == Groups::Classes && list.len() < 2 {
        let method = KernelLda {
            kernel: Kernel::default(),
            ..KernelLda::default()
        };
        list.push(advised(Purpose::Classes, method, vec![curved]));
    }
    list
}

fn of_signals(facts: &Facts) -> Option<Recommendation> {
    let correlation = facts.columns?.serial_correlation?;
    let unlabelled = !matches!(facts.labels, Some(LabelFacts::Classes { .. }));
    (correlation > SERIAL && unlabelled).then(|| {
        let method = Ica {
            n_components: facts.n_columns,
            ..Ica::default()
        };
        advised(
            Purpose::Sources,
            method,
            vec![Reason::Serial { correlation }],
        )
    })
}

/// Maps in the plane, the best first: a linear one where it is as good as any, one that unrolls where the data is a manifold.
fn maps(facts: &Facts) -> Vec<Recommendation> {
    let tried = |name: &str| {
        let trial = facts.trials.iter().find(|trial| trial.method == name)?;
        Some(trial.trustworthiness)
    };
    let of = |method: &dyn AnyMethod| tried(method.info().name);
    let best = facts.trials.iter().map(|trial| trial.trustworthiness);
    let best = best.fold(0.0, f64::max);
    let linear = Pca::default();
    let plane = of(&linear);
    let is_good = |found: Option<f64>| found.is_some_and(|found| found >= (1.0 - TOLERANCE) * best);
    if plane.is_none() || is_good(plane) || facts.n_columns == 2 {
        return vec![advised(
            Purpose::Map,
            linear,
            reasons_of_plane(facts, plane, best),
        )];
    }
    let measured = |method: &dyn AnyMethod, mut reasons: Vec<Reason>| {
        reasons.extend(of(method).map(|trustworthiness| Reason::Trial {
            trustworthiness,
            n_neighbors: n_compared(facts.n_sampled),
            n_rows: facts.n_sampled,
        }));
        reasons
    };
    let mut list = Vec::new();
    let surface = facts.intrinsic_dimension.map(|dimension| Reason::Manifold {
        dimension,
        n_columns: facts.n_columns,
    });
    let on_surface = |reason: Reason| surface.iter().cloned().chain([reason]).collect();
    if is_good(of(&isomap(facts))) {
        let reasons = measured(&isomap(facts), on_surface(Reason::Geodesics));
        list.push(advised(Purpose::Map, isomap(facts), reasons));
        let (tangents, weights) = (of(&ltsa()), of(&modified_lle()));
        let reasons = |method| measured(method, vec![Reason::LocalGeometry]);
        if is_good(tangents) && tangents >= weights {
            list.push(advised(Purpose::Map, ltsa(), reasons(&ltsa())));
        } else if is_good(weights) {
            list.push(advised(
                Purpose::Map,
                modified_lle(),
                reasons(&modified_lle()),
            ));
        }
    }
    let (graph, affinities) = (umap(facts), tsne(facts));
    let prefers_graph = match (of(&graph), of(&affinities)) {
        (Some(graph), Some(affinities)) if facts.n_rows > MANY_ROWS => {
            graph >= (1.0 - TOLERANCE) * affinities
        }
        (Some(graph), Some(affinities)) => graph > affinities,
        (Some(_), None) => true,
        _ => false,
    };
    let reasons = |method| measured(method, vec![Reason::Neighborhoods]);
    let tried_of = |method: &dyn AnyMethod| of(method).unwrap_or(0.0);
    // Only where it is clearly better than both, which are better known.
    let pairs = Pacmap::default();
    let clearly = |found: &f64| *found > tried_of(&graph).max(tried_of(&affinities)) + CLEARLY;
    let pairs =
        (of(&pairs).filter(clearly)).map(|_| advised(Purpose::Map, pairs.clone(), reasons(&pairs)));
    let graph = of(&graph).map(|_| advised(Purpose::Map, graph.clone(), reasons(&graph)));
    let affinities =
        of(&affinities).map(|_| advised(Purpose::Map, affinities.clone(), reasons(&affinities)));
    let both = if prefers_graph {
        [pairs, graph, affinities]
    } else {
        [pairs, affinities, graph]
    };
    list.extend(both.into_iter().flatten());
    if let (Some(first), Some(trustworthiness)) = (list.first_mut(), plane) {
        first.reasons.push(Reason::PlaneLoses { trustworthiness });
    }
    list
}

fn reasons_of_plane(facts: &Facts, plane: Option<f64>, best: f64) -> Vec<Reason> {
    if facts.n_columns == 2 {
        return vec![Reason::Plane];
    }
    let mut reasons = Vec::new();
    if facts.n_rows < FEW_ROWS {
        reasons.push(Reason::FewRows);
    } else if let Some(trustworthiness) = plane {
        reasons.push(Reason::PlaneKeeps {
            trustworthiness,
            best,
        });
    }
    reasons.extend(facts.plane.map(|plane| Reason::PlaneShare {
        proportion: plane.proportion,
    }));
    reasons.push(Reason::LinearMap);
    reasons
}

/// True if a few components carry most of the variance of many features.
fn reduces(facts: &Facts) -> bool {
    facts.n_columns > MANY_COLUMNS
        && facts
            .plane
            .is_some_and(|plane| 2 < plane.n_components && plane.n_components < facts.n_columns)
}

fn fewer(facts: &Facts) -> Recommendation {
    let plane = facts.plane.expect("`reduces` has looked at it");
    let method = Pca {
        n_components: Components::Proportion(PROPORTION),
        ..Pca::default()
    };
    let reasons = vec![
        Reason::FewComponents {
            n_components: plane.n_components,
            n_columns: facts.n_columns,
            proportion: PROPORTION,
        },
        Reason::LinearMap,
    ];
    advised(Purpose::Features, method, reasons)
}

fn is_manifold(facts: &Facts) -> bool {
    let most = MOST_MANIFOLD.min(facts.n_columns as f64 - THICKNESS);
    let few = |dimension: f64| dimension < most;
    facts.intrinsic_dimension.is_some_and(few)
        && facts.graph.is_some_and(|graph| graph.largest >= CONNECTED)
        && facts.n_sampled > 2 * LOCAL
}

fn isomap(facts: &Facts) -> Isomap {
    let n_neighbors = if facts.n_rows < SPARSELY_SAMPLED {
        GEODESIC_OF_FEW
    } else {
        GEODESIC
    };
    Isomap {
        neighborhood: Neighborhood::nearest(n_neighbors),
        ..Isomap::default()
    }
}

fn ltsa() -> Ltsa {
    Ltsa {
        neighborhood: Neighborhood::nearest(LOCAL),
        ..Ltsa::default()
    }
}

fn modified_lle() -> ModifiedLle {
    ModifiedLle {
        neighborhood: Neighborhood::nearest(LOCAL),
        ..ModifiedLle::default()
    }
}

/// Neighbours that so many rows allow.
fn allowed(n_rows: usize, usual: usize) -> usize {
    usual.min(n_rows / 3).max(2)
}

fn umap(facts: &Facts) -> Umap {
    Umap {
        n_neighbors: allowed(facts.n_rows, NEIGHBORS),
        ..Umap::default()
    }
}

fn tsne(facts: &Facts) -> Tsne {
    Tsne {
        // A perplexity needs three times as many neighbours.
        perplexity: PERPLEXITY.min(((facts.n_rows.max(7) - 1) / 3) as f64),
        ..Tsne::default()
    }
}

/// What to look out for.
pub(super) fn cautions(facts: &Facts) -> Vec<Caution> {
    let mut list = Vec::new();
    let n_rows = facts.n_rows;
    if n_rows == 1 {
        list.push(Caution::OneRow);
    } else if n_rows < FEW_ROWS {
        list.push(Caution::FewRows {
            n_rows,
            enough: FEW_ROWS,
        });
    }
    if facts.source != SourceKind::Features {
        if facts.n_missing_distances > 0 {
            list.push(Caution::MissingDistances {
                n_missing: facts.n_missing_distances,
            });
        }
        return list;
    }
    if facts.n_columns == 1 {
        list.push(Caution::OneColumn);
    }
    of_column_facts(facts, &mut list);
    of_label_facts(facts, &mut list);
    if let Some(graph) = facts.graph {
        if graph.n_neighbors < NEIGHBORS && n_rows > 2 {
            list.push(Caution::FewNeighbors {
                usual: NEIGHBORS,
                taken: n_compared(n_rows),
            });
        }
        if graph.n_components > 1 {
            list.push(Caution::Disconnected {
                n_neighbors: graph.n_neighbors,
                n_components: graph.n_components,
                largest: graph.largest,
            });
        }
        if graph.duplicates >= MANY_DUPLICATES {
            list.push(Caution::Duplicates {
                proportion: graph.duplicates,
            });
        }
    }
    if (1..n_rows).contains(&facts.n_sampled) {
        list.push(Caution::Sampled {
            n_sampled: facts.n_sampled,
            n_rows,
        });
    }
    list
}

fn of_column_facts(facts: &Facts, list: &mut Vec<Caution>) {
    let Some(columns) = facts.columns else {
        return;
    };
    if columns.n_constant == facts.n_columns {
        if facts.n_rows > 1 {
            list.push(Caution::Constant);
        }
    } else if columns.n_constant > 0 {
        list.push(Caution::ConstantColumns {
            count: columns.n_constant,
        });
    }
    if columns.n_missing > 0 {
        list.push(Caution::Missing {
            n_missing: columns.n_missing,
            n_rows: columns.n_incomplete,
        });
    }
    if facts.scaling != Scaling::None {
        list.push(Caution::Scales {
            ratio: columns.scale_ratio,
        });
    }
}

fn of_label_facts(facts: &Facts, list: &mut Vec<Caution>) {
    let n_missing = match facts.labels {
        Some(LabelFacts::Classes {
            n_classes,
            n_small,
            n_missing,
        }) => {
            let rank = (facts.n_rows - n_missing).saturating_sub(n_classes);
            if n_classes > 1 && facts.n_columns >= rank {
                list.push(Caution::SingularScatter {
                    n_columns: facts.n_columns,
                    rank,
                });
            }
            if n_small > 0 {
                list.push(Caution::SmallClasses { count: n_small });
            }
            n_missing
        }
        Some(LabelFacts::Numbers { n_missing }) => n_missing,
        None => 0,
    };
    if n_missing > 0 {
        list.push(Caution::Unlabelled { count: n_missing });
    }
}
