//! Pictures: all that a call wants, and those of the coordinates.

use std::path::{Path, PathBuf};

use charta::Labels;
use charta::pipeline::Fitted;
use charta_plot::{Arrow, Colour, Format, Mark, Scatter};
use ndarray::ArrayView2;

use crate::color::Colours;
use crate::failure::{Failure, Outcome};
use crate::output::Outputs;
use crate::result::Finished;
use crate::{diagrams, wording};

/// The first two coordinates of all rows, with what is drawn beside them.
#[derive(Debug, Default)]
pub(crate) struct Points {
    pub(crate) places: Vec<[f64; 2]>,
    pub(crate) row_names: Option<Vec<String>>,
    pub(crate) colours: Colours,
}

impl Points {
    /// Adds rows. A single coordinate is drawn against the row's number.
    pub(crate) fn extend(&mut self, coordinates: &ArrayView2<'_, f64>) {
        let flat = coordinates.ncols() == 1;
        for row in coordinates.rows() {
            let place = if flat {
                [self.places.len() as f64, row[0]]
            } else {
                [row[0], row[1]]
            };
            self.places.push(place);
        }
    }
}

/// A picture ready to be written.
pub(crate) type Picture<'a> = (&'a Path, Vec<u8>);

/// Draws every picture of a fit.
pub(crate) fn draw_all<'a>(
    outputs: &'a Outputs,
    finished: &Finished,
    points: &Points,
) -> Outcome<Vec<Picture<'a>>> {
    let mut pictures = Vec::new();
    let mut draw = |path: &'a Option<PathBuf>, draw: &dyn Fn(Format) -> Outcome<Vec<u8>>| {
        if let Some(path) = path {
            pictures.push((path.as_path(), draw(Format::from_path(path)?)?));
        }
        Ok::<_, Failure>(())
    };
    let plane = Plane {
        finished,
        points,
        label_points: outputs.label_points,
    };
    draw(&outputs.plot, &|format| plane.scatter(format, &[]))?;
    draw(&outputs.biplot, &|format| plane.biplot(format))?;
    draw(&outputs.loadings_plot, &|format| {
        diagrams::loadings(finished, format)
    })?;
    draw(&outputs.scree_plot, &|format| {
        diagrams::scree(finished, format)
    })?;
    draw(&outputs.components_plot, &|format| {
        diagrams::components(finished, format)
    })?;
    Ok(pictures)
}

/// The rows in the plane of their first two coordinates.
struct Plane<'a> {
    finished: &'a Finished,
    points: &'a Points,
    label_points: bool,
}

impl Plane<'_> {
    /// The rows, the model's marks, and arrows if there are any.
    fn scatter(&self, format: Format, arrows: &[Arrow]) -> Outcome<Vec<u8>> {
        let (fitted, points) = (&self.finished.fitted, self.points);
        let titles = titles(fitted);
        let axes = match titles.as_slice() {
            [first, second, ..] => [first.clone(), second.clone()],
            [only] => ["row".into(), only.clone()],
            [] => return Err(Failure::Run("the model has no coordinates to draw".into())),
        };
        let classes = classes(points.colours.as_ref());
        let marks = self.marks();
        let picture = Scatter {
            title: format!(
                "{}: {}",
                fitted.entry().info.title,
                self.finished.facts.name
            ),
            subtitle: self.finished.facts.size(),
            axes,
            colour: colour(points.colours.as_ref(), &classes),
            row_names: points.row_names.as_deref(),
            label_points: self.label_points,
            marks: &marks,
            arrows,
            equal_axes: titles.len() > 1,
            ..Scatter::new(&points.places)
        };
        Ok(picture.draw(format)?)
    }

    /// The rows, with an arrow for each feature.
    fn biplot(&self, format: Format) -> Outcome<Vec<u8>> {
        let loadings = diagrams::feature_loadings(self.finished, "--biplot")?;
        if loadings.weights.nrows() < 2 {
            return Err(Failure::usage(
                "`--biplot` needs two coordinates at least, and the model has one",
            ));
        }
        let columns = loadings.weights.columns().into_iter();
        let arrows: Vec<Arrow> = columns
            .zip(loadings.names)
            .map(|(weights, name)| Arrow {
                name,
                vector: [weights[0], weights[1]],
            })
            .collect();
        self.scatter(format, &arrows)
    }

    /// The model's named places, in the colours of the classes that they name. One coordinate alone has no place for
    /// them.
    fn marks(&self) -> Vec<Mark> {
        let names = match &self.points.colours {
            Some((_, Labels::Classes { names, .. })) => names.as_ref(),
            _ => &[],
        };
        let marks = self.finished.fitted.model().marks();
        marks
            .into_iter()
            .filter_map(|mark| match *mark.place.as_slice() {
                [across, up, ..] => Some(Mark {
                    class: names.iter().position(|name| *name == mark.name),
                    name: mark.name,
                    place: [across, up],
                }),
                _ => None,
            })
            .collect()
    }
}

/// The coordinates' names, with the share of the variance where it is known.
pub(crate) fn titles(fitted: &Fitted) -> Vec<String> {
    let diagnostics = fitted.diagnostics();
    let shares = diagnostics.values("explained_variance_ratio");
    let names = fitted.component_names().into_iter().enumerate();
    names
        .map(
            |(place, name)| match shares.and_then(|shares| shares.get(place)) {
                Some(share) => format!("{name} ({})", wording::percent(*share)),
                None => name,
            },
        )
        .collect()
}

fn classes(colours: Option<&(String, Labels<'static>)>) -> Vec<Option<usize>> {
    match colours {
        Some((_, Labels::Classes { of_row, .. })) => of_row
            .iter()
            .map(|class| class.map(|class| class as usize))
            .collect(),
        _ => Vec::new(),
    }
}

fn colour<'a>(
    colours: Option<&'a (String, Labels<'static>)>,
    classes: &'a [Option<usize>],
) -> Colour<'a> {
    match colours {
        Some((title, Labels::Classes { names, .. })) => Colour::Classes {
            title,
            names,
            of_row: classes,
        },
        Some((title, Labels::Numbers(values))) => Colour::Numbers { title, values },
        None => Colour::None,
    }
}
