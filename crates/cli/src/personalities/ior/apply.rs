//! The effect of each option of `ior` on the parsed command line.
//!
//! Invariant: each option has a match arm, which the compiler checks.
//! Never here: names and help of options, which are in `command`.

use command::IorOption;
use command::classic::{OptionValue, parse_number};
use workloads::ior::{Hog, IorParameters};
use workloads::kit::payload::file_id;

use super::numbers;
use super::output::{IorEdition, IorLook, ResultFormat};
use super::typed::TypedIor;
use crate::personalities::classic::{OptionNote, packet, without_gpu};

// tidy: long because each option has a line.
/// Sets an option to `value`. Fails with the reason if the value is not valid.
pub(crate) fn set(typed: &mut TypedIor, option: IorOption, value: OptionValue<'_>) -> Result<(), String> {
    use IorOption as Id;
    let parameters = &mut typed.parameters;
    match option {
        Id::Collective => parameters.collective = value.on(),
        Id::ReorderConstant => typed.constant = value.count(typed.constant),
        Id::Fsync => parameters.sync = value.on(),
        Id::UseExisting => parameters.use_existing = value.on(),
        Id::FilePerRank => parameters.file_per_rank = value.on(),
        Id::Barriers => parameters.barriers = value.on(),
        Id::Help => typed.help = value.on(),
        Id::Version => typed.version = value.on(),
        Id::Keep => parameters.keep = value.on(),
        Id::KeepWithError => parameters.keep_with_error = value.on(),
        Id::MultiFile => parameters.multi_file = value.on(),
        Id::Read => parameters.read = value.on(),
        Id::ReadCheck => parameters.read_check = value.on(),
        Id::UniqueDirectory => parameters.unique_dir = value.on(),
        Id::Verbose => {
            parameters.verbose = value.count(parameters.verbose.into()).try_into().unwrap_or(u32::MAX);
        }
        Id::Write => parameters.write = value.on(),
        Id::WriteCheck => parameters.write_check = value.on(),
        Id::SingleAttempt => parameters.single_attempt = value.on(),
        Id::DualMount => parameters.dual_mount = value.on(),
        Id::FsyncEach => parameters.sync_each = value.on(),
        Id::RandomOffset => typed.random_offsets = value.count(typed.random_offsets),
        Id::ReorderRandom => typed.random_ranks = value.count(typed.random_ranks),
        Id::DryRun => parameters.dry_run = value.on(),
        Id::WarningsAsErrors => parameters.warnings_fail = value.on(),
        Id::GpuDirect => without_gpu(matches!(value, OptionValue::Flag(Some(0))))?,
        Id::DropCaches => parameters.drop_caches = value.on(),
        Id::Backend => {
            command::backend(&value.text()).map_err(|error| error.0)?;
            parameters.backend = value.text();
        }
        Id::Reference => parameters.reference = value.whole()?,
        Id::BlockSize => parameters.block = value.whole()?,
        Id::Delay => parameters.delay = delay(&value.text(), &mut typed.taken.notes)?,
        Id::Deadline => parameters.deadline = value.whole()?,
        Id::Script => typed.script = Some(value.text()),
        Id::Signature => parameters.signature = Some(value.whole::<i32>()?).filter(|number| *number != 0),
        Id::Repetitions => parameters.repetitions = value.whole()?,
        Id::OutlierThreshold => parameters.outlier_seconds = value.whole()?,
        Id::PacketType => parameters.packet = packet(&value.text())?,
        Id::MemoryPerNode => parameters.hog = numbers::hog(&value.text())?,
        Id::Ranks => parameters.ranks = value.unless_minus_one()?,
        Id::TestFile => parameters.test_file = value.text(),
        // The reader expands its directives in place, each as the option that it sets.
        Id::Directives => {}
        Id::ReorderOffset => parameters.task_offset = value.whole()?,
        Id::Segments => parameters.segments = value.whole()?,
        Id::TransferSize => parameters.transfer = value.whole()?,
        Id::MaxTime => parameters.minutes_max = value.whole()?,
        Id::ReorderSeed => parameters.reorder_seed = value.whole()?,
        Id::WearOut => parameters.wear_out = value.on(),
        Id::WearOutTransfers => parameters.wear_out_transfers = value.whole()?,
        Id::StatusFile => parameters.status_file = Some(value.text()),
        Id::Nodes => parameters.nodes = value.unless_minus_one()?,
        Id::RanksOnNode0 => parameters.ranks_on_node0 = value.unless_minus_one()?,
        Id::MinTime => parameters.seconds_min = value.whole()?,
        Id::TransferPause => parameters.pause_us = value.whole()?,
        Id::MemoryPerRank => parameters.hog = hog_per_rank(value)?,
        Id::SummaryFile => typed.look.file = Some(value.text()),
        Id::SummaryFormat => typed.look.format = format(&value.text())?,
        Id::SummaryAlways => typed.look.summary_always = value.on(),
        Id::RankCsv => rank_csv(parameters, &mut typed.look, value.text()),
        Id::TransferCsv => parameters.transfer_csv = Some(value.text()),
        Id::GpuBuffers => without_gpu(matches!(value, OptionValue::Number(0)))?,
        Id::GpuId => without_gpu(matches!(value, OptionValue::Number(-1 | 0)))?,
        Id::Debug => typed.taken.notes.push(taken("debug", &value.text())),
        Id::Platform => typed.taken.notes.push(taken("platform", &value.text())),
        Id::RandomPrefill => parameters.prefill = value.whole()?,
        Id::OffsetSeed => parameters.offset_seed = value.whole::<i64>()?.try_into().ok(),
        Id::RandomOrder => typed.iors_order = is_iors_order(&value.text())?,
        Id::Record => typed.look.record = Some(value.text()),
        Id::Live => typed.look.live = Some(value.text()),
        Id::Progress => typed.look.progress = Some(value.text()),
        Id::Edition => typed.look.edition = Some(edition(&value.text())?),
        Id::QueueDepth => parameters.depth = Some(value.whole()?),
        Id::ReadWriteMix => parameters.mix = Some(value.whole()?),
        Id::Rate => parameters.rate = Some(numbers::rate(&value.text())?),
        Id::Ramp => parameters.ramp = value.whole()?,
        Id::Generation => parameters.generation = Some(value.whole()?),
        Id::DataOf => parameters.data_of = Some(file_id(value.text().as_bytes())),
        Id::DataKey => typed.key.file = Some(value.text()),
        Id::Nonce => typed.key.nonce = Some(value.text()),
    }
    Ok(())
}

/// The whole seconds of `-d`. IOR drops what follows the dot.
fn delay(text: &str, notes: &mut Vec<OptionNote>) -> Result<u32, String> {
    let fraction = text.parse::<f64>().ok().filter(|_| text.contains('.') && !text.starts_with('-'));
    let Some(seconds) = fraction else { return OptionValue::Number(parse_number(text)?).whole() };
    let whole = OptionValue::Number(seconds as i64).whole()?;
    notes.push(OptionNote::changed("-d", format!("-d {text} waits {whole} s: only whole seconds count")));
    Ok(whole)
}

fn hog_per_rank(value: OptionValue<'_>) -> Result<Hog, String> {
    Ok(match value.whole()? {
        0 => Hog::Nothing,
        bytes => Hog::PerRank(bytes),
    })
}

fn format(name: &str) -> Result<ResultFormat, String> {
    match name.to_lowercase().as_str() {
        "default" => Ok(ResultFormat::Text),
        "json" => Ok(ResultFormat::Json),
        "csv" => Ok(ResultFormat::Csv),
        other => Err(format!("`{other}` is not a format. Use default, JSON or CSV")),
    }
}

fn rank_csv(parameters: &mut IorParameters, look: &mut IorLook, file: String) {
    look.rank_csv = Some(file);
    parameters.rank_times = true;
}

fn taken(name: &str, value: &str) -> OptionNote {
    OptionNote::idle(name, format!("{name}={value} is accepted and has no effect"))
}

fn is_iors_order(name: &str) -> Result<bool, String> {
    match name {
        "ior" => Ok(true),
        "assay" => Ok(false),
        other => Err(format!("`{other}` is neither `assay` nor `ior`")),
    }
}

/// The version of the text with this name.
pub(super) fn edition(name: &str) -> Result<IorEdition, String> {
    match name {
        "3.3" => Ok(IorEdition::Ior33),
        "4.1" => Ok(IorEdition::Ior41),
        other => Err(format!("`{other}` is neither 3.3 nor 4.1")),
    }
}

#[cfg(test)]
mod tests {
    use command::classic::ClassicOption;

    use super::*;

    #[test]
    fn the_help_shows_the_defaults_of_the_workload() {
        let of = |option: IorOption| option.row().default.to_owned();
        let parameters = IorParameters::default();
        assert_eq!(of(IorOption::Backend), parameters.backend);
        assert_eq!(of(IorOption::BlockSize), parameters.block.to_string());
        assert_eq!(of(IorOption::TransferSize), parameters.transfer.to_string());
        assert_eq!(of(IorOption::TestFile), parameters.test_file);
        assert_eq!(of(IorOption::Segments), parameters.segments.to_string());
        assert_eq!(of(IorOption::Repetitions), parameters.repetitions.to_string());
        assert_eq!(of(IorOption::ReorderOffset), parameters.task_offset.to_string());
        assert_eq!(packet(&of(IorOption::PacketType)), Ok(parameters.packet));
    }
}
