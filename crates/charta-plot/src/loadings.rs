//! The loadings of features on components, as a heat map.

use crate::color::{MISSING, QUIET, Rgb, WHITE, diverging};
use crate::error::{Error, Result};
use crate::font;
use crate::format::{Format, Size};
use crate::frame::{self, TICK};
use crate::legend::{self, Legend};
use crate::scale::Range;
use crate::scene::{Anchor, Area, Item, Pixels, Scene, Text};
use crate::ticks::{count, rounded};

/// A heat map of features by components: blue is negative, white zero, red positive. Without negative numbers the scale
/// of colours begins at zero.
///
/// Features are ordered by the component of their largest loading, and within it by the size of that loading. Of many features
/// those with the largest loadings are shown, and the subtitle says how many there are.
#[derive(Clone, Debug)]
pub struct Loadings<'a> {
    /// The loadings of each component: one number for each feature. Numbers that are not finite are grey.
    pub components: &'a [Vec<f64>],
    /// Name of each feature.
    pub feature_names: &'a [String],
    /// Name of each component; empty for their numbers, from 1.
    pub component_names: &'a [String],
    /// What is shown.
    pub title: String,
    /// Further remarks, in smaller letters.
    pub subtitle: String,
    /// Width and height in pixels, at most: canvas beside and below the heat map is cut.
    pub size: Size,
}

/// More features than this leave no room for their names.
const MOST_FEATURES: usize = 40;
/// More components than this leave no room for theirs.
const MOST_COMPONENTS: usize = 30;
/// Font size of the numbers in the cells at the default picture size, and the smallest that is still written.
const NUMBER: f64 = 17.0;
const SMALLEST_NUMBER: f64 = 10.0;
/// Widest and highest cell at the default picture size.
const LARGEST_CELL: [f64; 2] = [440.0, 150.0];

impl<'a> Loadings<'a> {
    /// A heat map without title and names of components, in the default size.
    pub fn new(components: &'a [Vec<f64>], feature_names: &'a [String]) -> Self {
        Loadings {
            components,
            feature_names,
            component_names: &[],
            title: String::new(),
            subtitle: String::new(),
            size: Size::default(),
        }
    }

    /// The bytes of the picture as a file, PNG or SVG.
    pub fn draw(&self, format: Format) -> Result<Vec<u8>> {
        self.check()?;
        self.scene()?.encode(format, "a heat map of loadings")
    }

    fn check(&self) -> Result<()> {
        let expected = self.feature_names.len();
        let mut lengths = self.components.iter().map(Vec::len);
        if let Some(got) = lengths.find(|length| *length != expected) {
            return Err(Error::LengthMismatch {
                name: "components",
                unit: "feature",
                expected,
                got,
            });
        }
        let (expected, got) = (self.components.len(), self.component_names.len());
        if got != 0 && got != expected {
            return Err(Error::LengthMismatch {
                name: "component_names",
                unit: "component",
                expected,
                got,
            });
        }
        Ok(())
    }

    /// The components that are shown.
    fn shown_components(&self) -> &'a [Vec<f64>] {
        &self.components[..self.components.len().min(MOST_COMPONENTS)]
    }

    /// The features that are shown: all, or those with the largest loadings; ordered by the component of the largest loading,
    /// then by its size.
    fn shown_features(&self) -> Vec<usize> {
        // The component of the largest loading, and the loading without its sign.
        let largest = |feature: usize| {
            let loadings = self.shown_components().iter().enumerate();
            let finite = loadings
                .map(|(place, component)| (place, component[feature].abs()))
                .filter(|(_, loading)| loading.is_finite());
            finite.fold(
                (usize::MAX, 0.0),
                |best, one| {
                    if one.1 > best.1 { one } else { best }
                },
            )
        };
        let mut features: Vec<(usize, f64, usize)> = (0..self.feature_names.len())
            .map(|feature| {
                let (component, loading) = largest(feature);
                (component, loading, feature)
            })
            .collect();
        // Equal loadings keep the order of the features.
        features.sort_by(|a, b| b.1.total_cmp(&a.1));
        features.truncate(MOST_FEATURES);
        features.sort_by_key(|(component, ..)| *component);
        features.into_iter().map(|(.., feature)| feature).collect()
    }

    fn notes(&self) -> String {
        let mut notes = vec![self.subtitle.clone()];
        let (n_features, n_components) = (self.feature_names.len(), self.components.len());
        if n_features == 0 || n_components == 0 {
            notes.push("no loadings".into());
        }
        if n_features > MOST_FEATURES {
            notes.push(format!(
                "the {MOST_FEATURES} of {} features with the largest loadings, {} left out",
                count(n_features),
                count(n_features - MOST_FEATURES)
            ));
        }
        if n_components > MOST_COMPONENTS {
            notes.push(format!(
                "the first {MOST_COMPONENTS} of {} components",
                count(n_components)
            ));
        }
        if n_features > 1 && n_components > 1 {
            notes.push("ordered by the component of the largest loading".into());
        }
        notes.retain(|note| !note.is_empty());
        notes.join(" · ")
    }

    fn component_name(&self, component: usize) -> String {
        let number = || (component + 1).to_string();
        self.component_names
            .get(component)
            .cloned()
            .unwrap_or_else(number)
    }

    fn scene(&self) -> Result<Scene> {
        let mut scene = Scene::new(self.size)?;
        let area = frame::header(&mut scene, &self.title, &self.notes());
        let features = self.shown_features();
        if features.is_empty() || self.components.is_empty() {
            return Ok(scene);
        }
        let table = Table::new(self, &features);
        let bound = table.bound();
        let is_negative = table.values.iter().any(|value| *value < 0.0);
        let legend = Legend::Signed {
            range: Range {
                low: if is_negative { -bound } else { 0.0 },
                high: bound,
            },
            missing: table.values.iter().any(|value| !value.is_finite()),
        };
        let left = legend::draw(&mut Scene::new(self.size)?, area, &legend);
        let grid = Grid::new(self, &features, &left);
        // A narrow grid has its scale beside it, not at the far side of the picture.
        let unused = (left.right() - grid.right()).max(0.0);
        let height = legend::height(&legend, &area, &scene);
        let beside = Area {
            width: area.width - unused,
            height: (grid.bottom() - area.top).max(height).min(area.height),
            ..area
        };
        legend::draw(&mut scene, beside, &legend);
        grid.draw_cells(&mut scene, &table);
        grid.draw_names(&mut scene, self, &features);
        scene.cut([beside.right(), beside.bottom()]);
        Ok(scene)
    }
}

/// The numbers that are shown, row by row.
struct Table {
    n_columns: usize,
    values: Vec<f64>,
}

impl Table {
    fn new(loadings: &Loadings<'_>, features: &[usize]) -> Self {
        let components = loadings.shown_components();
        let row = |feature: &'_ usize| {
            let feature = *feature;
            components.iter().map(move |component| component[feature])
        };
        Table {
            n_columns: components.len(),
            values: features.iter().flat_map(row).collect(),
        }
    }

    /// The largest number without its sign, which has the strongest colour; 1 if all are zero.
    fn bound(&self) -> f64 {
        let finite = self.values.iter().filter(|value| value.is_finite());
        let largest = finite.fold(0.0, |largest: f64, value| largest.max(value.abs()));
        if largest > 1e-300 { largest } else { 1.0 }
    }

    fn colors(&self) -> Vec<Rgb> {
        let bound = self.bound();
        let color = |value: &f64| match value {
            value if value.is_finite() => diverging(value / bound),
            _ => MISSING,
        };
        self.values.iter().map(color).collect()
    }
}

/// Where the cells lie.
struct Grid {
    origin: [f64; 2],
    cell: [f64; 2],
    n_rows: usize,
    n_columns: usize,
    name_room: f64,
    upward_names: bool,
    heading_room: f64,
    unit: f64,
}

impl Grid {
    fn new(loadings: &Loadings<'_>, features: &[usize], area: &Area) -> Self {
        let unit = loadings.size.unit();
        let size = TICK * unit;
        let (n_rows, n_columns) = (features.len(), loadings.shown_components().len());
        let widest = |names: &mut dyn Iterator<Item = String>| {
            names
                .map(|name| font::width(&name, size))
                .fold(0.0, f64::max)
        };
        let name_width = widest(
            &mut features
                .iter()
                .map(|row| loadings.feature_names[*row].clone()),
        );
        let name_room = name_width.min(0.35 * area.width);
        let left = (area.left + name_room + 10.0 * unit).round();
        let fitting = |room: f64, n: usize, largest: f64| {
            let side = (room / n as f64).min(largest * unit).max(1.0);
            // Whole pixels keep the edges of the cells sharp.
            if side >= 4.0 { side.floor() } else { side }
        };
        let cell_width = fitting(area.right() - left, n_columns, LARGEST_CELL[0]);
        let heading = widest(&mut (0..n_columns).map(|column| loadings.component_name(column)));
        let upward_names = heading > cell_width - 6.0 * unit;
        let heading_room = if upward_names {
            heading.min(0.25 * area.height)
        } else {
            size
        };
        let top = (area.top + heading_room + 10.0 * unit).round();
        let cell_height = fitting(area.bottom() - top, n_rows, LARGEST_CELL[1]);
        Grid {
            origin: [left, top],
            cell: [cell_width, cell_height],
            n_rows,
            n_columns,
            name_room,
            upward_names,
            heading_room,
            unit,
        }
    }

    /// The right end of the cells, and of a heading that is wider than its cell.
    fn right(&self) -> f64 {
        self.origin[0] + self.cell[0] * self.n_columns as f64
    }

    /// The lower end of the cells.
    fn bottom(&self) -> f64 {
        self.origin[1] + self.cell[1] * self.n_rows as f64
    }

    fn middle(&self, row: usize, column: usize) -> [f64; 2] {
        [
            self.origin[0] + (column as f64 + 0.5) * self.cell[0],
            self.origin[1] + (row as f64 + 0.5) * self.cell[1],
        ]
    }

    /// All cells as one block of pixels, then their numbers if the widest one fits.
    fn draw_cells(&self, scene: &mut Scene, table: &Table) {
        let colors = table.colors();
        let rgba = colors
            .iter()
            .flat_map(|Rgb(red, green, blue)| [*red, *green, *blue, 255]);
        let area = Area {
            left: self.origin[0],
            top: self.origin[1],
            width: self.cell[0] * self.n_columns as f64,
            height: self.cell[1] * self.n_rows as f64,
        };
        scene.items.push(Item::Image {
            area,
            pixels: Pixels {
                width: self.n_columns,
                height: self.n_rows,
                rgba: rgba.collect(),
            },
        });
        frame::outline(scene, &area);
        let numbers = rounded(&table.values);
        let Some(size) = self.number_size(&numbers) else {
            return;
        };
        for (place, (number, color)) in numbers.iter().zip(&colors).enumerate() {
            let middle = self.middle(place / table.n_columns, place % table.n_columns);
            let text = Text {
                color: readable_on(*color),
                anchor: Anchor::Middle,
                ..Text::new(number.clone(), middle, size)
            };
            scene.text(text.centred_vertically());
        }
    }

    /// The font size at which every number fits into its cell, if it can be read.
    fn number_size(&self, numbers: &[String]) -> Option<f64> {
        let widest = numbers.iter().map(|number| font::width(number, 1.0));
        let widest = widest.fold(1e-9, f64::max);
        let fitting = (0.86 * self.cell[0] / widest).min(0.8 * self.cell[1]);
        (fitting >= SMALLEST_NUMBER * self.unit).then_some(fitting.min(NUMBER * self.unit))
    }

    fn draw_names(&self, scene: &mut Scene, loadings: &Loadings<'_>, features: &[usize]) {
        let size = (TICK * self.unit).min(0.95 * self.cell[1]);
        for (row, feature) in features.iter().enumerate() {
            let place = [self.origin[0] - 8.0 * self.unit, self.middle(row, 0)[1]];
            let name =
                font::shorten_middle(&loadings.feature_names[*feature], size, self.name_room);
            let text = Text {
                color: QUIET,
                anchor: Anchor::End,
                ..Text::new(name, place, size)
            };
            scene.text(text.centred_vertically());
        }
        let size = (TICK * self.unit).min(if self.upward_names {
            0.95 * self.cell[0]
        } else {
            f64::MAX
        });
        for column in 0..self.n_columns {
            let mut place = [self.middle(0, column)[0], self.origin[1] - 8.0 * self.unit];
            let mut name = loadings.component_name(column);
            if self.upward_names {
                place[0] += size * font::CAPITAL_HEIGHT / 2.0;
                name = font::shorten(&name, size, self.heading_room);
            }
            scene.text(Text {
                color: QUIET,
                anchor: if self.upward_names {
                    Anchor::Start
                } else {
                    Anchor::Middle
                },
                upward: self.upward_names,
                ..Text::new(name, place, size)
            });
        }
    }
}

/// Dark text on light colours, white text on dark ones.
fn readable_on(color: Rgb) -> Rgb {
    let [red, green, blue] = color.linear();
    let light = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    if light > 0.3 {
        crate::color::INK
    } else {
        WHITE
    }
}

#[cfg(test)]
mod tests;
