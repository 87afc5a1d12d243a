//! What a campaign has to know of an IOR line that it passes on word for word.
//!
//! The line itself is IOR's business; here are only the facts that decide whether a plan can work:
//! which phases it has, how much it moves, whether its files stay, what stops it.
//!
//! Invariant: the words of the line are never changed, only `{dir}` in them is replaced; where it does not
//! say which data to write, `-l stamped` is added, so that wrong data says what it is.
//! Never here: what an option means to the workload, and which other options and values IOR rejects.

use units::Usage;

use super::facts::{BLOCK, TRANSFER, names_phase, packet};
use crate::IorOption::{self, *};
use crate::classic::{
    ClassicOption, ModuleOptions, OptionFault, OptionInput, OptionOccurrence, OptionValues, read_tokens,
};
use crate::words;

/// One IOR line of a plan, read as far as a campaign needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IorLine {
    /// The words of the line, without the program's name.
    pub words: Vec<String>,
    /// `-w`, or implied because no phase was named.
    pub write: bool,
    /// `-W`.
    pub write_check: bool,
    /// `--rwmix`: a phase of reads and writes mixed.
    pub mix: bool,
    /// A plain read: `-r` without `-R`, or implied.
    pub read: bool,
    /// `-R`, which takes the place of the plain read.
    pub read_check: bool,
    /// Bytes of one block.
    pub block_bytes: u64,
    /// Bytes of one transfer.
    pub transfer_bytes: u64,
    /// Segments.
    pub segments: u64,
    /// `-F`.
    pub file_per_rank: bool,
    /// `-k`.
    pub keep: bool,
    /// `-D`, seconds; 0 for none.
    pub deadline_s: u64,
    /// `-O stoneWallingWearOut=1`.
    pub wear_out: bool,
    /// The file that tells readers how far a stopped writer came, where the line names one.
    pub status_file: Option<String>,
    /// `-O minTimeDuration`: phases are gone through again until so much time is over.
    pub min_time: bool,
    /// `-i`, repetitions inside one launch.
    pub repetitions: u64,
    /// `-m`: a file of its own for each of these repetitions.
    pub multi_file: bool,
    /// The file that the line names with `-o`.
    pub file: Option<String>,
    /// `-l`, which data to write and expect: its first letter, `s` where the line does not say.
    pub packet: Option<char>,
    /// `-G`, what distinguishes the data; `None` where that is the time.
    pub signature: Option<String>,
}

/// What is added to a line that does not say which data to write.
const PACKET: [&str; 2] = ["-l", "stamped"];

impl IorLine {
    /// Reads a line such as `-w -F -t 1m -b 1g -k`; the program's own name may stand first.
    pub fn parse(line: &str) -> Result<Self, Usage> {
        let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        if let Some(first) = words.first()
            && matches!(first.rsplit('/').next(), Some("ior" | "IOR"))
        {
            words.remove(0);
        }
        let occurrences = read_tokens::<IorOption>(&words, ModuleOptions::Any);
        occurrences.iter().try_for_each(|occurrence| check(occurrence, &words))?;
        Ok(Self::of(words, &OptionValues::of(&occurrences)))
    }

    /// The line of words that were checked.
    fn of(mut words: Vec<String>, options: &OptionValues<IorOption>) -> Self {
        let both = !names_phase(options);
        let number = |option, otherwise| options.number(option, otherwise).unwrap_or(otherwise);
        let packet = packet(options);
        if packet.is_none() {
            words.extend(PACKET.map(str::to_owned));
        }
        Self {
            words,
            write: options.on(Write) || both,
            write_check: options.on(WriteCheck),
            mix: options.has(ReadWriteMix),
            read: (options.on(Read) || both) && !options.on(ReadCheck),
            read_check: options.on(ReadCheck),
            block_bytes: number(BlockSize, BLOCK),
            transfer_bytes: number(TransferSize, TRANSFER),
            segments: number(Segments, 1),
            file_per_rank: options.on(FilePerRank),
            keep: options.on(Keep),
            deadline_s: number(Deadline, 0),
            wear_out: options.is_set(WearOut),
            min_time: options.is_set(MinTime),
            repetitions: number(Repetitions, 1).max(1),
            multi_file: options.on(MultiFile),
            file: options.text(TestFile).map(str::to_owned),
            packet: packet.or(PACKET[1].chars().next()),
            signature: options.text(Signature).map(str::to_owned).filter(|value| value != "0"),
            status_file: options.text(StatusFile).map(str::to_owned),
        }
    }

    /// Bytes of all ranks together that the line asks for.
    pub fn bytes(&self, ranks: u32) -> u64 {
        self.block_bytes.saturating_mul(self.segments).saturating_mul(u64::from(ranks))
    }

    /// How many sets of files lie there at the end: without `-m` a repetition writes over the files of the
    /// one before, without `-k` each goes with its own.
    pub fn sets(&self) -> u64 {
        if self.multi_file && self.keep { self.repetitions } else { 1 }
    }

    /// Names of the phases that the line yields, as records name them.
    pub fn phases(&self) -> Vec<&'static str> {
        let all = [
            ("write", self.write),
            ("write_check", self.write_check),
            ("mixed_write", self.mix),
            ("mixed_read", self.mix),
            ("read", self.read),
            ("read_check", self.read_check),
        ];
        all.into_iter().filter(|(_, present)| *present).map(|(name, _)| name).collect()
    }

    /// Whether the line reads data that it did not write itself.
    pub fn only_reads(&self) -> bool {
        !self.write
    }

    /// Whether it writes into files, be they its own or those that it reads.
    pub fn writes(&self) -> bool {
        self.write || self.mix
    }
}

/// Rejects what a campaign cannot pass on.
fn check(given: &OptionOccurrence<IorOption>, words: &[String]) -> Result<(), Usage> {
    let word = &words[given.at];
    let rejected = |why: &str| Err(Usage::new(why));
    if let OptionInput::Fault(OptionFault::Stray(_)) = given.input {
        return Err(Usage(format!("`{word}` is not an option; an IOR line consists of `-x [value]` words")));
    }
    if given.lacks_value(words) {
        return Err(Usage(format!("`{word}` has no value")));
    }
    let (OptionInput::Flag(row, _) | OptionInput::Value(row, _)) = given.input else { return Ok(()) };
    let text = given.text().unwrap_or_default();
    match row.id {
        Script => rejected("`-f` hides its options from the plan; write them in the line"),
        TestFile if given.is_listed => rejected("`testFile` is the campaign's own choice; leave it out"),
        TestFile => own_place(text),
        Record => rejected("`--record` is the campaign's own option; leave it out"),
        DryRun => rejected("`--dryRun` moves nothing that could be judged; leave it out"),
        id @ (BlockSize | TransferSize | Segments | Repetitions | Deadline) => {
            size(id.row().short.unwrap_or_default(), text).map(|_| ())
        }
        _ => Ok(()),
    }
}

/// A number as IOR reads it: decimal digits and one letter of `k m g t p`, in powers of 1024.
pub fn size(option: char, text: &str) -> Result<u64, Usage> {
    let bad = || Usage(format!("`-{option} {text}` is not a size; write for example `-{option} 1m`"));
    words::size(text).ok_or_else(bad)
}

/// Rejects files outside the campaign's own directory: IOR deletes what it finds under the name.
fn own_place(file: &str) -> Result<(), Usage> {
    let inside = |file: &str| file.starts_with("{dir}/") && !file.split('/').any(|part| part == "..");
    if file.split('@').all(inside) {
        return Ok(());
    }
    Err(Usage(format!(
        "`-o {file}` lies outside the campaign's own directory, where IOR would delete what is there; leave \
         `-o` out, or begin it with `{{dir}}/`"
    )))
}

#[cfg(test)]
mod tests;
