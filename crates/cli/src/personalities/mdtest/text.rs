//! The output of `mdtest`, line by line as events arrive, with the classic's lines to the letter.
//!
//! Invariant: no engine here. All numbers come from a record or an event.

use std::fs::File;
use std::io;

use command::mdtest::{Edition, Parsed};
use jiff::Zoned;
use storage::Space;
use units::Usage;
use workloads::kit::observer::EventObserver;
use workloads::mdtest::{EndedPhase, MdtestEvent};

use super::own_text::RunLatencies;
use super::results::{MeasuredPhase, Results};
use super::{own_text, tables, verbose};
use crate::personalities::classic::{space_line, whole_header_dir};
use crate::personalities::own_lines::{own_sentence, phase_name};
use crate::personalities::printer::Printer;

/// The line about reads that read nothing, which 4.x prints.
pub(crate) const NOTHING_READ: &str = "Read bytes is 0, thus, a read test will actually just open/close";

/// Writes the output of one run.
pub(crate) struct MdtestText {
    parsed: Parsed,
    argv: Vec<String>,
    space: Option<Space>,
    /// The file of `--saveRankPerformanceDetails`.
    rank_csv: Option<Printer>,
    printer: Printer,
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
    pub(crate) fn open(
        printer: Printer,
        parsed: &Parsed,
        argv: &[String],
        space: Option<Space>,
    ) -> Result<Self, Usage> {
        let mut text = Self::new(printer, parsed, argv, space);
        if let Some(path) = &parsed.output.rank_csv {
            let made = File::create(path).map_err(|error| {
                Usage(format!(
                    "--saveRankPerformanceDetails {path}: {error}. Choose a file that can be written."
                ))
            })?;
            let file = text.rank_csv.insert(Printer::to_file(made));
            file.put(&tables::ranks_heading());
        }
        Ok(text)
    }

    /// A writer without files.
    pub(crate) fn new(printer: Printer, parsed: &Parsed, argv: &[String], space: Option<Space>) -> Self {
        Self {
            parsed: parsed.clone(),
            argv: argv.to_vec(),
            space,
            rank_csv: None,
            printer,
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
        self.parsed.output.edition
    }

    fn verbose(&self) -> u32 {
        self.parsed.request.verbose
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
        self.printer.put(&tail);
        let notices = self.notices.iter().map(|notice| format!("warning: {notice}\n"));
        self.faults.extend(notices);
        self.printer.put_fault(&self.faults);
        self.printer.put_own(&own_text::of_latencies(&self.latencies));
        self.printer.finish().and(self.rank_csv.as_mut().map_or(Ok(()), Printer::finish))
    }

    /// Prints the complete iterations of a run that ended early, and that others are missing.
    fn unfinished(&mut self) {
        let wanted = self.parsed.request.iterations;
        let Some(run) = self.run.take() else { return };
        let whole = run.ended;
        if whole > 0 && !run.is_printed {
            self.printer.put(&tables::tables(&run, &self.parsed));
        }
        let phases = run.present().iter().map(|one| format!("{} {:.3}/s", phase_name(one.label), one.rate));
        let phases: Vec<String> = phases.collect();
        let mut text = format!("the run ended early: {whole} of {wanted} iterations are complete");
        if !phases.is_empty() {
            text.push_str(&format!(". Done of the next one: {}", phases.join(", ")));
        }
        self.printer.put_fault(&text);
    }

    /// Prints the header up to the first line of an event. `on_node_0` says of each rank whether it is on the
    /// node of rank 0.
    fn started(&mut self, ranks: u32, nodes: u32, on_node_0: &[bool]) {
        let edition = self.edition();
        let version = edition.version();
        let mut text = format!(
            "-- started at {} --\n\nmdtest-{version} was launched with {ranks} total task(s) on {nodes} \
             node(s)\nCommand line used: {}\n",
            moment(),
            command(&self.argv, edition)
        );
        if self.verbose() > 0 && self.parsed.all_phases {
            let words = "main: Setting create/stat/read/remove_only to True";
            text.push_str(&verbose::numbered(edition, 1, (1398, 1905), words));
        }
        if reads_nothing(&self.parsed) {
            text.push_str(&format!("WARNING: {NOTHING_READ}\n"));
        }
        if self.verbose() > 0 {
            text.push_str(&verbose::parameters(&self.parsed));
        }
        let map: String = on_node_0.iter().map(|here| if *here { '1' } else { '0' }).collect();
        let map = format!("Nodemap: {map}\n");
        let place = place(&self.parsed, self.space);
        self.printer.put(&match edition {
            Edition::Mdtest19 => text + &place,
            Edition::Mdtest33 => text + &place + "\n" + &map,
            Edition::Mdtest41 => text + &map + &place,
        });
    }

    /// `N tasks, M files`
    fn announce(&mut self, ranks: u32, items: u64) {
        let keeps_ranks = self.parsed.output.all_ranks || self.rank_csv.is_some();
        self.run = Some(Results::new(ranks, items, keeps_ranks));
        self.latencies.push(RunLatencies::new(ranks));
        let parameters = &self.parsed.request;
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
            text.push_str(&verbose::caption(self.edition()));
        }
        self.printer.put(&text);
    }

    /// Prints the lines of finished tests: of directories, or of both.
    fn flush(&mut self, files_too: bool) {
        let mut text = String::new();
        let rename = tables::has_renames(&self.parsed);
        let stonewalled = self.stonewalled;
        for (number, kind) in ["Directory", "File"].into_iter().enumerate() {
            let over = number == 0 || files_too;
            if over && std::mem::take(&mut self.due[number]) && self.verbose() > 0 {
                let iteration = self.run.as_ref().map_or(&[][..], Results::present);
                text.push_str(&verbose::test(self.edition(), kind, rename, iteration, stonewalled));
            }
        }
        self.printer.put(&text);
    }

    fn ended(&mut self, ended: &EndedPhase<'_>) {
        let alone = verbose::has_own_line(ended.label);
        let one = MeasuredPhase::new(ended);
        self.faults.push_str(&own_text::of_phase(ended.label, ended.phase));
        if alone && self.verbose() > 0 {
            let line = verbose::single(self.edition(), &one);
            self.printer.put(&line);
        }
        if let Some(latencies) = self.latencies.last_mut().filter(|_| self.parsed.request.verbose > 0) {
            latencies.add(ended.label, ended.phase);
        }
        if let Some(run) = &mut self.run {
            run.add(one);
        }
    }

    fn over(&mut self, wrong: u64) {
        self.flush(true);
        let edition = self.edition();
        let Some(run) = &mut self.run else { return };
        run.end_iteration();
        run.is_printed = true;
        let mut text = tables::tables(run, &self.parsed);
        if wrong > 0 {
            text.push_str(&match edition {
                Edition::Mdtest41 => format!(
                    "\nERROR: verifying the data on read ({wrong} errors)! Take the performance values with \
                     care!\n\n"
                ),
                _ => {
                    "\nERROR: verifying the data read! Take the performance values with care!\n\n".to_owned()
                }
            });
        }
        self.printer.put(&text);
        if let Some(file) = &mut self.rank_csv {
            file.put(&tables::ranks_rows(run));
        }
    }

    /// The text of an event outside the phases.
    fn said(&mut self, event: &MdtestEvent<'_>) -> String {
        let edition = self.edition();
        match event {
            MdtestEvent::Shift(ranks) if edition != Edition::Mdtest19 => {
                let words = format!("Shifting ranks by {ranks} for each phase.");
                verbose::numbered(edition, 0, (2169, 2594), &words)
            }
            MdtestEvent::RandomSeed(seed) => format!("random seed: {seed}\n"),
            MdtestEvent::Stonewall { least, most, mean } => {
                let ranks = self.run.as_ref().map_or(0, |run| run.ranks);
                self.stonewalled = Some(mean * f64::from(ranks));
                format!("Continue stonewall hit min: {least} max: {most} avg: {mean:.1} \n\n")
            }
            MdtestEvent::Name { what, path } => verbose::name(edition, self.phase, what, path),
            MdtestEvent::Preloaded { directories, files_each, seconds } => {
                self.printer.put_fault(&format!(
                    "preloaded {directories} directories with {files_each} files each, counted, in \
                     {seconds:.3} s"
                ));
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
                let parameters = &self.parsed.request;
                self.due = [parameters.directories, parameters.files];
                self.stonewalled = None;
                if let Some(run) = &mut self.run {
                    run.begin_iteration();
                }
                if self.verbose() > 0 {
                    let line = verbose::iteration(self.edition(), *number, &moment());
                    self.printer.put(&line);
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
                    self.printer.put(&format!("delaying {seconds} seconds . . .\n"));
                }
            }
            other => {
                let text = self.said(other);
                self.printer.put(&text);
            }
        }
    }
}

/// A moment as mdtest writes it.
fn moment() -> String {
    Zoned::now().strftime("%m/%d/%Y %H:%M:%S").to_string()
}

/// Whether 4.x warns of reads of zero bytes.
pub(crate) fn reads_nothing(parsed: &Parsed) -> bool {
    let parameters = &parsed.request;
    parsed.output.edition == Edition::Mdtest41 && parameters.read && parameters.read_bytes == 0
}

/// The command line. Only 1.9 prints the arguments without quotes.
fn command(argv: &[String], edition: Edition) -> String {
    let mut words = argv.iter();
    let mut text = words.next().cloned().unwrap_or_default();
    for word in words {
        match edition {
            Edition::Mdtest19 => text.push_str(&format!(" {word}")),
            _ => text.push_str(&format!(" '{word}'")),
        }
    }
    text
}

/// The test directory and the capacity of its file system.
fn place(parsed: &Parsed, space: Option<Space>) -> String {
    let dir = parsed.request.dirs.first().map(String::as_str).unwrap_or_default();
    let newer = parsed.output.edition == Edition::Mdtest41;
    let line = |key: &str, value: &str| match newer {
        true => format!("{key:<20}: {value}\n"),
        false => format!("{key}: {value}\n"),
    };
    let mut text = match newer {
        true => line("Path", dir),
        false => line("Path", &whole_header_dir(dir).display().to_string()),
    };
    if let Some(space) = space {
        text.push_str(&line("FS", &space_line(space)));
    }
    text
}
