//! A search by a program of the user, on rank 0, in place of `pfind`.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use run::bounded;

/// How long a search may take.
const LIMIT: Duration = Duration::from_secs(24 * 3600);
/// The variable with the file of its output. The shell puts it there, because it may be long.
const OUTPUT: &str = "ASSAY_OUTPUT";

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct External {
    pub(super) matched: u64,
    pub(super) files: u64,
    pub(super) seconds: f64,
}

/// Runs the shell's `line`. Its output goes to the file `to`, and its last line must be `MATCHED x/y`.
pub(super) fn external(line: &str, to: &Path) -> Result<External, String> {
    let begun = Instant::now();
    let line = format!("{{ {line}\n}} > \"${OUTPUT}\"");
    let ended = bounded::ended(Command::new("sh").args(["-c", &line]).env(OUTPUT, to), "", LIMIT);
    let seconds = begun.elapsed().as_secs_f64();
    let ended = ended.map_err(|error| format!("external-script: {error}"))?;
    if !ended.status.success() {
        let why = ended.err.lines().last().map(|line| format!(": {line}")).unwrap_or_default();
        return Err(format!("external-script ended with {}{why}", ended.status));
    }
    let file = File::open(to).map_err(|error| format!("{}: {error}", to.display()))?;
    // Names of files need not be UTF-8.
    let last = BufReader::new(file).split(b'\n').map_while(Result::ok).last().unwrap_or_default();
    let (matched, files) = matched(&String::from_utf8_lossy(&last))
        .ok_or("the last line of external-script is not MATCHED x/y")?;
    Ok(External { matched, files, seconds })
}

fn matched(line: &str) -> Option<(u64, u64)> {
    let (matched, files) = line.strip_prefix("MATCHED ")?.trim_end().split_once('/')?;
    Some((matched.parse().ok()?, files.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_an_external_search_has_its_result() {
        let dir = tempfile::tempdir().unwrap();
        let to = dir.path().join("find.txt");
        let found = external("printf 'a\\377\\n'; echo MATCHED 3/17", &to).unwrap();
        assert_eq!((found.matched, found.files), (3, 17));
        assert_eq!(std::fs::read(&to).unwrap(), b"a\xff\nMATCHED 3/17\n");
        for (line, why) in [
            ("echo MATCHED 3", "the last line of external-script is not MATCHED x/y"),
            ("echo no >&2; exit 4", "external-script ended with exit status: 4: no"),
        ] {
            assert_eq!(external(line, &to).unwrap_err(), why);
        }
    }
}
