//! The facts that a campaign needs of an IOR command line, which it passes on unmodified.
//!
//! These facts decide whether a plan can work: the phases, the amount of data, whether files stay, and what
//! stops a phase. IOR itself reads the rest of the command line.
//!
//! Invariant: the arguments stay as they are, except that `{dir}` is replaced. Where they name no kind of
//! data, `-l stamped` is added, because stamped data shows where wrong data came from.
//! Never here: the effect of an option on the workload, and the other options and values that IOR rejects.

use units::Usage;

use super::facts::{BLOCK, TRANSFER, backend, names_phase, packet};
use crate::IorOption::{self, *};
use crate::classic::{
    ClassicOption, ModuleOptions, OptionFault, OptionInput, OptionOccurrence, OptionValues, read_tokens,
};
use crate::words;

/// One IOR command line of a plan, read as far as a campaign needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IorLine {
    /// The arguments, without the program's name.
    pub words: Vec<String>,
    /// `-w`, or implied because no phase was named.
    pub write: bool,
    /// `-W`.
    pub write_check: bool,
    /// `--rwmix`: a phase of mixed reads and writes.
    pub mix: bool,
    /// A plain read: `-r` without `-R`, or implied.
    pub read: bool,
    /// `-R`, which replaces the plain read.
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
    /// The file in which a stopped writer reports its progress to readers, where the command line names one.
    pub status_file: Option<String>,
    /// `-O minTimeDuration`: phases repeat until this time is over.
    pub min_time: bool,
    /// `-i`, repetitions within one job.
    pub repetitions: u64,
    /// `-m`: a separate file for each of these repetitions.
    pub multi_file: bool,
    /// The file that `-o` names.
    pub file: Option<String>,
    /// `-l`, the kind of data to write and expect: its first letter, `s` where the command line gives none.
    pub packet: Option<char>,
    /// `-G`, the signature of the data; `None` where the time is the signature.
    pub signature: Option<String>,
    /// `-a`, in capitals.
    pub backend: String,
    /// `--drop-caches`, where the command line gives it.
    pub drop_caches: Option<bool>,
}

/// Added to a command line that does not name the kind of data.
const PACKET: [&str; 2] = ["-l", "stamped"];

impl IorLine {
    /// Reads a command line such as `-w -F -t 1m -b 1g -k`. The program's name may come first.
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

    /// The command line from arguments that were checked.
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
            backend: backend(options),
            drop_caches: options.has(DropCaches).then(|| options.on(DropCaches)),
        }
    }

    /// The command line with its written data read back and compared afterwards, outside of the measured
    /// time. The data comes from storage where the backend can drop the pages of its files.
    ///
    /// It is unchanged if it writes nothing, or measures a plain read after a mixed phase.
    pub fn verified(mut self) -> Self {
        let mut added = Vec::new();
        if self.write && !self.write_check {
            self.write_check = true;
            added.push("-W");
        }
        // A mixed phase rewrites data after -W has compared it.
        if self.mix && !self.read && !self.read_check {
            self.read_check = true;
            added.push("-R");
            // A mixed phase alone leaves the files, but IOR removes what -R reads.
            if !self.write && !self.keep {
                self.keep = true;
                added.push("-k");
            }
        }
        let has_plain_files = crate::backend(&self.backend).is_ok_and(crate::Backend::has_plain_files);
        if !added.is_empty() && self.drop_caches.is_none() && has_plain_files {
            self.drop_caches = Some(true);
            added.push("--drop-caches");
        }
        self.words.extend(added.into_iter().map(str::to_owned));
        self
    }

    /// Bytes that all ranks together are asked to move.
    pub fn bytes(&self, ranks: u32) -> u64 {
        self.block_bytes.saturating_mul(self.segments).saturating_mul(u64::from(ranks))
    }

    /// Number of sets of files that exist at the end.
    ///
    /// Without `-m`, a repetition overwrites the files of the one before. Without `-k`, it removes its own.
    pub fn sets(&self) -> u64 {
        if self.multi_file && self.keep { self.repetitions } else { 1 }
    }

    /// Names of the phases that the command line yields, as records name them.
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

    /// Whether the command line reads data that it did not write itself.
    pub fn only_reads(&self) -> bool {
        !self.write
    }

    /// Whether it writes into files: its own or those that it reads.
    pub fn writes(&self) -> bool {
        self.write || self.mix
    }
}

/// Rejects what a campaign cannot pass on.
fn check(given: &OptionOccurrence<IorOption>, words: &[String]) -> Result<(), Usage> {
    let word = &words[given.at];
    let rejected = |why: &str| Err(Usage::new(why));
    if let OptionInput::Fault(OptionFault::Stray(_)) = given.input {
        return Err(Usage(format!("`{word}` is not an option. Write IOR options as `-x [value]`.")));
    }
    if given.lacks_value(words) {
        return Err(Usage(format!("`{word}` has no value. Write its value after it.")));
    }
    let (OptionInput::Flag(row, _) | OptionInput::Value(row, _)) = given.input else { return Ok(()) };
    let text = given.text().unwrap_or_default();
    match row.id {
        Script => rejected("`-f` hides its options from the plan. Write them on the command line."),
        TestFile if given.is_listed => rejected("the campaign chooses the file. Leave `testFile` out."),
        TestFile => own_place(text),
        Record => rejected("the campaign sets `--record` itself. Leave it out."),
        Progress => rejected("the campaign sets `--progress` itself. Leave it out."),
        DataOf => rejected("a campaign gives each job its own data. Leave `--data-of` out."),
        DataKey | Nonce => rejected("the key of the data is an option of `assay run`. Leave it out."),
        DryRun => rejected("`--dryRun` moves no data, so there is nothing to measure. Leave it out."),
        id @ (BlockSize | TransferSize | Segments | Repetitions | Deadline) => {
            size(id.row().short.unwrap_or_default(), text).map(|_| ())
        }
        _ => Ok(()),
    }
}

/// A number as IOR reads it: decimal digits and one letter of `k m g t p`, in powers of 1024.
pub fn size(option: char, text: &str) -> Result<u64, Usage> {
    let bad = || Usage(format!("`-{option} {text}` is not a size. Write for example `-{option} 1m`."));
    words::size(text).ok_or_else(bad)
}

/// Rejects files outside the campaign's own directory, because IOR deletes an existing file of that name.
fn own_place(file: &str) -> Result<(), Usage> {
    let inside = |file: &str| file.starts_with("{dir}/") && !file.split('/').any(|part| part == "..");
    if file.split('@').all(inside) {
        return Ok(());
    }
    Err(Usage(format!(
        "`-o {file}` lies outside the campaign's own directory. IOR would delete the file that is there. \
         Leave `-o` out, or begin it with `{{dir}}/`."
    )))
}

#[cfg(test)]
mod tests;
