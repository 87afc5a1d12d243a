//! The output of `mdtest`, line by line as events arrive, with the classic's lines to the letter.
//!
//! Invariant: no engine here. All numbers come from a record or an event.

use std::fs::File;
use std::io::{self, Write};

use command::mdtest::{Edition, Parsed};
use storage::Space;
use units::Usage;
use workloads::kit::observer::EventObserver;
use workloads::mdtest::{EndedPhase, MdtestEvent};

use super::below_text::RunLatencies;
use super::header::{self, Facts, moment};
use super::results::{MeasuredPhase, Results};
use super::summary::{self, SummaryRows};
use super::{below_text, chatter, listing, ranks_csv};
use crate::personalities::own_lines::{fault, own_lines, own_sentence, phase_name};
use crate::speech::say;

pub(crate) type Out = Box<dyn FnMut(&str) -> io::Result<()> + Send>;

/// Writes the output of one run.
pub(crate) struct MdtestText {
    meant: Parsed,
    argv: Vec<String>,
    space: Option<Space>,
    /// The file of `--saveRankPerformanceDetails`.
    rank_csv: Option<File>,
    out: Out,
    /// The first error when writing.
    broken: Option<io::Error>,
    /// The run on the present number of ranks.
    run: Option<Results>,
    /// The latencies of all runs so far, with `-v`.
    latencies: Vec<RunLatencies>,
    /// The lines about failures and wrong data in the phases so far.
    faults: String,
    phase: &'static str,
    /// Whether the lines of the directory test and of the file test are still missing in this iteration.
    due: [bool; 2],
    /// Operations of all ranks at the deadline of this iteration.
    stonewalled: Option<f64>,
    /// Notices for the reader of the numbers.
    notices: Vec<String>,
}

impl MdtestText {
    /// A writer for the run started as `argv`. `space` is the space of its file system. Its files are created
    /// now.
    pub(crate) fn open(meant: &Parsed, argv: &[String], space: Option<Space>) -> Result<Self, Usage> {
        let mut text = Self::onto(Box::new(say), meant, argv, space);
        if let Some(path) = &meant.output.rank_csv {
            let made = File::create(path).map_err(|error| {
                Usage(format!(
                    "--saveRankPerformanceDetails {path}: {error}. Choose a file that can be written."
                ))
            })?;
            text.rank_csv = Some(made);
            text.save(&ranks_csv::heading());
        }
        Ok(text)
    }

    /// A writer to `out`, without files.
    pub(crate) fn onto(out: Out, meant: &Parsed, argv: &[String], space: Option<Space>) -> Self {
        Self {
            meant: meant.clone(),
            argv: argv.to_vec(),
            space,
            rank_csv: None,
            out,
            broken: None,
            run: None,
            latencies: Vec::new(),
            faults: String::new(),
            phase: "",
            due: [false; 2],
            stonewalled: None,
            notices: Vec::new(),
        }
    }

    fn edition(&self) -> Edition {
        self.meant.output.edition
    }

    fn verbose(&self) -> u32 {
        self.meant.request.verbose
    }

    fn rows(&self) -> SummaryRows {
        let parameters = &self.meant.request;
        SummaryRows {
            directories: parameters.directories,
            files: parameters.files,
            rename: parameters.rename || self.edition() == Edition::Mdtest41,
        }
    }

    fn put(&mut self, text: &str) {
        if let Err(error) = (self.out)(text) {
            self.broken.get_or_insert(error);
        }
    }

    /// Prints own lines. If standard output has none, they go to standard error.
    fn put_own(&mut self, text: &str) {
        self.put(fault(self.meant.output.plain, text));
    }

    fn save(&mut self, text: &str) {
        if let Some(file) = &mut self.rank_csv
            && let Err(error) = file.write_all(text.as_bytes())
        {
            self.broken.get_or_insert(error);
        }
    }

    /// Prints the end of the output. `complete` is false if the run ended early. Fails if something could not
    /// be written.
    pub(crate) fn finish(&mut self, complete: bool) -> io::Result<()> {
        if !complete {
            self.unfinished();
        }
        let tail = match self.edition() {
            _ if !complete => String::new(),
            Edition::Mdtest19 => format!("\n-- finished at {} --\n", moment()),
            _ => format!("-- finished at {} --\n\n", moment()),
        };
        self.put(&tail);
        self.put_own(&below_text::of_faults(&self.faults, &self.notices));
        if !self.meant.output.plain {
            self.put_own(&below_text::of_latencies(&self.latencies));
        }
        match self.broken.take() {
            None => Ok(()),
            Some(error) => Err(error),
        }
    }

    /// Prints the complete iterations of a run that ended early, and that others are missing.
    fn unfinished(&mut self) {
        let wanted = self.meant.request.iterations;
        let Some(run) = self.run.take() else { return };
        let whole = run.ended;
        if whole > 0 && !run.is_printed {
            let tables = summary::tables(&run, &self.meant.output, self.rows());
            self.put(&tables);
        }
        let phases = run.present().iter().map(|one| format!("{} {:.3}/s", phase_name(one.label), one.rate));
        let phases: Vec<String> = phases.collect();
        let mut text = format!("the run ended early: {whole} of {wanted} iterations are complete");
        if !phases.is_empty() {
            text.push_str(&format!(". Done of the next one: {}", phases.join(", ")));
        }
        self.put_own(&own_lines(&text));
    }

    fn started(&mut self, ranks: u32, nodes: u32, on_node_0: &[bool]) {
        let facts = Facts { argv: &self.argv, ranks, nodes, on_node_0, space: self.space };
        let text = header::text(&self.meant, &facts);
        self.put(&text);
    }

    /// `N tasks, M files`
    fn announce(&mut self, ranks: u32, items: u64) {
        let keeps_ranks = self.meant.output.all_ranks || self.rank_csv.is_some();
        self.run = Some(Results::new(ranks, items, keeps_ranks));
        self.latencies.push(RunLatencies::new(ranks));
        let parameters = &self.meant.request;
        let all = u64::from(ranks) * items;
        let what = match (parameters.files, parameters.directories) {
            (true, true) => format!("{all} files/directories"),
            (true, false) if parameters.shared_file => "1 file".to_owned(),
            (true, false) => format!("{all} files"),
            _ => format!("{all} directories"),
        };
        let above = if self.edition() == Edition::Mdtest19 { "\n" } else { "" };
        let mut text = format!("{above}{ranks} tasks, {what}\n");
        if self.verbose() > 0 {
            text.push_str(&chatter::caption(self.edition()));
        }
        self.put(&text);
    }

    /// Prints the lines of finished tests: of directories, or of both.
    fn flush(&mut self, files_too: bool) {
        let mut text = String::new();
        let rename = self.rows().rename;
        let stonewalled = self.stonewalled;
        for (number, kind) in ["Directory", "File"].into_iter().enumerate() {
            let over = number == 0 || files_too;
            if over && std::mem::take(&mut self.due[number]) && self.verbose() > 0 {
                let iteration = self.run.as_ref().map_or(&[][..], Results::present);
                text.push_str(&chatter::test(self.edition(), kind, rename, iteration, stonewalled));
            }
        }
        self.put(&text);
    }

    fn ended(&mut self, ended: &EndedPhase<'_>) {
        let alone = chatter::has_own_line(ended.label);
        let one = MeasuredPhase::new(ended);
        self.faults.push_str(&below_text::of_phase(ended.label, ended.phase));
        if alone && self.verbose() > 0 {
            let line = chatter::single(self.edition(), &one);
            self.put(&line);
        }
        if let Some(latencies) = self.latencies.last_mut().filter(|_| self.meant.request.verbose > 0) {
            latencies.add(ended.label, ended.phase);
        }
        if let Some(run) = &mut self.run {
            run.add(one);
        }
    }

    fn over(&mut self, wrong: u64) {
        self.flush(true);
        let rows = self.rows();
        let Some(run) = &mut self.run else { return };
        run.end_iteration();
        run.is_printed = true;
        let mut text = summary::tables(run, &self.meant.output, rows);
        let rows = self.rank_csv.as_ref().map_or(String::new(), |_| ranks_csv::rows(run));
        if wrong > 0 {
            text.push_str(&match self.edition() {
                Edition::Mdtest41 => format!(
                    "\nERROR: verifying the data on read ({wrong} errors)! Take the performance values with \
                     care!\n\n"
                ),
                _ => {
                    "\nERROR: verifying the data read! Take the performance values with care!\n\n".to_owned()
                }
            });
        }
        self.put(&text);
        self.save(&rows);
    }

    /// The text of an event outside the phases.
    fn said(&mut self, event: &MdtestEvent<'_>) -> String {
        let edition = self.edition();
        match event {
            MdtestEvent::Shift(ranks) if edition != Edition::Mdtest19 => {
                let words = format!("Shifting ranks by {ranks} for each phase.");
                listing::numbered(edition, 0, (2169, 2594), &words)
            }
            MdtestEvent::RandomSeed(seed) => format!("random seed: {seed}\n"),
            MdtestEvent::Stonewall { least, most, mean } => {
                let ranks = self.run.as_ref().map_or(0, |run| run.ranks);
                self.stonewalled = Some(mean * f64::from(ranks));
                format!("Continue stonewall hit min: {least} max: {most} avg: {mean:.1} \n\n")
            }
            MdtestEvent::Name { what, path } => chatter::name(edition, self.phase, what, path),
            MdtestEvent::Preloaded { directories, files_each, seconds } => {
                self.put_own(&own_lines(&format!(
                    "preloaded {directories} directories with {files_each} files each, counted, in \
                     {seconds:.3} s"
                )));
                String::new()
            }
            MdtestEvent::Warning(text) => format!("WARNING: {text}\n"),
            MdtestEvent::Notice(reason) => {
                let text = own_sentence(reason);
                if !self.notices.contains(&text) {
                    self.notices.push(text);
                }
                String::new()
            }
            _ => String::new(),
        }
    }
}

impl EventObserver<MdtestEvent<'_>> for MdtestText {
    fn event(&mut self, event: &MdtestEvent<'_>) {
        match event {
            MdtestEvent::Started { ranks, nodes, on_node_0 } => self.started(*ranks, *nodes, on_node_0),
            MdtestEvent::Ranks { ranks, items } => self.announce(*ranks, *items),
            MdtestEvent::Iteration(number) => {
                self.flush(true);
                let parameters = &self.meant.request;
                self.due = [parameters.directories, parameters.files];
                self.stonewalled = None;
                if let Some(run) = &mut self.run {
                    run.begin_iteration();
                }
                if self.verbose() > 0 {
                    let line = chatter::iteration(self.edition(), *number, &moment());
                    self.put(&line);
                }
            }
            MdtestEvent::Begins { phase, .. } => {
                self.phase = phase;
                if phase.starts_with("file") || *phase == "tree_removal" {
                    self.flush(*phase == "tree_removal");
                }
            }
            MdtestEvent::Ended(ended) => self.ended(ended),
            MdtestEvent::Over { wrong } => self.over(*wrong),
            MdtestEvent::Delay(seconds) => {
                // The second wait comes before the files.
                if self.phase.starts_with("directory") {
                    self.flush(false);
                }
                if self.verbose() > 0 {
                    self.put(&format!("delaying {seconds} seconds . . .\n"));
                }
            }
            other => {
                let text = self.said(other);
                self.put(&text);
            }
        }
    }
}
