//! What a source's name means: a data set, a file, an array in a file, standard input.

use std::fs;
use std::path::{Path, PathBuf};

use crate::builtin::Changes;
use crate::catalogue::{self, DataSet};
use crate::error::{Error, Result, shown};
use crate::foreign::Foreign;
use crate::format::Format;
use crate::generated::Parameters;
use crate::idx::label_file;
use crate::input::Input;
use crate::options::ReadOptions;
use crate::parts;
use crate::suggest::nearest;

/// A source, found but not yet read.
pub(crate) enum Source {
    Stored(&'static DataSet, Changes),
    Generated(&'static DataSet, Parameters),
    /// A folder or a list of images, or one image.
    Images(PathBuf),
    /// Files that follow each other: those of a folder or of a pattern.
    Parts(Vec<PathBuf>),
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
    let set = catalogue::find(set_name);
    if let (Some(set), Some(_)) = (set, &options.array) {
        return Err(no_arrays(set.name, "a data set"));
    }
    match set {
        Some(set) if set.generated => {
            let parameters = Parameters::parse(set.name, parameters, options)?;
            Ok(Source::Generated(set, parameters))
        }
        Some(set) => {
            let changes = Changes::parse(set.name, parameters.unwrap_or(""))?;
            Ok(Source::Stored(set, changes))
        }
        None => file(name, options),
    }
}

fn file(name: &str, options: &ReadOptions) -> Result<Source> {
    let path = Path::new(name);
    let is_image =
        || path.exists() && options.format.or(Format::of_name(path)) == Some(Format::Images);
    let holds_images = || path.is_dir() && images_in(path, 2).next().is_some();
    if is_image() || holds_images() {
        return images(path, None, options);
    }
    if path.is_dir() || !path.exists() {
        let parts = parts::paths(name);
        if !parts.is_empty() && options.array.is_none() {
            return Ok(Source::Parts(parts));
        }
    }
    if path.is_dir() {
        return Err(Error::content(
            shown(path),
            "there are neither tables (CSV, Parquet, Arrow, NPY) nor images in this folder",
        ));
    }
    if path.exists() {
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
        return Err(Error::empty(&input.name));
    }
    if let Some(foreign) = Foreign::of(&start, input.path()) {
        return Err(Error::unsupported(&input.name, foreign.advice(&input.name)));
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
            Some(path) => images(path, array.as_deref(), options),
            None => Err(Error::unsupported(
                &input.name,
                "images are read from a folder or a list of files",
            )),
        };
    }
    let array = array.or_else(|| options.array.clone());
    if array.is_some() && format != Format::Npz {
        return Err(no_arrays(&input.name, format.title()));
    }
    Ok(Source::Bytes {
        input,
        format,
        array,
    })
}

fn images(path: &Path, array: Option<&str>, options: &ReadOptions) -> Result<Source> {
    if array.is_some() || options.array.is_some() {
        return Err(no_arrays(&shown(path), Format::Images.title()));
    }
    Ok(Source::Images(path.to_path_buf()))
}

fn no_arrays(name: &str, what: &str) -> Error {
    let problem = format!("an array is chosen from an NPZ file, this is {what}");
    Error::unsupported(name, problem)
}

/// True for what can be read only once: standard input, a named pipe, the output of another program as `<(…)`.
pub fn is_read_once(source: &str) -> bool {
    source == "-" || fs::metadata(source).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// True if reading `source` reads `target` too, an existing file with all links followed: as an
/// image of a folder or a list, as a part of a table, or as the labels of an IDX file.
pub(crate) fn reads(source: &Path, target: &Path) -> bool {
    let is_target = |path: &Path| path.canonicalize().is_ok_and(|path| path == target);
    if parts::paths(&source.to_string_lossy())
        .iter()
        .any(|part| is_target(part))
    {
        return true;
    }
    if source.is_dir() {
        let inside = source
            .canonicalize()
            .is_ok_and(|folder| target.starts_with(folder));
        // A link in the folder leads to an image that lies elsewhere.
        return (inside && is_image(target)) || images_in(source, 2).any(|image| is_target(&image));
    }
    if label_file(source).is_some_and(|labels| is_target(&labels)) {
        return true;
    }
    let begins_with_image = || begins_with_image(&Input::file(source)?);
    if !source.is_file() || !begins_with_image().unwrap_or(false) {
        return false;
    }
    let folder = source.parent().unwrap_or(Path::new(""));
    let text = fs::read(source).unwrap_or_default();
    String::from_utf8_lossy(&text)
        .lines()
        .any(|line| is_target(&folder.join(listed_name(line))))
}

fn is_image(path: &Path) -> bool {
    Format::of_name(path) == Some(Format::Images)
}

/// What looks like an image in a folder, down to `depth` folders.
fn images_in(folder: &Path, depth: usize) -> Box<dyn Iterator<Item = PathBuf>> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    Box::new(
        entries.flat_map(move |entry| -> Box<dyn Iterator<Item = PathBuf>> {
            let path = entry.path();
            match (path.is_dir(), depth) {
                (true, 0 | 1) => Box::new(std::iter::empty()),
                (true, _) => images_in(&path, depth - 1),
                (false, _) => Box::new(Some(path).filter(|path| is_image(path)).into_iter()),
            }
        }),
    )
}

/// What stands before the label on a line of a list.
fn listed_name(line: &str) -> &str {
    line.split('\t').next().unwrap_or_default().trim()
}

/// True for a text file whose first line is the name of an image.
fn lists_images(input: &Input) -> Result<bool> {
    let is_text = input
        .path()
        .and_then(Path::extension)
        .is_some_and(|end| end == "txt");
    Ok(is_text && begins_with_image(input)?)
}

fn begins_with_image(input: &Input) -> Result<bool> {
    let start = input.peek(4096)?;
    let text = String::from_utf8_lossy(&start);
    let is_name = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let first = text.lines().map(listed_name).find(is_name);
    Ok(first.is_some_and(|line| is_image(Path::new(line))))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_standard_input_is_called_so() {
        let message = |text: &str| {
            let input = Input::bytes(crate::input::STANDARD, text.as_bytes().to_vec());
            match bytes(input, None, &ReadOptions::default()) {
                Ok(Source::Bytes { input, .. }) => {
                    crate::text::TextTable::open(input, &ReadOptions::default())
                        .err()
                        .map(|error| error.to_string())
                }
                Ok(_) => None,
                Err(error) => Some(error.to_string()),
            }
        };
        assert_eq!(message("").unwrap(), "standard input is empty");
        assert_eq!(message("\n\n").unwrap(), "standard input is empty");
    }
}
