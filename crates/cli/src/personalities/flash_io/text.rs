//! The original's report, and assay's own lines below it.
//!
//! Invariant: without assay's own options the text is the original's to the letter.

use command::flash_io::{FlashIoParameters, Form};
use results::record::{BadRange, Check, Phase};
use storage::arrays::LibraryMemory;
use units::{duration, visible};
use workloads::flash_io::{FlashFile, FlashIoEvent, Seconds};
use workloads::kit::observer::EventObserver;

use crate::personalities::latency::in_words;
use crate::personalities::own_lines::{own_sentence, phase_name, rate};
use crate::personalities::printer::Printer;

/// How many wrong places are printed.
const WRONG: usize = 8;
const MEBI: f64 = 1_048_576.0;
const RULER: &str = " -------------------------------------------------------";

/// What is printed, and in which form.
pub(super) struct FlashIoLook {
    pub(super) parameters: FlashIoParameters,
    /// The version of the library.
    pub(super) version: String,
    pub(super) ranks: u32,
    /// `-q`
    pub(super) quiet: bool,
    /// `--latency`
    pub(super) latency: bool,
}

/// What is known of one file of the current repetition.
struct WrittenFile {
    file: FlashFile,
    seconds: Seconds,
    amount: u64,
    phase: Phase,
}

/// Prints events.
pub(super) struct FlashIoText {
    look: FlashIoLook,
    /// The node of rank 0.
    node: String,
    written: Vec<WrittenFile>,
    hints: Vec<(String, String)>,
    pub(super) printer: Printer,
}

impl FlashIoText {
    pub(super) fn new(look: FlashIoLook, printer: Printer) -> Self {
        Self { look, node: String::new(), written: Vec::new(), hints: Vec::new(), printer }
    }

    /// Sets the node of rank 0.
    pub(super) fn on_node(&mut self, name: &str) {
        name.clone_into(&mut self.node);
    }

    fn report(&self, held: Option<LibraryMemory>) -> String {
        let FlashIoParameters { form, nonblocking, independent, zones, guards, .. } = self.look.parameters;
        let (library, begin) = match form {
            Form::Pnetcdf => ("PnetCDF", String::new()),
            Form::Hdf5 => ("HDF5", banner_of_hdf5(&self.look, &self.node, &self.written)),
        };
        let calls = if nonblocking { "nonblocking" } else { "blocking" };
        let access = if independent { "independent" } else { "collective" };
        let mut text =
            format!("{begin}{RULER}\n  Using {library} {calls} APIs\n  Using MPI {access} I/O\n{RULER}\n");
        let guards = format!(" number of guards      : {}\n", integer(guards, 13));
        // The original prints it twice.
        text.push_str(&guards.repeat(if form == Form::Pnetcdf { 2 } else { 1 }));
        let blocks = integer(self.look.parameters.blocks(), 13);
        text.push_str(&format!(" number of blocks      : {blocks}\n"));
        text.push_str(&format!(" number of variables   : {}\n", integer(24, 13)));
        self.written.iter().for_each(|file| text.push_str(&file.lines()));
        let prefix = self.look.parameters.prefix.trim_end_matches(' ');
        text.push_str(&format!("{RULER}\n File base name        : {prefix}\n"));
        text.push_str(&self.striping());
        let amount = self.written.iter().map(|file| file.amount).sum::<u64>() as f64 / MEBI;
        let seconds: f64 = self.written.iter().map(|file| file.seconds.total).sum();
        text.push_str(&format!(" Total I/O amount      : {}  MiB\n{RULER}\n", fixed(amount, 16)));
        text.push_str(" nproc    array size      exec (sec)   bandwidth (MiB/s)\n");
        let side = integer(zones, 3);
        text.push_str(&format!(
            "{}   {side} x {side} x {side}   {}  {}\n\n\n",
            integer(self.look.ranks.into(), 5),
            fixed(seconds, 7),
            fixed(amount / seconds, 10)
        ));
        text + &self.info() + &held.map_or(String::new(), heap)
    }

    /// The striping of the file, if the hints report it.
    fn striping(&self) -> String {
        let number = |wanted: &str| {
            let found = self.hints.iter().find(|(key, _)| key == wanted)?;
            found.1.trim().parse::<u64>().ok()
        };
        let Some(count) = number("striping_factor").filter(|count| *count > 0) else { return String::new() };
        let size = number("striping_unit").unwrap_or(0);
        format!(
            "   file striping count : {}\n   file striping size  : {}     bytes\n",
            integer(count, 13),
            integer(size, 13)
        )
    }

    fn info(&self) -> String {
        let mut text = format!(" MPI File Info: nkeys ={}\n", integer(self.hints.len() as u64, 12));
        for (number, (key, value)) in self.hints.iter().enumerate() {
            let (number, key) = (integer(number as u64, 2), letters(key.trim_end(), 25));
            text.push_str(&format!("MPI File Info: [{number}] key = {key}, value ={}\n", value.trim_end()));
        }
        text + " \n"
    }
}

impl WrittenFile {
    fn lines(&self) -> String {
        let title = match self.file {
            FlashFile::Checkpoint => " checkpoint time       : ",
            FlashFile::PlotCentered => " plot no corner        : ",
            FlashFile::PlotCorner => " plot    corner        : ",
        };
        let Seconds { header, unknown, close, total } = self.seconds;
        let mut text = format!("{title}{}  sec\n", fixed(total, 16));
        for (name, seconds) in
            [("max header     : ", header), ("max unknown    : ", unknown), ("max close      : ", close)]
        {
            text.push_str(&format!("        {name}{}  sec\n", fixed(seconds, 16)));
        }
        text + &format!("        I/O amount     : {}  MiB\n", fixed(self.amount as f64 / MEBI, 16))
    }
}

/// What the first benchmark (HDF5) prints of one repetition on the machine `node`: the run, and a line and a
/// time for each file. Only the words of the original are known, not the format of its numbers.
fn banner_of_hdf5(look: &FlashIoLook, node: &str, written: &[WrittenFile]) -> String {
    let FlashIoLook { parameters, version, ranks, .. } = look;
    let (zones, blocks) = (parameters.zones, parameters.blocks_total(*ranks));
    let mut text = format!(
        " HDF 5 v {version} test on {node}\n processors = {ranks}\n \
         nxb, nyb, nzb = {zones} {zones} {zones}\n nguard = {}\n number of blocks = {}\n nvar = 24\n",
        parameters.guards,
        parameters.blocks()
    );
    for file in written {
        let (path, seconds) = (&file.phase.path, file.seconds.total);
        text.push_str(&format!(" *** Wrote output to {path} ( {blocks} blocks ) ***\n"));
        text.push_str(&format!(" time to output = {seconds:.6}\n"));
    }
    text
}

/// What PnetCDF reports of its own memory, if it was built to report it.
fn heap(held: LibraryMemory) -> String {
    let mebibytes = |bytes: u64| integer(bytes / (1 << 20), 13);
    let mut text =
        format!("maximum heap memory allocted by PnetCDF internally is{} MiB\n", mebibytes(held.most));
    if held.now > 0 {
        let now = mebibytes(held.now);
        text.push_str(&format!(
            "heap memory allocated by PnetCDF internally has {now} MiB yet to be freed\n"
        ));
    }
    text
}

/// The latencies of the single calls of a phase.
fn latency(phase: &Phase) -> String {
    let Some(latency) = &phase.latency else { return String::new() };
    let balance = &phase.balance;
    format!(
        "{}: {} calls: {}; slowest rank {} on {}: {}, median of all ranks {}\n",
        phase_name(&phase.phase),
        phase.ops,
        in_words(latency, |name| name != "p99.9"),
        balance.slowest_rank,
        visible(&balance.slowest_node),
        rate(balance.slowest_rate),
        rate(balance.median_rate)
    )
}

/// The result of reading a file back.
fn checked(file: FlashFile, phase: &Phase, check: &Check) -> String {
    let name = phase_name(file.name());
    let fetched = format!(
        "{name}: {} bytes fetched again in {} ({})",
        check.bytes,
        duration(phase.spans.total_s),
        rate(phase.metric("bw").map_or(0.0, |metric| metric.value))
    );
    if check.bad_transfers == 0 {
        return format!("{fetched}: every value is right\n");
    }
    let mut text = format!(
        "{fetched}: WRONG DATA: {} ranges in {} of {} calls\n",
        check.ranges, check.bad_transfers, phase.ops
    );
    check.bad.iter().take(WRONG).for_each(|bad| text.push_str(&place(bad)));
    if check.ranges > WRONG as u64 {
        text.push_str(&format!("  and {} more\n", check.ranges - check.bad.len().min(WRONG) as u64));
    }
    text
}

fn place(bad: &BadRange) -> String {
    let BadRange { rank, path, offset, length, kind, detail, .. } = bad;
    let path = visible(path);
    format!("  rank {rank}: {path}: {detail} ({kind}; {length} bytes from byte {offset} of the file)\n")
}

impl EventObserver<FlashIoEvent<'_>> for FlashIoText {
    fn event(&mut self, event: &FlashIoEvent<'_>) {
        match event {
            FlashIoEvent::Wrote { file, seconds, amount, hints, phase } => {
                if *file == FlashFile::Checkpoint {
                    self.hints = hints.to_vec();
                    self.written.clear();
                }
                let (file, seconds, amount, phase) = (*file, *seconds, *amount, (*phase).clone());
                self.written.push(WrittenFile { file, seconds, amount, phase });
            }
            FlashIoEvent::Repetition { number, held } if !self.look.quiet => {
                let all = self.look.parameters.repetitions;
                if all > 1 {
                    self.printer.put_own(&format!("repetition {} of {all}", number + 1));
                }
                let report = self.report(*held);
                self.printer.put(&report);
                if self.look.latency {
                    let latencies: String = self.written.iter().map(|file| latency(&file.phase)).collect();
                    self.printer.put_own(&latencies);
                }
            }
            FlashIoEvent::Checked { file, phase } => {
                let Some(check) = &phase.check else { return };
                let text = checked(*file, phase, check);
                match check.bad_transfers {
                    0 if self.look.quiet => return,
                    0 => self.printer.put_own(&text),
                    _ => self.printer.put_fault(&text),
                }
                if self.look.latency {
                    self.printer.put_own(&latency(phase));
                }
            }
            FlashIoEvent::Notice(reason) if !self.look.quiet => self.printer.put_fault(&own_sentence(reason)),
            FlashIoEvent::Repetition { .. } | FlashIoEvent::Notice(_) => {}
        }
    }
}

/// A number as Fortran's `I` format of this width: aligned right, or asterisks if it does not fit.
fn integer(value: u64, width: usize) -> String {
    field(value.to_string(), width)
}

/// A number as Fortran's `F` format of this width with two decimals.
fn fixed(value: f64, width: usize) -> String {
    let text = format!("{value:.2}");
    // Fortran drops the zero before the point if the number would not fit otherwise.
    let bare = text.strip_prefix("0.").map(|decimals| format!(".{decimals}"));
    match bare {
        Some(bare) if text.len() > width => field(bare, width),
        _ => field(text, width),
    }
}

/// A text as Fortran's `A` format of this width: a longer text is truncated.
fn letters(text: &str, width: usize) -> String {
    let cut: String = text.chars().take(width).collect();
    format!("{cut:>width$}")
}

fn field(text: String, width: usize) -> String {
    if text.len() > width { "*".repeat(width) } else { format!("{text:>width$}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_aligned_right_or_becomes_asterisks() {
        assert_eq!(
            [integer(4, 13), integer(99_999, 5), integer(100_000, 5)],
            ["            4", "99999", "*****"]
        );
        assert_eq!(
            [fixed(0.049_9, 7), fixed(9999.99, 7), fixed(9999.999, 7)],
            ["   0.05", "9999.99", "*******"]
        );
        assert_eq!(fixed(0.25, 3), ".25");
        assert_eq!(integer(1000, 3), "***");
    }

    #[test]
    fn a_long_text_is_truncated() {
        assert_eq!([letters("cb_nodes", 10), letters("cb_nodes", 3)], ["  cb_nodes", "cb_"]);
    }
}
