//! What an IOR line says that a lint needs, read from any line: also from one that a plan would refuse.
//!
//! Invariant: a value that cannot be read, such as `${SMALLEST}`, is unknown; none is guessed.
//! Never here: whether an option exists, which the personality of the workload knows.

use std::collections::BTreeMap;

use super::Place;
use super::words::{Words, size};
use command::ior_line::{LONG_WITH_VALUE, WITH_VALUE};

/// Whom a rank reads after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shift {
    /// Itself.
    #[default]
    None,
    /// The rank so many nodes away: `-C`, `-Q`.
    Nodes(u64),
    /// A random rank: `-Z`.
    Random,
}

/// An IOR line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IorFacts {
    /// Its words, without the program's name.
    pub words: Vec<String>,
    /// Whether it names a phase; if not, it writes and reads.
    pub names_phase: bool,
    /// It writes.
    pub write: bool,
    /// `-W`
    pub write_check: bool,
    /// It reads, plainly or with `-R`.
    pub read: bool,
    /// `-R`
    pub read_check: bool,
    /// `--rwmix`: it writes and reads at once.
    pub mix: bool,
    /// Bytes of a block, where they can be read.
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
    /// Whether transfers are held to a pace.
    pub is_paced: bool,
    /// `--randomPrefill`
    pub prefilled: bool,
    /// `-E`
    pub existing: bool,
    /// Whom a rank reads after.
    pub shift: Shift,
    /// `-e`: an fsync within the write's time.
    pub fsync: bool,
    /// `-Y`: one after each transfer.
    pub fsync_each: bool,
    /// `O_DIRECT`
    pub direct: bool,
    /// `--drop-caches`
    pub drop_caches: bool,
    /// Memory that `-M` takes away, as a share of a node's.
    pub hog_share: Option<f64>,
    /// The same, in bytes of a node.
    pub hog_bytes: Option<u64>,
    /// Whether hints are given by the line.
    pub hints: bool,
    /// Whether the line says how files lie: stripes of Lustre, targets of BeeGFS.
    pub layout: bool,
    /// First letter of `-l`, where given.
    pub packet: Option<char>,
    /// `-o`
    pub file: Option<String>,
    /// `-N`, ranks that take part.
    pub ranks: Option<u64>,
    /// `-f`, the file that has options of the line.
    pub script: Option<String>,
    /// Where its letters stand, the first word being 0.
    pub at: BTreeMap<char, usize>,
}

/// Directives, and the letter that each stands for.
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
    ("taskpernodeoffset", 'Q'),
    ("testfile", 'o'),
    ("transfersize", 't'),
    ("useexistingtestfile", 'E'),
    ("useo_direct", 'B'),
    ("writefile", 'w'),
];

impl IorFacts {
    /// Reads the words behind the program's name.
    pub fn read(line: &[String]) -> Self {
        let words = Words::read(line, WITH_VALUE, LONG_WITH_VALUE);
        let mut gathered = Gathered::default();
        for given in &words.letters {
            let letter = given.name.chars().next().unwrap_or_default();
            match (letter, &given.value) {
                ('O', Some(list)) => gathered.directives(list, given.at),
                (letter, Some(value)) if WITH_VALUE.contains(letter) => {
                    gathered.value(letter, value, given.at);
                }
                (letter, value) => gathered.flag(letter, value.as_deref(), given.at),
            }
        }
        gathered.settle(line, &words)
    }

    /// Bytes that one rank moves, where they can be told.
    pub fn bytes_per_rank(&self) -> Option<u64> {
        self.block_bytes?.checked_mul(self.segments?)
    }

    /// Whether what it writes is on storage, or at least out of this client's memory, when the clock stops.
    pub fn persists(&self) -> bool {
        self.fsync || self.fsync_each || self.direct
    }

    /// The place of a letter.
    pub fn place(&self, letter: char) -> Option<Place> {
        let at = *self.at.get(&letter)?;
        Some(Place::Word(at + 1, self.words.get(at)?.clone()))
    }
}

/// Letters with their counts and values, wherever the line gives them.
#[derive(Default)]
struct Gathered {
    flags: BTreeMap<char, u64>,
    values: BTreeMap<char, String>,
    at: BTreeMap<char, usize>,
    min_time: bool,
    wear_out: bool,
    status_file: bool,
    layout: bool,
}

impl Gathered {
    fn flag(&mut self, letter: char, value: Option<&str>, at: usize) {
        let before = self.flags.get(&letter).copied().unwrap_or(0);
        let count = value.map_or(before + 1, |value| value.parse().unwrap_or(1));
        self.flags.insert(letter, count);
        self.at.insert(letter, at);
    }

    fn value(&mut self, letter: char, value: &str, at: usize) {
        self.values.insert(letter, value.to_owned());
        self.at.insert(letter, at);
    }

    fn directives(&mut self, list: &str, at: usize) {
        self.at.insert('O', at);
        for (key, value) in list.split(',').filter_map(|piece| piece.split_once('=')) {
            let (key, value) = (key.trim().to_lowercase(), value.trim());
            match (key.as_str(), DIRECTIVES.iter().find(|(name, _)| *name == key)) {
                ("mintimeduration", _) => self.min_time = value != "0",
                ("stonewallingwearout", _) => self.wear_out = value != "0",
                ("stonewallingstatusfile", _) => self.status_file = true,
                (key, None) => {
                    self.layout |=
                        ["lustre", "beegfs", "--posix.lustre"].iter().any(|fs| key.starts_with(fs));
                }
                (_, Some((_, letter))) if WITH_VALUE.contains(*letter) => self.value(*letter, value, at),
                (_, Some((_, letter))) => self.flag(*letter, Some(value), at),
            }
        }
    }

    fn on(&self, letter: char) -> bool {
        self.flags.get(&letter).is_some_and(|count| *count > 0)
    }

    /// A number that holds where the line gives none; `None` where it gives one that cannot be read.
    fn number(&self, letter: char, otherwise: u64) -> Option<u64> {
        self.values.get(&letter).map_or(Some(otherwise), |value| size(value))
    }

    fn shift(&self) -> Shift {
        match (self.on('C'), self.on('Z'), self.number('Q', 1)) {
            (_, true, _) => Shift::Random,
            (true, _, Some(0)) => Shift::None,
            (true, _, nodes) => Shift::Nodes(nodes.unwrap_or(1)),
            _ => Shift::None,
        }
    }

    fn settle(self, line: &[String], words: &Words) -> IorFacts {
        let mix = words.long("rwmix").is_some();
        let names_phase = mix || "wWrR".chars().any(|letter| self.on(letter));
        let hog = self.values.get(&'M').map(String::as_str).unwrap_or_default();
        let share = hog.strip_suffix('%').and_then(|percent| percent.parse::<f64>().ok());
        let hog_bytes = size(hog).filter(|_| share.is_none());
        // IOR takes up to 100 as percent, whatever stands behind it.
        let percent = share.or(hog_bytes.filter(|bytes| (1..=100).contains(bytes)).map(|bytes| bytes as f64));
        let layout = words.longs.iter().any(|given| given.name.starts_with("posix.lustre."));
        IorFacts {
            words: line.to_vec(),
            is_paced: words.long("rate").is_some(),
            names_phase,
            write: self.on('w') || mix || !names_phase,
            write_check: self.on('W'),
            read: self.on('r') || self.on('R') || mix || !names_phase,
            read_check: self.on('R'),
            mix,
            block_bytes: self.number('b', units::MIB),
            transfer_bytes: self.number('t', 256 * units::KIB),
            segments: self.number('s', 1),
            file_per_rank: self.on('F'),
            keep: self.on('k'),
            deadline_s: self.number('D', 0).unwrap_or(0),
            min_time: self.min_time,
            wear_out: self.wear_out,
            status_file: self.status_file,
            repetitions: self.number('i', 1).unwrap_or(1).max(1),
            multi_file: self.on('m'),
            api: self.values.get(&'a').map_or_else(|| "POSIX".to_owned(), |api| api.to_uppercase()),
            collective: self.on('c'),
            random: self.on('z'),
            prefilled: words.long("randomPrefill").is_some_and(|bytes| bytes != "0"),
            existing: self.on('E'),
            shift: self.shift(),
            fsync: self.on('e'),
            fsync_each: self.on('Y'),
            direct: self.on('B') || words.long_on("posix.odirect") || words.long_on("aio.odirect"),
            drop_caches: words.long_on("drop-caches"),
            hog_share: percent.map(|percent| percent / 100.0),
            hog_bytes: hog_bytes.filter(|_| percent.is_none()),
            hints: self.values.contains_key(&'U')
                || words.longs.iter().any(|given| given.name.ends_with("hintsFileName")),
            layout: self.layout || layout,
            packet: self
                .values
                .get(&'l')
                .map(String::as_str)
                .or(words.long("dataPacketType"))
                .and_then(|text| text.chars().next()),
            file: self.values.get(&'o').cloned(),
            ranks: self.values.get(&'N').and_then(|ranks| size(ranks)),
            script: self.values.get(&'f').cloned(),
            at: self.at,
        }
    }
}
