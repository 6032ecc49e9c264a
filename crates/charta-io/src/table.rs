//! What was read: numbers, names, labels.

use charta::alignment::SliceAnchors;
use charta::data::{Neighbors, OwnedFeatures, Precision};
use charta::{Data, Labels};
use ndarray::Array2;

use crate::block::Lines;

/// Everything read from one source.
#[derive(Clone, Debug)]
pub struct Table {
    /// The source's name: "digits", "data.csv".
    pub name: String,
    /// The numbers.
    pub content: Content,
    /// The columns' names.
    pub column_names: Option<Vec<String>>,
    /// Columns of each view of the same rows, side by side; empty if all columns are one view.
    pub view_widths: Vec<usize>,
    /// The rows' names: an id column, image file names, cities.
    pub row_names: Option<Vec<String>>,
    /// What the rows' names are: the id column's title, "file", "city".
    pub id_title: Option<String>,
    /// The label column's title and the labels.
    pub labels: Option<(String, Labels<'static>)>,
    /// The images' shape, when every row is an image.
    pub image: Option<ImageShape>,
    /// Missing values among the features, or distances between two rows that are missing; they are NaN there.
    pub n_missing: usize,
    /// How much each distance counts, symmetric.
    pub pair_weights: Option<Array2<f64>>,
    /// The nearest rows of every row, if they were found elsewhere.
    pub neighbors: Option<Neighbors>,
    /// Coordinates from which an optimization starts.
    pub initial_embedding: Option<Array2<f64>>,
    /// What rows are pulled towards.
    pub anchors: Option<SliceAnchors>,
    /// What was decided automatically, for the user to read.
    pub notes: Vec<String>,
    /// The lines of the file on which the rows stand, in a text table.
    pub lines: Lines,
}

/// The numbers of a table.
#[derive(Clone, Debug)]
pub enum Content {
    /// A row per thing, a column per feature.
    Features(OwnedFeatures),
    /// Distances between every two rows.
    Distances(Array2<f64>),
    /// A kernel between every two rows.
    Kernel(Array2<f64>),
}

/// The shape of images stored one a row: row by row of pixels, the channels of a pixel together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageShape {
    /// Rows of pixels.
    pub height: usize,
    /// Pixels in a row.
    pub width: usize,
    /// 1 for grey, 3 for colour.
    pub channels: usize,
}

impl ImageShape {
    /// Numbers of one image.
    pub fn len(&self) -> usize {
        self.height * self.width * self.channels
    }

    /// True if the image has no pixels.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Table {
    /// A table of features with nothing beside them.
    pub(crate) fn new(name: impl Into<String>, features: impl Into<OwnedFeatures>) -> Self {
        Self {
            name: name.into(),
            content: Content::Features(features.into()),
            column_names: None,
            view_widths: Vec::new(),
            row_names: None,
            id_title: None,
            labels: None,
            image: None,
            n_missing: 0,
            pair_weights: None,
            neighbors: None,
            initial_embedding: None,
            anchors: None,
            notes: Vec::new(),
            lines: Lines::default(),
        }
    }

    /// The table as the methods take it.
    pub fn data(&self) -> charta::Result<Data<'_>> {
        let mut data = match &self.content {
            Content::Features(features) => Data::from(features),
            Content::Distances(matrix) => {
                Data::some_distances(matrix.view()).map_err(|error| self.named(error))?
            }
            Content::Kernel(matrix) => {
                Data::kernel(matrix.view()).map_err(|error| self.named(error))?
            }
        };
        if let Some((name, labels)) = &self.labels {
            data = data
                .with_labels(labels.reborrow())?
                .with_label_name(name.as_str());
        }
        if let Some(names) = &self.row_names {
            data = data.with_row_names(names.as_slice())?;
        }
        if let Some(names) = &self.column_names {
            data = data.with_column_names(names.as_slice())?;
        }
        if self.view_widths.len() > 1 {
            data = data.with_view_widths(&self.view_widths)?;
        }
        if let Some(weights) = &self.pair_weights {
            data = data.with_pair_weights(weights.view())?;
        }
        if let Some(neighbors) = &self.neighbors {
            data = data.with_neighbors(neighbors)?;
        }
        if let Some(initial) = &self.initial_embedding {
            data = data.with_initial_embedding(initial.view())?;
        }
        if let Some(anchors) = &self.anchors {
            data = anchors.of(data)?;
        }
        Ok(data)
    }

    /// What is wrong with distances or a kernel, with the names of the rows where they have some.
    fn named(&self, error: charta::Error) -> charta::Error {
        match &self.row_names {
            Some(names) => error.with_row_names(names),
            None => error,
        }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        match &self.content {
            Content::Features(features) => features.view().n_rows(),
            Content::Distances(matrix) | Content::Kernel(matrix) => matrix.nrows(),
        }
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        match &self.content {
            Content::Features(features) => features.view().n_columns(),
            Content::Distances(matrix) | Content::Kernel(matrix) => matrix.ncols(),
        }
    }

    /// Precision of the numbers.
    pub fn precision(&self) -> Precision {
        match &self.content {
            Content::Features(features) => features.view().precision(),
            Content::Distances(_) | Content::Kernel(_) => Precision::Double,
        }
    }
}
