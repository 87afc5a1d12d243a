//! From tokens to [`TypedFlashIo`]. Of a word with one dash the first two characters are looked at, as the
//! original does: `-quiet` is `-q`. The value of `-f` is the next word. Words with two dashes are this
//! program's own.
//!
//! Invariant: whatever the tokens are, the answer is what was typed or one line that says what is wrong.

use units::Usage;
use workloads::flash_io::{FlashIoParameters, Form};

/// What was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TypedFlashIo {
    pub(super) parameters: FlashIoParameters,
    /// `-b`
    blocking: bool,
    /// `--alignment`, bytes.
    pub(super) alignment: Option<u64>,
    /// `-h`
    pub(super) help: bool,
    /// `-q`
    pub(super) quiet: bool,
    /// `--latency`
    pub(super) latency: bool,
    /// `--record`
    pub(super) record: Option<String>,
    /// A first word without a dash: what versions before 2020 had in place of `-f`.
    pub(super) bare: bool,
}

/// An option of this program's own.
pub(super) struct FlashIoOption {
    pub(super) word: &'static str,
    /// What its value is called; empty where it takes none.
    pub(super) value: &'static str,
    pub(super) about: &'static str,
    set: fn(&mut TypedFlashIo, &str) -> Result<(), &'static str>,
}

/// All of them, by word.
pub(super) const OWN: &[FlashIoOption] = &[
    FlashIoOption {
        word: "alignment",
        value: "BYTES",
        about: "with --hdf5: objects of at least so many bytes begin at multiples of it [1]",
        set: |typed, value| match number(value)? {
            0 => Err("has to be 1 or more"),
            bytes => {
                typed.alignment = Some(bytes);
                Ok(())
            }
        },
    },
    FlashIoOption {
        word: "blocks",
        value: "MAX",
        about: "the most blocks of a rank, of which four fifths are used, and up to two more [100]",
        set: |typed, value| number(value).map(|number| typed.parameters.blocks_max = number),
    },
    FlashIoOption {
        word: "guards",
        value: "N",
        about: "layers of guard cells around a block in memory [4]",
        set: |typed, value| number(value).map(|number| typed.parameters.guards = number),
    },
    FlashIoOption {
        word: "hdf5",
        value: "",
        about: "the files of the first FLASH I/O benchmark, by HDF5, which has blocking calls only (no -b)",
        set: |typed, _| {
            typed.parameters.form = Form::Hdf5;
            Ok(())
        },
    },
    FlashIoOption {
        word: "help",
        value: "",
        about: "print this text",
        set: |typed, _| {
            typed.help = true;
            Ok(())
        },
    },
    FlashIoOption {
        word: "hint",
        value: "KEY=VALUE",
        about: "a hint for MPI-IO or the library; may be given again",
        set: |typed, value| {
            let pair = value.split_once('=').filter(|(key, value)| !key.is_empty() && !value.is_empty());
            let (key, value) = pair.ok_or("KEY=VALUE is wanted")?;
            typed.parameters.hints.push((key.to_owned(), value.to_owned()));
            Ok(())
        },
    },
    FlashIoOption {
        word: "latency",
        value: "",
        about: "print percentiles of the latency of single calls, and the slowest rank",
        set: |typed, _| {
            typed.latency = true;
            Ok(())
        },
    },
    FlashIoOption {
        word: "record",
        value: "FILE",
        about: "keep what was measured as JSON lines in a new file",
        set: |typed, value| {
            typed.record = Some(value.to_owned());
            Ok(())
        },
    },
    FlashIoOption {
        word: "repetitions",
        value: "N",
        about: "write all files so many times [1]",
        set: |typed, value| {
            let count = u32::try_from(number(value)?).map_err(|_| "more than 32 bits can hold")?;
            typed.parameters.repetitions = count;
            Ok(())
        },
    },
    FlashIoOption {
        word: "size",
        value: "N",
        about: "zones of a block in each of the three directions [8]",
        set: |typed, value| number(value).map(|number| typed.parameters.zones = number),
    },
    FlashIoOption {
        word: "verify",
        value: "",
        about: "read the files again and compare every value",
        set: |typed, _| {
            typed.parameters.verify = true;
            Ok(())
        },
    },
    FlashIoOption {
        word: "verify-only",
        value: "",
        about: "read the files that an earlier run of the same ranks and sizes left, and compare",
        set: |typed, _| {
            (typed.parameters.write, typed.parameters.verify) = (false, true);
            Ok(())
        },
    },
];

/// Reads the tokens behind the program's name.
pub(super) fn parse(tokens: &[String]) -> Result<TypedFlashIo, Usage> {
    let mut typed = TypedFlashIo::default();
    let mut rest = tokens.iter().map(String::as_str);
    while let Some(token) = rest.next() {
        if let Some(word) = token.strip_prefix("--") {
            long(&mut typed, word, &mut rest)?;
        } else if let Some(letters) = token.strip_prefix('-') {
            letter(&mut typed, token, letters, &mut rest)?;
        } else if typed.parameters.prefix.is_empty() {
            (typed.parameters.prefix, typed.bare) = (token.to_owned(), true);
        } else {
            return Err(Usage(format!("`{token}` is no option; the prefix of the files is given by -f")));
        }
    }
    settle(typed)
}

/// What goes with one of the two forms only.
fn settle(mut typed: TypedFlashIo) -> Result<TypedFlashIo, Usage> {
    let hdf5 = typed.parameters.form == Form::Hdf5;
    if hdf5 && typed.blocking {
        return Err(Usage::new("-b does not go with --hdf5: HDF5 has blocking calls only; leave -b out"));
    }
    if !hdf5 && typed.alignment.is_some() {
        let why = "--alignment is of --hdf5; for PnetCDF there is --hint nc_var_align_size=BYTES";
        return Err(Usage::new(why));
    }
    typed.parameters.nonblocking = !(hdf5 || typed.blocking);
    Ok(typed)
}

fn letter<'t>(
    typed: &mut TypedFlashIo,
    token: &str,
    letters: &str,
    rest: &mut impl Iterator<Item = &'t str>,
) -> Result<(), Usage> {
    match letters.chars().next() {
        Some('h') => typed.help = true,
        Some('q') => typed.quiet = true,
        Some('b') => typed.blocking = true,
        Some('i') => typed.parameters.independent = true,
        Some('f') => {
            let value = rest.next().filter(|value| !value.starts_with('-') && !value.trim().is_empty());
            let Some(value) = value else {
                return Err(Usage(format!(
                    "{token} takes the next word: what the names of the files begin with; it may not begin \
                     with a dash"
                )));
            };
            (typed.parameters.prefix, typed.bare) = (value.to_owned(), false);
        }
        Some('n') => {
            return Err(Usage::new("unknown option `-n`; the ranks are MPI's, start them with mpirun -n"));
        }
        _ => return Err(Usage(format!("unknown option `{token}` (flash-io -h lists the options)"))),
    }
    Ok(())
}

fn long<'t>(
    typed: &mut TypedFlashIo,
    word: &'t str,
    rest: &mut impl Iterator<Item = &'t str>,
) -> Result<(), Usage> {
    let (name, glued) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    let Some(own) = OWN.iter().find(|own| own.word == name) else {
        return Err(Usage(format!("unknown option `--{name}` (flash-io -h lists the options)")));
    };
    let mut value = "";
    if own.value.is_empty() {
        if glued.is_some() {
            return Err(Usage(format!("--{name} takes no value")));
        }
    } else {
        let given = glued.or_else(|| rest.next()).filter(|value| !value.is_empty());
        value = given.ok_or_else(|| Usage(format!("--{name} takes a value: {}", own.about)))?;
    }
    (own.set)(typed, value).map_err(|why| Usage(format!("--{name} {value}: {why}")))
}

fn number(text: &str) -> Result<u64, &'static str> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("a whole number from 0 on is wanted");
    }
    text.parse().map_err(|_| "more than 64 bits can hold")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &str) -> Result<TypedFlashIo, String> {
        let tokens: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&tokens).map_err(|usage| usage.0)
    }

    #[test]
    fn of_a_word_the_first_two_characters_are_looked_at() {
        let all = typed("-quiet -blocking -independent -file ./o_").unwrap();
        assert!(all.quiet && !all.parameters.nonblocking && all.parameters.independent && !all.bare);
        assert_eq!(all.parameters.prefix, "./o_");
        let plain = typed("-f a -f b").unwrap();
        assert_eq!(
            plain.parameters,
            FlashIoParameters { prefix: "b".into(), ..FlashIoParameters::default() }
        );
        let again = typed("-f a --verify-only").unwrap().parameters;
        assert!(again.verify && !again.write);
        assert!(typed("-f a -help").unwrap().help && typed("--help").unwrap().help);
    }

    #[test]
    fn a_word_without_a_dash_is_the_prefix_as_it_was_before_2020() {
        let typed = typed("/scratch/o_ --size 16 --blocks=20 --guards 2 --repetitions 3 --verify").unwrap();
        let wanted = FlashIoParameters {
            prefix: "/scratch/o_".into(),
            zones: 16,
            blocks_max: 20,
            guards: 2,
            repetitions: 3,
            verify: true,
            ..FlashIoParameters::default()
        };
        assert!(typed.bare && typed.parameters == wanted, "{typed:?}");
    }

    #[test]
    fn the_form_by_hdf5_has_blocking_calls_and_options_of_its_own() {
        let typed = typed("-f a -i --hdf5 --alignment=4096 --hint cb_nodes=2 --hint=a=b=c").unwrap();
        let hints = [("cb_nodes", "2"), ("a", "b=c")].map(|(key, value)| (key.to_owned(), value.to_owned()));
        let wanted = FlashIoParameters {
            prefix: "a".into(),
            form: Form::Hdf5,
            hints: hints.to_vec(),
            nonblocking: false,
            independent: true,
            ..FlashIoParameters::default()
        };
        assert_eq!((typed.alignment, typed.parameters), (Some(4096), wanted));
    }

    #[test]
    fn what_is_wrong_is_said_in_one_line() {
        for (line, why) in [
            ("-f", "-f takes the next word: what the names of the files begin with"),
            ("-f -q", "-f takes the next word: what the names of the files begin with"),
            ("-f a b", "`b` is no option; the prefix of the files is given by -f"),
            ("-x", "unknown option `-x` (flash-io -h lists the options)"),
            ("-", "unknown option `-` (flash-io -h lists the options)"),
            ("--sise 8", "unknown option `--sise` (flash-io -h lists the options)"),
            ("--size", "--size takes a value: zones of a block"),
            ("--size 8k", "--size 8k: a whole number from 0 on is wanted"),
            ("--repetitions 4294967296", "--repetitions 4294967296: more than 32 bits can hold"),
            ("--verify=1", "--verify takes no value"),
            ("--hdf5 -b", "-b does not go with --hdf5: HDF5 has blocking calls only; leave -b out"),
            ("--alignment 4096", "--alignment is of --hdf5; for PnetCDF there is --hint nc_var_align_size"),
            ("--hdf5 --alignment 0", "--alignment 0: has to be 1 or more"),
            ("--hint cb_nodes", "--hint cb_nodes: KEY=VALUE is wanted"),
            ("--hint =1", "--hint =1: KEY=VALUE is wanted"),
            ("-n 4", "unknown option `-n`; the ranks are MPI's, start them with mpirun -n"),
        ] {
            let error = typed(line).expect_err(line);
            assert!(error.starts_with(why) && !error.contains('\n'), "{line}: {error}");
        }
    }

    #[test]
    fn the_table_of_own_options_is_sound() {
        assert!(OWN.iter().map(|own| own.word).is_sorted(), "keep the table in order");
        assert!(OWN.iter().all(|own| !own.about.is_empty() && !own.about.ends_with('.')));
    }
}
