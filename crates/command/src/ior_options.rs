//! The one reader of an IOR line: its letters, directives and long options, wherever the line gives them.
//!
//! Invariant: any line is read, and the last word on an option wins, as in IOR.
//! Never here: whether an option exists, whether a plan accepts the line, what options mean together.

use std::collections::BTreeMap;

use crate::words::{SplitLine, Valued, size};

/// Options that take a value, by their letter.
pub(crate) const WITH_VALUE: &str = "aAbdDfGijJlMNoOQstTUX";

/// Long options that take their value as the next word when it is not glued with `=`.
pub(crate) const LONG_WITH_VALUE: &[&str] = &[
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

/// Bytes of a block where the line gives none.
pub(crate) const BLOCK: u64 = units::MIB;

/// Bytes of a transfer where the line gives none.
pub(crate) const TRANSFER: u64 = 256 * units::KIB;

/// What takes a value in an IOR line.
pub(crate) const VALUED: Valued = Valued { letters: WITH_VALUE, long: LONG_WITH_VALUE };

/// Directives and the letter that each means; those without one are handled by name.
const DIRECTIVES: &[(&str, char)] = &[
    ("api", 'a'),
    ("blocksize", 'b'),
    ("checkread", 'R'),
    ("checkwrite", 'W'),
    ("collective", 'c'),
    ("datapackettype", 'l'),
    ("deadlineforstonewalling", 'D'),
    ("fileperproc", 'F'),
    ("fsync", 'e'),
    ("fsyncperwrite", 'Y'),
    ("hintsfilename", 'U'),
    ("keepfile", 'k'),
    ("memorypernode", 'M'),
    ("multifile", 'm'),
    ("numtasks", 'N'),
    ("randomoffset", 'z'),
    ("readfile", 'r'),
    ("reordertasks", 'C'),
    ("reordertasksconstant", 'C'),
    ("reordertasksrandom", 'Z'),
    ("repetitions", 'i'),
    ("segmentcount", 's'),
    ("settimestampsignature", 'G'),
    ("taskpernodeoffset", 'Q'),
    ("testfile", 'o'),
    ("transfersize", 't'),
    ("useexistingtestfile", 'E'),
    ("useo_direct", 'B'),
    ("writefile", 'w'),
];

/// One `KEY=VALUE` of `-O`.
pub(crate) enum Directive<'a> {
    /// The same as a letter with this value.
    Letter(char, &'a str),
    /// Any other, by its name in small letters.
    Named(String, &'a str),
}

/// The directives of a list such as `blockSize=1m,keepFile=1`; words without `=` are left out.
pub(crate) fn directives(list: &str) -> impl Iterator<Item = Directive<'_>> {
    list.split(',').filter_map(|piece| piece.split_once('=')).map(|(key, value)| {
        let (key, value) = (key.trim().to_lowercase(), value.trim());
        match DIRECTIVES.iter().find(|(name, _)| *name == key) {
            Some((_, letter)) => Directive::Letter(*letter, value),
            None => Directive::Named(key, value),
        }
    })
}

/// The options of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IorOptions {
    /// How often each flag is on.
    flags: BTreeMap<char, u64>,
    values: BTreeMap<char, String>,
    /// Where letters are given, the first word being 0.
    pub(crate) at: BTreeMap<char, usize>,
    /// `-O minTimeDuration`, other than 0.
    pub(crate) min_time: bool,
    /// `-O stoneWallingWearOut=1`
    pub(crate) wear_out: bool,
    /// `-O stoneWallingStatusFile`
    pub(crate) status_file: Option<String>,
    /// Whether the line lays files out: stripes of Lustre, targets of BeeGFS.
    pub(crate) layout: bool,
    /// The line, with its long options.
    pub(crate) split: SplitLine,
}

impl IorOptions {
    /// Reads the words after the program's name.
    pub(crate) fn read(words: &[String]) -> Self {
        let mut options = Self { split: SplitLine::read(words, VALUED), ..Self::default() };
        for given in options.split.letters.clone() {
            let letter = given.name.chars().next().unwrap_or_default();
            match (letter, given.value.as_deref()) {
                ('O', Some(list)) => options.listed(list, given.at),
                (letter, Some(value)) if WITH_VALUE.contains(letter) => options.put(letter, value, given.at),
                (letter, value) => options.switch(letter, value, given.at),
            }
        }
        options.layout |= options.split.longs.iter().any(|given| given.name.starts_with("posix.lustre."));
        options
    }

    fn switch(&mut self, letter: char, value: Option<&str>, at: usize) {
        let before = self.flags.get(&letter).copied().unwrap_or(0);
        let count = value.map_or(before + 1, |value| value.parse().unwrap_or(1));
        self.flags.insert(letter, count);
        self.at.insert(letter, at);
    }

    fn put(&mut self, letter: char, value: &str, at: usize) {
        self.values.insert(letter, value.to_owned());
        self.at.insert(letter, at);
    }

    fn listed(&mut self, list: &str, at: usize) {
        self.at.insert('O', at);
        for directive in directives(list) {
            match directive {
                Directive::Letter(letter, value) if WITH_VALUE.contains(letter) => {
                    self.put(letter, value, at);
                }
                Directive::Letter(letter, value) => self.switch(letter, Some(value), at),
                Directive::Named(key, value) => match key.as_str() {
                    "mintimeduration" => self.min_time = value != "0",
                    "stonewallingwearout" => self.wear_out = value != "0",
                    "stonewallingstatusfile" => self.status_file = Some(value.to_owned()),
                    key => {
                        let of = ["lustre", "beegfs", "--posix.lustre"];
                        self.layout |= of.iter().any(|fs| key.starts_with(fs));
                    }
                },
            }
        }
    }

    /// Whether a flag is on.
    pub(crate) fn on(&self, letter: char) -> bool {
        self.flags.get(&letter).is_some_and(|count| *count > 0)
    }

    /// The value of a letter.
    pub(crate) fn value(&self, letter: char) -> Option<&str> {
        self.values.get(&letter).map(String::as_str)
    }

    /// A number, `otherwise` where the line gives none; `None` where it gives one that cannot be read.
    pub(crate) fn number(&self, letter: char, otherwise: u64) -> Option<u64> {
        self.value(letter).map_or(Some(otherwise), size)
    }

    /// `--rwmix`: whether it writes and reads at once.
    pub(crate) fn mix(&self) -> bool {
        self.split.long("rwmix").is_some()
    }

    /// Whether it names a phase; if not, it writes and reads.
    pub(crate) fn names_phase(&self) -> bool {
        self.mix() || "wWrR".chars().any(|letter| self.on(letter))
    }

    /// `-l`, which data to write and expect: its first letter, small.
    pub(crate) fn packet(&self) -> Option<char> {
        let long = self.split.longs.iter().rfind(|given| given.name.eq_ignore_ascii_case("dataPacketType"));
        let after = |at: usize| self.at.get(&'l').is_none_or(|letter| at > *letter);
        let text = match long.filter(|long| after(long.at)) {
            Some(long) => long.value.as_deref(),
            None => self.value('l'),
        };
        text?.chars().next().map(|letter| letter.to_ascii_lowercase())
    }
}
