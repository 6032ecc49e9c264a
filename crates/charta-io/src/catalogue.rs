//! The data sets that are available by name.

use crate::generated::own_parameters;
use crate::suggest::nearest;

/// A data set that comes with the program or is made by it.
#[derive(Clone, Copy, Debug)]
pub struct DataSet {
    /// What to ask for.
    pub name: &'static str,
    /// Rows; for generated ones, the number made unless another is requested.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// What it is, in a few words.
    pub title: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// On what terms.
    pub licence: &'static str,
    /// True if it is made from a formula and a seed.
    pub generated: bool,
}

const UCI: &str = "CC BY 4.0 (UCI Machine Learning Repository)";
const SKLEARN: &str = "no terms stated; scikit-learn: BSD 3-Clause";
const FORMULA: &str = "none needed: a formula";
const LIKE_SKLEARN: &str = "the formula of scikit-learn's generator of that name";
const OWN: &str = "a formula of charta's own";

const fn stored(
    name: &'static str,
    rows: usize,
    columns: usize,
    title: &'static str,
    source: &'static str,
    licence: &'static str,
) -> DataSet {
    DataSet {
        name,
        rows,
        columns,
        title,
        source,
        licence,
        generated: false,
    }
}

const fn generated(
    name: &'static str,
    columns: usize,
    title: &'static str,
    source: &'static str,
) -> DataSet {
    generated_rows(name, 1000, columns, title, source)
}

const fn generated_rows(
    name: &'static str,
    rows: usize,
    columns: usize,
    title: &'static str,
    source: &'static str,
) -> DataSet {
    DataSet {
        name,
        rows,
        columns,
        title,
        source,
        licence: FORMULA,
        generated: true,
    }
}

impl DataSet {
    /// Names of the parameters that it has besides the number of rows, `noise` and `seed`.
    pub fn parameters(&self) -> &'static [&'static str] {
        own_parameters(self.name)
    }
}

const DATA_SETS: [DataSet; 27] = [
    stored(
        "digits",
        1797,
        64,
        "handwritten digits, 8 × 8 pixels",
        "E. Alpaydin, C. Kaynak 1998, as scikit-learn carries it",
        UCI,
    ),
    stored(
        "iris",
        150,
        4,
        "lengths of iris flowers of three species",
        "R. A. Fisher 1936, as scikit-learn carries it",
        UCI,
    ),
    stored(
        "wine",
        178,
        13,
        "chemical measurements of wines of three growers",
        "M. Forina et al., S. Aeberhard 1992, as scikit-learn carries it",
        UCI,
    ),
    stored(
        "breast-cancer",
        569,
        30,
        "measurements of cell nuclei of malignant and benign tumours",
        "W. H. Wolberg, W. N. Street, O. L. Mangasarian 1995, as scikit-learn carries it",
        UCI,
    ),
    stored(
        "diabetes",
        442,
        10,
        "measurements of patients and their disease a year later",
        "B. Efron et al. 2004, as scikit-learn carries it",
        SKLEARN,
    ),
    stored(
        "linnerud",
        20,
        6,
        "three exercises and three measurements of the body of 20 men",
        "A. C. Linnerud, in M. Tenenhaus 1998, as scikit-learn carries it",
        SKLEARN,
    ),
    stored(
        "eurodist",
        21,
        21,
        "road distances in km between 21 European cities",
        "The Cambridge Encyclopaedia 1990, as R tabulates it",
        "facts, no licence needed",
    ),
    stored(
        "europe",
        21,
        2,
        "places of the cities of eurodist: km to the east and north",
        "latitude and longitude of the cities, projected about 48° N, 9° E",
        "facts, no licence needed",
    ),
    generated("line", 2, "a straight line with noise", OWN),
    generated("curve", 2, "a parabola with noise", OWN),
    generated("ring", 2, "a circle with noise", OWN),
    generated("square", 2, "an evenly covered square", OWN),
    generated_rows(
        "gaussian-pair",
        1800,
        2,
        "two normal clouds on the diagonal",
        OWN,
    ),
    generated("swiss-roll", 3, "a rolled-up sheet", LIKE_SKLEARN),
    generated("s-curve", 3, "a sheet bent to an S", LIKE_SKLEARN),
    generated("sphere", 3, "the unit sphere", OWN),
    generated(
        "severed-sphere",
        3,
        "the unit sphere without its poles and a thin slice",
        "the formula of scikit-learn's example on the severed sphere",
    ),
    generated(
        "two-spheres",
        3,
        "two spheres around one centre, of radius 1 and ½",
        OWN,
    ),
    generated(
        "concentric-spheres",
        3,
        "two spheres around one centre, of radius 3 and 1",
        OWN,
    ),
    generated(
        "circles",
        2,
        "two circles around one centre, of radius 1 and 0.3",
        LIKE_SKLEARN,
    ),
    generated(
        "moons",
        2,
        "two half circles that reach into each other",
        LIKE_SKLEARN,
    ),
    generated(
        "blobs",
        10,
        "normal clouds around random centres",
        LIKE_SKLEARN,
    ),
    generated(
        "bars",
        1600,
        "images of one horizontal or vertical bar, 40 × 40 pixels",
        "after the figure of Belkin and Niyogi 2003",
    ),
    generated(
        "moved-face",
        1024,
        "images of a face moved over a noisy background, 32 × 32 pixels",
        "after the figure of Saul and Roweis 2003",
    ),
    generated_rows(
        "head",
        698,
        1024,
        "images of a head in every pose and light, 32 × 32 pixels",
        "after the figure of Tenenbaum, de Silva and Langford 2000",
    ),
    generated_rows(
        "head-pose",
        698,
        3,
        "the angles of pose and light of the images of head",
        "after the figure of Tenenbaum, de Silva and Langford 2000",
    ),
    generated(
        "signals",
        3,
        "a sine, a square wave and a sawtooth, mixed",
        "the formula of scikit-learn's example of blind source separation",
    ),
];

/// All data sets that are available by name.
pub fn data_sets() -> &'static [DataSet] {
    &DATA_SETS
}

/// The data set of exactly this name. `_` may stand for `-`.
pub(crate) fn find(name: &str) -> Option<&'static DataSet> {
    let name = name.replace('_', "-");
    DATA_SETS.iter().find(|set| set.name == name)
}

/// The data set whose name is closest, if any is close.
pub fn nearest_data_set(name: &str) -> Option<&'static str> {
    let names = DATA_SETS.iter().map(|set| set.name);
    nearest(name.split(':').next()?, names, 1).first().copied()
}
