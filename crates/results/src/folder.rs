//! The campaign folder: all data that verdicts are based on, in open file formats.
//!
//! ```text
//! FOLDER/
//!   chain.jsonl          every event with the hashes of its files, each entry linked to the one before
//!   campaign.json        who ran which plan, and when (`CampaignInfo`)
//!   plan.toml            the plan, byte for byte
//!   machine-before.json  facts of this machine before the first job (`Machine`)
//!   machine-after.json   the same after the last job
//!   jobs/0001-ID-r1/     one job: job.json (`JobInfo`), stdout.txt, stderr.txt, records.jsonl; for a
//!                        dataset also dataset.json (`Manifest`)
//!   jobs/probe-1/        a probe of the launcher, with the files of a job
//!   jobs/….killed-1/     the files of an attempt that was stopped with the campaign; kept, never evaluated
//!   verdicts.json        `Vec<Verdict>`
//!   summary.json         rates, projections, hero runs, findings (`Summary`)
//!   report.html          made only from the files above
//! ```
//!
//! Invariant: a file is written under another name and renamed when it is complete. The folder of a job gets
//! its name when the job has ended. Every file with its final name is complete, and the hash chain had its
//! hash before.
//! Never here: running, evaluating, rendering.

pub(crate) mod beneath;
mod chain;
mod comparing;
mod dataset;
mod dead_process;
mod deaths;
mod earlier;
mod extend;
mod facts;
mod hash;
mod job_names;
mod json;
pub(crate) mod limits;
mod links;
mod load;
mod looks;
mod pack;
mod parallel;
mod printed_rows;
mod process;
pub mod progress;
pub mod records;
mod resume;
mod spelling;
mod staging;
mod stamp;
mod times;
mod unpack;
mod verify;
mod watched;
mod witness;
mod write;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::reason::{Reason, reason};
use crate::record::{DataKeyFacts, WaitingCall};
use crate::summary::{CampaignCourse, Summary};
use crate::{Record, Verdict};

pub use chain::{Head, now};
pub use comparing::ComparedFile;
pub use dataset::{DATASET_SCHEMA, DatasetFile, DatasetReuse, Manifest, Recipe, Sample};
pub use dead_process::DeadProcess;
pub use deaths::{DeathCause, LaunchRejection, cause_of_death};
pub use earlier::{EarlierCampaign, earlier};
pub use extend::extend;
pub use facts::{
    BackingLayer, Build, DeviceWrites, FileSystemFacts, Fill, HostFacts, LayerKind, Layout, LoadedLibrary,
    Machine, Program, Target, is_memory,
};
pub use hash::{sha256, sha256_by, sha256_of, sha256_of_parts};
pub use job_names::{folder_name, is_probe, job_of};
pub use load::{error_lines, load};
pub use pack::{PackedArchive, pack};
pub use printed_rows::{IorRow, PrintedNumber};
pub use process::CampaignProcess;
pub use resume::{Resumed, discard, resume, set_died_aside, unbegun};
pub use stamp::stamp;
pub use times::{NODE_CLOCK_S, unix_s};
pub use unpack::{is_archive, unpack};
pub use verify::{FolderFault, Verification, check};
pub use watched::{RunningJob, WatchedCampaign, note_notified};
pub use witness::{
    WITNESS_HEADER, WITNESS_LINE_BYTES_MAX, WITNESS_LOG_BYTES_MAX, WitnessComparison, WitnessFault,
    WitnessLine, WitnessNote, compare_witness, note_witness, witness_note,
};
pub use write::{
    StagedJob, create, has, read_file, restore, stage_job, verdicts_bytes, write_machine, write_report,
    write_summary, write_verdicts, write_whole, write_whole_by,
};

/// The version of the folder's format that this program writes.
pub const SCHEMA: u32 = 2;

/// Who ran which plan, and when.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CampaignInfo {
    /// Version of the folder's format, [`SCHEMA`].
    pub schema: u32,
    /// The plan's id.
    pub plan: String,
    /// The plan's title.
    pub title: String,
    /// The source of the contract or the test.
    pub source: String,
    /// SHA-256 of `plan.toml`, hexadecimal.
    pub plan_sha256: String,
    /// Program and version.
    pub tool: String,
    /// SHA-256 of the program's file, hexadecimal.
    pub tool_sha256: String,
    /// The command line as given.
    pub argv: Vec<String>,
    /// Start, RFC 3339.
    pub started: String,
    /// The directory under test, as it was given.
    pub dir: String,
    /// For each file system of the plan, the directory that the campaign made for its files.
    pub data: BTreeMap<String, String>,
    /// The selected scale of the plan.
    pub scale: Option<String>,
    /// Parameter values that the user gave.
    pub set: BTreeMap<String, String>,
    /// The selected tests; empty for the whole plan.
    pub only: Vec<String>,
    /// The nodes in the plan's hostfile at the start; empty without a hostfile.
    pub hosts: Vec<String>,
    /// The nodes that jobs must not use.
    pub exclude: Vec<String>,
    /// The batch script that started it, if any.
    pub batch_script: Option<String>,
    /// How this program was built.
    pub build: Build,
    /// The program that starts jobs; absent if jobs are started without one.
    pub launcher: Option<Program>,
    /// Environment variables of the campaign that decide how programs run. Secrets are recorded without their
    /// values.
    pub env: BTreeMap<String, String>,
    /// The findings of the linter before the first job, with the waivers of the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// What keys the stamped data of its jobs; absent if nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_key: Option<CampaignKey>,
    /// The witness, as given; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub witness: String,
    /// The command that received the verdicts, as given; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notify: String,
    /// Earlier campaigns of the same plan on the same file system.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<EarlierCampaign>,
    /// The values that criteria with `of accepted` compare with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<AcceptedValues>,
}

/// The values of the accepted campaign that a criterion compares with, as the new campaign records them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AcceptedValues {
    /// The test, group or score.
    pub test: String,
    /// `PHASE.NAME`.
    pub metric: String,
    /// One value for each repetition, in the base unit.
    pub values: Vec<f64>,
    /// The base unit.
    pub unit: String,
    /// What must be the same for two values to be compared, by name.
    pub setup: BTreeMap<String, String>,
    /// The evidence hash of the accepted campaign.
    pub hash: String,
    /// Its folder or archive, as it was named.
    pub location: String,
    /// Its start, seconds since 1970.
    pub started_s: f64,
}

impl CampaignInfo {
    /// The buyer's nonce; empty without one.
    pub fn nonce(&self) -> &str {
        self.data_key.as_ref().map_or("", |key| &key.facts.nonce)
    }
}

/// What keys the stamped data of a campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CampaignKey {
    /// The absolute path of the file with the secret; empty without a secret.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// What may be published about the key.
    #[serde(flatten)]
    pub facts: DataKeyFacts,
}

/// How a job ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobEnd {
    /// The program ended with this status.
    Exit(i32),
    /// A signal ended it.
    Signal(i32),
    /// It exceeded its time limit and was killed.
    TimedOut,
    /// It could not be started.
    #[default]
    NotStarted,
}

impl JobEnd {
    /// The end of the job or command, as text that follows its name.
    pub fn words(&self) -> String {
        match self {
            Self::Exit(status) => format!("ended with status {status}"),
            Self::Signal(signal) => format!("was ended by signal {signal}"),
            Self::TimedOut => "exceeded its time limit and was killed".to_owned(),
            Self::NotStarted => "could not be started".to_owned(),
        }
    }

    /// The reason why such a job cannot be used.
    pub fn reason(&self) -> Reason {
        match self {
            Self::Exit(status) => reason!(JobFailed { status: *status }),
            Self::Signal(signal) => reason!(JobFailed { signal: *signal }),
            Self::TimedOut => reason!(JobFailed { timed_out: true }),
            Self::NotStarted => reason!(JobNotStarted),
        }
    }
}

/// One job: its command line, its end, its environment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JobInfo {
    /// Number in the campaign, from 1.
    pub number: u32,
    /// The test's id, `dataset.NAME` or `state.NAME`.
    pub test: String,
    /// Repetition of the test, from 1.
    pub repetition: u32,
    /// The whole command line, including the launcher.
    pub argv: Vec<String>,
    /// Environment variables that the job was given or that decide how it runs.
    pub env: BTreeMap<String, String>,
    /// Working directory.
    pub cwd: String,
    /// Start, RFC 3339.
    pub started: String,
    /// Wall time, seconds.
    pub seconds: f64,
    /// Time limit, seconds.
    pub timeout_s: f64,
    /// How it ended.
    pub end: JobEnd,
    /// Why it was not started, if this is a fact of the campaign. Other reasons are in its error stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejection: Option<Reason>,
    /// SHA-256 of stdout.txt, stderr.txt and records.jsonl, hexadecimal, by file name.
    pub sha256: BTreeMap<String, String>,
    /// Load average of this machine's last minute when the job began.
    pub load_before: f64,
    /// The utilization of the job's file system before it began.
    pub fill_before: Option<Fill>,
    /// The same after it ended, before its files were removed.
    pub fill_after: Option<Fill>,
    /// What the block device of its files on the campaign's node wrote meanwhile. Absent without one, and if
    /// the file system does not write each byte to it uncompressed before a flush ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_writes: Option<DeviceWrites>,
    /// What was offline or being rebuilt before it began, one line each, from the plan's `health` command;
    /// absent without this command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub down_before: Option<Vec<String>>,
    /// The same after it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub down_after: Option<Vec<String>>,
    /// Bytes that the servers moved for all clients during the job, from the plan's `traffic` command. It is
    /// below 0 if their count restarted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic_bytes: Option<i64>,
    /// Why one of these commands failed after the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unasked: Option<String>,
    /// Other campaigns in the same directory when it began or ended: the names of their directories for
    /// files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
    /// The process whose end its launcher reports first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dead_process: Option<DeadProcess>,
    /// The layout of files in the job's directory, if the file system reports it.
    pub layout: Option<Layout>,
    /// The libraries for parallel work that rank 0 had loaded, as found on this machine.
    pub libraries: Vec<LoadedLibrary>,
    /// The files of an external program on this machine before it was started: the program, and the scripts
    /// and programs that its arguments name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<Program>,
}

/// One job of a loaded campaign.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Job {
    /// Its folder, relative to the campaign folder, such as `jobs/0001-write-r1`.
    pub folder: String,
    /// What was started and how it ended.
    pub info: JobInfo,
    /// Its records; empty if it recorded nothing.
    pub records: Vec<Record>,
    /// Why its records cannot be read, if so.
    pub unreadable: Option<String>,
    /// The first and the last lines of the error stream of a job that failed.
    pub error_lines: Vec<String>,
    /// What its records are compared with: the standard output of an external program, or the rows of results
    /// that `ior` printed. Absent for other jobs, and if it cannot be read or is longer than 1 MiB.
    pub printed: Option<String>,
    /// The standard error of an external program; absent in the same cases.
    pub printed_errors: Option<String>,
    /// The calls on files that its ranks were in when it was asked to end.
    pub waits: Vec<WaitingCall>,
    /// The dataset that it made or found.
    pub dataset: Option<Box<Manifest>>,
    /// What the hash chain has about it; absent without a chain.
    pub chained: Option<ChainedJob>,
}

/// A job as the hash chain has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChainedJob {
    /// When it began, RFC 3339.
    pub begun: String,
    /// When it had ended, RFC 3339.
    pub ended: String,
    /// The first of its files whose hash differs from that in job.json.
    pub differing: Option<DifferingHash>,
}

/// A file of a job with two hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DifferingHash {
    /// Relative to the folder of the job.
    pub file: String,
    /// SHA-256 in job.json, hexadecimal.
    pub in_job: String,
    /// SHA-256 in the hash chain, hexadecimal; empty if it has none.
    pub in_chain: String,
}

/// A campaign read back from its folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Campaign {
    /// Who ran which plan, and when.
    pub info: CampaignInfo,
    /// The plan, unmodified.
    pub plan: String,
    /// The machine before the first job.
    pub before: Option<Machine>,
    /// The machine after the last job.
    pub after: Option<Machine>,
    /// All jobs that ended, by number.
    pub jobs: Vec<Job>,
    /// The probes of the launcher that ended. They are not jobs of the plan.
    pub probes: Vec<Job>,
    /// Folders of attempts that were stopped with the campaign, relative to the campaign folder.
    pub killed: Vec<String>,
    /// The verdicts; empty before the evaluation.
    pub verdicts: Vec<Verdict>,
    /// Results that are not verdicts; empty before the evaluation.
    pub summary: Summary,
    /// How it ran until its verdicts.
    pub course: CampaignCourse,
    /// The evidence hash before the report was made; absent without a hash chain.
    pub head: Option<Head>,
    /// Evidence files that are not intact, one sentence each, from [`check`]; empty without a check.
    pub faults: Vec<String>,
    /// Repetitions that were added after verdicts were known, in their order.
    pub extensions: Vec<Extension>,
}

/// Repetitions that were added to a campaign after its verdicts were known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extension {
    /// Further repetitions of each test; 0 if jobs without a result are repeated instead.
    pub repetitions: u32,
    /// The tests whose jobs without a result are repeated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeat: Vec<String>,
    /// The folders of these jobs, relative to the campaign folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<String>,
    /// The name of the user on this machine.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub user: String,
    /// The tests that were chosen; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// The reason that the user gave.
    pub reason: String,
    /// The command line as given.
    pub argv: Vec<String>,
    /// When, RFC 3339.
    pub time: String,
}

impl Campaign {
    /// The exit status of a program that shows the campaign. It is that of the verdicts, but no verdict
    /// passes or fails if evidence files are not intact. Clauses that are met count only after all waivers
    /// that they need are approved. If tests were selected, only the clauses that they belong to count, each
    /// with all of its criteria, and findings about other tests do not.
    pub fn exit_code(&self) -> u8 {
        let campaign = self.of_selected();
        let Self { verdicts, summary, .. } = &*campaign;
        match Verdict::exit_code(verdicts) {
            _ if !self.faults.is_empty() => 3,
            0 if summary.has_open_findings() => 3,
            status => status,
        }
    }

    /// Whether the test, series, group or score of this name was selected; all are if none was named.
    ///
    /// A name selects the test with this id, or else the tests of the series or group with it.
    pub fn is_selected(&self, test: &str) -> bool {
        let only = &self.info.only;
        let is_id = |name: &str| self.verdicts.iter().any(|verdict| verdict.test == name);
        let is_part = |name: &String| {
            let rest = test.strip_prefix(name.as_str());
            rest.is_some_and(|rest| rest.starts_with('.') && !is_id(name))
        };
        only.is_empty() || only.iter().any(|name| name == test || is_part(name))
    }

    /// The campaign with only the verdicts of selected tests, and without findings about other tests.
    ///
    /// A clause of the contract has one verdict, so if one of its criteria is selected, all of them are kept.
    pub fn of_selected(&self) -> Cow<'_, Self> {
        if self.info.only.is_empty() {
            return Cow::Borrowed(self);
        }
        let clause = |one: &Verdict| one.contract_clause.as_ref().map(|clause| clause.id.clone());
        let selected = self.verdicts.iter().filter(|one| self.is_selected(&one.test));
        let clauses: BTreeSet<String> = selected.filter_map(clause).collect();
        let is_kept = |one: &Verdict| {
            self.is_selected(&one.test) || clause(one).is_some_and(|id| clauses.contains(&id))
        };
        let (kept, others): (Vec<Verdict>, Vec<Verdict>) = self.verdicts.iter().cloned().partition(is_kept);
        let is_about = |verdicts: &[Verdict], test: &str| verdicts.iter().any(|one| one.test == test);
        let mut campaign = self.clone();
        campaign
            .summary
            .findings
            .retain(|finding| is_about(&kept, &finding.about) || !is_about(&others, &finding.about));
        campaign.verdicts = kept;
        Cow::Owned(campaign)
    }
}

/// Names of the files in a campaign folder.
pub mod names {
    /// The files that end a look, and that each look writes again.
    pub(super) const OF_LOOK: [&str; 4] = [AFTER, SUMMARY, VERDICTS, REPORT];
    /// [`super::CampaignInfo`].
    pub const CAMPAIGN: &str = "campaign.json";
    /// The entries of the hash chain, one per line.
    pub const CHAIN: &str = "chain.jsonl";
    /// The plan, unmodified.
    pub const PLAN: &str = "plan.toml";
    /// [`super::Machine`] before the first job.
    pub const BEFORE: &str = "machine-before.json";
    /// [`super::Machine`] after the last job.
    pub const AFTER: &str = "machine-after.json";
    /// The folder of all jobs.
    pub const JOBS: &str = "jobs";
    /// The verdicts.
    pub const VERDICTS: &str = "verdicts.json";
    /// Results that are not verdicts: [`crate::summary::Summary`].
    pub const SUMMARY: &str = "summary.json";
    /// At the end of the names of [`super::Extension`]s: `look-1-extension.json`.
    pub const EXTENSION: &str = "extension.json";
    /// The report for readers.
    pub const REPORT: &str = "report.html";
    /// The start of the name of a probe's folder in [`JOBS`].
    pub const PROBE: &str = "probe-";
    /// Within a job: [`super::JobInfo`].
    pub const JOB: &str = "job.json";
    /// Within a job: its standard output.
    pub const STDOUT: &str = "stdout.txt";
    /// Within a job: its standard error.
    pub const STDERR: &str = "stderr.txt";
    /// Within a job: its records.
    pub const RECORDS: &str = "records.jsonl";
    /// Within a job that runs: [`super::progress::ProgressShown`]. It is removed when the job has ended.
    pub const PROGRESS: &str = ".progress.json";
    /// Within a job that makes a dataset, and next to kept files: [`super::Manifest`].
    pub const DATASET: &str = "dataset.json";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Severity;
    use crate::{ContractOutcome, Outcome};

    /// The verdict of a test with this outcome, on a criterion of this clause of the contract.
    fn verdict(test: &str, clause: &str, outcome: Outcome) -> Verdict {
        let contract_clause = Some(ContractOutcome { id: clause.into(), ..Default::default() });
        Verdict { test: test.into(), contract_clause, outcome, ..Verdict::default() }
    }

    #[test]
    fn a_clause_with_a_selected_criterion_counts_with_all_of_its_criteria_and_their_findings() {
        use Outcome::{Fail, NotRun, Pass};
        let status = |only: &[&str], about: &str, outcomes: [Outcome; 3]| {
            let tests = [("W", "4.2"), ("S", "4.2"), ("X", "5")];
            let verdicts = tests.iter().zip(outcomes).map(|((test, clause), one)| verdict(test, clause, one));
            let open = Finding::new(Severity::NeedsWaiver, reason!(CovHigh { .. })).about(about);
            let campaign = Campaign {
                info: CampaignInfo {
                    only: only.iter().map(|name| (*name).into()).collect(),
                    ..Default::default()
                },
                verdicts: verdicts.collect(),
                summary: Summary { findings: vec![open], ..Summary::default() },
                ..Campaign::default()
            };
            let counted: Vec<String> =
                campaign.of_selected().verdicts.iter().map(|one| one.test.clone()).collect();
            (counted.join(" "), campaign.exit_code())
        };
        for (only, about, outcomes, wanted) in [
            (&["S"][..], "X", [Fail, Pass, Fail], ("W S", 1)),
            (&["S"], "X", [NotRun, Pass, Fail], ("W S", 3)),
            (&["S"], "X", [Pass, Pass, Fail], ("W S", 0)),
            (&["S"], "W", [Pass, Pass, Fail], ("W S", 3)),
            (&["X"], "W", [Fail, Fail, Pass], ("X", 0)),
            (&["S", "X"], "-", [Pass, Pass, Fail], ("W S X", 1)),
        ] {
            let told = status(only, about, outcomes);
            assert_eq!((told.0.as_str(), told.1), wanted, "{only:?} {about} {outcomes:?}");
        }
    }
}
