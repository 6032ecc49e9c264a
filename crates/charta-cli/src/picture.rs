//! Pictures: all that a call requests, and those of the coordinates.

use std::path::{Path, PathBuf};

use charta::Labels;
use charta::method::Info;
use charta::model::ErasedModel;
use charta::pipeline::Fitted;
use charta_io::{Content, Table};
use charta_plot::{Arrow, Color, Format, Further, Mark, Pairs, Scatter, Space, Thumbnails, strips};
use ndarray::ArrayView2;

use crate::color::{self, Colors};
use crate::failure::{Failure, Outcome};
use crate::input::Input;
use crate::input_plot::InputColumns;
use crate::neighbor_graph::GraphLines;
use crate::output::Outputs;
use crate::result::Finished;
use crate::session::Session;
use crate::style::{self, Style};
use crate::{clusters, dates, diagrams, format, summary};

/// Rows up to which their names are written by default.
pub(crate) const FEW_NAMES: usize = 60;
/// Further coordinates of points in space, at most.
const MOST_FURTHER: usize = 20;
/// Coordinates of a matrix of scatter plots, if the call does not choose them.
pub(crate) const USUAL_PAIRS: usize = 4;

/// Which coordinates are drawn, across and up.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Planes {
    plot: [usize; 2],
    /// A third one, for points in space.
    third: Option<usize>,
    /// Others, by which points in space are filtered.
    further: Vec<usize>,
    /// Those of a matrix of scatter plots, if the plot is one.
    pairs: Vec<usize>,
    /// Other ones for the biplot.
    biplot: Option<[usize; 2]>,
}

impl Planes {
    /// The coordinates that the call chooses, or the usual ones; a biplot always has the first two.
    pub(crate) fn of(model: &dyn ErasedModel, outputs: &Outputs) -> Outcome<Self> {
        let mut usual = Self::usual(model);
        if outputs.pairs {
            usual.pairs = Self::pairs(model, outputs)?;
        }
        let (Some(axes), true) = (
            &outputs.axes,
            outputs.plot.is_some() || outputs.images_plot.is_some(),
        ) else {
            return Ok(usual);
        };
        let count = model.n_components();
        check_axes(axes, count)?;
        // The matrix takes all axes, and other pictures beside it the first two.
        let third = axes.get(2).copied().filter(|_| !outputs.pairs);
        let html = |path: &PathBuf| matches!(Format::from_path(path), Ok(Format::Html));
        let filtered = third.is_some() && outputs.plot.as_ref().is_some_and(html);
        let others = (0..count).filter(|place| !axes.contains(place));
        Ok(Self {
            plot: [axes[0], axes[1]],
            third,
            further: if filtered {
                others.take(MOST_FURTHER).collect()
            } else {
                Vec::new()
            },
            pairs: usual.pairs,
            biplot: usual
                .biplot
                .or((count > 1 && outputs.biplot.is_some()).then_some([0, 1])),
        })
    }

    /// The coordinates of a matrix of scatter plots: those that the call chooses, or the first ones; of a model with views
    /// the first ones of every view in turn.
    fn pairs(model: &dyn ErasedModel, outputs: &Outputs) -> Outcome<Vec<usize>> {
        let (count, n_views) = (model.n_components(), summary::n_views(model));
        if count < 2 {
            return Err(needs_two("--pairs"));
        }
        if let Some(axes) = &outputs.axes {
            check_axes(axes, count)?;
            return Ok(axes.clone());
        }
        let per_view = count / n_views;
        let in_turn = (0..per_view).flat_map(|place| (0..n_views).map(move |view| (place, view)));
        Ok(in_turn
            .map(|(place, view)| view * per_view + place)
            .take(USUAL_PAIRS)
            .collect())
    }

    /// The first two coordinates; of a model with views the first of two views, and for a biplot the first two of one.
    fn usual(model: &dyn ErasedModel) -> Self {
        let per_view = model.n_components() / summary::n_views(model);
        match model.as_views() {
            Some(_) => Self {
                plot: [0, per_view],
                biplot: (per_view > 1).then_some([0, 1]),
                ..Self::default()
            },
            None => Self {
                plot: [0, usize::from(model.n_components() > 1)],
                ..Self::default()
            },
        }
    }
}

/// Fails if a plot is to show coordinates that are not there.
pub(crate) fn check_axes(axes: &[usize], n_components: usize) -> Outcome {
    match axes.iter().find(|axis| **axis >= n_components) {
        Some(axis) => Err(Failure::Usage(format!(
            "`--axes`: there is no coordinate {}, the model has {}",
            axis + 1,
            format::counted(n_components, "coordinate")
        ))),
        None => Ok(()),
    }
}

/// Two coordinates of all rows, with what is drawn beside them.
#[derive(Debug, Default)]
pub(crate) struct Points {
    planes: Planes,
    pub(crate) places: Vec<[f64; 2]>,
    /// Where they lie in a biplot, if elsewhere.
    biplot_places: Vec<[f64; 2]>,
    /// Three coordinates, and the further ones, for points in space.
    space: Vec<[f64; 3]>,
    further: Vec<Vec<f64>>,
    /// The coordinates of a matrix of scatter plots.
    pairs: Vec<Vec<f64>>,
    /// The neighbour graph and a path along it, as far as they are requested.
    pub(crate) graph: GraphLines,
    /// Columns of the input, if they are drawn.
    pub(crate) input: Option<InputColumns>,
    pub(crate) row_names: Option<Vec<String>>,
    pub(crate) colors: Colors,
}

impl Points {
    /// Adds rows.
    pub(crate) fn extend(&mut self, coordinates: &ArrayView2<'_, f64>, planes: &Planes) {
        self.planes = planes.clone();
        self.further.resize(planes.further.len(), Vec::new());
        self.pairs.resize(planes.pairs.len(), Vec::new());
        for row in coordinates.rows() {
            self.places.push(planes.plot.map(|place| row[place]));
            if let Some(plane) = planes.biplot {
                self.biplot_places.push(plane.map(|place| row[place]));
            }
            if let Some(third) = planes.third {
                let [x, y] = planes.plot;
                self.space.push([x, y, third].map(|place| row[place]));
            }
            for (values, &place) in self.further.iter_mut().zip(&planes.further) {
                values.push(row[place]);
            }
            for (values, &place) in self.pairs.iter_mut().zip(&planes.pairs) {
                values.push(row[place]);
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
            points.note_characters(outputs, session);
        }
        Ok(points)
    }

    /// Notes which characters of names a PNG picture cannot show.
    fn note_characters(&self, outputs: &Outputs, session: &Session) {
        let is_png = |path: &Option<PathBuf>| {
            path.as_ref()
                .is_some_and(|path| matches!(Format::from_path(path), Ok(Format::Png)))
        };
        if ![&outputs.plot, &outputs.biplot, &outputs.images_plot]
            .into_iter()
            .any(is_png)
        {
            return;
        }
        let classes = match &self.colors {
            Some((_, Labels::Classes { names, .. })) => names.as_ref(),
            _ => &[],
        };
        let rows = self.row_names.as_deref().unwrap_or_default();
        let shown = if outputs.label_points || rows.len() <= FEW_NAMES {
            rows
        } else {
            &[]
        };
        let texts = classes.iter().chain(shown).map(String::as_str);
        if let Some(note) = style::missing_characters(texts) {
            session.progress.note(&note);
        }
    }

    /// Whether the rows' names are written.
    pub(crate) fn is_labelled(&self, outputs: &Outputs) -> bool {
        let few = |names: &Vec<String>| names.len() <= FEW_NAMES;
        outputs.label_points || self.row_names.as_ref().is_some_and(few)
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

impl<'a> Drawn<'a> {
    /// Draws a picture, if it is requested.
    pub(crate) fn add(
        &mut self,
        path: &'a Option<PathBuf>,
        draw: &dyn Fn(Format) -> Outcome<Vec<u8>>,
    ) -> Outcome {
        let Some(path) = path else {
            return Ok(());
        };
        match draw(Format::from_path(path)?) {
            Ok(bytes) => self.pictures.push((path.as_path(), bytes)),
            Err(failure @ (Failure::Usage(_) | Failure::Run(_))) => {
                self.impossible.push((path.clone(), failure));
            }
            Err(failure) => return Err(failure),
        }
        Ok(())
    }
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
        drawn.add(path, draw)
    };
    let plane = Plane {
        finished,
        points,
        style: &outputs.style,
        label_points: points.is_labelled(outputs),
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
        diagrams::components(finished, outputs, format)
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
    style: &'a Style,
    label_points: bool,
}

impl Plane<'_> {
    /// The rows with the model's marks: in a plane, or along a single coordinate.
    fn plot(&self, format: Format) -> Outcome<Vec<u8>> {
        let (model, points) = (self.finished.fitted.model(), self.points);
        if !points.planes.pairs.is_empty() {
            return self.pairs(format);
        }
        if model.n_components() < 2 {
            return self.strips(format);
        }
        if points.planes.third.is_some() {
            return self.space(format);
        }
        let marks = self.marks(points.planes.plot);
        let mut notes = vec![self.finished.facts.size()];
        notes.extend(self.not_drawn(&points.planes.plot));
        notes.extend(points.graph.notes(true));
        let strokes = points.graph.strokes(&points.places);
        if model.as_views().is_some() {
            let shown = format::number(correlation(&points.places));
            notes.push(format!("correlation {shown}"));
        }
        self.draw(format, notes, |names| Scatter {
            axes: points.planes.plot.map(|place| names[place].clone()),
            marks: &marks,
            edges: &points.graph.edges,
            strokes: &strokes,
            ..Scatter::new(&points.places)
        })
    }

    /// All pairs of several coordinates.
    fn pairs(&self, format: Format) -> Outcome<Vec<u8>> {
        let (points, names) = (self.points, titles(&self.finished.fitted));
        let shown = &points.planes.pairs;
        let mut notes = vec![self.finished.facts.size()];
        notes.extend(self.not_drawn(shown));
        let classes = classes(points.colors.as_ref());
        let picture = Pairs {
            names: shown.iter().map(|place| names[*place].clone()).collect(),
            title: self.title(),
            subtitle: notes.join(" · "),
            color: color_of(points.colors.as_ref(), &classes),
            ..Pairs::new(&points.pairs)
        };
        Ok(self.style.apply_to_pairs(picture).draw(format)?)
    }

    /// The rows in the space of three coordinates.
    fn space(&self, format: Format) -> Outcome<Vec<u8>> {
        let (fitted, points) = (&self.finished.fitted, self.points);
        let (planes, names) = (&points.planes, titles(fitted));
        let axes = [planes.plot[0], planes.plot[1], planes.third.unwrap_or(0)];
        let mut notes = vec![self.finished.facts.size()];
        notes.extend(self.not_drawn(&axes));
        notes.extend(points.graph.notes(true));
        let classes = classes(points.colors.as_ref());
        let strokes = points.graph.strokes(&points.space);
        let further = planes.further.iter().zip(&points.further);
        let further: Vec<Further> = further
            .map(|(place, values)| Further {
                name: names[*place].clone(),
                values: values.clone(),
            })
            .collect();
        let picture = Space {
            title: self.title(),
            subtitle: notes.join(" · "),
            axes: axes.map(|place| names[place].clone()),
            color: color_of(points.colors.as_ref(), &classes),
            row_names: points.row_names.as_deref(),
            label_points: self.label_points,
            edges: &points.graph.edges,
            strokes: &strokes,
            further: &further,
            ..Space::new(&points.space)
        };
        Ok(self.style.apply_to_space(picture).draw(format)?)
    }

    /// Which of the coordinates are drawn, where there are others.
    fn not_drawn(&self, drawn: &[usize]) -> Option<String> {
        let model = self.finished.fitted.model();
        if model.as_views().is_some() || drawn.len() >= model.n_components() {
            return None;
        }
        let numbers: Vec<String> = drawn.iter().map(|place| (place + 1).to_string()).collect();
        let (last, first) = numbers.split_last()?;
        let first = first.join(", ");
        Some(format!(
            "coordinates {first} and {last} of {}",
            model.n_components()
        ))
    }

    fn title(&self) -> String {
        let method = self.finished.fitted.entry().info.title;
        format!("{method}: {}", self.finished.facts.name)
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
        let shown = self.points.planes.plot;
        let notes = std::iter::once(facts.size()).chain(self.not_drawn(&shown));
        // Names would lie across the images: they are written only if requested.
        let plane = Plane {
            label_points: outputs.label_points,
            ..*self
        };
        plane.draw(format, notes.collect(), |names| Scatter {
            axes: shown.map(|place| names[place].clone()),
            thumbnails: Some(thumbnails),
            ..Scatter::new(&self.points.places)
        })
    }

    /// A single coordinate: a strip of rows for each class, with its mean.
    fn strips(&self, format: Format) -> Outcome<Vec<u8>> {
        let points = self.points;
        let values: Vec<f64> = points.places.iter().map(|place| place[0]).collect();
        let classes = classes(points.colors.as_ref());
        let color = color_of(points.colors.as_ref(), &classes);
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
        let planes = &self.points.planes;
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
        let (marks, mut notes) = (self.marks([0, 1]), vec![self.finished.facts.size()]);
        notes.extend(self.not_drawn(&[0, 1]));
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
        let picture = Scatter {
            title: self.title(),
            subtitle: notes.join(" · "),
            color: color_of(points.colors.as_ref(), &classes),
            row_names: points.row_names.as_deref(),
            label_points: self.label_points,
            ..picture(&titles(fitted))
        };
        Ok(self.style.apply(picture).draw(format)?)
    }

    /// The model's named places, in the colours of the classes that they name.
    fn marks(&self, plane: [usize; 2]) -> Vec<Mark> {
        let (title, names) = match &self.points.colors {
            Some((title, Labels::Classes { names, of_row }))
                if dates::of_classes(names, of_row).is_none() =>
            {
                (title.as_str(), names.as_ref())
            }
            _ => ("", &[][..]),
        };
        // Classes that are numbers are named with their title: "cluster 3".
        let is_named = |class: &String, mark: &str| {
            class == mark || mark.strip_prefix(title).map(str::trim_start) == Some(class)
        };
        let marks = self.finished.fitted.model().marks();
        marks
            .into_iter()
            .filter_map(|mark| {
                let [across, up] = plane.map(|axis| mark.place.get(axis).copied());
                Some(Mark {
                    class: names.iter().position(|name| is_named(name, &mark.name)),
                    place: [across?, up?],
                    name: mark.name,
                })
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

/// What the colours of the rows are drawn from.
pub(crate) enum RowColors {
    /// The class of each row; empty if the colours are none.
    Classes(Vec<Option<usize>>),
    /// Seconds since 1970 of each row, where the classes are dates.
    Times(Vec<f64>),
}

/// The class of each row, or its time, if the colours are classes.
pub(crate) fn classes(colors: Option<&(String, Labels<'static>)>) -> RowColors {
    match colors {
        Some((_, Labels::Classes { names, of_row })) => match dates::of_classes(names, of_row) {
            Some(times) => RowColors::Times(times),
            None => RowColors::Classes(
                of_row
                    .iter()
                    .map(|class| class.map(|class| class as usize))
                    .collect(),
            ),
        },
        _ => RowColors::Classes(Vec::new()),
    }
}

/// What the colours of the points are.
pub(crate) fn color_of<'a>(
    colors: Option<&'a (String, Labels<'static>)>,
    of_row: &'a RowColors,
) -> Color<'a> {
    match (colors, of_row) {
        (Some((title, _)), RowColors::Times(values)) => Color::Times { title, values },
        (Some((title, Labels::Classes { names, .. })), RowColors::Classes(of_row)) => {
            Color::Classes {
                title,
                names,
                of_row,
            }
        }
        (Some((title, Labels::Numbers(values))), _) => Color::Numbers { title, values },
        (None, _) => Color::None,
    }
}
