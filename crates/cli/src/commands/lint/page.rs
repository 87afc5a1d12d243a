//! docs/reference/lints.md, generated from the table of lints and their examples.
//!
//! With `BLESS` set in the environment, the page is written instead of compared.

use std::fmt::Write as _;
use std::fs;

use clap::FromArgMatches;
use command::TypedCommand;
use lint::{LINTS, Lint, LintStage};
use plan::Plan;
use results::finding::Finding;
use results::folder::{FileSystemFacts, Machine};

use super::{LintArgs, subject, words};
use crate::commands::documents::shell_words;
use crate::commands::{Assay, Command, help};
use crate::personalities::drifted;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/lints.md");

/// What the page says before the lints.
const BEGIN: &str = "# The lints

<!-- Generated from the table of lints: BLESS=1 writes it. -->

A lint is a rule about good storage tests. The linter checks it before a run. It reports what it found, with
the numbers, and what to do. `assay lint -- COMMAND` checks one command as typed, including its launcher.
`assay plan check` checks a whole plan. `assay run` also checks the machine. After a run only the records
decide.

- **error**: The defect cannot be repaired after the run, so `assay run` does not start.
- **needs-waiver**: The finding does not stop a run. If the test is meant as written, a person can
  [approve a waiver](../how-to/waive.md) in the plan:
  `waive = [{ lint = \"ID\", why = \"the reason\", approved_by = \"a name\" }]`. The finding stays listed,
  with this name.
- **info**: The finding is only reported.

Each lint has its greatest severity here. A finding that the records of the run decide is info before the run.
A finding from a clause text is info, because prose decides nothing. A check that lacks a fact (the memory of
a node, the required rate) finds nothing. The options `--ram`, `--cores`, `--mount`, `--role`, `--sustained`
and `--target` give such facts.
";

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
        LintStage::Plan => ::lint::plan_with(&plan, drifted),
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

/// The part of the page about one lint.
fn section(lint: &Lint) -> String {
    let (id, example) = (lint.id(), lint.example());
    let mut text = format!("\n## {id}\n\n**{}**", lint.severity);
    if let Some((severity, why)) = lint.less_severe {
        let _ = write!(text, "; {severity} {why}");
    }
    text += ".";
    if lint.stage() == LintStage::Machine {
        text += " Checked on the machine, before the first job.";
    }
    if lint.records_decide {
        text += " The records of the run decide.";
    }
    if !lint.rejected.is_empty() {
        let _ = write!(text, " A plan is rejected for {}.", lint.rejected);
    }
    let found = findings(lint, &example.found);
    let found = found.iter().filter(|finding| finding.code() == lint.code);
    let language = if example.is_plan() { "toml" } else { "sh" };
    let _ = write!(text, "\n\n```{language}\n{}\n```\n\n```text\n", example.found.trim());
    found.for_each(|finding| text += &super::text::block(finding));
    // Of a plan only the corrected lines, if there are any.
    let found: Vec<&str> = example.found.lines().collect();
    let new: Vec<&str> = example.corrected.lines().filter(|line| !found.contains(line)).collect();
    let corrected = if new.is_empty() { example.corrected.trim() } else { &new.join("\n") };
    let _ = writeln!(text, "```\n\nCorrected:\n\n```{language}\n{corrected}\n```");
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
fn the_reference_page_is_generated_from_the_table() {
    let mut lints: Vec<&Lint> = LINTS.iter().collect();
    lints.sort_by_key(|lint| lint.id());
    let page: String = [BEGIN.to_owned()].into_iter().chain(lints.into_iter().map(section)).collect();
    if std::env::var_os("BLESS").is_some() {
        fs::write(PAGE, &page).expect("the page");
    }
    let written = fs::read_to_string(PAGE).unwrap_or_default();
    assert!(written == page, "docs/reference/lints.md: BLESS=1 writes it");
}
