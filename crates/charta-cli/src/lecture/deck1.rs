//! Lecture 1: feature selection, linear maps, kernel PCA, Isomap and LLE.

use super::deck::{Deck, Expect, Item, Number};

pub(super) const DECK: Deck = Deck {
    number: 1,
    title: "Dimensionality Reduction",
    author: "Shan-Hung Wu",
    items: &[Item {
        slide: "Scree graph",
        title: "Proportion of variance by the number of components",
        text: "The eigenvalues fall, and their cumulative sum passes 90 % of the variance.",
        files: &[],
        commands: &["scree digits --plot scree.svg --json"],
        python: "import charta\n\nmodel = charta.PCA(n_components=0.9).fit(charta.load_digits())\n",
        rust: "Pca { n_components: ComponentCount::Proportion(0.9), ..Pca::default() }.fit(&data)?",
        figures: &[("scree.svg", "Variance of each component and their sum")],
        numbers: &[
            Number {
                what: "rows",
                slide: "",
                from: "1:/data/n_rows",
                expect: Expect::Near(1797.0, 0.0),
            },
            Number {
                what: "columns",
                slide: "",
                from: "1:/data/n_columns",
                expect: Expect::AtLeast(64.0),
            },
            Number {
                what: "columns",
                slide: "",
                from: "1:/data/n_columns",
                expect: Expect::AtMost(64.0),
            },
            Number {
                what: "name",
                slide: "",
                from: "1:text",
                expect: Expect::Contains("digits"),
            },
        ],
        departures: "",
    }],
};
