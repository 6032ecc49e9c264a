//! What a source's name means: a data set, a file, an array in a file, standard input.

use std::fs;
use std::path::{Path, PathBuf};

use crate::catalogue::{self, DataSet};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::generated::Parameters;
use crate::input::Input;
use crate::options::ReadOptions;
use crate::suggest::nearest;

/// A source, found but not yet read.
pub(crate) enum Source {
    Stored(&'static DataSet),
    Generated(&'static DataSet, Parameters),
    /// A folder or a list of images, or one image.
    Images(PathBuf),
    /// Bytes in a format; for NPZ perhaps the name of an array.
    Bytes {
        input: Input,
        format: Format,
        array: Option<String>,
    },
}

/// Finds what `name` means. Data sets come first: `./iris` is the file of that name.
pub(crate) fn find(name: &str, options: &ReadOptions) -> Result<Source> {
    if name == "-" {
        return bytes(Input::standard()?, None, options);
    }
    let (set_name, parameters) = match name.split_once(':') {
        Some((set_name, parameters)) => (set_name, Some(parameters)),
        None => (name, None),
    };
    match catalogue::find(set_name) {
        Some(set) if set.generated => {
            let parameters = Parameters::parse(set.name, parameters, options)?;
            Ok(Source::Generated(set, parameters))
        }
        Some(set) if parameters.is_none() => Ok(Source::Stored(set)),
        _ => file(name, options),
    }
}

fn file(name: &str, options: &ReadOptions) -> Result<Source> {
    let path = Path::new(name);
    if path.is_dir() {
        return Ok(Source::Images(path.to_path_buf()));
    }
    if path.exists() {
        if options.format.or(Format::of_name(path)) == Some(Format::Images) {
            return Ok(Source::Images(path.to_path_buf()));
        }
        return bytes(Input::file(path)?, None, options);
    }
    // `data.npz:X` is an array of an archive.
    if let Some((archive, array)) = name.rsplit_once(':')
        && Path::new(archive).is_file()
    {
        let input = Input::file(Path::new(archive))?;
        return bytes(input, Some(array.to_string()), options);
    }
    Err(not_found(name))
}

fn bytes(input: Input, array: Option<String>, options: &ReadOptions) -> Result<Source> {
    let start = input.peek(16)?;
    if start.is_empty() {
        return Err(Error::content(&input.name, "the file is empty"));
    }
    let by_name = input.path().and_then(Format::of_name);
    // The first bytes are harder to get wrong than the name.
    let format = options
        .format
        .or(Format::of_bytes(&start))
        .or(by_name)
        .unwrap_or(Format::Text);
    if format == Format::Images || (format == Format::Text && lists_images(&input)?) {
        return match input.path() {
            Some(path) => Ok(Source::Images(path.to_path_buf())),
            None => Err(Error::unsupported(
                &input.name,
                "images are read from a folder or a list of files",
            )),
        };
    }
    let array = array.or_else(|| options.array.clone());
    if array.is_some() && format != Format::Npz {
        return Err(Error::unsupported(
            &input.name,
            format!(
                "an array is chosen from an NPZ file, this is {}",
                format.title()
            ),
        ));
    }
    Ok(Source::Bytes {
        input,
        format,
        array,
    })
}

/// True for a text file whose first line is the name of an image.
fn lists_images(input: &Input) -> Result<bool> {
    let is_text = input
        .path()
        .and_then(Path::extension)
        .is_some_and(|end| end == "txt");
    if !is_text {
        return Ok(false);
    }
    let start = input.peek(4096)?;
    let text = String::from_utf8_lossy(&start);
    let names = text
        .lines()
        .map(|line| line.split('\t').next().unwrap_or_default().trim());
    let first = names.into_iter().find(|line| !line.is_empty());
    Ok(first.is_some_and(|line| Format::of_name(Path::new(line)) == Some(Format::Images)))
}

fn not_found(name: &str) -> Error {
    let path = Path::new(name);
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let wanted = path
        .file_name()
        .map_or(name.into(), |file| file.to_string_lossy());
    let files: Vec<String> = fs::read_dir(folder.unwrap_or(Path::new(".")))
        .map(|entries| {
            entries
                .flatten()
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .collect()
        })
        .unwrap_or_default();
    let mut suggestions: Vec<String> = Vec::new();
    if folder.is_none() {
        suggestions.extend(catalogue::nearest_data_set(name).map(String::from));
    }
    for file in nearest(&wanted, files.iter().map(String::as_str), 2) {
        suggestions.push(match folder {
            Some(folder) => folder.join(file).display().to_string(),
            None => file.to_string(),
        });
    }
    Error::NotFound {
        source_name: name.into(),
        suggestions,
    }
}
