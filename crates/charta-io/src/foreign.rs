//! Formats that are not read: known by their first bytes or their names, so that a message can say how to convert them.

use std::path::Path;

/// A format that is not read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Foreign {
    /// What it is.
    what: &'static str,
    remedy: Remedy,
}

/// What to do instead.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Remedy {
    /// Decompress with this command.
    Decompress(&'static str),
    /// Convert as this says.
    Convert(&'static str),
}

const ANNDATA: Foreign = Foreign {
    what: "an AnnData file (HDF5)",
    remedy: Remedy::Convert(
        "in Python, fit `adata.X` directly, or write a table with `adata.to_df().to_parquet(\"data.parquet\")`",
    ),
};
const HDF5: Foreign = Foreign {
    what: "an HDF5 file",
    remedy: Remedy::Convert(
        "in Python, save the array as `.npy`, or the table with `pandas.read_hdf(…).to_parquet(\"data.parquet\")`",
    ),
};
const SPREADSHEET: Foreign = Foreign {
    what: "a spreadsheet",
    remedy: Remedy::Convert("save the sheet as CSV"),
};
const PICKLE: Foreign = Foreign {
    what: "a Python pickle",
    remedy: Remedy::Convert(
        "load it in Python and save the array with `numpy.save`, or the table with `to_parquet`",
    ),
};
const JSON: Foreign = Foreign {
    what: "JSON",
    remedy: Remedy::Convert(
        "in Python, write a table with `pandas.read_json(…).to_parquet(\"data.parquet\")`",
    ),
};
const R_DATA: Foreign = Foreign {
    what: "an R data file",
    remedy: Remedy::Convert("in R, write a table with `write.csv` or `arrow::write_parquet`"),
};
const MODEL: Foreign = Foreign {
    what: "a saved model, not data",
    remedy: Remedy::Convert("`charta transform MODEL DATA` applies it to data"),
};

/// Formats by their first bytes.
const BY_BYTES: [(&[u8], Foreign); 11] = [
    (b"\x89HDF\r\n\x1a\n", HDF5),
    (b"\xfd7zXZ\0", compressed("xz", "xz -dc")),
    (b"\x04\x22\x4d\x18", compressed("lz4", "lz4 -dc")),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", SPREADSHEET),
    (b"CHARTA", MODEL),
    (b"RDX2\n", R_DATA),
    (b"RDX3\n", R_DATA),
    (b"X\n\0\0\0", R_DATA),
    (b"{\"", JSON),
    (b"[{", JSON),
    (b"[[", JSON),
];

/// Formats by the end of their names, where the first bytes leave it open.
const BY_NAME: [(&str, Foreign); 6] = [
    ("json", JSON),
    ("jsonl", JSON),
    ("ndjson", JSON),
    ("xlsx", SPREADSHEET),
    ("ods", SPREADSHEET),
    ("pkl", PICKLE),
];

const fn compressed(what: &'static str, command: &'static str) -> Foreign {
    Foreign {
        what,
        remedy: Remedy::Decompress(command),
    }
}

impl Foreign {
    /// The format of a file that begins with these bytes, if it is one of those that are not read.
    pub(crate) fn of(start: &[u8], path: Option<&Path>) -> Option<Self> {
        let extension = path
            .and_then(Path::extension)
            .map(|end| end.to_string_lossy().to_lowercase());
        let by_bytes = BY_BYTES.iter().find(|(magic, _)| start.starts_with(magic));
        match by_bytes {
            Some((_, HDF5)) if extension.as_deref() == Some("h5ad") => return Some(ANNDATA),
            Some((_, foreign)) => return Some(*foreign),
            None => {}
        }
        match start {
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, ..] => {
                return Some(compressed("bzip2", "bzip2 -dc"));
            }
            [0x80, 2..=5, ..] => return Some(PICKLE),
            _ => {}
        }
        let by_name = |(end, _): &&(&str, Self)| extension.as_deref() == Some(*end);
        BY_NAME.iter().find(by_name).map(|(_, foreign)| *foreign)
    }

    /// What it is and how to convert it.
    pub(crate) fn advice(self, name: &str) -> String {
        match self.remedy {
            Remedy::Decompress(command) => format!(
                "this is compressed with {}, which is not read (gzip and zstd are): decompress it first, for example with \
                 `{command} {name} | charta METHOD -`",
                self.what
            ),
            Remedy::Convert(how) => format!("this is {}, which is not read: {how}", self.what),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advice(start: &[u8], name: &str) -> Option<String> {
        Foreign::of(start, Some(Path::new(name))).map(|foreign| foreign.advice(name))
    }

    #[test]
    fn formats_that_are_not_read_are_named_with_a_way_to_convert_them() {
        for (start, name, what, how) in [
            (&b"\x89HDF\r\n\x1a\n"[..], "a.h5ad", "AnnData", "to_parquet"),
            (b"\x89HDF\r\n\x1a\n", "a.h5", "HDF5", ".npy"),
            (
                b"BZh91AY&SY",
                "a.csv.bz2",
                "bzip2",
                "bzip2 -dc a.csv.bz2 | ",
            ),
            (b"\xfd7zXZ\0", "a.csv.xz", "xz", "xz -dc a.csv.xz | "),
            (b"\x80\x04\x95", "a.pkl", "pickle", "numpy.save"),
            (b"{\"a\": 1}", "a.json", "JSON", "read_json"),
            (b"PK\x03\x04", "a.xlsx", "spreadsheet", "CSV"),
            (b"CHARTA", "m.charta", "a saved model", "charta transform"),
        ] {
            let advice = advice(start, name).unwrap();
            assert!(advice.contains(what) && advice.contains(how), "{advice}");
        }
        assert_eq!(advice(b"a,b\n1,2\n", "a.csv"), None);
        assert_eq!(advice(b"PK\x03\x04", "a.npz"), None);
        assert_eq!(advice(b"BZh9,x\n1,2\n", "a.csv"), None);
    }
}
