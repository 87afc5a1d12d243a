//! The parsed command line of `ior`: its request, and what else it has.

use units::Usage;

use super::output::Output;
use super::request::{Offsets, Reorder, Request};
use crate::Settings;
use crate::backends::backend;
use crate::classic::{ClassicLine, OptionNote, TakenOptions};

/// The note on `-z` where each block is one transfer.
const SEGMENTS_SHUFFLED: &str = "-z shuffles the transfers of all segments, because -b equals -t. IOR does \
                                 so up to version 3.3, and rejects it since 4.0.";

/// A parsed command line, or a test of a script.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// What the workload runs.
    pub request: Request,
    /// The form of the results.
    pub output: Output,
    /// The count of `-C`.
    pub constant: u64,
    /// The count of `-Z`.
    pub random_ranks: u64,
    /// The count of `-z`.
    pub(super) random_offsets: u64,
    /// `--random-order=ior`
    pub(super) ior_order: bool,
    /// Whether it writes and reads because it names no phase.
    pub(super) names_no_phase: bool,
    /// Whether `--rwmix` has a value that cannot be read.
    unread_mix: bool,
    /// `-f FILE`
    pub script: Option<String>,
    /// `-h`
    pub help: bool,
    /// `--version`
    pub version: bool,
    /// Options of backends, and notes for the user.
    pub taken: TakenOptions,
    /// The classic program's warnings before the first test, in its lines; also for `--warningAsErrors`.
    pub warnings: Vec<String>,
}

impl ClassicLine for Parsed {
    type Request = Request;

    fn unread(&mut self, option: Self::Option) {
        self.unread_mix |= option == Self::Option::ReadWriteMix;
    }

    fn finish(&mut self) -> Result<(), Usage> {
        let request = &mut self.request;
        let Request { write, read, write_check, read_check, .. } = *request;
        self.names_no_phase =
            !(write || read || write_check || read_check || request.mix.is_some() || self.unread_mix);
        if self.names_no_phase {
            (request.write, request.read) = (true, true);
        }
        request.reorder = match (self.constant, self.random_ranks) {
            (0, 0) => Reorder::Own,
            (_, 0) => Reorder::Constant,
            (_, 1) => Reorder::Random,
            (_, _) => Reorder::Permutation,
        };
        request.offsets = match (self.random_offsets, self.ior_order) {
            (0, _) => Offsets::Sequential,
            (1, false) => Offsets::Shuffled,
            (1, true) => Offsets::IorShuffled,
            _ => Offsets::RandomBlocks,
        };
        request.key.check()?;
        if self.constant > 0 && self.random_ranks > 0 {
            return Err(Usage::new("-C and -Z: both reorder the ranks. Give only one."));
        }
        self.taken.note_idle(&request.backend);
        let notes = &mut self.taken.notes;
        let views = backend(&request.backend).is_ok_and(|backend| backend.abilities.file_views);
        let given = |name: &str| request.settings.flag(name);
        if views && given("mpiio.useStridedDatatype") && !given("mpiio.useFileView") {
            let why = "--mpiio.useStridedDatatype has no effect without --mpiio.useFileView";
            notes.push(OptionNote::idle("--mpiio.useStridedDatatype", why));
        }
        if request.offsets == Offsets::Shuffled && request.block == request.transfer {
            notes.push(OptionNote::changed("-z", SEGMENTS_SHUFFLED));
        }
        if request.repetitions == 0 {
            self.warnings.push("too few test repetitions. Using value of 1.".into());
            request.repetitions = 1;
        }
        Ok(())
    }

    fn request(&self) -> &Request {
        &self.request
    }

    fn of_backends(&mut self) -> (&mut Settings, &mut TakenOptions) {
        (&mut self.request.settings, &mut self.taken)
    }
}
