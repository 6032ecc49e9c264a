//! Columns of a list of pairs: two rows, their distance, perhaps its weight.

use super::{Column, ColumnKind, Columns, Plan};
use crate::error::{Error, Result};
use crate::options::ReadOptions;

/// What the columns of the two rows are called.
const ENDS: [[&str; 2]; 6] = [
    ["from", "to"],
    ["source", "target"],
    ["first", "second"],
    ["row", "column"],
    ["i", "j"],
    ["a", "b"],
];
const DISTANCES: [&str; 4] = ["distance", "dist", "d", "length"];
const WEIGHTS: [&str; 2] = ["weight", "w"];

impl Columns<'_> {
    /// The plan of a list of pairs, if the columns are chosen so or are named as such.
    pub(super) fn pairs(&self, options: &ReadOptions) -> Result<Option<Plan>> {
        let found = match options.edges.as_slice() {
            [] if options.chooses() => None,
            [] => self.pairs_by_name(),
            [_, _, _] | [_, _, _, _] => {
                let columns = options.edges.iter().map(|name| self.find(name.trim()));
                Some(columns.collect::<Result<Vec<usize>>>()?)
            }
            other => {
                return Err(Error::option(
                    "edges",
                    "must name three columns, or four with the weight",
                    other.len(),
                ));
            }
        };
        let Some(found) = found else {
            return Ok(None);
        };
        let features = found[2..].to_vec();
        let text = features
            .iter()
            .find(|&&index| self.columns[index].kind != ColumnKind::Number);
        if let Some(&index) = text {
            return Err(self.text_columns(&[index]));
        }
        Ok(Some(Plan {
            features,
            id: Some(found[0]),
            label: Some(found[1]),
            label_guessed: false,
            views: Vec::new(),
            pairs: true,
            notes: Vec::new(),
        }))
    }

    fn pairs_by_name(&self) -> Option<Vec<usize>> {
        let name = |column: &Column| column.name.as_ref().map(|name| name.to_lowercase());
        let names: Vec<String> = self.columns.iter().map(name).collect::<Option<_>>()?;
        let place = |wanted: &str| names.iter().position(|name| name == wanted);
        let any = |wanted: &[&str]| wanted.iter().find_map(|wanted| place(wanted));
        let ends = ENDS
            .iter()
            .find_map(|[first, second]| Some([place(first)?, place(second)?]))?;
        let mut found = ends.to_vec();
        found.push(any(&DISTANCES)?);
        found.extend(any(&WEIGHTS));
        // A small square may have columns a, b and d.
        let telling = found.iter().any(|&place| names[place].len() > 1);
        (found.len() == names.len() && telling).then_some(found)
    }
}
