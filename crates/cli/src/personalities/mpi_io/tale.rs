//! What rank 0 tells, in text for people or in lines for the program that started the ranks.
//!
//! The watch of rank 0 tells the end of it where a case hangs.

use std::fs::OpenOptions;
use std::io::{self, Write};

use results::Record;
use results::record::{Case as Told, End, Evidence, Outcome};
use units::several;
use workloads::mpi_io::{Case, Event, Library, TIMEOUT, known};

use super::args::Args;
use super::speech::Line;
use super::text;
use super::watch::{Limits, Standing, summary};
use crate::speech::{complain, say};

/// What has been told, and what is to be.
pub(super) struct Tale {
    /// In lines.
    in_lines: bool,
    library: Library,
    mpi: Option<String>,
    ranks: u32,
    record: Option<String>,
    ended: Vec<Told>,
    /// Names and promises of those that have not ended, the next one last.
    open: Vec<(String, String, &'static str)>,
}

impl Tale {
    pub(super) fn new(args: &Args, cases: &[Case], library: Library, mpi: Option<String>) -> Self {
        let open = cases.iter().rev();
        Self {
            in_lines: args.speak_from.is_some(),
            library,
            mpi,
            ranks: 0,
            record: args.record.clone(),
            ended: Vec::new(),
            open: open.map(|case| (case.name.to_string(), case.promise.to_string(), case.document)).collect(),
        }
    }

    /// The library as it is known so far.
    pub(super) fn library(&self) -> &Library {
        &self.library
    }

    /// The ranks are there.
    pub(super) fn ready(&mut self, library: Library, ranks: u32, nodes: u32, host: &str) -> io::Result<()> {
        (self.library, self.ranks) = (library, ranks);
        let library = if self.mpi.is_some() { self.library.to_string() } else { String::new() };
        if self.in_lines {
            let (host, mpi) = (host.to_owned(), self.mpi.clone());
            return say(&Line::Ready { ranks, nodes, host, mpi, library }.text());
        }
        say(&heading(ranks, nodes, &library))
    }

    /// What happened.
    pub(super) fn tell(&mut self, event: Event<'_>, limits: &Limits) -> io::Result<()> {
        match event {
            Event::Begin(case, dir) if self.in_lines => {
                let (name, dir) = (case.name.to_string(), dir.display().to_string());
                say(&Line::Begin { name, dir, limit_s: limits.of(case).as_secs() }.text())
            }
            Event::Begin(..) => Ok(()),
            Event::End(case) => self.end(*case),
            Event::Left(path, why) if self.in_lines => {
                say(&Line::Left { path: path.display().to_string(), why }.text())
            }
            Event::Left(path, why) => say(&left(&path.display().to_string(), &why)),
        }
    }

    fn end(&mut self, case: Told) -> io::Result<()> {
        self.open.pop();
        let line = match self.in_lines {
            true => Line::End { case: Box::new(case.clone()) }.text(),
            false => text::line(&case),
        };
        self.ended.push(case);
        say(&line)
    }

    /// All have ended.
    pub(super) fn close(&self) -> io::Result<()> {
        say(&if self.in_lines { Line::Done.text() } else { text::table(&self.ended, &self.open()) })
    }

    /// Names of those that have not ended, in order.
    fn open(&self) -> Vec<String> {
        self.open.iter().rev().map(|(name, ..)| name.clone()).collect()
    }

    /// The exit status.
    pub(super) fn status(&self) -> u8 {
        text::status(&self.ended, &self.open())
    }

    /// A case took too long: tells it, and ends the tale. The process ends after it.
    pub(super) fn bark(&mut self, standing: &Standing, notes: &[String]) {
        let (promise, document) =
            self.open.last().map(|(_, promise, document)| (promise.clone(), *document)).unwrap_or_default();
        let first = notes.iter().position(|note| !note.contains(" waits for the others")).unwrap_or(0);
        let stuck = notes.iter().filter(|note| !note.contains(" waits for the others")).count();
        let evidence = Evidence { rank: first as u32, what: summary(notes), ..Evidence::default() };
        let case = Told {
            name: standing.name.clone(),
            promise,
            document: document.to_owned(),
            ranks: self.ranks,
            outcome: Outcome::Fail,
            why: format!("timeout after {} s", standing.limit_s),
            evidence: Some(Evidence { step: TIMEOUT.to_owned(), ..evidence }),
            failed_ranks: stuck as u32,
            seconds: standing.limit_s as f64,
        };
        let case = known(case, &self.library);
        let record = Record::Case(Box::new(case.clone()));
        let told = self.end(case).and_then(|()| if self.in_lines { Ok(()) } else { self.close() });
        let kept = told.and_then(|()| self.keep(&[record, Record::End(End { exit: 1, ..End::default() })]));
        if let Err(error) = kept {
            complain(&format!("mpi-io: cannot tell the end: {error}"));
        }
        if !self.in_lines {
            complain(
                "mpi-io: the case cannot be left, so the ranks end here; assay mpi-io --launch 'mpirun -n N' \
                 DIR goes on with the rest",
            );
        }
    }

    /// Adds to the file of records, which nobody else writes any more.
    fn keep(&self, records: &[Record]) -> io::Result<()> {
        let Some(path) = &self.record else { return Ok(()) };
        let mut file = OpenOptions::new().append(true).open(path)?;
        records.iter().try_for_each(|record| {
            let line = serde_json::to_string(record)? + "\n";
            file.write_all(line.as_bytes())
        })
    }
}

/// On what the cases run.
pub(super) fn heading(ranks: u32, nodes: u32, library: &str) -> String {
    let on = if library.is_empty() { "local ranks, without MPI" } else { library };
    let [ranks, nodes] =
        [(ranks, "rank"), (nodes, "node")].map(|(number, what)| several(number.into(), what));
    format!("{ranks} on {nodes}: {on}\n")
}

/// What stays.
pub(super) fn left(path: &str, why: &str) -> String {
    format!("{:12} {path} stays: {why}\n", "")
}
