//! What a campaign has to know of an IOR line that it passes on word for word.
//!
//! The line itself is IOR's business; here are only the facts that decide whether a plan can work:
//! which phases it has, how much it moves, whether its files stay, what stops it.
//!
//! Invariant: the words of the line are never changed, only `{dir}` in them is replaced; where it does not
//! say which data to write, `-l stamped` is added, so that wrong data says what it is.
//! Never here: the full list of IOR's options; what is unknown here is IOR's to refuse.

use units::Usage;

use crate::words::{self, Given, Valued};

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

/// Options that take a value, by their letter.
pub const WITH_VALUE: &str = "aAbdDfGijJlMNoOQstTUX";

/// Long options that take their value as the next word when it is not glued with `=`.
pub const LONG_WITH_VALUE: &[&str] = &[
    "--aio.granularity",
    "--aio.max-pending",
    "--compat",
    "--dataPacketType",
    "--dummy.delay-close",
    "--dummy.delay-create",
    "--dummy.delay-sync",
    "--dummy.delay-xfer",
    "--generation",
    "--hdf5.chunkSize",
    "--hdf5.hintsFileName",
    "--hdf5.setAlignment",
    "--iodepth",
    "--live",
    "--mpiio.hintsFileName",
    "--ncmpi.hintsFileName",
    "--posix.lustre.pool",
    "--posix.lustre.startost",
    "--posix.lustre.stripecount",
    "--posix.lustre.stripesize",
    "--ramp",
    "--random-offset-seed",
    "--random-order",
    "--randomPrefill",
    "--rate",
    "--record",
    "--rwmix",
];

/// Directives and the option that each stands for; those without one are handled by name.
const DIRECTIVES: &[(&str, char)] = &[
    ("blocksize", 'b'),
    ("transfersize", 't'),
    ("segmentcount", 's'),
    ("readfile", 'r'),
    ("writefile", 'w'),
    ("checkread", 'R'),
    ("checkwrite", 'W'),
    ("fileperproc", 'F'),
    ("keepfile", 'k'),
    ("repetitions", 'i'),
    ("deadlineforstonewalling", 'D'),
    ("testfile", 'o'),
    ("datapackettype", 'l'),
    ("multifile", 'm'),
    ("settimestampsignature", 'G'),
];

impl IorLine {
    /// Reads a line such as `-w -F -t 1m -b 1g -k`; the program's own name may stand first.
    pub fn parse(line: &str) -> Result<Self, Usage> {
        let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        if let Some(first) = words.first()
            && matches!(first.rsplit('/').next(), Some("ior" | "IOR"))
        {
            words.remove(0);
        }
        let mut parsed = Self {
            words: words.clone(),
            write: false,
            write_check: false,
            mix: false,
            read: false,
            read_check: false,
            block_bytes: units::MIB,
            transfer_bytes: 256 * units::KIB,
            segments: 1,
            file_per_rank: false,
            keep: false,
            deadline_s: 0,
            wear_out: false,
            status_file: None,
            min_time: false,
            repetitions: 1,
            multi_file: false,
            file: None,
            packet: None,
            signature: None,
        };
        let stray =
            |word: &str| format!("`{word}` is not an option; an IOR line consists of `-x [value]` words");
        let valued = Valued { letters: WITH_VALUE, long: LONG_WITH_VALUE };
        words::walk(&words, valued, &stray, &mut |given| parsed.take(given))?;
        parsed.settle();
        if parsed.packet.is_none() {
            parsed.words.extend(PACKET.map(str::to_owned));
            parsed.packet = PACKET[1].chars().next();
        }
        Ok(parsed)
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

    fn settle(&mut self) {
        if !(self.write || self.write_check || self.mix || self.read || self.read_check) {
            (self.write, self.read) = (true, true);
        }
        if self.read_check {
            self.read = false;
        }
    }

    fn take(&mut self, given: Given) -> Result<(), Usage> {
        let (name, value) = match given {
            Given::Flag(letter, on) => {
                self.flag(letter, on);
                return Ok(());
            }
            Given::Valued(letter, value) => return self.valued(letter, &value),
            Given::Long(name, value) => (name, value),
        };
        match name.as_str() {
            "dataPacketType" => self.packet = value.as_deref().and_then(first),
            "rwmix" => self.mix = true,
            "record" => {
                return Err(Usage::new("`--record` is the campaign's own option; leave it out"));
            }
            name if name.starts_with("dryRun") => {
                return Err(Usage::new("`--dryRun` moves nothing that could be judged; leave it out"));
            }
            _ => {}
        }
        Ok(())
    }

    fn flag(&mut self, letter: char, on: bool) {
        match letter {
            'w' => self.write = on,
            'W' => self.write_check = on,
            'r' => self.read = on,
            'R' => self.read_check = on,
            'F' => self.file_per_rank = on,
            'k' => self.keep = on,
            'm' => self.multi_file = on,
            _ => {}
        }
    }

    fn valued(&mut self, letter: char, value: &str) -> Result<(), Usage> {
        match letter {
            'b' => self.block_bytes = size(letter, value)?,
            't' => self.transfer_bytes = size(letter, value)?,
            's' => self.segments = size(letter, value)?,
            'i' => self.repetitions = size(letter, value)?.max(1),
            'D' => self.deadline_s = size(letter, value)?,
            'l' => self.packet = first(value),
            'G' => self.signature = Some(value.to_owned()).filter(|value| value != "0"),
            'o' => {
                own_place(value)?;
                self.file = Some(value.to_owned());
            }
            'f' => {
                return Err(Usage::new("`-f` hides its options from the plan; write them in the line"));
            }
            'O' => {
                for directive in value.split(',') {
                    self.directive(directive)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn directive(&mut self, directive: &str) -> Result<(), Usage> {
        let Some((key, value)) = directive.split_once('=') else { return Ok(()) };
        if key.trim().eq_ignore_ascii_case("testFile") {
            return Err(Usage::new("`testFile` is the campaign's own choice; leave it out"));
        }
        let key = key.trim().to_lowercase();
        match (key.as_str(), DIRECTIVES.iter().find(|(name, _)| *name == key)) {
            ("stonewallingwearout", _) => self.wear_out = value.trim() != "0",
            ("mintimeduration", _) => self.min_time = value.trim() != "0",
            ("stonewallingstatusfile", _) => self.status_file = Some(value.trim().to_owned()),
            (_, Some((_, letter))) if WITH_VALUE.contains(*letter) => {
                return self.valued(*letter, value.trim());
            }
            (_, Some((_, letter))) => self.flag(*letter, value.trim() != "0"),
            _ => {}
        }
        Ok(())
    }
}

/// The letter that says which data is meant.
fn first(packet: &str) -> Option<char> {
    packet.chars().next().map(|letter| letter.to_ascii_lowercase())
}

/// A number as IOR reads it: decimal digits and one letter of `k m g t p`, in powers of 1024.
pub fn size(option: char, text: &str) -> Result<u64, Usage> {
    let bad = || Usage(format!("`-{option} {text}` is not a size; write for example `-{option} 1m`"));
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let number: u64 = number.parse().map_err(|_| bad())?;
    let power = match suffix.to_lowercase().trim_end_matches('b').trim_end_matches('i') {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return Err(bad()),
    };
    1024_u64.checked_pow(power).and_then(|factor| number.checked_mul(factor)).ok_or_else(bad)
}

/// Says no to files outside the campaign's own directory: IOR deletes what it finds under the name.
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
