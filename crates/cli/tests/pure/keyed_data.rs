//! Data that is keyed by a secret: what a server without the secret can answer, and what becomes known of it.

use std::path::Path;

use serde_json::Value;

use crate::common::ior;
use crate::common::options::secret;

/// A directory with two keys, `a` and `b`.
fn keys() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    secret(&dir.path().join("a"));
    secret(&dir.path().join("b"));
    std::fs::write(dir.path().join("b"), [b'x'; 32]).unwrap();
    dir
}

const SHAPE: &str = "-l s -G 7 -k -F -b 256k -t 64k";

/// The phases in the records `name`.
fn phases(dir: &Path, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(dir.join(name)).unwrap();
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.filter(|record| record["record"] == "phase").collect()
}

/// The kinds of damage that a read of the files `o` with comparison finds.
fn kinds(dir: &Path, words: &str) -> Vec<String> {
    let _ = std::fs::remove_file(dir.join("r"));
    let ran = ior(dir, 2, &format!("-R {SHAPE} --record r {words}"));
    let kinds = phases(dir, "r").remove(0)["check"]["bad"].as_array().cloned().unwrap_or_default();
    let mut kinds: Vec<_> = kinds.iter().map(|bad| bad["kind"].as_str().unwrap().to_owned()).collect();
    kinds.dedup();
    assert_eq!(ran.status, Some(if kinds.is_empty() { 0 } else { 4 }), "{ran:#?}");
    kinds
}

#[test]
fn runs_in_the_same_second_write_different_data_and_data_of_one_text_is_not_that_of_another() {
    let dir = tempfile::tempdir().unwrap();
    let written = |words: &str, name: &str| {
        ior(dir.path(), 1, &format!("-w -k -b 64k -t 64k {words} -o {name}")).ok();
        std::fs::read(dir.path().join(name)).unwrap()
    };
    for packet in ["", "-l s", "-l r", "-l i"] {
        let all: Vec<Vec<u8>> = (0..3).map(|_| written(packet, "f")).collect();
        assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2], "{packet}");
    }
    let stamped = |text: &str| written(&format!("-l s -G 7 {text}"), "g");
    assert_eq!(stamped("--data-of a"), stamped("--data-of a"));
    assert!(stamped("--data-of a") != stamped("--data-of b") && stamped("") != stamped("--data-of b"));
    let read = |text: &str| ior(dir.path(), 1, &format!("-R -k -b 64k -t 64k -l s -G 7 {text} -o g"));
    stamped("--data-of a");
    read("--data-of a").ok();
    assert_eq!([read("--data-of b").status, read("").status], [Some(4); 2]);
    let plain = ior(dir.path(), 1, "-w -b 64k -t 64k --data-of a -o h");
    assert_eq!((plain.status, plain.err.contains("--data-of: only stamped data")), (Some(2), true));
}

#[test]
fn a_server_that_regenerates_the_unkeyed_pattern_fails_when_keyed() {
    let keys = keys();
    let dir = keys.path();
    ior(dir, 2, &format!("-w {SHAPE} -o f")).ok();
    assert!(kinds(dir, "-o f").is_empty(), "the pattern is right without a key");
    assert_eq!(kinds(dir, "-o f --data-key a"), ["other-key"]);
    assert_eq!(kinds(dir, "-o f --nonce n"), ["other-key"]);
    ior(dir, 2, &format!("-r {SHAPE} -o f --data-key a --record plain")).ok();
    let sampled = &phases(dir, "plain")[0]["sampled"];
    assert_eq!(sampled["wrong"], sampled["blocks"], "also where nothing is compared: {sampled}");
}

#[test]
fn data_of_another_key_is_told_from_damaged_data() {
    let keys = keys();
    let dir = keys.path();
    ior(dir, 2, &format!("-w {SHAPE} -o f --data-key a --nonce n")).ok();
    assert!(kinds(dir, "-o f --data-key a --nonce n").is_empty());
    for other in ["--data-key b --nonce n", "--data-key a --nonce m", "--data-key a", "--nonce n", ""] {
        assert_eq!(kinds(dir, &format!("-o f {other}")), ["other-key"], "{other}");
    }
    let file = dir.join("f.00000001");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[70_000] ^= 1;
    bytes.copy_within(8192..12_288, 131_072);
    std::fs::write(&file, bytes).unwrap();
    assert_eq!(kinds(dir, "-o f --data-key a --nonce n"), ["flipped", "misplaced"]);
}

#[test]
fn data_that_was_prepared_before_the_nonce_is_found() {
    let keys = keys();
    let dir = keys.path();
    ior(dir, 2, &format!("-w {SHAPE} -o f --data-key a")).ok();
    assert_eq!(kinds(dir, "-o f --data-key a --nonce chosen-later"), ["other-key"]);
}

#[test]
fn an_older_generation_of_keyed_data_is_stale() {
    let keys = keys();
    let dir = keys.path();
    ior(dir, 2, &format!("-w {SHAPE} -o f --data-key a --generation 3")).ok();
    assert_eq!(kinds(dir, "-o f --data-key a --generation 5"), ["stale"]);
    assert!(kinds(dir, "-o f --data-key a").is_empty(), "the generation is found in the stamps");
}

#[test]
fn the_secret_is_neither_in_the_records_nor_in_the_output() {
    let keys = keys();
    let dir = keys.path();
    let ran = ior(dir, 2, &format!("-w -vvv {SHAPE} -o f --data-key b --record r"));
    let records = std::fs::read_to_string(dir.join("r")).unwrap();
    assert!(!format!("{}{}{records}", ran.out, ran.err).contains("xxxxxxxx"));
    let facts = &phases(dir, "r")[0]["data_key"];
    let hash = "c62e4615bd39e222572f3a1bf7c2132ea1e65b17ec805047bd6b2842c593493f";
    assert_eq!(facts["sha256"], hash, "as sha256sum prints it");
}
