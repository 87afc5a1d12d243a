//! One step of a chore: its name, what came of it, and how long it took, on one line.
//!
//! The name is printed before the work and the outcome after it, so that a slow step has a name.
//! What a program says goes to a log under `target/xtask`, and is shown only if it fails.
//!
//! Never here: which steps there are.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// What came of a step.
pub(crate) enum Outcome {
    /// Done, with a word about it (which may be empty).
    Done(String),
    /// Not done and not needed to go on: tests that miss it will say so.
    Without(String),
    /// Failed, with what it said.
    Failed(String),
}

/// Does one step and prints its line; false if it failed.
pub(crate) fn step(name: &str, work: impl FnOnce() -> Result<Outcome>) -> bool {
    print!("{name:<18} ");
    std::io::stdout().flush().ok();
    let begun = Instant::now();
    let outcome = work().unwrap_or_else(|why| Outcome::Failed(format!("{why:#}")));
    println!("{}", line(&outcome, begun.elapsed()));
    if let Outcome::Failed(said) = &outcome {
        println!("{}", said.trim_end());
    }
    !matches!(outcome, Outcome::Failed(_))
}

fn line(outcome: &Outcome, took: Duration) -> String {
    let (word, about) = match outcome {
        Outcome::Done(about) => ("ok", about.as_str()),
        Outcome::Without(about) => ("without", about.as_str()),
        Outcome::Failed(_) => ("FAILED", ""),
    };
    format!("{word:<7} {:>6.1} s  {about}", took.as_secs_f64()).trim_end().to_owned()
}

/// Cargo, as started here: at the root, nothing on standard input.
pub(crate) fn cargo(root: &Path, words: &[&str]) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).args(words).stdin(Stdio::null());
    cargo
}

/// The log of this name, under `target/xtask`; makes the folder.
pub(crate) fn log_path(root: &Path, name: &str) -> Result<PathBuf> {
    let folder = root.join("target/xtask");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder.join(format!("{name}.log")))
}

/// Runs commands one after the other into one log, and stops at the first that fails.
pub(crate) fn logged(root: &Path, log: &str, commands: Vec<Command>) -> Result<Outcome> {
    let path = log_path(root, log)?;
    let file = File::create(&path)?;
    for mut command in commands {
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file.try_clone()?);
        let status = command.status().with_context(|| format!("cannot start {:?}", command.get_program()))?;
        if !status.success() {
            let said = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
            return Ok(Outcome::Failed(format!("{said}\n{:?}: {status}", command.get_program())));
        }
    }
    Ok(Outcome::Done(String::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_one_line_with_its_duration() {
        let took = Duration::from_millis(1250);
        assert_eq!(line(&Outcome::Done("8 there".into()), took), "ok         1.2 s  8 there");
        assert_eq!(line(&Outcome::Failed("a page".into()), took), "FAILED     1.2 s");
    }

    #[test]
    fn the_log_of_a_failed_command_is_shown_with_its_status() {
        let root = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "echo no such package; exit 7"]);
        let Outcome::Failed(said) = logged(root.path(), "apt", vec![command]).unwrap() else {
            panic!("it exits with 7");
        };
        assert_eq!(said, "no such package\n\n\"sh\": exit status: 7");
    }

    #[test]
    fn the_first_command_that_fails_ends_a_step() {
        let root = tempfile::tempdir().unwrap();
        let mut second = Command::new("touch");
        second.arg(root.path().join("touched"));
        logged(root.path(), "two", vec![Command::new("false"), second]).unwrap();
        assert!(!root.path().join("touched").exists());
    }
}
