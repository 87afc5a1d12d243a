//! From tokens to [`TypedFlashIo`]. Of a word with one dash the first two characters are looked at, as the
//! original does: `-quiet` is `-q`. The value of `-f` is the next word. Words with two dashes are this
//! program's own.
//!
//! Invariant: whatever the tokens are, the answer is what was typed or one line that says what is wrong.

use units::Usage;
use workloads::flash_io::{FlashIoParameters, Form};

use crate::personalities::own_options::{self, OwnOption, number};

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

/// The options of this program's own, by word.
pub(super) const OWN: &[OwnOption] = &[
    OwnOption::new(
        "alignment",
        "BYTES",
        "with --hdf5: objects of at least so many bytes begin at multiples of it [1]",
    ),
    OwnOption::new(
        "blocks",
        "MAX",
        "the most blocks of a rank, of which four fifths are used, and up to two more [100]",
    ),
    OwnOption::new("guards", "N", "layers of guard cells around a block in memory [4]"),
    OwnOption::new(
        "hdf5",
        "",
        "the files of the first FLASH I/O benchmark, by HDF5, which has blocking calls only (no -b)",
    ),
    OwnOption::new("help", "", "print this text"),
    OwnOption::new("hint", "KEY=VALUE", "a hint for MPI-IO or the library; may be given again"),
    OwnOption::new("latency", "", "print percentiles of the latency of single calls, and the slowest rank"),
    OwnOption::new("record", "FILE", "keep what was measured as JSON lines in a new file"),
    OwnOption::new("repetitions", "N", "write all files so many times [1]"),
    OwnOption::new("size", "N", "zones of a block in each of the three directions [8]"),
    OwnOption::new("verify", "", "read the files again and compare every value"),
    OwnOption::new(
        "verify-only",
        "",
        "read the files that an earlier run of the same ranks and sizes left, and compare",
    ),
];

/// Gives `value` to an option of the table; fails with what is wrong with the value.
fn set(typed: &mut TypedFlashIo, option: &str, value: &str) -> Result<(), &'static str> {
    let parameters = &mut typed.parameters;
    match option {
        "alignment" => {
            let bytes = Some(number(value)?).filter(|bytes| *bytes > 0);
            typed.alignment = Some(bytes.ok_or("has to be 1 or more")?);
        }
        "blocks" => parameters.blocks_max = number(value)?,
        "guards" => parameters.guards = number(value)?,
        "hdf5" => parameters.form = Form::Hdf5,
        "help" => typed.help = true,
        "hint" => {
            let pair = value.split_once('=').filter(|(key, value)| !key.is_empty() && !value.is_empty());
            let (key, value) = pair.ok_or("KEY=VALUE is wanted")?;
            parameters.hints.push((key.to_owned(), value.to_owned()));
        }
        "latency" => typed.latency = true,
        "record" => typed.record = Some(value.to_owned()),
        "repetitions" => {
            let count = u32::try_from(number(value)?).map_err(|_| "more than 32 bits can hold")?;
            parameters.repetitions = count;
        }
        "size" => parameters.zones = number(value)?,
        "verify" => parameters.verify = true,
        "verify-only" => (parameters.write, parameters.verify) = (false, true),
        option => unreachable!("--{option} has no meaning"),
    }
    Ok(())
}

/// Reads the tokens behind the program's name.
pub(super) fn parse(tokens: &[String]) -> Result<TypedFlashIo, Usage> {
    let mut typed = TypedFlashIo::default();
    let mut rest = tokens.iter().map(String::as_str);
    while let Some(token) = rest.next() {
        if let Some(word) = token.strip_prefix("--") {
            let (name, value) = own_options::read("flash-io", OWN, word, &mut rest)?;
            set(&mut typed, name, value).map_err(|why| Usage(format!("--{name} {value}: {why}")))?;
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
    fn the_table_of_own_options_is_sound_and_each_has_its_meaning() {
        own_options::assert_is_sound(OWN);
        for own in OWN {
            let _ = set(&mut TypedFlashIo::default(), own.word, "1");
        }
    }
}
