//! The model file: one format for every method, tagged, versioned, readable by other programs.
//!
//! ```text
//! bytes     what
//! 6         the letters CHARTA
//! 2         format version, little endian
//! 4         length of the header, little endian
//! …         header: JSON with method, version, parameters, n_columns, column_names, scaler, …
//! 8         length of the body, little endian
//! …         body: MessagePack map; an array is {shape, values}, values little-endian f64 bytes
//! 8         FNV-1a checksum of all bytes before it, little endian
//! ```
//!
//! The checksum finds damage, not intent: whatever a body holds is checked by `decode` before it is used.

use std::fmt::Display;

use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::{Model, message_pack};
use crate::error::{Error, Result};

const MAGIC: &[u8; 6] = b"CHARTA";
/// The version that this program writes and reads.
pub const FORMAT_VERSION: u16 = 3;

/// Joins header and body into a file.
pub fn pack(header: &Json, body: &[u8]) -> Vec<u8> {
    let header = header.to_string();
    let mut file = Vec::with_capacity(header.len() + body.len() + 28);
    file.extend(MAGIC);
    file.extend(FORMAT_VERSION.to_le_bytes());
    file.extend((header.len() as u32).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend((body.len() as u64).to_le_bytes());
    file.extend(body);
    file.extend(checksum(&file).to_le_bytes());
    file
}

/// Splits a file into header and body, after checking that it is whole.
pub fn unpack(file: &[u8]) -> Result<(Json, &[u8])> {
    let Some((content, sum)) = file.split_last_chunk::<8>() else {
        return Err(problem("it is too short"));
    };
    let mut rest = content;
    if take::<6>(&mut rest)? != *MAGIC {
        return Err(problem("it does not begin with CHARTA"));
    }
    let version = u16::from_le_bytes(take(&mut rest)?);
    if version != FORMAT_VERSION {
        return Err(problem(&format!(
            "its format is version {version}, and this program reads version {FORMAT_VERSION}: fit the model again"
        )));
    }
    if checksum(content) != u64::from_le_bytes(*sum) {
        return Err(problem("it is damaged or cut short (the checksum differs)"));
    }
    let header_length = u32::from_le_bytes(take(&mut rest)?) as usize;
    let header = take_slice(&mut rest, header_length)?;
    let body_length = u64::from_le_bytes(take(&mut rest)?) as usize;
    let body = take_slice(&mut rest, body_length)?;
    let header = serde_json::from_slice(header)
        .map_err(|error| problem(&format!("its header is not JSON: {error}")))?;
    Ok((header, body))
}

/// The model of a body, after checking that its sizes and indices agree.
pub(crate) fn decode<M: Model + DeserializeOwned>(body: &[u8]) -> Result<M> {
    let model: M = message_pack::from_slice(body).map_err(|error| damaged(&error))?;
    model.validate().map_err(|error| damaged(&error))?;
    Ok(model)
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N]> {
    let Some((first, after)) = rest.split_first_chunk::<N>() else {
        return Err(problem("it is cut short"));
    };
    *rest = after;
    Ok(*first)
}

fn take_slice<'a>(rest: &mut &'a [u8], length: usize) -> Result<&'a [u8]> {
    if rest.len() < length {
        return Err(problem("it is cut short"));
    }
    let (first, after) = rest.split_at(length);
    *rest = after;
    Ok(first)
}

fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// An error about what a model file holds.
pub(crate) fn damaged(error: &dyn Display) -> Error {
    problem(&format!("it is damaged or was not made by charta: {error}"))
}

/// An error about a model file.
pub(crate) fn problem(what: &str) -> Error {
    Error::ModelFile {
        problem: what.into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        let header = json!({"method": "example"});
        let file = pack(&header, b"body");
        let (read, body) = unpack(&file).unwrap();
        assert_eq!(read, header);
        assert_eq!(body, b"body");
    }

    #[test]
    fn every_damage_is_an_error() {
        let file = pack(&json!({"method": "example"}), b"some body");
        for length in 0..file.len() {
            assert!(unpack(&file[..length]).is_err(), "cut to {length}");
        }
        for place in 0..file.len() {
            let mut damaged = file.clone();
            damaged[place] ^= 0x55;
            assert!(unpack(&damaged).is_err(), "damaged at {place}");
        }
    }

    #[test]
    fn another_format_version_is_refused_with_what_to_do() {
        for version in [0, 2, 9] {
            let mut other = pack(&json!({}), b"");
            other[6] = version;
            assert_eq!(
                unpack(&other).unwrap_err().to_string(),
                format!(
                    "not a readable charta model: its format is version {version}, and this program reads version \
                     {FORMAT_VERSION}: fit the model again"
                )
            );
        }
    }
}
