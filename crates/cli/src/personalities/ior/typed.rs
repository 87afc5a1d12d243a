//! The parsed `ior` command line, and its meaning.

use command::IorOption;
use command::classic::OptionValue;
use storage::Settings;
use units::Usage;
use workloads::ior::{IorParameters, Offsets, Reorder};

use super::apply;
use super::output::IorLook;
use crate::personalities::classic::{ClassicLine, OptionNote, TakenOptions, TypedKey};

/// The note on `-z` where each block is one transfer.
const SEGMENTS_SHUFFLED: &str = "-z shuffles the transfers of all segments, because -b equals -t. IOR does \
                                 so up to version 3.3, and rejects it since 4.0.";

/// How often each counted flag was given, and all other parsed options.
#[derive(Clone, Debug, Default)]
pub(crate) struct TypedIor {
    /// What goes to the workload unchanged.
    pub(crate) parameters: IorParameters,
    /// `-C`, counted.
    pub(crate) constant: u64,
    /// `-Z`, counted.
    pub(crate) random_ranks: u64,
    /// `-z`, counted.
    pub(crate) random_offsets: u64,
    /// `--random-order=ior`
    pub(crate) iors_order: bool,
    /// The form of the results.
    pub(crate) look: IorLook,
    /// `--data-key`, `--nonce`
    pub(crate) key: TypedKey,
    /// `-f FILE`
    pub(crate) script: Option<String>,
    /// `-h`
    pub(crate) help: bool,
    /// `--version`
    pub(crate) version: bool,
    /// Options of backends, and notes for the user.
    pub(crate) taken: TakenOptions,
}

/// A test, ready for the checks.
#[derive(Clone, Debug)]
pub(crate) struct MeantIor {
    pub(crate) parameters: IorParameters,
    pub(crate) look: IorLook,
    /// Notes for the user about options whose effect differs from their name.
    pub(crate) notes: Vec<OptionNote>,
    /// The classic program's warnings before the first test, in its lines; also for `--warningAsErrors`.
    pub(crate) warnings: Vec<String>,
    /// The count of `-C`, for the columns and lines that show it.
    pub(crate) constant: u64,
    /// The count of `-Z`.
    pub(crate) random_ranks: u64,
    /// The version of the library below the backend, once it is loaded; empty if there is none.
    pub(crate) api_version: String,
    /// `--data-key`, `--nonce`. The parameters have the key without its secret until the file is read.
    pub(crate) key: TypedKey,
}

impl TypedIor {
    /// The meaning of the command line. Counted flags become choices; without a phase the test writes and
    /// reads.
    pub(crate) fn meant(self) -> Result<MeantIor, Usage> {
        let Self { mut parameters, constant, random_ranks, random_offsets, look, taken, key, .. } = self;
        parameters.data_key = key.without_secret()?;
        let idle = taken.idle(&parameters.backend);
        let mut notes = taken.notes;
        notes.extend(idle);
        let views = command::backend(&parameters.backend).is_ok_and(|backend| backend.abilities.file_views);
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
            _ => return Err(Usage::new("-C and -Z: both reorder the ranks. Give only one.")),
        };
        parameters.offsets = match (random_offsets, self.iors_order) {
            (0, _) => Offsets::Sequential,
            (1, false) => Offsets::Shuffled,
            (1, true) => Offsets::IorShuffled,
            _ => Offsets::RandomBlocks,
        };
        if parameters.offsets == Offsets::Shuffled && parameters.block == parameters.transfer {
            notes.push(OptionNote::changed("-z", SEGMENTS_SHUFFLED));
        }
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
        Ok(MeantIor { parameters, look, notes, warnings, constant, random_ranks, api_version, key })
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
