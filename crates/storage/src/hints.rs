//! Hints for MPI-IO: from the environment (passed as settings `hint.<key>`) and from a file, which takes
//! precedence.
//!
//! A hints file has lines `IOR_HINT__MPI__key=value`; other lines that do not begin with `IOR_HINT` are
//! ignored. A line that begins with `IOR_HINT` and is not a hint is an error. A missing file is an error too,
//! because a test without its hints is a different test.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;

use units::Usage;

use command::Settings;

/// Prefixes of the names of hints, as in IOR.
const PREFIXES: [&str; 2] = ["IOR_HINT__MPI__", "IOR_HINT__GPFS__"];

/// Hints of an open file, by key.
///
/// IOR 4.1 prints them on rank 0 at every open, on stdout. It prints an empty line, the line `hints passed to
/// MPI_File_open() {`, a line `<tab>key = value` for each passed hint, and `}`. Then it prints the same with
/// `hints returned from opened file {` and the returned hints. `Display` writes the same text, with all line
/// ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// What they were passed to, such as `MPI_File_open()`.
    pub to: &'static str,
    /// The hints that were passed to the open.
    pub passed: Vec<(String, String)>,
    /// The hints that the library reports to be in effect.
    pub returned: Vec<(String, String)>,
}

impl Hints {
    /// The passed hints that the library ignored, and those that it changed, with both values.
    pub fn not_taken(&self) -> [Vec<String>; 2] {
        let [mut ignored, mut changed] = [const { Vec::new() }; 2];
        for (key, value) in &self.passed {
            match self.returned.iter().find(|(known, _)| known == key) {
                None => ignored.push(key.clone()),
                Some((_, is)) if is != value => changed.push(format!("{key} is {is} instead of {value}")),
                Some(_) => {}
            }
        }
        [ignored, changed]
    }
}

impl fmt::Display for Hints {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (begin, place, hints) in
            [("passed to", self.to, &self.passed), ("returned from", "opened file", &self.returned)]
        {
            writeln!(out, "\nhints {begin} {place} {{")?;
            hints.iter().try_for_each(|(key, value)| writeln!(out, "\t{key} = {value}"))?;
            writeln!(out, "}}")?;
        }
        Ok(())
    }
}

/// The hints that the settings of a backend ask for.
#[derive(Debug)]
pub(crate) struct RequestedHints {
    pairs: BTreeMap<String, String>,
    shows: bool,
}

impl RequestedHints {
    /// Keys and values.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Whether files show their hints: where there are some, or the settings ask for it.
    pub(crate) fn are_shown(&self) -> bool {
        self.shows || !self.pairs.is_empty()
    }
}

/// The hints that the settings of `backend` ask for.
pub(crate) fn asked(backend: &str, settings: &Settings) -> Result<RequestedHints, Usage> {
    let given = settings.under("hint.");
    let mut hints: BTreeMap<String, String> =
        given.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let option = format!("{backend}.hintsFileName");
    if let Some(path) = settings.text(&option) {
        let text = fs::read_to_string(path).map_err(|error| Usage(format!("--{option}={path}: {error}")))?;
        for (index, line) in text.lines().enumerate() {
            let wrong = |why| Usage(format!("--{option}={path}: line {}: {why}", index + 1));
            hints.extend(hint(line).map_err(wrong)?);
        }
    }
    match hints.iter().find(|(key, value)| key.is_empty() || value.is_empty() || has_zero(key, value)) {
        Some((key, _)) => Err(Usage(format!("the MPI hint `{key}` has no value or no name"))),
        None => Ok(RequestedHints { pairs: hints, shows: settings.flag(&format!("{backend}.showHints")) }),
    }
}

fn has_zero(key: &str, value: &str) -> bool {
    key.contains('\0') || value.contains('\0')
}

/// The hint of one line; `None` where the line is not a hint.
fn hint(line: &str) -> Result<Option<(String, String)>, String> {
    let line = line.trim();
    if !line.starts_with("IOR_HINT") {
        return Ok(None);
    }
    let wrong = || format!("`{line}` is not of the form {}key=value", PREFIXES[0]);
    let rest = PREFIXES.iter().find_map(|prefix| line.strip_prefix(prefix)).ok_or_else(wrong)?;
    let (key, value) = rest.split_once('=').ok_or_else(wrong)?;
    let (key, value) = (key.trim(), value.trim());
    let (value, rest) = value.split_once(char::is_whitespace).unwrap_or((value, ""));
    if key.is_empty() || value.is_empty() || !(rest.is_empty() || rest.trim_start().starts_with('#')) {
        return Err(wrong());
    }
    Ok(Some((key.to_owned(), value.to_owned())))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn from_file(text: &str, given: &[(&str, &str)]) -> Result<Vec<(String, String)>, String> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let mut settings = Settings::default();
        given.iter().for_each(|(key, value)| settings.set(&format!("hint.{key}"), *value));
        settings.set("mpiio.hintsFileName", file.path().to_str().unwrap());
        asked("mpiio", &settings).map(|hints| hints.pairs.into_iter().collect()).map_err(|usage| usage.0)
    }

    fn pair(key: &str, value: &str) -> (String, String) {
        (key.to_owned(), value.to_owned())
    }

    #[test]
    fn ignored_and_changed_hints_are_reported_and_nothing_where_all_were_accepted() {
        let passed = vec![pair("cb_nodes", "2"), pair("nonsense", "7"), pair("romio_cb_write", "enable")];
        let returned = vec![pair("cb_nodes", "1"), pair("romio_cb_write", "enable"), pair("ind_rd", "4")];
        let mut hints = Hints { to: "MPI_File_open()", passed, returned };
        assert_eq!(hints.not_taken(), [["nonsense"], ["cb_nodes is 1 instead of 2"]]);
        hints.returned = hints.passed.clone();
        assert_eq!(hints.not_taken().concat(), [""; 0]);
    }

    #[test]
    fn the_file_wins_over_the_environment() {
        let text = "# a comment\nIOR_HINT__MPI__cb_nodes=4\n  IOR_HINT__GPFS__hint = x=1 # why\nother=1\n";
        let found = from_file(text, &[("cb_nodes", "2"), ("direct_io", "true")]).unwrap();
        assert_eq!(found, [pair("cb_nodes", "4"), pair("direct_io", "true"), pair("hint", "x=1")]);
    }

    #[test]
    fn a_malformed_hint_line_is_rejected_with_its_number() {
        for line in [
            "IOR_HINT__MPI__cb_nodes",
            "IOR_HINT__MPI__=4",
            "IOR_HINT__MPI__a=",
            "IOR_HINT_MPI_a=1",
            "IOR_HINT__MPI__a=1 2",
        ] {
            let error = from_file(&format!("# hints\n{line}\n"), &[]).unwrap_err();
            let what = format!("line 2: `{line}` is not of the form IOR_HINT__MPI__key=value");
            assert!(error.ends_with(&what), "{error}");
        }
    }

    #[test]
    fn a_missing_file_and_a_hint_without_a_value_are_rejected() {
        let mut settings = Settings::default();
        settings.set("mpiio.hintsFileName", "/nowhere/hints");
        let error = asked("mpiio", &settings).unwrap_err().0;
        assert!(error.starts_with("--mpiio.hintsFileName=/nowhere/hints: No such file"), "{error}");
        assert!(from_file("", &[("cb_nodes", "")]).unwrap_err().contains("cb_nodes"));
    }
}
