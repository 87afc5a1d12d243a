//! `assay plan init`: writes a plan to start from, and the schema for editors next to it.
//!
//! Invariant: existing files are not changed; an incomplete plan is removed.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use units::Usage;

use super::ask::Answers;
use super::bundled;

/// The name of the plan that is only a template.
pub(super) const MINIMAL: &str = "minimal";

/// The file of the schema, next to the plan. The first line of a new plan names it.
const SCHEMA: &str = "assay-plan.schema.json";

/// The text of the schema of plans.
pub(super) fn schema() -> Result<String> {
    Ok(format!("{}\n", serde_json::to_string_pretty(&plan::schema())?))
}

/// Writes the plan with this name. Returns a description of the written files.
pub(super) fn init(name: &str, file: Option<PathBuf>) -> Result<String> {
    let text = match name {
        MINIMAL => include_str!("minimal.toml"),
        name => {
            let none =
                |_| Usage(format!("there is no bundled plan `{name}`{}", bundled::hint(name, &[MINIMAL])));
            bundled::named(name).map_err(none)?.text
        }
    };
    write(&file.unwrap_or_else(|| PathBuf::from(format!("{name}.toml"))), text)
}

/// Writes a plan that is made from answers. Returns a description of the written files.
pub(super) fn from_answers(answers: Answers, file: Option<PathBuf>) -> Result<String> {
    let file = file.unwrap_or_else(|| PathBuf::from("plan.toml"));
    if file.exists() {
        return Err(Usage(format!("{} already exists. Give another name with --out.", file.display())).into());
    }
    let text = answers.plan(&file.display().to_string())?;
    write(&file, &text)
}

/// Writes the plan and the schema.
fn write(file: &Path, text: &str) -> Result<String> {
    let path = file.display();
    match write_new(file, &format!("#:schema ./{SCHEMA}\n{text}")) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(Usage(format!("{path} already exists. Give another name.")).into());
        }
        Err(error) => {
            return Err(Usage(format!("{path}: {error}. Give a file in an existing directory.")).into());
        }
    }
    let schema = file.with_file_name(SCHEMA);
    let about_schema =
        write_schema(&schema).with_context(|| format!("{path} is written, but {}", schema.display()))?;
    Ok(format!("{path}: the plan. Change it, then check it with: assay plan check {path}\n{about_schema}"))
}

/// Writes the schema unless a file exists there. Returns a description.
fn write_schema(path: &Path) -> Result<String> {
    let text = schema()?;
    let shown = path.display();
    match write_new(path, &text) {
        Ok(()) => Ok(format!("{shown}: the schema, with which editors complete and check the keys\n")),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match fs::read_to_string(path) {
            Ok(existing) if existing == text => Ok(format!("{shown}: exists already\n")),
            _ => Ok(format!(
                "{shown}: exists with other contents and was not changed. `assay plan schema` prints the \
                 schema of this program.\n"
            )),
        },
        Err(error) => Err(error.into()),
    }
}

/// Writes a new file.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    written.inspect_err(|_| {
        // The file is new, and an incomplete plan is useless.
        let _ = fs::remove_file(path);
    })
}
