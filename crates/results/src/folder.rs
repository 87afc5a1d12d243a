//! The campaign folder: everything a verdict rests on, in files anyone can read.
//!
//! ```text
//! FOLDER/
//!   chain.jsonl          every event with the hashes of its files, each entry bound to the one before
//!   campaign.json        who ran which plan when (`CampaignInfo`)
//!   plan.toml            the plan as it was, byte for byte
//!   machine-before.json  facts of this machine before the first job (`Machine`)
//!   machine-after.json   the same after the last job
//!   jobs/0001-ID-r1/     one launch: job.json (`JobInfo`), stdout.txt, stderr.txt, records.jsonl; of a
//!                        dataset also dataset.json (`Manifest`)
//!   jobs/….killed-1/     what is left of a launch that ended with the campaign; kept, never judged
//!   verdicts.json        `Vec<Verdict>`
//!   summary.json         rates, projections, hero runs, findings (`Summary`)
//!   report.html          made from the above, and from nothing else
//! ```
//!
//! Invariant: a file is written under another name and renamed when it is whole; a job's folder
//! appears under its name when the job has ended. What is there is whole, and its hash stood in the
//! chain before it got its name. Folders of schema 1 have no chain, and load as ever.
//! Never here: running anything, judging, rendering.

mod chain;
mod dataset;
mod deaths;
mod facts;
mod load;
mod pack;
mod resume;
mod spelling;
mod verify;
mod write;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::reason::{Code, Reason};
use crate::summary::Summary;
use crate::{Record, Verdict};

pub use chain::{Head, now};
pub use dataset::{DATASET_SCHEMA, DatasetFile, DatasetReuse, Manifest, Recipe, Sample};
pub use deaths::{DeathCause, cause_of_death};
pub use facts::{Build, FileSystemFacts, Fill, Layout, LoadedLibrary, Machine, Program, Target};
pub use load::{job_of, last_words, load};
pub use pack::{PackedArchive, is_archive, pack, unpack};
pub use resume::{Resumed, discard, resume, unbegun};
pub use verify::{FolderFault, Verification, check};
pub use write::{
    StagedJob, create, restore, sha256, sha256_of, stage_job, verdicts_bytes, write_machine, write_report,
    write_summary, write_verdicts, write_whole,
};

/// The version of the folder's format that this program writes.
pub const SCHEMA: u32 = 2;

/// Who ran which plan, when.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CampaignInfo {
    /// Version of the folder's format: 1 without a chain, [`SCHEMA`] with one.
    pub schema: u32,
    /// The plan's id.
    pub plan: String,
    /// The plan's title.
    pub title: String,
    /// Where the contract or the test comes from.
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
    #[serde(default)]
    pub data: BTreeMap<String, String>,
    /// The scale of the plan that was chosen.
    #[serde(default)]
    pub scale: Option<String>,
    /// Values given to its parameters by hand.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
    /// The tests chosen; empty when the whole plan was.
    #[serde(default)]
    pub only: Vec<String>,
    /// The nodes that the plan's hostfile named at the beginning; empty where it has none.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// The nodes that no job was to run on.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// The batch script that began it, if one did.
    #[serde(default)]
    pub batch_script: Option<String>,
    /// How this program was built.
    #[serde(default)]
    pub build: Build,
    /// The program that launches jobs, absent where they are started without one.
    #[serde(default)]
    pub launcher: Option<Program>,
    /// Variables of the campaign's own environment that decide how programs run, secrets without their
    /// values.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// What the linter found before the first job, with the waivers of the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// How a job ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobEnd {
    /// The program ended with this status.
    Exit(i32),
    /// A signal ended it.
    Signal(i32),
    /// It did not end in time and was killed.
    TimedOut,
    /// It could not be started.
    #[default]
    NotStarted,
}

impl JobEnd {
    /// How the job, or a command, ended, in words that follow its name.
    pub fn words(&self) -> String {
        match self {
            Self::Exit(status) => format!("ended with status {status}"),
            Self::Signal(signal) => format!("was ended by signal {signal}"),
            Self::TimedOut => "did not end in time and was killed".to_owned(),
            Self::NotStarted => "could not be started".to_owned(),
        }
    }

    /// Why nothing rests on a job that ended so.
    pub fn reason(&self) -> Reason {
        let failed = Reason::new(Code::JobFailed);
        match self {
            Self::Exit(status) => failed.with("status", i64::from(*status)),
            Self::Signal(signal) => failed.with("signal", i64::from(*signal)),
            Self::TimedOut => failed.with("timed_out", true),
            Self::NotStarted => Reason::new(Code::JobNotStarted),
        }
    }
}

/// One launch: what was started and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JobInfo {
    /// Number in the campaign, from 1.
    pub number: u32,
    /// The test's id, `dataset.NAME` or `state.NAME`.
    pub test: String,
    /// Repetition of the test, from 1.
    pub repetition: u32,
    /// The whole command line, launcher included.
    pub argv: Vec<String>,
    /// Environment variables that the job was given or that decide how it runs.
    pub env: BTreeMap<String, String>,
    /// Working directory.
    pub cwd: String,
    /// Start, RFC 3339.
    pub started: String,
    /// Wall time, seconds.
    pub seconds: f64,
    /// Seconds after which the job would have been killed.
    pub timeout_s: f64,
    /// How it ended.
    pub end: JobEnd,
    /// Why it was not started, where that is a fact of the campaign; other troubles are in its error stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejection: Option<Reason>,
    /// SHA-256 of stdout.txt, stderr.txt and records.jsonl, hexadecimal, by file name.
    pub sha256: BTreeMap<String, String>,
    /// Load average of this machine's last minute when the job began.
    #[serde(default)]
    pub load_before: f64,
    /// How full the job's file system was before it began.
    #[serde(default)]
    pub fill_before: Option<Fill>,
    /// The same after it ended, with its files still there.
    #[serde(default)]
    pub fill_after: Option<Fill>,
    /// What was down or being rebuilt before it began, a line each, by the plan's `health`; absent where that
    /// was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub down_before: Option<Vec<String>>,
    /// The same after it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub down_after: Option<Vec<String>>,
    /// Bytes that the servers moved for all clients meanwhile, by the plan's `traffic`; below 0 where their
    /// count began anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic_bytes: Option<i64>,
    /// Why one of these could not be asked after it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unasked: Option<String>,
    /// How files of the job's directory are laid out, where the file system tells.
    #[serde(default)]
    pub layout: Option<Layout>,
    /// The libraries for parallel work that rank 0 had loaded, as they lie on this machine.
    #[serde(default)]
    pub libraries: Vec<LoadedLibrary>,
}

/// One job of a loaded campaign.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Job {
    /// Its folder, relative to the campaign's, such as `jobs/0001-write-r1`.
    pub folder: String,
    /// What was started and how it ended.
    pub info: JobInfo,
    /// What it recorded; empty when it recorded nothing.
    pub records: Vec<Record>,
    /// Why its records cannot be read, where they cannot.
    pub unreadable: Option<String>,
    /// The first and the last lines of its error stream, of a job that did not end well.
    pub last_words: Vec<String>,
    /// What the dataset consists of that it made or found.
    pub dataset: Option<Manifest>,
}

/// A campaign read back from its folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Campaign {
    /// Who ran which plan, when.
    pub info: CampaignInfo,
    /// The plan as it was.
    pub plan: String,
    /// The machine before the first job.
    pub before: Option<Machine>,
    /// The machine after the last job.
    pub after: Option<Machine>,
    /// All jobs that ended, by number.
    pub jobs: Vec<Job>,
    /// Folders of launches that ended with the campaign instead of by themselves, relative to it.
    pub killed: Vec<String>,
    /// The verdicts, empty before judging.
    pub verdicts: Vec<Verdict>,
    /// What it comes to besides, empty before judging.
    pub summary: Summary,
    /// Where the chain stood before the report was made; absent without a chain.
    pub head: Option<Head>,
    /// What it rests on and is not as recorded, a sentence each, of [`check`]; empty where nobody looked.
    pub faults: Vec<String>,
}

impl Campaign {
    /// The exit status of a program that shows the campaign: that of its verdicts, but nothing passes or
    /// fails by files that are not as recorded.
    pub fn exit_code(&self) -> u8 {
        if self.faults.is_empty() { Verdict::exit_code(&self.verdicts) } else { 3 }
    }
}

/// Names of the files in a campaign's folder.
pub mod names {
    /// [`super::CampaignInfo`].
    pub const CAMPAIGN: &str = "campaign.json";
    /// The entries of the chain, one a line.
    pub const CHAIN: &str = "chain.jsonl";
    /// The plan as it was.
    pub const PLAN: &str = "plan.toml";
    /// [`super::Machine`] before the first job.
    pub const BEFORE: &str = "machine-before.json";
    /// [`super::Machine`] after the last job.
    pub const AFTER: &str = "machine-after.json";
    /// The folder of all jobs.
    pub const JOBS: &str = "jobs";
    /// The verdicts.
    pub const VERDICTS: &str = "verdicts.json";
    /// What it comes to besides: [`crate::summary::Summary`].
    pub const SUMMARY: &str = "summary.json";
    /// The report for people.
    pub const REPORT: &str = "report.html";
    /// Within a job: [`super::JobInfo`].
    pub const JOB: &str = "job.json";
    /// Within a job: what it wrote to standard output.
    pub const STDOUT: &str = "stdout.txt";
    /// Within a job: what it wrote to standard error.
    pub const STDERR: &str = "stderr.txt";
    /// Within a job: what it measured.
    pub const RECORDS: &str = "records.jsonl";
    /// Within a job that makes a dataset, and beside files that are kept: [`super::Manifest`].
    pub const DATASET: &str = "dataset.json";
}
