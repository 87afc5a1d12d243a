//! The classic text of `ior` 4.1, to the letter, line by line
//! as things happen.
//!
//! Invariant: no engine here, and no number that is not in a record or an event.

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use jiff::Zoned;
use results::record::Phase;
use workloads::ior::{Beginning, Event, Observer, Offsets, Parameters, Place, first_path};

use super::output::Output;
use super::summary::Shown;
use super::typed::Meant;
use super::{beyond, numbers, summary};

/// Writes the text of one run.
pub(crate) struct Text<W: Write> {
    out: W,
    command: String,
    /// The tests so far, the last of which runs.
    tests: Vec<Shown>,
    heading_due: bool,
    /// What stands below the classic text.
    warnings: Vec<String>,
    worn_out: Option<u64>,
    broken: Option<io::Error>,
}

/// A date as C's `ctime` writes it.
pub(crate) fn date() -> String {
    Zoned::now().strftime("%a %b %e %H:%M:%S %Y").to_string()
}

impl<W: Write> Text<W> {
    /// A writer for the run started as `argv`.
    pub(crate) fn new(out: W, argv: &[String]) -> Self {
        Self {
            out,
            command: argv.join(" "),
            tests: Vec::new(),
            heading_due: true,
            warnings: Vec::new(),
            worn_out: None,
            broken: None,
        }
    }

    /// Writes text. A reader that has gone away (a closed pipe) is no failure; any other error is kept
    /// for the end, because a measurement that runs is worth more than its text.
    fn put(&mut self, text: &str) {
        let put = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
        if let Err(error) = put
            && error.kind() != ErrorKind::BrokenPipe
        {
            self.broken.get_or_insert(error);
        }
    }

    /// The test that runs.
    fn shown(&self) -> &Shown {
        self.tests.last().expect("events come after a test has begun")
    }

    fn parameters(&self) -> &Parameters {
        &self.shown().meant.parameters
    }

    /// What stands above all tests; its words grow with the first test's verbosity.
    fn head(&mut self) {
        let uname = rustix::system::uname();
        let mut machine =
            format!("{} {}", uname.sysname().to_string_lossy(), uname.nodename().to_string_lossy());
        if self.parameters().verbose >= 2 {
            for part in [uname.release(), uname.version(), uname.machine()] {
                machine.push(' ');
                machine.push_str(&part.to_string_lossy());
            }
        }
        let mut text = String::from("IOR-4.1.0+dev: MPI Coordinated Test of Parallel I/O\n");
        let command = &self.command;
        for (key, value) in [("Began", date().as_str()), ("Command line", command), ("Machine", &machine)] {
            text.push_str(&line(key, value));
        }
        self.put(&text);
    }

    fn options(&mut self) {
        let shown = self.shown();
        let parameters = &shown.meant.parameters;
        let mut text = String::from("\nOptions: \n");
        let mut add = |key: &str, value: String| text.push_str(&line(key, &value));
        let random = parameters.offsets != Offsets::Sequential;
        add("api", parameters.backend.clone());
        add("apiVersion", String::new());
        add("test filename", parameters.test_file.clone());
        add(
            "access",
            if parameters.file_per_rank { "file-per-process" } else { "single-shared-file" }.into(),
        );
        add("type", if parameters.collective { "collective" } else { "independent" }.into());
        add("segments", parameters.segments.to_string());
        add("ordering in a file", if random { "random" } else { "sequential" }.into());
        match (shown.meant.constant, shown.meant.random_ranks) {
            (0, 0) => add("ordering inter file", "no tasks offsets".into()),
            (1, _) => {
                add("ordering inter file", "constant task offset".into());
                add("task offset", parameters.task_offset.to_string());
            }
            (_, 1) => {
                add("ordering inter file", "random task offset".into());
                add("task offset", parameters.task_offset.to_string());
                add("reorder random seed", parameters.reorder_seed.to_string());
            }
            _ => {}
        }
        add("nodes", shown.place.nodes.to_string());
        add("tasks", shown.ranks.to_string());
        add("clients per node", shown.place.ranks_on_node0.to_string());
        add("memoryBuffer", "CPU".into());
        add("dataAccess", "CPU".into());
        add("GPUDirect", "0".into());
        add("repetitions", parameters.repetitions.to_string());
        add("xfersize", numbers::size(parameters.transfer));
        add("blocksize", numbers::size(parameters.block));
        let total = parameters.layout(shown.ranks).total_bytes().unwrap_or(0);
        add("aggregate filesize", numbers::size(total));
        if parameters.verbose > 0 {
            add("verbose", parameters.verbose.to_string());
        }
        if parameters.deadline > 0 {
            add("stonewallingTime", parameters.deadline.to_string());
            add("stoneWallingWearOut", u32::from(parameters.wear_out).to_string());
        }
        text.push_str("\nResults: \n");
        self.put(&text);
    }

    /// The table's heading, once, before the first thing that happens in it.
    fn heading(&mut self) {
        if std::mem::take(&mut self.heading_due) {
            self.put(
                "\naccess    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   \
                 close(s)   total(s)   iter\n\
                 ------    ---------  ----       ----------  ---------- ---------  --------   --------   \
                 --------   --------   ----\n",
            );
        }
    }

    fn row(&mut self, phase: &Phase) {
        let name = match phase.phase.as_str() {
            "write" => "write",
            "read" | "read_check" => "read",
            _ => return,
        };
        let mib = units::MIB as f64;
        let latency = phase.latency.as_ref().map_or(0.0, |latency| latency.mean_ns * 1e-9);
        let metric = |name| phase.metric(name).map_or(0.0, |metric| metric.value);
        let spans = phase.spans;
        let mut text = format!("{name:<10}");
        for (value, gap) in [
            (metric("bw") / mib, " "),
            (metric("iops"), " "),
            (latency, "  "),
            (phase.block_bytes as f64 / 1024.0, " "),
            (phase.transfer_bytes as f64 / 1024.0, " "),
            (spans.open_s, " "),
            (spans.transfer_s, " "),
            (spans.close_s, " "),
            (spans.total_s, " "),
        ] {
            text.push_str(&numbers::column(value));
            text.push_str(gap);
        }
        self.put(&format!("{text}{:<4}\n", phase.repetition));
    }

    fn removed(&mut self, repetition: u32, seconds: f64) {
        if self.parameters().verbose == 0 {
            return;
        }
        let dash = format!("{:<10}", "-");
        let dashes = format!("{dash} {dash} {dash}  {dash} {dash} {dash} {dash} {dash} ");
        self.put(&format!("{:<10}{dashes}{} {repetition:<4}\n", "remove", numbers::column(seconds)));
    }

    fn wear_out(&mut self, wall: &workloads::ior::WearOut) {
        self.worn_out = Some(wall.transfers_max);
        let gib = units::GIB as f64;
        self.put(&format!(
            "stonewalling pairs accessed min: {} max: {} -- \
             min data: {:.1} GiB mean data: {:.1} GiB time: {:.1}s\n",
            wall.transfers_min,
            wall.transfers_max,
            wall.bytes_min as f64 / gib,
            wall.bytes_mean / gib,
            wall.seconds
        ));
    }

    fn size_warning(&mut self, expected: u64, found: u64, moved: u64) {
        let mut text = format!(
            "WARNING: Expected aggregate file size       = {expected}\n\
             WARNING: Stat() of aggregate file size      = {found}\n\
             WARNING: Using actual aggregate bytes moved = {moved}\n"
        );
        if self.parameters().deadline > 0 {
            text.push_str("WARNING: Maybe caused by deadlineForStonewalling\n");
        }
        self.put(&text);
    }

    fn bad_data(
        &mut self,
        phase: &str,
        transfers: u64,
        ranges: &[results::record::BadRange],
        signature: i32,
    ) {
        let what = if phase == "write_check" { "write" } else { "read" };
        let mut text = format!(
            "WARNING: Incorrect data on {what} ({transfers} errors found).\n\n\
             Used Time Stamp {signature} ({signature:#x}) for Data Signature\n"
        );
        for bad in ranges {
            text.push_str(&format!(
                "WARNING: rank {}: {} at {}: {} bytes wrong, expected {}, found {}\n",
                bad.rank, bad.path, bad.offset, bad.length, bad.expected, bad.found
            ));
        }
        self.put(&text);
    }
}

impl<W: Write + Send> Output for Text<W> {
    fn begin(&mut self) {}

    fn test(&mut self, meant: &Meant, space: Option<storage::Space>) {
        self.tests.push(Shown {
            meant: meant.clone(),
            place: Place::default(),
            ranks: 0,
            phases: Vec::new(),
        });
        (self.heading_due, self.worn_out) = (true, None);
        if self.tests.len() == 1 {
            self.head();
        }
        let path = first_path(&meant.parameters, 0);
        let number = meant.parameters.test.to_string();
        let mut text = String::new();
        for (key, value) in [("TestID", number.as_str()), ("StartTime", &date()), ("Path", &path)] {
            text.push_str(&line(key, value));
        }
        if let Some(space) = space {
            text.push_str(&line("FS", &space_words(space)));
        }
        self.put(&text);
    }

    fn end_test(&mut self) {
        let mut text = summary::maxima(self.shown());
        if let Some(transfers) = self.worn_out.filter(|_| self.parameters().status_file.is_none()) {
            text.push_str(&format!("Pairs deadlineForStonewallingaccessed: {transfers}\n"));
        }
        self.put(&text);
    }

    fn finish(&mut self, complete: bool) -> io::Result<()> {
        let mut text = String::new();
        if !complete && !self.tests.is_empty() {
            // The test that failed has not ended; what it measured counts all the same.
            self.end_test();
        }
        if self.tests.iter().any(|test| !test.phases.is_empty()) {
            text.push_str(&summary::table(&self.tests));
        }
        if complete {
            text.push_str(&line("Finished", &date()));
        }
        text.push_str(&beyond::lines(&self.tests, &self.warnings));
        self.put(&text);
        self.broken.take().map_or(Ok(()), Err)
    }
}

impl<W: Write + Send> Observer for Text<W> {
    fn event(&mut self, event: &Event<'_>) {
        let verbose = self.parameters().verbose;
        match event {
            Event::Test { place, ranks, .. } => {
                let shown = self.tests.last_mut().expect("events come after a test has begun");
                (shown.place, shown.ranks) = (*place, *ranks);
                self.options();
            }
            Event::Repetition { signature, .. } => {
                if verbose >= 2 {
                    self.put(&format!("Using Time Stamp {signature} ({signature:#x}) for Data Signature\n"));
                }
                self.heading();
            }
            Event::Exists { path, kept } => {
                let fate = if *kept { "overwritten" } else { "deleted" };
                self.put(&format!("WARNING: The file \"{path}\" exists already and will be {fate}\n"));
            }
            Event::Delay(seconds) if verbose > 0 => self.put(&format!("delaying {seconds} seconds . . .\n")),
            Event::Begins(Beginning { phase: "write_check", .. }) if verbose > 0 => {
                self.put(&format!("Verifying contents of the file(s) just written.\n{}\n\n", date()));
            }
            Event::Begins(Beginning { phase, .. }) if verbose >= 3 => {
                let what = if *phase == "write" { "write" } else { "read" };
                self.put(&format!("Commencing {what} performance test: {}\n", date()));
            }
            Event::WearOut(wall) => self.wear_out(wall),
            Event::RankTransfers(all) => {
                let line = |(rank, count)| format!("{rank}: stonewalling pairs accessed: {count}\n");
                let text: String = all.iter().enumerate().map(line).collect();
                self.put(&text);
            }
            Event::Phase(phase) => {
                self.row(phase);
                let shown = self.tests.last_mut().expect("events come after a test has begun");
                shown.phases.push((*phase).clone());
            }
            Event::Size { expected, found, moved } => self.size_warning(*expected, *found, *moved),
            Event::BadData { phase, transfers, ranges, signature } => {
                self.bad_data(phase, *transfers, ranges, *signature);
            }
            Event::Removed { repetition, seconds } => self.removed(*repetition, *seconds),
            Event::Warning(text) => self.put(&format!("WARNING: {text}\n")),
            Event::Notice(text) => {
                if !self.warnings.iter().any(|known| known == text) {
                    self.warnings.push((*text).to_owned());
                }
            }
            _ => {}
        }
    }
}

fn line(key: &str, value: &str) -> String {
    format!("{key:<20}: {value}\n")
}

fn space_words(space: storage::Space) -> String {
    let share = |total: u64, free: u64| {
        if total == 0 { 0.0 } else { total.saturating_sub(free) as f64 / total as f64 * 100.0 }
    };
    let gib = space.bytes as f64 / units::GIB as f64;
    let size = if gib > 1024.0 { format!("{:.1} TiB", gib / 1024.0) } else { format!("{gib:.1} GiB") };
    format!(
        "{size}   Used FS: {:2.1}%   Inodes: {:.1} Mi   Used Inodes: {:2.1}%",
        share(space.bytes, space.bytes_free),
        space.inodes as f64 / units::MIB as f64,
        share(space.inodes, space.inodes_free)
    )
}

/// The directory whose file system the header shows: the path's text before its last `/`.
pub(crate) fn header_dir(path: &str) -> &Path {
    match path.rfind('/') {
        None => Path::new("."),
        Some(0) => Path::new("/"),
        Some(at) => Path::new(&path[..at]),
    }
}
