//! Pictures of a model besides its map: the content, not the drawing.

/// A picture of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Its name, as the method's [`Info`](crate::method::Info) lists it.
    pub name: &'static str,
    /// What is shown, as the end of a title.
    pub title: String,
    /// Further remarks; may be empty.
    pub note: String,
    /// What it consists of.
    pub content: Content,
}

impl Picture {
    /// How a loss went over the epochs of a training.
    pub fn losses(lines: Vec<Curve>) -> Self {
        Self {
            name: "loss",
            title: "loss over the epochs".into(),
            note: String::new(),
            content: Content::Curves(Curves {
                axes: ["epoch".into(), "loss".into()],
                first: 1,
                // A loss that reaches nothing has no logarithm.
                logarithmic: lines
                    .iter()
                    .flat_map(|line| &line.values)
                    .all(|value| *value > 0.0),
                lines,
                chosen: None,
            }),
        }
    }
}

/// What a [`Picture`] consists of.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Lines over whole numbers, such as epochs or sizes.
    Curves(Curves),
    /// The cells of a grid, coloured by a number each, in one panel or several.
    Cells(Cells),
}

/// Lines over whole numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    /// Names of the axes.
    pub axes: [String; 2],
    /// The whole number that the first values belong to; the others follow one by one.
    pub first: usize,
    /// The lines; values that are not finite leave gaps.
    pub lines: Vec<Curve>,
    /// A whole number to be pointed out, such as the one chosen.
    pub chosen: Option<usize>,
    /// The values' axis has powers of ten at equal distances.
    pub logarithmic: bool,
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// What it is.
    pub name: String,
    /// Its values.
    pub values: Vec<f64>,
    /// How far each value spreads up and down; empty if that is not known.
    pub spread: Vec<f64>,
}

/// The cells of a grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    /// The centres of the cells, whose neighbours are 1 apart; the second coordinate grows upwards.
    pub centers: Vec<[f64; 2]>,
    /// The cells have six sides, not four.
    pub hexagonal: bool,
    /// One picture of all cells each.
    pub panels: Vec<Panel>,
}

/// All cells, coloured by a number each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// What the numbers are.
    pub title: String,
    /// A number for each cell; those that are not finite leave it grey.
    pub values: Vec<f64>,
    /// A word in each cell, or empty.
    pub words: Vec<String>,
}
