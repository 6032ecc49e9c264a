//! Where bytes come from: a file, a pipe, standard input; decompressed on the way.

use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;

use crate::error::{Error, Result, shown};

/// What messages call standard input.
pub(crate) const STANDARD: &str = "standard input";

/// Something that can be opened again and again.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// What messages call it.
    pub(crate) name: String,
    origin: Origin,
    compression: Option<Compression>,
}

/// How bytes are compressed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Compression {
    Gzip,
    #[cfg(feature = "parquet")]
    Zstd,
}

impl Compression {
    /// By the first bytes.
    fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            #[cfg(feature = "parquet")]
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
enum Origin {
    File(PathBuf),
    /// Held in memory because it can be read only once.
    Bytes(Arc<Vec<u8>>),
}

/// Bytes that can be read from any place.
pub(crate) trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

impl Input {
    /// A file; a pipe or device is read to its end at once.
    pub(crate) fn file(path: &Path) -> Result<Self> {
        let name = shown(path);
        let failed = |error: io::Error| Error::io(&name, "cannot read", &error);
        let mut file = File::open(path).map_err(failed)?;
        let found = file.metadata().map_err(failed)?;
        if found.is_dir() {
            return Err(Error::content(
                name,
                "this is a folder, a file was expected",
            ));
        }
        if !found.is_file() {
            return Self::from_reader(name, &mut file);
        }
        let mut start = Vec::with_capacity(4);
        file.take(4).read_to_end(&mut start).map_err(failed)?;
        Ok(Self {
            name,
            origin: Origin::File(path.to_path_buf()),
            compression: Compression::of(&start),
        })
    }

    /// Standard input, read to its end.
    pub(crate) fn standard() -> Result<Self> {
        Self::from_reader(STANDARD.into(), &mut io::stdin().lock())
    }

    /// Bytes that are already here.
    pub(crate) fn bytes(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self {
            name: name.into(),
            compression: Compression::of(&bytes),
            origin: Origin::Bytes(Arc::new(bytes)),
        }
    }

    fn from_reader(name: String, reader: &mut dyn Read) -> Result<Self> {
        let mut bytes = Vec::new();
        reader
            .read_to_end(&mut bytes)
            .map_err(|error| Error::io(&name, "cannot read", &error))?;
        Ok(Self::bytes(name, bytes))
    }

    /// The path, when it is a file.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.origin {
            Origin::File(path) => Some(path),
            Origin::Bytes(_) => None,
        }
    }

    /// True if the bytes are compressed.
    pub(crate) fn is_compressed(&self) -> bool {
        self.compression.is_some()
    }

    /// Size of the stored bytes, compressed or not.
    pub(crate) fn stored_bytes(&self) -> u64 {
        match &self.origin {
            Origin::File(path) => fs::metadata(path).map_or(0, |found| found.len()),
            Origin::Bytes(bytes) => bytes.len() as u64,
        }
    }

    /// The bytes from the start, decompressed.
    pub(crate) fn open(&self) -> Result<Box<dyn Read + Send>> {
        let raw = self.open_raw()?;
        let buffered = |raw| io::BufReader::with_capacity(1 << 16, raw);
        Ok(match self.compression {
            None => raw,
            Some(Compression::Gzip) => Box::new(MultiGzDecoder::new(buffered(raw))),
            #[cfg(feature = "parquet")]
            Some(Compression::Zstd) => {
                let decoder = zstd::Decoder::with_buffer(buffered(raw));
                Box::new(decoder.map_err(|error| self.read_error(&error))?)
            }
        })
    }

    /// The bytes as stored, from any place. Decompressed to memory if they are compressed.
    pub(crate) fn open_seekable(&self) -> Result<Box<dyn ReadSeek>> {
        if self.is_compressed() {
            return Ok(Box::new(Cursor::new(self.read_all()?)));
        }
        match &self.origin {
            Origin::File(path) => Ok(Box::new(self.opened(path)?)),
            Origin::Bytes(bytes) => Ok(Box::new(Cursor::new(SharedBytes(bytes.clone())))),
        }
    }

    /// All bytes, decompressed.
    pub(crate) fn read_all(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open()?
            .read_to_end(&mut bytes)
            .map_err(|error| self.read_error(&error))?;
        Ok(bytes)
    }

    /// Up to `count` bytes from the start, decompressed.
    pub(crate) fn peek(&self, count: u64) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open()?
            .take(count)
            .read_to_end(&mut bytes)
            .map_err(|error| self.read_error(&error))?;
        Ok(bytes)
    }

    /// An error while reading, in the words that fit what was read.
    pub(crate) fn read_error(&self, error: &io::Error) -> Error {
        use io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
        match error.kind() {
            UnexpectedEof if self.is_compressed() => {
                Error::content(&self.name, "the compressed data ends too early")
            }
            UnexpectedEof => Error::content(&self.name, "the file ends too early"),
            InvalidData | InvalidInput | Other if self.is_compressed() => Error::content(
                &self.name,
                format!("the compressed data is damaged ({error})"),
            ),
            _ => Error::io(&self.name, "cannot read", error),
        }
    }

    fn open_raw(&self) -> Result<Box<dyn Read + Send>> {
        Ok(match &self.origin {
            Origin::File(path) => Box::new(self.opened(path)?),
            Origin::Bytes(bytes) => Box::new(Cursor::new(SharedBytes(bytes.clone()))),
        })
    }

    fn opened(&self, path: &Path) -> Result<File> {
        File::open(path).map_err(|error| Error::io(&self.name, "cannot read", &error))
    }
}

/// Lets several readers share bytes held once.
struct SharedBytes(Arc<Vec<u8>>);

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Moves to an absolute place.
pub(crate) fn seek_to(reader: &mut dyn ReadSeek, place: u64) -> io::Result<()> {
    reader.seek(SeekFrom::Start(place)).map(|_| ())
}
