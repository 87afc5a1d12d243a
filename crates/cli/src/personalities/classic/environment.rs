//! Environment variables that a classic program reads.
//!
//! Rank 0 reads them and sends its copy to the others, so that all ranks have the same values.

use command::classic::OptionNote;
use units::Usage;

use crate::personalities::own_lines::{self, PLAIN};
use crate::session::Session;

/// The number of nodes to assume.
const NODES: &str = "IOR_FAKE_NODES";
/// The number of ranks to assume on each node.
const ON_NODE: &str = "IOR_FAKE_TASK_PER_NODES";

/// The version of the text, as with `--compat`.
const COMPAT: &str = "ASSAY_COMPAT";

/// Some variables, sorted by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variables(pub(crate) Vec<(String, String)>);

impl Variables {
    /// Reads the variables whose names are `wanted`.
    pub(crate) fn read(wanted: fn(&str) -> bool) -> Self {
        let mut found: Vec<(String, String)> = std::env::vars_os()
            .filter_map(|(name, value)| {
                let name = name.into_string().ok().filter(|name| wanted(name))?;
                Some((name, value.to_string_lossy().into_owned()))
            })
            .collect();
        found.sort();
        Self(found)
    }

    /// Whether a variable is for all classic programs.
    pub(crate) fn is_common(name: &str) -> bool {
        Self::stand_in(name) || [PLAIN, COMPAT].contains(&name)
    }

    /// Whether a variable sets the number of nodes, or of ranks on each.
    pub(crate) fn stand_in(name: &str) -> bool {
        [NODES, ON_NODE].contains(&name)
    }

    /// Puts these numbers into a run. An option for the same number has priority. Returns the notes for the
    /// user.
    pub(crate) fn apply(
        &self,
        nodes: &mut Option<u32>,
        ranks_on_node0: &mut Option<u32>,
    ) -> Result<Vec<OptionNote>, Usage> {
        let mut notes = Vec::new();
        for (name, value) in self.0.iter().filter(|(name, _)| Self::stand_in(name)) {
            let count = count(name, value)?;
            let place = if name == NODES { &mut *nodes } else { &mut *ranks_on_node0 };
            if place.is_none() {
                *place = Some(count);
                let text = format!("{name}={count} in the environment replaces the detected number");
                notes.push(OptionNote::changed("", text));
            }
        }
        Ok(notes)
    }

    fn value(&self, wanted: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }

    /// Whether the output has no own lines.
    pub(crate) fn is_plain(&self) -> Result<bool, Usage> {
        own_lines::is_plain(self.value(PLAIN))
    }

    /// The version of the text, if one is given. `edition` knows the versions of the program.
    pub(crate) fn compat<E>(&self, edition: fn(&str) -> Result<E, String>) -> Result<Option<E>, Usage> {
        let Some(version) = self.value(COMPAT) else { return Ok(None) };
        let rejected = |why| {
            Usage(format!(
                "{COMPAT}={version} in the environment: {why}. Set it to one of these, or unset it."
            ))
        };
        edition(version).map(Some).map_err(rejected)
    }

    /// Sends the variables of rank 0 to all ranks.
    pub(crate) fn share(self, session: &Session) -> Result<Self, Usage> {
        let pairs: Vec<String> = self.0.iter().map(|(name, value)| format!("{name}={value}\0")).collect();
        let mut bytes = pairs.concat().into_bytes();
        session.broadcast(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let pairs = text.split_terminator('\0').filter_map(|pair| pair.split_once('='));
        Ok(Self(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()))
    }
}

/// The number in the variable `name`.
pub(crate) fn count(name: &str, value: &str) -> Result<u32, Usage> {
    let count = value.parse().ok().filter(|count| *count > 0);
    count.ok_or_else(|| {
        Usage(format!("{name}={value} in the environment is not a number of 1 or more. Unset it."))
    })
}
