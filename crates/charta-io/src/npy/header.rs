//! The header of a NumPy array: a magic word, a version, and a Python dictionary in text.

use std::io::Read;

use super::element::Element;
use crate::error::{Error, Result};
use crate::wording::{plain, quoted};

/// What the header says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Header {
    pub(crate) element: Element,
    /// True if the first index varies fastest.
    pub(crate) fortran: bool,
    pub(crate) shape: Vec<usize>,
    /// Where the elements begin.
    pub(crate) offset: u64,
}

impl Header {
    /// Reads the header at the start of `reader`.
    pub(crate) fn read(file: &str, reader: &mut dyn Read) -> Result<Self> {
        let cut = |_| Error::content(file, "the file ends within the array's header");
        let mut start = [0; 8];
        reader.read_exact(&mut start).map_err(cut)?;
        if &start[..6] != b"\x93NUMPY" {
            return Err(Error::content(
                file,
                "not a NumPy array: it does not begin with \\x93NUMPY",
            ));
        }
        let mut size = [0; 4];
        let n_size = match start[6] {
            1 => 2,
            2 | 3 => 4,
            version => {
                return Err(Error::content(
                    file,
                    format!("version {version} of the NumPy format, where 1 to 3 are known"),
                ));
            }
        };
        reader.read_exact(&mut size[..n_size]).map_err(cut)?;
        let size = u32::from_le_bytes(size) as usize;
        if size > 1 << 20 {
            return Err(Error::content(
                file,
                format!("an array header of {size} bytes is damaged"),
            ));
        }
        let mut text = vec![0; size];
        reader.read_exact(&mut text).map_err(cut)?;
        let text = String::from_utf8_lossy(&text);
        let offset = (8 + n_size + size) as u64;
        Self::parse(file, &text, offset)
    }

    fn parse(file: &str, text: &str, offset: u64) -> Result<Self> {
        let damaged = |what: &str| {
            Error::content(
                file,
                format!(
                    "the array's header has no readable `{what}`: {}",
                    quoted(text)
                ),
            )
        };
        let description = entry(text, "descr").ok_or_else(|| damaged("descr"))?;
        let description = description.trim_matches(['\'', '"']);
        let element = Element::parse(description).ok_or_else(|| {
            let what = if description.starts_with('[') {
                "structured elements"
            } else {
                description
            };
            Error::content(
                file,
                format!(
                    "the array holds {}; numbers, booleans or text were expected",
                    plain(what)
                ),
            )
        })?;
        let fortran = match entry(text, "fortran_order") {
            Some("True") => true,
            Some("False") => false,
            _ => return Err(damaged("fortran_order")),
        };
        let shape = entry(text, "shape").ok_or_else(|| damaged("shape"))?;
        let shape: Option<Vec<usize>> = shape
            .trim_matches(['(', ')'])
            .split(',')
            .map(|part| part.trim().trim_end_matches('L'))
            .filter(|part| !part.is_empty())
            .map(|part| part.parse().ok())
            .collect();
        let shape = shape.ok_or_else(|| damaged("shape"))?;
        Ok(Self {
            element,
            fortran,
            shape,
            offset,
        })
    }

    /// Number of rows: the first dimension.
    pub(crate) fn n_rows(&self) -> usize {
        self.shape.first().copied().unwrap_or(1)
    }

    /// Numbers in a row: all other dimensions together. `None` if that overflows.
    pub(crate) fn n_columns(&self) -> Option<usize> {
        self.shape
            .iter()
            .skip(1)
            .try_fold(1usize, |product, &size| product.checked_mul(size))
    }

    /// Bytes of all elements. `None` if that overflows.
    pub(crate) fn n_bytes(&self) -> Option<u64> {
        let count = self.n_columns()?.checked_mul(self.n_rows())?;
        (count as u64).checked_mul(self.element.size as u64)
    }
}

/// The value behind a key of the dictionary: up to the comma that is not inside brackets.
fn entry<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let place = text
        .find(&format!("'{key}'"))
        .or_else(|| text.find(&format!("\"{key}\"")))?;
    let rest = text[place + key.len() + 2..]
        .trim_start()
        .strip_prefix(':')?
        .trim_start();
    let mut depth = 0;
    for (end, letter) in rest.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' | '}' if depth == 0 => return Some(rest[..end].trim_end()),
            _ => {}
        }
    }
    None
}

/// The bytes of a version 1 header for a C-ordered array, padded so that `n_rows` of any size fits
/// in the same number of bytes.
pub(crate) fn header_bytes(description: &str, shape: &[usize]) -> Vec<u8> {
    const LENGTH: usize = 128;
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let comma = if sizes.len() == 1 { "," } else { "" };
    let text = format!(
        "{{'descr': '{description}', 'fortran_order': False, 'shape': ({}{comma}), }}",
        sizes.join(", ")
    );
    let size = LENGTH - 10;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(size as u16).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    bytes.resize(LENGTH - 1, b' ');
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let bytes = header_bytes("<f4", &[12, 3]);
        assert_eq!(bytes.len() % 64, 0);
        let header = Header::read("x.npy", &mut bytes.as_slice()).unwrap();
        assert_eq!(header.shape, [12, 3]);
        assert_eq!(header.offset, bytes.len() as u64);
        assert!(!header.fortran);
        let one = Header::read("x.npy", &mut header_bytes("<i8", &[5]).as_slice()).unwrap();
        assert_eq!(
            (one.shape.as_slice(), one.n_columns()),
            ([5].as_slice(), Some(1))
        );
    }

    #[test]
    fn damaged_headers_are_one_clear_line() {
        let message = |bytes: &[u8]| {
            Header::read("x.npy", &mut &bytes[..])
                .unwrap_err()
                .to_string()
        };
        assert!(message(b"hello world, this is no array").contains("not a NumPy array"));
        assert!(message(b"\x93NUMPY\x01\x00\x10").contains("ends within"));
        let mut objects = header_bytes("|O", &[2]);
        assert!(message(&objects).contains("holds |O"));
        objects[6] = 9;
        assert!(message(&objects).contains("version 9"));
    }
}
