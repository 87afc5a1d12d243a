//! The command of `--notify`, which receives verdicts and the end of a campaign.
//!
//! Invariant: facts are only in the environment of the command, and never in its text. So no text of a plan
//! or of a folder is executed. A command that fails or hangs changes no verdict.
//! Never here: which verdicts, and when.

use std::process::Command;
use std::time::Duration;

use units::{Usage, visible};

use crate::bounded;

/// The time limit of the command.
pub const LIMIT: Duration = Duration::from_secs(10);
/// The most bytes of a fact. The kernel limits the environment of a process.
const FACT_BYTES_MAX: usize = 4096;
/// The beginning of the names of facts.
const PREFIX: &str = "ASSAY_";

/// The command that receives verdicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotifyCommand {
    text: String,
}

impl NotifyCommand {
    /// Reads `--notify`: a command of the shell.
    pub fn parse(text: &str) -> Result<Self, Usage> {
        if text.trim().is_empty() {
            return Err(Usage::new("--notify: the command is missing. Give a command of the shell."));
        }
        if text.contains('\0') {
            return Err(Usage::new("--notify: the command has a NUL character. Remove it."));
        }
        Ok(Self { text: text.to_owned() })
    }

    /// The command, as given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Runs the command with each fact as the variable `ASSAY_NAME`. Fails with the reason if it does not
    /// succeed within [`LIMIT`].
    pub fn tell(&self, facts: &[(&'static str, String)]) -> Result<(), String> {
        let mut command = Command::new("sh");
        command.args(["-c", &self.text, "notify"]);
        // A fact of an outer campaign must not be taken for one of this campaign.
        let outer = std::env::vars_os().map(|(name, _)| name);
        outer.filter(|name| name.to_string_lossy().starts_with(PREFIX)).for_each(|name| {
            command.env_remove(name);
        });
        for (name, value) in facts {
            command.env(format!("{PREFIX}{name}"), fact(value));
        }
        bounded::succeeded(&mut command, "", LIMIT).map_err(|error| error.to_string())
    }
}

/// A fact in one visible line that is not too long.
fn fact(value: &str) -> String {
    let mut shown = visible(value);
    let end = (0..=FACT_BYTES_MAX.min(shown.len())).rev().find(|at| shown.is_char_boundary(*at));
    shown.truncate(end.unwrap_or_default());
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_variables_and_are_never_executed() {
        let place = tempfile::tempdir().expect("a directory");
        let at = |name: &str| place.path().join(name).display().to_string();
        let command = format!("printf '%s|%s' \"$ASSAY_TEST\" \"${{ASSAY_CLAUSE}}\" > {}", at("heard"));
        let notify = NotifyCommand::parse(&command).expect("a command");
        let hostile = format!("$(touch {0}); `touch {0}`; \u{1b}[2J\n'\"", at("run"));
        notify.tell(&[("TEST", "C.1".to_owned()), ("CLAUSE", hostile)]).expect("it succeeds");
        let heard = std::fs::read_to_string(at("heard")).expect("it was run");
        assert!(heard.starts_with("C.1|$(touch /") && !heard.contains(['\u{1b}', '\n']), "{heard}");
        assert!(!place.path().join("run").exists(), "nothing of a fact is executed");
    }

    #[test]
    fn a_failed_command_gives_its_reason_and_an_empty_one_is_rejected() {
        let notify = NotifyCommand::parse("exit 3").expect("a command");
        let why = notify.tell(&[]).expect_err("it fails");
        assert!(why.contains("exit status: 3"), "{why}");
        assert!(NotifyCommand::parse(" ").is_err());
    }

    #[test]
    fn a_long_fact_is_cut_at_a_character() {
        assert_eq!(fact(&"é".repeat(3000)).len(), FACT_BYTES_MAX);
        assert_eq!(fact(&format!("x{}", "é".repeat(3000))).len(), FACT_BYTES_MAX - 1);
    }
}
