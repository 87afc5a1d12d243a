//! `assay plan init`: a plan to start from, and beside it the schema by which editors know its keys.
//!
//! Invariant: what is there stays as it is; a plan that could not be written whole is not left there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use units::Usage;

use super::{near_ready, ready};

/// The name of the plan that is only there to start from.
pub(super) const MINIMAL: &str = "minimal";

/// The file that the first line of a new plan names; it lies beside the plan.
const SCHEMA: &str = "assay-plan.schema.json";

/// The schema of plans, as it is printed.
pub(super) fn schema() -> Result<String> {
    Ok(format!("{}\n", serde_json::to_string_pretty(&plan::schema())?))
}

/// Writes the plan of that name, and says what was written.
pub(super) fn init(name: &str, file: Option<PathBuf>) -> Result<String> {
    let text = match name {
        MINIMAL => include_str!("minimal.toml"),
        name => {
            let none =
                |_| Usage(format!("there is no bundled plan `{name}`{}", near_ready(name, &[MINIMAL])));
            ready(name).map_err(none)?.text
        }
    };
    let file = file.unwrap_or_else(|| PathBuf::from(format!("{name}.toml")));
    let path = file.display();
    match write_new(&file, &format!("#:schema ./{SCHEMA}\n{text}")) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(
                Usage(format!("{path} is there already and stays as it is; give another name")).into()
            );
        }
        Err(error) => {
            return Err(Usage(format!("{path}: {error}; give a file in a directory that is there")).into());
        }
    }
    let beside = file.with_file_name(SCHEMA);
    let schema_said =
        schema_beside(&beside).with_context(|| format!("{path} is written, but {}", beside.display()))?;
    Ok(format!("{path}: the plan; change it, then `assay plan check {path}`\n{schema_said}"))
}

/// Writes the schema where there is none, and says so.
fn schema_beside(path: &Path) -> Result<String> {
    let text = schema()?;
    let shown = path.display();
    match write_new(path, &text) {
        Ok(()) => Ok(format!("{shown}: by which editors of TOML know its keys\n")),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match fs::read_to_string(path) {
            Ok(there) if there == text => Ok(format!("{shown}: was there already\n")),
            _ => Ok(format!(
                "{shown}: is there, another one, and stays as it is; `assay plan schema` prints the one of \
                 this program\n"
            )),
        },
        Err(error) => Err(error.into()),
    }
}

/// Writes a file that is not there.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    written.inspect_err(|_| {
        // It is ours, and half a plan is none.
        let _ = fs::remove_file(path);
    })
}
