//! One step of a chore: its name, outcome and duration, on one line.
//!
//! The name is printed before the work, so that a slow step has a name. The outcome follows after the work.
//! The output of a program goes to a log under `target/xtask`. It is shown only if the program fails.
//!
//! Never here: the list of steps.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// The outcome of a step.
pub(crate) enum Outcome {
    /// Done, with a short note (may be empty).
    Done(String),
    /// Not done. The chore continues; tests without this dependency are skipped.
    Without(String),
    /// Failed, with the output.
    Failed(String),
}

/// Runs one step and prints its line; false if it failed.
pub(crate) fn step(name: &str, work: impl FnOnce() -> Result<Outcome>) -> bool {
    print!("{name:<18} ");
    std::io::stdout().flush().ok();
    let begun = Instant::now();
    let outcome = work().unwrap_or_else(|why| Outcome::Failed(format!("{why:#}")));
    println!("{}", line(&outcome, begun.elapsed()));
    if let Outcome::Failed(output) = &outcome {
        println!("{}", output.trim_end());
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

/// A command of cargo at the root, with empty standard input.
pub(crate) fn cargo(root: &Path, words: &[&str]) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).args(words).stdin(Stdio::null());
    cargo
}

/// The log of this name, under `target/xtask`. Creates the directory.
pub(crate) fn log_path(root: &Path, name: &str) -> Result<PathBuf> {
    let folder = root.join("target/xtask");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder.join(format!("{name}.log")))
}

/// Runs commands in order with their output in one log. Stops at the first command that fails.
pub(crate) fn logged(root: &Path, log: &str, commands: Vec<Command>) -> Result<Outcome> {
    let path = log_path(root, log)?;
    let file = File::create(&path)?;
    for mut command in commands {
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file.try_clone()?);
        let status = command.status().with_context(|| format!("cannot start {:?}", command.get_program()))?;
        if !status.success() {
            let output = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
            return Ok(Outcome::Failed(format!("{output}\n{:?}: {status}", command.get_program())));
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
        let Outcome::Failed(output) = logged(root.path(), "apt", vec![command]).unwrap() else {
            panic!("the command exits with 7");
        };
        assert_eq!(output, "no such package\n\n\"sh\": exit status: 7");
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
