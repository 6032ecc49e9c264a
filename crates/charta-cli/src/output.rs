//! Where results go: checked before the run, written after it, whole or not at all.

use std::path::{Path, PathBuf};

use charta::data::Precision;
use charta_plot::{Ink, Pairs};
use clap::ArgMatches;
use ndarray::ArrayView2;

use crate::failure::{Failure, Outcome};
use crate::input::{switch, text};
use crate::signals;
use crate::style::Style;

/// Detail of a JSON report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Detail {
    /// Without large tables.
    Brief,
    /// Everything.
    Full,
}

/// What the call requests written.
#[derive(Clone, Debug)]
pub(crate) struct Outputs {
    pub(crate) table: Option<PathBuf>,
    /// What the table holds.
    pub(crate) content: &'static str,
    pub(crate) plot: Option<PathBuf>,
    pub(crate) biplot: Option<PathBuf>,
    pub(crate) loadings_plot: Option<PathBuf>,
    pub(crate) scree_plot: Option<PathBuf>,
    pub(crate) components_plot: Option<PathBuf>,
    /// Whether the components are drawn in grey; by their signs if `None`.
    pub(crate) grey_components: Option<bool>,
    pub(crate) images_plot: Option<PathBuf>,
    pub(crate) input_plot: Option<PathBuf>,
    /// Columns of it.
    pub(crate) input_axes: Option<String>,
    /// The coordinate whose contour lines it has, counted from 1.
    pub(crate) contours: Option<usize>,
    /// Coordinates of the plot, counted from 0: two or three, or those of a matrix.
    pub(crate) axes: Option<Vec<usize>>,
    /// Whether the plot is a matrix of scatter plots.
    pub(crate) pairs: bool,
    /// Whether the neighbour graph is drawn.
    pub(crate) graph: bool,
    /// Two rows between which a path is found.
    pub(crate) path: Option<String>,
    /// Pictures that a model has of itself, by name.
    pub(crate) of_model: Vec<(String, Option<PathBuf>)>,
    /// Whether high numbers of images are dark.
    pub(crate) ink: Ink,
    /// Images are stored column by column.
    pub(crate) by_columns: bool,
    pub(crate) model: Option<PathBuf>,
    /// The folder of the matrices of the fit.
    pub(crate) steps: Option<PathBuf>,
    pub(crate) json: Option<Detail>,
    pub(crate) color_by: Option<String>,
    pub(crate) label_points: bool,
    /// How scatter plots look.
    pub(crate) style: Style,
    /// Whether the map is measured.
    pub(crate) quality: bool,
    /// Whether the table has a column of what is lost of each row.
    pub(crate) errors: bool,
}

impl Outputs {
    /// Reads the output options of a call.
    pub(crate) fn new(given: &ArgMatches) -> Outcome<Self> {
        let path = |name: &str| text(given, name).map(PathBuf::from);
        Ok(Self {
            table: path("output"),
            content: "coordinates",
            plot: path("plot"),
            biplot: path("biplot"),
            loadings_plot: path("loadings-plot"),
            scree_plot: path("scree-plot"),
            components_plot: path("components-plot"),
            grey_components: text(given, "components-color").map(|word| word != "diverging"),
            images_plot: path("images-plot"),
            input_plot: path("input-plot"),
            input_axes: text(given, "input-axes"),
            contours: contours(given)?,
            axes: axes(given)?,
            pairs: switch(given, "pairs"),
            graph: switch(given, "graph"),
            path: text(given, "path"),
            of_model: of_model(given),
            ink: match text(given, "image-ink").as_deref() {
                Some("dark") => Ink::Dark,
                Some("light") => Ink::Light,
                _ => Ink::Auto,
            },
            by_columns: text(given, "image-order").as_deref() == Some("columns"),
            model: path("save"),
            steps: path("steps"),
            json: detail(given),
            color_by: text(given, "color-by"),
            label_points: switch(given, "label-points"),
            style: Style::new(given)?,
            quality: switch(given, "quality"),
            errors: switch(given, "errors"),
        })
    }

    /// Fails for every reason that is known before the run: formats, folders, names taken twice,
    /// inputs that would be overwritten.
    pub(crate) fn check(&self, inputs: &[&str]) -> Outcome {
        if self.json.is_some() && self.to_standard_output() {
            return Err(Failure::usage(
                "`--json` and `-o -` both use standard output: write the coordinates to a file",
            ));
        }
        if !self.draws_points() {
            self.check_without_plot()?;
        }
        self.check_pairs()?;
        self.check_without_images()?;
        self.check_without_input_plot()?;
        for (path, html) in [
            (&self.plot, true),
            (&self.biplot, true),
            (&self.loadings_plot, false),
            (&self.scree_plot, false),
            (&self.components_plot, false),
            (&self.images_plot, false),
            (&self.input_plot, true),
        ] {
            if let Some(path) = path {
                check_picture(path, html)?;
            }
        }
        for path in self.of_model.iter().filter_map(|(_, path)| path.as_ref()) {
            check_picture(path, false)?;
        }
        if let Some(path) = &self.table {
            check_table(path, inputs)?;
        }
        for (_, path) in self.files() {
            check_file(path, inputs)?;
        }
        self.check_twice()
    }

    fn check_without_plot(&self) -> Outcome {
        let flag = match (&self.color_by, self.label_points, self.style.flag) {
            (Some(_), ..) => "color-by",
            (None, true, _) => "label-points",
            (None, false, Some(flag)) => flag,
            (None, false, None) => return Ok(()),
        };
        Err(Failure::Usage(format!(
            "`--{flag}` needs a plot: add `--plot FILE`"
        )))
    }

    fn check_without_input_plot(&self) -> Outcome {
        let flag = match (&self.input_plot, self.contours, &self.input_axes) {
            (None, Some(_), _) => "--contours",
            (None, None, Some(_)) => "--input-axes",
            _ => return self.check_axes(),
        };
        Err(Failure::Usage(format!(
            "`{flag}` needs a plot of the input: add `--input-plot FILE`"
        )))
    }

    fn check_axes(&self) -> Outcome {
        match (&self.axes, &self.plot, &self.images_plot) {
            (Some(_), None, None) => Err(Failure::usage(
                "`--axes` chooses the coordinates of a plot: add `--plot FILE`",
            )),
            _ => Ok(()),
        }
    }

    fn check_pairs(&self) -> Outcome {
        if !self.pairs {
            return Ok(());
        }
        let Some(plot) = &self.plot else {
            return Err(Failure::usage(
                "`--pairs` draws all pairs of coordinates into a plot: add `--plot FILE`",
            ));
        };
        check_pairs_picture(plot)?;
        match (self.label_points, self.style.class_names) {
            (true, _) => Err(no_names_in_pairs("label-points")),
            (false, true) => Err(no_names_in_pairs("class-names")),
            (false, false) => Ok(()),
        }
    }

    fn check_without_images(&self) -> Outcome {
        if self.grey_components.is_some() && self.components_plot.is_none() {
            return Err(Failure::usage(
                "`--components-color` needs a plot of components: add `--components-plot FILE`",
            ));
        }
        if self.images_plot.is_some() || self.components_plot.is_some() {
            return Ok(());
        }
        let flag = match (self.ink, self.by_columns) {
            (Ink::Dark | Ink::Light, _) => "--image-ink",
            (Ink::Auto, true) => "--image-order",
            _ => return Ok(()),
        };
        Err(Failure::Usage(format!(
            "`{flag}` needs a plot of images: add `--images-plot FILE`"
        )))
    }

    fn check_twice(&self) -> Outcome {
        let files = self.files();
        let targets: Vec<PathBuf> = files.iter().map(|(_, path)| target(path)).collect();
        for (place, (what, path)) in files.iter().enumerate() {
            if let Some(other) = targets[..place]
                .iter()
                .position(|other| *other == targets[place])
            {
                return Err(Failure::Usage(format!(
                    "{}: two outputs have this name, {} and {what}; choose another for one of them",
                    path.display(),
                    files[other].0
                )));
            }
        }
        Ok(())
    }

    /// The files requested, with what each is.
    pub(crate) fn files(&self) -> Vec<(&'static str, &Path)> {
        let table = self.table.as_ref().filter(|_| !self.to_standard_output());
        let wanted = [
            (self.content, table),
            ("plot", self.plot.as_ref()),
            ("biplot", self.biplot.as_ref()),
            ("loadings plot", self.loadings_plot.as_ref()),
            ("scree plot", self.scree_plot.as_ref()),
            ("components plot", self.components_plot.as_ref()),
            ("images plot", self.images_plot.as_ref()),
            ("input plot", self.input_plot.as_ref()),
            ("model", self.model.as_ref()),
        ];
        let of_model = self.of_model.iter();
        let of_model = of_model.map(|(_, path)| ("picture", path.as_ref()));
        wanted
            .into_iter()
            .chain(of_model)
            .filter_map(|(what, path)| Some((what, path?.as_path())))
            .collect()
    }

    /// The files requested, and the folder of the matrices of a fit.
    pub(crate) fn all(&self) -> Vec<(&'static str, &Path)> {
        let folder = self
            .steps
            .as_deref()
            .map(|folder| ("matrices of the fit", folder));
        self.files().into_iter().chain(folder).collect()
    }

    /// The names of the files requested.
    pub(crate) fn file_names(&self) -> Vec<String> {
        let files = self.all().into_iter();
        files.map(|(_, path)| path.display().to_string()).collect()
    }

    /// The pictures requested.
    pub(crate) fn pictures(&mut self) -> impl Iterator<Item = &mut Option<PathBuf>> {
        let fixed = [
            &mut self.plot,
            &mut self.biplot,
            &mut self.loadings_plot,
            &mut self.scree_plot,
            &mut self.components_plot,
            &mut self.images_plot,
            &mut self.input_plot,
        ];
        let of_model = self.of_model.iter_mut().map(|(_, path)| path);
        fixed.into_iter().chain(of_model)
    }

    /// True if a picture shows the rows.
    pub(crate) fn draws_points(&self) -> bool {
        let pictures = [
            &self.plot,
            &self.biplot,
            &self.images_plot,
            &self.input_plot,
        ];
        pictures.into_iter().any(Option::is_some)
    }

    /// True if the table itself goes to standard output.
    pub(crate) fn to_standard_output(&self) -> bool {
        self.table.as_deref() == Some(Path::new("-"))
    }

    /// True if nothing at all is requested.
    pub(crate) fn is_empty(&self) -> bool {
        self.json.is_none()
            && self.table.is_none()
            && self.steps.is_none()
            && self.files().is_empty()
    }
}

/// Fails if a matrix of scatter plots of this name cannot be drawn.
pub(crate) fn check_pairs_picture(path: &Path) -> Outcome {
    if charta_plot::Format::from_path(path)? == charta_plot::Format::Html {
        return Err(Failure::Usage(format!(
            "{}: `--pairs` is drawn as .png or .svg",
            path.display()
        )));
    }
    Ok(())
}

/// Why an option that writes names cannot go with a matrix of scatter plots.
pub(crate) fn no_names_in_pairs(flag: &str) -> Failure {
    Failure::Usage(format!(
        "`--{flag}`: the panels of `--pairs` have no room for names; leave out one of the two"
    ))
}

/// The coordinates of the plot, counted from 0 here and from 1 in the call.
fn axes(given: &ArgMatches) -> Outcome<Option<Vec<usize>>> {
    let Some(list) = text(given, "axes") else {
        return Ok(None);
    };
    let place = |word: &str| word.trim().parse::<usize>().ok()?.checked_sub(1);
    let places: Option<Vec<usize>> = list.split(',').map(place).collect();
    let most = if switch(given, "pairs") {
        Pairs::MOST
    } else {
        3
    };
    let proper = |places: &Vec<usize>| {
        let distinct = (1..places.len()).all(|place| !places[..place].contains(&places[place]));
        (2..=most).contains(&places.len()) && distinct
    };
    match places.filter(proper) {
        Some(places) => Ok(Some(places)),
        None if most > 3 => Err(Failure::Usage(format!(
            "`--axes` with `--pairs` takes 2 to {most} different coordinates, counted from 1, such as 1,2,3,4, got {list:?}"
        ))),
        None => Err(Failure::Usage(format!(
            "`--axes` takes two or three different coordinates, counted from 1, such as 1,3 or 1,2,3 (with `--pairs` up to \
             {}), got {list:?}",
            Pairs::MOST
        ))),
    }
}

/// The coordinate whose contour lines are drawn.
fn contours(given: &ArgMatches) -> Outcome<Option<usize>> {
    let Some(word) = text(given, "contours") else {
        return Ok(None);
    };
    match word.parse() {
        Ok(number) if number > 0 => Ok(Some(number)),
        _ => Err(Failure::Usage(format!(
            "`--contours` takes the number of a coordinate, counted from 1, got {word:?}"
        ))),
    }
}

/// The pictures of a model that are requested, each `NAME=FILE`; one without a name keeps what was written as its name.
fn of_model(given: &ArgMatches) -> Vec<(String, Option<PathBuf>)> {
    let words = crate::input::texts(given, "picture").into_iter();
    words
        .map(|word| match word.split_once('=') {
            Some((name, path)) => (name.to_owned(), Some(PathBuf::from(path))),
            None => (word, None),
        })
        .collect()
}

/// How much of a JSON report is requested, if one is.
pub(crate) fn detail(given: &ArgMatches) -> Option<Detail> {
    text(given, "json").map(|word| {
        if word == "full" {
            Detail::Full
        } else {
            Detail::Brief
        }
    })
}

/// Fails if a table of this name cannot be written, or is an input.
pub(crate) fn check_table(path: &Path, inputs: &[&str]) -> Outcome {
    charta_io::check_output(path, inputs).map_err(|error| Failure::Usage(error.to_string()))
}

/// Fails if a picture of this name cannot be drawn.
pub(crate) fn check_picture(path: &Path, html: bool) -> Outcome {
    let format = charta_plot::Format::from_path(path)?;
    if !html && format == charta_plot::Format::Html {
        return Err(Failure::Usage(format!(
            "{}: this picture is drawn as .png or .svg",
            path.display()
        )));
    }
    Ok(())
}

/// Fails if a file of this name cannot be written, or is an input.
pub(crate) fn check_file(path: &Path, inputs: &[&str]) -> Outcome {
    charta_io::check_not_input(path, inputs)?;
    // Begins the file and forgets it: nothing is left behind.
    let begun = charta_io::AtomicFile::create(path).map(drop);
    begun.map_err(|error| Failure::Usage(error.to_string()))
}

/// Writes numbers beside the names and labels of the rows they belong to, in the precision these were
/// read in.
pub(crate) fn write_table(
    path: &Path,
    read: &charta_io::Table,
    names: Vec<String>,
    values: ArrayView2<'_, f64>,
) -> Outcome {
    write_with_classes(path, read, names, values, None)
}

/// The same with a column of classes that were found for the rows.
pub(crate) fn write_with_classes(
    path: &Path,
    read: &charta_io::Table,
    names: Vec<String>,
    values: ArrayView2<'_, f64>,
    found: Option<(&str, &charta::Labels<'_>)>,
) -> Outcome {
    signals::check()?;
    let output = charta_io::Output {
        names,
        values,
        single: read.precision() == Precision::Single,
        row_names: read.row_names.as_deref(),
        id_title: read.id_title.as_deref(),
        predicted: found,
        labels: read
            .labels
            .as_ref()
            .map(|(title, labels)| (title.as_str(), labels)),
    };
    Ok(charta_io::write(path, &output)?)
}

/// The file that a path leads to, whether it is there yet or not: links are followed.
fn target(path: &Path) -> PathBuf {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let in_folder = || Some(folder.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize()
        .ok()
        .or_else(in_folder)
        .unwrap_or_else(|| path.to_path_buf())
}
