//! `assay run`: a plan becomes a campaign, with its folder of evidence and its verdicts.

mod around;
mod progress;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use campaign::plan::Choice;
use campaign::{Campaigning, Ended, Plan, Trouble};
use results::Verdict;
use results::folder::{self, Build, Campaign, names};
use units::Usage;

use super::plan;
use crate::speech::{complain, say};
use progress::Progress;

/// Run a campaign: the jobs of a plan, judged clause by clause, with a folder of evidence.
///
/// Stopped by Ctrl-C or a kill, it goes on with `--resume FOLDER` at the first job that had not ended.
/// Exit status: 0 all clauses passed; 1 one failed; 2 wrong usage; 3 one is inconclusive, invalid or
/// not run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The plan: a TOML file, or the name of a ready plan; with --resume the folder's own copy is used
    #[arg(value_name = "PLAN", required_unless_present = "resume")]
    plan: Option<PathBuf>,
    #[command(flatten)]
    values: plan::Values,
    /// The directory to test, where the plan says `{dir}`
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Only this test, and what it reads; may be given several times
    #[arg(long, value_name = "TEST", conflicts_with = "resume")]
    only: Vec<String>,
    /// Go on with the campaign in this folder
    #[arg(long, value_name = "FOLDER")]
    resume: Option<PathBuf>,
    /// Where to make the campaign's folder [default: DIR]
    #[arg(long, value_name = "WHERE", conflicts_with = "resume")]
    campaigns: Option<PathBuf>,
}

/// Runs the command and gives the exit status.
pub(crate) fn run(args: Args, argv: &[String]) -> Result<u8> {
    if let Some(folder) = &args.resume {
        let path = args.plan.unwrap_or_else(|| folder.join(names::PLAN));
        let choice = match args.values.is_empty() {
            true => kept_choice(folder),
            false => args.values.choice(),
        };
        let plan = plan::load(&path, &choice)?;
        return campaign(asked(plan, None, folder.clone(), true, vec![], argv)?);
    }
    let path = args.plan.context("a plan is needed")?;
    let plan = plan::load(&path, &args.values.choice())?;
    if plan.needs_dir() && args.dir.is_none() {
        let plan = path.display();
        return Err(Usage(format!("{plan} tests a directory of your choice; add --dir DIR")).into());
    }
    let place = args.campaigns.or_else(|| args.dir.clone()).unwrap_or_else(|| PathBuf::from("."));
    let folder = new_folder(&place, &plan)?;
    campaign(asked(plan, args.dir, folder, false, args.only, argv)?)
}

/// The values that the campaign in `folder` was begun with; the plan's own where it cannot be read, which is
/// for the campaign to tell.
fn kept_choice(folder: &Path) -> Choice {
    folder::load(folder).map(|campaign| Choice::of(&campaign.info)).unwrap_or_default()
}

/// The name of a new campaign's folder in `place`, which must be a directory.
pub(super) fn new_folder(place: &Path, plan: &Plan) -> Result<PathBuf> {
    if !place.is_dir() {
        let place = place.display();
        return Err(Usage(format!("{place} is no directory; make it first, or name another")).into());
    }
    let stamp = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S");
    Ok(place.join(format!("assay-{}-{stamp}", plan.id)))
}

/// What is asked of the campaign crate, with this program as the one that jobs run.
pub(super) fn asked(
    plan: Plan,
    dir: Option<PathBuf>,
    folder: PathBuf,
    resume: bool,
    only: Vec<String>,
    argv: &[String],
) -> Result<Campaigning> {
    Ok(Campaigning {
        around: around::around(&plan, resume)?,
        plan,
        dir,
        folder,
        resume,
        only,
        program: std::env::current_exe().context("cannot find this program's own file")?,
        tool: format!("assay {}", env!("CARGO_PKG_VERSION")),
        build: build(),
        argv: argv.to_vec(),
        environment: environment(),
        stop: campaign::signals::stop_on_request().unwrap_or_else(|_| Arc::default()),
    })
}

/// How this program was built, as far as whoever built it said so.
fn build() -> Build {
    let told = |word: Option<&str>| word.unwrap_or_default().to_owned();
    Build {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: told(option_env!("ASSAY_COMMIT")),
        profile: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
        target: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        rustc: told(option_env!("ASSAY_RUSTC")),
    }
}

/// This process's environment, but for variables that are not text.
fn environment() -> Vec<(String, String)> {
    let text = |(key, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((key.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text).collect()
}

/// Runs the campaign, shows it, and gives the exit status.
pub(super) fn campaign(mut asked: Campaigning) -> Result<u8> {
    if !asked.resume {
        asked.folder = reserved(&asked.folder)?;
    }
    let mut progress = Progress::new();
    let ended = campaign::run(&asked, &mut progress).map_err(|trouble| match trouble {
        Trouble::Usage(usage) => anyhow::Error::new(usage),
        Trouble::Io(error) => anyhow::Error::new(error).context("campaign folder"),
    });
    progress.clear();
    let folder = asked.folder.display();
    if ended.is_err() && !asked.resume {
        // Nothing but what was reserved: a folder that holds anything stays.
        let _ = std::fs::remove_dir(&asked.folder);
    }
    match ended? {
        Ended::Judged(campaign) => {
            complain("");
            conclude(&asked.folder, &campaign)
        }
        Ended::Stopped { done, of } => {
            complain(&format!(
                "assay: stopped after {done} of {of} jobs; go on with: assay run --resume {folder}"
            ));
            Ok(3)
        }
    }
}

/// Makes the campaign's folder, empty, under the first name that nobody has: several may begin at once.
fn reserved(wanted: &Path) -> Result<PathBuf> {
    let name = wanted.to_string_lossy();
    for number in 1.. {
        let folder = PathBuf::from(if number == 1 { name.to_string() } else { format!("{name}-{number}") });
        match std::fs::create_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                let at = std::path::absolute(&folder).unwrap_or(folder);
                let at = at.display();
                let what = format!("cannot make {at}: {error}; choose a directory that you may write to");
                return Err(Usage(what).into());
            }
            Ok(()) => return Ok(folder),
        }
    }
    unreachable!("there are always more numbers")
}

/// Writes the report, prints the verdicts, says where everything is.
fn conclude(folder: &Path, campaign: &Campaign) -> Result<u8> {
    let path = folder.join(names::REPORT);
    let mut page = Vec::new();
    report::write_html(campaign, &mut page)?;
    folder::write_report(folder, &page)?;
    let head = folder::check(folder)?.head.unwrap_or_default();
    let folder = folder.display();
    let more = "(every command, output, record and verdict)";
    say(&format!(
        "{}\nReport  {}\nFolder  {folder}   {more}\nHead    {}   (stands for all of it; `assay verify` \
         compares)\n",
        table(campaign),
        path.display(),
        head.hash
    ))?;
    Ok(Verdict::exit_code(&campaign.verdicts))
}

/// The clauses with their verdicts, as wide and as colourful as standard output is.
pub(super) fn table(campaign: &Campaign) -> String {
    let colour = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    report::text(campaign, progress::width().unwrap_or(100), colour)
}
