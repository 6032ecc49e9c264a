//! Columns that belong to several views of the same rows.

use super::{ColumnKind, Columns, Plan, title, typed};
use crate::error::{Error, Result};
use crate::options::Kind;

/// Columns of no view that a note names.
const MOST_NAMED: usize = 4;

impl Columns<'_> {
    /// The columns of each view, side by side in the order of the views.
    pub(super) fn place_views(&self, views: &[String], plan: &mut Plan) -> Result<()> {
        let mut view_of = vec![None; self.columns.len()];
        for (view, request) in views.iter().enumerate() {
            if request.trim().is_empty() {
                return Err(self.refused(format!("view {} names no column", view + 1)));
            }
            let chosen = self.choose(std::slice::from_ref(request))?;
            let mut chosen = self.without_label_and_id(chosen, plan);
            // It is the label: only a view that names it means it.
            if let Some(only) = self.only_text(plan)
                && !self.names_column(request, only)
            {
                chosen.retain(|&index| index != only);
            }
            for &index in &chosen {
                if let Some(other) = view_of[index].replace(view) {
                    return Err(self.in_two_views(index, other, view));
                }
                if self.columns[index].kind == ColumnKind::Text {
                    return Err(self.text_in_view(index, view));
                }
            }
            if chosen.is_empty() {
                let problem = format!("view {}, {request:?}, has no column of numbers", view + 1);
                return Err(self.refused(problem));
            }
            plan.views.push(chosen.len());
            plan.features.extend(chosen);
        }
        self.place_the_rest(&view_of, plan)
    }

    /// The column that is taken as the label by default: the only one of text.
    fn only_text(&self, plan: &Plan) -> Option<usize> {
        let all = self.without_label_and_id((0..self.columns.len()).collect(), plan);
        let is_text = |index: &usize| self.columns[*index].kind == ColumnKind::Text;
        let mut text = all.into_iter().filter(is_text);
        match (plan.label, text.next(), text.next()) {
            (None, Some(only), None) => Some(only),
            _ => None,
        }
    }

    /// True if a request has the column's own name or number in it, or a range, not only a pattern that it fits.
    fn names_column(&self, request: &str, index: usize) -> bool {
        let requests = self.split(&[request.to_string()]);
        let mut positive = requests.iter().filter(|part| !part.starts_with('!'));
        positive.any(|part| {
            let is_pattern = part.contains(['*', '?']) && self.positions(part).next().is_none();
            !is_pattern
                && self
                    .matching(part)
                    .is_ok_and(|found| found.contains(&index))
        })
    }

    /// One column of text in no view is the label, as it is without views; others are left out.
    fn place_the_rest(&self, view_of: &[Option<usize>], plan: &mut Plan) -> Result<()> {
        let of_no_view: Vec<usize> = (0..self.columns.len())
            .filter(|&index| view_of[index].is_none())
            .collect();
        let mut rest = self.without_label_and_id(of_no_view, plan);
        let is_text = |index: &usize| self.columns[*index].kind == ColumnKind::Text;
        let text: Vec<usize> = rest.iter().copied().filter(is_text).collect();
        if let ([only], None) = (text.as_slice(), plan.label) {
            self.place_text(&[*only], Kind::Features, plan)?;
            rest.retain(|index| index != only);
        }
        if !rest.is_empty() {
            plan.notes.push(self.left_out(&rest));
        }
        Ok(())
    }

    fn left_out(&self, columns: &[usize]) -> String {
        let titles: Vec<String> = columns
            .iter()
            .take(MOST_NAMED)
            .map(|&index| title(self.columns, index))
            .collect();
        let more = match columns.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (noun, verb) = match columns.len() {
            1 => ("column", "is"),
            _ => ("columns", "are"),
        };
        format!(
            "{noun} {}{more} {verb} in no view and {verb} left out",
            titles.join(", ")
        )
    }

    fn in_two_views(&self, index: usize, one: usize, other: usize) -> Error {
        let column = title(self.columns, index);
        self.refused(format!(
            "column {column} is in view {} and in view {}: a column belongs to one view",
            one + 1,
            other + 1
        ))
    }

    fn text_in_view(&self, index: usize, view: usize) -> Error {
        let (column, name) = (title(self.columns, index), typed(self.columns, index));
        self.refused(format!(
            "column {column} of view {} holds text, not numbers: leave it out of the view with '!{name}', or use \
             it as --label {name:?} or --id {name:?}",
            view + 1
        ))
    }

    fn refused(&self, problem: String) -> Error {
        Error::Column {
            file: self.file.into(),
            problem,
            suggestions: Vec::new(),
        }
    }
}
