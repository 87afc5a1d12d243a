//! The arguments of `cargo xtask bench`, and the sizes of the measurements.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

const GIB: u64 = 1 << 30;

/// The options of a benchmark.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Options {
    /// The directory for files on a disk; `None` for the target directory.
    pub(super) dir: Option<PathBuf>,
    /// The directory for files in memory.
    pub(super) memory: PathBuf,
    /// The number of rounds of each group.
    pub(super) rounds: usize,
    /// Seconds to wait in total for a quiet machine.
    pub(super) patience_s: f64,
    /// The `release` directory of an earlier build to compare with.
    pub(super) before: Option<PathBuf>,
    /// Only groups with this text in their title; all groups if it is empty.
    pub(super) only: String,
    /// Whether only to show that everything runs, with sizes too small for usable numbers.
    pub(super) smoke: bool,
}

impl Options {
    /// Parses the arguments.
    pub(super) fn parse(words: &[&str]) -> Result<Self> {
        let memory = "/dev/shm".into();
        let (rounds, patience_s, only) = (5, 120.0, String::new());
        let mut options = Self { dir: None, memory, rounds, patience_s, before: None, only, smoke: false };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = |what: &str| words.next().with_context(|| format!("{word} takes {what}"));
            match *word {
                "--quick" => options.rounds = 2,
                "--smoke" => options.smoke = true,
                "--rounds" => {
                    let number = value("a number")?;
                    options.rounds =
                        number.parse().ok().filter(|n| (1..=100).contains(n)).with_context(|| {
                            format!("--rounds {number}: not a whole number from 1 to 100")
                        })?;
                }
                "--patience" => {
                    let number = value("seconds")?;
                    options.patience_s =
                        number.parse().ok().filter(|s: &f64| (0.0..=86400.0).contains(s)).with_context(
                            || format!("--patience {number}: not a number from 0 to 86400 (seconds)"),
                        )?;
                }
                "--memory" => options.memory = value("a directory")?.into(),
                "--before" => options.before = Some(value("a directory")?.into()),
                "--only" => options.only = (*value("a part of a title")?).into(),
                flag if flag.starts_with('-') => {
                    bail!(
                        "unknown option `{flag}`. bench takes DIR --memory DIR --rounds N --patience S \
                         --before DIR --only NAME --quick --smoke"
                    )
                }
                dir if options.dir.is_none() => options.dir = Some(dir.into()),
                more => bail!("bench takes one directory for the disk; `{more}` is a second one"),
            }
        }
        if options.smoke {
            (options.rounds, options.patience_s) = (1, 0.0);
        }
        Ok(options)
    }

    /// The sizes of the measurements.
    pub(super) fn sizes(&self) -> Sizes {
        if self.smoke { Sizes::SMOKE } else { Sizes::FULL }
    }
}

/// The amount of work of each measurement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Bytes of a file that is read from the page cache or streamed.
    pub(super) file: u64,
    /// How often a cached file is read in one run.
    pub(super) passes: u64,
    /// Bytes of the files for O_DIRECT reads with queue depth 1, and with a higher one.
    pub(super) direct: (u64, u64),
    /// Transfers without I/O.
    pub(super) dummy_ops: u64,
    /// Phases of one transfer.
    pub(super) phases: u64,
    /// Buffers of 1 MiB generated or compared.
    pub(super) fill_ops: u64,
    /// Files that are created, stat'ed and removed, and directories as many.
    pub(super) names: u64,
    /// Ranks of MPICH that are started at once.
    pub(super) mpi_ranks: u32,
    /// Jobs of the campaigns that are evaluated.
    pub(super) jobs: [u32; 3],
}

impl Sizes {
    /// About one second per run on the developers' machines. fio reports only milliseconds.
    const FULL: Self = Self {
        file: GIB,
        passes: 4,
        direct: (GIB / 16, GIB / 2),
        dummy_ops: 1 << 23,
        phases: 10_000,
        fill_ops: 4000,
        names: 200_000,
        mpi_ranks: 64,
        jobs: [500, 2000, 20_000],
    };
    pub(super) const SMOKE: Self = Self {
        file: 32 << 20,
        passes: 2,
        direct: (1 << 20, 4 << 20),
        dummy_ops: 1 << 17,
        phases: 200,
        fill_ops: 50,
        names: 2000,
        mpi_ranks: 4,
        jobs: [10, 20, 40],
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_five_rounds_and_options_change_it() {
        let options = Options::parse(&[]).unwrap();
        assert_eq!((options.rounds, options.dir, options.smoke), (5, None, false));
        let options = Options::parse(&["--quick", "/scratch", "--memory", "/mnt/ram"]).unwrap();
        assert_eq!((options.rounds, options.dir), (2, Some("/scratch".into())));
        assert_eq!(options.memory, PathBuf::from("/mnt/ram"));
        assert_eq!(Options::parse(&["--only", "depth 64"]).unwrap().only, "depth 64");
        let before = Options::parse(&["--before", "/old/release"]).unwrap().before;
        assert_eq!(before, Some("/old/release".into()));
    }

    #[test]
    fn smoke_is_one_round_with_any_other_option() {
        for words in [["--smoke", "--quick"], ["--quick", "--smoke"]] {
            let options = Options::parse(&words).unwrap();
            assert_eq!((options.rounds, options.patience_s), (1, 0.0));
        }
    }

    #[test]
    fn an_unknown_option_is_rejected_with_the_list_of_options() {
        assert!(Options::parse(&["--fast"]).unwrap_err().to_string().contains("--quick"));
        assert!(Options::parse(&["a", "b"]).is_err());
        for rounds in ["0", "many", "101"] {
            assert!(Options::parse(&["--rounds", rounds]).is_err(), "{rounds}");
        }
        for seconds in ["-1", "long", "NaN"] {
            assert!(Options::parse(&["--patience", seconds]).is_err(), "{seconds}");
        }
    }
}
