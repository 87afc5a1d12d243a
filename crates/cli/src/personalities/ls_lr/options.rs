//! From the options of `ls-lr` to the settings of a run.

use command::ls_lr::{LsLrOptions, LsLrShape};
use units::Usage;
use workloads::ls_lr::{EntryCalls, LsLrParameters, Trees};

use crate::personalities::program::options_or_help;

/// The options, or the help text to print instead.
pub(super) fn parse(tokens: &[String]) -> Result<Result<LsLrOptions, String>, Usage> {
    options_or_help("ls-lr", tokens.iter().cloned(), "no directory is given. Give one per walker")
}

/// The parameters for this number of walkers. `holds` says whether tree number n is in the only
/// directory.
pub(super) fn parameters(
    options: &LsLrOptions,
    ranks: u32,
    holds: impl Fn(u32) -> bool,
) -> Result<LsLrParameters, Usage> {
    let LsLrOptions { entries, per_dir, fan_out, bytes, .. } = *options;
    let parameters = LsLrParameters {
        trees: trees(options, ranks, holds)?,
        shape: LsLrShape { entries, per_dir, fan_out, bytes },
        make: options.make,
        walk: options.walk || !(options.make || options.remove),
        remove: options.remove,
        repetitions: options.repetitions,
        calls: if options.stat_only { EntryCalls::Stat } else { EntryCalls::All },
        cold: options.cold,
        shift: options.shift,
        least_window_s: options.min_window,
        keep_going: options.keep_going,
        ..LsLrParameters::default()
    };
    parameters.check(ranks)?;
    Ok(parameters)
}

/// Whether the first directory contains tree number n.
pub(super) fn holds(options: &LsLrOptions, tree: u32) -> bool {
    let inside = options.dirs.first().map(|dir| dir.join(format!("ls-lr.{tree}")));
    inside.is_some_and(|tree| tree.symlink_metadata().is_ok())
}

/// A single directory is the one of --make if trees are to be made or removed, or if one of them exists.
fn trees(options: &LsLrOptions, ranks: u32, holds: impl Fn(u32) -> bool) -> Result<Trees, Usage> {
    let made = options.make || options.remove;
    let [dir] = &options.dirs[..] else {
        if made {
            return Err(Usage::new("--make and --remove take one directory for all trees. Give only one."));
        }
        return Ok(Trees::Given(options.dirs.clone()));
    };
    let under = Trees::Under(dir.clone());
    Ok(if made || (0..ranks).any(holds) { under } else { Trees::Given(options.dirs.clone()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_options_are_sound_and_an_error_is_one_line() {
        LsLrOptions::command().debug_assert();
        for (words, part) in [
            ("", "no directory is given"),
            ("--fast x", "unexpected argument '--fast' found"),
            ("--entries 5 x", "--make"),
            ("--make --entries many x", "invalid value 'many' for '--entries <N>'"),
            ("-i", "a value is required for '--repetitions <N>'"),
        ] {
            let tokens: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            let Usage(text) = parse(&tokens).err().unwrap();
            assert!(text.contains(part) && !text.contains('\n'), "{words}: {text}");
        }
        let help = parse(&["--help".to_owned()]).unwrap().err().unwrap();
        assert!(help.contains("--stat-only"));
    }
}
