//! Lecture 3.

use super::deck::Deck;

pub(super) const DECK: Deck = Deck {
    number: 3,
    title: "Introduction to Machine Learning: neighbourhood and locality preserving maps",
    author: "Xi Peng",
    items: &[],
};
