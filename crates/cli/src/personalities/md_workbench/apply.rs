//! The effect of each option of `md-workbench` on the parsed command line.
//!
//! Invariant: each option has a match arm, which the compiler checks.
//! Never here: names and help of options, which are in `command`.

use command::MdWorkbenchOption;
use command::Settings;
use command::classic::OptionValue;
use units::Usage;
use workloads::md_workbench::WorkbenchParameters;

use command::Packet;
use command::classic::{ClassicLine, OptionNote, TakenOptions};

/// The parsed options.
#[derive(Clone, Debug, Default)]
pub(super) struct TypedMdWorkbench {
    /// What goes to the workload unchanged, except for the phases.
    pub(super) parameters: WorkbenchParameters,
    /// `-1 -2 -3`; none means all.
    phases: [bool; 3],
    /// The form of the text.
    pub(super) look: MdWorkbenchLook,
    /// `--record FILE`
    pub(super) record: Option<String>,
    /// `-h`
    pub(super) help: bool,
    /// `--version`
    pub(super) version: bool,
    taken: TakenOptions,
}

/// The form of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MdWorkbenchLook {
    /// `-q`
    pub(super) quiet: bool,
    /// `--print-detailed-stats`
    pub(super) detailed: bool,
    /// `--process-reports`
    pub(super) rank_reports: bool,
    /// Whether standard output has no own lines.
    pub(super) plain: bool,
}

impl TypedMdWorkbench {
    /// The parameters, and notes for the user about options that do less than they seem to.
    pub(super) fn meant(self) -> Result<(WorkbenchParameters, Vec<OptionNote>), Usage> {
        let Self { mut parameters, phases, mut taken, .. } = self;
        let all = phases == [false; 3];
        [parameters.precreate, parameters.benchmark, parameters.cleanup] = phases.map(|phase| phase || all);
        taken.note_idle(&parameters.backend);
        let mut notes = taken.notes;
        if parameters.latency_all && parameters.latency.is_none() {
            notes.push(OptionNote::idle("--latency-all", "--latency-all has no effect without -L PREFIX"));
        }
        if parameters.wear_out && parameters.deadline == 0 {
            notes.push(OptionNote::idle("-W", "-W has no effect without -w SECONDS"));
        }
        if parameters.adaptive && parameters.waiting > 0.0 {
            notes.push(OptionNote::idle("-t", "-t has no effect with -T, which sets the waiting times"));
        }
        parameters.check()?;
        Ok((parameters, notes))
    }
}

// tidy: long because each option has a line.
fn set(
    typed: &mut TypedMdWorkbench,
    option: MdWorkbenchOption,
    value: OptionValue<'_>,
) -> Result<(), String> {
    use MdWorkbenchOption as Id;
    let (parameters, look) = (&mut typed.parameters, &mut typed.look);
    match option {
        Id::Precreate => typed.phases[0] = value.on(),
        Id::Benchmark => typed.phases[1] = value.on(),
        Id::Cleanup => typed.phases[2] = value.on(),
        Id::Adaptive => parameters.adaptive = value.on(),
        Id::WearOut => parameters.wear_out = value.on(),
        Id::VerifyRead => parameters.verify = value.on(),
        Id::ReadOnly => parameters.read_only = value.on(),
        Id::IgnoreErrors => parameters.ignore_errors = value.on(),
        Id::LatencyAll => parameters.latency_all = value.on(),
        Id::RankReports => look.rank_reports = value.on(),
        Id::Detailed => look.detailed = value.on(),
        Id::Quiet => look.quiet = value.on(),
        Id::Verbose => {
            typed.taken.notes.extend(value.on().then(|| {
                OptionNote::idle("-v", "-v has no effect: the lines of single operations are not printed")
            }));
        }
        Id::Help => typed.help = value.on(),
        Id::Version => typed.version = value.on(),
        Id::Backend => {
            command::backend(&value.text()).map_err(|error| error.0)?;
            parameters.backend = value.text();
        }
        Id::Directory => parameters.dir = value.text(),
        Id::Offset => parameters.offset = value.whole()?,
        Id::PerSet => parameters.per_set = value.whole()?,
        Id::Objects => parameters.objects = value.whole()?,
        Id::Sets => parameters.sets = value.whole()?,
        Id::Iterations => parameters.iterations = value.whole()?,
        Id::ObjectSize => parameters.object_bytes = value.whole()?,
        Id::Signature => parameters.signature = Some(value.whole::<i32>()?).filter(|number| *number != -1),
        Id::Waiting => {
            let text = value.text();
            parameters.waiting =
                text.parse().map_err(|_| format!("`{text}` is not a number, such as 0.5"))?;
        }
        Id::Deadline => parameters.deadline = value.whole()?,
        Id::PacketType => parameters.packet = Packet::parse(&value.text())?,
        Id::StartItem => parameters.start_item = value.whole()?,
        Id::Latency => parameters.latency = Some(value.text()),
        Id::RunInfo => parameters.run_info = value.text(),
        Id::Record => typed.record = Some(value.text()),
    }
    Ok(())
}

impl ClassicLine for TypedMdWorkbench {
    type Option = MdWorkbenchOption;
    type Request = WorkbenchParameters;

    fn set(&mut self, option: MdWorkbenchOption, value: OptionValue<'_>) -> Result<(), String> {
        set(self, option, value)
    }

    fn finish(&mut self) -> Result<(), Usage> {
        Ok(())
    }

    fn request(&self) -> &WorkbenchParameters {
        &self.parameters
    }

    fn of_backends(&mut self) -> (&mut Settings, &mut TakenOptions) {
        (&mut self.parameters.settings, &mut self.taken)
    }
}

#[cfg(test)]
mod tests {
    use command::classic::ClassicOption;

    use super::*;
    use command::classic;

    fn meant(words: &str) -> Result<(WorkbenchParameters, Vec<OptionNote>), Usage> {
        let tokens: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        classic::parse::<TypedMdWorkbench>(&tokens)?.meant()
    }

    #[test]
    fn without_a_phase_all_are_done_and_each_letter_selects_one() {
        let phases = |words: &str| {
            let parameters = meant(words).unwrap().0;
            [parameters.precreate, parameters.benchmark, parameters.cleanup]
        };
        assert_eq!(phases("-P 5"), [true; 3]);
        assert_eq!(phases("-1"), [true, false, false]);
        assert_eq!(phases("-23 -D=2"), [false, true, true]);
    }

    #[test]
    fn values_are_taken_in_every_spelling() {
        let (parameters, notes) =
            meant("-O=2 -D4 --data-sets=7 -t=0.001 -L=lat -S 1k --start-item 3").unwrap();
        assert_eq!((parameters.offset, parameters.sets, parameters.waiting), (2, 7, 0.001));
        assert_eq!((parameters.object_bytes, parameters.start_item), (1024, 3));
        assert_eq!((parameters.latency.as_deref(), notes.len()), (Some("lat"), 0));
        assert!(meant("-t much").unwrap_err().0.contains("`much` is not a number"));
        assert!(meant("-P -1").unwrap_err().0.contains("negative"));
        for words in ["-W", "-v", "--latency-all", "-T -t 1"] {
            assert_eq!(meant(words).unwrap().1.len(), 1, "{words}");
        }
    }

    #[test]
    fn the_help_shows_the_defaults_of_the_workload() {
        let of = |option: MdWorkbenchOption| option.row().default.to_owned();
        let parameters = WorkbenchParameters::default();
        for (option, default) in [
            (MdWorkbenchOption::Backend, parameters.backend),
            (MdWorkbenchOption::Directory, parameters.dir),
            (MdWorkbenchOption::Offset, parameters.offset.to_string()),
            (MdWorkbenchOption::PerSet, parameters.per_set.to_string()),
            (MdWorkbenchOption::Objects, parameters.objects.to_string()),
            (MdWorkbenchOption::Sets, parameters.sets.to_string()),
            (MdWorkbenchOption::Iterations, parameters.iterations.to_string()),
            (MdWorkbenchOption::ObjectSize, parameters.object_bytes.to_string()),
            (MdWorkbenchOption::Waiting, parameters.waiting.to_string()),
            (MdWorkbenchOption::RunInfo, parameters.run_info),
        ] {
            assert_eq!(of(option), default, "{option:?}");
        }
    }
}
