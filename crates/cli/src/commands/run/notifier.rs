//! What the command of `--notify` receives: verdicts that are decided, and the end of the campaign.
//!
//! Invariant: a command that fails or hangs is a warning and changes no verdict. At the end it has
//! received the outcome of every clause that the campaign decided.
//! Never here: running the command.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ::run::notify::NotifyCommand;
use report::sentences;
use results::folder::{self, Campaign};
use results::{Outcome, Verdict};
use serde_json::json;

/// After this many failures one after the other no further verdicts are reported.
const FAILURES_MAX: u32 = 3;

/// The facts of one call, by the names of their variables without `ASSAY_`.
type NotifiedFacts = Vec<(&'static str, String)>;

/// Reports verdicts to a command.
pub(super) struct Notifier {
    command: NotifyCommand,
    folder: PathBuf,
    plan: String,
    /// The outcome that was reported of each clause, by its place among the verdicts.
    reported: BTreeMap<usize, Outcome>,
    failures: u32,
    /// Warnings that were not shown yet, a sentence each.
    troubles: Vec<String>,
}

impl Notifier {
    pub(super) fn new(command: NotifyCommand, folder: &Path, plan: &str) -> Self {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let (reported, troubles) = Default::default();
        Self { command, folder, plan: plan.to_owned(), reported, failures: 0, troubles }
    }

    /// Reports the verdicts at these places whose outcomes were not reported yet.
    pub(super) fn decided(&mut self, verdicts: &[Verdict], places: impl IntoIterator<Item = usize>) {
        for at in places {
            let Some(verdict) = verdicts.get(at).filter(|one| self.reported.get(&at) != Some(&one.outcome))
            else {
                continue;
            };
            let earlier = self.reported.insert(at, verdict.outcome);
            if self.failures < FAILURES_MAX {
                self.verdict(verdict, earlier);
            }
        }
    }

    /// Reports all verdicts of the ended campaign that were not reported yet. Returns whether there were any.
    pub(super) fn final_verdicts(&mut self, campaign: &Campaign) -> bool {
        let before = self.reported.clone();
        let was_run = |verdict: &Verdict| verdict.outcome != Outcome::NotRun || campaign.info.only.is_empty();
        let places = campaign.verdicts.iter().enumerate().filter(|(_, verdict)| was_run(verdict));
        self.decided(&campaign.verdicts, places.map(|(at, _)| at).collect::<Vec<_>>());
        self.reported != before
    }

    /// Reports the end of the campaign.
    pub(super) fn ended(&mut self, campaign: &Campaign, hash: &str) {
        let worst = Verdict::worst(&campaign.verdicts);
        let mut facts = self.facts("end");
        let is_part = !campaign.info.only.is_empty();
        facts.push(("OUTCOME", sentences::overall(worst, campaign.summary.has_open_findings(), is_part)));
        facts.push(("STATUS", campaign.exit_code().to_string()));
        facts.push(("EVIDENCE_HASH", hash.to_owned()));
        self.tell("the end", &facts);
    }

    /// Reports that the campaign was stopped after `done` of `of` jobs.
    pub(super) fn stopped(&mut self, done: usize, of: usize) {
        let mut facts = self.facts("stopped");
        facts.extend([("DONE", done.to_string()), ("JOBS", of.to_string())]);
        self.tell("the stop", &facts);
    }

    /// The warnings since the last call.
    pub(super) fn troubles(&mut self) -> Vec<String> {
        std::mem::take(&mut self.troubles)
    }

    fn facts(&self, event: &str) -> NotifiedFacts {
        let folder = self.folder.display().to_string();
        vec![("EVENT", event.to_owned()), ("FOLDER", folder), ("PLAN", self.plan.clone())]
    }

    fn verdict(&mut self, verdict: &Verdict, earlier: Option<Outcome>) {
        let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        let contract = verdict.contract_clause.as_ref();
        let mut facts = self.facts("verdict");
        facts.extend([
            ("TEST", verdict.test.clone()),
            ("CLAUSE", verdict.clause.clone()),
            ("CONTRACT_CLAUSE", contract.map(|contract| contract.id.clone()).unwrap_or_default()),
            ("METRIC", verdict.metric.clone()),
            ("CRITERION", verdict.criterion.clone()),
            ("OUTCOME", verdict.outcome.to_string()),
            ("REASON", verdict.reason.code.to_string()),
            ("VALUE", number(verdict.value)),
            ("THRESHOLD", number(verdict.threshold)),
            ("UNIT", verdict.unit.clone()),
            ("EARLIER", earlier.map(|outcome| outcome.to_string()).unwrap_or_default()),
        ]);
        let why = self.tell(&format!("the verdict on {}", verdict.test), &facts);
        let note = json!({
            "command": self.command.text(),
            "test": verdict.test,
            "metric": verdict.metric,
            "outcome": verdict.outcome,
            "why": why,
        });
        if let Err(error) = folder::note_notified(&self.folder, note.to_string()) {
            self.troubles.push(format!("The chain does not have a run of the command of --notify: {error}."));
        }
    }

    /// Runs the command. Returns why it failed.
    fn tell(&mut self, what: &str, facts: &NotifiedFacts) -> Option<String> {
        let why = self.command.tell(facts).err();
        self.failures = if why.is_some() { self.failures + 1 } else { 0 };
        if let Some(why) = &why {
            self.troubles.push(format!("The command of --notify did not take {what}: {why}."));
            if self.failures == FAILURES_MAX {
                let what = "It failed several times, so it gets no further verdicts, only the end.";
                self.troubles.push(what.to_owned());
            }
        }
        why
    }
}
