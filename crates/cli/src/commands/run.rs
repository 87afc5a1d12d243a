//! `assay run`: a plan becomes a campaign, with its folder of evidence and its verdicts.

mod around;
mod progress;

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::judge::Evaluation;
use ::plan::{Choice, Plan};
use anyhow::{Context, Result};
use results::Verdict;
use results::finding::Finding;
use results::folder::{self, Build, Campaign, names};
use results::summary::Summary;
use run::{CampaignRequest, Ended, Trouble};
use units::Usage;

use super::{judge, lint, plan, submit};
use crate::speech::{complain, say};
use crate::status::UNDECIDED;
use progress::Progress;

/// Run the campaign of a plan and write its evidence package
///
/// A campaign runs the jobs of a plan and evaluates each clause. A campaign that Ctrl-C, a kill or a node
/// failure has stopped resumes with `--resume FOLDER` at the first job that had not ended.
#[derive(clap::Args)]
pub(crate) struct RunArgs {
    /// The plan: a TOML file, or the name of a bundled plan; not needed with --resume
    #[arg(value_name = "PLAN", required_unless_present_any = ["resume", "wait"])]
    plan: Option<PathBuf>,
    #[command(flatten)]
    values: plan::Values,
    /// The directory to test, which replaces `{dir}` in the plan
    #[arg(long, value_name = "DIR")]
    pub(super) dir: Option<PathBuf>,
    /// Run only this test and the tests that it reads from; may be repeated
    #[arg(long, value_name = "TEST", conflicts_with = "resume")]
    pub(super) only: Vec<String>,
    /// Start in spite of lint errors; the clauses that they are about become INVALID
    #[arg(long, conflicts_with = "resume")]
    pub(super) allow_lint_errors: bool,
    /// Resume the campaign in this folder
    #[arg(long, value_name = "FOLDER")]
    resume: Option<PathBuf>,
    /// The directory in which the campaign folder is created [default: DIR]
    #[arg(long, value_name = "WHERE", conflicts_with = "resume")]
    campaigns: Option<PathBuf>,
    /// The campaign folder itself: created, or resumed if it exists
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["resume", "campaigns"])]
    folder: Option<PathBuf>,
    /// Run the campaign in a batch job: slurm, pbs or flux
    ///
    /// Without a value the batch system is that of the plan's launcher, or the only one on this machine.
    /// With --resume the batch job resumes the campaign.
    #[arg(long, value_name = "SYSTEM", num_args = 0..=1, default_missing_value = "", require_equals = true)]
    pub(super) submit: Option<String>,
    /// Options for sbatch, qsub or flux batch, such as "-A account -p partition"
    #[arg(long, value_name = "WORDS", visible_aliases = ["sbatch", "qsub"], requires = "submit",
          allow_hyphen_values = true)]
    pub(super) batch: Option<String>,
    /// Wait for the batch job of the campaign in this folder, then print its verdicts
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["resume", "plan", "submit", "folder"])]
    wait: Option<PathBuf>,
}

pub(crate) fn run(mut args: RunArgs, argv: &[String]) -> Result<u8> {
    if let Some(folder) = args.wait.clone() {
        return go_on(args, folder, argv);
    }
    let there = args.folder.clone().filter(|folder| folder.join(names::CAMPAIGN).exists());
    if let Some(folder) = args.resume.clone().or(there) {
        fits(&args, &folder)?;
        return go_on(args, folder, argv);
    }
    let path = args.plan.take().context("a plan is needed")?;
    let plan = plan::load(&path, &args.values.choice())?;
    if plan.needs_dir() && args.dir.is_none() {
        let plan = path.display();
        return Err(Usage(format!("{plan} tests a directory of your choice; add --dir DIR")).into());
    }
    let place = args.campaigns.take().or_else(|| args.dir.clone()).unwrap_or_else(|| PathBuf::from("."));
    let is_chosen = args.folder.is_some();
    let folder = match args.folder.take() {
        Some(folder) => free(folder)?,
        None => new_folder(&place, &plan)?,
    };
    let findings = advised(&plan, args.dir.as_deref(), &args.only, args.allow_lint_errors)?;
    if args.submit.is_some() {
        return submit::submit(&args, &plan, &folder, is_chosen);
    }
    let asked = asked(plan, args.dir, folder, false, args.only, argv)?;
    campaign(CampaignRequest { findings, ..asked })
}

/// Says no to words that are not of the campaign in `folder`, which goes on with what it was begun with.
fn fits(args: &RunArgs, folder: &Path) -> Result<()> {
    // What is not there or cannot be read is for the campaign to tell.
    let Ok(Campaign { info, .. }) = folder::load(folder) else { return Ok(()) };
    let choice = args.values.choice();
    let another_plan = || -> Result<bool> {
        let Some(path) = &args.plan else { return Ok(false) };
        Ok(folder::sha256(plan::load(path, &choice)?.text.as_bytes()) != info.plan_sha256)
    };
    let whole = |dir: &Path| dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let another_dir = |dir: &PathBuf| whole(dir) != whole(Path::new(&info.dir));
    let sorted = |tests: &[String]| BTreeSet::from_iter(tests.to_vec());
    let other = if another_plan()? {
        "another plan"
    } else if !args.values.is_empty() && choice != Choice::of(&info) {
        "other values of the plan's parameters"
    } else if !args.only.is_empty() && sorted(&args.only) != sorted(&info.only) {
        "other tests"
    } else if args.dir.as_ref().is_some_and(another_dir) {
        "another --dir"
    } else {
        return Ok(());
    };
    let at = folder.display();
    Err(Usage(format!(
        "{at} is there and was begun with {other}; go on with it by `assay run --resume {at}`, or name \
         another folder"
    ))
    .into())
}

/// Goes on with a campaign: here, in a batch job, or by what the batch job that it is in has to say.
fn go_on(args: RunArgs, folder: PathBuf, argv: &[String]) -> Result<u8> {
    let allocation = around::allocation();
    let job = submit::SubmittedJob::last(&folder)?;
    if let (Some(_), None) = (&args.wait, &job) {
        let at = folder.display();
        return Err(Usage(format!("{at} was not submitted, so there is no job to wait for")).into());
    }
    if let Some(job) = job.filter(|job| args.submit.is_none() && !job.is(allocation.as_ref())) {
        let may_go_on = allocation.is_some() && args.wait.is_none();
        if let Some(status) = submit::follow(&job, &folder, args.wait.is_some(), may_go_on)? {
            return Ok(status);
        }
    }
    if let (Some(_), Some(job)) = (&args.submit, submit::SubmittedJob::last(&folder)?) {
        return submit::again(&args, &job, &folder);
    }
    if !folder.join(names::PLAN).exists() {
        return Err(nothing_there(&folder).into());
    }
    let plan = plan::load(&folder.join(names::PLAN), &kept_choice(&folder))?;
    if args.submit.is_some() {
        let args = RunArgs { only: vec![], ..args };
        return submit::submit(&args, &plan, &folder, true);
    }
    campaign(asked(plan, None, folder, true, vec![], argv)?)
}

/// What to say where there is no campaign to go on with, with the last of those that lie in there.
fn nothing_there(folder: &Path) -> Usage {
    if folder.join(names::CAMPAIGN).exists() {
        return Usage(format!(
            "{}/{} is missing, and a campaign goes on only with the plan that it was begun with; put it back \
             byte for byte, or begin again",
            folder.display(),
            names::PLAN
        ));
    }
    let within = folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    let campaigns = within.filter(|path| path.join(names::CAMPAIGN).exists());
    let hint = match campaigns.max() {
        Some(last) => format!("in it lies {}", last.display()),
        None => "`assay run` prints the name of a campaign's folder at its end".to_owned(),
    };
    Usage(format!("{} is no campaign's folder, so there is nothing to resume; {hint}", folder.display()))
}

/// A folder that is not there yet; one in which a killed job left nothing that was begun may be made again.
fn free(folder: PathBuf) -> Result<PathBuf> {
    let at = folder.display();
    let rejected = |why: &str| Usage(format!("{at} is there and is no campaign's folder{why}; name another"));
    match run::discard(&folder) {
        Ok(true) => Ok(folder),
        Ok(false) => Err(rejected("").into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(folder),
        Err(error) => Err(rejected(&format!(" ({error})")).into()),
    }
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
) -> Result<CampaignRequest> {
    Ok(CampaignRequest {
        around: around::around(&plan, resume, &folder)?,
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
        stop: run::signals::stop_on_request().unwrap_or_else(|_| Arc::default()),
        findings: Vec::new(),
        evaluate,
    })
}

/// The verdicts on a campaign and its summary.
fn evaluate(plan: &Plan, campaign: &Campaign) -> (Vec<Verdict>, Summary) {
    let Evaluation { verdicts, summary } = ::judge::evaluate(plan, campaign);
    (verdicts, summary)
}

/// What the linter finds in the plan. Errors, also those that the machine shows, are reported; with them the
/// campaign starts only where they are `allowed`.
pub(super) fn advised(
    plan: &Plan,
    dir: Option<&Path>,
    only: &[String],
    allowed: bool,
) -> Result<Vec<Finding>> {
    let findings = lint::findings_of(plan, only)?;
    // What is wrong with a directory the campaign says itself.
    let scaled = plan.choice.scale.is_some();
    let of_machine = run::look(plan, dir).map(|machine| ::lint::machine(plan, &machine, scaled));
    let all = [findings.clone(), of_machine.unwrap_or_default()].concat();
    let errors = lint::errors(plan, only, &all)?;
    lint::error_lines(&errors).lines().for_each(complain);
    if errors.is_empty() || allowed {
        return Ok(findings);
    }
    let count = units::several(errors.len() as u64, "error");
    Err(Usage(format!(
        "the linter found {count}, so nothing was started. Correct the plan, or start it in spite of them \
         with --allow-lint-errors: the clauses that they are about are then INVALID"
    ))
    .into())
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
pub(super) fn campaign(mut asked: CampaignRequest) -> Result<u8> {
    if !asked.resume {
        asked.folder = reserved(&asked.folder)?;
    }
    let mut progress = Progress::new();
    let ended = run::run(&asked, &mut |event| progress.see(event)).map_err(|trouble| match trouble {
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
            conclude(&asked.folder, *campaign)
        }
        Ended::Stopped { done, of } => {
            complain(&format!(
                "assay: stopped after {done} of {of} jobs; go on with: assay run --resume {folder}"
            ));
            Ok(UNDECIDED)
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
fn conclude(folder: &Path, campaign: Campaign) -> Result<u8> {
    let mut page = Vec::new();
    report::write_html(&campaign, &mut page)?;
    folder::write_report(folder, &page)?;
    show(folder, campaign)
}

/// Prints the verdicts of a campaign that has ended, says where everything is, and gives the exit status.
pub(super) fn show(folder: &Path, mut campaign: Campaign) -> Result<u8> {
    let path = folder.join(names::REPORT);
    let checked = folder::check(folder)?;
    campaign.faults = checked.said();
    let head = checked.head.clone().unwrap_or_default();
    let folder = folder.display();
    let more = "(every command, output, record and verdict)";
    say(&format!(
        "{}\nReport  {}\nFolder  {folder}   {more}\nHead    {}   (stands for all of it; `assay verify` \
         compares)\n",
        table(&campaign),
        path.display(),
        head.hash
    ))?;
    judge::note_faults(&folder.to_string(), &checked);
    Ok(campaign.exit_code())
}

/// The clauses with their verdicts, as wide and as colourful as standard output is.
pub(super) fn table(campaign: &Campaign) -> String {
    let colour = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    report::text(campaign, progress::width().unwrap_or(100), colour)
}
