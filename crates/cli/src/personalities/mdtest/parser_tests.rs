//! Properties of the parser: any arguments give a result.

use command::MdtestOption;
use command::classic::ClassicOption;
use proptest::prelude::*;
use units::Usage;
use workloads::kit::payload::Packet;

use command::classic::{self, ClassicLine};
use command::mdtest::{Edition, Parsed};

/// Arguments; some of them are valid.
fn word() -> impl Strategy<Value = String> {
    let options: Vec<String> = MdtestOption::rows()
        .flat_map(|row| {
            let short = row.short.map(|letter| format!("-{letter}"));
            short.into_iter().chain(row.long.map(|long| format!("--{long}")))
        })
        .chain(["-A", "-M", "-R12", "-B", "--posix.odirect", "--posix.", "--.x", "--", "-"].map(Into::into))
        .collect();
    prop_oneof![
        4 => prop::sample::select(options),
        2 => "[-+]?[0-9]{1,20}[a-zA-Z%./]{0,4}",
        2 => "[=,#@ .-]{1,3}",
        1 => ".{0,12}",
    ]
}

/// Arguments put together, with or without a separator.
fn token() -> impl Strategy<Value = String> {
    (prop::collection::vec(word(), 1..4), prop::sample::select(vec!["", "=", ",", " "]))
        .prop_map(|(words, between)| words.join(between))
}

proptest! {
    #[test]
    fn any_tokens_give_an_answer(tokens in prop::collection::vec(token(), 0..8)) {
        if let Ok(typed) = classic::parse::<Parsed>(&tokens)
            && let Ok(parsed) = typed.finished()
        {
            let _ = parsed.request.check(3);
            let _ = super::dry_run::text(&parsed, 3);
        }
    }

    #[test]
    fn a_rejection_is_one_line(tokens in prop::collection::vec("[ -~]{0,20}", 0..6)) {
        if let Err(usage) = classic::parse::<Parsed>(&tokens) {
            prop_assert!(!usage.0.contains('\n'), "{}", usage.0);
        }
    }
}

fn parse(words: &str) -> Result<Parsed, Usage> {
    let tokens: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    classic::parse(&tokens)
}

fn parsed(words: &str) -> Parsed {
    parse(words).and_then(Parsed::finished).unwrap_or_else(|usage| panic!("{words}: {usage}"))
}

#[test]
fn all_forms_of_a_value_mean_the_same() {
    for words in ["-n 5", "-n5", "-n=5", "-Fn5 -F=0"] {
        assert_eq!(parse(words).unwrap().request.items, 5, "{words}");
    }
    for words in ["--random-seed=7", "--random-seed 7"] {
        assert_eq!(parse(words).unwrap().request.random_seed, 7, "{words}");
    }
    assert_eq!(parse("-n 1k").unwrap().request.items, 1024);
    assert_eq!(parse("-n 5 -n 6").unwrap().request.items, 6, "the last one");
    assert_eq!(parse("-vvv").unwrap().request.verbose, 3);
    assert_eq!(parse("-V 2 -v").unwrap().request.verbose, 3);
    assert_eq!(parse("-v -V 5").unwrap().request.verbose, 5);
}

#[test]
fn no_phase_means_all_and_no_kind_means_both() {
    let phases = |words| {
        let p = parsed(words).request;
        [p.create, p.stat, p.read, p.rename, p.remove]
    };
    assert_eq!(phases(""), [true; 5]);
    assert_eq!(phases("-C -r"), [true, false, false, false, true]);
    assert_eq!(phases("-T -E -U"), [false, true, true, true, false]);
    assert_eq!(phases("--compat 3.3"), [true, true, true, false, true], "renames came with 4.0");
    let kinds = |words| {
        let p = parsed(words).request;
        (p.directories, p.files)
    };
    assert_eq!(
        (kinds(""), kinds("-D"), kinds("-F"), kinds("-DF")),
        ((true, true), (true, false), (false, true), (true, true))
    );
    assert_eq!(kinds("-S"), (false, true), "shared files have no directories");
}

#[test]
fn directories_are_separated_by_at_signs_and_older_versions_have_other_defaults() {
    assert_eq!(parsed("").request.dirs, ["./out"]);
    assert_eq!(parsed("-d a@b/c").request.dirs, ["a", "b/c"]);
    assert!(parse("-d a@").unwrap().finished().is_err() && parse("-d @").unwrap().finished().is_err());
    let oldest = parsed("--compat 1.9");
    assert_eq!((oldest.request.dirs, oldest.request.test_dir_prefix), (vec![".".to_owned()], "#test-dir."));
    assert_eq!(parsed("--compat 3.3").request.test_dir_prefix, "test-dir.");
    assert_eq!(parsed("--compat 1.9 -d x").output.edition, Edition::Mdtest19);
}

#[test]
fn numbers_per_rank_are_collected_if_they_are_shown() {
    assert!(!parsed("").request.rank_times);
    for words in ["--print-all-procs", "--showRankStatistics", "--saveRankPerformanceDetails=f"] {
        assert!(parsed(words).request.rank_times, "{words}");
    }
}

#[test]
fn values_reach_the_workload() {
    let p =
        parsed("-G 42 --dataPacketType=random -N 1 -x st -W 3 --operations list,link --preload 10").request;
    assert_eq!((p.signature, p.packet, p.shift), (Some(42), Packet::Random, 1));
    assert_eq!((p.status_file.as_deref(), p.deadline, p.preload), (Some("st"), 3, 10));
    assert_eq!(p.extra, ["list", "link"]);
    assert_eq!(parsed("-G -1").request.signature, None);
}

#[test]
fn options_without_effect_have_a_note() {
    for (words, part) in [
        ("-k", "-k creates files with mknod"),
        ("-f 2", "-f without -l"),
        ("-t", "-t has no effect without -u"),
        ("-B 1", "-B has no effect"),
        ("-a DUMMY --posix.odirect", "--posix.odirect has no effect with -a DUMMY"),
    ] {
        let notes = parsed(words).taken.notes;
        assert!(notes.iter().any(|note| note.to_string().contains(part)), "{words}: {notes:?}");
    }
    assert!(parsed("-n 5 -u -t -f 1 -l 1 -B 0").taken.notes.is_empty());
}

#[test]
fn errors_say_what_would_be_right() {
    for (words, part) in [
        ("-n", "-n takes a value"),
        ("-n x", "is not a whole number"),
        ("-n -1", "-1 is negative"),
        ("-e -1", "-1 is negative"),
        ("-a HDF6", "HDF6"),
        ("--compat 2.0", "is not 1.9, 3.3 or 4.1"),
        ("-g", "lfs setdirstripe"),
        ("-Q", "unknown option `-Q`"),
        ("--verify-raed", "Did you mean `--verify-read`?"),
        ("file", "is not an option"),
        ("--dataPacketType=x", "unknown packet type"),
        ("--gpuDirect", "does not support CUDA"),
        ("-i 9999999999", "is too large"),
    ] {
        let error = parse(words).err().unwrap_or_else(|| panic!("{words}")).0;
        assert!(error.contains(part), "{words}: {error}");
    }
}
