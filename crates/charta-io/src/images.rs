//! Images, one a row: a folder, a list of files, or a single file.
//!
//! Pixels are 0 to 255, row by row; the folder an image lies in is its label.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use charta::data::Precision;
use rayon::prelude::*;

use crate::block::{Block, BlockSource, Heading, LabelColumn, Lines, Values};
use crate::error::{Error, Result, shown};
use crate::format::{Format, IMAGE_EXTENSIONS};
use crate::options::ReadOptions;
use crate::pixels::{Pixels, Unreadable, resize};
use crate::table::ImageShape;
use crate::wording::count;

/// Pixels decoded at a time.
const BLOCK_VALUES: usize = 1 << 21;

/// Images, read block by block.
pub(crate) struct Images {
    files: Vec<ImageFile>,
    shape: ImageShape,
    labelled: bool,
    heading: Heading,
    next: usize,
    resized: usize,
}

/// One image.
struct ImageFile {
    path: PathBuf,
    name: String,
    /// Empty where there is none.
    label: String,
}

impl Images {
    pub(crate) fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        if options.chooses() {
            return Err(Error::unsupported(
                shown(path),
                "columns, views, label and id cannot be chosen from images",
            ));
        }
        let files = list(path)?;
        let shape = shape(&files[0], options)?;
        let labelled = files.iter().any(|file| !file.label.is_empty());
        let precision = options.precision.unwrap_or(Precision::Single);
        let mut heading = Heading::new(shown(path), shape.len(), precision);
        heading.n_rows = Some(files.len());
        heading.id_title = Some("file".into());
        heading.label_title = labelled.then(|| "folder".into());
        heading.image = Some(shape);
        Ok(Self {
            files,
            shape,
            labelled,
            heading,
            next: 0,
            resized: 0,
        })
    }
}

impl Images {
    fn labels(&self, files: Range<usize>) -> Option<LabelColumn> {
        let label = |file: &ImageFile| file.label.clone();
        self.labelled
            .then(|| LabelColumn::Words(self.files[files].iter().map(label).collect()))
    }
}

impl BlockSource for Images {
    fn heading(&self) -> &Heading {
        &self.heading
    }

    fn heading_mut(&mut self) -> &mut Heading {
        &mut self.heading
    }

    fn next_block(&mut self) -> Result<Option<Block>> {
        let at_once = (BLOCK_VALUES / self.shape.len().max(1)).clamp(1, 1024);
        let end = (self.next + at_once).min(self.files.len());
        let files = &self.files[self.next..end];
        if files.is_empty() {
            return Ok(None);
        }
        let shape = self.shape;
        let decoded: Vec<Result<(Vec<u8>, bool)>> = files
            .par_iter()
            .map(|file| pixels(&file.path, shape))
            .collect();
        let mut values = Vec::with_capacity(files.len() * shape.len());
        for image in decoded {
            let (image, resized) = image?;
            self.resized += usize::from(resized);
            values.extend(image.into_iter().map(f32::from));
        }
        let block = Block {
            rows: files.len(),
            values: Values::Single(values),
            labels: self.labels(self.next..end),
            ids: Some(files.iter().map(|file| file.name.clone()).collect()),
            lines: Lines::default(),
        };
        self.next = end;
        if end == self.files.len() && self.resized > 0 {
            self.heading.notes = vec![format!(
                "{} of {} {} resized to {} × {} pixels",
                self.resized,
                count(end, "image"),
                if self.resized == 1 { "was" } else { "were" },
                shape.height,
                shape.width
            )];
        }
        Ok(Some(block))
    }

    fn rewind(&mut self) -> Result<()> {
        self.next = 0;
        self.resized = 0;
        Ok(())
    }

    /// The labels are known before an image is decoded.
    fn first_labels(&mut self, count: usize) -> Result<Option<LabelColumn>> {
        Ok(self.labels(0..self.files.len().min(count)))
    }
}

/// The images of a folder and its folders, of a list, or the one image, sorted by name.
fn list(path: &Path) -> Result<Vec<ImageFile>> {
    let files = if path.is_dir() {
        folder(path)?
    } else if Format::of_name(path) == Some(Format::Images) {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        vec![ImageFile {
            path: path.to_path_buf(),
            name,
            label: String::new(),
        }]
    } else {
        listed(path)?
    };
    if files.is_empty() {
        return Err(Error::content(
            shown(path),
            format!(
                "there are no images here (names ending in .{})",
                IMAGE_EXTENSIONS.join(", .")
            ),
        ));
    }
    Ok(files)
}

fn folder(path: &Path) -> Result<Vec<ImageFile>> {
    let mut files = Vec::new();
    for entry in entries(path)? {
        let name = entry
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if entry.is_dir() {
            for inner in entries(&entry)? {
                let file = inner
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                if is_image(&inner) {
                    files.push(ImageFile {
                        path: inner,
                        name: format!("{name}/{file}"),
                        label: name.clone(),
                    });
                }
            }
        } else if is_image(&entry) {
            files.push(ImageFile {
                path: entry,
                name,
                label: String::new(),
            });
        }
    }
    Ok(files)
}

/// What a folder holds, sorted, without what is hidden.
fn entries(path: &Path) -> Result<Vec<PathBuf>> {
    let failed = |error: std::io::Error| Error::io(shown(path), "cannot read", &error);
    let mut entries = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            entries.push(entry.path());
        }
    }
    entries.sort();
    Ok(entries)
}

fn is_image(path: &Path) -> bool {
    path.is_file() && Format::of_name(path) == Some(Format::Images)
}

/// A text file with a path a line, relative to the list itself; behind a tab there may be a label.
fn listed(path: &Path) -> Result<Vec<ImageFile>> {
    let text =
        fs::read_to_string(path).map_err(|error| Error::io(shown(path), "cannot read", &error))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut files = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, label) = line.split_once('\t').unwrap_or((line, ""));
        let file = folder.join(name.trim());
        if !file.is_file() {
            let place = format!("{}, line {}", shown(path), number + 1);
            return Err(Error::content(place, format!("{name:?}: no such file")));
        }
        files.push(ImageFile {
            path: file,
            name: name.trim().into(),
            label: label.trim().into(),
        });
    }
    Ok(files)
}

/// The size requested, or that of the first image.
fn shape(first: &ImageFile, options: &ReadOptions) -> Result<ImageShape> {
    let channels = if options.color { 3 } else { 1 };
    if let Some((height, width)) = options.image_size {
        if height == 0 || width == 0 || height.max(width) > 1 << 15 {
            let given = format!("{height} × {width}");
            return Err(Error::option(
                "image_size",
                "must be from 1 × 1 to 32768 × 32768",
                given,
            ));
        }
        return Ok(ImageShape {
            height,
            width,
            channels,
        });
    }
    let (width, height) = Pixels::size(&first.path).map_err(|error| failed(&first.path, error))?;
    Ok(ImageShape {
        height,
        width,
        channels,
    })
}

/// The pixels of one image in the requested shape, and whether it had to be resized.
fn pixels(path: &Path, shape: ImageShape) -> Result<(Vec<u8>, bool)> {
    let image = Pixels::read(path).map_err(|error| failed(path, error))?;
    let (size, wanted) = ((image.height, image.width), (shape.height, shape.width));
    let pixels = if shape.channels == 1 {
        image.into_grey()
    } else {
        image.into_rgb()
    };
    if size == wanted {
        return Ok((pixels, false));
    }
    Ok((resize(&pixels, size, wanted, shape.channels), true))
}

fn failed(path: &Path, error: Unreadable) -> Error {
    match error {
        Unreadable::File(error) => Error::io(shown(path), "cannot read", &error),
        Unreadable::Content(text) => {
            let line = text.lines().next().unwrap_or_default();
            Error::content(shown(path), format!("not a readable image ({line})"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Content, describe, read};

    fn pgm(path: &Path, width: usize, height: usize, grey: u8) {
        let mut bytes = format!("P5\n{width} {height}\n255\n").into_bytes();
        bytes.extend(std::iter::repeat_n(grey, width * height));
        fs::write(path, bytes).unwrap();
    }

    /// Three by three pixels of one colour.
    fn png(path: &Path, color: [u8; 3]) {
        let mut encoder = png::Encoder::new(fs::File::create(path).unwrap(), 3, 3);
        encoder.set_color(png::ColorType::Rgb);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&color.repeat(9)).unwrap();
    }

    /// The same as a JPEG, of the colour 200, 100, 0: one block of mean values, with all quantization steps 1.
    fn jpeg() -> Vec<u8> {
        let mut file = b"\xff\xd8\xff\xdb\0\x43\0".to_vec();
        file.extend([1; 64]);
        file.extend(b"\xff\xc0\0\x11\x08\0\x03\0\x03\x03\x01\x11\0\x02\x11\0\x03\x11\0");
        file.extend(b"\xff\xc4\0\x16\0\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x07\x09\x0a");
        file.extend(b"\xff\xc4\0\x14\x10\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
        file.extend(b"\xff\xda\0\x0c\x03\x01\0\x02\0\x03\0\0?\0\x19\xa7\xa0\xf4_\xff\xd9");
        file
    }

    #[test]
    fn a_folder_of_folders_gives_labels_and_names() {
        let root = tempfile::tempdir().unwrap();
        for (folder, grey) in [("cat", 10), ("dog", 20)] {
            fs::create_dir(root.path().join(folder)).unwrap();
            pgm(&root.path().join(folder).join("b.pgm"), 4, 2, grey);
            pgm(&root.path().join(folder).join("a.pgm"), 2, 2, grey + 1);
        }
        fs::write(root.path().join("notes.md"), "no image").unwrap();
        let path = root.path().to_str().unwrap();
        let table = read(path, &ReadOptions::default()).unwrap();
        assert_eq!(
            table.row_names.as_deref().unwrap(),
            ["cat/a.pgm", "cat/b.pgm", "dog/a.pgm", "dog/b.pgm"]
        );
        assert_eq!(table.labels.as_ref().unwrap().1.text(2), "dog");
        assert_eq!(
            table.image,
            Some(ImageShape {
                height: 2,
                width: 2,
                channels: 1
            })
        );
        let Content::Features(features) = &table.content else {
            panic!()
        };
        assert_eq!(
            (features.view().value(0, 3), features.view().value(3, 0)),
            (11.0, 20.0)
        );
        assert_eq!(table.notes, ["2 of 4 images were resized to 2 × 2 pixels"]);
        let shape = describe(path, &ReadOptions::default()).unwrap();
        assert_eq!((shape.rows, shape.columns, shape.bytes()), (4, 4, 64));
    }

    #[test]
    fn color_and_size_are_obeyed_and_lists_read() {
        let root = tempfile::tempdir().unwrap();
        png(&root.path().join("x.png"), [200, 100, 0]);
        fs::write(root.path().join("y.jpg"), jpeg()).unwrap();
        let list = root.path().join("list.txt");
        fs::write(&list, "x.png\tsharp\n\ny.jpg\tblurred\n").unwrap();
        let options = ReadOptions {
            color: true,
            image_size: Some((2, 1)),
            ..ReadOptions::default()
        };
        let table = read(list.to_str().unwrap(), &options).unwrap();
        assert_eq!((table.n_rows(), table.n_columns()), (2, 6));
        let Content::Features(features) = &table.content else {
            panic!()
        };
        assert_eq!(
            [0, 1, 2].map(|at| features.view().value(0, at)),
            [200.0, 100.0, 0.0]
        );
        for (at, want) in [200.0, 100.0, 0.0].into_iter().enumerate() {
            assert!((features.view().value(1, at) - want).abs() <= 2.0);
        }
        assert_eq!(table.labels.unwrap().1.text(1), "blurred");
        fs::write(&list, "x.png\nz.png\n").unwrap();
        let error = read(list.to_str().unwrap(), &options)
            .unwrap_err()
            .to_string();
        assert!(
            error.ends_with("list.txt, line 2: \"z.png\": no such file"),
            "{error}"
        );
    }

    #[test]
    fn a_broken_image_names_itself() {
        let root = tempfile::tempdir().unwrap();
        pgm(&root.path().join("a.pgm"), 2, 2, 1);
        fs::write(root.path().join("b.png"), b"\x89PNG\r\n\x1a\nbroken").unwrap();
        let error = read(root.path().to_str().unwrap(), &ReadOptions::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains("b.png: not a readable image"), "{error}");
        let empty = tempfile::tempdir().unwrap();
        let error = read(empty.path().to_str().unwrap(), &ReadOptions::default())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("neither tables (CSV, Parquet, Arrow, NPY) nor images"),
            "{error}"
        );
    }
}
