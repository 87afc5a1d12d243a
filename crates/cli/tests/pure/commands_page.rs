//! docs/reference/commands.md: the help of each command.
//!
//! With `BLESS` set in the environment, the page is written instead of compared.

use std::fmt::Write as _;
use std::fs;

use crate::common::campaign::Place;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/commands.md");

/// Commands with a classic program, which have a page on compatibility.
const CLASSIC: &[&str] = &["fdtree", "flash-io", "io500", "ior", "ls-lr", "mdtest", "mpi-io", "pfind"];

/// The place of the backends in a help text.
const BACKENDS: &str = "{backends}";

/// Exit statuses that the list for all commands explains.
const COMMON: &[&str] = &[
    "0  done",
    "2  wrong usage",
    "4  an error of the program or of I/O",
    "4  an error of the program or of I/O, or wrong data",
];

/// The commands in a part of a help text: the first word of each indented line.
fn commands(help: &str) -> Vec<&str> {
    let rows = help.lines().filter_map(|line| line.strip_prefix("  "));
    let named = rows.filter(|row| row.starts_with(|c: char| c.is_ascii_lowercase()));
    named.filter_map(|row| row.split(' ').next()).filter(|name| *name != "help").collect()
}

/// A block with a help text, without what all help texts have.
fn block(help: &str) -> String {
    let help = help.replace("  -h, --help\n          Print help (see a summary with '-h')\n\n", "");
    let help = help.replace("  help    Print this message or the help of the given subcommand(s)\n", "");
    let help = help.replace("Options:\nExamples:", "Examples:");
    let help = help.replace("\nOptions:\n  -h, --help  Print help\n", "");
    let (mut text, statuses) = help.split_once("\nExit status:\n").unwrap_or((&help, ""));
    if statuses.lines().any(|row| !COMMON.contains(&row.trim())) {
        text = &help;
    }
    let lines: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
    format!("```text\n{}\n```\n", lines.join("\n"))
}

/// A help text without the options of backends that the help of `ior` has in the same words.
fn without_backends_of(ior: &str, help: &str) -> String {
    let known: Vec<&str> = ior.split("\n\n").filter(|part| part.trim().starts_with("Module ")).collect();
    let name = |part: &str| part.trim().trim_start_matches("Module ").split(':').next().map(str::to_owned);
    let (mut own, mut same) = (Vec::new(), Vec::new());
    for part in help.split("\n\n") {
        match known.contains(&part) {
            false => own.push(part),
            true => {
                if same.is_empty() {
                    own.push(BACKENDS);
                }
                same.extend(name(part));
            }
        }
    }
    own.join("\n\n").replace(BACKENDS, &format!("\nModules as in `assay ior`: {}", same.join(", ")))
}

fn page(place: &Place) -> String {
    let help = place.assay("--help").ok();
    let mut text = format!(
        "# The commands\n\n<!-- Generated from the help of the program: BLESS=1 writes it. -->\n\n\
         One program, `assay`, has all commands. The workloads also run under the name of the classic \
         program: see\n[Replace ior](../how-to/replace-ior.md). The exit statuses are those of all commands. \
         A command that uses them\notherwise lists its own. Each command also has `-h` and `--help`.\n\n{}",
        block(&help)
    );
    let ior = place.assay("ior --help").ok();
    let (groups, _) = help.split_once("\nOptions:\n").expect("options follow the groups");
    for name in commands(groups) {
        let help = place.assay(&format!("{name} --help")).ok();
        let _ = write!(text, "\n## assay {name}\n\n");
        if CLASSIC.contains(&name) {
            let _ = write!(text, "[Differences from the original](compatibility/{name}.md)\n\n");
        }
        let shown = if name == "ior" { help.clone() } else { without_backends_of(&ior, &help) };
        text += &block(&shown);
        let own = help.split_once("\nCommands:\n").and_then(|(_, rest)| rest.split("\n\n").next());
        for own in commands(own.unwrap_or_default()) {
            let help = place.assay(&format!("{name} {own} --help")).ok();
            let _ = write!(text, "\n### assay {name} {own}\n\n{}", block(&help));
        }
    }
    text
}

#[test]
fn the_reference_page_is_the_help_of_the_commands() {
    let page = page(&Place::new());
    assert!(page.matches("\n## assay ").count() > 20, "{page}");
    if std::env::var_os("BLESS").is_some() {
        fs::write(PAGE, &page).expect("the page");
    }
    let written = fs::read_to_string(PAGE).unwrap_or_default();
    assert!(written == page, "docs/reference/commands.md: BLESS=1 writes it");
}
