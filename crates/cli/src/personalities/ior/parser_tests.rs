//! Properties of the parser: any arguments give a result, and both forms of an option have one meaning.

use command::Packet;
use command::classic::{self, ClassicLine};
use command::ior::Parsed;
use proptest::prelude::*;

use command::IorOption;
use command::classic::{ClassicOption, OptionKind, parse_number};

use super::script;

/// Arguments; some of them are valid.
fn word() -> impl Strategy<Value = String> {
    let options: Vec<String> = IorOption::rows()
        .flat_map(|row| {
            let short = row.short.map(|letter| format!("-{letter}"));
            let long = row.long.map(|long| format!("--{long}"));
            short.into_iter().chain(long).chain(row.directives.iter().map(|&name| name.to_owned()))
        })
        .chain(IorOption::retired().iter().filter_map(|was| was.directive).map(str::to_owned))
        .chain(
            ["-B", "-U", "-J", "--posix.odirect", "--posix.", "--.x", "--", "-", "IOR START", "RUN"]
                .map(Into::into),
        )
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
        if let Ok(run) = classic::parse::<Parsed>(&tokens).and_then(Parsed::finished) {
            let _ = run.request.check(3);
        }
    }

    #[test]
    fn a_rejection_is_one_line(tokens in prop::collection::vec("[ -~]{0,20}", 0..6)) {
        if let Err(usage) = classic::parse::<Parsed>(&tokens) {
            prop_assert!(!usage.0.contains('\n'), "{}", usage.0);
        }
    }

    #[test]
    fn any_directives_give_an_answer(text in prop::collection::vec(token(), 0..6)) {
        let _ = classic::parse::<Parsed>(&["-O".into(), text.join(",")]);
        let _ = classic::parse::<Parsed>(&[format!("-O{}", text.join("="))]);
    }

    #[test]
    fn any_number_gives_an_answer(text in "[ +-]{0,2}[0-9.]{0,25}.{0,4}") {
        let _ = (parse_number(&text), Packet::parse(&text));
    }

    #[test]
    fn any_script_gives_an_answer(lines in prop::collection::vec(token(), 0..12)) {
        let line = classic::parse(&["-f".into(), "s".into()]).unwrap();
        if let Ok(tests) = script::tests(line, Some(&format!("IOR START\n{}", lines.join("\n")))) {
            prop_assert!(!tests.is_empty());
        }
    }

    #[test]
    fn a_directive_has_the_effect_of_its_option(number in 0..100_u32) {
        for row in IorOption::rows() {
            let text = match (row.kind, row.short) {
                (OptionKind::Text, Some('a')) => "dummy".to_owned(),
                (OptionKind::Text, Some('l')) => "offset".to_owned(),
                (OptionKind::Text, Some('M')) => format!("{number}%"),
                (OptionKind::Text, _) => format!("f{number}"),
                _ => number.to_string(),
            };
            let names = row.short.map(|letter| format!("-{letter}"));
            for option in names.into_iter().chain(row.long.map(|long| format!("--{long}"))) {
                for directive in row.directives {
                    let direct = classic::parse(&[format!("{option}={text}")]);
                    for key in [(*directive).to_owned(), directive.to_uppercase()] {
                        let other = classic::parse(&["-O".into(), format!("{key}={text}")]);
                        let seen = |parsed: &Result<Parsed, units::Usage>| {
                            parsed.as_ref().ok().map(|typed| format!("{typed:?}"))
                        };
                        prop_assert_eq!(seen(&direct), seen(&other), "{} and {}", option, key);
                    }
                }
            }
        }
    }
}

fn parse(words: &str) -> Result<Parsed, units::Usage> {
    let tokens: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    classic::parse(&tokens)
}

#[test]
fn a_glued_value_sets_no_flags_and_a_number_goes_to_all_flags_of_its_token() {
    let typed = parse("-b1m -t16k -owt").unwrap();
    let parameters = &typed.request;
    assert_eq!((parameters.block, parameters.transfer), (1 << 20, 16 << 10));
    assert_eq!(parameters.test_file, "wt");
    assert!(!parameters.multi_file && !parameters.keep && !parameters.write);
    let typed = parse("-w -r -vwr=0").unwrap();
    assert_eq!((typed.request.verbose, typed.request.write, typed.request.read), (0, false, false));
    assert_eq!(parse("-vvv=3").unwrap().request.verbose, 3);
    assert_eq!(parse("-vvv").unwrap().request.verbose, 3);
    assert_eq!(parse("-wi 2").unwrap().request.repetitions, 2);
}

#[test]
fn errors_say_what_would_be_right() {
    for (words, part) in [
        ("-b=", "-b takes a value"),
        ("-b", "-b takes a value"),
        ("--o=x", "unknown option `--o=x`. A letter takes one dash: -o."),
        ("--posix.odirekt", "unknown option `--posix.odirekt`. Did you mean `--posix.odirect`?"),
        ("--randomprefil=1", "Did you mean `--randomPrefill`?"),
        ("-M 75", "Write 75% or 75m"),
        ("--rate 5000", "--rate 5000: not a rate, such as 200MB/s, 1GiB/s or 5000/s"),
        ("--gpuDirect", "this program does not support CUDA"),
        ("-O allocateBufferOnGPU=1", "this program does not support CUDA"),
        ("-O blockSize=1m,", "is not of the form name=value"),
        ("-O -O=x=1", "directives cannot hold directives"),
        ("-d -1", "-d -1: -1 is negative"),
        ("-D 5g", "is too large"),
        ("-U", "-U takes a value; it is now --mpiio.hintsFileName"),
    ] {
        let error = parse(words).expect_err(words).0;
        assert!(error.contains(part), "{words}: {error}");
    }
}

#[test]
fn letters_of_older_versions_are_translated_and_take_their_values() {
    let typed = parse("-J 4k -U hints -B -w").unwrap();
    assert!(typed.request.write && typed.request.settings.flag("posix.odirect"));
    assert_eq!(typed.taken.notes.len(), 3, "{:?}", typed.taken.notes);
    let typed = parse("-l -k").unwrap();
    assert_eq!(typed.request.packet, parse("-l offset").unwrap().request.packet);
    assert!(typed.request.keep);
    let typed = parse("-O storeFileOffset=1,useO_DIRECT=0,nodes=3,QUITONERROR=1").unwrap();
    assert_eq!(typed.request.nodes, Some(3));
    assert!(!typed.request.settings.flag("posix.odirect"));
    assert!(parse("-O showHelp=1").unwrap().help && !parse("-O showHelp=0").unwrap().help);
}
