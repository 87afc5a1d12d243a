//! The command line of `flash-io`: its options, and the settings of a run.
//!
//! As in the original, only the first two characters of a token with one dash count: `-quiet` is `-q`. The
//! value of `-f` is the next token. Options with two dashes are assay's own.
//!
//! Invariant: any tokens give either a parsed command line or one line of error.

mod parameters;

use units::Usage;

pub use parameters::{FlashIoParameters, Form, UNKNOWNS};

use crate::own_options::{self, OwnOption, number};
use crate::planned::{PlannedLine, check_options, check_place, check_stray};

/// For each file: the phase that writes it, and the phase that reads and compares it.
pub const PHASES: [[&str; 2]; 3] = [
    ["checkpoint", "checkpoint_check"],
    ["plot_centered", "plot_centered_check"],
    ["plot_corner", "plot_corner_check"],
];

/// What was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// The settings of the run.
    pub parameters: FlashIoParameters,
    /// `-b`
    blocking: bool,
    /// `--alignment`, bytes.
    pub alignment: Option<u64>,
    /// `-h`
    pub help: bool,
    /// `-q`
    pub quiet: bool,
    /// `--latency`
    pub latency: bool,
    /// `--record`
    pub record: Option<String>,
    /// Whether the prefix was a token without a dash, as versions before 2020 took it instead of `-f`.
    pub bare: bool,
    /// That token, also if `-f` follows it.
    stray: Option<String>,
}

impl Parsed {
    /// Reads the tokens after the program's name.
    pub fn parse(tokens: &[String]) -> Result<Self, Usage> {
        let (typed, read) = Self::read(tokens);
        read?;
        let hdf5 = typed.parameters.form == Form::Hdf5;
        if hdf5 && typed.blocking {
            return Err(Usage::new(
                "-b does not go with --hdf5: HDF5 has blocking calls only. Leave -b out.",
            ));
        }
        if !hdf5 && typed.alignment.is_some() {
            let why = "--alignment needs --hdf5. For PnetCDF use --hint nc_var_align_size=BYTES.";
            return Err(Usage::new(why));
        }
        Ok(typed)
    }

    /// The same as far as it can be read, with the first fault.
    pub(crate) fn read(tokens: &[String]) -> (Self, Result<(), Usage>) {
        let (mut typed, mut read) = (Self::default(), Ok(()));
        let mut rest = tokens.iter().map(String::as_str);
        while let Some(token) = rest.next() {
            read = read.and(if let Some(word) = token.strip_prefix("--") {
                own_options::read("flash-io", OWN, word, &mut rest).and_then(|(name, value)| {
                    set(&mut typed, name, value).map_err(|why| Usage(format!("--{name} {value}: {why}")))
                })
            } else if let Some(letters) = token.strip_prefix('-') {
                letter(&mut typed, token, letters, &mut rest)
            } else if typed.parameters.prefix.is_empty() {
                (typed.parameters.prefix, typed.bare) = (token.to_owned(), true);
                typed.stray = Some(token.to_owned());
                Ok(())
            } else {
                Err(Usage(format!("`{token}` is not an option. Give the prefix of the files with -f.")))
            });
        }
        typed.parameters.nonblocking = typed.parameters.form == Form::Pnetcdf && !typed.blocking;
        (typed, read)
    }
}

impl PlannedLine for Parsed {
    fn check_planned(&self) -> Result<(), Usage> {
        check_stray("flash-io", self.stray.as_deref())?;
        self.dir().map_or(Ok(()), |prefix| check_place("-f", prefix))?;
        check_options(&[("record", self.record.is_some())])
    }

    fn phases(&self) -> Vec<&'static str> {
        let written = PHASES.iter().map(|file| file[0]).filter(|_| self.creates());
        written.chain(PHASES.iter().map(|file| file[1]).filter(|_| self.parameters.verify)).collect()
    }

    fn dir(&self) -> Option<&str> {
        Some(&*self.parameters.prefix).filter(|prefix| !prefix.is_empty())
    }

    fn creates(&self) -> bool {
        self.parameters.write
    }

    fn removes(&self) -> bool {
        false
    }

    // Every repetition overwrites the files of the one before.
    fn set_bytes(&self, ranks: u64) -> u64 {
        self.parameters.bytes_of_rank().saturating_mul(ranks)
    }

    fn set_names(&self, _ranks: u64, _preload: u64) -> u64 {
        PHASES.len() as u64
    }

    fn repetitions(&self) -> u64 {
        u64::from(self.parameters.repetitions).max(1)
    }

    fn compares(&self, phase: &str) -> bool {
        phase.ends_with("_check")
    }
}

/// assay's own options, sorted by name.
pub const OWN: &[OwnOption] = &[
    OwnOption::new(
        "alignment",
        "BYTES",
        "with --hdf5, align objects of BYTES and more to multiples of it [1]",
    ),
    OwnOption::new("blocks", "MAX", "give each rank four fifths of MAX blocks, and up to two more [100]"),
    OwnOption::new("guards", "N", "set N layers of guard cells around a block in memory [4]"),
    OwnOption::new("hdf5", "", "write the HDF5 files of the first FLASH I/O benchmark; not with -b"),
    OwnOption::new("help", "", "print this help"),
    OwnOption::new("hint", "KEY=VALUE", "pass a hint to MPI-IO or the library; repeatable"),
    OwnOption::new("latency", "", "print percentiles of single calls, and the slowest rank"),
    OwnOption::new("record", "FILE", "write the results as JSON lines to a new file"),
    OwnOption::new("repetitions", "N", "write all files N times [1]"),
    OwnOption::new("size", "N", "set N zones of a block in each of the three directions [8]"),
    OwnOption::new("verify", "", "read the files back and compare every value"),
    OwnOption::new(
        "verify-only",
        "",
        "compare the files that an earlier run of the same ranks and sizes left",
    ),
];

/// Sets an option of the table to `value`. Fails with the reason if the value is not valid.
fn set(typed: &mut Parsed, option: &str, value: &str) -> Result<(), &'static str> {
    let parameters = &mut typed.parameters;
    match option {
        "alignment" => {
            let bytes = Some(number(value)?).filter(|bytes| *bytes > 0);
            typed.alignment = Some(bytes.ok_or("must be 1 or more")?);
        }
        "blocks" => parameters.blocks_max = number(value)?,
        "guards" => parameters.guards = number(value)?,
        "hdf5" => parameters.form = Form::Hdf5,
        "help" => typed.help = true,
        "hint" => {
            let pair = value.split_once('=').filter(|(key, value)| !key.is_empty() && !value.is_empty());
            let (key, value) = pair.ok_or("not of the form KEY=VALUE")?;
            parameters.hints.push((key.to_owned(), value.to_owned()));
        }
        "latency" => typed.latency = true,
        "record" => typed.record = Some(value.to_owned()),
        "repetitions" => {
            let count = u32::try_from(number(value)?).map_err(|_| "does not fit into 32 bits")?;
            parameters.repetitions = count;
        }
        "size" => parameters.zones = number(value)?,
        "verify" => parameters.verify = true,
        "verify-only" => (parameters.write, parameters.verify) = (false, true),
        option => unreachable!("--{option} has no meaning"),
    }
    Ok(())
}

fn letter<'t>(
    typed: &mut Parsed,
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
                    "{token} takes the prefix of the file names from the next argument, which must not begin \
                     with a dash. Give -f PREFIX."
                )));
            };
            (typed.parameters.prefix, typed.bare) = (value.to_owned(), false);
        }
        Some('n') => {
            return Err(Usage::new("unknown option `-n`. Start the MPI ranks with mpirun -n RANKS."));
        }
        _ => return Err(Usage(format!("unknown option `{token}`. `flash-io -h` lists all options."))),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &str) -> Result<Parsed, String> {
        let tokens: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Parsed::parse(&tokens).map_err(|usage| usage.0)
    }

    #[test]
    fn the_first_two_characters_of_an_option_decide() {
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
    fn an_argument_without_a_dash_is_the_prefix_as_before_2020() {
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
    fn the_hdf5_form_has_blocking_calls_and_its_own_options() {
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
    fn an_error_is_one_line() {
        for (line, why) in [
            ("-f", "-f takes the prefix of the file names from the next argument"),
            ("-f -q", "-f takes the prefix of the file names from the next argument"),
            ("-f a b", "`b` is not an option. Give the prefix of the files with -f."),
            ("-x", "unknown option `-x`. `flash-io -h` lists all options."),
            ("-", "unknown option `-`. `flash-io -h` lists all options."),
            ("--sise 8", "unknown option `--sise`. `flash-io -h` lists all options."),
            ("--size", "--size takes a value: set N zones of a block"),
            ("--size 8k", "--size 8k: not a whole number of 0 or more"),
            ("--repetitions 4294967296", "--repetitions 4294967296: does not fit into 32 bits"),
            ("--verify=1", "--verify takes no value"),
            ("--hdf5 -b", "-b does not go with --hdf5: HDF5 has blocking calls only. Leave -b out."),
            ("--alignment 4096", "--alignment needs --hdf5. For PnetCDF use --hint nc_var_align_size"),
            ("--hdf5 --alignment 0", "--alignment 0: must be 1 or more"),
            ("--hint cb_nodes", "--hint cb_nodes: not of the form KEY=VALUE"),
            ("--hint =1", "--hint =1: not of the form KEY=VALUE"),
            ("-n 4", "unknown option `-n`. Start the MPI ranks with mpirun -n RANKS."),
        ] {
            let error = typed(line).expect_err(line);
            assert!(error.starts_with(why) && !error.contains('\n'), "{line}: {error}");
        }
    }

    #[test]
    fn the_table_of_own_options_is_sound_and_each_has_an_effect() {
        own_options::assert_is_sound(OWN);
        for own in OWN {
            let _ = set(&mut Parsed::default(), own.word, "1");
        }
    }
}
