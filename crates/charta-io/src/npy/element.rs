//! The element types of NumPy arrays, and how their bytes become numbers.

use charta::data::Precision;

use crate::block::Values;

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementKind {
    Float,
    Signed,
    Unsigned,
    Boolean,
    /// Text of four-byte characters.
    Unicode,
    /// Text of bytes.
    Bytes,
}

/// The type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) kind: ElementKind,
    /// Bytes of one element.
    pub(crate) size: usize,
    pub(crate) big_endian: bool,
}

impl Element {
    /// Reads a description such as `<f8`.
    pub(crate) fn parse(description: &str) -> Option<Self> {
        let mut letters = description.chars();
        let mut first = letters.next()?;
        let big_endian = match first {
            '>' => true,
            '<' | '|' | '=' => false,
            _ => {
                letters = description.chars();
                false
            }
        };
        first = letters.next()?;
        let count: usize = letters.as_str().parse().ok()?;
        let (kind, size) = match (first, count) {
            ('f', 2 | 4 | 8) => (ElementKind::Float, count),
            ('i', 1 | 2 | 4 | 8) => (ElementKind::Signed, count),
            ('u', 1 | 2 | 4 | 8) => (ElementKind::Unsigned, count),
            ('b' | '?', 1) => (ElementKind::Boolean, 1),
            ('U', _) => (ElementKind::Unicode, count.checked_mul(4)?),
            ('S', _) => (ElementKind::Bytes, count),
            _ => return None,
        };
        Some(Self {
            kind,
            size,
            big_endian,
        })
    }

    pub(crate) fn is_text(self) -> bool {
        matches!(self.kind, ElementKind::Unicode | ElementKind::Bytes)
    }

    /// The precision that holds every value of up to two bytes exactly, and is the element's own for
    /// floating point.
    pub(crate) fn precision(self) -> Precision {
        match (self.kind, self.size) {
            (ElementKind::Float, 8) => Precision::Double,
            (ElementKind::Float, _) | (_, 1 | 2) => Precision::Single,
            _ => Precision::Double,
        }
    }

    /// Adds the numbers that `bytes` hold.
    pub(crate) fn decode(self, bytes: &[u8], values: &mut Values) {
        match values {
            Values::Single(target) => self.decode_single(bytes, target),
            Values::Double(target) => self.decode_double(bytes, target),
        }
    }

    fn decode_single(self, bytes: &[u8], target: &mut Vec<f32>) {
        match (self.kind, self.size) {
            (ElementKind::Float, 4) if !self.big_endian => {
                let chunks = bytes.as_chunks::<4>().0;
                target.extend(chunks.iter().map(|&chunk| f32::from_le_bytes(chunk)));
            }
            (ElementKind::Unsigned, 1) => target.extend(bytes.iter().map(|&byte| f32::from(byte))),
            _ => {
                target.extend(
                    bytes
                        .chunks_exact(self.size)
                        .map(|chunk| self.number(chunk) as f32),
                );
            }
        }
    }

    fn decode_double(self, bytes: &[u8], target: &mut Vec<f64>) {
        match (self.kind, self.size) {
            (ElementKind::Float, 8) if !self.big_endian => {
                let chunks = bytes.as_chunks::<8>().0;
                target.extend(chunks.iter().map(|&chunk| f64::from_le_bytes(chunk)));
            }
            _ => target.extend(
                bytes
                    .chunks_exact(self.size)
                    .map(|chunk| self.number(chunk)),
            ),
        }
    }

    /// The number in one element's bytes.
    pub(crate) fn number(self, bytes: &[u8]) -> f64 {
        let mut raw: u64 = 0;
        for (place, &byte) in bytes.iter().enumerate() {
            let shift = if self.big_endian {
                bytes.len() - 1 - place
            } else {
                place
            };
            raw |= u64::from(byte) << (8 * shift);
        }
        match (self.kind, self.size) {
            (ElementKind::Float, 2) => half(raw as u16),
            (ElementKind::Float, 4) => f64::from(f32::from_bits(raw as u32)),
            (ElementKind::Float, _) => f64::from_bits(raw),
            (ElementKind::Signed, size) => {
                // Shifted up and down again, the sign fills the upper bytes.
                let unused = 64 - 8 * size as u32;
                (((raw << unused) as i64) >> unused) as f64
            }
            (ElementKind::Boolean, _) => f64::from(u8::from(raw != 0)),
            _ => raw as f64,
        }
    }

    /// The words in the bytes of text elements, whose size must not be 0.
    pub(crate) fn words(self, bytes: &[u8]) -> Vec<String> {
        bytes
            .chunks_exact(self.size)
            .map(|chunk| self.word(chunk))
            .collect()
    }

    fn word(self, bytes: &[u8]) -> String {
        if self.kind == ElementKind::Bytes {
            let text = String::from_utf8_lossy(bytes);
            return text.trim_end_matches('\0').to_string();
        }
        let code = |chunk: &[u8; 4]| {
            if self.big_endian {
                u32::from_be_bytes(*chunk)
            } else {
                u32::from_le_bytes(*chunk)
            }
        };
        let letters = bytes.as_chunks::<4>().0.iter().map(code);
        letters
            .take_while(|&code| code != 0)
            .map(|code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    }
}

/// A 16-bit floating-point number (IEEE 754 binary16).
pub(crate) fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from((bits >> 10) & 0x1f);
    let fraction = f64::from(bits & 0x3ff);
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(description: &str, bytes: &[u8]) -> f64 {
        Element::parse(description).unwrap().number(bytes)
    }

    #[test]
    fn every_type_and_byte_order_is_read() {
        assert_eq!(number("<i2", &(-5i16).to_le_bytes()), -5.0);
        assert_eq!(number(">i4", &(-70_000i32).to_be_bytes()), -70_000.0);
        assert_eq!(number("|i1", &[0xff]), -1.0);
        assert_eq!(number("<u8", &u64::MAX.to_le_bytes()), u64::MAX as f64);
        assert_eq!(number("<i8", &i64::MIN.to_le_bytes()), i64::MIN as f64);
        assert_eq!(number(">f8", &0.1f64.to_be_bytes()), 0.1);
        assert_eq!(number("|b1", &[1]), 1.0);
        assert!(Element::parse("<c16").is_none() && Element::parse("|O").is_none());
    }

    #[test]
    fn halves_are_read() {
        assert_eq!(half(0x3c00), 1.0);
        assert_eq!(half(0xc000), -2.0);
        assert_eq!(half(0x7bff), 65504.0);
        assert_eq!(half(1), 2f64.powi(-24));
        assert_eq!(half(0xfc00), f64::NEG_INFINITY);
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn words_end_at_their_zeros() {
        let element = Element::parse("<U3").unwrap();
        let bytes: Vec<u8> = [u32::from('é'), 0, 0, 97, 98, 99]
            .iter()
            .flat_map(|code| code.to_le_bytes())
            .collect();
        assert_eq!(element.words(&bytes), ["é", "abc"]);
        assert_eq!(
            Element::parse("|S4").unwrap().words(b"ab\0\0abcd"),
            ["ab", "abcd"]
        );
    }
}
