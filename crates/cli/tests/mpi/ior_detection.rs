//! Detection of wrong data: tests damage files on disk in all ways. Every backend that reads them reports the
//! kind, file and offset.

use std::path::Path;

use crate::common::{Mpi, Ran, assay, by_set, ior, only_in_all, run};
use serde_json::Value;

/// Two ranks with 64 KiB each, in transfers of 16 KiB.
const SHAPE: &str = "-k -G 77 -b 64k -t 16k -o f";
const TRANSFER: usize = 16 << 10;

/// A backend and its options, as a command line.
type Engine = String;

/// Every backend that moves bytes without a parallel library, with and without the page cache.
fn engines() -> Vec<Engine> {
    let dir = tempfile::tempdir().unwrap();
    let listed = run(&mut assay(dir.path(), "backends")).ok();
    let mut engines = Vec::new();
    for name in ["POSIX", "MMAP", "AIO", "URING"] {
        let direct = format!("--{}.odirect", name.to_lowercase());
        let with = listed.contains(&format!("{direct}:")).then(|| format!("-a {name} {direct}"));
        let able = [Some(format!("-a {name}")), with].into_iter().flatten();
        engines.extend(able.filter(works));
    }
    assert!(engines.contains(&"-a POSIX".to_owned()));
    engines
}

/// Whether the kernel and the file system of the tests support an engine. If not, prints the reason.
fn works(engine: &Engine) -> bool {
    let dir = tempfile::tempdir().unwrap();
    let ran = ior(dir.path(), 1, &format!("-w {SHAPE} {engine}"));
    let lacks = ["Invalid argument", "not supported", "not permitted", "not implemented"];
    match ran.status {
        Some(0) => true,
        _ if lacks.iter().any(|why| ran.err.contains(why)) => {
            println!("SKIPPED: {engine}: {}", ran.err.trim());
            false
        }
        _ => panic!("{engine}: {ran:#?}"),
    }
}

/// The files of an engine: the current one, the same file two writes earlier, and another file.
struct Written {
    sound: Vec<u8>,
    older: Vec<u8>,
    other: Vec<u8>,
}

fn write(dir: &Path, engine: &Engine) -> Written {
    let bytes = |name: &str| std::fs::read(dir.join(name)).unwrap();
    ior(dir, 2, &format!("-w {SHAPE} -l stamped {engine}")).ok();
    let older = bytes("f");
    ior(dir, 2, &format!("-w {SHAPE} -l stamped -i 3 {engine}")).ok();
    ior(dir, 2, &format!("-w {SHAPE} -l stamped -i 3 {engine} -o g")).ok();
    Written { sound: bytes("f"), older, other: bytes("g") }
}

/// An expected range of wrong data: kind, rank, offset, length, and a text on its origin.
type ExpectedRange<'a> = (&'a str, u64, u64, u64, &'a str);

/// A damage to a file: its kind, the change of the bytes, and the expected report.
struct Damage {
    kind: &'static str,
    to: fn(&mut Vec<u8>, &Written),
    ranges: &'static [ExpectedRange<'static>],
}

const DAMAGES: [Damage; 10] = [
    Damage {
        kind: "flipped",
        to: |bytes, _| bytes[70_003] ^= 16,
        ranges: &[("flipped", 1, 70_000, 8, "1 bit differs")],
    },
    Damage {
        kind: "torn in the middle",
        to: |bytes, written| bytes[24_576..32_768].copy_from_slice(&written.older[24_576..32_768]),
        ranges: &[("torn", 0, 24_608, 8160, "generation 0 of this place, expected 2")],
    },
    Damage {
        kind: "torn by a sector",
        to: |bytes, written| bytes[90_624..91_136].copy_from_slice(&written.older[90_624..91_136]),
        ranges: &[("torn", 1, 90_624, 512, "generation 0 of this place, expected 2")],
    },
    Damage {
        kind: "misplaced within a rank",
        to: |bytes, _| {
            let (front, back) = bytes.split_at_mut(3 * TRANSFER);
            front[..TRANSFER].swap_with_slice(&mut back[..TRANSFER]);
        },
        ranges: &[
            ("misplaced", 0, 40, 16_344, "belongs to offset 49192 of rank 0"),
            ("misplaced", 0, 49_192, 16_344, "belongs to offset 40 of rank 0"),
        ],
    },
    Damage {
        kind: "misplaced between ranks",
        to: |bytes, _| bytes.copy_within(16_384..20_480, 69_632),
        ranges: &[("misplaced", 1, 69_656, 4072, "belongs to offset 16408 of rank 0")],
    },
    Damage {
        kind: "misplaced further on within the first transfer",
        to: |bytes, _| bytes.copy_within(4096..8192, 12_288),
        ranges: &[("misplaced", 0, 12_328, 4056, "belongs to offset 4136 of rank 0")],
    },
    Damage {
        kind: "foreign",
        to: |bytes, written| bytes[32_768..49_152].copy_from_slice(&written.other[32_768..49_152]),
        ranges: &[("foreign", 0, 32_784, 16_368, "rank 0, generation 2, offset 32784")],
    },
    Damage {
        kind: "stale",
        to: |bytes, written| bytes[81_920..98_304].copy_from_slice(&written.older[81_920..98_304]),
        ranges: &[("stale", 1, 81_952, 16_352, "generation 0 of this place, expected 2")],
    },
    Damage { kind: "zero", to: |bytes, _| bytes[4096..8192].fill(0), ranges: &[("zero", 0, 4096, 4096, "")] },
    Damage {
        kind: "truncated",
        to: |bytes, _| bytes.truncate(100_000),
        ranges: &[
            ("truncated", 1, 100_000, 14_688, "the data ended after 1696 of 16384 bytes"),
            ("truncated", 1, 114_688, 16_384, "the data ended after 0 of 16384 bytes"),
        ],
    },
];

/// Reads `f` and asserts that text, records and exit status report exactly these ranges.
fn assert_reported(dir: &Path, options: &str, ranges: &[ExpectedRange<'_>], what: &str) {
    let read = |words: &str| Some(ior(dir, 2, words));
    assert_reported_by(&read, dir, options, ranges, what);
}

/// The same with a function that runs the program, if it can.
fn assert_reported_by(
    way: &dyn Fn(&str) -> Option<Ran>,
    dir: &Path,
    options: &str,
    ranges: &[ExpectedRange<'_>],
    what: &str,
) {
    let _ = std::fs::remove_file(dir.join("r.jsonl"));
    let Some(ran) = way(&format!("-r -R {SHAPE} {options} --record r.jsonl")) else { return };
    assert_eq!(ran.status, Some(4), "{what}: {ran:#?}");
    let lines: Vec<&str> = ran.out.lines().filter(|line| line.starts_with("assay: rank ")).collect();
    assert_eq!(lines.len(), ranges.len(), "{what}: {}", ran.out);
    for ((kind, rank, offset, length, detail), line) in ranges.iter().zip(lines) {
        let begin = format!("assay: rank {rank}: f at {offset}: {length} bytes {kind}, expected 0x");
        assert!(line.starts_with(&begin) && line.contains(", found "), "{what}: {line}");
        assert!(detail.is_empty() || line.ends_with(&format!("{detail})")), "{what}: {line}");
    }
    let records = std::fs::read_to_string(dir.join("r.jsonl")).unwrap();
    let records: Vec<Value> = records.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let phase = records.iter().find(|record| record["record"] == "phase").unwrap();
    let missing: u64 = ranges.iter().filter(|range| range.0 == "truncated").map(|range| range.3).sum();
    assert_eq!(phase["bytes"].as_u64(), Some((128 << 10) - missing), "{what}");
    let bad = phase["check"]["bad"].as_array().unwrap();
    assert_eq!(bad.len(), ranges.len(), "{what}: {bad:?}");
    for ((kind, rank, offset, length, detail), bad) in ranges.iter().zip(bad) {
        assert_eq!((&bad["kind"], &bad["path"]), (&Value::from(*kind), &Value::from("f")), "{what}");
        assert_eq!((bad["rank"].as_u64(), bad["offset"].as_u64()), (Some(*rank), Some(*offset)), "{what}");
        assert_eq!(bad["length"].as_u64(), Some(*length), "{what}");
        assert!(bad["detail"].as_str().unwrap().ends_with(detail), "{what}: {bad:?}");
    }
    assert_eq!(records.last().unwrap()["exit"], 4, "{what}");
}

#[test]
fn every_engine_reports_every_damage_with_file_and_offset() {
    // In the default set POSIX gets every damage, and each other engine a third of them.
    for (at, engine) in engines().into_iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        let written = write(dir.path(), &engine);
        let (first, step) = if at == 0 { (0, 1) } else { by_set((at % 3, 3), (0, 1)) };
        for Damage { kind, to, ranges } in DAMAGES.iter().skip(first).step_by(step) {
            let mut bytes = written.sound.clone();
            to(&mut bytes, &written);
            std::fs::write(dir.path().join("f"), bytes).unwrap();
            assert_reported(
                dir.path(),
                &format!("-l stamped {engine}"),
                ranges,
                &format!("{engine}, {kind}"),
            );
        }
        std::fs::write(dir.path().join("f"), &written.sound).unwrap();
        ior(dir.path(), 2, &format!("-r -R {SHAPE} -l stamped {engine}")).ok();
    }
}

#[test]
fn independent_and_collective_mpi_io_report_every_damage() {
    if !only_in_all("the default set has each engine") {
        return;
    }
    let ways = [
        (Mpi::Open, "-a MPIIO", 0),
        (Mpi::Mpich, "-a MPIIO -c", 0),
        // The libraries differ most at the end of a file.
        (Mpi::Open, "-a MPIIO -c", DAMAGES.len() - 1),
        (Mpi::Mpich, "-a MPIIO", DAMAGES.len() - 1),
    ];
    for (mpi, how, from) in ways {
        let dir = tempfile::tempdir().unwrap();
        let written = write(dir.path(), &"-a POSIX".to_owned());
        let read = |words: &str| mpi.ior(dir.path(), 2, words);
        for Damage { kind, to, ranges } in &DAMAGES[from..] {
            let mut bytes = written.sound.clone();
            to(&mut bytes, &written);
            std::fs::write(dir.path().join("f"), bytes).unwrap();
            let what = format!("{mpi:?}, {how}, {kind}");
            assert_reported_by(&read, dir.path(), &format!("-l stamped {how}"), ranges, &what);
        }
    }
}

#[test]
fn all_engines_write_the_same_stamped_bytes_and_read_them_with_any_transfer_size() {
    let dir = tempfile::tempdir().unwrap();
    let sound = write(dir.path(), &"-a POSIX".to_owned()).sound;
    for engine in engines() {
        let dir = tempfile::tempdir().unwrap();
        assert!(write(dir.path(), &engine).sound == sound, "{engine}");
        for transfer in ["4k", "8k", "64k"] {
            let read = format!("-r -R {SHAPE} -t {transfer} -l stamped {engine}");
            ior(dir.path(), 2, &read).ok();
        }
    }
    for transfer in ["8", "24", "1k", "3k", "64k"] {
        let block = if transfer == "24" || transfer == "3k" { "-b 48k -N 1" } else { "" };
        ior(dir.path(), 2, &format!("-r -R {SHAPE} -t {transfer} {block} -l stamped")).ok();
    }
}

#[test]
fn a_file_per_process_is_known_by_its_name_in_another_directory() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    ior(here.path(), 2, &format!("-w {SHAPE} -F -l stamped")).ok();
    let copy = |from: &str, to: &str| {
        std::fs::copy(here.path().join(from), there.path().join(to)).unwrap();
    };
    copy("f.00000000", "f.00000000");
    copy("f.00000001", "f.00000001");
    ior(there.path(), 2, &format!("-r -R {SHAPE} -F -l stamped")).ok();
    copy("f.00000000", "f.00000001");
    let ran = ior(there.path(), 2, &format!("-r -R {SHAPE} -F -l stamped"));
    assert_eq!(ran.status, Some(4));
    assert!(ran.out.contains("assay: rank 1: f.00000001 at 16: 16368 bytes foreign, "), "{}", ran.out);
    assert!(ran.out.contains("assay: warning: rd-check: 4 bad transfers, by kind: 4 foreign"), "{}", ran.out);
}

#[test]
fn a_file_that_was_not_rewritten_is_stale() {
    let dir = tempfile::tempdir().unwrap();
    ior(dir.path(), 2, &format!("-w {SHAPE} -F -l stamped")).ok();
    std::fs::copy(dir.path().join("f.00000000"), dir.path().join("old")).unwrap();
    ior(dir.path(), 2, &format!("-w {SHAPE} -F -l stamped -i 2")).ok();
    std::fs::rename(dir.path().join("old"), dir.path().join("f.00000000")).unwrap();
    let ran = ior(dir.path(), 2, &format!("-r -R {SHAPE} -F -l stamped"));
    assert_eq!(ran.status, Some(4));
    let warning = "assay: rank 0: f.00000000 at 32: 16352 bytes stale, ";
    assert!(ran.out.contains(warning) && !ran.out.contains("rank 1: "), "{}", ran.out);
    assert!(ran.out.contains("assay: warning: rd-check: 4 bad transfers, by kind: 4 stale"), "{}", ran.out);
}

#[test]
fn a_given_generation_is_written_and_expected_and_a_mixed_phase_keeps_the_existing_one() {
    let dir = tempfile::tempdir().unwrap();
    let read = format!("-r -R {SHAPE} -l stamped");
    ior(dir.path(), 2, &format!("-w {SHAPE} -l stamped --generation 7")).ok();
    ior(dir.path(), 2, &read).ok();
    ior(dir.path(), 2, &format!("{read} --generation 7")).ok();
    let ran = ior(dir.path(), 2, &format!("{read} --generation 8"));
    assert_eq!(ran.status, Some(4));
    assert!(ran.out.contains("rd-check: 8 bad transfers, by kind: 8 stale"), "{}", ran.out);
    let ran = ior(dir.path(), 2, &format!("{read} --generation 6"));
    assert!(
        ran.out.contains("(generation 7 of this place, expected 6; it was written after the expected one)"),
        "{}",
        ran.out
    );
    ior(dir.path(), 2, &format!("--rwmix 50 {SHAPE} -l stamped")).ok();
    ior(dir.path(), 2, &format!("{read} --generation 7")).ok();
}

#[test]
fn packet_types_of_ior_report_as_much_as_they_can() {
    let swapped = "(modulo 2^32)";
    let random = ", or to a rank or signature with the same data";
    let cut = DAMAGES[9].ranges;
    let flipped: &[ExpectedRange<'_>] = &[("flipped", 1, 70_000, 8, "1 bit differs")];
    let zero: &[ExpectedRange<'_>] = &[("zero", 0, 4096, 4096, "")];
    // The word with offset 0 is zero in correct data too.
    let but_offset: &[ExpectedRange<'_>] = &[("zero", 0, 4104, 4088, "")];
    let moved: [&[ExpectedRange<'_>]; 4] = [
        // All transfers of a rank have the same data, so a swap is not visible.
        &[],
        &[("misplaced", 0, 0, 12_296, swapped), ("misplaced", 0, 49_152, 12_296, swapped)],
        &[("misplaced", 0, 0, 12_296, swapped), ("misplaced", 0, 49_152, 12_296, swapped)],
        &[("misplaced", 0, 0, 16_384, random), ("misplaced", 0, 49_152, 16_384, random)],
    ];
    for (packet, moved) in ["t", "o", "i", "r"].into_iter().zip(moved) {
        let dir = tempfile::tempdir().unwrap();
        ior(dir.path(), 2, &format!("-w {SHAPE} -l {packet}")).ok();
        let sound = std::fs::read(dir.path().join("f")).unwrap();
        let written = Written { sound: sound.clone(), older: sound.clone(), other: sound.clone() };
        let zero = if ["o", "i"].contains(&packet) { but_offset } else { zero };
        for (damage, ranges) in [(0, flipped), (3, moved), (8, zero), (9, cut)] {
            let mut bytes = sound.clone();
            (DAMAGES[damage].to)(&mut bytes, &written);
            std::fs::write(dir.path().join("f"), bytes).unwrap();
            if ranges.is_empty() {
                ior(dir.path(), 2, &format!("-r -R {SHAPE} -l {packet}")).ok();
            } else {
                let what = format!("-l {packet}, {}", DAMAGES[damage].kind);
                assert_reported(dir.path(), &format!("-l {packet}"), ranges, &what);
            }
        }
    }
}
