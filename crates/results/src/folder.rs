//! The campaign folder: everything a verdict rests on, in files anyone can read.
//!
//! ```text
//! FOLDER/
//!   campaign.json        who ran which plan when (`CampaignInfo`)
//!   plan.toml            the plan as it was, byte for byte
//!   machine-before.json  facts of this machine before the first job (`Machine`)
//!   machine-after.json   the same after the last job
//!   jobs/0001-ID-r1/     one launch: job.json (`JobInfo`), stdout.txt, stderr.txt, records.jsonl
//!   jobs/….killed-1/     what is left of a launch that ended with the campaign; kept, never judged
//!   verdicts.json        `Vec<Verdict>`
//!   report.html          made from the above, and from nothing else
//! ```
//!
//! Invariant: a file is written under another name and renamed when it is whole; a job's folder
//! appears under its name when the job has ended. What is there is whole.
//! Never here: running anything, judging, rendering.

mod load;
mod verify;
mod write;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Record, Verdict};

pub use load::load;
pub use verify::verify;
pub use write::{
    StagedJob, create, set_aside, sha256, sha256_of, stage_job, write_machine, write_verdicts, write_whole,
};

/// Who ran which plan, when.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CampaignInfo {
    /// Version of the folder's format, 1.
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
}

/// Facts of the machine that runs the campaign, at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// When, RFC 3339.
    pub taken: String,
    /// Host name.
    pub host: String,
    /// Kernel name and release.
    pub kernel: String,
    /// Distribution, from os-release.
    pub os: String,
    /// Processor model.
    pub cpu: String,
    /// Usable cores.
    pub cores: u32,
    /// Main memory, bytes.
    pub memory_bytes: u64,
    /// Load average of the last minute.
    pub load: f64,
    /// The file systems of the plan.
    pub file_systems: Vec<FileSystem>,
}

/// One file system under test, at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileSystem {
    /// Its name in the plan, such as `scratch`.
    pub name: String,
    /// The directory used.
    pub dir: String,
    /// Where it is mounted.
    pub mount: String,
    /// What is mounted: a device, a server.
    pub device: String,
    /// Type, such as `ext4` or `lustre`.
    pub kind: String,
    /// Mount options.
    pub options: String,
    /// Size, bytes.
    pub bytes: u64,
    /// In use, bytes. With `bytes_free` it adds up to less than `bytes` where blocks are reserved for root.
    #[serde(default)]
    pub bytes_used: u64,
    /// Free for this user, bytes.
    pub bytes_free: u64,
    /// Inodes; 0 where the file system does not count them.
    pub inodes: u64,
    /// Free inodes.
    pub inodes_free: u64,
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
    /// SHA-256 of stdout.txt, stderr.txt and records.jsonl, hexadecimal, by file name.
    pub sha256: BTreeMap<String, String>,
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
    /// All jobs that ended, in order.
    pub jobs: Vec<Job>,
    /// Folders of launches that ended with the campaign instead of by themselves, relative to it.
    pub killed: Vec<String>,
    /// The verdicts, empty before judging.
    pub verdicts: Vec<Verdict>,
}

/// Names of the files in a campaign's folder.
pub mod names {
    /// [`super::CampaignInfo`].
    pub const CAMPAIGN: &str = "campaign.json";
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
}
