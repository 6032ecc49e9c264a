//! Parametric UMAP: a network is trained by backpropagation of UMAP's loss, and its outputs are the coordinates of the training rows and of any new one.
//!
//! First the network is fitted to the initial coordinates. Then, as in the [optimization](super::optimize) of free coordinates, both ends of edges sampled
//! by their weight attract each other, and the ends of other edges of the same batch are the negative samples; but the gradient goes on into the network, and a
//! step of Adam changes its weights instead of the coordinates. Gaussian noise is added to the inputs, which prevents overfitting and improves the embedding
//! of new rows.
//! Sainburg, McInnes and Gentner, "Parametric UMAP embeddings for representation and
//! semisupervised learning", 2021.

use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut2, Axis};
use rayon::prelude::*;

use super::curve::Curve;
use super::fuzzy_graph::FuzzyGraph;
use crate::data::{Features, Precision};
use crate::error::{Error, Result, StepUnit, Warning, message};
use crate::linalg::{Exponential, Real};
use crate::neural::{
    Activation, Design, Learned, Network, Noise, Standardization, Trainer, Training, reconstruction,
};
use crate::params::Parameters;
use crate::random::{below, permutation, stream, uniform};
use crate::run::Run;

/// Rows of a batch whose gradient one job computes.
const BLOCK: usize = 128;
/// Added to squared distances, so that the repulsion is finite and the attraction smooth at distance 0.
const DISTANCE_OFFSET: f64 = 1e-3;
/// Epochs in which the network is fitted to the initial coordinates, at most.
const INITIAL_EPOCHS: usize = 20;
/// Epochs of the training up to this many rows, and at least.
const MAX_EPOCHS: usize = 150;
const FEW_ROWS: usize = 10_000;
const MIN_EPOCHS: usize = 20;
/// Random streams of edges come after those of initial weights and orders.
const EDGES: u64 = 1 << 40;

/// A network in place of free coordinates.
#[derive(Clone, Debug, PartialEq, Parameters)]
#[param(title = "Parametric map")]
pub struct ParametricMap {
    /// Parametric UMAP: train a neural network that maps rows to coordinates, so that new rows are embedded at once, without a neighbour search.
    #[param(default = false)]
    pub parametric: bool,
    /// Widths of the hidden layers of the network. Wider or deeper networks follow the data more closely and train longer; usually two or
    /// three layers of 64 to 512 units.
    #[param(default = vec![128, 128, 128], min = 1)]
    pub hidden: Vec<usize>,
    /// Training epochs of the network, each a pass over the sampled edges. More fit more closely and take longer; if not given, 150 up to
    /// 10,000 rows and fewer beyond (at least 20).
    #[param(min = 1)]
    pub training_epochs: Option<usize>,
    /// Edges per mini-batch of the training. Smaller batches take more, noisier steps; usually 128 to 1024.
    #[param(default = 256, min = 2)]
    pub batch_edges: usize,
    /// Initial learning rate of Adam for the network; it falls to 0 by cosine annealing. Larger values learn faster and may diverge;
    /// usually 1e-4 to 1e-2.
    #[param(default = 3e-3, above = 0.0)]
    pub training_rate: f64,
    /// Decoupled weight decay (AdamW) of the network. Larger values give smoother maps and less overfitting; usually 0 to 1.
    #[param(default = 0.3, min = 0.0)]
    pub weight_decay: f64,
    /// Standard deviation of the Gaussian noise added to the inputs during training, in standard deviations of the data. Larger values
    /// generalize better to new rows and blur detail; usually 0 (none) to 1.
    #[param(default = 0.5, min = 0.0)]
    pub input_noise: f64,
}

/// What the network of parametric UMAP is trained on.
#[derive(Clone, Debug)]
pub(crate) struct TrainingSet<'a> {
    /// The rows.
    pub features: Features<'a>,
    /// Their fuzzy graph.
    pub graph: &'a FuzzyGraph,
    /// The initial coordinates.
    pub initial: &'a Array2<f64>,
    /// The loss of an edge and its negative samples.
    pub forces: EdgeForces,
    /// Seed of the initial weights and of the sampling.
    pub seed: u64,
}

/// A trained network.
#[derive(Clone, Debug)]
pub(crate) struct Trained {
    /// The network.
    pub network: Learned,
    /// The mean loss of an edge, epoch by epoch.
    pub losses: Vec<f64>,
    /// Whether the training was ended on request before its last epoch.
    pub interrupted: bool,
}

impl ParametricMap {
    /// Numbers that the network learns, and its units.
    pub(crate) fn sizes(&self, n_columns: usize, n_components: usize) -> (usize, usize) {
        let design = self.design(n_columns, n_components);
        let units = design
            .widths
            .iter()
            .fold(0_usize, |sum, width| sum.saturating_add(*width));
        (design.n_weights(), units)
    }

    fn design(&self, n_columns: usize, n_components: usize) -> Design {
        let mut widths = vec![n_columns];
        widths.extend(&self.hidden);
        widths.push(n_components);
        Design {
            widths,
            activation: Activation::Gelu,
            last: Activation::Linear,
        }
    }

    /// Trains a network in the precision of the features.
    pub(crate) fn train(&self, run: &Run<'_>, training_set: &TrainingSet<'_>) -> Result<Trained> {
        // On a thread of the pool, so that the many short steps need not wake it each time.
        rayon::scope(|_| match training_set.features.precision() {
            Precision::Single => self.train_as::<f32>(run, training_set),
            Precision::Double => self.train_as::<f64>(run, training_set),
        })
    }

    fn train_as<T: Exponential>(
        &self,
        run: &Run<'_>,
        training_set: &TrainingSet<'_>,
    ) -> Result<Trained>
    where
        Learned: From<Network<T>>,
    {
        let input = Standardization::together(&training_set.features);
        let design = self.design(
            training_set.features.n_columns(),
            training_set.initial.ncols(),
        );
        let network = Network::<T>::new(input, &design, training_set.seed)?;
        let mut trainer = Trainer::new(network, 2 * self.batch_edges, self.weight_decay);
        self.fit_initial(run, training_set, &mut trainer)?;
        let mut losses = Vec::new();
        let edges = Edges::of(training_set.graph, training_set.seed);
        let n_epochs = self.epochs(training_set.initial.nrows());
        let training = Training {
            batch_size: self.batch_edges,
            ..self.training(n_epochs, training_set.seed)
        };
        for epoch in 0..n_epochs {
            let loss = self.epoch(run, training_set, &edges, &training, &mut trainer, epoch)?;
            losses.push(loss);
            let (done, total) = (epoch as u64 + 1, n_epochs as u64);
            run.iterate(done, Some(loss), None)?;
            run.progress(done, total)?;
            if done < total && run.wants_end() {
                run.warn(Warning::EndedEarly {
                    step: done,
                    total,
                    unit: StepUnit::Epoch,
                })?;
                break;
            }
        }
        Ok(Trained {
            network: Learned::from(trainer.into_network()),
            interrupted: losses.len() < n_epochs,
            losses,
        })
    }

    fn epochs(&self, n_rows: usize) -> usize {
        let fewer = MAX_EPOCHS * FEW_ROWS / n_rows.max(1);
        let usual = fewer.clamp(MIN_EPOCHS, MAX_EPOCHS);
        self.training_epochs.unwrap_or(usual)
    }

    fn training(&self, n_epochs: usize, seed: u64) -> Training {
        Training {
            n_epochs,
            batch_size: 2 * self.batch_edges,
            learning_rate: self.training_rate,
            seed,
            ..Training::default()
        }
    }

    /// Fits the network to the initial coordinates, centred, by least squares.
    fn fit_initial<T: Exponential>(
        &self,
        run: &Run<'_>,
        training_set: &TrainingSet<'_>,
        trainer: &mut Trainer<T>,
    ) -> Result<()> {
        let n_rows = training_set.initial.nrows();
        let middle = training_set.initial.mean_axis(Axis(0));
        let wanted = middle.map_or_else(
            || training_set.initial.clone(),
            |middle| training_set.initial - &middle,
        );
        let wanted = wanted.mapv(T::of);
        let n_epochs = INITIAL_EPOCHS.min(self.epochs(n_rows));
        let training = self.training(n_epochs, training_set.seed);
        let batches = training.batches(n_rows);
        let n_steps = training.n_steps(n_rows);
        for epoch in 0..training.n_epochs {
            let order = training.order(epoch, n_rows);
            for (index, batch) in batches.iter().enumerate() {
                run.check()?;
                let rows = &order[batch.clone()];
                trainer.load(&training_set.features, rows)?;
                let wanted = wanted.select(Axis(0), rows);
                let rate = training.rate(epoch * batches.len() + index, n_steps);
                let loss = trainer.step(rate, |outputs, gradient| {
                    Ok(reconstruction(&wanted.view(), outputs, 1.0, gradient))
                })?;
                check(loss)?;
            }
        }
        Ok(())
    }

    /// One epoch over the edges, sampled by their weight; returns the mean loss of an edge.
    fn epoch<T: Exponential>(
        &self,
        run: &Run<'_>,
        training_set: &TrainingSet<'_>,
        edges: &Edges,
        training: &Training,
        trainer: &mut Trainer<T>,
        epoch: usize,
    ) -> Result<f64> {
        let mut draw = stream(training_set.seed, EDGES + 1 + epoch as u64);
        let due = edges.due(epoch);
        let order = permutation(&mut draw, due.len());
        let batches = training.batches(due.len());
        let n_steps = training.n_epochs * batches.len();
        let (mut sum, mut rows) = (0.0, Vec::new());
        for (index, batch) in batches.iter().enumerate() {
            run.check()?;
            let chosen = || order[batch.clone()].iter().map(|&edge| due[edge]);
            rows.clear();
            rows.extend(chosen().map(|edge| edge.0 as usize));
            rows.extend(chosen().map(|edge| edge.1 as usize));
            trainer.load(&training_set.features, &rows)?;
            let step = epoch * batches.len() + index;
            let inputs = trainer.inputs_mut();
            Noise::Gaussian.corrupt(inputs, self.input_noise, training_set.seed, step);
            let shifts: Vec<usize> = (0..training_set.forces.n_negative)
                .map(|_| 1 + below(&mut draw, batch.len().max(2) - 1))
                .collect();
            let rate = training.rate(step, n_steps);
            let loss = trainer.step(rate, |coordinates, gradient| {
                Ok(training_set.forces.gradient(coordinates, &shifts, gradient))
            })?;
            check(loss)?;
            sum += loss * batch.len() as f64;
        }
        Ok(sum / due.len().max(1) as f64)
    }
}

fn check(loss: f64) -> Result<()> {
    if loss.is_finite() {
        Ok(())
    } else {
        Err(Error::NotConverged {
            what: message!("the training"),
            reached: message!("the loss became NaN: try a smaller {training_rate:parameter}"),
        })
    }
}

/// The edges of a graph in both directions, and when they are sampled.
struct Edges {
    /// Ends, and the frequency of an edge: how often it is sampled in an epoch.
    all: Vec<(u32, u32, f32)>,
    /// The initial phase of each edge.
    phases: Vec<f32>,
}

impl Edges {
    fn of(graph: &FuzzyGraph, seed: u64) -> Self {
        let largest = graph.largest().max(f32::MIN_POSITIVE);
        let mut all = Vec::with_capacity(2 * graph.n_edges());
        for row in 0..graph.n_rows() {
            let (coordinates, weights) = graph.row(row);
            let edges = coordinates.iter().zip(weights);
            all.extend(edges.map(|(&index, &weight)| (row as u32, index, weight / largest)));
        }
        let mut draw = stream(seed, EDGES);
        let phases = all.iter().map(|_| uniform(&mut draw) as f32).collect();
        Self { all, phases }
    }

    /// The edges that are sampled in an epoch, each with the frequency of its weight.
    fn due(&self, epoch: usize) -> Vec<(u32, u32)> {
        let turns = |share: f32, phase: f32, epoch: usize| {
            (f64::from(share) * epoch as f64 + f64::from(phase)).floor()
        };
        let edges = self.all.iter().zip(&self.phases);
        edges
            .filter(|((_, _, share), phase)| {
                turns(*share, **phase, epoch + 1) > turns(*share, **phase, epoch)
            })
            .map(|((head, tail, _), _)| (*head, *tail))
            .collect()
    }
}

/// The loss of edges and their negative samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EdgeForces {
    /// Similarity by distance in the embedding.
    pub curve: Curve,
    /// Negative samples per edge: ends of other edges of the batch.
    pub n_negative: usize,
    /// Weight of the repulsion.
    pub repulsion: f64,
}

impl EdgeForces {
    /// The mean loss of an edge, and its gradient by the coordinates: heads of the edges first, then their tails. The head of edge e is
    /// repelled by the tails of the edges e + shift, modulo the number of edges.
    pub(crate) fn gradient<T: Exponential>(
        &self,
        coordinates: &ArrayView2<'_, T>,
        shifts: &[usize],
        mut gradient: ArrayViewMut2<'_, T>,
    ) -> f64 {
        let n_edges = coordinates.nrows() / 2;
        let scale = 1.0 / n_edges.max(1) as f64;
        let coordinates = coordinates.mapv(Real::wide);
        let blocks = gradient.axis_chunks_iter_mut(Axis(0), BLOCK);
        let sums: Vec<f64> = blocks
            .into_par_iter()
            .enumerate()
            .map(|(block, mut gradient)| {
                let mut sum = 0.0;
                let mut own = vec![0.0; coordinates.ncols()];
                for (offset, mut target) in gradient.rows_mut().into_iter().enumerate() {
                    own.fill(0.0);
                    sum += self.of_row(&coordinates, block * BLOCK + offset, shifts, &mut own);
                    for (target, value) in target.iter_mut().zip(&own) {
                        *target = T::of(scale * value);
                    }
                }
                sum
            })
            .collect();
        // Every pair was counted from both of its ends.
        0.5 * scale * sums.iter().sum::<f64>()
    }

    /// The losses of all pairs of a row, and their gradient by its coordinates.
    fn of_row(
        &self,
        coordinates: &Array2<f64>,
        row: usize,
        shifts: &[usize],
        own: &mut [f64],
    ) -> f64 {
        let n_edges = coordinates.nrows() / 2;
        let (edge, is_head) = (row % n_edges, row < n_edges);
        let other = |edge: usize| {
            if is_head {
                n_edges + edge % n_edges
            } else {
                edge % n_edges
            }
        };
        let point = coordinates.row(row);
        let mut sum = self.attraction(point, coordinates.row(other(edge)), own);
        for shift in shifts {
            let partner = if is_head {
                edge + shift
            } else {
                edge + n_edges - shift % n_edges
            };
            sum += self.repulsion_loss(point, coordinates.row(other(partner)), own);
        }
        sum
    }

    /// −ln q, and its gradient.
    fn attraction(&self, a: ArrayView1<'_, f64>, b: ArrayView1<'_, f64>, own: &mut [f64]) -> f64 {
        let squared = squared(a, b);
        let away = self.curve.a * squared.powf(self.curve.b);
        let slope = 2.0 * self.curve.b * away / (squared * (1.0 + away));
        add(own, slope, a, b);
        away.ln_1p()
    }

    /// −ln (1 − q), and its gradient.
    fn repulsion_loss(
        &self,
        a: ArrayView1<'_, f64>,
        b: ArrayView1<'_, f64>,
        own: &mut [f64],
    ) -> f64 {
        let squared = squared(a, b);
        let away = self.curve.a * squared.powf(self.curve.b);
        let slope = -2.0 * self.curve.b * self.repulsion / (squared * (1.0 + away));
        add(own, slope, a, b);
        self.repulsion * away.recip().ln_1p()
    }
}

fn squared(a: ArrayView1<'_, f64>, b: ArrayView1<'_, f64>) -> f64 {
    let pairs = a.into_iter().zip(b);
    DISTANCE_OFFSET + pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
}

fn add(own: &mut [f64], slope: f64, a: ArrayView1<'_, f64>, b: ArrayView1<'_, f64>) {
    for (own, (a, b)) in own.iter_mut().zip(a.into_iter().zip(b)) {
        *own += slope * (a - b);
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::random::normal;

    fn forces() -> EdgeForces {
        EdgeForces {
            curve: Curve { a: 1.6, b: 0.9 },
            n_negative: 3,
            repulsion: 0.8,
        }
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let mut draw = stream(3, 0);
        let coordinates = Array2::from_shape_simple_fn((14, 2), || normal(&mut draw));
        let shifts = [1, 4, 6];
        let value = |coordinates: &Array2<f64>| {
            let mut gradient = Array2::zeros((14, 2));
            let value = forces().gradient(&coordinates.view(), &shifts, gradient.view_mut());
            (value, gradient)
        };
        let (_, gradient) = value(&coordinates);
        for (index, got) in gradient.indexed_iter() {
            let at = |step: f64| {
                let mut moved = coordinates.clone();
                moved[index] += step;
                value(&moved).0
            };
            let want = (at(1e-6) - at(-1e-6)) / 2e-6;
            assert!((got - want).abs() < 1e-7, "{index:?}: {got} for {want}");
        }
    }

    #[test]
    fn the_loss_is_that_of_the_definition() {
        // Two edges: (0 → 3) and (0 → 1) on a line, each head driven away from the other's tail.
        let coordinates = array![[0.0], [0.0], [3.0], [1.0]];
        let mut gradient = Array2::zeros((4, 1));
        let forces = EdgeForces {
            repulsion: 1.0,
            ..forces()
        };
        let got = forces.gradient(&coordinates.view(), &[1], gradient.view_mut());
        let q = |d: f64| 1.0 / (1.0 + 1.6 * (d * d + DISTANCE_OFFSET).powf(0.9));
        let want = -(q(3.0).ln() + q(1.0).ln() + (1.0 - q(1.0)).ln() + (1.0 - q(3.0)).ln()) / 2.0;
        assert!((got - want).abs() < 1e-12, "{got} for {want}");
    }

    #[test]
    fn edges_are_drawn_as_often_as_they_are_strong() {
        let graph = FuzzyGraph::from_rows(vec![
            vec![(1, 1.0), (2, 0.25)],
            vec![(0, 1.0)],
            vec![(0, 0.25)],
        ]);
        let edges = Edges::of(&graph, 1);
        let mut counts = [0; 2];
        for epoch in 0..100 {
            for (head, tail) in edges.due(epoch) {
                counts[usize::from(head.max(tail) == 2)] += 1;
            }
        }
        assert_eq!(counts, [200, 50]);
    }
}
