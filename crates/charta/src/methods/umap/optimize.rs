//! A layout by sampled edges: rows are drawn together along edges, as often as these are strong, and away from rows drawn at random.
//!
//! The steps are those of the reference: an edge moves both of its ends towards each other, then the first of them away from rows drawn at
//! random, and later the same with the ends exchanged. Only their order differs. Edges go in jobs that share no row with those of other
//! threads, sixteen side by side, and the rows drawn at random are seen where they were a little earlier: so nothing depends on who computes
//! what, and when.
//!
//! Of many rows, those drawn at random come from a window of all rows in random order, another one as the edges of an epoch pass: a window
//! is itself drawn at random, and every row gets its turn once in an epoch.
//!
//! McInnes, Healy and Melville, "UMAP", 2018, algorithm 5.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use ndarray::Array2;
use rayon::prelude::*;

use super::curve::Curve;
use super::density::{Density, Terms};
use super::edge_forces::{Forces, Lane, STEEPEST, within};
use super::fuzzy_graph::FuzzyGraph;
use super::negative_window::Window;
use super::schedule::{Edge, NO_ROUND, Schedule, Slots, WHOLE, mix};
use crate::error::{Error, Result, Warning};
use crate::linalg::wide::{self, Loop, ask_for, step};
use crate::message;
use crate::random::{permutation, stream};
use crate::run::Run;

/// Edges that move together.
pub(super) const LANES: usize = 16;
/// Edges that are due are gathered until there are so many.
const DUE: usize = 256;
/// Rows are asked for so many edges before they are moved.
const AHEAD: usize = 2 * LANES;
/// Phases of fewer edges are not worth waking other threads for.
const WORTH: usize = 4096;
/// Up to so many rows, the crowd is brought up to date so many times in an epoch; beyond, once.
const FRESH: (usize, usize) = (10_000, 8);
/// Epochs between two layouts that are shown.
const SHOWN: usize = 50;

/// How a layout is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampled {
    /// Similarity by distance in the map.
    pub curve: Curve,
    /// Epochs.
    pub n_epochs: usize,
    /// Rows drawn at random for every step to a neighbour.
    pub n_negative: usize,
    /// Weight of the repulsion.
    pub repulsion: f64,
    /// The size of the first steps.
    pub learning_rate: f64,
    /// Seed of the order of edges and of what is drawn.
    pub seed: u64,
}

impl Sampled {
    /// Moves the rows of `start`, keeping densities if these are given, and says how many epochs were done.
    pub fn lay_out(
        &self,
        run: &Run<'_>,
        (graph, density): (&FuzzyGraph, Option<&Density>),
        start: &Array2<f64>,
    ) -> Result<(Array2<f64>, usize)> {
        let slots = Slots::along(start);
        let schedule = Schedule::of(graph, &slots, self.seed);
        let mut state = State::new(start, slots, self.seed);
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
            let moves = Moves {
                terms,
                unit: graph.largest() / WHOLE,
                forces: Forces::new(&self.curve, self.repulsion),
                rate: self.rate(epoch),
                epoch: epoch as u32,
                n_negative: self.n_negative,
                key: mix(self.seed ^ mix(epoch as u64)),
            };
            state.epoch(&schedule, &moves);
            done = epoch + 1;
            run.progress(done as u64, self.n_epochs as u64)?;
            if epoch % SHOWN == 0 {
                let layout = state.layout()?;
                run.iterate(done as u64, None, Some(layout.view()))?;
            }
            if done < self.n_epochs && run.wants_end() {
                run.warn(Warning::EndedEarly {
                    step: done as u64,
                    total: self.n_epochs as u64,
                })?;
                break;
            }
        }
        Ok((state.layout()?, done))
    }

    fn rate(&self, epoch: usize) -> f32 {
        (self.learning_rate * (1.0 - epoch as f64 / self.n_epochs as f64)) as f32
    }
}

/// What all moves of an epoch have in common.
struct Moves {
    terms: Option<Terms>,
    /// The weight of an edge in the graph, for that of its sampling.
    unit: f32,
    forces: Forces,
    rate: f32,
    epoch: u32,
    n_negative: usize,
    key: u64,
}

/// Where the rows are.
struct State {
    n_rows: usize,
    width: usize,
    slots: Slots,
    /// Places by slots, the coordinates of a row side by side. Within a phase every row is written by one job only; they are atomic for
    /// the compiler's peace of mind, and cost nothing.
    places: Vec<AtomicU32>,
    /// The same rows in another order, each coordinate by itself, with the first sixteen once more at the end: those drawn at random.
    crowd: Vec<f32>,
    /// The slots of the crowd.
    faces: Vec<u32>,
}

impl State {
    fn new(start: &Array2<f64>, slots: Slots, seed: u64) -> Self {
        let (n_rows, width) = start.dim();
        let bits = |&value: &f64| AtomicU32::new((value as f32).to_bits());
        let rows = slots.row_of.iter();
        let places = rows.flat_map(|&row| start.row(row as usize).into_iter().map(bits));
        let order = permutation(&mut stream(seed, 2), n_rows);
        let faces = (0..n_rows + LANES).map(|spot| order[spot % n_rows] as u32);
        let mut state = Self {
            n_rows,
            width,
            places: places.collect(),
            slots,
            crowd: vec![0.0; width * (n_rows + LANES)],
            faces: faces.collect(),
        };
        state.gather();
        state
    }

    /// Brings the crowd up to date.
    fn gather(&mut self) {
        let stride = self.n_rows + LANES;
        let (places, faces, width) = (&self.places, &self.faces, self.width);
        for (c, column) in self.crowd.chunks_mut(stride).enumerate() {
            let parts = column.par_chunks_mut(8192).zip(faces.par_chunks(8192));
            parts.for_each(|(column, faces)| {
                for (value, &row) in column.iter_mut().zip(faces) {
                    *value = read(&places[row as usize * width + c]);
                }
            });
        }
    }

    /// Goes twice through all edges, the second time with their ends exchanged.
    fn epoch(&mut self, schedule: &Schedule, moves: &Moves) {
        let often = if self.n_rows <= FRESH.0 { FRESH.1 } else { 1 };
        let every = (2 * schedule.n_edges()).div_ceil(often);
        let (mut number, mut gone, mut passed) = (0, 0, 0);
        for head in 0..2 {
            for jobs in schedule.phases() {
                let passed_of = (passed, 2 * schedule.n_edges());
                let window = Window::of(self.n_rows, passed_of, moves.key);
                self.phase(schedule, moves, (jobs, head, number, window));
                number += 1;
                let n_edges: usize = jobs.iter().map(ExactSizeIterator::len).sum();
                (gone, passed) = (gone + n_edges, passed + n_edges);
                if gone >= every {
                    self.gather();
                    gone = 0;
                }
            }
        }
        if gone > 0 {
            self.gather();
        }
    }

    fn phase(
        &self,
        schedule: &Schedule,
        moves: &Moves,
        (jobs, head, number, window): (&[Range<usize>], usize, u64, Window),
    ) {
        let work = |(place, job): (usize, &Range<usize>)| {
            wide::run(Job {
                state: self,
                moves,
                edges: schedule.edges(job),
                head,
                window,
                key: mix(moves.key ^ (number << 32 | place as u64)),
            });
        };
        let n_edges: usize = jobs.iter().map(ExactSizeIterator::len).sum();
        if n_edges < WORTH || jobs.len() == 1 {
            jobs.iter().enumerate().for_each(work);
        } else {
            jobs.par_iter().enumerate().with_max_len(1).for_each(work);
        }
    }

    fn squared(&self, a: usize, b: usize) -> f64 {
        let row = |row: usize| {
            let slot = self.slots.slot_of[row] as usize;
            &self.places[slot * self.width..(slot + 1) * self.width]
        };
        let pairs = row(a).iter().zip(row(b));
        pairs
            .map(|(x, y)| (f64::from(read(x)) - f64::from(read(y))).powi(2))
            .sum()
    }

    fn layout(&self) -> Result<Array2<f64>> {
        let layout = Array2::from_shape_fn((self.n_rows, self.width), |(row, c)| {
            let slot = self.slots.slot_of[row] as usize;
            f64::from(read(&self.places[slot * self.width + c]))
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

#[inline(always)]
fn read(place: &AtomicU32) -> f32 {
    f32::from_bits(place.load(Ordering::Relaxed))
}

/// Goes through the edges of a job.
struct Job<'a> {
    state: &'a State,
    moves: &'a Moves,
    edges: &'a [Edge],
    /// Which end is driven away from others.
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
            2 => self.go::<[Lane; 2], FUSED>(&[[0.0; LANES]; 2]),
            3 => self.go::<[Lane; 3], FUSED>(&[[0.0; LANES]; 3]),
            width => self.go::<Vec<Lane>, FUSED>(&vec![[0.0; LANES]; width]),
        }
    }
}

impl Job<'_> {
    #[inline(always)]
    fn go<P, const FUSED: bool>(self, zero: &P)
    where
        P: AsRef<[Lane]> + AsMut<[Lane]> + Clone,
    {
        // Room for one more, which is written before it is known whether it counts.
        let mut due = [[0u32; 4]; DUE + 1];
        let (mut count, mut drawn) = (0, self.key);
        for edge in self.edges {
            let [head, tail] = [edge.slots[self.head], edge.slots[1 - self.head]];
            due[count] = [head, tail, edge.weight, edge.round()];
            count += usize::from(edge.is_due(self.moves.epoch));
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
            self.ask_for(&due[(start + AHEAD).min(due.len())..]);
            self.step::<P, FUSED>(&due[start..end], *drawn, zero);
            *drawn = drawn.wrapping_add(self.moves.n_negative as u64);
            start = end;
        }
    }

    /// Asks for the rows of edges that come soon.
    #[inline(always)]
    fn ask_for(&self, due: &[Due]) {
        let (places, width) = (&self.state.places, self.state.width);
        for &[head, tail, ..] in due.iter().take(LANES) {
            ask_for(&places[head as usize * width]);
            ask_for(&places[tail as usize * width]);
        }
    }

    /// Moves the ends of up to sixteen edges towards each other, and the first of them away from rows drawn at random.
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
        self.pull::<P, FUSED>(due, &mut own, &mut other);
        let mut moved = zero.clone();
        for draw in 0..self.moves.n_negative as u64 {
            let drawn = mix(drawn.wrapping_add(draw));
            self.push::<P, FUSED>((&own, &heads), drawn, &mut moved);
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
    fn load(&self, slot: u32, lane: usize, places: &mut [Lane]) {
        let width = places.len();
        let row = &self.state.places[slot as usize * width..(slot as usize + 1) * width];
        for (place, value) in places.iter_mut().zip(row) {
            place[lane] = read(value);
        }
    }

    #[inline(always)]
    fn store(&self, slot: u32, lane: usize, places: &[Lane]) {
        let width = places.len();
        let row = &self.state.places[slot as usize * width..(slot as usize + 1) * width];
        for (place, value) in places.iter().zip(row) {
            value.store(place[lane].to_bits(), Ordering::Relaxed);
        }
    }

    #[inline(always)]
    fn pull<P, const FUSED: bool>(&self, due: &[Due], own: &mut P, other: &mut P)
    where
        P: AsRef<[Lane]> + AsMut<[Lane]>,
    {
        let rate = self.moves.rate;
        let squared = squared::<FUSED>(own.as_ref(), other.as_ref());
        let slopes = self.moves.forces.pull::<FUSED>(&squared);
        let spread = match &self.moves.terms {
            None => [0.0; LANES],
            Some(terms) => self.spread::<FUSED>(terms, due, (&squared, &slopes)),
        };
        for (own, other) in own.as_mut().iter_mut().zip(other.as_mut()) {
            for l in 0..LANES {
                let apart = own[l] - other[l];
                let drawn = within(slopes[l] * apart, STEEPEST);
                let moved = rate * (drawn - within(spread[l] * apart, STEEPEST));
                own[l] -= moved;
                other[l] += moved;
            }
        }
    }

    /// How much densities drive the ends of edges apart, as a factor of their difference.
    #[inline(always)]
    fn spread<const FUSED: bool>(
        &self,
        terms: &Terms,
        due: &[Due],
        (squared, slopes): (&Lane, &Lane),
    ) -> Lane {
        let similarities = self.moves.forces.similarity::<FUSED>(squared);
        let mut spread = [0.0; LANES];
        for (l, &[head, tail, weight, _]) in due.iter().enumerate() {
            let row_of = &self.state.slots.row_of;
            let (head, tail) = (row_of[head as usize], row_of[tail as usize]);
            let (a, b) = (terms.rows[head as usize], terms.rows[tail as usize]);
            let (q, power) = (similarities[l], self.moves.forces.b);
            let radius = (1.0 - power * (1.0 - q)) * (a[1] + b[1]);
            let total = radius + 0.5 * slopes[l] * (a[0] + b[0]);
            spread[l] = terms.factor * q * total / (weight as f32 * self.moves.unit);
        }
        spread
    }

    #[inline(always)]
    fn push<P, const FUSED: bool>(
        &self,
        (own, heads): (&P, &[u32; LANES]),
        drawn: u64,
        moved: &mut P,
    ) where
        P: AsRef<[Lane]> + AsMut<[Lane]> + Clone,
    {
        let state = self.state;
        let stride = state.n_rows + LANES;
        let window = self.window;
        let spot = window.start + (((drawn >> 32) * window.n_rows as u64) >> 32) as usize;
        let mut others = own.clone();
        for (c, other) in others.as_mut().iter_mut().enumerate() {
            let from = c * stride + spot;
            other.copy_from_slice(&state.crowd[from..from + LANES]);
        }
        let squared = squared::<FUSED>(own.as_ref(), others.as_ref());
        let slopes = self.moves.forces.push::<FUSED>(&squared);
        let faces = &state.faces[spot..spot + LANES];
        // Nobody is driven away from where he was himself.
        let mut rates = [self.moves.rate; LANES];
        for l in 0..LANES {
            if faces[l] == heads[l] {
                rates[l] = 0.0;
            }
        }
        let pairs = own.as_ref().iter().zip(others.as_ref());
        for (moved, (own, other)) in moved.as_mut().iter_mut().zip(pairs) {
            for l in 0..LANES {
                let slope = within(slopes[l] * (own[l] - other[l]), STEEPEST);
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
