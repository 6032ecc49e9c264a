//! Lecture 5.

use super::deck::Deck;

pub(super) const DECK: Deck = Deck {
    number: 5,
    title: "Unsupervised Learning: Dimensionality Reduction",
    author: "lecture slides",
    items: &[],
};
