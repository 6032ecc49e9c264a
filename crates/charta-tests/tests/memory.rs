//! What a plan says a run will need, beside what the run took: every allocation of the program is counted, so no other test may run in it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use charta::data::Precision;
use charta::method::{Input, Shape};
use charta::methods::METHODS;
use charta::pipeline::Fitted;
use charta::random::{normal, stream};
use charta::registry::{AnyMethod, Entry};
use charta::{Data, Labels, Run};
use ndarray::Array2;
use serde_json::json;

const MEBIBYTE: f64 = 1024.0 * 1024.0;
/// A run may reserve this many times what was planned, for it does not fill all that it reserves,
const UNDERSTATED: f64 = 1.3;
/// and this much, whatever the rows.
const UNPLANNED: f64 = MEBIBYTE;
/// A plan may say this many times what the run took,
const OVERSTATED: f64 = 4.0;
/// and this much, for it counts the buffers of up to sixteen threads, and the run here has two.
const UNUSED: f64 = 4.0 * MEBIBYTE;
/// What the plan of the smaller and of the larger run comes to, about, and the most rows that are taken for it.
const SIZES: [(u64, usize); 2] = [(4 << 20, 30_000), (16 << 20, 120_000)];
const N_COLUMNS: usize = 32;

struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
/// Held by the test that counts.
static ALONE: Mutex<()> = Mutex::new(());

/// Whether the bytes are counted. Page by page, the matrix product aligns nothing but its buffers: reserved once a thread by the size of the processor's
/// cache, touched as far as the matrices need.
fn counts(layout: &Layout) -> bool {
    layout.align() < 4096
}

fn grown(bytes: usize) {
    let held = HELD.fetch_add(bytes, Relaxed) + bytes;
    MOST.fetch_max(held, Relaxed);
}

// SAFETY: every call is handed on to the system's allocator as it came; only sizes are noted.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if counts(&layout) {
            grown(layout.size());
        }
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if counts(&layout) {
            grown(layout.size());
        }
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        if counts(&layout) {
            HELD.fetch_sub(layout.size(), Relaxed);
        }
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if counts(&layout) && size > layout.size() {
            grown(size - layout.size());
        } else if counts(&layout) {
            HELD.fetch_sub(layout.size() - size, Relaxed);
        }
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The bytes held at the peak of some work, above those held before it.
fn peak<T>(work: impl FnOnce() -> T) -> usize {
    let before = HELD.load(Relaxed);
    MOST.store(before, Relaxed);
    let result = work();
    let most = MOST.load(Relaxed);
    drop(result);
    most - before
}

/// Three groups of rows, none negative.
fn sample(n_rows: usize) -> Array2<f64> {
    let mut draw = stream(3, 0);
    Array2::from_shape_fn((n_rows, N_COLUMNS), |(i, j)| {
        let group = ((i % 3) * (j % 5)) as f64;
        (10.0 + group + normal(&mut draw)).abs()
    })
}

/// Defaults, but for as few epochs as show the peak.
fn method(entry: &'static Entry) -> Box<dyn AnyMethod> {
    let has_epochs = entry.specs().iter().any(|spec| spec.name == "n_epochs");
    let parameters = if has_epochs {
        json!({ "n_epochs": 3 })
    } else {
        json!({})
    };
    entry.parse(&parameters).unwrap()
}

/// The fewest rows for which the plan comes to this many bytes, or the most rows.
fn rows_for(method: &dyn AnyMethod, bytes: u64, most: usize) -> usize {
    let planned = |n_rows: usize| {
        let shape = Shape::dense(n_rows, N_COLUMNS, Precision::Double);
        method.plan(&shape).unwrap().bytes()
    };
    let sizes = (0..80).map(|step| (100.0 * 1.1_f64.powi(step)) as usize);
    sizes
        .take_while(|&n_rows| n_rows < most)
        .find(|&n_rows| planned(n_rows) >= bytes)
        .unwrap_or(most)
}

/// Bytes planned and taken.
fn compare(method: &dyn AnyMethod, n_rows: usize) -> (f64, f64) {
    let x = sample(n_rows);
    let words: Vec<String> = (0..n_rows).map(|i| format!("group {}", i % 3)).collect();
    let mut data = Data::from(&x);
    if method.info().takes(Input::Views) {
        data = data
            .with_view_widths(&[N_COLUMNS / 2, N_COLUMNS / 2])
            .unwrap();
    }
    let data = data.with_labels(Labels::from_words(&words)).unwrap();
    let plan = method.plan(&Shape::of(&data)).unwrap();
    let run = Run::new().threads(2).unwrap();
    let taken = peak(|| Fitted::fit(method, &run, &data, None).unwrap());
    (plan.bytes() as f64, taken as f64)
}

#[test]
fn plans_are_near_what_runs_take() {
    let _alone = ALONE.lock();
    let mut wrong = Vec::new();
    for entry in METHODS {
        let method = method(entry);
        for (bytes, most) in SIZES {
            let n_rows = rows_for(method.as_ref(), bytes, most);
            let (planned, taken) = compare(method.as_ref(), n_rows);
            let line = format!(
                "{} of {n_rows} rows: planned {:.2} MiB, took {:.2} MiB",
                entry.info.name,
                planned / MEBIBYTE,
                taken / MEBIBYTE
            );
            eprintln!("{line}");
            if taken > UNDERSTATED * planned + UNPLANNED || planned > OVERSTATED * taken + UNUSED {
                wrong.push(line);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn allocations_are_counted() {
    let _alone = ALONE.lock();
    let taken = peak(|| {
        let held = vec![1_u8; 3_000_000];
        drop(vec![2_u8; 2_000_000]);
        held
    });
    // The program that runs the tests may free some bytes of its own meanwhile.
    assert!((4_990_000..5_100_000).contains(&taken), "{taken}");
}
