//! Which method suits the data: facts are measured, and rules turn them into recommendations.
//!
//! # Facts
//! Size, kind, labels, missing values and scale of the columns come from all rows. Spectrum, intrinsic dimension, neighbour graph,
//! separation of the classes and trials of candidate methods come from at most [`MOST_SAMPLED`] rows, chosen at random with a fixed
//! seed, so that many rows take no longer than few.
//!
//! # Rules
//! In `rules.rs`, which is the one place that says what a method is for. A linear method is preferred where it keeps as much as a nonlinear one.
//! Methods that would not fit into the memory of the run are left out.
//!
//! Everything is data: a front words [`Reason`] and [`Caution`] by its own vocabulary and writes the call in its own syntax.
//!
//! ```
//! use charta::{Data, Run, advice};
//! let roll = charta::data::synthetic::swiss_roll(500, 0.0, 0)?;
//! let advice = advice::advise(&Run::new(), &Data::new(&roll.features), &advice::Options::default())?;
//! assert_eq!(advice.recommendations[0].method.info().name, "isomap");
//! # Ok::<(), charta::Error>(())
//! ```

mod facts;
mod reason;
mod rules;
mod sample;
mod separation;
mod trial;

use serde::Serialize;
use serde_json::{Map, json};

pub use facts::{ColumnFacts, Facts, GraphFacts, LabelFacts, PlaneFacts, SourceKind};
pub use reason::{Caution, Reason};
pub use sample::MOST_SAMPLED;
pub use separation::{Groups, KernelWidth, Separation};
pub use trial::Trial;

use crate::data::{Data, Scaling};
use crate::error::{Message, Result, Vocabulary};
use crate::method::Shape;
use crate::methods::find;
use crate::params::Json;
use crate::registry::AnyMethod;
use crate::run::Run;

/// What the data alone does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The rows are images.
    pub images: bool,
}

/// What a recommended method is to be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Purpose {
    /// A map in the plane.
    Map,
    /// Separating classes that are known.
    Classes,
    /// Separating groups that lie within or around each other.
    Groups,
    /// Predicting a number.
    Prediction,
    /// Fewer features for whatever follows.
    Features,
    /// Parts that add up to the rows.
    Parts,
    /// Sources of mixed signals.
    Sources,
    /// What several views share.
    Views,
}

impl Purpose {
    /// The purpose in a few words.
    pub fn title(self) -> &'static str {
        match self {
            Self::Map => "a map of the data",
            Self::Classes => "separating the classes",
            Self::Groups => "separating groups that no line separates",
            Self::Prediction => "predicting the label",
            Self::Features => "fewer features for a further analysis",
            Self::Parts => "parts that add up to the data",
            Self::Sources => "sources of mixed signals",
            Self::Views => "what the views share",
        }
    }
}

/// A method with its parameters, and why.
#[derive(Debug)]
pub struct Recommendation {
    /// What it is for.
    pub purpose: Purpose,
    /// The method with its parameters.
    pub method: Box<dyn AnyMethod>,
    /// How the features should be scaled before the fit.
    pub scaling: Scaling,
    /// Why.
    pub reasons: Vec<Reason>,
}

impl Recommendation {
    /// The parameters that differ from the method's defaults, by name.
    pub fn parameters(&self) -> Map<String, Json> {
        let entry = find(self.method.info().name).expect("a recommended method is in the registry");
        let defaults = entry.specs().into_iter();
        let given = self.method.to_json();
        defaults
            .filter(|spec| given[spec.name] != spec.default)
            .map(|spec| (spec.name.to_owned(), given[spec.name].clone()))
            .collect()
    }
}

/// What was found of the data, what to do with it, and what to look out for.
#[derive(Debug)]
pub struct Advice {
    /// What was found.
    pub facts: Facts,
    /// Up to three methods, the most useful first; none if there is nothing to reduce.
    pub recommendations: Vec<Recommendation>,
    /// What to look out for.
    pub cautions: Vec<Caution>,
}

impl Advice {
    /// Everything as JSON, with sentences in the words of a front.
    pub fn to_json(&self, words: &dyn Vocabulary) -> Json {
        let with_text = |mut json: Json, message: &Message| {
            json["text"] = message.render(words).into();
            json
        };
        let recommendations = self.recommendations.iter().map(|advised| {
            let reasons = advised.reasons.iter();
            let reasons = reasons.map(|reason| with_text(json!(reason), &reason.message()));
            json!({
                "purpose": advised.purpose,
                "purpose_title": advised.purpose.title(),
                "method": advised.method.info().name,
                "title": advised.method.info().title,
                "parameters": advised.parameters(),
                "scaling": advised.scaling,
                "reasons": reasons.collect::<Vec<_>>(),
            })
        });
        let cautions = self.cautions.iter();
        let cautions = cautions.map(|caution| with_text(json!(caution), &caution.message()));
        json!({
            "facts": self.facts,
            "recommendations": recommendations.collect::<Vec<_>>(),
            "cautions": cautions.collect::<Vec<_>>(),
        })
    }
}

/// Looks at data and recommends methods for it. The same data gets the same advice for any number of threads.
pub fn advise(run: &Run<'_>, data: &Data<'_>, options: &Options) -> Result<Advice> {
    run.install(|| {
        let facts = facts::gather(run, data, options)?;
        let mut cautions = rules::cautions(&facts);
        let mut recommendations = rules::recommend(&facts);
        let shape = Shape::of(data);
        recommendations.retain(|advised| match too_large(advised, &shape, run.memory()) {
            Some(caution) => {
                cautions.push(caution);
                false
            }
            None => true,
        });
        recommendations.truncate(rules::MOST_RECOMMENDED);
        Ok(Advice {
            facts,
            recommendations,
            cautions,
        })
    })
}

/// Why a method cannot be fitted to data of this shape, if it cannot.
fn too_large(advised: &Recommendation, shape: &Shape, limit: Option<u64>) -> Option<Caution> {
    let method = advised.method.info().name;
    match advised.method.plan(shape) {
        Ok(plan) => {
            let needed = plan.bytes().saturating_add(shape.bytes());
            let limit = limit.filter(|limit| needed > *limit)?;
            Some(Caution::TooLarge {
                method,
                needed,
                limit,
            })
        }
        Err(_) => Some(Caution::NotFor { method }),
    }
}
