//! The inputs of `ior` from outside its command line: the script of `-f` and the environment.
//!
//! Rank 0 reads them and sends its copy to the others, so that all ranks have the same values.

use std::time::Duration;

use command::classic::OptionNote;
use command::ior::{Edition, Output, Request};
use units::Usage;

use crate::personalities::classic::environment::Variables;
use crate::personalities::stuck;
use crate::session::Session;

/// The inputs that rank 0 read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outside {
    /// The text of the script, if there is one.
    pub(crate) script: Option<String>,
    /// The variables that `ior` uses, sorted by name.
    variables: Variables,
}

/// The prefix of variables with hints. The layer, two underscores and the name of the hint follow it.
const HINT: &str = "IOR_HINT__";

impl Outside {
    /// Reads the script, if any, and the environment.
    pub(crate) fn read(script: Option<&str>) -> Result<Self, Usage> {
        let variables = Variables::read(|name| {
            Variables::is_common(name) || name == stuck::CALL_LIMIT_VARIABLE || name.starts_with(HINT)
        });
        let text = script.map(std::fs::read).transpose();
        let text = text.map_err(|error| {
            Usage(format!("-f {}: cannot read the script: {error}", script.unwrap_or_default()))
        })?;
        let script = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(Self { script, variables })
    }

    /// The variables that other programs use, too.
    pub(crate) fn variables(&self) -> &Variables {
        &self.variables
    }

    /// Sends the inputs of rank 0 to all ranks.
    pub(crate) fn share(self, session: &Session) -> Result<Self, Usage> {
        let mut script = self.script.as_deref().unwrap_or_default().as_bytes().to_vec();
        let has_script = !script.is_empty() || self.script.is_some();
        script.insert(0, u8::from(has_script));
        session.broadcast(&mut script)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let script = script.split_first().filter(|(has, _)| **has == 1).map(|(_, script)| text(script));
        let variables = self.variables.share(session)?;
        Ok(Self { script, variables })
    }

    /// Puts the variables into a test. An option for the same value has priority. Returns the notes for the
    /// user.
    pub(crate) fn apply(&self, parameters: &mut Request) -> Result<Vec<OptionNote>, Usage> {
        let mut notes = self.variables.apply(&mut parameters.nodes, &mut parameters.ranks_on_node0)?;
        for (name, value) in &self.variables.0 {
            if let Some(hint) = name.strip_prefix(HINT) {
                notes.extend(hint_of(parameters, name, hint, value)?);
            }
        }
        Ok(notes)
    }

    /// Applies the variables for the form of the text. An option for the same has priority.
    pub(crate) fn apply_to_look(&self, look: &mut Output) -> Result<(), Usage> {
        look.plain = self.variables.is_plain()?;
        let given = self.variables.compat(Edition::parse)?;
        look.edition = look.edition.or(given);
        Ok(())
    }

    /// How long a collective call on a file may last.
    pub(crate) fn call_limit(&self) -> Result<Duration, Usage> {
        let given = self.variables.0.iter().find(|(name, _)| name == stuck::CALL_LIMIT_VARIABLE);
        stuck::call_limit(given.map(|(_, value)| value.as_str()))
    }
}

/// Reads `<layer>__<key>`. Hints go to MPI, which passes them to its file systems under the same keys.
fn hint_of(
    parameters: &mut Request,
    name: &str,
    hint: &str,
    value: &str,
) -> Result<Option<OptionNote>, Usage> {
    match hint.split_once("__") {
        Some(("MPI" | "GPFS", key)) if !key.is_empty() => {
            if value.is_empty() {
                return Err(Usage(format!(
                    "{name} in the environment is empty. Give it a value or unset it."
                )));
            }
            parameters.settings.set(&format!("hint.{key}"), value);
            Ok(None)
        }
        _ => {
            let text =
                format!("{name} in the environment has no effect. Hints are named IOR_HINT__MPI__<key>.");
            Ok(Some(OptionNote::idle("", text)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outside(pairs: &[(&str, &str)]) -> Outside {
        let variables = pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Outside { script: None, variables: Variables(variables) }
    }

    #[test]
    fn variables_replace_detected_numbers_and_options_have_priority() {
        let outside = outside(&[("IOR_FAKE_NODES", "4"), ("IOR_FAKE_TASK_PER_NODES", "1")]);
        let mut parameters = Request { nodes: Some(2), ..Request::default() };
        let notes = outside.apply(&mut parameters).unwrap();
        assert_eq!((parameters.nodes, parameters.ranks_on_node0), (Some(2), Some(1)));
        assert_eq!(notes.len(), 1, "{notes:?}");
    }

    #[test]
    fn hints_become_settings_and_other_variables_have_a_note() {
        let mut parameters = Request::default();
        let good = outside(&[("IOR_HINT__MPI__cb_nodes", "a=b c"), ("IOR_HINT__XYZ__k", "v")]);
        let notes = good.apply(&mut parameters).unwrap();
        assert_eq!(parameters.settings.text("hint.cb_nodes"), Some("a=b c"));
        assert!(
            notes[0].to_string().starts_with("IOR_HINT__XYZ__k in the environment has no effect"),
            "{notes:?}"
        );
        for bad in [("IOR_HINT__MPI__cb_nodes", ""), ("IOR_FAKE_NODES", "x"), ("IOR_FAKE_NODES", "0")] {
            assert!(outside(&[bad]).apply(&mut Request::default()).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn the_limit_of_a_call_is_half_an_hour_or_the_value_of_the_variable() {
        let limit = |pairs: &[(&str, &str)]| outside(pairs).call_limit();
        assert_eq!(limit(&[]).unwrap(), Duration::from_secs(1800));
        assert_eq!(limit(&[("ASSAY_CALL_LIMIT", "90")]).unwrap(), Duration::from_secs(90));
        for bad in ["0", "-1", "1h", ""] {
            assert!(limit(&[("ASSAY_CALL_LIMIT", bad)]).is_err(), "{bad}");
        }
        let mut parameters = Request::default();
        outside(&[("ASSAY_CALL_LIMIT", "90")]).apply(&mut parameters).unwrap();
        assert_eq!(parameters.nodes, None);
    }

    #[test]
    fn shared_inputs_stay_equal() {
        let all = Outside { script: Some("IOR START\n".into()), ..outside(&[("IOR_HINT__MPI__a", "b=c")]) };
        assert_eq!(all.clone().share(&Session::Local(1)).unwrap(), all);
        let empty = Outside { script: Some(String::new()), ..Outside::default() };
        assert_eq!(empty.clone().share(&Session::Local(2)).unwrap(), empty);
        assert_eq!(Outside::default().share(&Session::Local(1)).unwrap(), Outside::default());
    }
}
