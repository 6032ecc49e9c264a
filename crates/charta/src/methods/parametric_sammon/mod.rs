//! Parametric Sammon mapping: a linear map or neural network trained on Sammon's stress, which embeds new rows directly.
//!
//! # Idea
//! Sammon's mapping optimizes the coordinates of the training rows themselves and so has no out-of-sample placement. Here the coordinates are the values of a
//! function z = g(x|θ), and the same stress is minimized over θ: the function embeds any row.
//!
//! # Steps
//! 1. `spectral::principal`: the principal axes, scaled so that distances fit best, are the first map.
//! 2. `neural`: a linear layer with this initialization; or a network beside a linear shortcut with this initialization, its last layer at 0.
//!    The initial map is the same for both.
//! 3. `metric::Among`: the distances between the rows of a batch, computed batch by batch.
//! 4. `methods::parametric_sammon::pair_stress`: the stress of the batch and its gradient by the coordinates.
//! 5. `neural::Trainer`: backpropagation through the map, and a step of Adam.
//!
//! # Objective
//! With distances δ between rows and d = ‖z − z'‖ between their coordinates, E = Σ w (δ − d)² / Σ w δ² over the pairs with δ > 0. Sammon's
//! own w = 1/δ gives E = (1/Σδ) Σ (δ − d)²/δ. The gradient by the coordinates is ∂E/∂z = (2/Σ w δ²) Σ w (1 − δ/d)(z − z') over the other
//! rows, and ∂E/∂θ = Σ (∂z/∂θ)ᵀ ∂E/∂z follows by the chain rule, layer by layer. A batch of B rows estimates E by its B(B − 1)/2
//! pairs; Σ w δ² is taken from a sample beforehand, so that the estimate's mean is E itself.
//!
//! # Cost
//! An epoch takes n B d time for the distances and 6 n times the number of weights for the network; n² distances are never held.
//! Memory: B² + B d numbers, four times the weights and one gradient for each 64 rows of a batch.
//!
//! # Choosing parameters
//! `map = linear` cannot tear or fold: its axes can be interpreted as those of PCA. `network` comes close to the stress of free coordinates. `weighting` sets
//! which distances matter: `relative` near ones, `uniform` far ones. More epochs lower the stress
//! further, `batch_size` makes it steadier. A network that fits training rows much better than new ones overfits: use fewer hidden units or `weight_decay`.
//!
//! # New points
//! z = g(x): the coordinates of training rows are computed in the same way.
//!
//! # Differences
//! Mao and Jain train a network of sigmoid units from random weights, one pair at a time. Here a linear shortcut starts at the
//! principal axes, and all pairs of a batch make one step. Pairs at distance 0 are left out: a function maps equal rows to the same point anyway. Everything
//! is computed in double precision, also for features in single precision. Features enter
//! centred and divided by one number, the same for all columns, so that the network sees the distances to preserve. If the training ends above the initial
//! stress, the initial map is kept.
//!
//! # References
//! Sammon, "A nonlinear mapping for data structure analysis", 1969. Mao and Jain, "Artificial neural networks for feature
//! extraction and multivariate data projection", 1995. Webb, "Multidimensional scaling by iterative majorization using radial
//! basis functions", 1995. Kingma and Ba, "Adam: a method for stochastic optimization", 2015. Alpaydin, "Introduction to machine
//! learning", 2014, section 6.7.
//!
//! # Example
//! ```
//! use charta::{Fit, Model, Transform, methods::parametric_sammon::ParametricSammon};
//! let data = charta::data::synthetic::s_curve(200, 0.0, 0)?;
//! let model = ParametricSammon::default().fit(&data)?;
//! assert!(model.stress() < model.first_stress);
//! let coordinates = model.transform(&data)?;
//! assert_eq!(coordinates, model.embedding().unwrap());
//! # Ok::<(), charta::Error>(())
//! ```

mod model;
mod pair_stress;

pub use model::ParametricSammonModel;
pub use pair_stress::Weighting;

use ndarray::{Array1, Array2};

use crate::data::{Data, Features};
use crate::error::{Error, Result, StepUnit, Warning, check_count, check_rows, message};
use crate::linalg::moments::Moments;
use crate::linalg::operator::Rows;
use crate::method::{Capability, Family, Info, Input, Method, Plan, Shape};
use crate::metric::{Among, Comparison, Metric};

use self::pair_stress::PairStress;
pub use crate::neural::{Activation, Schedule, Training};
use crate::neural::{Design, Network, Standardization, Trainer};
use crate::params::{Choice, Parameters};
use crate::random::{permutation, stream};
use crate::run::Run;
use crate::spectral::principal::{self, Axes, Solver};

/// Rows from which the unit and the scale of the initial map are estimated, at most.
const SCALED_BY: usize = 1000;
/// Rows up to which the stress is measured over all pairs.
const ALL_PAIRS: usize = 3000;
/// Rows drawn for it of more than that.
const DRAWN: usize = 2000;
/// The stream that draws rows; those of the network and the orders are others.
const DRAWS: u64 = 1 << 48;

/// The function that is learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Map {
    /// A network of dense layers beside a linear shortcut.
    Network,
    /// A linear map.
    Linear,
}

/// Parameters of parametric Sammon mapping.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct ParametricSammon {
    /// Number of dimensions of the embedding. More lower the stress; usually 2 or 3.
    #[param(default = 2, min = 1)]
    pub n_components: usize,
    /// Form of the mapping: `linear` is a matrix, `network` a neural network beside a linear shortcut, which fits distances more closely.
    #[param(default = Map::Network)]
    pub map: Map,
    /// Widths of the network's hidden layers. Wider or deeper networks fit more closely and train longer; usually one to three layers of 32
    /// to 256 units.
    #[param(default = vec![64, 64], min = 1)]
    pub hidden: Vec<usize>,
    /// Activation function of the hidden layers: `gelu` and `tanh` give smooth maps, `relu` piecewise linear ones, `linear` linear ones.
    #[param(default = Activation::Gelu)]
    pub activation: Activation,
    /// Weights of the pairs in the stress: `sammon` and `relative` favour small distances, `uniform` large ones.
    #[param(default = Weighting::Sammon)]
    pub weighting: Weighting,
    /// Training of the mapping.
    #[param(flatten, default = Training { n_epochs: 50, learning_rate: 1e-2, ..Training::default() })]
    pub training: Training,
    /// Distances between rows.
    #[param(flatten)]
    pub comparison: Comparison,
}

impl Method for ParametricSammon {
    const INFO: Info = Info {
        name: "parametric_sammon",
        title: "Parametric Sammon mapping",
        summary: "A linear map or neural network trained on Sammon's stress, which embeds new rows directly",
        family: Family::Distance,
        reference: "Sammon 1969; Mao and Jain 1995",
        takes: &[Input::Sparse],
        offers: &[Capability::Interruptible],
        pictures: &["loss"],
        ..Info::DEFAULT
    };

    type Model = ParametricSammonModel;

    fn fit_in(&self, run: &Run<'_>, data: &Data<'_>) -> Result<ParametricSammonModel> {
        let features = data.features(Self::INFO.name)?;
        self.check_shape(features.n_rows(), features.n_columns())?;
        data.check_finite()?;
        let among = Among::new(run, data, &self.comparison)?;
        let initial = self.initial(run, data, features, &among)?;
        run.stage("training")?;
        let trained = self.train(run, features, &among, &initial)?;
        run.stage("stress")?;
        self.model(run, features, &among, initial, trained)
    }

    fn plan(&self, shape: &Shape) -> Result<Plan> {
        let (n, d) = (shape.n_rows, shape.n_columns);
        self.check_shape(n, d)?;
        let weights = self
            .design(d)
            .n_weights()
            .saturating_add(d.saturating_mul(self.n_components));
        let batch = self.training.batch_size.min(n);
        let held = SCALED_BY.max(256 * 3).min(n);
        Ok(Plan::new("Adam on the stress of mini-batches")
            .needs("scatter and eigenvectors", (n.min(d), d), 6 * 8)
            .needs("weights and their averages", (weights, 4), 8)
            .needs("gradients", (weights, batch.div_ceil(64)), 8)
            .needs("distances of a batch", (batch, batch), 2 * 8)
            .needs("rows of a batch", (batch, d.saturating_mul(3)), 8)
            .needs("distances measured", (held, ALL_PAIRS.min(n)), 8)
            .needs(
                "rows measured",
                (2 * ALL_PAIRS.min(n), d),
                shape.precision.bytes(),
            )
            .needs("embeddings", (n, self.n_components.saturating_mul(4)), 8)
            .advice(message!("use fewer {:columns}, or smaller batches")))
    }
}

/// The initial network, and the stress that is minimized.
struct Initial {
    network: Network<f64>,
    stress: PairStress,
    /// The mean of w δ² over pairs.
    share: f64,
}

/// A trained network.
struct Trained {
    network: Network<f64>,
    /// The mean stress of the batches, epoch by epoch.
    losses: Array1<f64>,
    /// Whether the training was ended on request before its last epoch.
    interrupted: bool,
}

impl ParametricSammon {
    fn check_shape(&self, n_rows: usize, n_columns: usize) -> Result<()> {
        if self.comparison.metric == Metric::InnerProduct {
            return Err(Error::not(
                "metric",
                message!("Sammon's stress compares distances"),
                self.comparison.metric,
            ));
        }
        check_rows(message!("distances between {:rows}"), 2, n_rows)?;
        check_count(self.n_components, n_rows, n_columns)
    }

    fn design(&self, n_columns: usize) -> Design {
        let mut widths = vec![n_columns];
        if self.map == Map::Network {
            widths.extend(&self.hidden);
        }
        widths.push(self.n_components);
        Design {
            widths,
            activation: self.activation,
            last: Activation::Linear,
        }
    }

    /// The principal axes, scaled so that distances fit best.
    fn initial(
        &self,
        run: &Run<'_>,
        data: &Data<'_>,
        features: &Features<'_>,
        among: &Among<'_, '_>,
    ) -> Result<Initial> {
        run.stage("principal axes")?;
        let axes = self.axes(run, data, features)?;
        if axes.rank() < self.n_components {
            let (requested, rank) = (self.n_components, axes.rank());
            run.warn(Warning::RankDeficient { requested, rank })?;
        }
        let rows = self.drawn(features.n_rows(), SCALED_BY, SCALED_BY);
        let distances = among.between(run, &rows)?;
        let unit = distances.mean().unwrap_or(0.0);
        if unit <= 0.0 || !unit.is_finite() {
            return Err(principal::constant_data());
        }
        let stress = PairStress {
            weighting: self.weighting,
            unit,
        };
        let input = Standardization::together(features);
        let divisor = |column: usize| input.factors()[column] * unit;
        let mut weights =
            Array2::from_shape_fn((features.n_columns(), self.n_components), |(j, k)| {
                if divisor(j) > 0.0 {
                    axes.vectors[[k, j]] / divisor(j)
                } else {
                    0.0
                }
            });
        let chosen = features.select_rows(&rows)?;
        let plain = self.network(input.clone(), weights.clone())?;
        let coordinates = plain.apply(run, &chosen.view())?;
        let sums = stress.measure(run, among, &rows, &[coordinates.view()])?[0];
        weights *= sums.best_scale();
        Ok(Initial {
            network: self.network(input, weights)?,
            stress,
            // Pairs at one point are pairs of a batch too.
            share: sums.data / (rows.len() as f64 * (rows.len() as f64 - 1.0) / 2.0).max(1.0),
        })
    }

    fn axes(&self, run: &Run<'_>, data: &Data<'_>, features: &Features<'_>) -> Result<Axes> {
        let (n, d) = (features.n_rows(), features.n_columns());
        let axes = match Solver::Auto.resolve(n, d, None) {
            Solver::Dual => {
                let mean = Standardization::together(features).center().clone();
                principal::dual(run, &Rows::new(features, &mean), Some(self.n_components))?
            }
            _ => {
                let moments = Moments::of(run, features)?;
                if !moments.is_finite() {
                    return Err(data.bad_values(None));
                }
                principal::from_moments(&moments, Some(self.n_components))?
            }
        };
        if axes.total > 0.0 {
            Ok(axes)
        } else {
            Err(principal::constant_data())
        }
    }

    /// The map that is linear with these weights.
    fn network(&self, input: Standardization, weights: Array2<f64>) -> Result<Network<f64>> {
        let design = self.design(weights.nrows());
        let network = Network::new(input, &design, self.training.seed)?;
        let last = network.layers().len() - 1;
        match self.map {
            Map::Linear => network.with_weights(last, weights),
            Map::Network => {
                let nothing = Array2::zeros(network.weights(last).dim());
                network.with_weights(last, nothing)?.with_shortcut(weights)
            }
        }
    }

    /// All rows, or this many of them if there are more than `all`.
    fn drawn(&self, n_rows: usize, all: usize, drawn: usize) -> Vec<usize> {
        if n_rows <= all {
            return (0..n_rows).collect();
        }
        let mut rows = permutation(&mut stream(self.training.seed, DRAWS), n_rows);
        rows.truncate(drawn);
        rows.sort_unstable();
        rows
    }

    /// Trains the network. Ends early where the stress is no longer a number, or on request.
    fn train(
        &self,
        run: &Run<'_>,
        features: &Features<'_>,
        among: &Among<'_, '_>,
        initial: &Initial,
    ) -> Result<Trained> {
        let (training, n_rows) = (&self.training, features.n_rows());
        let batches = training.batches(n_rows);
        let n_steps = training.n_steps(n_rows);
        let most_rows = training.most_rows(n_rows);
        let mut trainer = Trainer::new(initial.network.clone(), most_rows, training.weight_decay);
        let mut losses = Vec::new();
        let mut interrupted = false;
        for epoch in 0..training.n_epochs {
            let order = training.order(epoch, n_rows);
            let mut sum = 0.0;
            for (index, batch) in batches.iter().enumerate() {
                let rows = &order[batch.clone()];
                let distances = among.between(run, rows)?;
                trainer.load(features, rows)?;
                let rate = training.rate(epoch * batches.len() + index, n_steps);
                sum += trainer.step(rate, |coordinates, gradient| {
                    let distances = distances.view();
                    Ok(initial
                        .stress
                        .gradient(&distances, initial.share, coordinates, gradient))
                })?;
            }
            let loss = sum / batches.len() as f64;
            if !loss.is_finite() {
                break;
            }
            losses.push(loss);
            run.iterate(epoch as u64 + 1, Some(loss), None)?;
            let (done, total) = (epoch as u64 + 1, training.n_epochs as u64);
            run.progress(done, total)?;
            if done < total && run.wants_end() {
                run.warn(Warning::EndedEarly {
                    step: done,
                    total,
                    unit: StepUnit::Epoch,
                })?;
                interrupted = true;
                break;
            }
        }
        Ok(Trained {
            network: trainer.into_network(),
            losses: losses.into(),
            interrupted,
        })
    }

    /// The better of the first map and the last.
    fn model(
        &self,
        run: &Run<'_>,
        features: &Features<'_>,
        among: &Among<'_, '_>,
        initial: Initial,
        trained: Trained,
    ) -> Result<ParametricSammonModel> {
        let rows = self.drawn(features.n_rows(), ALL_PAIRS, DRAWN);
        let maps = [
            initial.network.apply(run, features)?,
            trained.network.apply(run, features)?,
        ];
        let some = maps
            .each_ref()
            .map(|map| map.select(ndarray::Axis(0), &rows));
        let views = some.each_ref().map(|map| map.view());
        let sums = initial.stress.measure(run, among, &rows, &views)?;
        let (first, last) = (sums[0].stress(), sums[1].stress());
        let worse = last > first || last.is_nan();
        if worse && first > f64::EPSILON {
            run.warn(Warning::NotConverged {
                what: message!("the training"),
                reached: message!(
                    "the stress went from {first:.4} to {last:.4}, so the principal axes are \
                     kept; try a smaller {learning_rate:parameter}"
                ),
            })?;
        }
        let [first_map, last_map] = maps;
        let (network, embedding) = if worse {
            (initial.network, first_map)
        } else {
            (trained.network, last_map)
        };
        let unit = initial.stress.unit;
        Ok(ParametricSammonModel {
            network,
            unit,
            map: self.map.to_string(),
            weighting: self.weighting,
            stress: if worse { first } else { last },
            first_stress: first,
            n_rows_measured: rows.len(),
            n_pairs_measured: sums[0].n_pairs,
            n_rows: features.n_rows(),
            losses: trained.losses,
            interrupted: trained.interrupted,
            embedding: Some(embedding * unit),
        })
    }
}
