//! IDX, the format of MNIST: big-endian numbers behind a header of sizes.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::block::LabelColumn;
use crate::error::{Error, Result};
use crate::input::Input;
use crate::npy::NpyTable;
use crate::npy::element::{Element, ElementKind};
use crate::npy::header::Header;
use crate::options::ReadOptions;
use crate::wording::count;

/// Opens an IDX file, with the labels of the file that belongs to it if there is one.
pub(crate) fn open(input: Input, options: &ReadOptions) -> Result<NpyTable> {
    let header = read_header(&input)?;
    let labels = input
        .path()
        .filter(|_| options.label.is_none())
        .and_then(label_file);
    let mut table = NpyTable::with_header(input, header, options)?;
    if let Some(path) = labels {
        let numbers = read_labels(&Input::file(&path)?)?;
        if numbers.len() != table.n_rows() {
            return Err(Error::content(
                path.display(),
                format!(
                    "{}, where the images are {}",
                    count(numbers.len(), "label"),
                    table.n_rows()
                ),
            ));
        }
        table.set_labels("label", LabelColumn::Numbers(numbers));
    }
    Ok(table)
}

fn read_header(input: &Input) -> Result<Header> {
    let cut = |_| Error::content(&input.name, "the file ends within its header");
    let mut reader = input.open()?;
    let mut start = [0; 4];
    reader.read_exact(&mut start).map_err(cut)?;
    let [0, 0, kind, n_dimensions] = start else {
        return Err(Error::content(
            &input.name,
            "not an IDX file: it does not begin with two zero bytes",
        ));
    };
    let (kind, size) = match kind {
        0x08 => (ElementKind::Unsigned, 1),
        0x09 => (ElementKind::Signed, 1),
        0x0b => (ElementKind::Signed, 2),
        0x0c => (ElementKind::Signed, 4),
        0x0d => (ElementKind::Float, 4),
        0x0e => (ElementKind::Float, 8),
        other => {
            return Err(Error::content(
                &input.name,
                format!("element type 0x{other:02x}, where IDX has 0x08, 0x09 and 0x0b to 0x0e"),
            ));
        }
    };
    let mut shape = Vec::new();
    for _ in 0..n_dimensions {
        let mut size = [0; 4];
        reader.read_exact(&mut size).map_err(cut)?;
        shape.push(u32::from_be_bytes(size) as usize);
    }
    Ok(Header {
        element: Element {
            kind,
            size,
            big_endian: true,
        },
        fortran: false,
        shape,
        offset: 4 + 4 * u64::from(n_dimensions),
    })
}

fn read_labels(input: &Input) -> Result<Vec<f64>> {
    let header = read_header(input)?;
    let bytes = input.read_all()?;
    let numbers = bytes.get(header.offset as usize..).unwrap_or_default();
    if header.shape.len() != 1 || header.n_bytes() != Some(numbers.len() as u64) {
        return Err(Error::content(
            &input.name,
            "the file of labels is damaged or ends too early",
        ));
    }
    Ok(numbers
        .chunks_exact(header.element.size)
        .map(|chunk| header.element.number(chunk))
        .collect())
}

/// `train-images-idx3-ubyte.gz` has its labels in `train-labels-idx1-ubyte.gz`, packed or not.
pub(crate) fn label_file(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    if !name.contains("images") {
        return None;
    }
    let plain = name.strip_suffix(".gz").unwrap_or(name);
    let labels = plain
        .replacen("images", "labels", 1)
        .replacen("idx3", "idx1", 1);
    [format!("{labels}.gz"), labels]
        .map(|name| path.with_file_name(name))
        .into_iter()
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use crate::{ImageShape, ReadOptions, read};

    fn images() -> Vec<u8> {
        let mut bytes = vec![0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 2];
        bytes.extend(0..12u8);
        bytes
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn images_come_with_their_labels_and_their_shape() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("train-images-idx3-ubyte.gz");
        fs::write(&path, packed(&images())).unwrap();
        fs::write(
            folder.path().join("train-labels-idx1-ubyte"),
            [0, 0, 8, 1, 0, 0, 0, 3, 7, 7, 1],
        )
        .unwrap();
        let table = read(path.to_str().unwrap(), &ReadOptions::default()).unwrap();
        assert_eq!((table.n_rows(), table.n_columns()), (3, 4));
        assert_eq!(
            table.image,
            Some(ImageShape {
                height: 2,
                width: 2,
                channels: 1
            })
        );
        assert_eq!(table.labels.unwrap().1.text(1), "7");
        let crate::Content::Features(features) = &table.content else {
            panic!()
        };
        assert_eq!(features.view().value(2, 3), 11.0);
    }

    #[test]
    fn damaged_files_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let message = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).unwrap();
            read(path.to_str().unwrap(), &ReadOptions::default())
                .unwrap_err()
                .to_string()
        };
        assert!(
            message("a.idx", &images()[..20])
                .contains("12 bytes of numbers were expected, 4 are there")
        );
        assert!(message("b.idx", &[0, 0, 8]).contains("ends within its header"));
        assert!(message("c.idx", &[0, 0, 7, 1, 0, 0, 0, 0]).contains("element type 0x07"));
        let whole = packed(&images());
        assert!(
            message("d.idx.gz", &whole[..whole.len() - 9])
                .contains("compressed data ends too early")
        );
    }

    #[test]
    fn labels_of_another_number_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t10k-images.idx3-ubyte");
        fs::write(&path, images()).unwrap();
        fs::write(
            folder.path().join("t10k-labels.idx1-ubyte"),
            [0, 0, 8, 1, 0, 0, 0, 1, 7],
        )
        .unwrap();
        let error = read(path.to_str().unwrap(), &ReadOptions::default())
            .unwrap_err()
            .to_string();
        assert!(
            error.ends_with("1 label, where the images are 3"),
            "{error}"
        );
    }
}
