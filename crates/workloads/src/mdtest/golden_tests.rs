//! The trees that mdtest 4.1 makes with `-C`, name by name. All phases together leave no names.
//!
//! The original program made the lists. Each begins with a line of its ranks and options. Long lists are
//! stored as their length and a checksum (FNV-1a, 64 bits, of the names separated by line ends).

use command::mdtest::Request;

use super::scene::{all_phases, names_in, only_create, play_in};

const GOLDEN: &str = include_str!("../../tests/golden/mdtest_trees.txt");

/// The ranks and parameters of a line of options.
fn parsed(words: &str, mut parameters: Request) -> (u32, Request) {
    let mut words = words.split(' ');
    let ranks = words.next().and_then(|word| word.parse().ok()).expect("ranks come first");
    while let Some(option) = words.next() {
        let mut value = || words.next().expect("a value");
        let number = |word: &str| word.parse().expect("a number");
        match option {
            "-n" => parameters.items = number(value()),
            "-I" => parameters.items_per_dir = number(value()),
            "-b" => parameters.branching = number(value()),
            "-z" => parameters.depth = number(value()) as u32,
            "-w" => parameters.write_bytes = number(value()),
            "-i" => parameters.iterations = number(value()) as u32,
            "-N" => parameters.shift = number(value()) as i32,
            "-f" => parameters.first_ranks = number(value()) as u32,
            "-l" => parameters.last_ranks = number(value()) as u32,
            "-d" => parameters.dirs = value().split('@').map(str::to_owned).collect(),
            "-L" => parameters.leaf_only = true,
            "-u" => parameters.unique_dir = true,
            "-c" => parameters.collective = true,
            "-S" => parameters.shared_file = true,
            "-k" => parameters.make_node = true,
            "-F" => parameters.directories = false,
            "-D" => parameters.files = false,
            other => panic!("{other}"),
        }
    }
    (ranks, parameters)
}

/// Each line of options with its list.
fn cases() -> Vec<(&'static str, Vec<&'static str>)> {
    let cases: Vec<_> =
        GOLDEN.split("# ").skip(1).map(|case| case.split_once('\n').expect("lines")).collect();
    cases.into_iter().map(|(words, lines)| (words, lines.lines().collect())).collect()
}

fn checksum(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[test]
fn the_created_tree_equals_that_of_the_original() {
    let cases = cases();
    assert!(cases.len() >= 20, "{} sets of options", cases.len());
    for (words, lines) in cases {
        let (ranks, parameters) = parsed(words, only_create());
        let dir = tempfile::tempdir().expect("a directory");
        let left = play_in(dir.path(), ranks, &parameters);
        assert!(left.iter().all(|rank| rank.done.is_ok()), "{words}: {:?}", left[0].done);
        let names = names_in(dir.path());
        match lines[..] {
            [summed] if summed.starts_with("= ") => {
                let sum = format!("= {} names, fnv {:016x}", names.len(), checksum(&names.join("\n")));
                assert_eq!(sum, summed, "{words}: {names:#?}");
            }
            _ => assert_eq!(names, lines, "{words}"),
        }
    }
}

#[test]
fn all_phases_of_all_trees_leave_an_empty_directory() {
    for (words, _) in cases() {
        let (ranks, parameters) = parsed(words, all_phases());
        let dir = tempfile::tempdir().expect("a directory");
        let left = play_in(dir.path(), ranks, &parameters);
        assert!(left.iter().all(|rank| rank.done.is_ok()), "{words}: {:?}", left[0].done);
        assert_eq!(names_in(dir.path()), [""; 0], "{words}");
    }
}

#[test]
fn phases_of_separate_runs_find_the_items_of_the_first_run() {
    for (words, _) in cases() {
        let dir = tempfile::tempdir().expect("a directory");
        let none = Request { create: false, ..only_create() };
        let steps = [
            only_create(),
            Request { stat: true, ..none.clone() },
            Request { read: true, ..none.clone() },
            Request { rename: true, ..none.clone() },
            Request { remove: true, ..none },
        ];
        for step in steps {
            let (ranks, parameters) = parsed(words, step);
            let left = play_in(dir.path(), ranks, &parameters);
            assert!(left[0].done.is_ok(), "{words}: {:?}", left[0].done);
        }
        // Another run made the directory itself, so it stays.
        let left: Vec<String> = names_in(dir.path()).into_iter().filter(|name| name.len() > 2).collect();
        assert_eq!(left, [""; 0], "{words}");
    }
}
