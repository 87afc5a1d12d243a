//! Reads a command line that clap parses, as far as it can be read.

use clap::Command;
use clap::error::ErrorKind::{ArgumentConflict, MissingRequiredArgument};

/// A command line without words.
const NONE: [&str; 0] = [];

fn command<A: clap::Args>() -> Command {
    A::augment_args(Command::new("").no_binary_name(true).args_override_self(true))
}

/// The first fault of a command line, other than a broken rule between options.
pub(crate) fn fault<A: clap::Args>(words: &[String]) -> Option<String> {
    let error = command::<A>().try_get_matches_from(words).err()?;
    (!matches!(error.kind(), ArgumentConflict | MissingRequiredArgument)).then(|| error.to_string())
}

/// The options in `words`. Options that cannot be read alone are left out.
pub(crate) fn read<A: clap::Args>(words: &[String]) -> A {
    let command = command::<A>();
    // A broken rule between options leaves all their values.
    let is_read = |words: &[String]| fault::<A>(words).is_none();
    let (mut readable, mut rest) = (Vec::new(), words);
    if is_read(words) {
        (readable, rest) = (words.to_vec(), &[]);
    }
    while !rest.is_empty() {
        let (option, after) = rest.split_at(length(&command, rest));
        if is_read(option) {
            readable.extend_from_slice(option);
        }
        rest = after;
    }
    let tolerant = command.ignore_errors(true);
    // Help and version are errors also for a tolerant reader.
    let matches = tolerant.clone().try_get_matches_from(readable);
    let matches = matches.or_else(|_| tolerant.try_get_matches_from(NONE)).expect("no words have no fault");
    A::from_arg_matches(&matches).expect("every option has a default")
}

/// Number of words of the first option, with its value.
fn length(command: &Command, words: &[String]) -> usize {
    let named = command.get_arguments().find(|arg| match words[0].strip_prefix("--") {
        Some(long) => arg.get_long() == Some(long),
        None => words[0].starts_with('-') && arg.get_short().is_some_and(|short| words[0].ends_with(short)),
    });
    let takes_next = named.is_some_and(|arg| arg.get_action().takes_values());
    let has_value = words.get(1).is_some_and(|next| !next.starts_with('-'));
    if takes_next && has_value { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ls_lr::LsLrOptions;
    use crate::mpi_io::MpiIoArgs;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn an_option_that_cannot_be_read_has_its_default_and_the_others_are_read() {
        let line: LsLrOptions = read(&words("--entries ${N} --cold --nope -i x --shift=2 --help d"));
        assert_eq!((line.entries, line.repetitions, line.shift), (101_000, 1, 2));
        assert!(line.cold && line.dirs == ["d".into()] as [std::path::PathBuf; 1]);
        let line: MpiIoArgs = read(&words("--timeout 5 --timeout 6 --only a --only --large d --seed 7"));
        assert_eq!((line.timeout, line.seed, line.only.len(), line.large), (6, 7, 1, true));
        assert_eq!(read::<LsLrOptions>(&[]).entries, 101_000);
        for line in ["-h", "--version", "-- --help", "--entries -h"] {
            assert_eq!(read::<LsLrOptions>(&words(line)).entries, 101_000, "{line}");
        }
    }
}
