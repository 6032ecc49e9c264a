//! Which format a file has: by its name, and by its first bytes.

use std::path::Path;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Lines of fields: CSV, TSV and their kin.
    Text,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC, file or stream; Feather version 2 is the same.
    Arrow,
    /// One NumPy array.
    Npy,
    /// A zip of NumPy arrays.
    Npz,
    /// The format of MNIST.
    Idx,
    /// A sparse or dense matrix as text.
    MatrixMarket,
    /// A folder of images, one image, or a list of images.
    Images,
}

/// Ends of names that are images.
pub(crate) const IMAGE_EXTENSIONS: [&str; 7] = ["png", "jpg", "jpeg", "pgm", "ppm", "pbm", "pnm"];

impl Format {
    /// The format that a file's name announces; `.gz` and `.zst` at the end are looked through.
    pub fn of_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        let name = [".gz", ".zst", ".zstd"]
            .iter()
            .find_map(|end| name.strip_suffix(end))
            .unwrap_or(&name);
        if name.contains("-idx") || name.contains(".idx") || name.ends_with("-ubyte") {
            return Some(Self::Idx);
        }
        let (_, extension) = name.rsplit_once('.')?;
        Some(match extension {
            "csv" | "tsv" | "tab" | "psv" | "txt" | "dat" | "data" => Self::Text,
            "parquet" | "pq" => Self::Parquet,
            "arrow" | "arrows" | "feather" | "ipc" => Self::Arrow,
            "npy" => Self::Npy,
            "npz" => Self::Npz,
            "mtx" | "mm" => Self::MatrixMarket,
            _ if IMAGE_EXTENSIONS.contains(&extension) => Self::Images,
            _ => return None,
        })
    }

    /// The format that a file's first bytes give away, if they are telling.
    pub fn of_bytes(start: &[u8]) -> Option<Self> {
        let begins = |magic: &[u8]| start.starts_with(magic);
        if begins(b"PAR1") {
            Some(Self::Parquet)
        } else if begins(b"ARROW1") || begins(&[0xff, 0xff, 0xff, 0xff]) {
            Some(Self::Arrow)
        } else if begins(b"\x93NUMPY") {
            Some(Self::Npy)
        } else if begins(b"PK\x03\x04") || begins(b"PK\x05\x06") {
            Some(Self::Npz)
        } else if start.len() > 14 && start[..14].eq_ignore_ascii_case(b"%%MatrixMarket") {
            Some(Self::MatrixMarket)
        } else if begins(b"\x89PNG") || begins(&[0xff, 0xd8, 0xff]) {
            Some(Self::Images)
        } else {
            match start {
                [0, 0, 0x08 | 0x09 | 0x0b..=0x0e, 1..=8, ..] => Some(Self::Idx),
                _ => None,
            }
        }
    }

    /// The format's name in a message.
    pub fn title(self) -> &'static str {
        match self {
            Self::Text => "a text table",
            Self::Parquet => "a Parquet file",
            Self::Arrow => "an Arrow file",
            Self::Npy => "a NumPy array",
            Self::Npz => "a zip of NumPy arrays",
            Self::Idx => "an IDX file",
            Self::MatrixMarket => "a MatrixMarket file",
            Self::Images => "images",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_announce_formats() {
        let of = |name: &str| Format::of_name(Path::new(name));
        assert_eq!(of("a/b.CSV"), Some(Format::Text));
        assert_eq!(of("b.tsv.gz"), Some(Format::Text));
        assert_eq!(of("train-images-idx3-ubyte.gz"), Some(Format::Idx));
        assert_eq!(of("b.csv.zst"), Some(Format::Text));
        assert_eq!(of("x.npz"), Some(Format::Npz));
        assert_eq!(of("noextension"), None);
    }

    #[test]
    fn first_bytes_give_formats_away() {
        assert_eq!(Format::of_bytes(b"\x93NUMPY\x01\x00"), Some(Format::Npy));
        assert_eq!(Format::of_bytes(&[0, 0, 8, 3, 0, 0]), Some(Format::Idx));
        assert_eq!(Format::of_bytes(b"a,b\n1,2\n"), None);
    }
}
