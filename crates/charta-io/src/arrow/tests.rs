use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, Float32Builder, ListBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float32Array, Float64Array, Int64Array, RecordBatch,
    StringArray, TimestampSecondArray,
};
use charta::data::Precision;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use super::{SILENT, guarded};
use crate::collect::collect;
use crate::error::Result;
use crate::input::Input;
use crate::options::ReadOptions;
use crate::table::{Content, Table};

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

fn parquet_bytes(batch: &RecordBatch) -> Vec<u8> {
    // Small row groups, so that every test crosses their borders.
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(2))
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn ipc_bytes(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn stream_bytes(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn parquet(bytes: Vec<u8>, options: &ReadOptions) -> Result<Table> {
    collect(
        super::open_parquet(Input::bytes("t.parquet", bytes), options)?,
        options,
    )
}

fn ipc(bytes: Vec<u8>, options: &ReadOptions) -> Result<Table> {
    collect(
        super::open_ipc(Input::bytes("t.arrow", bytes), options)?,
        options,
    )
}

fn row(table: &Table, row: usize) -> Vec<f64> {
    let Content::Features(features) = &table.content else {
        panic!("features expected")
    };
    let view = features.view();
    (0..view.n_columns())
        .map(|column| view.value(row, column))
        .collect()
}

fn mixed() -> RecordBatch {
    let species: DictionaryArray<Int32Type> =
        vec![Some("x"), None, Some("y"), Some("x"), Some("y")]
            .into_iter()
            .collect();
    batch(vec![
        (
            "name",
            Arc::new(StringArray::from(vec!["p", "q", "r", "s", "t"])),
        ),
        (
            "a",
            Arc::new(Float64Array::from(vec![
                Some(1.5),
                None,
                Some(3.0),
                Some(4.0),
                Some(5.0),
            ])),
        ),
        ("b", Arc::new(Int64Array::from(vec![1, -2, 3, 4, 5]))),
        (
            "flag",
            Arc::new(BooleanArray::from(vec![true, false, true, true, false])),
        ),
        ("species", Arc::new(species)),
    ])
}

#[test]
fn columns_of_every_kind_become_rows_labels_and_names() {
    let options = ReadOptions {
        id: Some("name".into()),
        label: Some("species".into()),
        ..ReadOptions::default()
    };
    let from_ipc = ipc(ipc_bytes(&mixed()), &options).unwrap();
    assert_eq!(from_ipc.n_rows(), 10);
    for table in [
        parquet(parquet_bytes(&mixed()), &options).unwrap(),
        from_ipc,
    ] {
        assert_eq!(table.column_names.as_deref().unwrap(), ["a", "b", "flag"]);
        assert_eq!(row(&table, 0), [1.5, 1.0, 1.0]);
        assert_eq!(row(&table, 4), [5.0, 5.0, 0.0]);
        assert!(row(&table, 1)[0].is_nan());
        assert_eq!(table.n_missing, table.n_rows() / 5);
        assert_eq!(table.row_names.as_ref().unwrap()[2], "r");
        let (title, labels) = table.labels.as_ref().unwrap();
        assert_eq!(
            (title.as_str(), labels.text(2), labels.text(1)),
            ("species", "y".into(), String::new())
        );
        assert_eq!(table.precision(), Precision::Double);
    }
}

#[test]
fn a_stream_is_read_like_a_file() {
    let options = ReadOptions {
        columns: vec!["b".into()],
        ..ReadOptions::default()
    };
    let table = ipc(stream_bytes(&mixed()), &options).unwrap();
    assert_eq!((table.n_rows(), row(&table, 1)), (5, vec![-2.0]));
}

#[test]
fn lists_are_spread_over_columns() {
    let mut fixed = FixedSizeListBuilder::new(Float32Builder::new(), 3);
    let mut free = ListBuilder::new(Float32Builder::new());
    for at in 0..5u8 {
        fixed.values().append_slice(&[f32::from(at), 1.0, 2.0]);
        fixed.append(at != 3);
        free.values().append_slice(&[f32::from(at), 9.0]);
        free.append(true);
    }
    let batch = batch(vec![
        ("e", Arc::new(fixed.finish())),
        ("f", Arc::new(free.finish())),
    ]);
    let table = parquet(parquet_bytes(&batch), &ReadOptions::default()).unwrap();
    assert_eq!(
        table.column_names.as_deref().unwrap(),
        ["e_0", "e_1", "e_2", "f_0", "f_1"]
    );
    assert_eq!(row(&table, 4), [4.0, 1.0, 2.0, 4.0, 9.0]);
    assert_eq!((table.n_missing, table.precision()), (3, Precision::Single));
    let part = ipc(ipc_bytes(&batch), &ReadOptions::default()).unwrap();
    assert_eq!(row(&part, 9), [4.0, 1.0, 2.0, 4.0, 9.0]);
}

#[test]
fn lists_of_unequal_length_are_named_by_row() {
    let mut free = ListBuilder::new(Float32Builder::new());
    free.values().append_slice(&[1.0, 2.0]);
    free.append(true);
    free.values().append_slice(&[1.0]);
    free.append(true);
    let bytes = parquet_bytes(&batch(vec![("f", Arc::new(free.finish()))]));
    assert_eq!(
        parquet(bytes, &ReadOptions::default())
            .unwrap_err()
            .to_string(),
        "t.parquet: row 1, column 0 (\"f\"): a list of 1 number where the first row has 2"
    );
}

#[test]
fn columns_that_are_no_numbers_are_named() {
    let time: ArrayRef = Arc::new(TimestampSecondArray::from(vec![1, 2]));
    let x: ArrayRef = Arc::new(Float32Array::from(vec![1.0, 2.0]));
    let bytes = parquet_bytes(&batch(vec![("x", x), ("when", time)]));
    assert_eq!(
        parquet(bytes.clone(), &ReadOptions::default())
            .unwrap_err()
            .to_string(),
        "t.parquet: column 1 (\"when\") holds dates, not numbers: leave it out with --columns '!when'"
    );
    let options = ReadOptions {
        columns: vec!["!when".into()],
        ..ReadOptions::default()
    };
    assert_eq!(
        parquet(bytes, &options).unwrap().precision(),
        Precision::Single
    );
}

#[test]
fn files_cut_short_anywhere_are_errors_on_one_line() {
    let whole = parquet_bytes(&mixed());
    let options = ReadOptions {
        columns: vec!["b".into()],
        ..ReadOptions::default()
    };
    for keep in (8..whole.len() - 1).step_by(7) {
        let error = parquet(whole[..keep].to_vec(), &options)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("t.parquet: ") && !error.contains('\n'),
            "{error}"
        );
    }
    let whole = ipc_bytes(&mixed());
    for keep in (8..whole.len() - 1).step_by(7) {
        let error = ipc(whole[..keep].to_vec(), &options)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("t.arrow: ") && !error.contains('\n'),
            "{error}"
        );
    }
}

#[test]
fn an_empty_table_is_an_error() {
    let none: ArrayRef = Arc::new(Float32Array::from(Vec::<f32>::new()));
    let bytes = parquet_bytes(&batch(vec![("x", none)]));
    let error = parquet(bytes, &ReadOptions::default())
        .unwrap_err()
        .to_string();
    assert_eq!(error, "t.parquet: there are columns, and no rows");
}

#[test]
fn a_footer_that_points_outside_the_file_is_refused_before_memory_is_set_aside() {
    let whole = ipc_bytes(&mixed());
    let options = ReadOptions {
        columns: vec!["b".into()],
        ..ReadOptions::default()
    };
    let mut refused = 0;
    for place in whole.len() - 600..whole.len() - 10 {
        let mut bytes = whole.clone();
        bytes[place] = 0x7f;
        if let Err(error) = ipc(bytes, &options) {
            refused += usize::from(error.to_string().contains("points outside the file"));
        }
    }
    assert!(refused > 0);
}

#[test]
fn a_panic_of_the_reader_is_an_error_and_says_nothing_itself() {
    let found = guarded("x.parquet", "Parquet", || -> Result<(), String> {
        assert!(SILENT.get());
        panic!("a reader's own words")
    });
    let message = found.unwrap_err().to_string();
    assert!(message.ends_with("(its reader gave up)"), "{message}");
    assert!(!SILENT.get());
}
