//! Values that one test exports for a later one. They are known only when it has run.
//!
//! Here the names are checked. Each gets the largest possible value, so that the rest of the plan can be
//! checked. [`crate::deferred`] inserts the real values.

use std::collections::BTreeMap;

use super::defaults::among;
use super::{Export, Import, Plan, Uses};
use crate::line::Line;

/// The only value that can be exported, as plans write it.
const SMALLEST_FILE: &str = "min(file.size)";

/// The exports of a test with this command line: the sizes of files per process.
pub(super) fn named(wire: &BTreeMap<String, String>, line: &Line) -> Result<Vec<Export>, String> {
    if let Some(name) = wire.keys().next()
        && !line.as_ior().is_some_and(|line| line.write && line.file_per_rank)
    {
        return Err(format!(
            "exports.{name}: `{SMALLEST_FILE}` needs an ior command line with -w and -F, which writes a file \
             per process"
        ));
    }
    let export = |(name, what): (&String, &String)| match what.as_str() {
        SMALLEST_FILE => Ok(Export { name: name.clone() }),
        _ => Err(format!("exports.{name}: `{what}` is unknown. Only `{SMALLEST_FILE}` can be exported.")),
    };
    wire.iter().map(export).collect()
}

/// Reads a command line in which `${NAME}` is an export of the test whose files it reads.
pub(super) fn line(
    key: &str,
    text: &str,
    uses: Option<&Uses>,
    plan: &Plan,
) -> Result<(Line, Vec<Import>), String> {
    let mut imports = Vec::new();
    let mut filled = text.to_owned();
    while let Some(at) = filled.find("${") {
        let rest = &filled[at + 2..];
        let end = rest.find('}').ok_or_else(|| "`${` has no `}`".to_owned())?;
        let name = rest[..end].to_owned();
        let Some(Uses::Test(maker)) = uses else {
            return Err(format!("`${{{name}}}` is exported by another test. Name that test in `uses`."));
        };
        let test = &plan.tests[*maker];
        let known: Vec<&str> = test.exports.iter().map(|export| export.name.as_str()).collect();
        if !known.contains(&name.as_str()) {
            let near = among(&name, &known);
            return Err(format!("test {} does not export `{name}`{near}", test.id));
        }
        // The most that one rank can have written.
        let most = test.line.as_ior().map_or(0, |line| line.bytes(1));
        filled = filled.replace(&format!("${{{name}}}"), &most.to_string());
        imports.push(Import { name, test: *maker });
    }
    let mut line = Line::parse(key, &filled).map_err(|error| error.0)?;
    if !imports.is_empty() {
        line.restore(text);
    }
    Ok((line, imports))
}
