//! `assay man` and `assay completions`: generated from the definition of the command line.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap_complete::Shell;
use units::Usage;

use crate::speech::say;
use crate::status::DONE;

/// Print the completions of a shell
#[derive(clap::Args)]
pub(crate) struct Completions {
    /// The shell: bash, zsh, fish, elvish or powershell
    shell: Shell,
}

/// Print a manual page (to read it: `assay man run | man -l -`)
#[derive(clap::Args)]
pub(crate) struct Man {
    /// The command, such as `run` or `plan check`; without one the page of assay
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,

    /// Write the pages of all commands to this directory, for a package; it must exist
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    all: Option<PathBuf>,
}

pub(crate) fn completions(args: Completions) -> anyhow::Result<u8> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut crate::commands::help::command(), "assay", &mut text);
    say(&String::from_utf8_lossy(&text))?;
    Ok(DONE)
}

pub(crate) fn man(args: Man) -> anyhow::Result<u8> {
    if let Some(folder) = &args.all {
        write_all(folder)?;
    } else {
        say(&page(&args.command)?)?;
    }
    Ok(DONE)
}

/// Writes the page of every command, such as `assay-plan-check.1`. Pages of an earlier version are replaced.
fn write_all(folder: &Path) -> anyhow::Result<()> {
    if !folder.is_dir() {
        return Err(Usage(format!("{} is not a directory. Create it first.", folder.display())).into());
    }
    let whole = whole();
    let mut open = vec![("assay".to_owned(), &whole)];
    while let Some((name, command)) = open.pop() {
        for below in command.get_subcommands() {
            open.push((format!("{name}-{}", below.get_name()), below));
        }
        let file = folder.join(format!("{name}.1"));
        fs::write(&file, rendered(command)?).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

/// The definition of the command line. Subcommands have their full names only after the build.
fn whole() -> clap::Command {
    let mut whole = crate::commands::help::command().disable_help_subcommand(true);
    whole.build();
    whole
}

/// The page of a command: `[]` for the program, `["plan", "check"]` for a subcommand.
fn page(words: &[String]) -> Result<String, Usage> {
    let whole = whole();
    let mut command = &whole;
    for word in words {
        command = command.find_subcommand(word).ok_or_else(|| {
            let known: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
            let known = if known.is_empty() {
                "It has no commands.".to_owned()
            } else {
                format!("Known: {}.", known.join(", "))
            };
            let name = command.get_bin_name().unwrap_or_default();
            Usage(format!("`{name}` has no command `{word}`. {known}"))
        })?;
    }
    rendered(command)
}

fn rendered(command: &clap::Command) -> Result<String, Usage> {
    let how = "Print the page of a command with `assay man COMMAND`. For example, `assay man plan check` \
               prints assay-plan-check(1).";
    let command = match command.has_subcommands() {
        true => command.clone().after_help(how),
        false => command.clone(),
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut text)
        .map_err(|error| Usage(format!("the page cannot be written: {error}")))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pages that a page names, as arguments of `assay man`.
    fn named(page: &str) -> Vec<Vec<String>> {
        let names = page.lines().filter_map(|line| line.strip_prefix("assay\\-")?.strip_suffix("(1)"));
        let known = |name: &str| -> Vec<String> {
            // A name can contain a dash.
            let mut words = vec![];
            let mut rest = name.replace("\\-", "-");
            let mut command = crate::commands::help::command();
            while !rest.is_empty() {
                let of = command.get_subcommands().filter(|own| rest.starts_with(own.get_name()));
                let own = of.max_by_key(|own| own.get_name().len()).expect(name).clone();
                rest = rest[own.get_name().len()..].trim_start_matches('-').to_owned();
                words.push(own.get_name().to_owned());
                command = own;
            }
            words
        };
        names.map(known).collect()
    }

    #[test]
    fn every_named_page_exists_and_has_the_options_of_its_command() {
        let mut open = vec![vec![]];
        let mut seen = 0;
        while let Some(words) = open.pop() {
            let text = page(&words).unwrap();
            let name = [&["assay".to_owned()][..], &words].concat().join("-");
            assert!(text.contains(&format!(".TH {name} 1")), "{name}: {text}");
            open.extend(named(&text));
            seen += 1;
        }
        assert!(seen > crate::commands::help::command().get_subcommands().count(), "{seen}");
        let words = ["run".to_owned()];
        assert!(page(&words).unwrap().contains("\\-\\-resume"));
    }

    #[test]
    fn all_pages_that_a_page_names_are_written_to_the_directory() {
        let folder = tempfile::tempdir().unwrap();
        write_all(folder.path()).unwrap();
        let mut written = 0;
        for entry in fs::read_dir(folder.path()).unwrap() {
            let text = fs::read_to_string(entry.unwrap().path()).unwrap();
            for words in named(&text) {
                let name = format!("assay-{}.1", words.join("-"));
                let page = fs::read_to_string(folder.path().join(&name)).expect(&name);
                assert!(page.contains(&format!(".TH {} 1", name.trim_end_matches(".1"))), "{name}");
            }
            written += 1;
        }
        assert!(folder.path().join("assay.1").is_file());
        assert!(written > crate::commands::help::command().get_subcommands().count(), "{written}");
        let missing = write_all(&folder.path().join("none")).unwrap_err();
        assert!(missing.downcast_ref::<Usage>().is_some(), "{missing}");
    }

    #[test]
    fn an_unknown_command_is_rejected_with_the_known_ones() {
        let rejected = |words: &[&str]| page(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(
            rejected(&["plan", "bake"]).unwrap_err().0,
            "`assay plan` has no command `bake`. Known: check, add, init, list, schema, show."
        );
        assert_eq!(
            rejected(&["run", "x"]).unwrap_err().0,
            "`assay run` has no command `x`. It has no commands."
        );
    }
}
