//! Data in and out for charta.
//!
//! [`read`] takes the name of a data set, a path or `-` and gives a [`Table`], whose
//! [`data`](Table::data) the methods take. [`read_each`] reads several views of the same rows, which
//! [`side_by_side`] makes one table of. [`open_batches`] gives the same rows in batches, for files
//! larger than memory. [`write()`] and [`create`] write coordinates beside the rows' names and labels;
//! every file appears whole or not at all ([`AtomicFile`]).
//!
//! ```
//! let table = charta_io::read("iris", &charta_io::ReadOptions::default())?;
//! assert_eq!((table.n_rows(), table.n_columns()), (150, 4));
//! # Ok::<(), charta_io::Error>(())
//! ```

mod arrange;
#[cfg(feature = "parquet")]
mod arrow;
mod atomic;
mod batches;
mod beside;
mod block;
mod builtin;
mod catalogue;
mod collect;
mod columns;
mod describe;
mod error;
mod foreign;
mod format;
mod generated;
mod glob;
mod idx;
#[cfg(feature = "images")]
mod images;
mod input;
mod labels;
mod matrix_market;
#[cfg(feature = "images")]
mod netpbm;
mod npy;
mod npz;
mod open;
mod options;
mod pairs;
#[cfg(feature = "images")]
mod pixels;
mod side_by_side;
mod source;
mod sparse;
mod suggest;
mod table;
mod text;
mod wording;
mod write;

pub use atomic::{AtomicFile, write_atomically};
pub use batches::{TableBatches, open_batches};
pub use beside::{read_anchors, read_coordinates, read_neighbors};
pub use block::Lines;
pub use catalogue::{DataSet, data_sets, nearest_data_set};
pub use describe::{Shape, describe};
pub use error::{Error, Result};
pub use format::Format;
pub use open::{read, read_weights};
pub use options::{Kind, LabelKind, MISSING_WORDS, ReadOptions};
pub use side_by_side::{read_each, side_by_side};
pub use table::{Content, ImageShape, Table};
pub use write::{
    LabelType, Output, OutputFormat, Rows, Schema, TableWriter, check_not_input, check_output,
    create, write,
};
