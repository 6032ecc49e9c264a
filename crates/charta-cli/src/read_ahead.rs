//! Batches read on a thread of their own, one ahead of the computation.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use charta::data::{OwnedFeatures, Precision};
use charta::{Batches, Data, Features, Labels};
use charta_io::{ImageShape, LabelType, TableBatches};

use crate::failure::{Failure, Outcome};
use crate::input::Input;
use crate::signals;

/// What is known before the first batch.
#[derive(Clone, Debug)]
pub(crate) struct Heading {
    pub(crate) n_columns: usize,
    pub(crate) n_rows: Option<usize>,
    pub(crate) column_names: Option<Vec<String>>,
    pub(crate) label_title: Option<String>,
    pub(crate) label_type: Option<LabelType>,
    pub(crate) id_title: Option<String>,
    pub(crate) precision: Precision,
    pub(crate) image: Option<ImageShape>,
    pub(crate) notes: Vec<String>,
}

/// A batch with what belongs to its rows.
pub(crate) struct Batch {
    pub(crate) features: OwnedFeatures,
    pub(crate) labels: Option<Labels<'static>>,
    pub(crate) row_names: Option<Vec<String>>,
    /// Missing values up to here.
    n_missing: usize,
}

/// Batches that a thread reads.
pub(crate) struct ReadAhead {
    heading: Heading,
    batches: Receiver<charta::Result<Batch>>,
    current: Option<Batch>,
    n_missing: usize,
}

impl ReadAhead {
    /// Opens a source. `n_rows` is the number of rows where somebody has counted them.
    pub(crate) fn open(
        input: &Input,
        rows_per_batch: usize,
        n_rows: Option<usize>,
    ) -> Outcome<Self> {
        let (send_heading, headings) = sync_channel(1);
        // One batch waits while the next is read and the last is worked on.
        let (send_batch, batches) = sync_channel(1);
        let Input {
            source, options, ..
        } = input.clone();
        thread::spawn(move || {
            match charta_io::open_batches(&source, &options, rows_per_batch) {
                Ok(opened) => {
                    if send_heading.send(Ok(heading(opened.as_ref()))).is_ok() {
                        read_all(opened, &send_batch);
                    }
                }
                // If the receiver is gone, the error is not needed.
                Err(error) => drop(send_heading.send(Err(error))),
            }
        });
        let mut heading = signals::wait(&headings)?
            .ok_or_else(|| Failure::Run(format!("{}: reading ended early", input.source)))??;
        heading.n_rows = heading.n_rows.or(n_rows);
        Ok(Self {
            heading,
            batches,
            current: None,
            n_missing: 0,
        })
    }

    pub(crate) fn heading(&self) -> &Heading {
        &self.heading
    }

    /// Missing values in the batches so far.
    pub(crate) fn n_missing(&self) -> usize {
        self.n_missing
    }

    /// The batch that was given last.
    pub(crate) fn current(&self) -> Option<&Batch> {
        self.current.as_ref()
    }

    /// Takes the next batch; false at the end.
    pub(crate) fn advance(&mut self) -> charta::Result<bool> {
        // Freed before the next one is taken.
        self.current = None;
        let next = signals::wait(&self.batches).map_err(|_| charta::Error::Cancelled)?;
        self.current = next.transpose()?;
        if let Some(batch) = &self.current {
            self.n_missing = batch.n_missing;
        }
        Ok(self.current.is_some())
    }

    /// The batch that was given last, as the library takes it.
    pub(crate) fn data(&self) -> charta::Result<Option<Data<'_>>> {
        let Some(batch) = &self.current else {
            return Ok(None);
        };
        let mut data = Data::from(&batch.features);
        if let Some(labels) = &batch.labels {
            data = data.with_labels(labels.reborrow())?;
        }
        if let Some(names) = &batch.row_names {
            data = data.with_row_names(names.as_slice())?;
        }
        if let Some(names) = &self.heading.column_names {
            data = data.with_column_names(names.as_slice())?;
        }
        Ok(Some(data))
    }
}

impl Batches for ReadAhead {
    fn n_columns(&self) -> usize {
        self.heading.n_columns
    }

    fn n_rows(&self) -> Option<usize> {
        self.heading.n_rows
    }

    fn column_names(&self) -> Option<&[String]> {
        self.heading.column_names.as_deref()
    }

    fn next_batch(&mut self) -> charta::Result<Option<Data<'_>>> {
        self.advance()?;
        self.data()
    }
}

fn heading(batches: &dyn TableBatches) -> Heading {
    Heading {
        n_columns: batches.n_columns(),
        n_rows: batches.n_rows(),
        column_names: batches.column_names().map(<[String]>::to_vec),
        label_title: batches.label_title().map(String::from),
        label_type: batches.label_type(),
        id_title: batches.id_title().map(String::from),
        precision: batches.precision(),
        image: batches.image(),
        notes: batches.notes().to_vec(),
    }
}

fn read_all(mut batches: Box<dyn TableBatches>, sender: &SyncSender<charta::Result<Batch>>) {
    while let Some(batch) = next(batches.as_mut()).transpose() {
        let failed = batch.is_err();
        // The receiver is gone once the run has been stopped.
        if sender.send(batch).is_err() || failed {
            return;
        }
    }
}

fn next(batches: &mut dyn TableBatches) -> charta::Result<Option<Batch>> {
    let features = match batches.next_batch()? {
        Some(data) => owned(data.features("reading in batches")?),
        None => return Ok(None),
    };
    Ok(Some(Batch {
        features,
        labels: batches.labels().cloned(),
        row_names: batches.row_names().map(<[String]>::to_vec),
        n_missing: batches.n_missing(),
    }))
}

fn owned(features: &Features<'_>) -> OwnedFeatures {
    match features {
        Features::F32(x) => OwnedFeatures::F32(x.to_owned()),
        Features::F64(x) => OwnedFeatures::F64(x.to_owned()),
        Features::SparseF32(rows) => OwnedFeatures::SparseF32(rows.to_rows()),
        Features::SparseF64(rows) => OwnedFeatures::SparseF64(rows.to_rows()),
    }
}
