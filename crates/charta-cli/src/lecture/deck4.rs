//! Lecture 4.

use super::deck::Deck;

pub(super) const DECK: Deck = Deck {
    number: 4,
    title: "Nonlinear Dimensionality Reduction",
    author: "lecture notes",
    items: &[],
};
