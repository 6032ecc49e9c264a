//! What a source's name can mean, and what is said when it means nothing.

use std::fs;
use std::io::Write;

use charta_io::{Content, Kind, ReadOptions, data_sets, describe, nearest_data_set, read};
use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;

fn saved(name: &str, bytes: &[u8]) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let path = path.to_str().unwrap().to_string();
    (folder, path)
}

fn message(source: &str) -> String {
    read(source, &ReadOptions::default())
        .unwrap_err()
        .to_string()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn every_data_set_reads_as_announced_and_describes_itself() {
    for set in data_sets() {
        let table = read(set.name, &ReadOptions::default()).unwrap();
        assert_eq!(
            (table.n_rows(), table.n_columns()),
            (set.rows, set.columns),
            "{}",
            set.name
        );
        let shape = describe(set.name, &ReadOptions::default()).unwrap();
        assert_eq!(
            (shape.rows, shape.columns),
            (set.rows, set.columns),
            "{}",
            set.name
        );
        assert_eq!(shape.precision, table.precision());
        table.data().unwrap().check_finite().unwrap();
        assert!(!set.title.is_empty() && !set.source.is_empty() && !set.licence.is_empty());
    }
}

#[test]
fn generated_sets_take_parameters_behind_a_colon() {
    let table = read("swiss-roll:50,noise=0.1,seed=3", &ReadOptions::default()).unwrap();
    assert_eq!((table.n_rows(), table.n_columns()), (50, 3));
    let options = ReadOptions {
        n: Some(20),
        ..ReadOptions::default()
    };
    assert_eq!(read("two_spheres", &options).unwrap().n_rows(), 20);
    let bars = read("bars:5", &ReadOptions::default()).unwrap();
    assert_eq!(bars.image.unwrap().len(), 1600);
    let small = read("bars:5,side=16", &ReadOptions::default()).unwrap();
    assert_eq!(small.image.unwrap().len(), 256);
    let shape = charta_io::describe("bars:5,side=16", &ReadOptions::default()).unwrap();
    assert_eq!((shape.rows, shape.columns), (5, 256));
    assert!(message("bars:5,factor=0.5").contains("no parameter \"factor\""));
    assert!(message("circles:5,factor=2").contains("`factor`"));
    let light = ReadOptions {
        label: Some("light".into()),
        ..ReadOptions::default()
    };
    let head = read("head:9,side=8", &light).unwrap();
    let (title, _) = head.labels.as_ref().unwrap();
    assert_eq!((title.as_str(), head.n_columns()), ("light", 64));
    assert!(message("moons:0").contains("`n` must be at least 1, got 0"));
    assert!(message("moons:5,noise=-1").contains("`noise`"));
}

#[test]
fn unknown_names_get_suggestions() {
    assert!(
        message("iirs").contains("did you mean \"iris\""),
        "{}",
        message("iirs")
    );
    assert_eq!(nearest_data_set("swissroll"), Some("swiss-roll"));
    assert_eq!(nearest_data_set("zzzzzzzz"), None);
    let (folder, _) = saved("measurements.csv", b"1,2\n");
    let wanted = folder.path().join("measurement.csv");
    let error = read(wanted.to_str().unwrap(), &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("measurements.csv\"?"), "{error}");
    assert!(error.is_usage());
}

#[test]
fn bad_files_are_one_clear_line() {
    let (_a, empty) = saved("e.csv", b"");
    assert!(message(&empty).ends_with("e.csv: the file is empty"));
    let (_b, blank) = saved("b.csv", b"\n\n  \n");
    assert!(
        message(&blank).ends_with("b.csv: the file is empty"),
        "{}",
        message(&blank)
    );
    let garbage: Vec<u8> = (0..2000u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    let (_c, binary) = saved("g.csv", &garbage);
    assert!(
        message(&binary).contains("not a text table"),
        "{}",
        message(&binary)
    );
    for name in [
        "g.parquet",
        "g.arrow",
        "g.npy",
        "g.npz",
        "g.idx",
        "g.mtx",
        "g.png",
    ] {
        let (_folder, path) = saved(name, &garbage);
        let text = message(&path);
        assert!(text.contains(name) && !text.contains('\n'), "{text}");
    }
    let whole = packed(b"a,b\n1,2\n3,4\n");
    let (_d, cut) = saved("t.csv.gz", &whole[..whole.len() - 4]);
    assert!(
        message(&cut).ends_with("the compressed data ends too early"),
        "{}",
        message(&cut)
    );
}

#[test]
fn an_array_is_not_chosen_from_what_has_none() {
    let options = ReadOptions {
        array: Some("X".into()),
        ..ReadOptions::default()
    };
    let folder = tempfile::tempdir().unwrap();
    let (_text, csv) = saved("t.csv", b"1,2\n");
    let image = folder.path().join("a.pgm");
    std::fs::write(image, b"P5 1 1 255\n\0").unwrap();
    let images = folder.path().to_str().unwrap();
    for (source, what) in [
        ("iris", "a data set"),
        ("swiss-roll:50", "a data set"),
        (images, "images"),
        (csv.as_str(), "a text table"),
    ] {
        let error = read(source, &options).unwrap_err();
        assert!(error.is_usage());
        let expected = format!("an array is chosen from an NPZ file, this is {what}");
        assert!(error.to_string().ends_with(&expected), "{error}");
    }
}

#[test]
fn a_packed_array_is_not_believed_before_it_is_measured() {
    let head = "{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776, 1048576), }";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(head.len() as u16).to_le_bytes());
    bytes.extend_from_slice(head.as_bytes());
    let (_folder, path) = saved("x.npy.gz", &packed(&bytes));
    assert!(
        message(&path).contains("the file ends too early"),
        "{}",
        message(&path)
    );
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_says_permission_denied() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = saved("x.csv", b"1,2\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&path).is_ok() {
        eprintln!("skipped: this user may read everything");
        return;
    }
    assert!(message(&path).ends_with("cannot read: permission denied"));
}

#[test]
fn compressed_text_and_wrong_extensions_are_looked_through() {
    let (_a, path) = saved("t.csv.gz", &packed(b"a,b\n1,2\n3,4\n"));
    assert_eq!(read(&path, &ReadOptions::default()).unwrap().n_rows(), 2);
    let (_b, path) = saved("t.data", b"1 2 3\n4 5 6\n");
    assert_eq!(read(&path, &ReadOptions::default()).unwrap().n_columns(), 3);
    let matrix = b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 5\n";
    let (_c, path) = saved("m.txt", matrix);
    let table = read(&path, &ReadOptions::default()).unwrap();
    assert!(matches!(&table.content, Content::Features(x) if x.view().is_sparse()));
    let shape = describe(&path, &ReadOptions::default()).unwrap();
    assert_eq!(shape.stored, Some(1));
}

#[test]
fn distances_and_kernels_are_read_from_any_table() {
    let (_folder, path) = saved("d.csv", b"0,1\n1,0\n");
    let options = ReadOptions {
        kind: Kind::Distances,
        ..ReadOptions::default()
    };
    let table = read(&path, &options).unwrap();
    assert!(matches!(table.content, Content::Distances(_)));
    assert!(table.data().unwrap().features("pca").is_err());
    let options = ReadOptions {
        kind: Kind::Kernel,
        ..ReadOptions::default()
    };
    assert!(matches!(
        read(&path, &options).unwrap().content,
        Content::Kernel(_)
    ));
}
