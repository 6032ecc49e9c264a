//! Pictures: all that a call requests, and those of the coordinates.

use std::path::{Path, PathBuf};

use charta::Labels;
use charta::method::Info;
use charta::model::ErasedModel;
use charta::pipeline::Fitted;
use charta_io::{Content, Table};
use charta_plot::{Arrow, Color, Format, Mark, Scatter, Thumbnails, strips};
use ndarray::ArrayView2;

use crate::color::{self, Colors};
use crate::failure::{Failure, Outcome};
use crate::input::Input;
use crate::output::Outputs;
use crate::result::Finished;
use crate::session::Session;
use crate::{clusters, diagrams, format, summary};

/// Rows up to which their names are written by default.
const FEW_NAMES: usize = 60;

/// Which coordinates are drawn, across and up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Planes {
    plot: [usize; 2],
    /// Other ones for the biplot.
    biplot: Option<[usize; 2]>,
}

impl Planes {
    /// The first two coordinates; of a model with views the first of two views, and for a biplot the first two of one.
    pub(crate) fn of(model: &dyn ErasedModel) -> Self {
        let per_view = model.n_components() / summary::n_views(model);
        match model.as_views() {
            Some(_) => Self {
                plot: [0, per_view],
                biplot: (per_view > 1).then_some([0, 1]),
            },
            None => Self {
                plot: [0, usize::from(model.n_components() > 1)],
                biplot: None,
            },
        }
    }
}

/// Two coordinates of all rows, with what is drawn beside them.
#[derive(Debug, Default)]
pub(crate) struct Points {
    planes: Planes,
    pub(crate) places: Vec<[f64; 2]>,
    /// Where they lie in a biplot, if elsewhere.
    biplot_places: Vec<[f64; 2]>,
    pub(crate) row_names: Option<Vec<String>>,
    pub(crate) colors: Colors,
}

impl Points {
    /// Adds rows.
    pub(crate) fn extend(&mut self, coordinates: &ArrayView2<'_, f64>, planes: Planes) {
        self.planes = planes;
        for row in coordinates.rows() {
            self.places.push(planes.plot.map(|place| row[place]));
            if let Some(plane) = planes.biplot {
                self.biplot_places.push(plane.map(|place| row[place]));
            }
        }
    }

    /// The colours and names of a table's rows, if a picture shows them; their coordinates come later.
    pub(crate) fn of(
        table: &Table,
        input: &Input,
        info: &Info,
        outputs: &Outputs,
        session: &Session,
    ) -> Outcome<Self> {
        let mut points = Self::default();
        if outputs.draws_points() {
            let color_by = outputs.color_by.as_deref();
            if !clusters::are_colors(info, color_by) {
                points.colors = color::find(color_by, table, input)?;
            }
            points.name_rows(table.row_names.clone(), outputs, session);
        }
        Ok(points)
    }

    /// Gives the rows their names; notes how they get some if they are requested and there are none.
    pub(crate) fn name_rows(
        &mut self,
        names: Option<Vec<String>>,
        outputs: &Outputs,
        session: &Session,
    ) {
        self.row_names = names;
        if outputs.label_points && self.row_names.is_none() {
            let note = "`--label-points` finds no names of rows: `--id COLUMN` says which column holds them";
            session.progress.note(note);
        }
    }
}

/// A picture ready to be written.
pub(crate) type Picture<'a> = (&'a Path, Vec<u8>);

/// What came of the pictures.
pub(crate) struct Drawn<'a> {
    pub(crate) pictures: Vec<Picture<'a>>,
    /// Those that turned out to be impossible: the others are drawn all the same.
    pub(crate) impossible: Vec<(PathBuf, Failure)>,
}

/// Draws every picture of a fit; the table is there if its rows may be drawn as images.
pub(crate) fn draw_all<'a>(
    outputs: &'a Outputs,
    finished: &Finished,
    points: &Points,
    table: Option<&Table>,
) -> Outcome<Drawn<'a>> {
    let mut drawn = Drawn {
        pictures: Vec::new(),
        impossible: Vec::new(),
    };
    let mut draw = |path: &'a Option<PathBuf>, draw: &dyn Fn(Format) -> Outcome<Vec<u8>>| {
        let Some(path) = path else {
            return Ok(());
        };
        match draw(Format::from_path(path)?) {
            Ok(bytes) => drawn.pictures.push((path.as_path(), bytes)),
            Err(failure @ (Failure::Usage(_) | Failure::Run(_))) => {
                drawn.impossible.push((path.clone(), failure));
            }
            Err(failure) => return Err(failure),
        }
        Ok::<_, Failure>(())
    };
    let few = |names: &Vec<String>| names.len() <= FEW_NAMES;
    let plane = Plane {
        finished,
        points,
        label_points: outputs.label_points || points.row_names.as_ref().is_some_and(few),
    };
    let instead = finished.fitted.entry().info.first_picture;
    draw(&outputs.plot, &|format| {
        if instead {
            diagrams::first_of_model(finished, format)
        } else {
            plane.plot(format)
        }
    })?;
    for (name, path) in &outputs.of_model {
        draw(path, &|format| diagrams::of_model(finished, name, format))?;
    }
    draw(&outputs.biplot, &|format| plane.biplot(format))?;
    draw(&outputs.loadings_plot, &|format| {
        diagrams::loadings(finished, format)
    })?;
    draw(&outputs.scree_plot, &|format| {
        diagrams::scree(finished, format)
    })?;
    draw(&outputs.components_plot, &|format| {
        diagrams::components(finished, outputs.by_columns, format)
    })?;
    if let Some(table) = table {
        draw(&outputs.images_plot, &|format| {
            plane.images(table, outputs, format)
        })?;
    }
    Ok(drawn)
}

/// Why a single coordinate has no such picture.
pub(crate) fn needs_two(flag: &str) -> Failure {
    Failure::Usage(format!(
        "`{flag}` needs two coordinates at least, and the model has one"
    ))
}

/// The rows in the plane of two coordinates.
struct Plane<'a> {
    finished: &'a Finished,
    points: &'a Points,
    label_points: bool,
}

impl Plane<'_> {
    /// The rows with the model's marks: in a plane, or along a single coordinate.
    fn plot(&self, format: Format) -> Outcome<Vec<u8>> {
        let (model, points) = (self.finished.fitted.model(), self.points);
        if model.n_components() < 2 {
            return self.strips(format);
        }
        let marks = self.marks();
        let mut notes = vec![self.finished.facts.size()];
        if model.as_views().is_some() {
            let shown = format::number(correlation(&points.places));
            notes.push(format!("correlation {shown}"));
        }
        self.draw(format, notes, |names| Scatter {
            axes: points.planes.plot.map(|place| names[place].clone()),
            marks: &marks,
            ..Scatter::new(&points.places)
        })
    }

    /// The rows, those that find room as images.
    fn images(&self, table: &Table, outputs: &Outputs, format: Format) -> Outcome<Vec<u8>> {
        let facts = &self.finished.facts;
        let shape = diagrams::image_shape(facts, facts.n_columns, "--images-plot")?;
        let (Content::Features(features), 2..) =
            (&table.content, self.finished.fitted.model().n_components())
        else {
            return Err(Failure::usage(
                "`--images-plot` needs features and two coordinates at least",
            ));
        };
        let features = features.view();
        let image = |row: usize| {
            let mut pixels = vec![0.0; features.n_columns()];
            features.copy_row(row, &mut pixels);
            diagrams::by_rows(pixels, shape, outputs.by_columns)
        };
        let thumbnails = Thumbnails {
            height: shape.height,
            width: shape.width,
            channels: shape.channels,
            ink: outputs.ink,
            image: &image,
        };
        self.draw(format, vec![facts.size()], |names| Scatter {
            axes: [0, 1].map(|place| names[place].clone()),
            thumbnails: Some(thumbnails),
            ..Scatter::new(&self.points.places)
        })
    }

    /// A single coordinate: a strip of rows for each class, with its mean.
    fn strips(&self, format: Format) -> Outcome<Vec<u8>> {
        let points = self.points;
        let values: Vec<f64> = points.places.iter().map(|place| place[0]).collect();
        let classes = classes(points.colors.as_ref());
        let color = color(points.colors.as_ref(), &classes);
        let strips = strips(&values, &color);
        let mut notes = vec![
            self.finished.facts.size(),
            "spread up and down shows density only".into(),
        ];
        let title = match color {
            Color::Classes { title, .. } => {
                notes.push("ringed: means of the classes".into());
                title
            }
            _ => "",
        };
        self.draw(format, notes, |names| Scatter {
            axes: [names.first().cloned().unwrap_or_default(), title.into()],
            marks: &strips.means,
            equal_axes: false,
            levels: &strips.levels,
            ..Scatter::new(&strips.points)
        })
    }

    /// The rows, with an arrow for each feature; of a model with views, those of the first.
    fn biplot(&self, format: Format) -> Outcome<Vec<u8>> {
        let loadings = diagrams::feature_loadings(self.finished, "--biplot")?;
        let views = self.finished.fitted.model().as_views();
        let planes = self.points.planes;
        if loadings.weights.nrows() < 2 || (views.is_some() && planes.biplot.is_none()) {
            return Err(needs_two("--biplot"));
        }
        let width = views.and_then(|views| views.widths().first().copied());
        let columns = loadings.weights.columns().into_iter().zip(loadings.names);
        let arrows: Vec<Arrow> = columns
            .take(width.unwrap_or(usize::MAX))
            .map(|(weights, name)| Arrow {
                name,
                vector: [weights[0], weights[1]],
            })
            .collect();
        let (marks, mut notes) = (self.marks(), vec![self.finished.facts.size()]);
        let places = match planes.biplot {
            Some(_) => &self.points.biplot_places,
            None => &self.points.places,
        };
        if width.is_some() {
            notes.push("coordinates and features of view 1".into());
        }
        self.draw(format, notes, |names| Scatter {
            axes: [0, 1].map(|place| names[place].clone()),
            marks: &marks,
            arrows: &arrows,
            ..Scatter::new(places)
        })
    }

    /// Draws a scatter plot, with what all have in common; `picture` makes one from the titles of the coordinates.
    fn draw<'a>(
        &'a self,
        format: Format,
        notes: Vec<String>,
        picture: impl FnOnce(&[String]) -> Scatter<'a>,
    ) -> Outcome<Vec<u8>> {
        let (fitted, points) = (&self.finished.fitted, self.points);
        let classes = classes(points.colors.as_ref());
        let title = format!(
            "{}: {}",
            fitted.entry().info.title,
            self.finished.facts.name
        );
        let picture = Scatter {
            title,
            subtitle: notes.join(" · "),
            color: color(points.colors.as_ref(), &classes),
            row_names: points.row_names.as_deref(),
            label_points: self.label_points,
            ..picture(&titles(fitted))
        };
        Ok(picture.draw(format)?)
    }

    /// The model's named places, in the colours of the classes that they name.
    fn marks(&self) -> Vec<Mark> {
        let (title, names) = match &self.points.colors {
            Some((title, Labels::Classes { names, .. })) => (title.as_str(), names.as_ref()),
            _ => ("", &[][..]),
        };
        // Classes that are numbers are named with their title: "cluster 3".
        let is_named = |class: &String, mark: &str| {
            class == mark || mark.strip_prefix(title).map(str::trim_start) == Some(class)
        };
        let marks = self.finished.fitted.model().marks();
        marks
            .into_iter()
            .filter_map(|mark| match *mark.place.as_slice() {
                [across, up, ..] => Some(Mark {
                    class: names.iter().position(|name| is_named(name, &mark.name)),
                    name: mark.name,
                    place: [across, up],
                }),
                _ => None,
            })
            .collect()
    }
}

/// The correlation of the two coordinates of points.
fn correlation(places: &[[f64; 2]]) -> f64 {
    let finite = || {
        places
            .iter()
            .filter(|place| place.iter().all(|value| value.is_finite()))
    };
    let n = finite().count() as f64;
    let mean = [0, 1].map(|axis| finite().map(|place| place[axis]).sum::<f64>() / n);
    let product = |one: usize, other: usize| {
        let products =
            finite().map(|place| (place[one] - mean[one]) * (place[other] - mean[other]));
        products.sum::<f64>()
    };
    (product(0, 1) / (product(0, 0) * product(1, 1)).sqrt()).clamp(-1.0, 1.0)
}

/// The coordinates' names, with the fraction of the variance where it is known and falls from one to the next.
pub(crate) fn titles(fitted: &Fitted) -> Vec<String> {
    const NAME: &str = "explained_variance_ratio";
    let diagnostics = fitted.diagnostics();
    let shares = diagnostics
        .values(NAME)
        .filter(|_| diagnostics.is_per_component(NAME))
        .filter(|shares| shares.windows(2).into_iter().all(|pair| pair[0] >= pair[1]));
    let names = fitted.component_names().into_iter().enumerate();
    names
        .map(
            |(place, name)| match shares.and_then(|shares| shares.get(place)) {
                Some(share) => format!("{name} ({})", format::percent(*share)),
                None => name,
            },
        )
        .collect()
}

fn classes(colors: Option<&(String, Labels<'static>)>) -> Vec<Option<usize>> {
    match colors {
        Some((_, Labels::Classes { of_row, .. })) => of_row
            .iter()
            .map(|class| class.map(|class| class as usize))
            .collect(),
        _ => Vec::new(),
    }
}

fn color<'a>(
    colors: Option<&'a (String, Labels<'static>)>,
    classes: &'a [Option<usize>],
) -> Color<'a> {
    match colors {
        Some((title, Labels::Classes { names, .. })) => Color::Classes {
            title,
            names,
            of_row: classes,
        },
        Some((title, Labels::Numbers(values))) => Color::Numbers { title, values },
        None => Color::None,
    }
}
