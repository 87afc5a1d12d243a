//! The reference pages of the lints, generated from their table and their examples.
//!
//! With `BLESS` set in the environment, the pages are written instead of compared.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::FromArgMatches;
use command::TypedCommand;
use lint::{LINTS, Lint, LintStage};
use plan::Plan;
use results::finding::{Finding, Severity};
use results::folder::{FileSystemFacts, Machine};

use super::{LintArgs, subject, words};
use crate::commands::documents::shell_words;
use crate::commands::{Assay, Command, help};

/// The folder of the pages.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/lints");

/// Tables that a part of a plan needs. A table is left out if the part has it itself.
const REST: &[(&str, &str)] = &[
    ("[plan]", "[plan]\nid = \"acme\"\ntitle = \"Acme scratch\"\n"),
    ("[fs.", "[fs.scratch]\ndir = \"{dir}\"\n"),
    ("[launch]", "[launch]\nkind = \"srun\"\n"),
    ("[defaults]", "[defaults]\nranks = 32\n"),
];

/// The findings of an example.
fn findings(lint: &Lint, text: &str) -> Vec<Finding> {
    if !lint.example().is_plan() {
        let args = arguments(text);
        let command = words(&args.command).and_then(|words| TypedCommand::read(&words));
        let subject = command.and_then(|command| subject(&args, &command));
        return lint::line(&subject.unwrap_or_else(|error| panic!("{text}: {error}")));
    }
    let missing = REST.iter().filter(|(mark, _)| !text.lines().any(|line| line.starts_with(mark)));
    let rest: String = missing.map(|(_, rest)| *rest).collect();
    let plan = Plan::parse(&format!("schema = 1\n{rest}{text}"), "plan.toml");
    let plan = plan.unwrap_or_else(|error| panic!("{}: {error}\n{text}", lint.id()));
    let mut found = match lint.stage() {
        LintStage::Plan => super::findings(&plan),
        LintStage::Machine => lint::machine(&plan, &machine(&plan), false),
    };
    // The lines of the example are not those of a whole plan.
    found.iter_mut().for_each(|finding| finding.place = None);
    found
}

/// The arguments of an `assay lint` command line.
fn arguments(text: &str) -> LintArgs {
    let matches = help::command()
        .try_get_matches_from(shell_words(text).remove(0))
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    match Assay::from_arg_matches(&matches).map(|assay| assay.command) {
        Ok(Command::Lint(args)) => args,
        _ => panic!("{text}: not a lint command"),
    }
}

/// A machine with one file system for each first part of a path. `/proc` reports no size.
fn machine(plan: &Plan) -> Machine {
    let fs = |(name, fs): (&String, &plan::FileSystem)| {
        let first = fs.dir.split('/').nth(1).unwrap_or_default();
        let number = first.bytes().map(u32::from).sum::<u32>();
        FileSystemFacts {
            name: name.clone(),
            dir: fs.dir.clone(),
            bytes: if first == "proc" { 0 } else { 1 << 50 },
            mounts: vec![format!("40 22 0:{number} / /{first} rw - {first} mgs@tcp:/{first} rw")],
            ..FileSystemFacts::default()
        }
    };
    Machine { file_systems: plan.file_systems.iter().map(fs).collect(), ..Machine::default() }
}

/// The text of a lint's page.
fn page(lint: &Lint) -> String {
    let (id, example) = (lint.id(), lint.example());
    let mut text = format!("# {id}\n\n<!-- Generated from the table of lints: BLESS=1 writes it. -->\n\n");
    let stage = match lint.stage() {
        LintStage::Plan => "before a run, on the command line or the plan",
        LintStage::Machine => "before the first job, on the machine",
    };
    let _ = writeln!(text, "{}.\n\n| | |\n|---|---|", lint.why);
    let _ = writeln!(text, "| severity | {} |\n| checked | {stage} |", lint.severity);
    if lint.records_decide {
        text += "| after the run | the records decide the same question |\n";
    }
    if let Some((severity, why)) = lint.less_severe {
        let _ = writeln!(text, "| less severe | {severity} {why} |");
    }
    if !lint.rejected.is_empty() {
        let _ = writeln!(text, "| rejected | {} |", lint.rejected);
    }
    let _ = writeln!(text, "| source | {} |\n", lint.source);
    let found = findings(lint, &example.found);
    let found = found.iter().filter(|finding| finding.code() == lint.code);
    let language = if example.is_plan() { "toml" } else { "sh" };
    let _ = writeln!(text, "## Example\n\n```{language}\n{}\n```\n\n```text", example.found.trim());
    found.for_each(|finding| text += &super::text::block(finding));
    let _ = writeln!(text, "```\n\n## Correction\n\n```{language}\n{}\n```", example.corrected.trim());
    if lint.severity == Severity::NeedsWaiver {
        let _ = writeln!(
            text,
            "\n## Waiver\n\nIf the test is meant as written, a person can [approve a \
             waiver](../../how-to/waive.md):\n\n```toml\nwaive = [{{ lint = \"{id}\", why = \"the reason\", \
             approved_by = \"a name\" }}]\n```"
        );
    }
    text
}

#[test]
fn every_example_has_its_finding_and_the_corrected_one_does_not() {
    for lint in LINTS {
        let example = lint.example();
        let has = |text: &str| findings(lint, text).iter().any(|finding| finding.code() == lint.code);
        assert!(has(&example.found), "{} is not found in:\n{}", lint.id(), example.found);
        assert!(!has(&example.corrected), "{} is found in:\n{}", lint.id(), example.corrected);
    }
}

#[test]
fn the_reference_pages_are_generated_from_the_table() {
    let folder = Path::new(FOLDER);
    let of_lints = LINTS.iter().map(|lint| (folder.join(format!("{}.md", lint.id())), page(lint)));
    let pages: Vec<(PathBuf, String)> = of_lints.chain([(folder.join("README.md"), lint::paper())]).collect();
    if std::env::var_os("BLESS").is_some() {
        fs::create_dir_all(folder).expect("the folder of the pages");
        pages.iter().for_each(|(path, text)| fs::write(path, text).expect("a page"));
    }
    for (path, text) in &pages {
        let written = fs::read_to_string(path).unwrap_or_default();
        assert!(written == *text, "{}: BLESS=1 writes it", path.display());
    }
    let known: BTreeSet<&PathBuf> = pages.iter().map(|(path, _)| path).collect();
    for entry in fs::read_dir(folder).expect("the folder of the pages") {
        let path = entry.expect("a page").path();
        assert!(known.contains(&path), "{}: no lint has this page. Remove it.", path.display());
    }
}
