//! Saved models, read back.

use std::fs;

use charta::model::file;
use charta::params::Json;
use charta::pipeline::Fitted;

use crate::failure::{Failure, Outcome};

/// A model with what its file says.
pub(crate) struct Saved {
    pub(crate) fitted: Fitted,
    pub(crate) header: Json,
    pub(crate) n_bytes: usize,
}

/// Reads a model.
pub(crate) fn read(path: &str) -> Outcome<Saved> {
    let bytes = fs::read(path).map_err(|error| cannot_read(path, &error))?;
    let named = |error: charta::Error| Failure::of_data(error, path);
    let (header, _) = file::unpack(&bytes).map_err(named)?;
    let fitted = Fitted::from_bytes(&bytes).map_err(named)?;
    Ok(Saved {
        fitted,
        header,
        n_bytes: bytes.len(),
    })
}

fn cannot_read(path: &str, error: &std::io::Error) -> Failure {
    match error.kind() {
        std::io::ErrorKind::NotFound => Failure::Usage(format!(
            "{path}: no such file; a model is what `--save` wrote"
        )),
        _ => Failure::Run(format!("{path}: cannot read: {error}")),
    }
}
