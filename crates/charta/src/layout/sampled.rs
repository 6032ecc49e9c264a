//! A layout by sampled edges: every row is drawn to neighbours as often as its edges are strong, and away from rows drawn at random.
//!
//! A row is moved by whoever owns it, and by nobody else: within a turn it sees the other rows where they were when the turn began,
//! and itself where it is. Sixteen rows move side by side, and blocks of them take turns, 32 in an epoch. An edge moves both of its
//! ends twice in the reference, once for each of its directions; here each end moves itself twice as far.
//!
//! McInnes, Healy and Melville, "UMAP", 2018, algorithm 5.

use ndarray::Array2;
use rayon::prelude::*;

use super::attraction::{CAP, Forces, Lane, STEEPEST, smaller, within};
use super::curve::Curve;
use super::fuzzy::FuzzyGraph;
use super::schedule::{LANES, NOBODY, Schedule, mix};
use crate::error::{Error, Result, Warning};
use crate::linalg::wide::{self, Loop, step};
use crate::run::Run;

/// Groups that one job moves.
const JOB: usize = 8;
/// Up to so many rows, those drawn at random are seen where they were at the last turn; beyond, at the last epoch.
const FRESH: usize = 10_000;
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
    /// Seed of the order of rows and of what is drawn.
    pub seed: u64,
}

impl Sampled {
    /// Moves the rows of `start`, and says how many epochs were done.
    pub fn lay_out(
        &self,
        run: &Run<'_>,
        graph: &FuzzyGraph,
        start: &Array2<f64>,
    ) -> Result<(Array2<f64>, usize)> {
        let schedule = Schedule::new(graph, self.seed);
        let mut state = State::new(&schedule, start, self.seed);
        let mut done = 0;
        for epoch in 0..self.n_epochs {
            run.check()?;
            let moves = Moves {
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
                let layout = state.layout(&schedule)?;
                run.iterate(done as u64, None, Some(layout.view()))?;
            }
            if run.wants_end() && done < self.n_epochs {
                run.warn(Warning::EndedEarly {
                    step: done as u64,
                    total: self.n_epochs as u64,
                })?;
                break;
            }
        }
        Ok((state.layout(&schedule)?, done))
    }

    fn rate(&self, epoch: usize) -> f32 {
        let left = 1.0 - epoch as f64 / self.n_epochs as f64;
        (self.learning_rate * left.powf(1.5)) as f32
    }
}

/// What all moves of an epoch have in common.
struct Moves {
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
    /// Places by slot, the coordinates of a row side by side.
    places: Vec<f32>,
    /// Where the rows of a block go.
    next: Vec<f32>,
    /// The same rows in another order, each coordinate by itself, with the first sixteen once more at the end.
    crowd: Vec<f32>,
    /// The slots of the crowd.
    faces: Vec<u32>,
    /// Where each slot is in the crowd.
    spot_of: Vec<u32>,
}

impl State {
    fn new(schedule: &Schedule, start: &Array2<f64>, seed: u64) -> Self {
        let (n_rows, width) = start.dim();
        let mut places = vec![0.0; schedule.n_slots() * width];
        for (row, from) in start.rows().into_iter().enumerate() {
            let to = schedule.slot_of[row] as usize * width;
            for (place, &value) in places[to..to + width].iter_mut().zip(from) {
                *place = value as f32;
            }
        }
        let order = crate::random::permutation(&mut crate::random::stream(seed, 2), n_rows);
        let mut spot_of = vec![NOBODY; schedule.n_slots()];
        for (spot, &row) in order.iter().enumerate() {
            spot_of[schedule.slot_of[row] as usize] = spot as u32;
        }
        let faces = (0..n_rows + LANES)
            .map(|spot| schedule.slot_of[order[spot % n_rows]])
            .collect();
        let mut state = Self {
            n_rows,
            width,
            next: vec![0.0; places.len()],
            places,
            crowd: vec![0.0; width * (n_rows + LANES)],
            faces,
            spot_of,
        };
        state.gather();
        state
    }

    /// Brings the whole crowd up to date.
    fn gather(&mut self) {
        let stride = self.n_rows + LANES;
        let (places, faces, width) = (&self.places, &self.faces, self.width);
        for (c, column) in self.crowd.chunks_mut(stride).enumerate() {
            let parts = column.par_chunks_mut(4096).zip(faces.par_chunks(4096));
            parts.for_each(|(column, faces)| {
                for (value, &slot) in column.iter_mut().zip(faces) {
                    *value = places[slot as usize * width + c];
                }
            });
        }
    }

    fn epoch(&mut self, schedule: &Schedule, moves: &Moves) {
        for block in schedule.blocks.windows(2) {
            self.turn(schedule, moves, (block[0], block[1]));
        }
        if self.n_rows > FRESH {
            self.gather();
        }
    }

    /// Moves the rows of a block.
    fn turn(&mut self, schedule: &Schedule, moves: &Moves, (first, last): (usize, usize)) {
        let group = LANES * self.width;
        let mut next = std::mem::take(&mut self.next);
        let targets = &mut next[first * group..last * group];
        let jobs = targets.par_chunks_mut(JOB * group).enumerate();
        jobs.for_each(|(job, target)| {
            wide::run(Job {
                state: self,
                schedule,
                moves,
                first: first + job * JOB,
                target,
            });
        });
        self.places[first * group..last * group].copy_from_slice(targets);
        self.next = next;
        if self.n_rows <= FRESH {
            for slot in first * LANES..last * LANES {
                self.show(slot);
            }
        }
    }

    /// Brings one row of the crowd up to date.
    fn show(&mut self, slot: usize) {
        let stride = self.n_rows + LANES;
        let spot = self.spot_of[slot];
        if spot == NOBODY {
            return;
        }
        for c in 0..self.width {
            let value = self.places[slot * self.width + c];
            for copy in (spot as usize..stride).step_by(self.n_rows) {
                self.crowd[c * stride + copy] = value;
            }
        }
    }

    fn layout(&self, schedule: &Schedule) -> Result<Array2<f64>> {
        let layout = Array2::from_shape_fn((self.n_rows, self.width), |(row, c)| {
            f64::from(self.places[schedule.slot_of[row] as usize * self.width + c])
        });
        if layout.iter().all(|value| value.is_finite()) {
            return Ok(layout);
        }
        Err(Error::NotConverged {
            what: "the layout".into(),
            reached: "places that are not finite: a smaller `learning_rate` may help".into(),
        })
    }
}

/// Moves some groups of a block.
struct Job<'a> {
    state: &'a State,
    schedule: &'a Schedule,
    moves: &'a Moves,
    first: usize,
    target: &'a mut [f32],
}

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
        let width = self.state.width;
        let mut due = self.schedule.room();
        for (number, target) in self.target.chunks_mut(LANES * width).enumerate() {
            let group = self.first + number;
            let counts = self.schedule.due(group, self.moves.epoch, &mut due);
            let most = counts.iter().copied().max().unwrap_or(0);
            let mut walk = Walk {
                state: self.state,
                moves: self.moves,
                group,
                own: zero.clone(),
            };
            walk.begin();
            for (number, neighbors) in due[..most].iter().enumerate() {
                let moving = std::array::from_fn(|l| f32::from(u8::from(number < counts[l])));
                walk.advance::<FUSED>(number, neighbors, &moving, zero);
            }
            walk.end(target);
        }
    }
}

/// Sixteen rows on their way.
struct Walk<'a, P> {
    state: &'a State,
    moves: &'a Moves,
    group: usize,
    own: P,
}

impl<P: AsRef<[Lane]> + AsMut<[Lane]> + Clone> Walk<'_, P> {
    #[inline(always)]
    fn begin(&mut self) {
        let first = self.group * LANES;
        read(
            self.state,
            &std::array::from_fn(|l| (first + l) as u32),
            &mut self.own,
        );
    }

    #[inline(always)]
    fn end(&self, target: &mut [f32]) {
        let own = self.own.as_ref();
        for (l, target) in target.chunks_mut(own.len()).enumerate() {
            for (value, lane) in target.iter_mut().zip(own) {
                *value = lane[l];
            }
        }
    }

    /// One step: to a neighbour, and away from rows drawn at random.
    #[inline(always)]
    fn advance<const FUSED: bool>(
        &mut self,
        number: usize,
        neighbors: &[u32; LANES],
        moving: &Lane,
        zero: &P,
    ) {
        let mut moved = zero.clone();
        self.pull::<FUSED>(neighbors, &mut moved);
        for draw in 0..self.moves.n_negative {
            let draw = (number * self.moves.n_negative + draw) as u64;
            self.push::<FUSED>(draw, &mut moved);
        }
        for (own, moved) in self.own.as_mut().iter_mut().zip(moved.as_ref()) {
            for l in 0..LANES {
                own[l] = step::<f32, FUSED>(moved[l], moving[l], own[l]);
            }
        }
    }

    #[inline(always)]
    fn pull<const FUSED: bool>(&self, neighbors: &[u32; LANES], moved: &mut P) {
        let rate = 2.0 * self.moves.rate;
        let mut apart = moved.clone();
        read(self.state, neighbors, &mut apart);
        let squared = self.differ::<FUSED>(&mut apart);
        let slopes = self.moves.forces.pull::<FUSED>(&squared);
        let shares: Lane = std::array::from_fn(|l| smaller(rate * slopes[l], CAP));
        for (moved, apart) in moved.as_mut().iter_mut().zip(apart.as_ref()) {
            for l in 0..LANES {
                moved[l] -= within(shares[l] * apart[l], rate * STEEPEST);
            }
        }
    }

    #[inline(always)]
    fn push<const FUSED: bool>(&self, draw: u64, moved: &mut P) {
        let state = self.state;
        let key = self.moves.key ^ ((self.group as u64) << 32);
        let drawn = mix(key.wrapping_add(draw)) >> 32;
        let spot = ((drawn * state.n_rows as u64) >> 32) as usize;
        let stride = state.n_rows + LANES;
        let mut apart = moved.clone();
        for (c, apart) in apart.as_mut().iter_mut().enumerate() {
            let from = c * stride + spot;
            apart.copy_from_slice(&state.crowd[from..from + LANES]);
        }
        let squared = self.differ::<FUSED>(&mut apart);
        let slopes = self.moves.forces.push::<FUSED>(&squared);
        let faces = &state.faces[spot..spot + LANES];
        let first = self.group * LANES;
        // Nobody is driven away from where he was himself.
        let rates: Lane = std::array::from_fn(|l| match faces[l] == (first + l) as u32 {
            true => 0.0,
            false => self.moves.rate,
        });
        for (moved, apart) in moved.as_mut().iter_mut().zip(apart.as_ref()) {
            for l in 0..LANES {
                let slope = within(slopes[l] * apart[l], STEEPEST);
                moved[l] = step::<f32, FUSED>(rates[l], slope, moved[l]);
            }
        }
    }

    /// Turns other places into the differences of the own ones from them, and says their squared lengths.
    #[inline(always)]
    fn differ<const FUSED: bool>(&self, others: &mut P) -> Lane {
        let mut squared = [0.0; LANES];
        for (other, own) in others.as_mut().iter_mut().zip(self.own.as_ref()) {
            for l in 0..LANES {
                other[l] = own[l] - other[l];
                squared[l] = step::<f32, FUSED>(other[l], other[l], squared[l]);
            }
        }
        squared
    }
}

/// The places of sixteen slots.
#[inline(always)]
fn read<P: AsMut<[Lane]>>(state: &State, slots: &[u32; LANES], places: &mut P) {
    let places = places.as_mut();
    let width = places.len();
    for (l, &slot) in slots.iter().enumerate() {
        let from = slot as usize * width;
        let row = &state.places[from..from + width];
        for (place, &value) in places.iter_mut().zip(row) {
            place[l] = value;
        }
    }
}
