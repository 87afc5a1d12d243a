//! The output of md-workbench 4.1: a line for each phase, or columns with `--print-detailed-stats`.

use std::fmt::Write as _;
use std::io;

use command::md_workbench::Output;
use command::md_workbench::Request;
use jiff::Zoned;
use measure::statistics::{deviation, max, mean, min};
use units::exponential;
use workloads::kit::observer::EventObserver;
use workloads::md_workbench::{ObjectCall, StepResult, WorkbenchEvent, WorkbenchPhase, WorkbenchStep};

use crate::personalities::own_lines::own_sentence;
use crate::personalities::printer::Printer;

/// The version whose text is printed.
pub(super) const VERSION: &str = "4.1.0+dev";
const MIB: f64 = 1_048_576.0;
/// The warning about `-I` above `-P`.
const TOO_FEW: &str = "WARNING: num > precreate, this may cause the situation that no objects are available \
                       to read\n";
/// The heads of the columns of `--print-detailed-stats`.
const COLUMNS: [&str; 14] = [
    "phase", "", "d name", "create", "delete", "ob nam", "create", "read", "stat", "delete", "t_inc_b",
    "t_no_bar", "thp", "max_t",
];

/// Prints the events of a run.
pub(super) struct MdWorkbenchText {
    parameters: Request,
    look: Output,
    argv: Vec<String>,
    /// When the program started, seconds since 1970.
    begun: f64,
    printer: Printer,
    /// The lines below the classic text.
    notices: Vec<String>,
}

impl MdWorkbenchText {
    pub(super) fn new(
        printer: Printer,
        parameters: Request,
        look: Output,
        argv: &[String],
        begun: f64,
    ) -> Self {
        Self { parameters, look, argv: argv.to_vec(), begun, printer, notices: Vec::new() }
    }

    /// Prints the lines that do not belong to the classic text.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.printer.put_fault(&std::mem::take(&mut self.notices).join("\n"));
        self.printer.finish()
    }

    fn head(&mut self, on_node_0: &[bool]) {
        let ranks = on_node_0.len() as u32;
        let words: String = self.argv.iter().skip(1).map(|word| format!(" \"{word}\"")).collect();
        let program = self.argv.first().map_or("md-workbench", String::as_str);
        let map: String = on_node_0.iter().map(|here| if *here { '1' } else { '0' }).collect();
        self.printer.put(&format!("Args: {program}{words}\nNodemap: {map}\n"));
        if self.parameters.start_item > 0 {
            self.printer.put(&format!("Using start position {}\n", self.parameters.start_item));
        }
        if self.look.quiet {
            return;
        }
        let parameters = &self.parameters;
        let mut text = format!(
            "MD-Workbench total objects: {} workingset size: {:.3} MiB \
             (version: {VERSION}) time: {}\n",
            parameters.objects_total(ranks),
            parameters.bytes_total(ranks) / MIB,
            date()
        );
        if parameters.objects > parameters.per_set {
            text.push_str(TOO_FEW);
        }
        if self.look.detailed {
            text.push_str(&(COLUMNS.join("\t") + "\n"));
        }
        self.printer.put(&text);
    }

    fn phase(&mut self, phase: &WorkbenchPhase) {
        let mut text = format!("{}\n", self.line(phase, &phase.all, true));
        if self.look.rank_reports {
            for (rank, own) in phase.ranks.iter().enumerate() {
                let _ = writeln!(text, "{rank}: {}", self.line(phase, own, false));
            }
        }
        self.printer.put(&text);
    }

    /// The line of one rank, or of all ranks.
    fn line(&self, phase: &WorkbenchPhase, result: &StepResult, is_whole: bool) -> String {
        if self.look.detailed { self.columns(phase, result) } else { self.sentence(phase, result, is_whole) }
    }

    fn throughput(&self, result: &StepResult) -> f64 {
        let moved = result.count(ObjectCall::Create).done + result.count(ObjectCall::Read).done;
        moved as f64 * self.parameters.object_bytes as f64 / result.seconds / MIB
    }

    fn columns(&self, phase: &WorkbenchPhase, result: &StepResult) -> String {
        let name = phase.step.name();
        let calls = [
            ObjectCall::MakeSet,
            ObjectCall::RemoveSet,
            ObjectCall::Create,
            ObjectCall::Read,
            ObjectCall::Stat,
            ObjectCall::Delete,
        ];
        if result.errors() > 0 {
            let errors = calls.map(|call| format!("\t{}", result.count(call).errors)).concat();
            return format!("{name} err{errors}");
        }
        let counts = calls.map(|call| result.count(call).done.to_string()).join("\t");
        format!(
            "{name} \t{counts}\t{:.3}s\t{:.3}s\t{:.2} MiB/s {}",
            result.seconds,
            result.seconds,
            self.throughput(result),
            exponential(result.slowest_s, 4)
        )
    }

    fn sentence(&self, phase: &WorkbenchPhase, result: &StepResult, is_whole: bool) -> String {
        let mut text = format!("{} process max:{:.2}s ", phase.step.name(), result.seconds);
        if is_whole {
            text.push_str(&spread(&phase.ranks));
        }
        text.push_str(&self.rates(phase, result));
        let errors = result.errors();
        match (self.look.quiet, errors) {
            (false, 0) => text.push_str(" (0 errs)"),
            (true, 0) => {}
            _ => {
                let _ = write!(text, " ({errors} errs!!!)");
            }
        }
        if !self.look.quiet && phase.stonewall > 0 {
            let _ = write!(text, " stonewall-iter:{}", phase.stonewall);
        }
        for call in [ObjectCall::Read, ObjectCall::Stat, ObjectCall::Create, ObjectCall::Delete] {
            if let Some(latencies) = result.latencies[call as usize] {
                let numbers = latencies.map(|seconds| format!("{}s", exponential(seconds, 4))).join(", ");
                let _ = write!(text, " {}({numbers})", call.name());
            }
        }
        text
    }

    /// The rates of a phase, with the names that they have in it.
    fn rates(&self, phase: &WorkbenchPhase, result: &StepResult) -> String {
        let done = |call: ObjectCall| result.count(call).done;
        let rate = |count: u64| count as f64 / result.seconds;
        let (throughput, slowest) = (self.throughput(result), exponential(result.slowest_s, 4));
        match phase.step {
            WorkbenchStep::Precreate => {
                let (sets, objects) = (done(ObjectCall::MakeSet), done(ObjectCall::Create));
                format!(
                    "rate:{:.1} iops/s dsets: {sets} objects:{objects} rate:{:.3} dset/s rate:{:.1} obj/s \
                     tp:{throughput:.1} MiB/s op-max:{slowest}s",
                    rate(sets + objects),
                    rate(sets),
                    rate(objects)
                )
            }
            WorkbenchStep::Benchmark => {
                let objects = done(ObjectCall::Read);
                let calls = if self.parameters.read_only { 2 } else { 4 };
                let waiting = match phase.waiting > 1e-9 {
                    true => format!(" waiting_factor:{:.2}", phase.waiting),
                    false => String::new(),
                };
                format!(
                    "rate:{:.1} iops/s objects:{objects} rate:{:.1} obj/s tp:{throughput:.1} MiB/s \
                     op-max:{slowest}s{waiting}",
                    rate(objects * calls),
                    rate(objects)
                )
            }
            WorkbenchStep::Cleanup => {
                let (sets, objects) = (done(ObjectCall::RemoveSet), done(ObjectCall::Delete));
                format!(
                    "rate:{:.1} iops/s objects:{objects} dsets: {sets} rate:{:.1} obj/s rate:{:.3} dset/s \
                     op-max:{slowest}s",
                    rate(sets + objects),
                    rate(objects),
                    rate(sets)
                )
            }
        }
    }
}

/// The spread of the ranks' times. The deviation is that of a sample, so one rank has none.
fn spread(ranks: &[StepResult]) -> String {
    let seconds: Vec<f64> = ranks.iter().map(|rank| rank.seconds).collect();
    let [mean, min, max] = [mean, min, max].map(|statistic| statistic(&seconds).unwrap_or(f64::NAN));
    // As C prints the root of 0 divided by 0.
    let deviation = deviation(&seconds).map_or("-nan".to_owned(), |value| format!("{value:.1}"));
    format!("min:{min:.2}s mean: {mean:.2}s balance:{:.1} stddev:{deviation} ", min / max * 100.0)
}

fn date() -> String {
    Zoned::now().strftime("%Y-%m-%d %H:%M:%S").to_string()
}

impl EventObserver<WorkbenchEvent<'_>> for MdWorkbenchText {
    fn event(&mut self, event: &WorkbenchEvent<'_>) {
        match event {
            WorkbenchEvent::Started(on_node_0) => self.head(on_node_0),
            WorkbenchEvent::DirExists(dir) => {
                self.printer.put(&format!("WARNING: Unable to create test directory {dir}\n"));
            }
            WorkbenchEvent::WearOut(seconds, objects) => {
                self.printer.put(&format!("stonewall wear out {seconds:.6}s ({objects} iter)\n"));
            }
            WorkbenchEvent::Ended(phase) => self.phase(phase),
            WorkbenchEvent::Kept(dir) => self.printer.put(&format!("Unable to remove directory {dir}\n")),
            WorkbenchEvent::Notice(reason) => self.notices.push(own_sentence(reason)),
            WorkbenchEvent::Over if self.look.quiet => {}
            WorkbenchEvent::Over => {
                let seconds = (measure::unix_seconds() - self.begun).max(0.0);
                self.printer.put(&format!("Total runtime: {seconds:.0}s time: {}\n", date()));
            }
        }
    }
}
