use charta::data::Precision;

use super::header::header_bytes;
use super::*;
use crate::collect::collect;

fn array(description: &str, shape: &[usize], numbers: &[f64], fortran: bool) -> Vec<u8> {
    let mut bytes = header_bytes(description, shape);
    if fortran {
        let place = bytes.windows(5).position(|word| word == b"False").unwrap();
        bytes[place..place + 5].copy_from_slice(b"True ");
    }
    for &number in numbers {
        match description {
            "<f8" => bytes.extend(number.to_le_bytes()),
            ">f4" => bytes.extend((number as f32).to_be_bytes()),
            "|u1" => bytes.push(number as u8),
            other => panic!("{other}"),
        }
    }
    bytes
}

fn read(bytes: Vec<u8>, options: &ReadOptions) -> Result<crate::Table> {
    let table = NpyTable::open(Input::bytes("x.npy", bytes), options)?;
    collect(Box::new(table), options)
}

fn row(table: &crate::Table, row: usize) -> Vec<f64> {
    let crate::Content::Features(features) = &table.content else {
        panic!()
    };
    let view = features.view();
    (0..view.n_columns())
        .map(|column| view.value(row, column))
        .collect()
}

#[test]
fn both_memory_orders_give_the_same_rows() {
    let plain = array("<f8", &[2, 3], &[1., 2., 3., 4., 5., 6.], false);
    let turned = array("<f8", &[2, 3], &[1., 4., 2., 5., 3., 6.], true);
    for bytes in [plain, turned] {
        let table = read(bytes, &ReadOptions::default()).unwrap();
        assert_eq!(
            (row(&table, 0), row(&table, 1)),
            (vec![1., 2., 3.], vec![4., 5., 6.])
        );
        assert_eq!(table.precision(), Precision::Double);
    }
}

#[test]
fn fortran_images_are_flattened_like_the_others() {
    // Element (i, j, k) of shape (2, 2, 2) is 4i + 2j + k, stored with i fastest.
    let numbers = [0., 4., 2., 6., 1., 5., 3., 7.];
    let table = read(
        array("|u1", &[2, 2, 2], &numbers, true),
        &ReadOptions::default(),
    )
    .unwrap();
    assert_eq!(row(&table, 1), [4., 5., 6., 7.]);
    assert_eq!(
        table.image,
        Some(ImageShape {
            height: 2,
            width: 2,
            channels: 1
        })
    );
    assert_eq!(table.precision(), Precision::Single);
}

#[test]
fn one_dimension_is_one_column_and_big_endian_is_read() {
    let table = read(
        array(">f4", &[3], &[1., -2., 0.5], false),
        &ReadOptions::default(),
    )
    .unwrap();
    assert_eq!(
        (table.n_rows(), table.n_columns(), row(&table, 1)),
        (3, 1, vec![-2.0])
    );
}

#[test]
fn the_label_may_be_a_column() {
    let options = ReadOptions {
        label: Some("-1".into()),
        ..ReadOptions::default()
    };
    let table = read(
        array("<f8", &[3, 2], &[1., 7., 2., 8., 3., 7.], false),
        &options,
    )
    .unwrap();
    assert_eq!(table.n_columns(), 1);
    assert_eq!(table.labels.unwrap().1.text(1), "8");
}

#[test]
fn a_file_cut_short_is_named() {
    let mut bytes = array("<f8", &[2, 3], &[1., 2., 3., 4., 5., 6.], false);
    bytes.truncate(bytes.len() - 5);
    assert_eq!(
        read(bytes, &ReadOptions::default())
            .unwrap_err()
            .to_string(),
        "x.npy: the file ends too early: 48 bytes of numbers were expected, 43 are there"
    );
}
