//! The effect of each option of `mdtest` on the parsed command line.
//!
//! Invariant: each option has a match arm, which the compiler checks.
//! Never here: names and help of options, which are in `command`.

use command::MdtestOption;
use command::classic::OptionValue;
use workloads::kit::payload::file_id;

use super::typed::{MdtestEdition, TypedMdtest};
use command::Packet;
use command::classic::{OptionNote, without_gpu};

/// The note on `-B`.
const NO_BARRIERS: &str =
    "-B has no effect: phases begin and end together, because overlapping phases have no meaningful rates";

// tidy: long because each option has a line.
/// Sets an option to `value`. Fails with the reason if the value is not valid.
pub(super) fn set(
    typed: &mut TypedMdtest,
    option: MdtestOption,
    value: OptionValue<'_>,
) -> Result<(), String> {
    use MdtestOption as Id;
    let (parameters, only, look) = (&mut typed.parameters, &mut typed.only, &mut typed.look);
    match option {
        Id::Create => only.create = value.on(),
        Id::Stat => only.stat = value.on(),
        Id::ReadFiles => only.read = value.on(),
        Id::Remove => only.remove = value.on(),
        Id::Rename => only.rename = value.on(),
        Id::OnlyDirectories => only.directories = value.on(),
        Id::OnlyFiles => only.files = value.on(),
        Id::LustreLayout => inherited_layout(value)?,
        Id::Help => typed.help = value.on(),
        Id::Version => typed.version = value.on(),
        Id::MakeNode => parameters.make_node = value.on(),
        Id::LeafOnly => parameters.leaf_only = value.on(),
        Id::PrintBoth => look.both = value.on(),
        Id::PrintAllRanks => look.all_ranks = value.on(),
        Id::Shuffle => parameters.shuffle = value.on(),
        Id::SharedFile => parameters.shared_file = value.on(),
        Id::Collective => parameters.collective = value.on(),
        Id::TimeUniqueDirectory => parameters.time_unique_dir = value.on(),
        Id::UniqueDirectory => parameters.unique_dir = value.on(),
        Id::Verbose => {
            parameters.verbose = value.count(parameters.verbose.into()).try_into().unwrap_or(u32::MAX);
        }
        Id::VerifyRead => parameters.verify_read = value.on(),
        Id::VerifyWrite => parameters.verify_write = value.on(),
        Id::SyncFile => parameters.sync_file = value.on(),
        Id::CallSync => parameters.call_sync = value.on(),
        Id::PrintTimes => look.times = value.on(),
        Id::WarningsAsErrors => parameters.warnings_fail = value.on(),
        Id::RankStatistics => look.rank_statistics = value.on(),
        Id::GpuDirect => without_gpu(matches!(value, OptionValue::Flag(Some(0))))?,
        Id::KeepGoing => parameters.keep_going = value.on(),
        Id::DryRun => typed.dry_run = value.on(),
        Id::Backend => {
            command::backend(&value.text()).map_err(|error| error.0)?;
            typed.backend = Some(value.text());
        }
        Id::Branching => parameters.branching = value.whole()?,
        Id::Directory => typed.dirs = Some(value.text()),
        Id::Barriers => {
            typed.taken.notes.extend(value.on().then(|| OptionNote::idle("-B", NO_BARRIERS)));
        }
        Id::ReadBytes => parameters.read_bytes = value.whole()?,
        Id::FirstRanks => parameters.first_ranks = value.whole()?,
        Id::Signature => parameters.signature = Some(value.whole::<i32>()?).filter(|number| *number != -1),
        Id::Iterations => parameters.iterations = value.whole()?,
        Id::ItemsPerDirectory => parameters.items_per_dir = value.whole()?,
        Id::LastRanks => parameters.last_ranks = value.whole()?,
        Id::Items => parameters.items = value.whole()?,
        Id::Shift => parameters.shift = value.whole()?,
        Id::PreDelay => parameters.pre_delay = value.whole()?,
        Id::RandomSeed => parameters.random_seed = value.whole()?,
        Id::Stride => parameters.stride = value.whole()?,
        Id::Verbosity => parameters.verbose = value.whole()?,
        Id::WriteBytes => parameters.write_bytes = value.whole()?,
        Id::Deadline => parameters.deadline = value.whole()?,
        Id::StatusFile => parameters.status_file = Some(value.text()),
        Id::Depth => parameters.depth = value.whole()?,
        Id::PacketType => parameters.packet = Packet::parse(&value.text())?,
        Id::CommandBefore => parameters.before_phase = Some(value.text()),
        Id::CommandAfter => parameters.after_phase = Some(value.text()),
        Id::RankCsv => look.rank_csv = Some(value.text()),
        Id::OperationCsv => parameters.operation_csv = Some(value.text()),
        Id::GpuBuffers => without_gpu(matches!(value, OptionValue::Number(0)))?,
        Id::GpuId => without_gpu(matches!(value, OptionValue::Number(-1 | 0)))?,
        Id::Operations => parameters.extra = names(&value.text()),
        Id::Preload => parameters.preload = value.whole()?,
        Id::DataOf => parameters.data_of = Some(file_id(value.text().as_bytes())),
        Id::DataKey => typed.key.file = Some(value.text()),
        Id::Nonce => typed.key.nonce = Some(value.text()),
        Id::Record => look.record = Some(value.text()),
        Id::Progress => look.progress = Some(value.text()),
        Id::Edition => typed.compat = Some(edition(&value.text())?),
        Id::SeededShuffle => seeded_shuffle(typed, &value.text())?,
    }
    Ok(())
}

fn inherited_layout(value: OptionValue<'_>) -> Result<(), String> {
    match value.on() {
        false => Ok(()),
        true => Err("directories inherit their layout. Set it with `lfs setdirstripe -D` on the test \
                     directory, and leave -g out."
            .into()),
    }
}

/// The names in a list with commas.
fn names(list: &str) -> Vec<String> {
    list.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// The version of the text with this name.
pub(super) fn edition(name: &str) -> Result<MdtestEdition, String> {
    match name {
        "1.9" => Ok(MdtestEdition::Mdtest19),
        "3.3" => Ok(MdtestEdition::Mdtest33),
        "4.1" => Ok(MdtestEdition::Mdtest41),
        other => Err(format!("`{other}` is not 1.9, 3.3 or 4.1")),
    }
}

/// `-RSEED`, for which there are two options today.
fn seeded_shuffle(typed: &mut TypedMdtest, seed: &str) -> Result<(), String> {
    typed.parameters.random_seed = seed.parse().map_err(|_| "the seed does not fit into 64 bits")?;
    typed.parameters.shuffle = true;
    typed.taken.notes.push(OptionNote::changed("-R", format!("-R{seed} is now -R --random-seed={seed}")));
    Ok(())
}

#[cfg(test)]
mod tests {
    use command::classic::ClassicOption;
    use units::Usage;
    use workloads::mdtest::MdtestParameters;

    use super::*;
    use command::classic;

    fn parse(words: &str) -> Result<TypedMdtest, Usage> {
        let tokens: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        classic::parse(&tokens)
    }

    #[test]
    fn a_flag_of_1_9_takes_no_argument_and_todays_value_works() {
        let typed = parse("-B -u -n 5").unwrap();
        assert!(typed.parameters.unique_dir && typed.parameters.items == 5);
        assert_eq!(typed.taken.notes, [OptionNote::idle("-B", NO_BARRIERS)]);
        assert!(parse("-Bu").unwrap().parameters.unique_dir, "also with other letters");
        for words in ["-B 1 -u", "-B1 -u", "-B=1 -u"] {
            let typed = parse(words).unwrap();
            assert_eq!((typed.parameters.unique_dir, typed.taken.notes.len()), (true, 1), "{words}");
        }
        assert!(parse("-B 0").unwrap().taken.notes.is_empty());
        assert!(parse("-n 5 -B").is_ok(), "at the end of a line");
    }

    #[test]
    fn a_seed_glued_to_its_letter_becomes_todays_option() {
        let typed = parse("-R42 -u").unwrap();
        assert_eq!((typed.parameters.shuffle, typed.parameters.random_seed), (true, 42));
        assert_eq!(typed.taken.notes[0].to_string(), "-R42 is now -R --random-seed=42");
        assert!(parse("-R7u").unwrap().parameters.unique_dir);
        assert!(parse("-R99999999999999999999999").is_err());
        assert!(parse("-R=0").unwrap().taken.notes.is_empty() && !parse("-R=0").unwrap().parameters.shuffle);
    }

    #[test]
    fn retired_letters_are_translated_or_rejected() {
        let typed = parse("-M").unwrap();
        assert!(
            typed.parameters.unique_dir && typed.taken.notes[0].to_string().contains("is now -u"),
            "{:?}",
            typed.taken.notes
        );
        assert!(parse("-A key").unwrap_err().0.contains("object stores"));
    }

    #[test]
    fn the_help_shows_the_defaults_of_the_workload() {
        let of = |option: MdtestOption| option.row().default.to_owned();
        let parameters = MdtestParameters::default();
        assert_eq!(
            (of(MdtestOption::Backend), of(MdtestOption::Directory)),
            (parameters.backend, parameters.dirs.concat())
        );
        for (option, number) in [
            (MdtestOption::Branching, parameters.branching.to_string()),
            (MdtestOption::FirstRanks, parameters.first_ranks.to_string()),
            (MdtestOption::Iterations, parameters.iterations.to_string()),
            (MdtestOption::Stride, parameters.stride.to_string()),
        ] {
            assert_eq!(of(option), number, "{option:?}");
        }
        assert_eq!(Packet::parse(&of(MdtestOption::PacketType)), Ok(parameters.packet));
    }
}
