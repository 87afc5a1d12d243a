//! Any bytes in place of a file of a campaign, an archive, a plan or a command line: every reader returns a
//! value or an error. The fuzz targets in `fuzz/` call the same functions without a limit of time.

#[path = "../../../../fuzz/src/lib.rs"]
#[allow(unreachable_pub)]
mod inputs;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use plan::{Choice, Plan};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use results::folder::{self, names};

use crate::common::campaign::{Place, WRITTEN_AND_COMPARED, tree};
use crate::common::{by_set, only_in_all};

/// Texts in place of a number or a value.
const VALUES: &[&str] = &[
    "0",
    "-1",
    "1",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "-9223372036854775808",
    "1e308",
    "-1e308",
    "1e-308",
    "1e999",
    "0.5",
    "null",
    "true",
    "\"\"",
    "\"\\u001b\"",
    "[]",
    "[0]",
    "{}",
    "[[0,0]]",
    "\"PASS\"",
];

/// Words of command lines.
const WORDS: &[&str] =
    &["mpirun", "srun", "ior", "mdtest", "-b", "-t", "-s", "-i", "-n", "-D", "-o", "--", "-np"];

/// One change of a file.
#[derive(Clone, Debug)]
enum ByteChange {
    Number(Index, &'static str),
    Cut(Index, usize),
    Flip(Index, u8),
    Twice(Index),
    Put(Index, Vec<u8>),
}

fn byte_change() -> impl Strategy<Value = ByteChange> {
    prop_oneof![
        4 => (any::<Index>(), select(VALUES)).prop_map(|(at, value)| ByteChange::Number(at, value)),
        1 => (any::<Index>(), 1..60_usize).prop_map(|(at, length)| ByteChange::Cut(at, length)),
        1 => (any::<Index>(), 0..8_u8).prop_map(|(at, bit)| ByteChange::Flip(at, bit)),
        1 => any::<Index>().prop_map(ByteChange::Twice),
        1 => (any::<Index>(), vec(any::<u8>(), 0..9)).prop_map(|(at, bytes)| ByteChange::Put(at, bytes)),
    ]
}

/// The places of the numbers in a JSON text: after `:`, `,` or `[`.
fn numbers(text: &[u8]) -> Vec<(usize, usize)> {
    let is_number = |byte: &u8| byte.is_ascii_digit() || b"-.+eE".contains(byte);
    let begins = (1..text.len()).filter(|at| is_number(&text[*at]) && b":,[ ".contains(&text[at - 1]));
    begins.map(|at| (at, at + text[at..].iter().take_while(|byte| is_number(byte)).count())).collect()
}

impl ByteChange {
    fn of(&self, text: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        let length = text.len();
        match self {
            Self::Number(which, value) => {
                let all = numbers(text);
                if let Some((from, to)) = (!all.is_empty()).then(|| *which.get(&all)) {
                    text.splice(from..to, value.bytes());
                }
            }
            Self::Cut(at, cut) => drop(text.drain(at.index(length)..(at.index(length) + cut).min(length))),
            Self::Flip(at, bit) => text[at.index(length)] ^= 1 << bit,
            Self::Twice(at) => {
                let line = text[at.index(length)..]
                    .split_inclusive(|byte| *byte == b'\n')
                    .next()
                    .map(<[u8]>::to_vec);
                text.splice(length..length, line.unwrap_or_default());
            }
            Self::Put(at, bytes) => {
                drop(text.splice(at.index(length)..at.index(length), bytes.iter().copied()))
            }
        }
    }
}

/// A small campaign that is made once, with the files that every test may change.
fn campaign() -> &'static (Place, Vec<PathBuf>) {
    static MADE: OnceLock<(Place, Vec<PathBuf>)> = OnceLock::new();
    MADE.get_or_init(|| {
        let place = Place::new();
        place.plan(WRITTEN_AND_COMPARED);
        place.campaign().ok();
        let dir = place.folder();
        let files = tree(&dir).into_keys().filter(|path| path.is_file());
        let files = files.map(|path| path.strip_prefix(&dir).unwrap().to_owned()).collect();
        (place, files)
    })
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for (path, (content, _)) in tree(from) {
        let at = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        if path.is_dir() { fs::create_dir_all(at).unwrap() } else { fs::write(at, content).unwrap() }
    }
}

/// The bytes of a file of the campaign after some changes.
fn changed(name: &str, changes: &[ByteChange]) -> Vec<u8> {
    let (place, _) = campaign();
    let mut bytes = fs::read(place.folder().join(name)).unwrap();
    changes.iter().for_each(|change| change.of(&mut bytes));
    bytes
}

/// Does with the folder what `verify`, `judge` and `report` do.
fn evaluated(dir: &Path) {
    let checked = folder::check(dir);
    let Ok(mut campaign) = folder::load(dir) else { return };
    let Ok(plan) = Plan::parse_with(&campaign.plan, names::PLAN, &Choice::of(&campaign)) else { return };
    let evaluation = judge::evaluate(&plan, &campaign);
    (campaign.verdicts, campaign.summary) = (evaluation.verdicts, evaluation.summary);
    campaign.faults = checked.map(|checked| checked.of_evidence()).unwrap_or_default();
    report::text(&campaign, 100, report::Emphasis::None);
    report::document::csv(&campaign);
    let mut page = Vec::new();
    report::write_html(&campaign, &mut page).unwrap();
}

/// Numbers at the ends of their types, in place of every number of a campaign in turn. The default set takes
/// one of them for each number, which needs a quarter of the time.
const EXTREMES: &[&str] = &["-1", "4294967295", "18446744073709551615", "1e308"];

#[test]
fn a_folder_with_an_extreme_in_place_of_any_number_is_evaluated_or_rejected() {
    let all = only_in_all("the other three extremes of each number");
    let (place, files) = campaign();
    let there = tempfile::tempdir().unwrap();
    let dir = there.path().join("c");
    copied(&place.folder(), &dir);
    let is_json = |name: &&PathBuf| name.extension().is_some_and(|kind| kind == "json" || kind == "jsonl");
    for name in files.iter().filter(is_json) {
        let whole = fs::read(dir.join(name)).unwrap();
        for (nth, (from, to)) in numbers(&whole).into_iter().enumerate() {
            let extremes = if all { EXTREMES } else { &EXTREMES[nth % EXTREMES.len()..][..1] };
            for extreme in extremes {
                let mut bytes = whole.clone();
                bytes.splice(from..to, extreme.bytes());
                fs::write(dir.join(name), bytes).unwrap();
                evaluated(&dir);
            }
        }
        fs::write(dir.join(name), whole).unwrap();
    }
}

fn cases(default: u32, all: u32) -> ProptestConfig {
    ProptestConfig { cases: by_set(default, all), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(48, 192))]

    #[test]
    fn a_folder_with_any_changes_of_its_files_is_evaluated_or_rejected(
        which in vec((any::<Index>(), vec(byte_change(), 1..4)), 1..3),
    ) {
        let (place, files) = campaign();
        let there = tempfile::tempdir().unwrap();
        let dir = there.path().join("c");
        copied(&place.folder(), &dir);
        for (file, changes) in which {
            let name = file.get(files);
            let mut bytes = fs::read(dir.join(name)).unwrap();
            changes.iter().for_each(|change| change.of(&mut bytes));
            fs::write(dir.join(name), bytes).unwrap();
        }
        evaluated(&dir);
    }

    #[test]
    fn any_records_are_read_or_rejected(changes in vec(byte_change(), 1..6)) {
        inputs::records(&changed("jobs/0001-W-r1/records.jsonl", &changes));
    }

    #[test]
    fn any_chain_is_checked_and_changes_nothing_outside(
        changes in vec(byte_change(), 0..4),
        noise in vec(any::<u8>(), 0..64),
    ) {
        inputs::chain(&changed("chain.jsonl", &changes));
        inputs::chain(&noise);
    }

    #[test]
    fn any_archive_is_unpacked_or_rejected(changes in vec(byte_change(), 0..6), cut in any::<Index>()) {
        let mut bytes = tarred().clone();
        changes.iter().for_each(|change| change.of(&mut bytes));
        inputs::archive(&bytes);
        inputs::archive(&bytes[..cut.index(bytes.len().max(1))]);
    }
}

proptest! {
    #![proptest_config(cases(128, 512))]

    #[test]
    fn any_json_is_read_or_rejected(file in any::<Index>(), changes in vec(byte_change(), 0..6)) {
        let names = ["jobs/0001-W-r1/job.json", "campaign.json", "machine-before.json", "verdicts.json"];
        inputs::json(&changed(names[file.index(names.len())], &changes));
    }

    #[test]
    fn any_plan_is_read_or_rejected(changes in vec(byte_change(), 0..6), noise in ".{0,64}") {
        inputs::plan(&changed("plan.toml", &changes));
        inputs::plan(noise.as_bytes());
    }

    #[test]
    fn any_command_line_is_read_or_rejected(
        words in vec(prop_oneof![
            3 => "-{1,2}[a-zA-Z]{1,12}(=[^ ]{0,8})?",
            2 => select(WORDS).prop_map(str::to_owned),
            2 => "[0-9]{1,24}[kmgtpKMGTP%]?",
            1 => "\\PC{0,8}",
        ], 0..12),
    ) {
        inputs::command_line(words.join(" ").as_bytes());
    }

    #[test]
    fn any_pattern_is_searched_in_any_output(
        pattern in "[\\^$.*+?()\\[\\]{}|a-z0-9, -]{0,16}",
        output in "\\PC{0,80}",
    ) {
        inputs::output(format!("{pattern}\0{output}").as_bytes());
        inputs::output(format!("(a*)*$\0{output}").as_bytes());
        inputs::output(output.as_bytes());
    }
}

/// The campaign as a plain `tar` file.
fn tarred() -> &'static Vec<u8> {
    static MADE: OnceLock<Vec<u8>> = OnceLock::new();
    MADE.get_or_init(|| {
        let dir = campaign().0.folder();
        let mut tar = std::process::Command::new("tar");
        tar.arg("cf").arg("-").arg(dir.file_name().unwrap()).current_dir(dir.parent().unwrap());
        tar.output().unwrap().stdout
    })
}
