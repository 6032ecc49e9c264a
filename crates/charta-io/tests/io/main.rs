//! Tables read and written: every format, whole and in batches, and what is said when a source makes no sense.

mod batches;
mod pairs;
mod parts;
mod round_trip;
mod sources;
