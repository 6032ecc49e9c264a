//! The binary from outside: what it says, what it writes, how it exits.

mod advice;
mod call;
mod denoising;
mod distances;
mod files;
mod graphs;
mod help;
mod layouts;
mod lectures;
mod linear;
mod memory;
mod mistakes;
mod models;
mod pictures;
mod predictions;
mod quality;
mod redrawing;
mod results;
mod selection;
mod steps;
mod stopping;
mod streaming;
mod tools;
mod units;
mod views;
