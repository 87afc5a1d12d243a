//! What plan, linter and judge conclude from a command line of `ior`, also from one that is rejected.
//!
//! Never here: what any run rejects.

use units::Usage;

use super::options::IorOption;
use super::parsed::Parsed;
use super::request::{Hog, Offsets, RateLimit, Reorder};
use crate::Packet;
use crate::backends::{Backend, ODIRECT, backend};
use crate::classic::{self, ClassicOption, OptionInput, OptionOccurrence, ReadLine, Successor};
use crate::planned::{self, PlannedLine};

/// A command line of `ior`, as far as it can be read.
pub type Line = ReadLine<Parsed>;

/// Whose data a rank reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadShift {
    /// The rank's own.
    None,
    /// That of a rank this number of nodes away: `-C`, `-Q`.
    Nodes(u64),
    /// That of a random rank: `-Z`.
    Random,
}

/// Added to a command line of a plan that does not name the kind of data, because stamped data shows where
/// wrong data came from.
const STAMPED: [&str; 2] = ["-l", "stamped"];

impl Line {
    /// Reads a command line of a plan, such as `-w -F -t 1m -b 1g -k`. The program's name may come first.
    ///
    /// It fails if a campaign cannot pass it on.
    pub fn parse(text: &str) -> Result<Self, Usage> {
        let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        if let Some(first) = words.first()
            && matches!(first.rsplit('/').next(), Some("ior" | "IOR"))
        {
            words.remove(0);
        }
        let line = Self::read(&words);
        line.check_planned()?;
        if line.has(IorOption::PacketType) {
            return Ok(line);
        }
        words.extend(STAMPED.map(str::to_owned));
        Ok(Self::read(&words))
    }

    /// The command line with its written data read back and compared afterwards, outside of the measured
    /// time. The data comes from storage where the backend can drop the pages of its files.
    ///
    /// It is unchanged if it writes nothing, or measures a plain read after a mixed phase.
    pub fn verified(mut self) -> Self {
        let mut added = Vec::new();
        let (mixes, reads_plainly) = (self.mixes(), self.reads_plainly());
        let has_plain_files = backend(&self.backend).is_ok_and(Backend::has_plain_files);
        let drops_caches = self.has(IorOption::DropCaches);
        let request = &mut self.parsed.request;
        if request.write && !request.write_check {
            request.write_check = true;
            added.push("-W");
        }
        // A mixed phase rewrites data after -W has compared it.
        if mixes && !reads_plainly && !request.read_check {
            request.read_check = true;
            added.push("-R");
            // A mixed phase alone leaves the files, but IOR removes what -R reads.
            if !request.write && !request.keep {
                request.keep = true;
                added.push("-k");
            }
        }
        if !added.is_empty() && !drops_caches && has_plain_files {
            request.drop_caches = true;
            added.push("--drop-caches");
        }
        self.words.extend(added.into_iter().map(str::to_owned));
        self
    }

    /// Whether it names a phase. If it names none, it writes and reads.
    pub fn names_phase(&self) -> bool {
        !self.parsed.names_no_phase
    }

    /// Whether it has a phase of mixed reads and writes.
    pub fn mixes(&self) -> bool {
        self.mix.is_some() || self.is_unread(IorOption::ReadWriteMix)
    }

    /// Whether it reads, also to compare.
    pub fn reads(&self) -> bool {
        self.read || self.read_check || self.mixes()
    }

    /// Whether it has a plain read. `-R` replaces it.
    pub fn reads_plainly(&self) -> bool {
        self.read && !self.read_check
    }

    /// Bytes of a block.
    pub fn block_bytes(&self) -> Option<u64> {
        self.if_read(IorOption::BlockSize, self.block)
    }

    /// Bytes of a transfer.
    pub fn transfer_bytes(&self) -> Option<u64> {
        self.if_read(IorOption::TransferSize, self.transfer)
    }

    /// The number of segments.
    pub fn segment_count(&self) -> Option<u64> {
        self.if_read(IorOption::Segments, self.segments)
    }

    /// Bytes that one rank moves.
    pub fn bytes_per_rank(&self) -> Option<u64> {
        self.block_bytes()?.checked_mul(self.segment_count()?)
    }

    /// Bytes that all ranks together are asked to move, with the default in place of an unread size.
    pub fn bytes(&self, ranks: u32) -> u64 {
        self.set_bytes(ranks.into())
    }

    /// The file that `-o` names.
    pub fn file(&self) -> Option<&str> {
        self.has(IorOption::TestFile).then_some(&self.test_file)
    }

    /// Whether the ranks that ran out of time continue until they match the fastest.
    pub fn wears_out(&self) -> bool {
        self.wear_out || self.is_unread(IorOption::WearOut)
    }

    /// Whether phases repeat until a time is over.
    pub fn has_minimum_time(&self) -> bool {
        self.seconds_min > 0 || self.is_unread(IorOption::MinTime)
    }

    /// Whether its transfers are rate-limited.
    pub fn is_rate_limited(&self) -> bool {
        self.rate.is_some() || self.is_unread(IorOption::Rate)
    }

    /// The rate limit of all ranks together, bytes per second.
    pub fn rate_bytes(&self) -> Option<f64> {
        Some(match self.rate? {
            RateLimit::Bytes(rate) => rate,
            RateLimit::Transfers(rate) => rate * self.transfer as f64,
        })
    }

    /// Whether files are filled before random writes.
    pub fn is_prefilled(&self) -> bool {
        self.prefill > 0 || self.is_unread(IorOption::RandomPrefill)
    }

    /// Whether the offsets are in random order.
    pub fn is_random(&self) -> bool {
        self.offsets != Offsets::Sequential
    }

    /// Whether `-z` shuffles the transfers of all segments together, because a block is one transfer.
    pub fn shuffles_segments(&self) -> bool {
        let several = self.segment_count().is_some_and(|segments| segments > 1);
        let block = self.block_bytes();
        self.offsets == Offsets::Shuffled && several && block.is_some() && block == self.transfer_bytes()
    }

    /// Whether written data is flushed to storage within the measured time.
    pub fn is_flushed(&self) -> bool {
        self.sync || self.sync_each
    }

    /// Whether written data has left this client's memory when the clock stops.
    pub fn persists(&self) -> bool {
        self.is_flushed() || self.is_direct()
    }

    /// Whether the backend opens files with `O_DIRECT`: by its own option, or by that of POSIX.
    pub fn is_direct(&self) -> bool {
        let Ok(backend) = backend(&self.backend) else { return false };
        let own = backend.options.iter().map(|option| format!("{}.{}", backend.name, option.name));
        let taken = backend.also_takes.iter().map(ToString::to_string);
        let suffix = format!(".{}", ODIRECT.name);
        own.chain(taken).any(|name| name.ends_with(&suffix) && self.settings.flag(&name))
    }

    /// Whether the rates of both are comparable: their files, calls and flushes are alike.
    pub fn is_like(&self, other: &Self) -> bool {
        let calls =
            |line: &Self| (line.file_per_rank, line.collective, line.sync, line.sync_each, line.is_direct());
        self.backend.eq_ignore_ascii_case(&other.backend) && calls(self) == calls(other)
    }

    /// Whose data a rank reads.
    pub fn shift(&self) -> ReadShift {
        match (self.reorder, self.task_offset) {
            (Reorder::Own, _) | (Reorder::Constant, 0) => ReadShift::None,
            (Reorder::Constant, nodes) => ReadShift::Nodes(nodes.into()),
            (Reorder::Random | Reorder::Permutation, _) => ReadShift::Random,
        }
    }

    /// Memory that `-M` occupies, as a share of a node's memory.
    pub fn hog_share(&self) -> Option<f64> {
        if let Hog::PercentOfNode(percent) = self.hog { Some(f64::from(percent) / 100.0) } else { None }
    }

    /// The same, in bytes of each node.
    pub fn hog_bytes(&self) -> Option<u64> {
        if let Hog::PerNode(bytes) = self.hog { Some(bytes) } else { None }
    }

    /// Whether it gives MPI-IO hints.
    pub fn has_hints(&self) -> bool {
        self.settings.names().any(|name| name.ends_with(".hintsFileName"))
    }

    /// Whether it sets a file layout: stripes of Lustre, storage targets of BeeGFS, also without effect.
    pub fn sets_layout(&self) -> bool {
        let is_of_beegfs = |given: &OptionOccurrence<IorOption>| match &given.input {
            OptionInput::Retired(was, _) => was.directive.is_some_and(|name| name.starts_with("beegfs")),
            _ => false,
        };
        self.settings.names().any(|name| name.starts_with("posix.lustre."))
            || self.occurrences.iter().any(is_of_beegfs)
    }

    /// Whether all that describes its transfers is known: no option is in a script, and no size is unread.
    pub fn is_known(&self) -> bool {
        self.parsed.script.is_none() && self.bytes_per_rank().is_some() && self.transfer_bytes().is_some()
    }

    /// The index of the argument that gives a letter last, also by another of its names, from 0. `O` is given
    /// by any directive.
    pub fn place(&self, letter: char) -> Option<usize> {
        let gives = |given: &&OptionOccurrence<IorOption>| {
            let own = match &given.input {
                OptionInput::Flag(row, _) | OptionInput::Value(row, _) => row.short,
                OptionInput::Retired(was, _) => was.short.or(match was.successor {
                    Successor::Option(option, _) => option.row().short,
                    _ => None,
                }),
                OptionInput::Module(..) | OptionInput::Fault(_) => None,
            };
            own == Some(letter) || (given.is_listed && letter == 'O')
        };
        self.occurrences.iter().rfind(gives).map(|given| given.at)
    }

    /// The same with the argument itself, its number from 1.
    pub fn word(&self, letter: char) -> Option<(usize, String)> {
        let at = self.place(letter)?;
        Some((at + 1, self.words.get(at)?.clone()))
    }
}

impl PlannedLine for Line {
    fn check_planned(&self) -> Result<(), Usage> {
        planned::check(self, check_option)
    }

    fn backend(&self) -> Option<&str> {
        Some(&self.backend)
    }

    fn phases(&self) -> Vec<&'static str> {
        let all = [
            ("write", self.write),
            ("write_check", self.write_check),
            ("mixed_write", self.mixes()),
            ("mixed_read", self.mixes()),
            ("read", self.reads_plainly()),
            ("read_check", self.read_check),
        ];
        all.into_iter().filter(|(_, present)| *present).map(|(name, _)| name).collect()
    }

    fn dir(&self) -> Option<&str> {
        self.file()
    }

    fn creates(&self) -> bool {
        self.write
    }

    fn removes(&self) -> bool {
        !self.keep
    }

    fn writes(&self) -> bool {
        self.write || self.mixes()
    }

    fn set_bytes(&self, ranks: u64) -> u64 {
        self.block.saturating_mul(self.segments).saturating_mul(ranks)
    }

    fn set_names(&self, ranks: u64, _preload: u64) -> u64 {
        if self.file_per_rank { ranks } else { 1 }
    }

    // Without `-m`, a repetition overwrites the files of the one before. Without `-k`, it removes its own.
    fn sets(&self) -> u64 {
        if self.multi_file && self.keep { self.repetitions.into() } else { 1 }
    }

    fn repetitions(&self) -> u64 {
        self.parsed.request.repetitions.into()
    }

    fn moves_bytes(&self, ranks: u32) -> (u64, u64) {
        let bytes = self.set_bytes(ranks.into()).saturating_mul(self.repetitions());
        let share = |is_there: bool| if is_there { bytes } else { 0 };
        let parts = [self.reads_plainly(), self.read_check, self.write_check];
        (share(self.write), parts.into_iter().map(share).fold(0, u64::saturating_add))
    }

    // Also if it only reads them.
    fn holds_names(&self, ranks: u32, preload: u64) -> u64 {
        self.set_names(ranks.into(), preload).saturating_mul(self.sets())
    }

    fn deadline_s(&self) -> u64 {
        self.deadline.into()
    }

    fn compares(&self, phase: &str) -> bool {
        phase.ends_with("_check")
    }

    fn drops_caches(&self) -> bool {
        self.drop_caches
    }

    fn has_stamped_data(&self) -> bool {
        self.packet == Packet::Stamped
    }
}

/// Rejects an option of a plan's command line that only `ior` has.
fn check_option(given: &OptionOccurrence<IorOption>, option: IorOption, text: &str) -> Result<(), Usage> {
    use IorOption::{BlockSize, Deadline, Repetitions, Script, Segments, TestFile, TransferSize};
    let rejected = |why: &str| Err(Usage::new(why));
    match option {
        Script => rejected("`-f` hides its options from the plan. Write them on the command line."),
        TestFile if given.is_listed => rejected("the campaign chooses the file. Leave `testFile` out."),
        TestFile => own_place(text),
        BlockSize | TransferSize | Segments | Repetitions | Deadline => {
            size(option.row().short.unwrap_or_default(), text).map(|_| ())
        }
        _ => Ok(()),
    }
}

/// A number as IOR reads it: decimal digits and one letter of `k m g t p`, in powers of 1024.
pub fn size(option: char, text: &str) -> Result<u64, Usage> {
    let bad = || Usage(format!("`-{option} {text}` is not a size. Write for example `-{option} 1m`."));
    classic::size(text).ok_or_else(bad)
}

/// Rejects files outside the campaign's own directory, because IOR deletes an existing file of that name.
fn own_place(file: &str) -> Result<(), Usage> {
    if planned::is_below(file) {
        return Ok(());
    }
    Err(Usage(format!(
        "`-o {file}` lies outside the campaign's own directory. IOR would delete the file that is there. \
         Leave `-o` out, or begin it with `{{dir}}/`."
    )))
}
