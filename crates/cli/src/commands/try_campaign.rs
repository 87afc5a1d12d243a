//! `assay try`: a small complete campaign in a directory, for a first trial of the program.

use std::path::{Path, PathBuf};

use anyhow::Result;
use plan::{Plan, schedule};
use results::folder;
use units::bytes_binary;

use super::plan::bundled;
use super::run as campaigns;
use crate::speech::complain;

/// Bytes per second that the estimate of the time assumes: those of a slow solid-state disk.
const ASSUMED_RATE: f64 = 2.5e8;
/// Required free space, relative to the size of the files.
const SPACE_MARGIN: f64 = 1.1;

/// Test a directory with a small complete campaign of about a minute
///
/// The campaign measures bandwidth, random reads and a shared file, and checks data. Like any other
/// campaign it leaves verdicts, a report and an evidence package. At its end it removes its test files.
#[derive(clap::Args)]
pub(crate) struct TryArgs {
    /// The directory to test
    #[arg(value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// Run only this test and the tests that it reads from; may be repeated
    #[arg(long, value_name = "TEST")]
    only: Vec<String>,
}

pub(crate) fn run(args: TryArgs, argv: &[String]) -> Result<u8> {
    let plan = bundled::named("try")?.plan()?;
    let folder = campaigns::new_folder(&args.dir, &plan)?;
    announce(&plan, &args.only, &args.dir)?;
    complain(&format!("The evidence is written to {}.", folder.display()));
    let findings = campaigns::lint_before_run(&plan, Some(&args.dir), &args.only, false)?;
    let request = campaigns::request(plan, Some(args.dir), folder, false, args.only, argv)?;
    campaigns::campaign(run::CampaignRequest { findings, ..request }, &campaigns::RunDisplay::default())
}

/// Announces the campaign. Rejects a directory without enough free space.
fn announce(plan: &Plan, only: &[String], dir: &Path) -> Result<()> {
    let jobs = schedule::jobs(plan, only)?;
    let need = schedule::needs(&jobs).values().next().copied().unwrap_or_default();
    let fs = run::machine::file_system("scratch", dir)?;
    let (free, peak) = (fs.bytes_free as f64, need.peak_bytes as f64);
    if free < peak * SPACE_MARGIN {
        let (free, needed) = (bytes_binary(free), bytes_binary(peak * SPACE_MARGIN));
        let (at, test) = (dir.display(), &jobs[need.peak_jobs[0]].test);
        let why = format!("{at} has {free} free, but {test} needs {needed}. Choose another directory.");
        return Err(run::too_small(dir, why).into());
    }
    let tests = plan.tests.iter().filter(|test| jobs.iter().any(|job| job.test == test.id)).count();
    complain(&format!(
        "{tests} tests in {} jobs, in {} ({} on {}, {} free)",
        jobs.len(),
        fs.dir,
        fs.kind,
        fs.device,
        bytes_binary(free)
    ));
    complain(&format!(
        "At most {} are written, {} at a time. The campaign takes about {:.0} s on a disk with {}.\n",
        bytes_binary(need.written_bytes as f64),
        bytes_binary(peak),
        schedule::seconds(&jobs, ASSUMED_RATE).ceil(),
        units::rate_decimal(ASSUMED_RATE),
    ));
    if folder::is_memory(&fs.kind) {
        complain(&format!(
            "note: {} is memory. Reads do not come from storage, so their clauses are INVALID. Writes are \
             lost when the machine stops.\n",
            fs.kind
        ));
    }
    Ok(())
}
