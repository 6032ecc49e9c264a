//! Columns, label and id chosen from a data set that does not come from a table.

use charta::Labels;
use charta::data::{OwnedFeatures, Precision};
use ndarray::{Array1, Axis};

use crate::block::{Heading, LabelColumn};
use crate::columns::{Column, ColumnKind, Plan, carried_title, plan};
use crate::error::{Error, Result};
use crate::labels::{LabelRole, not_a_number};
use crate::options::{LabelKind, ReadOptions};
use crate::table::{Content, Table};

/// The table as the options want it. Columns count as in the file that it would be written to: the
/// features, then the label.
pub(crate) fn arranged(table: Table, options: &ReadOptions) -> Result<Table> {
    if !options.chooses() && options.label_kind == LabelKind::Detect {
        return Ok(table);
    }
    let Some(known) = Known::of(&table) else {
        return Ok(table);
    };
    let own = known.columns.len() - 1;
    let with_label = ReadOptions {
        label: options.label.clone().or(Some(own.to_string())),
        ..options.clone()
    };
    let mut plan = plan(&table.name, &known.columns, &with_label)?;
    if options.label.is_none() && plan.id == Some(own) {
        plan.label = None;
    }
    known.arrange(&plan, options)
}

/// A table with its label as one more column.
struct Known<'a> {
    table: &'a Table,
    features: &'a OwnedFeatures,
    columns: Vec<Column>,
    label: LabelColumn,
}

impl<'a> Known<'a> {
    fn of(table: &'a Table) -> Option<Self> {
        let Content::Features(features) = &table.content else {
            return None;
        };
        let (title, labels) = table.labels.as_ref()?;
        let label = label_column(labels);
        let kind = match label {
            LabelColumn::Numbers(_) => ColumnKind::Number,
            LabelColumn::Words(_) => ColumnKind::Text,
        };
        let named = |name: &String, kind: &ColumnKind| Column {
            name: Some(name.clone()),
            kind: kind.clone(),
        };
        let names = table.column_names.as_ref()?.iter();
        let mut columns: Vec<Column> = names.map(|name| named(name, &ColumnKind::Number)).collect();
        columns.push(named(title, &kind));
        Some(Self {
            table,
            features,
            columns,
            label,
        })
    }

    fn arrange(&self, plan: &Plan, options: &ReadOptions) -> Result<Table> {
        let own = self.columns.len() - 1;
        let mut arranged = Table::new(&self.table.name, self.select(&plan.features)?);
        arranged.column_names = plan.names(&self.columns);
        arranged.view_widths = plan.view_widths(&self.columns);
        arranged.notes.clone_from(&plan.notes);
        if plan.features.iter().copied().eq(0..own) {
            arranged.image = self.table.image;
        }
        if let Some(id) = plan.id {
            arranged.row_names = Some(self.column(id).into_words());
            arranged.id_title = Some(carried_title(&self.columns, id, "id"));
        }
        arranged.labels = match plan.label {
            Some(label) if label == own && options.label_kind == LabelKind::Detect => {
                self.table.labels.clone()
            }
            Some(label) => Some(self.labels(label, options.label_kind)?),
            None => None,
        };
        Ok(arranged)
    }

    fn labels(&self, column: usize, kind: LabelKind) -> Result<(String, Labels<'static>)> {
        let title = carried_title(&self.columns, column, "label");
        let mut heading = Heading::new(&self.table.name, 1, Precision::Double);
        heading.label_title = Some(title.clone());
        let cells = self.column(column);
        let labels = match LabelRole::decide(&cells, &heading, kind) {
            LabelRole::Numbers => {
                let numbers = cells
                    .numbers()
                    .map_err(|word| not_a_number(&heading, word))?;
                Labels::numbers(numbers.into_owned())
            }
            LabelRole::Classes | LabelRole::Names => Labels::from_words(&cells.into_words()),
        };
        Ok((title, labels))
    }

    fn column(&self, column: usize) -> LabelColumn {
        if column + 1 == self.columns.len() {
            return self.label.clone();
        }
        let view = self.features.view();
        LabelColumn::Numbers(
            (0..view.n_rows())
                .map(|row| view.value(row, column))
                .collect(),
        )
    }

    /// The features chosen, among which the data set's own label may be.
    fn select(&self, chosen: &[usize]) -> Result<OwnedFeatures> {
        let failed = |error| Error::data(&self.table.name, error);
        let view = self.features.view();
        if chosen.iter().all(|&column| column < view.n_columns()) {
            return view.select_columns(chosen).map_err(failed);
        }
        let numbers = self.label.numbers().unwrap_or_default();
        let label = Array1::from_iter(numbers.iter().copied());
        let mut all = view.dense_rows(0, view.n_rows());
        all.push_column(label.view())
            .map_err(|_| Error::content(&self.table.name, "the labels are not one a row"))?;
        let chosen = all.select(Axis(1), chosen);
        Ok(match view.precision() {
            Precision::Single => chosen.mapv(|value| value as f32).into(),
            Precision::Double => chosen.into(),
        })
    }
}

/// The labels as a column: numbers if they all are.
fn label_column(labels: &Labels<'_>) -> LabelColumn {
    let words: Vec<String> = (0..labels.len()).map(|row| labels.text(row)).collect();
    let words = LabelColumn::Words(words);
    match words.numbers() {
        Ok(numbers) => LabelColumn::Numbers(numbers.into_owned()),
        Err(_) => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(change: impl FnOnce(&mut ReadOptions)) -> Result<Table> {
        let mut options = ReadOptions::default();
        change(&mut options);
        crate::read("digits", &options)
    }

    #[test]
    fn columns_label_and_id_are_chosen_from_a_data_set() {
        let table =
            digits(|options| options.columns = vec!["pixel_1_*,!pixel_1_0".into()]).unwrap();
        assert_eq!(table.n_columns(), 7);
        assert_eq!(table.labels.as_ref().unwrap().0, "digit");
        assert!(table.image.is_none(), "no whole images any more");

        let table = digits(|options| options.label = Some("pixel_3_3".into())).unwrap();
        assert_eq!(table.labels.as_ref().unwrap().0, "pixel_3_3");
        let names = table.column_names.as_ref().unwrap();
        assert_eq!((table.n_columns(), names[63].as_str()), (64, "digit"));
        let Content::Features(features) = &table.content else {
            panic!("features were expected");
        };
        assert_eq!(features.view().value(4, 63), 4.0);

        let table = digits(|options| options.id = Some("-1".into())).unwrap();
        assert_eq!(table.row_names.as_ref().unwrap()[3], "3");
        assert!(table.labels.is_none() && table.image.is_some());
    }

    #[test]
    fn a_kind_of_label_is_obeyed_and_an_unknown_column_refused() {
        let table = digits(|options| options.label_kind = LabelKind::Numbers).unwrap();
        assert!(matches!(table.labels, Some((_, Labels::Numbers(_)))));
        let error = digits(|options| options.label = Some("pixel_9_9".into())).unwrap_err();
        assert!(error.to_string().contains("did you mean"), "{error}");
        let views = vec!["pixel_0_*".into(), "pixel_1_*".into()];
        let table = digits(|options| options.views = views).unwrap();
        assert_eq!(table.view_widths, [8, 8]);
        assert_eq!(table.notes.len(), 1, "{:?}", table.notes);
    }

    #[test]
    fn generated_sets_obey_too_and_are_measured_rightly() {
        let options = ReadOptions {
            columns: vec!["x,z".into()],
            ..ReadOptions::default()
        };
        let table = crate::read("swiss-roll:50", &options).unwrap();
        assert_eq!((table.n_rows(), table.n_columns()), (50, 2));
        let described = crate::describe("swiss-roll:50000", &options).unwrap();
        assert_eq!((described.rows, described.columns), (50_000, 2));
    }
}
