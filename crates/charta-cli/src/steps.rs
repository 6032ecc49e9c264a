//! The matrices of a fit as files: one for each, and a list of them.

use std::fs;
use std::path::Path;

use charta::method::{Capability, Family, Info, Input, LabelUse, Steps};
use charta::pipeline::Fitted;
use charta_io::Table;
use serde_json::json;

use crate::cli::command_name;
use crate::failure::{Failure, Outcome};
use crate::output::Outputs;
use crate::session::Session;

/// The list of the matrices.
const INDEX: &str = "steps.json";
/// The matrix whose kernel PCA is the map.
const KERNEL: &str = "kernel";

/// Fails for every reason that is known before the fit: the method gives no matrices, or the folder cannot be written to.
pub(crate) fn check(info: &Info, outputs: &Outputs) -> Outcome {
    let Some(folder) = &outputs.steps else {
        return Ok(());
    };
    if !info.offers(Capability::Steps) {
        let entries = charta::methods::METHODS.iter();
        let names: Vec<String> = entries
            .filter(|entry| entry.info.offers(Capability::Steps))
            .map(|entry| format!("`{}`", command_name(entry.info.name)))
            .collect();
        return Err(Failure::Usage(format!(
            "`{}` does not give the matrices of its fit (`--steps`); {} do",
            command_name(info.name),
            names.join(", ")
        )));
    }
    if folder.exists() && !folder.is_dir() {
        return Err(Failure::Usage(format!(
            "{}: `--steps` names a folder, and this is a file",
            folder.display()
        )));
    }
    Ok(())
}

/// Computes and writes the matrices, if they are requested; the table is scaled already.
pub(crate) fn write(
    fitted: &Fitted,
    table: &Table,
    outputs: &Outputs,
    session: &Session,
) -> Outcome {
    let Some(folder) = &outputs.steps else {
        return Ok(());
    };
    session.progress.stage("matrices of the fit");
    let steps = fitted
        .steps(&session.run(), &table.data()?)
        .map_err(|error| Failure::of_data(error, table))?;
    crate::signals::check()?;
    fs::create_dir_all(folder).map_err(|error| {
        Failure::Run(format!(
            "{}: cannot make the folder: {error}",
            folder.display()
        ))
    })?;
    for step in &steps.matrices {
        let path = folder.join(format!("{}.npy", step.name));
        let output = charta_io::Output {
            names: vec![String::new(); step.matrix.ncols()],
            values: step.matrix.view(),
            single: false,
            row_names: None,
            id_title: None,
            predicted: None,
            labels: None,
        };
        charta_io::write(&path, &output)?;
    }
    let index = folder.join(INDEX);
    let text = format!("{:#}\n", list(fitted, table, &steps, folder));
    Ok(charta_io::write_atomically(&index, text.as_bytes())?)
}

fn list(fitted: &Fitted, table: &Table, steps: &Steps, folder: &Path) -> serde_json::Value {
    let matrices: Vec<_> = steps
        .matrices
        .iter()
        .map(|step| {
            json!({
                "name": step.name,
                "file": format!("{}.npy", step.name),
                "formula": step.formula,
                "shape": [step.matrix.nrows(), step.matrix.ncols()],
            })
        })
        .collect();
    let by_kernel = steps.get(KERNEL).and(with_kernel()).map(|command| {
        let file = folder.join(format!("{KERNEL}.npy"));
        format!("charta {command} {} --kernel-matrix", file.display())
    });
    json!({
        "method": fitted.entry().info.name,
        "parameters": fitted.parameters(),
        "data": table.name,
        "n_rows": table.n_rows(),
        "rows": steps.rows,
        "matrices": matrices,
        "same_map": by_kernel,
    })
}

/// The command of the method that maps rows by a kernel between them, without labels.
fn with_kernel() -> Option<String> {
    let mut entries = charta::methods::METHODS.iter();
    let found = entries.find(|entry| {
        let info = &entry.info;
        info.family == Family::Kernel
            && info.takes(Input::Kernel)
            && info.labels != LabelUse::Required
    });
    found.map(|entry| command_name(entry.info.name))
}
