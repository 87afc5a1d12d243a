//! docs/reference/commands: a page per command with its help, and the overview.
//!
//! With `BLESS` set in the environment, the pages are written instead of compared.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::common::campaign::Place;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/commands");

/// Commands with a classic program, which have a page on compatibility.
const CLASSIC: &[&str] = &["fdtree", "flash-io", "ior", "ls-lr", "mdtest", "mpi-io"];

const MARK: &str = "<!-- Generated from the help of the program: BLESS=1 writes it. -->";

/// The commands in a part of a help text: the first word and the rest of each indented line.
fn commands(help: &str) -> Vec<(&str, &str)> {
    let rows = help.lines().filter_map(|line| line.strip_prefix("  "));
    let named = rows.filter(|row| row.starts_with(|c: char| c.is_ascii_lowercase()));
    named.filter_map(|row| row.split_once(' ')).map(|(name, about)| (name, about.trim())).collect()
}

/// A block with what a command line prints.
fn block(place: &Place, words: &str) -> String {
    let help = place.assay(words).ok();
    let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
    format!("```text\n{}\n```\n", lines.join("\n"))
}

fn page(place: &Place, name: &str, about: &str) -> String {
    let mut text = format!("# assay {name}\n\n{MARK}\n\n{about}.\n\n");
    text += &block(place, &format!("{name} --help"));
    if CLASSIC.contains(&name) {
        let _ = writeln!(text, "\nDifferences from the original: [{name}](../compatibility/{name}.md).");
    }
    let help = place.assay(&format!("{name} --help")).ok();
    let own = help.split_once("\nCommands:\n").and_then(|(_, rest)| rest.split("\n\n").next());
    for (own, _) in commands(own.unwrap_or_default()).into_iter().filter(|(own, _)| *own != "help") {
        let _ = write!(text, "\n## assay {name} {own}\n\n{}", block(place, &format!("{name} {own} --help")));
    }
    text
}

/// All pages by file name.
fn pages(place: &Place) -> BTreeMap<String, String> {
    let help = place.assay("--help").ok();
    let (groups, _) = help.split_once("\nOptions:\n").expect("options follow the groups");
    let mut overview = format!(
        "# The commands\n\n{MARK}\n\nOne program, `assay`, has all commands. The workloads also run under \
         the name of the classic program: see\n[Replace ior](../../how-to/replace-ior.md).\n\n\
         | command | purpose |\n|---|---|\n"
    );
    let mut all = BTreeMap::new();
    for (name, about) in commands(groups) {
        let _ = writeln!(overview, "| [`assay {name}`]({name}.md) | {} |", about.replace('|', "\\|"));
        all.insert(format!("{name}.md"), page(place, name, about));
    }
    let _ = write!(overview, "\n## assay --help\n\n{}", block(place, "--help"));
    all.insert("README.md".to_owned(), overview);
    all
}

#[test]
fn the_reference_pages_are_the_help_of_the_commands() {
    let pages = pages(&Place::new());
    assert!(pages.len() > 20, "{:?}", pages.keys());
    let folder = Path::new(FOLDER);
    if std::env::var_os("BLESS").is_some() {
        fs::create_dir_all(folder).expect("the folder of the pages");
        pages.iter().for_each(|(name, text)| fs::write(folder.join(name), text).expect("a page"));
    }
    for (name, text) in &pages {
        let written = fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(written == *text, "docs/reference/commands/{name}: BLESS=1 writes it");
    }
    for entry in fs::read_dir(folder).expect("the folder of the pages") {
        let name = entry.expect("a page").file_name().to_string_lossy().into_owned();
        assert!(pages.contains_key(&name), "{name}: no command has this page. Remove it.");
    }
}
