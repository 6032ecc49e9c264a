//! Quality of an embedding: how far it can be trusted.
//!
//! [`measure`] compares an embedding with its data in every way there is; [`trustworthiness`] and
//! [`continuity`] alone are quicker.
//!
//! # References
//! Venna, Kaski (2001): trustworthiness and continuity. Chen, Buja (2009): local continuity meta-criterion.
//! Lee, Verleysen (2009): co-ranking matrix, Q_NX. Lee, Renard, Bernard, Dupont, Verleysen (2013): R_NX and its
//! area. Kruskal (1964), Sammon (1969): stress. Tenenbaum, de Silva, Langford (2000): residual variance.

mod co_ranking;
mod distances;
mod estimate;
mod labels;
mod linear;
mod measure;
mod nearest;
mod neighborhoods;
mod ranks;
mod report;
mod rows;
mod space;

pub use crate::linalg::procrustes;
pub use co_ranking::CoRanking;
pub use distances::Distances;
pub use estimate::{Estimate, Sample};
pub use labels::ClassAgreement;
pub(crate) use linear::n_right_linearly;
pub use measure::{Options, measure};
pub(crate) use nearest::n_right;
pub use nearest::{nearest_accuracy, nearest_classes};
pub use neighborhoods::{
    continuity, trustworthiness, trustworthiness_and_continuity, trustworthiness_and_continuity_by,
};
pub use report::{Agreement, Known, Report};
