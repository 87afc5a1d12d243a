//! `assay watch`: the view of a campaign from another login, which only reads its folder.

pub(super) mod estimate;
pub(super) mod frame;
pub(super) mod screen;
pub(super) mod shown;
pub(super) mod standing;

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Result;
use evidence::folder::{EvidenceFolder, no_campaign};
use jiff::Timestamp;
use results::folder::{RunningJob, WatchedCampaign, names};
use run::process::{self, ProcessStanding};
use units::{Usage, duration, visible};

use super::notes::{note_faults, status};
use super::terminal::table;
use crate::personalities::drifted;
use crate::speech::{complain, say};
use crate::status::UNDECIDED;
use screen::ScreenStream;
use shown::{CampaignShown, RunningShown};
use standing::CampaignStanding;

/// Time between two readings of the folder.
const READ_EVERY: Duration = Duration::from_millis(1000);
/// Time between two checks of the flag that ends the view.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// After this time of failed readings the reason is shown. A reading between two renames may fail.
const PATIENCE: Duration = Duration::from_secs(10);

/// Follow a campaign that runs, from another login or node
///
/// The view has the clauses with their verdicts so far, the running job, and the time that is left. The
/// folder is only read, also over a shared file system. The command ends when the campaign ends, with its
/// verdicts. It also ends when the process of the campaign is gone, if it ran on this node. Ctrl-C ends the
/// view, not the campaign.
#[derive(clap::Args)]
pub(crate) struct WatchArgs {
    /// The campaign folder
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Print the present state as text, and end
    #[arg(long)]
    once: bool,
    /// Print lines instead of the view, as without a terminal
    #[arg(long, conflicts_with = "once")]
    plain: bool,
}

pub(crate) fn run(args: WatchArgs) -> Result<u8> {
    if results::folder::is_archive(&args.folder) {
        let at = args.folder.display();
        return Err(Usage(format!("{at} is an archive, so nothing runs in it. Use: assay judge {at}")).into());
    }
    let mut watch = Watch::open(&args.folder)?;
    if args.once {
        say(&frame::text(&watch.shown(), ScreenStream::Out.columns()))?;
        return if watch.folder.has_ended { watch.conclude() } else { Ok(UNDECIDED) };
    }
    let stop = screen::stop_on_request().unwrap_or_else(|_| Arc::default());
    watch.has_view = !args.plain && ScreenStream::Out.can_show();
    watch.follow(&stop)
}

/// A campaign that is watched.
pub(super) struct Watch {
    at: PathBuf,
    pub(super) folder: WatchedCampaign,
    standing: Option<CampaignStanding>,
    has_view: bool,
    /// Since when each reading failed, and why.
    failing: Option<(Instant, String)>,
    /// Whether it was printed without a view that a person should look.
    is_warned: bool,
    /// The lines that were printed without a view.
    printed: Vec<String>,
}

impl Watch {
    /// Reads the campaign in the folder `at` for the first time.
    pub(super) fn open(at: &Path) -> Result<Self, Usage> {
        let mut folder = WatchedCampaign::new(at);
        // A campaign that begins has its chain before the rest. A reading between two renames fails.
        let began = Instant::now();
        while let Err(error) = folder.read() {
            let denied = error.kind() == ErrorKind::PermissionDenied;
            if denied || folder_is_none(at) || began.elapsed() > PATIENCE {
                return Err(no_campaign(at, &error));
            }
            std::thread::sleep(LOOK_EVERY);
        }
        if folder.campaign.is_none() && !results::folder::has(at, names::CHAIN) {
            return Err(no_campaign(at, &ErrorKind::NotFound.into()));
        }
        let standing = folder.campaign.take().map(CampaignStanding::new).transpose()?;
        let (has_view, failing, is_warned, printed) = Default::default();
        Ok(Self { at: at.to_owned(), folder, standing, has_view, failing, is_warned, printed })
    }

    /// Shows the campaign until it ends, its process is gone, or `stop` becomes true.
    fn follow(&mut self, stop: &AtomicBool) -> Result<u8> {
        let mut read = Instant::now();
        loop {
            self.show()?;
            if self.folder.has_ended {
                screen::close();
                return self.conclude();
            }
            if stop.load(Ordering::Acquire) {
                screen::close();
                complain("assay: no longer watched; the campaign itself is not affected");
                return Ok(UNDECIDED);
            }
            if self.process() == ProcessStanding::Gone && self.is_still_so()? {
                screen::close();
                return Ok(self.report_gone());
            }
            while read.elapsed() < READ_EVERY && !stop.load(Ordering::Acquire) {
                std::thread::sleep(LOOK_EVERY);
            }
            read = Instant::now();
            self.read()?;
        }
    }

    /// Reads the folder again. What disturbs a reading is tried again at the next one.
    pub(super) fn read(&mut self) -> Result<(), Usage> {
        match self.folder.read() {
            Ok(_) => self.failing = None,
            Err(error) if folder_is_none(&self.at) => return Err(no_campaign(&self.at, &error)),
            Err(error) => {
                let since = self.failing.as_ref().map_or_else(Instant::now, |(since, _)| *since);
                self.failing = Some((since, error.to_string()));
            }
        }
        match (self.folder.campaign.take(), &mut self.standing) {
            (Some(campaign), Some(standing)) => standing.update(campaign),
            (Some(campaign), none) => CampaignStanding::new(campaign).map(|standing| *none = Some(standing)),
            (None, _) => Ok(()),
        }
    }

    /// Whether the campaign has not ended in the moment between the last reading and the end of its process.
    fn is_still_so(&mut self) -> Result<bool, Usage> {
        self.read()?;
        Ok(!self.folder.has_ended)
    }

    fn process(&self) -> ProcessStanding {
        self.folder.process.as_ref().map_or(ProcessStanding::Unseen, process::standing)
    }

    fn show(&mut self) -> io::Result<()> {
        if self.has_view && screen::show(ScreenStream::Out, &|| self.shown()) {
            return Ok(());
        }
        let shown = self.shown();
        if shown.needs_care && !std::mem::replace(&mut self.is_warned, shown.needs_care) {
            complain(&format!("assay: {}", shown.state));
        }
        self.is_warned = shown.needs_care;
        for line in changes(&shown) {
            if !self.printed.contains(&line) {
                say(&format!("{line}\n"))?;
                self.printed.push(line);
            }
        }
        Ok(())
    }

    /// What a view of it shows now.
    pub(super) fn shown(&self) -> CampaignShown {
        let at = self.at.display().to_string();
        let (state, needs_care) = self.state();
        let shown = match &self.standing {
            None => CampaignShown { folder: visible(&at), ..CampaignShown::default() },
            Some(standing) => {
                let running = self.folder.running.iter().filter_map(|job| running(standing, job)).collect();
                standing.shown(&at, running)
            }
        };
        CampaignShown { state: visible(&state), needs_care, ..shown }
    }

    /// What the campaign does, in a sentence, and whether a person should look.
    fn state(&self) -> (String, bool) {
        if let Some((since, why)) = &self.failing
            && since.elapsed() > PATIENCE
        {
            let since = duration(since.elapsed().as_secs_f64());
            return (format!("The folder cannot be read since {since}: {why}."), true);
        }
        if self.standing.is_none() {
            return ("The campaign has not begun its first job.".to_owned(), false);
        }
        if self.folder.has_ended {
            return ("The campaign has ended.".to_owned(), false);
        }
        let age = self.age().map(|age| format!(" The last change was {} ago.", duration(age)));
        let age = age.unwrap_or_default();
        let at = |pid| format!("process {pid} on {}", self.host());
        let pid = self.folder.process.as_ref().map_or(0, |process| process.pid);
        match self.process() {
            ProcessStanding::Gone => {
                (format!("The {} is gone, and the campaign has not ended.{age}", at(pid)), true)
            }
            ProcessStanding::Alive => (format!("It runs as {}.{age}", at(pid)), false),
            ProcessStanding::Unseen if pid > 0 => {
                (format!("It began as {}, which cannot be seen from here.{age}", at(pid)), false)
            }
            ProcessStanding::Unseen => (format!("Its process is not known.{age}"), false),
        }
    }

    fn host(&self) -> String {
        self.folder.process.as_ref().map(|process| process.host.clone()).unwrap_or_default()
    }

    /// Seconds since the last change; absent if it is not known. Clocks of nodes may differ.
    fn age(&self) -> Option<f64> {
        let event = self.folder.last_event.parse::<Timestamp>().ok().map(SystemTime::from);
        let last = self.folder.running.iter().filter_map(|job| job.changed).chain(event).max()?;
        Some(SystemTime::now().duration_since(last).unwrap_or_default().as_secs_f64())
    }

    fn report_gone(&self) -> u8 {
        let (done, of) = self.standing.as_ref().map_or((0, 0), CampaignStanding::done);
        let (at, host) = (self.at.display(), visible(&self.host()));
        complain(&format!(
            "assay: the process of this campaign on {host} is gone: {done} of {of} jobs have ended. Resume \
             it with: assay run --resume {at}"
        ));
        UNDECIDED
    }

    /// Prints the verdicts of the ended campaign. Returns the exit status.
    fn conclude(&self) -> Result<u8> {
        let evidence = EvidenceFolder::open(&self.at)?;
        let evaluated = evidence.evaluated(drifted)?;
        crate::speech::say_rendered(&table(&evaluated.campaign))?;
        note_faults(&evidence.name, &evaluated.checked);
        Ok(status(evaluated.campaign.exit_code(), &evaluated.checked))
    }
}

/// Whether there is no such directory.
fn folder_is_none(at: &Path) -> bool {
    !at.is_dir()
}

/// A running job as it is shown.
fn running(standing: &CampaignStanding, job: &RunningJob) -> Option<RunningShown> {
    let planned = standing.job(job.name())?;
    let begun = job.begun.parse::<Timestamp>().ok().map(SystemTime::from);
    let since = begun.and_then(|begun| SystemTime::now().duration_since(begun).ok());
    Some(RunningShown {
        test: planned.test.clone(),
        repetition: planned.repetition,
        seconds: since.unwrap_or_default().as_secs_f64(),
        limit_s: planned.timeout_s,
        left_s: None,
        has_ended: planned.at_once.is_some() && job.has_ended,
        progress: job.progress.clone(),
    })
}

/// The lines about a campaign that change seldom, for an output that is no terminal.
fn changes(shown: &CampaignShown) -> Vec<String> {
    let (done, of) = shown.jobs;
    let mut lines = vec![shown.title.clone()];
    let standing = |clause: &shown::ClauseShown| {
        let shown::ClauseShown { test, criterion, value, .. } = clause;
        let words = clause.standing.words();
        clause.standing.outcome().map(|_| format!("{test}  {criterion}  {value}  {words}"))
    };
    lines.extend(shown.clauses.iter().filter_map(standing));
    lines.extend(shown.warnings.iter().map(|warning| format!("! {warning}")));
    lines.push(format!("{done} of {of} jobs"));
    lines.extend(shown.running.iter().map(|job| format!("runs: {} {}", visible(&job.test), job.repetition)));
    lines.retain(|line| !line.is_empty());
    lines
}
