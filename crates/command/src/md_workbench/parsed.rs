//! The parsed command line of `md-workbench`: its request, and what else it has.

use units::Usage;

use super::request::Request;
use crate::Settings;
use crate::classic::{ClassicLine, OptionNote, TakenOptions};

/// The form of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// `-q`
    pub quiet: bool,
    /// `--print-detailed-stats`
    pub detailed: bool,
    /// `--process-reports`
    pub rank_reports: bool,
    /// Whether standard output has no own lines.
    pub plain: bool,
}

/// A parsed command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// What the workload runs.
    pub request: Request,
    /// `-1 -2 -3`; none means all.
    pub(super) phases: [bool; 3],
    /// The form of the text.
    pub output: Output,
    /// `--record FILE`
    pub record: Option<String>,
    /// `-h`
    pub help: bool,
    /// `--version`
    pub version: bool,
    /// Options of backends, and notes for the user.
    pub taken: TakenOptions,
}

impl ClassicLine for Parsed {
    type Request = Request;

    fn finish(&mut self) -> Result<(), Usage> {
        let request = &mut self.request;
        let all = self.phases == [false; 3];
        [request.precreate, request.benchmark, request.cleanup] = self.phases.map(|phase| phase || all);
        self.taken.note_idle(&request.backend);
        let notes = &mut self.taken.notes;
        if request.latency_all && request.latency.is_none() {
            notes.push(OptionNote::idle("--latency-all", "--latency-all has no effect without -L PREFIX"));
        }
        if request.wear_out && request.deadline == 0 {
            notes.push(OptionNote::idle("-W", "-W has no effect without -w SECONDS"));
        }
        if request.adaptive && request.waiting > 0.0 {
            notes.push(OptionNote::idle("-t", "-t has no effect with -T, which sets the waiting times"));
        }
        request.check()
    }

    fn request(&self) -> &Request {
        &self.request
    }

    fn of_backends(&mut self) -> (&mut Settings, &mut TakenOptions) {
        (&mut self.request.settings, &mut self.taken)
    }
}
