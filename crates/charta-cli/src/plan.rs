//! What a run would do and need, predicted before it starts; and whether it may start.

use charta::data::Precision;
use charta::error::bytes;
use charta::method::{Plan, Shape};
use charta::params::Json;
use charta::registry::AnyMethod;
use charta_io::{Kind, ReadOptions};
use serde_json::json;

use crate::error_wording::Words;
use crate::failure::{Failure, Outcome};
use crate::format::{Side, counted, table};
use crate::input::Input;
use crate::memory::Limit;
use crate::progress::Progress;
use crate::result::type_name;
use crate::signals;

/// Bytes of a batch unless the user says how many rows it has.
const BATCH_BYTES: u64 = 32 << 20;
/// Batches in memory at a time: being read, waiting, worked on, and its coordinates.
const BATCHES_HELD: u64 = 4;

/// The size of a source, found without reading it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) shape: Shape,
    /// False if the rows were estimated.
    pub(crate) exact: bool,
    /// What the source is: "a text table".
    pub(crate) format: &'static str,
    /// Several files, of which one table is made.
    pub(crate) several: bool,
}

impl Size {
    /// Asks the source. `None` if it can only be known by reading.
    pub(crate) fn of(input: &Input, progress: &Progress) -> Outcome<Option<Self>> {
        if input.is_read_once() {
            return Ok(None);
        }
        progress.stage("measuring");
        let several = input.sources.len() > 1;
        let features = input.options.kind == Kind::Features;
        let input = input.clone();
        let described = match signals::stoppable(move || describe(&input))? {
            Ok(described) => described,
            // Reading will report what is wrong, if anything is.
            Err(charta_io::Error::Unsupported { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mut shape = Shape::dense(described.rows, described.columns, described.precision);
        if let Some(stored) = described.stored {
            shape.n_stored = stored;
            shape.sparse = true;
        }
        shape.features = features;
        Ok(Some(Self {
            shape,
            exact: described.exact,
            format: described.format,
            several,
        }))
    }

    /// The rows of a batch: enough to be worth a pass, few enough for the memory there is.
    pub(crate) fn batch_rows(&self, limit: &Limit) -> usize {
        let row = (self.shape.n_columns as u64).max(1) * self.shape.precision.bytes();
        let bytes = limit
            .bytes
            .map_or(BATCH_BYTES, |limit| BATCH_BYTES.min(limit / 16));
        let rows = (bytes / row).clamp(64, 1 << 18) as usize;
        if self.exact {
            rows.min(self.shape.n_rows.max(1))
        } else {
            rows
        }
    }
}

/// The size of one source, or of several side by side.
fn describe(input: &Input) -> charta_io::Result<charta_io::Shape> {
    if let [only] = input.sources.as_slice() {
        return charta_io::describe(only, &input.options);
    }
    // Only one of them has the label: at worst it is counted as a feature here.
    let options = ReadOptions {
        label: None,
        id: None,
        ..input.options.clone()
    };
    let mut whole: Option<charta_io::Shape> = None;
    for source in &input.sources {
        let part = charta_io::describe(source, &options)?;
        whole = Some(match whole {
            None => charta_io::Shape {
                format: "several files",
                ..part
            },
            Some(whole) => charta_io::Shape {
                columns: whole.columns + part.columns,
                exact: whole.exact && part.exact,
                precision: match part.precision {
                    Precision::Double => Precision::Double,
                    Precision::Single => whole.precision,
                },
                ..whole
            },
        });
    }
    whole.map_or_else(|| charta_io::describe("", &options), Ok)
}

/// A plan with the data it is for.
#[derive(Clone, Debug)]
pub(crate) struct Forecast {
    pub(crate) size: Size,
    plan: Plan,
    /// What takes memory, with the bytes of each.
    parts: Vec<(String, u64)>,
    /// Rows in a batch, if the rows come in batches.
    batch_rows: Option<usize>,
}

impl Forecast {
    /// For all rows at once.
    pub(crate) fn whole(method: &dyn AnyMethod, size: Size) -> Outcome<Self> {
        let plan = method.plan(&size.shape)?;
        let mut parts = vec![("data".to_string(), size.shape.bytes())];
        if size.several {
            parts.push(("the files it is made of".to_string(), size.shape.bytes()));
        }
        parts.extend(plan.memory.iter().cloned());
        Ok(Self {
            size,
            plan,
            parts,
            batch_rows: None,
        })
    }

    /// For rows in batches.
    pub(crate) fn streaming(
        method: &dyn AnyMethod,
        size: Size,
        batch_rows: usize,
    ) -> Outcome<Self> {
        let batch = Shape::dense(batch_rows, size.shape.n_columns, size.shape.precision);
        let plan = method.plan_batches(&batch)?;
        let mut parts = vec![("batches of rows".to_string(), BATCHES_HELD * batch.bytes())];
        parts.extend(plan.memory.iter().cloned());
        Ok(Self {
            size,
            plan,
            parts,
            batch_rows: Some(batch_rows),
        })
    }

    /// Bytes needed at the peak.
    pub(crate) fn needed(&self) -> u64 {
        self.parts
            .iter()
            .fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }

    /// The same without the advice to work in batches, which would not help.
    pub(crate) fn without_batches(mut self) -> Self {
        self.plan.or_batches = false;
        self
    }

    /// True if that may be used, or nothing is known.
    pub(crate) fn fits(&self, limit: &Limit) -> bool {
        limit.bytes.is_none_or(|limit| self.needed() <= limit)
    }

    /// Why the run may not start; `batches` is what it would need in batches, if it could do with them.
    pub(crate) fn refusal(&self, limit: &Limit, batches: Option<&Self>) -> Failure {
        let way = if self.batch_rows.is_some() {
            " in batches"
        } else {
            ""
        };
        let other = batches.map(|batches| format!(", or {} in batches,", bytes(batches.needed())));
        Failure::Run(format!(
            "this run would need about {} of memory{way}{} and may use {} ({}): {}",
            bytes(self.needed()),
            other.unwrap_or_default(),
            bytes(limit.bytes.unwrap_or(u64::MAX)),
            limit.reason,
            self.advice(),
        ))
    }

    /// What to do if it does not fit.
    fn advice(&self) -> String {
        Words::plain(|words| self.plan.all_advice().render(words))
    }

    /// The plan for people.
    pub(crate) fn text(&self, name: &str, limit: &Limit) -> String {
        let shape = &self.size.shape;
        let about = if self.size.exact { "" } else { "about " };
        let data = format!(
            "{name}: {about}{} × {}, {} ({})",
            counted(shape.n_rows, "row"),
            counted(shape.n_columns, "column"),
            type_name(shape.precision),
            self.size.format
        );
        let allowed = match limit.bytes {
            Some(limit_bytes) => format!("{} ({})", bytes(limit_bytes), limit.reason),
            None => "not known".into(),
        };
        let verdict = if self.fits(limit) {
            "the run fits".to_string()
        } else {
            format!("the run would not fit: {}", self.advice())
        };
        let mut rows = vec![
            vec!["data".into(), data],
            vec!["algorithm".into(), self.plan.algorithm.clone()],
        ];
        if let Some(batch_rows) = self.batch_rows {
            rows.push(vec!["batches".into(), counted(batch_rows, "row")]);
        }
        rows.push(vec!["may use".into(), allowed]);
        rows.push(vec!["verdict".into(), verdict]);
        let head = table(0, &[Side::Left, Side::Left], &rows);
        format!("{head}\nmemory at the peak, about\n{}", self.memory_table())
    }

    fn memory_table(&self) -> String {
        let mut rows: Vec<Vec<String>> = self
            .parts
            .iter()
            .map(|(what, size)| vec![what.clone(), bytes(*size)])
            .collect();
        rows.push(vec!["total".into(), bytes(self.needed())]);
        table(2, &[Side::Left, Side::Right], &rows)
    }

    /// The plan as JSON.
    pub(crate) fn to_json(&self, limit: &Limit) -> Json {
        let parts: Vec<Json> = self
            .parts
            .iter()
            .map(|(what, bytes)| json!({"what": what, "bytes": bytes}))
            .collect();
        json!({
            "algorithm": self.plan.algorithm,
            "n_rows": self.size.shape.n_rows,
            "n_columns": self.size.shape.n_columns,
            "precision": type_name(self.size.shape.precision),
            "exact": self.size.exact,
            "batch_rows": self.batch_rows,
            "memory": parts,
            "bytes": self.needed(),
            "limit": limit.bytes,
            "fits": self.fits(limit),
            "advice": self.advice(),
        })
    }
}
