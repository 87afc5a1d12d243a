//! What was typed on an `ior` command line, and what it means.

use command::IorOption;
use command::classic::OptionValue;
use storage::Settings;
use units::Usage;
use workloads::ior::{IorParameters, Offsets, Reorder};

use super::apply;
use super::output::IorLook;
use crate::personalities::classic::{ClassicLine, OptionNote, TakenOptions};

/// How often each counted flag was given, and everything else that was typed.
#[derive(Clone, Debug, Default)]
pub(crate) struct TypedIor {
    /// What goes to the workload as it is.
    pub(crate) parameters: IorParameters,
    /// `-C`, counted.
    pub(crate) constant: u64,
    /// `-Z`, counted.
    pub(crate) random_ranks: u64,
    /// `-z`, counted.
    pub(crate) random_offsets: u64,
    /// `--random-order=ior`
    pub(crate) iors_order: bool,
    /// How the results are shown.
    pub(crate) look: IorLook,
    /// `-f FILE`
    pub(crate) script: Option<String>,
    /// `-h`
    pub(crate) help: bool,
    /// Options of backends, and what the user is told.
    pub(crate) taken: TakenOptions,
}

/// A test, ready to be checked and run.
#[derive(Clone, Debug)]
pub(crate) struct MeantIor {
    pub(crate) parameters: IorParameters,
    pub(crate) look: IorLook,
    /// What the user is told about options that are taken otherwise than typed.
    pub(crate) notes: Vec<OptionNote>,
    /// What the classic program warns of before the first test, in its lines: for `--warningAsErrors` too.
    pub(crate) warnings: Vec<String>,
    /// `-C` as counted, for the columns and lines that show it.
    pub(crate) constant: u64,
    /// `-Z` as counted.
    pub(crate) random_ranks: u64,
    /// The version of what is under the backend, once that is loaded; empty where it has none.
    pub(crate) api_version: String,
}

impl TypedIor {
    /// What the line means: counted flags become choices, and no phase means both.
    pub(crate) fn meant(self) -> Result<MeantIor, Usage> {
        let Self { mut parameters, constant, random_ranks, random_offsets, look, taken, .. } = self;
        let idle = taken.idle(&parameters.backend);
        let mut notes = taken.notes;
        notes.extend(idle);
        let views = storage::backend(&parameters.backend).is_ok_and(|backend| backend.abilities.file_views);
        let given = |name: &str| parameters.settings.flag(name);
        if views && given("mpiio.useStridedDatatype") && !given("mpiio.useFileView") {
            let why = "--mpiio.useStridedDatatype has no effect without --mpiio.useFileView";
            notes.push(OptionNote::idle("--mpiio.useStridedDatatype", why));
        }
        parameters.reorder = match (constant, random_ranks) {
            (0, 0) => Reorder::Own,
            (_, 0) => Reorder::Constant,
            (0, 1) => Reorder::Random,
            (0, _) => Reorder::Permutation,
            _ => return Err(Usage::new("-C and -Z: choose one way to reorder the ranks")),
        };
        parameters.offsets = match (random_offsets, self.iors_order) {
            (0, _) => Offsets::Sequential,
            (1, false) => Offsets::Shuffled,
            (1, true) => Offsets::IorShuffled,
            _ => Offsets::RandomBlocks,
        };
        let asked = parameters.write || parameters.read || parameters.write_check || parameters.read_check;
        if !asked && parameters.mix.is_none() {
            (parameters.write, parameters.read) = (true, true);
        }
        let mut warnings = Vec::new();
        if parameters.repetitions == 0 {
            warnings.push("too few test repetitions. Using value of 1.".into());
            parameters.repetitions = 1;
        }
        let api_version = String::new();
        Ok(MeantIor { parameters, look, notes, warnings, constant, random_ranks, api_version })
    }
}

impl ClassicLine for TypedIor {
    type Option = IorOption;

    fn set(&mut self, option: IorOption, value: OptionValue<'_>) -> Result<(), String> {
        apply::set(self, option, value)
    }

    fn of_backends(&mut self) -> (&mut Settings, &mut TakenOptions) {
        (&mut self.parameters.settings, &mut self.taken)
    }
}
