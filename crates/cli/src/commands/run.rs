//! `assay run`: runs the campaign of a plan, with its evidence package and its verdicts.

mod again;
mod around;
mod evidence_place;
mod history;
mod keyed;
mod notifier;
mod progress;
mod submit;

use std::io;
use std::path::{Path, PathBuf};

use ::judge::Evaluation;
use ::plan::Plan;
use anyhow::{Context, Result};
use results::Verdict;
use results::finding::Finding;
use results::folder::{self, Build, Campaign, names};
use results::summary::Summary;
use run::notify::NotifyCommand;
use run::witness::Witness;
use run::{CampaignRequest, Ended, ProbeMistake, Trouble};
use units::Usage;

use super::notes::note_faults;
use super::terminal::table;
use super::watch::screen;
use super::{lint, plan};
use crate::personalities::drifted;
use crate::speech::{complain, say, say_rendered};
use crate::status::{DONE, ERROR, NO_WRITES, UNDECIDED, USAGE};
pub(super) use keyed::KeyArgs;
use progress::Progress;
pub(super) use progress::RunDisplay;

/// Run the campaign of a plan and write its evidence package
///
/// A campaign runs the jobs of a plan and evaluates each clause. A campaign that Ctrl-C, a kill or a node
/// failure has stopped resumes with `--resume FOLDER` at the first job that had not ended.
#[derive(clap::Args)]
pub(crate) struct RunArgs {
    /// The plan: a TOML file, or the name of a bundled plan; not needed with --resume
    #[arg(value_name = "PLAN", required_unless_present_any = ["resume", "wait", "extend"])]
    plan: Option<PathBuf>,
    #[command(flatten)]
    values: plan::Values,
    /// The directory to test, which replaces `{dir}` in the plan; also `cephfs:/DIR`
    #[arg(long, value_name = "DIR", value_parser = run::machine::local)]
    pub(super) dir: Option<PathBuf>,
    /// Run only this test or score and the tests that it needs; may be repeated
    ///
    /// Only the clauses of selected tests are printed, and they decide the exit status.
    #[arg(long, value_name = "TEST", conflicts_with = "resume")]
    pub(super) only: Vec<String>,
    /// Do not probe the launcher before the first job
    ///
    /// A probe starts the ranks of a later job for about a second. If one fails, no job is started.
    #[arg(long)]
    pub(super) no_probe: bool,
    /// Start in spite of lint errors; the clauses that they are about become INVALID
    #[arg(long, conflicts_with = "resume")]
    pub(super) allow_lint_errors: bool,
    /// Resume the campaign in this folder
    #[arg(long, value_name = "FOLDER")]
    resume: Option<PathBuf>,
    /// Add repetitions to the ended campaign in this folder, and evaluate all of them together
    ///
    /// Each further evaluation is charged: the limits get a higher confidence level. So repeated extensions
    /// do not pass by chance. Plan evaluations with `decide.looks`. With --only, only these tests and those
    /// that they need get more repetitions.
    #[arg(long, value_name = "FOLDER", requires = "reason",
          conflicts_with_all = ["resume", "plan", "folder", "campaigns", "wait", "submit", "dir", "scale",
                                "set", "allow_lint_errors"])]
    extend: Option<PathBuf>,
    /// With --extend: how many repetitions each test gets in addition
    #[arg(long, value_name = "N", requires = "extend",
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    repetitions: Option<u32>,
    /// With --extend: run the jobs of this test again that have no result; may be repeated
    ///
    /// A job has no result if its launcher or a node died, or if it recorded nothing. A job with a result,
    /// good or bad, is never replaced. All attempts stay in the evidence, and the report lists them.
    #[arg(long, value_name = "TEST", requires = "extend", conflicts_with_all = ["repetitions", "only"])]
    repeat: Vec<String>,
    /// With --extend: why, for the evidence
    #[arg(long, value_name = "TEXT", requires = "extend")]
    reason: Option<String>,
    /// The directory in which the campaign folder is created [default: the current directory]
    ///
    /// Evidence on the file system under test loads it, and is lost with it.
    #[arg(long, value_name = "WHERE", conflicts_with = "resume")]
    campaigns: Option<PathBuf>,
    /// The campaign folder itself: created, or resumed if it exists
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["resume", "campaigns"])]
    folder: Option<PathBuf>,
    /// The accepted campaign, a folder or an archive, for criteria such as `95% of accepted`
    ///
    /// Its evidence is checked, and its values are recorded in the new campaign. Without this option they are
    /// those of the first campaign in the history since the last accepted note (assay track note --accept).
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["resume", "extend", "wait"])]
    pub(super) accepted: Option<PathBuf>,
    #[command(flatten)]
    pub(super) key: KeyArgs,
    /// Hand out the hash of the chain at each begin and end of a job
    ///
    /// WITNESS is a file on a machine of the buyer, `exec:COMMAND`, or `tcp://HOST:PORT` of `assay witness`.
    /// A command gets the hash as its argument $1. `assay verify --witness LOG` compares.
    #[arg(long, value_name = "WITNESS", value_parser = Witness::parse)]
    pub(super) witness: Option<Witness>,
    /// Run this command of the shell at each decided verdict and at the end
    ///
    /// Facts are in its environment: ASSAY_EVENT is `verdict`, `end` or `stopped`; ASSAY_TEST, ASSAY_OUTCOME,
    /// ASSAY_VALUE, ASSAY_FOLDER and others depend on it. It must end with status 0 within 10 s. If it does
    /// not, this is a warning and changes no verdict. With --resume give it again.
    #[arg(long, value_name = "COMMAND", value_parser = NotifyCommand::parse)]
    pub(super) notify: Option<NotifyCommand>,
    /// Print plain lines instead of the view, as without a terminal
    #[arg(long)]
    plain: bool,
    /// Run the campaign in a batch job: slurm, pbs or flux
    ///
    /// Without a value the batch system is that of the plan's launcher, or the only one on this machine.
    /// With --resume the batch job resumes the campaign.
    #[arg(long, value_name = "SYSTEM", num_args = 0..=1, default_missing_value = "", require_equals = true)]
    pub(super) submit: Option<String>,
    /// With --submit: print the script and the command that hands it over, and change nothing
    #[arg(long, requires = "submit", conflicts_with_all = ["resume", "extend", "wait"])]
    print_batch: bool,
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
        return again::resume(args, folder, argv);
    }
    if let Some(folder) = args.extend.clone() {
        return again::extend(args, folder, argv);
    }
    let existing = args.folder.clone().filter(|folder| folder.join(names::CAMPAIGN).exists());
    if let Some(folder) = existing.as_ref().filter(|_| args.print_batch) {
        let at = folder.display();
        return Err(Usage(format!(
            "{at} is a campaign, whose batch script exists already. Give another folder to --print-batch."
        ))
        .into());
    }
    if let Some(folder) = args.resume.clone().or(existing) {
        again::check_same_campaign(&args, &folder)?;
        return again::resume(args, folder, argv);
    }
    let path = args.plan.take().context("a plan is needed")?;
    let plan = plan::load(&path, &args.values.choice())?;
    if plan.needs_dir() && args.dir.is_none() {
        let plan = path.display();
        return Err(Usage(format!("{plan} tests a directory of your choice. Add --dir DIR.")).into());
    }
    args.dir.as_deref().map_or(Ok(()), check_directory)?;
    let place = args.campaigns.take().unwrap_or_else(|| PathBuf::from("."));
    let is_chosen = args.folder.is_some();
    let folder = match args.folder.take() {
        Some(folder) if args.print_batch => folder,
        Some(folder) => unused(folder)?,
        None => new_folder(&place, &plan)?,
    };
    let mut findings = lint_before_run(&plan, args.dir.as_deref(), &args.only, args.allow_lint_errors)?;
    findings.extend(evidence_place::on_tested(&plan, args.dir.as_deref(), &folder));
    let accepted = history::accepted(&plan, args.dir.as_deref(), args.accepted.as_deref())?;
    let data_key = args.key.of_new()?;
    args.witness.as_ref().map_or(Ok(()), Witness::check)?;
    if args.print_batch {
        return submit::print(&args, &plan, &folder);
    }
    if args.submit.is_some() {
        return submit::submit(&args, &plan, &folder, is_chosen);
    }
    let display = args.display();
    let request = request(plan, args.dir, folder, false, args.only, argv)?;
    let probe = !args.no_probe;
    campaign(
        CampaignRequest { findings, data_key, accepted, witness: args.witness, probe, ..request },
        &display,
    )
}

impl RunArgs {
    fn display(&self) -> RunDisplay {
        RunDisplay { is_plain: self.plain, notify: self.notify.clone() }
    }
}

/// Checks that the folder does not exist. A folder in which no job has started is removed.
fn unused(folder: PathBuf) -> Result<PathBuf> {
    let at = folder.display();
    let rejected =
        |why: &str| Usage(format!("{at} exists and is not a campaign folder{why}. Give another folder."));
    match run::discard(&folder) {
        Ok(true) => Ok(folder),
        _ if again::is_denied(&folder) => Err(evidence::folder::unreadable(&folder).into()),
        Ok(false) => Err(rejected("").into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(folder),
        Err(error) => Err(rejected(&format!(" ({error})")).into()),
    }
}

/// Rejects a path that is not a directory.
fn check_directory(path: &Path) -> Result<(), Usage> {
    let shown = path.display();
    let rejected = || Usage(format!("{shown} is not a directory. Create it or choose another directory."));
    if path.is_dir() { Ok(()) } else { Err(rejected()) }
}

/// The path of a new campaign folder in `place`, which must be a directory.
pub(super) fn new_folder(place: &Path, plan: &Plan) -> Result<PathBuf> {
    check_directory(place)?;
    let stamp = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S");
    Ok(place.join(format!("assay-{}-{stamp}", plan.id)))
}

/// The request for a campaign whose jobs run this program.
pub(super) fn request(
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
        extend: None,
        only,
        program: std::env::current_exe().context("cannot find this program's own file")?,
        tool: evidence::TOOL.to_owned(),
        build: build(),
        argv: argv.to_vec(),
        environment: environment(),
        stop: Default::default(),
        data_key: None,
        witness: None,
        probe: true,
        notify: String::new(),
        accepted: Vec::new(),
        findings: Vec::new(),
        evaluate,
    })
}

/// The verdicts on a campaign and its summary.
fn evaluate(plan: &Plan, campaign: &mut Campaign) -> (Vec<Verdict>, Summary) {
    ::lint::complete(plan, campaign, drifted);
    let Evaluation { verdicts, summary, .. } = ::judge::evaluate(plan, campaign);
    (verdicts, summary)
}

/// Lints the plan and the machine, and reports errors. A campaign with errors starts only if they are
/// `allowed`. Returns the findings about the plan.
pub(super) fn lint_before_run(
    plan: &Plan,
    dir: Option<&Path>,
    only: &[String],
    allowed: bool,
) -> Result<Vec<Finding>> {
    let findings = ::lint::findings_of(plan, only, drifted)?;
    // The campaign itself reports a directory that cannot be used.
    let scaled = plan.choice.scale.is_some();
    let of_machine = run::examine(plan, dir).map(|machine| ::lint::machine(plan, &machine, scaled));
    let all = [findings.clone(), of_machine.unwrap_or_default()].concat();
    let errors = ::lint::errors(plan, only, &all)?;
    lint::error_lines(&errors).lines().for_each(complain);
    if errors.is_empty() || allowed {
        return Ok(findings);
    }
    let count = units::several(errors.len() as u64, "error");
    Err(Usage(format!(
        "the linter found {count}, so nothing was started. Correct the plan. With --allow-lint-errors the \
         campaign starts anyway, and the clauses with these errors are INVALID."
    ))
    .into())
}

/// How this program was built. `build.rs` states commit and compiler.
fn build() -> Build {
    Build {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: env!("ASSAY_COMMIT").to_owned(),
        profile: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
        target: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        rustc: env!("ASSAY_RUSTC").to_owned(),
    }
}

/// The environment of this process, without variables that are not text.
fn environment() -> Vec<(String, String)> {
    let text = |(key, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((key.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text).collect()
}

/// Runs the campaign, shows it, and gives the exit status.
pub(super) fn campaign(mut request: CampaignRequest, display: &RunDisplay) -> Result<u8> {
    if !request.resume {
        request.folder = create_folder(&request.folder)?;
    }
    let stop = match display.has_view() {
        true => screen::stop_on_request(),
        false => run::signals::stop_on_request(),
    };
    request.stop = stop.unwrap_or_default();
    request.notify = display.notify.as_ref().map(|command| command.text().to_owned()).unwrap_or_default();
    let mut progress = Progress::new(display, &request.folder, &request.plan.id);
    let note = evidence_place::note(&request);
    let mut see = |event: &run::Event<'_>| {
        if matches!(event, run::Event::Begins { .. }) {
            note.iter().for_each(|note| progress.line(note));
        }
        progress.see(event);
    };
    let ended = run::run(&request, &mut see);
    progress.clear();
    let folder = request.folder.display();
    if ended.is_err() && !request.resume {
        // Only the empty folder from above is removed.
        let _ = std::fs::remove_dir(&request.folder);
    }
    match ended {
        Err(Trouble::NoWrites(why)) => Ok(without_writes(&mut progress, &why)),
        Err(Trouble::Io(error)) => Err(anyhow::Error::new(error).context("campaign folder")),
        Err(Trouble::Usage(usage)) => Err(usage.into()),
        Ok(Ended::Judged(campaign)) => {
            complain("");
            conclude(&request, *campaign, &mut progress)
        }
        Ok(Ended::ProbeFailed { reason, mistake, folder: probe }) => {
            let why = report::sentences::explained(&reason);
            complain(&format!("assay: {why} The probe is in {folder}/{probe}, and no job was started."));
            complain(&after_failed_probe(mistake, &folder.to_string()));
            Ok(if mistake == ProbeMistake::Unknown { ERROR } else { USAGE })
        }
        Ok(Ended::Paused { done, of, why }) => Ok(incomplete(
            &mut progress,
            (done, of),
            &format!(
                "paused after {done} of {of} jobs: {why}. Correct this, then resume with: assay run --resume \
                 {folder}"
            ),
            UNDECIDED,
        )),
        Ok(Ended::Stopped { done, of }) => Ok(incomplete(
            &mut progress,
            (done, of),
            &format!("stopped after {done} of {of} jobs. Resume with: assay run --resume {folder}"),
            UNDECIDED,
        )),
    }
}

/// Reports a campaign whose file system takes no writes. Gives the exit status.
fn without_writes(progress: &mut Progress, why: &str) -> u8 {
    let Some((done, of)) = progress.jobs() else {
        complain(&format!("assay: {why}"));
        return NO_WRITES;
    };
    incomplete(progress, (done, of), &format!("stopped after {done} of {of} jobs: {why}"), NO_WRITES)
}

/// Reports a campaign that can be resumed, after some of its jobs. Gives the exit status.
fn incomplete(progress: &mut Progress, (done, of): (usize, usize), text: &str, status: u8) -> u8 {
    if let Some(notifier) = &mut progress.notifier {
        notifier.stopped(done, of);
    }
    progress.show_troubles();
    complain(&format!("assay: {text}"));
    status
}

/// What may be corrected after a failed probe, and where the campaign continues then.
fn after_failed_probe(mistake: ProbeMistake, folder: &str) -> String {
    let outside = "correct what is outside the plan, such as environment variables, modules, nodes or the \
                   allocation";
    let resume = format!("Then resume with: assay run --resume {folder}");
    match mistake {
        ProbeMistake::Plan => format!(
            "assay: correct the plan, also its [launch], only in a new campaign. If the plan is right, \
             {outside}. {resume}"
        ),
        ProbeMistake::Surroundings | ProbeMistake::Unknown => format!(
            "assay: {outside}. {resume}. A changed plan, also its [launch], needs a new campaign. \
             --no-probe skips probes."
        ),
    }
}

/// Hands out the evidence hash to the witness. Reports if it does not take it.
fn witnessed(request: &CampaignRequest) -> Result<bool> {
    let Some(witness) = &request.witness else { return Ok(true) };
    let nonce = request.data_key.as_ref().map_or("", |key| &key.facts.nonce);
    let Some(note) = folder::witness_note(&request.folder, nonce)? else { return Ok(true) };
    let told = witness.tell(&note);
    if let Err(why) = &told {
        complain(&format!(
            "assay: the witness {} did not take the evidence hash: {why}. Give it to the buyer in another \
             way.",
            witness.text()
        ));
    }
    Ok(told.is_ok())
}

/// Creates the empty campaign folder under the first unused name, because several campaigns may start at
/// once.
fn create_folder(wanted: &Path) -> Result<PathBuf> {
    let name = wanted.to_string_lossy();
    for number in 1.. {
        let folder = PathBuf::from(if number == 1 { name.to_string() } else { format!("{name}-{number}") });
        match std::fs::create_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                let at = std::path::absolute(&folder).unwrap_or(folder);
                let at = at.display();
                let what = format!("cannot create {at}: {error}. Choose a directory that you may write to.");
                return Err(Usage(what).into());
            }
            Ok(()) => return Ok(folder),
        }
    }
    unreachable!("there are always more numbers")
}

/// Writes the report, hands out the evidence hash, and prints the verdicts and the paths.
fn conclude(request: &CampaignRequest, mut campaign: Campaign, progress: &mut Progress) -> Result<u8> {
    if progress.notifier.as_mut().is_some_and(|notifier| notifier.final_verdicts(&campaign)) {
        // The report has the evidence hash after the entries about these notifications.
        campaign.head = folder::load(&request.folder)?.head;
    }
    let mut page = Vec::new();
    report::write_html(&campaign, &mut page)?;
    folder::write_report(&request.folder, &page)?;
    let is_witnessed = witnessed(request)?;
    if let Some(notifier) = &mut progress.notifier {
        let head = folder::witness_note(&request.folder, "")?;
        notifier.ended(&campaign, &head.map(|note| note.hash).unwrap_or_default());
    }
    progress.show_troubles();
    history::track(&request.plan, &request.folder);
    let status = show(&request.folder, campaign)?;
    Ok(if !is_witnessed && status == DONE { UNDECIDED } else { status })
}

/// Prints the verdicts of an ended campaign and the paths of its evidence. Returns the exit status.
pub(super) fn show(folder: &Path, mut campaign: Campaign) -> Result<u8> {
    let path = folder.join(names::REPORT);
    let checked = folder::check(folder)?;
    campaign.faults = checked.said();
    let head = checked.head.clone().unwrap_or_default();
    let folder = folder.display();
    say_rendered(&table(&campaign))?;
    say(&format!(
        "\nReport:        {}\nEvidence:      {folder}\nEvidence hash: {}\n               (write it down; \
         `assay verify` checks it)\n",
        path.display(),
        head.hash
    ))?;
    note_faults(&folder.to_string(), &checked);
    Ok(campaign.exit_code())
}
