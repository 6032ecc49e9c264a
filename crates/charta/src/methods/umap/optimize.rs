//! Stochastic gradient descent on UMAP's cross-entropy with negative sampling.
//!
//! Each edge attracts its two end points with a frequency proportional to its weight; for each attraction, `negative_sample_rate` random rows repel the head
//! of the edge, and later the same with head and tail exchanged. The steps are those of umap-learn, and only their order differs: edges are scheduled in jobs that share no row
//! with those of other threads, sixteen at once, and negative samples are read from a copy of the coordinates that is a little older. So the result does not depend on
//! the number of threads.
//!
//! With many rows, negative samples are drawn from a window of all rows in random order, another one as the edges of an epoch pass: every row has
//! its turn once in an epoch.
//!
//! McInnes, Healy and Melville, "UMAP", 2018, algorithm 5.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use ndarray::Array2;
use rayon::prelude::*;

use super::curve::Curve;
use super::density::{Density, Terms};
use super::edge_forces::{Forces, GRADIENT_CLIP, Lane, clipped};
use super::fuzzy_graph::FuzzyGraph;
use super::negative_sampling::{NegativeSamples, Window};
use super::schedule::{Edge, NO_ROUND, Schedule, Slots, WHOLE, mix};
use crate::error::{Error, Result, StepUnit, Warning, message};
use crate::linalg::wide::{self, Loop, prefetch, step};
use crate::optimize::anchored::Anchored;
use crate::run::Run;

/// Edges that are handled together.
pub(super) const LANES: usize = 16;
/// Due edges are collected until there are this many.
const DUE: usize = 256;
/// Coordinates are prefetched this many edges before they are needed.
const PREFETCH_DISTANCE: usize = 2 * LANES;
/// Phases with fewer edges run on one thread.
const MIN_PARALLEL_EDGES: usize = 4096;
/// Up to this many rows, the copy for negative samples is refreshed several times in an epoch; beyond, once.
const FEW_ROWS: usize = 10_000;
/// How many times, for few rows.
const REFRESHES: usize = 8;
/// Epochs between two layouts that are reported.
const REPORT_INTERVAL: usize = 50;

/// Parameters of the optimization.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Optimizer {
    /// Similarity by distance in the embedding.
    pub curve: Curve,
    /// Epochs.
    pub n_epochs: usize,
    /// Negative samples per positive edge.
    pub n_negative: usize,
    /// Weight of the repulsion.
    pub repulsion: f64,
    /// Initial learning rate, which falls linearly to 0.
    pub learning_rate: f64,
    /// Seed of the order of edges and of the negative samples.
    pub seed: u64,
}

/// An optimized embedding.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Optimized {
    /// The coordinates.
    pub embedding: Array2<f64>,
    /// Epochs done.
    pub n_epochs: usize,
    /// Whether the optimization was ended on request before its last epoch.
    pub interrupted: bool,
}

impl Optimizer {
    /// Optimizes from initial coordinates.
    pub(super) fn optimize(
        &self,
        run: &Run<'_>,
        graph: &FuzzyGraph,
        extra: Extra<'_>,
        initial: &Array2<f64>,
    ) -> Result<Optimized> {
        let Extra { density, anchored } = extra;
        let slots = Slots::along(initial);
        let schedule = Schedule::of(graph, &slots, self.seed);
        let mut state = State::new(initial, slots, self.seed);
        let pulls = anchored.map(|anchored| Pulls::of(anchored, graph));
        let mut done = 0;
        for epoch in 0..self.n_epochs {
            run.check()?;
            let terms = match density.filter(|density| density.counts(epoch, self.n_epochs)) {
                Some(density) => {
                    let squared = |a, b| state.squared(a, b);
                    Some(density.terms(run, graph, &self.curve, squared)?)
                }
                None => None,
            };
            let parameters = EpochParameters {
                density: terms,
                unit: graph.largest() / WHOLE,
                forces: Forces::new(&self.curve, self.repulsion),
                rate: self.rate(epoch),
                epoch: epoch as u32,
                n_negative: self.n_negative,
                key: mix(self.seed ^ mix(epoch as u64)),
            };
            state.epoch(&schedule, &parameters);
            if let Some(pulls) = &pulls {
                state.pull(pulls, parameters.rate);
            }
            done = epoch + 1;
            run.progress(done as u64, self.n_epochs as u64)?;
            if epoch % REPORT_INTERVAL == 0 {
                let layout = state.layout()?;
                run.iterate(done as u64, None, Some(layout.view()))?;
            }
            if done < self.n_epochs && run.wants_end() {
                run.warn(Warning::EndedEarly {
                    step: done as u64,
                    total: self.n_epochs as u64,
                    unit: StepUnit::Epoch,
                })?;
                break;
            }
        }
        Ok(Optimized {
            embedding: state.layout()?,
            n_epochs: done,
            interrupted: done < self.n_epochs,
        })
    }

    fn rate(&self, epoch: usize) -> f32 {
        (self.learning_rate * (1.0 - epoch as f64 / self.n_epochs as f64)) as f32
    }
}

/// Terms of the loss besides the edges of the graph.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extra<'a> {
    /// The density term of densMAP.
    pub density: Option<&'a Density>,
    /// Coordinates that rows are pulled towards.
    pub anchored: Option<&'a Anchored>,
}

/// Anchors, and how often a row is attracted in an epoch: by each of its edges from both ends.
struct Pulls<'a> {
    anchored: &'a Anchored,
    attractions: Vec<f32>,
}

impl<'a> Pulls<'a> {
    fn of(anchored: &'a Anchored, graph: &FuzzyGraph) -> Self {
        let unit = 2.0 / graph.largest().max(f32::MIN_POSITIVE);
        let attractions = (0..graph.n_rows())
            .map(|row| unit * graph.row(row).1.iter().sum::<f32>())
            .collect();
        Self {
            anchored,
            attractions,
        }
    }
}

/// What all updates of an epoch have in common.
struct EpochParameters {
    density: Option<Terms>,
    /// The weight in the graph of an edge of sampling weight 1.
    unit: f32,
    forces: Forces,
    rate: f32,
    epoch: u32,
    n_negative: usize,
    key: u64,
}

/// The coordinates during the optimization.
struct State {
    n_rows: usize,
    width: usize,
    slots: Slots,
    /// Coordinates in Morton order, those of a row side by side. Within a phase each row is written by one job only; relaxed atomics make that
    /// safe without a lock, and cost nothing.
    coordinates: Vec<AtomicU32>,
    negatives: NegativeSamples,
}

impl State {
    fn new(initial: &Array2<f64>, slots: Slots, seed: u64) -> Self {
        let (n_rows, width) = initial.dim();
        let bits = |&value: &f64| AtomicU32::new((value as f32).to_bits());
        let rows = slots.row_of.iter();
        let coordinates = rows.flat_map(|&row| initial.row(row as usize).into_iter().map(bits));
        let coordinates: Vec<AtomicU32> = coordinates.collect();
        let negatives = NegativeSamples::new(&coordinates, n_rows, width, seed);
        Self {
            n_rows,
            width,
            slots,
            coordinates,
            negatives,
        }
    }

    /// Goes twice through all edges, the second time with head and tail exchanged.
    fn epoch(&mut self, schedule: &Schedule, parameters: &EpochParameters) {
        let often = if self.n_rows <= FEW_ROWS {
            REFRESHES
        } else {
            1
        };
        let every = (2 * schedule.n_edges()).div_ceil(often);
        let n_edges = 2 * schedule.n_edges();
        let (mut number, mut since_refresh, mut done) = (0, 0, 0);
        for head in 0..2 {
            for jobs in schedule.phases() {
                let window = Window::of(self.n_rows, done, n_edges, parameters.key);
                let phase = Phase {
                    number,
                    head,
                    window,
                };
                self.run_phase(schedule, parameters, jobs, &phase);
                number += 1;
                let in_phase: usize = jobs.iter().map(ExactSizeIterator::len).sum();
                done += in_phase;
                since_refresh += in_phase;
                if since_refresh >= every {
                    self.negatives.refresh(&self.coordinates);
                    since_refresh = 0;
                }
            }
        }
        if since_refresh > 0 {
            self.negatives.refresh(&self.coordinates);
        }
    }

    /// Moves all rows towards their anchors.
    fn pull(&mut self, pulls: &Pulls<'_>, rate: f32) {
        let (width, row_of) = (self.width, &self.slots.row_of);
        (self.coordinates.par_chunks_mut(width))
            .zip(row_of)
            .with_min_len(1024)
            .for_each_init(
                || vec![0.0; width],
                |point, (stored, &row)| {
                    let row = row as usize;
                    for (value, stored) in point.iter_mut().zip(&*stored) {
                        *value = read(stored);
                    }
                    let rate = rate * pulls.attractions[row];
                    pulls.anchored.pull(row, rate, point);
                    for (value, stored) in point.iter().zip(stored) {
                        *stored.get_mut() = value.to_bits();
                    }
                },
            );
    }

    fn run_phase(
        &self,
        schedule: &Schedule,
        parameters: &EpochParameters,
        jobs: &[Range<usize>],
        phase: &Phase,
    ) {
        let work = |(index, job): (usize, &Range<usize>)| {
            wide::run(Job {
                state: self,
                parameters,
                edges: schedule.edges(job),
                head: phase.head,
                window: phase.window,
                key: mix(parameters.key ^ (phase.number << 32 | index as u64)),
            });
        };
        let n_edges: usize = jobs.iter().map(ExactSizeIterator::len).sum();
        if n_edges < MIN_PARALLEL_EDGES || jobs.len() == 1 {
            jobs.iter().enumerate().for_each(work);
        } else {
            jobs.par_iter().enumerate().with_max_len(1).for_each(work);
        }
    }

    fn squared(&self, a: usize, b: usize) -> f64 {
        let row = |row: usize| {
            let slot = self.slots.slot_of[row] as usize;
            &self.coordinates[slot * self.width..(slot + 1) * self.width]
        };
        let pairs = row(a).iter().zip(row(b));
        pairs
            .map(|(x, y)| (f64::from(read(x)) - f64::from(read(y))).powi(2))
            .sum()
    }

    fn layout(&self) -> Result<Array2<f64>> {
        let layout = Array2::from_shape_fn((self.n_rows, self.width), |(row, c)| {
            let slot = self.slots.slot_of[row] as usize;
            f64::from(read(&self.coordinates[slot * self.width + c]))
        });
        if layout.iter().all(|value| value.is_finite()) {
            return Ok(layout);
        }
        Err(Error::NotConverged {
            what: message!("the layout"),
            reached: message!(
                "coordinates became infinite: try a smaller {learning_rate:parameter}"
            ),
        })
    }
}

/// A phase of an epoch.
struct Phase {
    number: u64,
    /// Which end of its edges is repelled.
    head: usize,
    window: Window,
}

#[inline(always)]
pub(super) fn read(value: &AtomicU32) -> f32 {
    f32::from_bits(value.load(Ordering::Relaxed))
}

/// The updates of the edges of a job.
struct Job<'a> {
    state: &'a State,
    parameters: &'a EpochParameters,
    edges: &'a [Edge],
    /// Which end is repelled by negative samples.
    head: usize,
    window: Window,
    key: u64,
}

/// An edge that is due: its first end, its second, its weight, its round.
type Due = [u32; 4];

impl Loop for Job<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        match self.state.width {
            2 => self.update::<[Lane; 2], FUSED>(&[[0.0; LANES]; 2]),
            3 => self.update::<[Lane; 3], FUSED>(&[[0.0; LANES]; 3]),
            width => self.update::<Vec<Lane>, FUSED>(&vec![[0.0; LANES]; width]),
        }
    }
}

impl Job<'_> {
    #[inline(always)]
    fn update<P, const FUSED: bool>(self, zero: &P)
    where
        P: AsRef<[Lane]> + AsMut<[Lane]> + Clone,
    {
        // Room for one more, which is written before it is known whether it is due.
        let mut due = [[0u32; 4]; DUE + 1];
        let (mut count, mut drawn) = (0, self.key);
        for edge in self.edges {
            let [head, tail] = [edge.slots[self.head], edge.slots[1 - self.head]];
            due[count] = [head, tail, edge.weight, edge.round()];
            count += usize::from(edge.is_due(self.parameters.epoch));
            if count == DUE {
                self.groups::<P, FUSED>(&due[..count], &mut drawn, zero);
                count = 0;
            }
        }
        self.groups::<P, FUSED>(&due[..count], &mut drawn, zero);
    }

    /// Goes through edges in groups of up to sixteen that share no row.
    #[inline(always)]
    fn groups<P, const FUSED: bool>(&self, due: &[Due], drawn: &mut u64, zero: &P)
    where
        P: AsRef<[Lane]> + AsMut<[Lane]> + Clone,
    {
        let mut start = 0;
        while start < due.len() {
            let end = group_end(due, start);
            self.prefetch(&due[(start + PREFETCH_DISTANCE).min(due.len())..]);
            self.step::<P, FUSED>(&due[start..end], *drawn, zero);
            *drawn = drawn.wrapping_add(self.parameters.n_negative as u64);
            start = end;
        }
    }

    /// Prefetches the coordinates of edges that come soon.
    #[inline(always)]
    fn prefetch(&self, due: &[Due]) {
        let (coordinates, width) = (&self.state.coordinates, self.state.width);
        for &[head, tail, ..] in due.iter().take(LANES) {
            prefetch(&coordinates[head as usize * width]);
            prefetch(&coordinates[tail as usize * width]);
        }
    }

    /// One step of gradient descent for up to sixteen edges: attraction of both ends, repulsion of the heads from negative samples.
    #[inline(always)]
    fn step<P, const FUSED: bool>(&self, due: &[Due], drawn: u64, zero: &P)
    where
        P: AsRef<[Lane]> + AsMut<[Lane]> + Clone,
    {
        let mut heads = [u32::MAX; LANES];
        let (mut own, mut other) = (zero.clone(), zero.clone());
        for (l, &[head, tail, ..]) in due.iter().enumerate() {
            heads[l] = head;
            self.load(head, l, own.as_mut());
            self.load(tail, l, other.as_mut());
        }
        self.attract::<P, FUSED>(due, &mut own, &mut other);
        let mut moved = zero.clone();
        for draw in 0..self.parameters.n_negative as u64 {
            let drawn = mix(drawn.wrapping_add(draw));
            self.repel::<P, FUSED>(&own, &heads, drawn, &mut moved);
        }
        for (own, moved) in own.as_mut().iter_mut().zip(moved.as_ref()) {
            for l in 0..LANES {
                own[l] += moved[l];
            }
        }
        for (l, &[head, tail, ..]) in due.iter().enumerate() {
            self.store(head, l, own.as_ref());
            self.store(tail, l, other.as_ref());
        }
    }

    #[inline(always)]
    fn load(&self, slot: u32, lane: usize, lanes: &mut [Lane]) {
        let width = lanes.len();
        let row = &self.state.coordinates[slot as usize * width..(slot as usize + 1) * width];
        for (axis, value) in lanes.iter_mut().zip(row) {
            axis[lane] = read(value);
        }
    }

    #[inline(always)]
    fn store(&self, slot: u32, lane: usize, lanes: &[Lane]) {
        let width = lanes.len();
        let row = &self.state.coordinates[slot as usize * width..(slot as usize + 1) * width];
        for (axis, value) in lanes.iter().zip(row) {
            value.store(axis[lane].to_bits(), Ordering::Relaxed);
        }
    }

    #[inline(always)]
    fn attract<P, const FUSED: bool>(&self, due: &[Due], own: &mut P, other: &mut P)
    where
        P: AsRef<[Lane]> + AsMut<[Lane]>,
    {
        let rate = self.parameters.rate;
        let squared = squared::<FUSED>(own.as_ref(), other.as_ref());
        let slopes = self.parameters.forces.attraction::<FUSED>(&squared);
        let spread = match &self.parameters.density {
            None => [0.0; LANES],
            Some(terms) => self.spread::<FUSED>(terms, due, &squared, &slopes),
        };
        for (own, other) in own.as_mut().iter_mut().zip(other.as_mut()) {
            for l in 0..LANES {
                let apart = own[l] - other[l];
                let drawn = clipped(slopes[l] * apart, GRADIENT_CLIP);
                let moved = rate * (drawn - clipped(spread[l] * apart, GRADIENT_CLIP));
                own[l] -= moved;
                other[l] += moved;
            }
        }
    }

    /// The gradient of the density term, as a factor of the difference.
    #[inline(always)]
    fn spread<const FUSED: bool>(
        &self,
        terms: &Terms,
        due: &[Due],
        squared: &Lane,
        slopes: &Lane,
    ) -> Lane {
        let similarities = self.parameters.forces.similarity::<FUSED>(squared);
        let mut spread = [0.0; LANES];
        for (l, &[head, tail, weight, _]) in due.iter().enumerate() {
            let row_of = &self.state.slots.row_of;
            let (head, tail) = (row_of[head as usize], row_of[tail as usize]);
            let (a, b) = (terms.rows[head as usize], terms.rows[tail as usize]);
            let (q, power) = (similarities[l], self.parameters.forces.b);
            let radius = (1.0 - power * (1.0 - q)) * (a[1] + b[1]);
            let total = radius + 0.5 * slopes[l] * (a[0] + b[0]);
            spread[l] = terms.factor * q * total / (weight as f32 * self.parameters.unit);
        }
        spread
    }

    /// Repels the heads from sixteen negative samples.
    #[inline(always)]
    fn repel<P, const FUSED: bool>(&self, own: &P, heads: &[u32; LANES], drawn: u64, moved: &mut P)
    where
        P: AsRef<[Lane]> + AsMut<[Lane]> + Clone,
    {
        let mut others = own.clone();
        let negatives = &self.state.negatives;
        let rows = negatives.draw(self.window, drawn, others.as_mut());
        let squared = squared::<FUSED>(own.as_ref(), others.as_ref());
        let slopes = self.parameters.forces.repulsion_factor::<FUSED>(&squared);
        // A row is not repelled by its own copy.
        let mut rates = [self.parameters.rate; LANES];
        for l in 0..LANES {
            if rows[l] == heads[l] {
                rates[l] = 0.0;
            }
        }
        let pairs = own.as_ref().iter().zip(others.as_ref());
        for (moved, (own, other)) in moved.as_mut().iter_mut().zip(pairs) {
            for l in 0..LANES {
                let slope = clipped(slopes[l] * (own[l] - other[l]), GRADIENT_CLIP);
                moved[l] = step::<f32, FUSED>(rates[l], slope, moved[l]);
            }
        }
    }
}

/// Where the group that begins at `start` ends: at sixteen edges, or before one that shares a row with it. Edges of a round never do.
#[inline(always)]
fn group_end(due: &[Due], start: usize) -> usize {
    let most = due.len().min(start + LANES);
    let round = due[start][3];
    for next in start + 1..most {
        let [head, tail, _, its_round] = due[next];
        if its_round == round && round != NO_ROUND {
            continue;
        }
        let mut shared = false;
        for other in &due[start..next] {
            shared |= other[0] == head || other[1] == head || other[0] == tail || other[1] == tail;
        }
        if shared {
            return next;
        }
    }
    most
}

#[inline(always)]
fn squared<const FUSED: bool>(own: &[Lane], other: &[Lane]) -> Lane {
    let mut squared = [0.0; LANES];
    for (own, other) in own.iter().zip(other) {
        for l in 0..LANES {
            let apart = own[l] - other[l];
            squared[l] = step::<f32, FUSED>(apart, apart, squared[l]);
        }
    }
    squared
}
