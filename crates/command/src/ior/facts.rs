//! The facts of any IOR command line, also of one that a plan rejects.
//!
//! Invariant: a value that cannot be parsed, such as `${SMALLEST}`, is unknown, never guessed.
//! Never here: rejecting a command line.

use std::collections::BTreeMap;

use crate::IorOption::{self, *};
use crate::backends;
use crate::classic::{
    ClassicOption, ModuleOptions, OptionInput, OptionOccurrence, OptionValues, Successor, read_tokens,
};
use crate::words::size;

/// Bytes of a block where the command line gives none.
pub(crate) const BLOCK: u64 = units::MIB;

/// Bytes of a transfer where the command line gives none.
pub(crate) const TRANSFER: u64 = 256 * units::KIB;

/// Whose data a rank reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadShift {
    /// The rank's own.
    #[default]
    None,
    /// That of a rank this number of nodes away: `-C`, `-Q`.
    Nodes(u64),
    /// That of a random rank: `-Z`.
    Random,
}

/// An IOR command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IorFacts {
    /// The arguments, without the program's name.
    pub words: Vec<String>,
    /// Whether it names a phase. If it names none, it writes and reads.
    pub names_phase: bool,
    /// It writes.
    pub write: bool,
    /// `-W`
    pub write_check: bool,
    /// It reads, without or with `-R`.
    pub read: bool,
    /// `-R`
    pub read_check: bool,
    /// `--rwmix`: it mixes writes and reads in one phase.
    pub mix: bool,
    /// Bytes of a block; `None` where the value cannot be parsed.
    pub block_bytes: Option<u64>,
    /// Bytes of a transfer.
    pub transfer_bytes: Option<u64>,
    /// Segments.
    pub segments: Option<u64>,
    /// `-F`
    pub file_per_rank: bool,
    /// `-k`
    pub keep: bool,
    /// `-D`, seconds; 0 for none.
    pub deadline_s: u64,
    /// `-O minTimeDuration`, other than 0.
    pub min_time: bool,
    /// The same, seconds; 0 for none or where it cannot be parsed.
    pub min_time_s: u64,
    /// `-O stoneWallingWearOut=1`
    pub wear_out: bool,
    /// `-O stoneWallingStatusFile`
    pub status_file: bool,
    /// `-i`
    pub repetitions: u64,
    /// `-m`, a file for each repetition.
    pub multi_file: bool,
    /// `-a`, in capitals.
    pub api: String,
    /// `-c`
    pub collective: bool,
    /// `-z`
    pub random: bool,
    /// `-z` where a block is one transfer: the transfers of all segments are shuffled together.
    pub shuffles_segments: bool,
    /// Whether transfers are rate-limited: `--rate`.
    pub is_rate_limited: bool,
    /// The value of `--rate`, for all ranks together, such as `200MB/s`.
    pub rate: Option<Box<str>>,
    /// `--randomPrefill`
    pub prefilled: bool,
    /// `-E`
    pub existing: bool,
    /// Whose data a rank reads.
    pub shift: ReadShift,
    /// `-e`: an fsync within the write's time.
    pub fsync: bool,
    /// `-Y`: an fsync after each transfer.
    pub fsync_each: bool,
    /// `O_DIRECT`
    pub direct: bool,
    /// `--drop-caches`
    pub drop_caches: bool,
    /// Memory that `-M` occupies, as a share of a node's memory.
    pub hog_share: Option<f64>,
    /// The same, in bytes of each node.
    pub hog_bytes: Option<u64>,
    /// Whether the command line gives MPI-IO hints.
    pub hints: bool,
    /// Whether the command line sets a file layout: stripes of Lustre, storage targets of BeeGFS.
    pub layout: bool,
    /// First letter of `-l`, where given.
    pub packet: Option<char>,
    /// `-o`
    pub file: Option<String>,
    /// `-N`, ranks that take part.
    pub ranks: Option<u64>,
    /// `-f`, the file that contains further options.
    pub script: Option<String>,
    /// The index of the argument that gives each letter, from 0.
    pub at: BTreeMap<char, usize>,
}

impl IorFacts {
    /// Reads the arguments that follow the program's name.
    pub fn read(line: &[String]) -> Self {
        let occurrences = read_tokens::<IorOption>(line, ModuleOptions::Any);
        let options = OptionValues::of(&occurrences);
        let (mix, both) = (options.has(ReadWriteMix), !names_phase(&options));
        let (hog_share, hog_bytes) = hog(options.text(MemoryPerNode).unwrap_or_default());
        Self {
            words: line.to_vec(),
            names_phase: !both,
            write: options.on(Write) || mix || both,
            write_check: options.on(WriteCheck),
            read: options.on(Read) || options.on(ReadCheck) || mix || both,
            read_check: options.on(ReadCheck),
            mix,
            block_bytes: options.number(BlockSize, BLOCK),
            transfer_bytes: options.number(TransferSize, TRANSFER),
            segments: options.number(Segments, 1),
            file_per_rank: options.on(FilePerRank),
            keep: options.on(Keep),
            deadline_s: options.number(Deadline, 0).unwrap_or(0),
            min_time: options.is_set(MinTime),
            min_time_s: options.number(MinTime, 0).unwrap_or(0),
            wear_out: options.is_set(WearOut),
            status_file: options.has(StatusFile),
            repetitions: options.number(Repetitions, 1).unwrap_or(1).max(1),
            multi_file: options.on(MultiFile),
            api: backend(&options),
            collective: options.on(Collective),
            random: options.on(RandomOffset),
            shuffles_segments: shuffles_segments(&options),
            is_rate_limited: options.has(Rate),
            rate: options.text(Rate).map(Box::from),
            prefilled: options.is_set(RandomPrefill),
            existing: options.on(UseExisting),
            shift: shift(&options),
            fsync: options.on(Fsync),
            fsync_each: options.on(FsyncEach),
            direct: is_direct(&options),
            drop_caches: options.on(DropCaches),
            hog_share,
            hog_bytes,
            hints: options.module_names().any(|name| name.ends_with(".hintsfilename")),
            layout: lays_out(&occurrences, &options),
            packet: packet(&options),
            file: options.text(TestFile).map(str::to_owned),
            ranks: options.number(Ranks, 0).filter(|_| options.has(Ranks)),
            script: options.text(Script).map(str::to_owned),
            at: letters(&occurrences),
        }
    }

    /// Bytes that one rank moves, where they are known.
    pub fn bytes_per_rank(&self) -> Option<u64> {
        self.block_bytes?.checked_mul(self.segments?)
    }

    /// Whether written data has left this client's memory when the clock stops.
    pub fn persists(&self) -> bool {
        self.fsync || self.fsync_each || self.direct
    }

    /// Where a letter is given: the number of its argument, from 1, and the argument.
    pub fn word(&self, letter: char) -> Option<(usize, String)> {
        let at = *self.at.get(&letter)?;
        Some((at + 1, self.words.get(at)?.clone()))
    }
}

/// Whether `-z` shuffles the transfers of all segments together.
fn shuffles_segments(options: &OptionValues<IorOption>) -> bool {
    let (block, transfer) = (options.number(BlockSize, BLOCK), options.number(TransferSize, TRANSFER));
    let several = options.number(Segments, 1).is_some_and(|segments| segments > 1);
    let own_order = options.text(RandomOrder) != Some("ior");
    options.count(RandomOffset) == 1 && own_order && several && block.is_some() && block == transfer
}

/// Whether the backend opens files with O_DIRECT: by its own option, or by that of POSIX.
fn is_direct(options: &OptionValues<IorOption>) -> bool {
    let Ok(backend) = backends::backend(&backend(options)) else { return false };
    let own = backend.options.iter().map(|option| (backend.name, option.name));
    let taken = backend.also_takes.iter().filter_map(|name| name.split_once('.'));
    let is_on = |(backend, name): (&str, &str)| options.module_on(&format!("{backend}.{name}"));
    own.chain(taken).filter(|(_, name)| *name == backends::ODIRECT.name).any(is_on)
}

/// Whether a command line names a phase. If it names none, it writes and reads.
pub(crate) fn names_phase(options: &OptionValues<IorOption>) -> bool {
    let phases = [Write, WriteCheck, Read, ReadCheck];
    options.has(ReadWriteMix) || phases.into_iter().any(|phase| options.on(phase))
}

/// The backend, in capitals.
pub(crate) fn backend(options: &OptionValues<IorOption>) -> String {
    options.text(Backend).unwrap_or("POSIX").to_uppercase()
}

/// The data to write and expect: the first letter of its name, in lower case.
pub(crate) fn packet(options: &OptionValues<IorOption>) -> Option<char> {
    options.text(PacketType)?.chars().next().map(|letter| letter.to_ascii_lowercase())
}

/// Which rank's data is read.
fn shift(options: &OptionValues<IorOption>) -> ReadShift {
    let nodes = options.number(ReorderOffset, 1);
    match (options.on(ReorderConstant), options.on(ReorderRandom), nodes) {
        (_, true, _) => ReadShift::Random,
        (true, _, Some(0)) => ReadShift::None,
        (true, _, nodes) => ReadShift::Nodes(nodes.unwrap_or(1)),
        _ => ReadShift::None,
    }
}

/// Whether a command line sets a file layout, also by a directive that no longer has an effect.
fn lays_out(occurrences: &[OptionOccurrence<IorOption>], options: &OptionValues<IorOption>) -> bool {
    let of_beegfs = |one: &OptionOccurrence<IorOption>| match &one.input {
        OptionInput::Retired(was, _) => was.directive.is_some_and(|name| name.starts_with("beegfs")),
        _ => false,
    };
    options.module_names().any(|name| name.starts_with("posix.lustre.")) || occurrences.iter().any(of_beegfs)
}

/// The index of each letter's argument, also where another of its names is given; `O` for any directive.
fn letters(occurrences: &[OptionOccurrence<IorOption>]) -> BTreeMap<char, usize> {
    let of = |one: &OptionOccurrence<IorOption>| match &one.input {
        OptionInput::Flag(row, _) | OptionInput::Value(row, _) => row.short,
        OptionInput::Retired(was, _) => was.short.or(match was.successor {
            Successor::Option(option, _) => option.row().short,
            _ => None,
        }),
        OptionInput::Module { .. } | OptionInput::Fault(_) => None,
    };
    let each = |one: &OptionOccurrence<IorOption>| {
        let list = one.is_listed.then_some('O');
        [of(one), list].into_iter().flatten().map(|letter| (letter, one.at)).collect::<Vec<_>>()
    };
    occurrences.iter().flat_map(each).collect()
}

/// Memory that `-M` occupies: as a share of a node's memory, or in bytes.
fn hog(text: &str) -> (Option<f64>, Option<u64>) {
    let share = text.strip_suffix('%').and_then(|percent| percent.parse::<f64>().ok());
    let bytes = size(text).filter(|_| share.is_none());
    // IOR reads a number up to 100 as percent, with or without a suffix.
    let percent = share.or(bytes.filter(|bytes| (1..=100).contains(bytes)).map(|bytes| bytes as f64));
    (percent.map(|percent| percent / 100.0), bytes.filter(|_| percent.is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IorLine;

    fn facts(line: &str) -> IorFacts {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        IorFacts::read(&words)
    }

    #[test]
    fn the_command_line_of_a_plan_and_the_facts_of_any_line_agree() {
        for line in [
            "-w -F -e -t 1m -b 1g -s 4 -k -D 30 -O stoneWallingWearOut=1",
            "-wrk -i 3 -m -o {dir}/f -l offset --dataPacketType=random",
            "--dataPacketType Offset -l random -O writeFile=1,checkRead=1,blockSize=4k,minTimeDuration=3",
            "-W -wr=0 -w --rwmix 70 -R",
            "-O stoneWallingStatusFile={dir}/s -r -C -Q 2 --rate 5/s",
            "",
        ] {
            let (plan, any) = (IorLine::parse(line).expect(line), facts(line));
            let plainly = any.read && !any.read_check && (!any.mix || plan.read);
            assert_eq!((plan.write || plan.mix, plan.write_check), (any.write, any.write_check), "{line}");
            assert_eq!((plan.read, plan.read_check, plan.mix), (plainly, any.read_check, any.mix), "{line}");
            let sizes = (any.block_bytes, any.transfer_bytes, any.segments);
            assert_eq!(
                (Some(plan.block_bytes), Some(plan.transfer_bytes), Some(plan.segments)),
                sizes,
                "{line}"
            );
            assert_eq!(
                (plan.file_per_rank, plan.keep, plan.multi_file),
                (any.file_per_rank, any.keep, any.multi_file)
            );
            assert_eq!(
                (plan.deadline_s, plan.wear_out, plan.min_time),
                (any.deadline_s, any.wear_out, any.min_time)
            );
            assert_eq!((plan.repetitions, &plan.file), (any.repetitions, &any.file), "{line}");
            assert_eq!(plan.status_file.is_some(), any.status_file, "{line}");
            // A plan adds the kind of data where the command line does not give it.
            assert_eq!(plan.packet, any.packet.or(Some('s')), "{line}");
        }
    }

    #[test]
    fn any_command_line_is_read_and_unreadable_values_are_unknown() {
        let line = facts("-r -b ${SMALLEST} -f script -o /scratch/f --record x stray");
        assert_eq!((line.block_bytes, line.bytes_per_rank()), (None, None));
        assert_eq!((line.script.as_deref(), line.file.as_deref()), (Some("script"), Some("/scratch/f")));
        assert_eq!(line.word('b'), Some((2, "-b".to_owned())));
    }

    #[test]
    fn memory_that_is_occupied_is_a_share_or_bytes() {
        for (text, share, bytes) in [
            ("-M 80%", Some(0.8), None),
            ("-M 80", Some(0.8), None),
            ("-M 64g", None, Some(64 << 30)),
            ("-w", None, None),
        ] {
            let line = facts(text);
            assert_eq!((line.hog_share, line.hog_bytes), (share, bytes), "{text}");
        }
    }

    #[test]
    fn the_shift_decides_whose_data_is_read() {
        for (line, shift) in [
            ("-r", ReadShift::None),
            ("-r -C", ReadShift::Nodes(1)),
            ("-r -C -Q 0", ReadShift::None),
            ("-r -O reorderTasksConstant=1,taskPerNodeOffset=4", ReadShift::Nodes(4)),
            ("-r -C -Z", ReadShift::Random),
        ] {
            assert_eq!(facts(line).shift, shift, "{line}");
        }
    }
}
