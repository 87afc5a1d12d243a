//! The configuration of a run: sections of `name = value` lines. The lines are read as IO500 does.

use units::Usage;

use super::ScoreHash;
use super::sections::{IniKind, SECTIONS, Section};

/// A value of each option, in the order of the table; `None` if it is not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config(Vec<Vec<Option<String>>>);

impl Default for Config {
    fn default() -> Self {
        let values = |section: &Section| {
            section.options.iter().map(|option| option.default.map(str::to_owned)).collect()
        };
        Self(SECTIONS.iter().map(values).collect())
    }
}

/// The text before a comment: `#` or `;` at the start of a word. `None` if one is within a word.
fn without_comment(line: &str) -> Option<&str> {
    match line.find(['#', ';']) {
        None => Some(line),
        Some(at) if line[..at].is_empty() || line[..at].ends_with(char::is_whitespace) => Some(&line[..at]),
        Some(_) => None,
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|char| char.is_ascii_alphanumeric() || "_.-".contains(char))
}

impl Config {
    /// Reads the configuration `text`. `file` is its name in messages.
    pub fn parse(text: &str, file: &str) -> Result<Self, Usage> {
        let mut config = Self::default();
        let mut section = None;
        for (number, line) in text.lines().enumerate() {
            let fault = |what: String| Usage(format!("{file}:{}: {what}", number + 1));
            let Some(line) = without_comment(line).map(str::trim) else {
                return Err(fault("`#` or `;` within a value. Put a space before a comment.".to_owned()));
            };
            if line.is_empty() {
                continue;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                let name = name.trim();
                let found = SECTIONS.iter().position(|row| row.name.eq_ignore_ascii_case(name));
                let unknown = || fault(format!("[{name}] is no section. `io500 --list` has all."));
                section = Some(found.ok_or_else(unknown)?);
                continue;
            }
            let Some((name, value)) = line.split_once('=').map(|(name, value)| (name.trim(), value.trim()))
            else {
                return Err(fault(format!("`{line}` is no line of a configuration. Write name = value.")));
            };
            if !is_name(name) {
                return Err(fault(format!("`{name}` is no name. `io500 --list` has all.")));
            }
            if value.is_empty() {
                continue;
            }
            let Some(section) = section else {
                return Err(fault(format!(
                    "`{name}` stands before the first section. Put [global] above it."
                )));
            };
            config.set(section, name, value).map_err(fault)?;
        }
        Ok(config)
    }

    /// Sets an option of a section.
    fn set(&mut self, section: usize, name: &str, value: &str) -> Result<(), String> {
        let Section { name: title, options, .. } = &SECTIONS[section];
        let Some(at) = options.iter().position(|option| option.name.eq_ignore_ascii_case(name)) else {
            return Err(format!("[{title}] has no option `{name}`. `io500 --list` has all."));
        };
        let fits = |what: &str| format!("[{title}] {name} = {value}: give {what}");
        self.0[section][at] = Some(match options[at].kind {
            IniKind::Text => value.to_owned(),
            IniKind::Flag => flag(value).ok_or_else(|| fits("TRUE or FALSE."))?.to_owned(),
            IniKind::Count => {
                value.parse::<u64>().map_err(|_| fits("a whole number from 0 on."))?;
                value.to_owned()
            }
            IniKind::Factor => {
                let number = value.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
                number.ok_or_else(|| fits("a number from 0 on."))?;
                value.to_owned()
            }
        });
        Ok(())
    }

    /// The value of an option, if the section has it and it is set.
    pub fn text(&self, section: &str, name: &str) -> Option<&str> {
        let row = SECTIONS.iter().position(|row| row.name == section)?;
        let at = SECTIONS[row].options.iter().position(|option| option.name == name)?;
        self.0[row][at].as_deref()
    }

    /// The value of a count or a factor.
    pub fn number<N: std::str::FromStr>(&self, section: &str, name: &str) -> Option<N> {
        self.text(section, name)?.parse().ok()
    }

    /// Whether an option is `TRUE`.
    pub fn is_true(&self, section: &str, name: &str) -> bool {
        self.text(section, name) == Some("TRUE")
    }

    /// The text of the configuration, of the sections that `is_shown` accepts. With `helps` each option has a
    /// comment.
    pub fn print(&self, helps: bool, is_shown: impl Fn(&Section) -> bool) -> String {
        let mut text = String::new();
        for (section, values) in SECTIONS.iter().zip(&self.0).filter(|(section, _)| is_shown(section)) {
            text.push_str(&format!("[{}]\n", section.name));
            for (option, value) in section.options.iter().zip(values) {
                if helps {
                    text.push_str(&format!("# {}\n", option.help));
                }
                text.push_str(&format!("{} = {}\n", option.name, value.as_deref().unwrap_or_default()));
            }
            text.push('\n');
        }
        text
    }

    /// The hash of all options that have a value.
    pub fn hash(&self) -> ScoreHash {
        let mut hash = ScoreHash::default();
        for (section, values) in SECTIONS.iter().zip(&self.0) {
            for (option, value) in section.options.iter().zip(values) {
                value.iter().for_each(|value| hash.add(option.name, value));
            }
        }
        hash
    }
}

/// The usual word of a flag.
fn flag(value: &str) -> Option<&'static str> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "1" => Some("TRUE"),
        "false" | "0" => Some("FALSE"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The configuration of the run whose hash is known.
    const SMALL: &str = "[global]\ndatadir = /tmp/w/io/data\nresultdir = /tmp/w/io/res\n[debug]\n\
                         stonewall-time = 1\n[ior-easy]\nblockSize = 64m\n[ior-hard]\n\
                         segmentCount = 2000\n[mdtest-easy]\nn = 2000\n[mdtest-hard]\nn = 500\n";

    #[test]
    fn the_hash_of_a_configuration_is_that_of_the_original() {
        let config = Config::parse(SMALL, "a.ini").unwrap();
        assert_eq!(config.hash().to_string(), "126599F0");
        assert_eq!(Config::parse(&config.print(true, |_| true), "b.ini").unwrap(), config);
    }

    #[test]
    fn comments_empty_values_and_other_cases_of_letters_are_read_as_in_the_original() {
        let text = "# all\n[ GLOBAL ] ; these\n\tAPI=POSIX --posix.odirect # direct\ndatadir =\n\
                    drop-caches = true\n[ior-hard-write]\ncollective = 0\n";
        let config = Config::parse(text, "a.ini").unwrap();
        assert_eq!(config.text("global", "api"), Some("POSIX --posix.odirect"));
        assert_eq!(config.text("global", "datadir"), Some("./datafiles"));
        assert!(config.is_true("global", "drop-caches"));
        assert_eq!(config.text("ior-hard-write", "collective"), Some("FALSE"));
        assert_eq!(config.text("ior-hard", "collective"), None);
    }

    #[test]
    fn what_cannot_be_read_is_rejected_with_its_line() {
        for (text, why) in [
            ("[globl]", "a.ini:1: [globl] is no section"),
            ("datadir = x", "a.ini:1: `datadir` stands before the first section"),
            ("[global]\nx y = 1", "a.ini:2: `x y` is no name"),
            ("[global]\nblock = 1", "a.ini:2: [global] has no option `block`"),
            ("[global]\nscc = yes", "a.ini:2: [global] scc = yes: give TRUE or FALSE"),
            ("[mdtest-easy]\n\nn = -4", "a.ini:3: [mdtest-easy] n = -4: give a whole number"),
            ("[mdworkbench]\nwaitingTime = inf", "give a number from 0 on"),
            ("[global]\ndatadir = a#b", "a.ini:2: `#` or `;` within a value"),
            ("[global]\ndatadir", "a.ini:2: `datadir` is no line of a configuration"),
        ] {
            let rejected = Config::parse(text, "a.ini").unwrap_err().0;
            assert!(rejected.contains(why), "{text}: {rejected}");
        }
    }
}
