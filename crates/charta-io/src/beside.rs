//! What is read beside the rows: a table of neighbours found elsewhere, coordinates from which an optimization starts, and maps of earlier slices of the data.

use charta::alignment::{Alignment, Relation, SliceAnchors};
use charta::data::Neighbors;
use ndarray::Array2;

use crate::error::{Error, Result};
use crate::open::read;
use crate::options::ReadOptions;
use crate::table::Content;

/// Reads a table of neighbours of `n_rows` rows: the arrays `indices` and `distances` of an NPZ file, or two files with a comma between their names, of the
/// indices and of the distances. Both have a row for each row of the data and a column for each neighbour; indices count from 0, and a negative one is empty.
pub fn read_neighbors(source: &str, n_rows: usize) -> Result<Neighbors> {
    let (indices, distances) = match source.split_once(',') {
        Some((indices, distances)) => (indices.to_string(), distances.to_string()),
        None => (format!("{source}:indices"), format!("{source}:distances")),
    };
    let (indices, distances) = match (numbers(&indices), source.contains(',')) {
        (Err(Error::NotFound { .. } | Error::Unsupported { .. }), false) => {
            return Err(Error::unsupported(
                source,
                "a table of neighbours is an NPZ file with the arrays `indices` and `distances`, or two files with a comma between their names",
            ));
        }
        (indices, _) => (indices?, numbers(&distances)?),
    };
    if indices.dim() != distances.dim() || indices.nrows() != n_rows {
        return Err(Error::content(
            source,
            format!(
                "{} × {} indices and {} × {} distances of neighbours, where the data has {n_rows} rows",
                indices.nrows(),
                indices.ncols(),
                distances.nrows(),
                distances.ncols()
            ),
        ));
    }
    let whole = |value: &f64| value.fract() == 0.0 && value.abs() < 2f64.powi(53);
    if let Some(((row, column), value)) = indices.indexed_iter().find(|(_, value)| !whole(value)) {
        return Err(Error::content(
            source,
            format!("{value} in row {row}, column {column} is no index of a row"),
        ));
    }
    let indices = indices.mapv(|value| value as i64);
    Neighbors::from_table(&indices.view(), &distances.view())
        .map_err(|error| Error::data(source, error))
}

/// Reads the coordinates from which an optimization of `n_rows` rows starts: a row for each row of the data.
pub fn read_coordinates(source: &str, n_rows: usize) -> Result<Array2<f64>> {
    let found = numbers(source)?;
    if found.nrows() == n_rows {
        return Ok(found);
    }
    Err(Error::content(
        source,
        format!(
            "{} initial coordinates, where the data has {n_rows} rows",
            found.nrows()
        ),
    ))
}

/// Reads the maps of earlier slices of the data, the oldest first and with commas between their files, and finds what the rows of these names are pulled
/// towards. Rows are the same where their names are.
pub fn read_anchors(
    sources: &str,
    names: Option<&[String]>,
    alignment: &Alignment,
) -> Result<SliceAnchors> {
    let unnamed = |source: &str| {
        Error::content(
            source,
            "rows need names, so that those of earlier maps are known: a first column of words, each once",
        )
    };
    let (mut maps, mut relations) = (Vec::new(), Vec::new());
    let mut before: Option<Vec<String>> = None;
    for source in sources.split(',') {
        let table = read(source, &ReadOptions::default())?;
        let own = table.row_names.clone().ok_or_else(|| unnamed(source))?;
        let Content::Features(features) = &table.content else {
            return Err(Error::content(
                source,
                "a table of coordinates was expected",
            ));
        };
        maps.push(features.view().dense_rows(0, own.len()));
        if let Some(before) = &before {
            let relation = Relation::by_names(before, &own);
            relations.push(relation.map_err(|error| Error::data(source, error))?);
        }
        before = Some(own);
    }
    let failed = |error| Error::data(sources, error);
    let names = names.ok_or_else(|| unnamed("the data"))?;
    relations.push(Relation::by_names(&before.unwrap_or_default(), names).map_err(failed)?);
    let maps: Vec<_> = maps.iter().map(|map| map.view()).collect();
    alignment.anchors(&maps, &relations).map_err(failed)
}

/// The dense numbers of a source.
fn numbers(source: &str) -> Result<Array2<f64>> {
    let table = read(source, &ReadOptions::default())?;
    let Content::Features(features) = &table.content else {
        return Err(Error::content(source, "a table of numbers was expected"));
    };
    let view = features.view();
    Ok(view.dense_rows(0, view.n_rows()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn neighbours_are_read_from_two_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
        fs::write(path("i.csv"), "a,b\n0,1\n1,2\n2,-1\n").unwrap();
        fs::write(path("d.csv"), "a,b\n0,1.5\n0,2.5\n0,0\n").unwrap();
        let table = read_neighbors(&format!("{},{}", path("i.csv"), path("d.csv")), 3).unwrap();
        assert_eq!(table.row(0), (&[1][..], &[1.5][..]));
        assert_eq!(table.row(1), (&[2][..], &[2.5][..]));
        assert!(table.row(2).0.is_empty());
        let error = read_neighbors(&format!("{},{}", path("i.csv"), path("d.csv")), 4);
        assert!(error.unwrap_err().to_string().contains("4 rows"));
        let error = read_neighbors(&format!("{},{}", path("d.csv"), path("d.csv")), 3);
        assert!(error.unwrap_err().to_string().contains("1.5 in row 0"));
        let error = read_neighbors(&path("i.csv"), 3).unwrap_err().to_string();
        assert!(error.contains("`indices` and `distances`"), "{error}");
    }

    #[test]
    fn rows_of_earlier_maps_are_known_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
        fs::write(path("a.csv"), "name,x,y\none,0,1\ntwo,1,2\nthree,5,6\n").unwrap();
        fs::write(path("b.csv"), "name,x,y\ntwo,3,2\nthree,7,6\n").unwrap();
        let names = ["three", "new"].map(String::from);
        let read = |sources: &str, names| read_anchors(sources, names, &Alignment::default());
        let one = read(&path("a.csv"), Some(&names)).unwrap();
        assert_eq!(one.coordinates.row(0).to_vec(), [5.0, 6.0]);
        assert_eq!(one.weights[1], 0.0);
        let two = read(
            &format!("{},{}", path("a.csv"), path("b.csv")),
            Some(&names),
        )
        .unwrap();
        assert!(two.coordinates[[0, 0]] > 5.0 && two.coordinates[[0, 0]] < 7.0);
        assert!(read(&path("a.csv"), None).is_err());
        let others = ["new".to_string()];
        assert!(read(&path("a.csv"), Some(&others)).is_err());
    }

    #[test]
    fn initial_coordinates_need_a_row_each() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("z.csv");
        fs::write(&path, "x,y\n0,1\n1,2\n").unwrap();
        let path = path.to_str().unwrap();
        assert_eq!(read_coordinates(path, 2).unwrap().dim(), (2, 2));
        assert!(read_coordinates(path, 3).is_err());
    }
}
