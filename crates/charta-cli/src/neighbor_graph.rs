//! The neighbour graph that a method embeds, and the shortest path between two rows along it.

use charta::method::{Capability, Info};
use charta::pipeline::Fitted;
use charta_io::Table;
use charta_plot::{Stroke, StrokeLook};
use ndarray::ArrayView2;
use serde_json::{Value as Json, json};

use crate::failure::{Failure, Outcome};
use crate::format::{count, counted, number};
use crate::output::Outputs;
use crate::session::Session;
use crate::word_list;

/// The graph as it is drawn.
#[derive(Clone, Debug, Default)]
pub(crate) struct GraphLines {
    /// Pairs of rows, if edges are drawn.
    pub(crate) edges: Vec<[usize; 2]>,
    pub(crate) path: Option<PathFigures>,
}

/// A shortest path, and what it is compared with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PathFigures {
    pub(crate) rows: Vec<usize>,
    /// Names of both ends.
    ends: [String; 2],
    /// Along the graph.
    length: f64,
    /// Of both ends in the input, by the metric of the graph.
    input_distance: f64,
    /// Of both ends in the map, by all coordinates.
    map_distance: f64,
}

/// Fails if the graph is requested of a method that has none, or without a plot to draw it in.
pub(crate) fn check(info: &Info, outputs: &Outputs, n_components: Option<u64>) -> Outcome {
    let flag = match (outputs.graph, &outputs.path) {
        (true, _) => "--graph",
        (false, Some(_)) => "--path",
        _ => return Ok(()),
    };
    if !info.offers(Capability::Graph) {
        return Err(Failure::Usage(format!(
            "`{}` has no neighbour graph: `{flag}` has nothing to draw",
            info.name
        )));
    }
    if outputs.pairs && outputs.input_plot.is_none() {
        return Err(Failure::Usage(format!(
            "`{flag}` draws into a plot of one plane, not into the panels of `--pairs`: leave out one of the two"
        )));
    }
    let in_plane = outputs.plot.is_some() && n_components != Some(1);
    if outputs.graph && !in_plane && outputs.input_plot.is_none() {
        return Err(Failure::usage(
            "`--graph` draws into a plot: add `--plot FILE`, with two coordinates at least, or `--input-plot FILE`",
        ));
    }
    Ok(())
}

/// The two rows of `--path`, by names or numbers counted from 0.
pub(crate) fn path_ends(outputs: &Outputs, table: &Table) -> Outcome<Option<[usize; 2]>> {
    let Some(words) = &outputs.path else {
        return Ok(None);
    };
    let (names, n_rows) = (table.row_names.as_deref(), table.n_rows());
    let rows = word_list::places(words, |word| word_list::place(names, n_rows, word));
    match rows.as_deref() {
        Ok(&[from, to]) if from != to => Ok(Some([from, to])),
        Ok(_) => Err(Failure::Usage(format!(
            "`--path` takes two different rows between a comma, got {words:?}"
        ))),
        Err(unknown) => {
            let named = match names {
                Some(_) => "a row's name, or ",
                None => "",
            };
            Err(Failure::Usage(format!(
                "`--path`: there is no row {unknown:?}: give {named}a number from 0 to {}",
                n_rows.saturating_sub(1)
            )))
        }
    }
}

/// What the call requests of the graph of a fit; the table is scaled already.
pub(crate) fn find(
    fitted: &Fitted,
    table: &Table,
    embedding: &ArrayView2<'_, f64>,
    outputs: &Outputs,
    session: &Session,
) -> Outcome<GraphLines> {
    let ends = path_ends(outputs, table)?;
    if !outputs.graph && ends.is_none() {
        return Ok(GraphLines::default());
    }
    session.progress.stage("neighbour graph");
    let run = session.run();
    let failed = |error| Failure::of_data(error, table);
    let data = table.data()?;
    let embedded = fitted.embedded_graph(table.n_rows()).map_err(failed)?;
    let graph = embedded.graph(&run, &data).map_err(failed)?;
    let mut lines = GraphLines::default();
    if outputs.graph {
        let pair = |(from, to, _): (u32, u32, f64)| [from as usize, to as usize];
        lines.edges = graph.edges().map(pair).collect();
    }
    if let Some([from, to]) = ends {
        let name = |row: usize| match &table.row_names {
            Some(names) => format!("{:?} (row {row})", names[row]),
            None => format!("row {row}"),
        };
        let Some(path) = graph.shortest_path(from, to) else {
            return Err(Failure::Run(format!(
                "{}: no path along the neighbour graph leads from {} to {}, which lie in different connected components: \
                 use more neighbours, or choose other rows",
                crate::result::short_name(&table.name),
                name(from),
                name(to)
            )));
        };
        let (one, other) = (embedding.row(from), embedding.row(to));
        let squares = one.iter().zip(other).map(|(a, b)| (a - b).powi(2));
        lines.path = Some(PathFigures {
            ends: [name(from), name(to)],
            rows: path.rows,
            length: path.length,
            input_distance: embedded.distance(&run, &data, from, to).map_err(failed)?,
            map_distance: squares.sum::<f64>().sqrt(),
        });
    }
    Ok(lines)
}

impl GraphLines {
    /// The path through points, and the straight line between its ends.
    pub(crate) fn strokes<const N: usize>(&self, points: &[[f64; N]]) -> Vec<Stroke<N>> {
        let Some(path) = &self.path else {
            return Vec::new();
        };
        let stroke = |rows: &[usize], look: StrokeLook| Stroke {
            name: String::new(),
            places: rows.iter().map(|row| points[*row]).collect(),
            look,
        };
        let ends = [path.rows[0], path.rows[path.rows.len() - 1]];
        vec![
            stroke(&ends, StrokeLook::Chord),
            stroke(&path.rows, StrokeLook::Path),
        ]
    }

    /// What the lines mean, for a picture of the map or of the input.
    pub(crate) fn notes(&self, of_map: bool) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.edges.is_empty() {
            notes.push(format!(
                "{} edges of the neighbour graph",
                count(self.edges.len())
            ));
        }
        if let Some(path) = &self.path {
            let straight = if of_map {
                path.map_distance
            } else {
                path.input_distance
            };
            notes.push(format!(
                "red: shortest path, length {} along the graph · blue: straight line, length {}",
                number(path.length),
                number(straight)
            ));
        }
        notes
    }
}

impl PathFigures {
    /// The figures in a line.
    pub(crate) fn in_words(&self) -> String {
        let [from, to] = &self.ends;
        format!(
            "Shortest path along the neighbour graph from {from} to {to}: length {}, {}\n  \
             straight line in the input {}, in the map {}\n",
            number(self.length),
            counted(self.rows.len() - 1, "edge"),
            number(self.input_distance),
            number(self.map_distance)
        )
    }

    /// The figures as JSON.
    pub(crate) fn to_json(&self) -> Json {
        json!({
            "rows": self.rows,
            "n_edges": self.rows.len() - 1,
            "length": self.length,
            "input_distance": self.input_distance,
            "map_distance": self.map_distance,
        })
    }
}
