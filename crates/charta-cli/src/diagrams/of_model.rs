//! Pictures that a model has of itself: curves and cells.

use charta::method::Info;
use charta::model::Picture;
use charta::model::picture::{Cells, Content, Curves};
use charta_plot::Format;

use crate::failure::{Failure, Outcome};
use crate::output::Outputs;
use crate::result::Finished;

/// Fails for a picture that no model of the method has, or that has no file.
pub(super) fn check(info: &Info, outputs: &Outputs) -> Outcome {
    for (name, path) in &outputs.of_model {
        if info.pictures.is_empty() {
            return Err(Failure::Usage(format!(
                "`{}` has no pictures besides its map: `--picture` has nothing to draw",
                info.name
            )));
        }
        let names = info.pictures.join(", ");
        if !info.pictures.contains(&name.as_str()) {
            return Err(Failure::Usage(format!(
                "`{}` has no picture named {name:?}: `--picture NAME=FILE` draws {names}",
                info.name
            )));
        }
        if path.is_none() {
            return Err(Failure::Usage(format!(
                "`--picture {name}` lacks a file: write `--picture {name}=FILE`"
            )));
        }
    }
    Ok(())
}

/// The first of a model's pictures.
pub(crate) fn first(finished: &Finished, format: Format) -> Outcome<Vec<u8>> {
    let pictures = finished.fitted.model().pictures();
    draw(finished, pictures.first(), format)
}

/// The picture of this name.
pub(crate) fn named(finished: &Finished, name: &str, format: Format) -> Outcome<Vec<u8>> {
    let pictures = finished.fitted.model().pictures();
    let picture = pictures.iter().find(|picture| picture.name == name);
    draw(finished, picture, format)
}

fn draw(finished: &Finished, picture: Option<&Picture>, format: Format) -> Outcome<Vec<u8>> {
    let info = &finished.fitted.entry().info;
    let Some(picture) = picture else {
        return Err(Failure::Usage(format!(
            "this model of `{}` has no such picture",
            info.name
        )));
    };
    let title = super::title(finished, &picture.title);
    match &picture.content {
        Content::Curves(curves) => draw_curves(curves, title, &picture.note, format),
        Content::Cells(cells) => draw_cells(cells, title, &picture.note, format),
    }
}

fn draw_curves(curves: &Curves, title: String, note: &str, format: Format) -> Outcome<Vec<u8>> {
    let lines: Vec<charta_plot::Line<'_>> = curves
        .lines
        .iter()
        .map(|line| charta_plot::Line {
            spread: &line.spread,
            ..charta_plot::Line::new(line.name.clone(), &line.values)
        })
        .collect();
    let picture = charta_plot::Curve {
        title,
        subtitle: note.into(),
        axes: curves.axes.clone(),
        first: curves.first,
        chosen: curves.chosen,
        logarithmic: curves.logarithmic,
        ..charta_plot::Curve::new(&lines)
    };
    Ok(picture.draw(format)?)
}

fn draw_cells(cells: &Cells, title: String, note: &str, format: Format) -> Outcome<Vec<u8>> {
    let panels: Vec<charta_plot::CellPanel<'_>> = cells
        .panels
        .iter()
        .map(|panel| charta_plot::CellPanel {
            title: panel.title.clone(),
            values: &panel.values,
            words: &panel.words,
        })
        .collect();
    let picture = charta_plot::Cells {
        hexagonal: cells.hexagonal,
        title,
        subtitle: note.into(),
        ..charta_plot::Cells::new(&cells.centers, &panels)
    };
    Ok(picture.draw(format)?)
}
