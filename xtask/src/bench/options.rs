//! The words after `cargo xtask bench`, and the sizes they lead to.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

const GIB: u64 = 1 << 30;

/// What was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Options {
    /// Where files on a disk go; `None` for the target folder.
    pub(super) dir: Option<PathBuf>,
    /// Where files in memory go.
    pub(super) memory: PathBuf,
    /// How often each group is run through.
    pub(super) rounds: usize,
    /// Seconds to wait in all for a quiet machine.
    pub(super) patience_s: f64,
    /// The `release` folder of an earlier build, whose programs are measured beside those of this one.
    pub(super) before: Option<PathBuf>,
    /// Only groups whose name has this in it; all of them where it is empty.
    pub(super) only: String,
    /// Whether only to show that everything still runs, with sizes too small for numbers.
    pub(super) smoke: bool,
}

impl Options {
    /// Reads the words.
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
                            format!("`{number}` is no number of rounds; from 1 to 100 would do")
                        })?;
                }
                "--patience" => {
                    let number = value("seconds")?;
                    options.patience_s =
                        number.parse().ok().filter(|s: &f64| (0.0..=86400.0).contains(s)).with_context(
                            || format!("`{number}` is no number of seconds; 0 to 86400 would do"),
                        )?;
                }
                "--memory" => options.memory = value("a directory")?.into(),
                "--before" => options.before = Some(value("a directory")?.into()),
                "--only" => options.only = (*value("a part of a name")?).into(),
                flag if flag.starts_with('-') => {
                    bail!(
                        "bench does not know `{flag}`; it takes DIR --memory DIR --rounds N --patience S \
                         --before DIR --only NAME --quick --smoke"
                    )
                }
                dir if options.dir.is_none() => options.dir = Some(dir.into()),
                more => bail!("bench takes one directory for the disk; `{more}` is one too many"),
            }
        }
        if options.smoke {
            (options.rounds, options.patience_s) = (1, 0.0);
        }
        Ok(options)
    }

    /// The sizes for it.
    pub(super) fn sizes(&self) -> Sizes {
        if self.smoke { Sizes::SMOKE } else { Sizes::FULL }
    }
}

/// How much each measurement moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Bytes of a file that is read from the page cache or streamed.
    pub(super) file: u64,
    /// How often a cached file is read through in one run.
    pub(super) passes: u64,
    /// Bytes of the files read past the page cache one at a time, and many at a time.
    pub(super) direct: (u64, u64),
    /// Transfers that move nothing.
    pub(super) dummy_ops: u64,
    /// Buffers of 1 MiB made or compared.
    pub(super) fill_ops: u64,
    /// Names that are made, looked at and removed.
    pub(super) names: u64,
}

impl Sizes {
    /// About a second a run on the machines this was written on; fio counts in milliseconds.
    const FULL: Self = Self {
        file: GIB,
        passes: 4,
        direct: (GIB / 16, GIB / 2),
        dummy_ops: 1 << 23,
        fill_ops: 4000,
        names: 200_000,
    };
    pub(super) const SMOKE: Self = Self {
        file: 32 << 20,
        passes: 2,
        direct: (1 << 20, 4 << 20),
        dummy_ops: 1 << 17,
        fill_ops: 50,
        names: 2000,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_rounds_are_what_a_bare_word_gets() {
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
    fn smoke_is_one_round_whatever_else_is_said() {
        for words in [["--smoke", "--quick"], ["--quick", "--smoke"]] {
            let options = Options::parse(&words).unwrap();
            assert_eq!((options.rounds, options.patience_s), (1, 0.0));
        }
    }

    #[test]
    fn a_word_it_does_not_know_is_rejected_with_those_it_does() {
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
