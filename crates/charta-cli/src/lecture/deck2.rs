//! Lecture 2.

use super::deck::Deck;

pub(super) const DECK: Deck = Deck {
    number: 2,
    title: "Dimensionality Reduction",
    author: "Ethem Alpaydin; Simon Haykin",
    items: &[],
};
