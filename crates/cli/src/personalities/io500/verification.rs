//! Checks the hashes of a `result.txt`, as the verifier of IO500 does.

use std::path::Path;

use command::io500::{Config, ScoreGroup, ScoreHash, phases};
use units::Usage;

use crate::personalities::program::StartedProgram;
use crate::status::FAIL;

/// The hashes of a file of results: those it states, and that of its scores.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ResultHashes {
    version: String,
    config: String,
    scores: String,
    computed: ScoreHash,
}

impl ResultHashes {
    pub(super) fn read(text: &str) -> Self {
        let (mut found, mut section) = (Self::default(), "");
        for line in text.lines().filter(|line| !line.starts_with(';')) {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                section = name;
                continue;
            }
            let Some((key, value)) = line.split_once('=').map(|(key, value)| (key.trim(), value.trim()))
            else {
                continue;
            };
            match (section, key) {
                (_, "version") => {
                    value.clone_into(&mut found.version);
                    found.computed.add(key, value);
                }
                (_, "config-hash") => value.clone_into(&mut found.config),
                ("SCORE", "hash") => value.clone_into(&mut found.scores),
                // `[INVALID]` may follow.
                ("SCORE", _) => found.computed.add(key, value.split(' ').next().unwrap_or_default()),
                (name, "score") if is_scored(name) => found.computed.add(name, value),
                _ => {}
            }
        }
        found
    }
}

/// Whether the score of a phase is in the hash of the standard run.
fn is_scored(name: &str) -> bool {
    let row = phases().find(|phase| phase.name == name);
    row.is_none_or(|phase| phase.group != ScoreGroup::None && !phase.is_optional)
}

/// Prints whether the file `result` was made with `config` and has its own scores. Gives the exit status.
pub(super) fn verify(program: &StartedProgram<'_>, config: &Config, result: &Path) -> Result<u8, Usage> {
    let text = std::fs::read_to_string(result)
        .map_err(|error| Usage(format!("--verify {}: {error}. Give a result.txt.", result.display())))?;
    let found = ResultHashes::read(&text);
    if found.config.is_empty() || found.scores.is_empty() {
        let path = result.display();
        return Err(Usage(format!("--verify {path}: it has no config-hash or no hash of scores.")));
    }
    let (is_good, lines) = outcome(&found, &config.hash().to_string());
    let ResultHashes { version, config, scores, .. } = &found;
    let printed = program.print(&format!(
        "result file ver = {version}\n[run]\nconfig-hash     = {config}\nscore-hash      = {scores}\n{lines}"
    ));
    Ok(if is_good { printed } else { FAIL })
}

/// Whether all hashes are those of a valid run, and the lines that say so.
pub(super) fn outcome(found: &ResultHashes, config: &str) -> (bool, String) {
    let mut text = String::new();
    if found.config != config {
        text = format!("ERROR: Configuration hash expected: {config} read: {}\n", found.config);
    }
    let invalid = |mut hash: ScoreHash| {
        hash.add("valid", "NO");
        hash.to_string()
    };
    let computed = found.computed.to_string();
    let is_valid = computed == found.scores;
    if !is_valid && invalid(found.computed) == found.scores {
        return (false, text + "\n[OK] But this is an invalid run!\n");
    }
    if !is_valid {
        text.push_str(&format!("\nERROR: Score hash expected: \"{computed}\" read: \"{}\"\n", found.scores));
    }
    let is_good = text.is_empty();
    (is_good, if is_good { "\n[OK]\n".to_owned() } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scores of a run of the original, whose hash is known.
    const SCORES: [(&str, &str); 12] = [
        ("ior-easy-write", "0.796727"),
        ("mdtest-easy-write", "15.199177"),
        ("ior-hard-write", "0.758512"),
        ("mdtest-hard-write", "7.640580"),
        ("find", "157.695388"),
        ("ior-easy-read", "2.735054"),
        ("mdtest-easy-stat", "786.628657"),
        ("ior-hard-read", "2.585230"),
        ("mdtest-hard-stat", "828.422674"),
        ("mdtest-easy-delete", "161.393874"),
        ("mdtest-hard-read", "277.236037"),
        ("mdtest-hard-delete", "0.897122"),
    ];

    fn text() -> String {
        let phases: String =
            SCORES.iter().map(|(name, score)| format!("[{name}]\nscore           = {score}\n")).collect();
        format!(
            "[run]\nversion         = io500-isc26_v2-26-g02091cf254d8\nconfig-hash     = 126599F0\n\
             [find-hard]\nscore           = 252.686947\n[ior-rnd4K-easy-read]\nscore           = 3.976543\n\
             {phases}[SCORE]\nMD              = 68.398551\nBW              = 1.437753\n\
             SCORE           = 9.916665 [INVALID]\nhash            = 8CEB4C1F\n"
        )
    }

    #[test]
    fn the_hashes_of_a_run_of_the_original_are_found() {
        let (is_good, lines) = outcome(&ResultHashes::read(&text()), "126599F0");
        assert_eq!((is_good, lines.as_str()), (false, "\n[OK] But this is an invalid run!\n"));
    }

    #[test]
    fn a_changed_score_and_another_configuration_are_found() {
        let changed = ResultHashes::read(&text().replace("0.897122", "1.897122"));
        let (is_good, lines) = outcome(&changed, "126599F1");
        assert!(!is_good);
        assert!(
            lines.starts_with("ERROR: Configuration hash expected: 126599F1 read: 126599F0\n"),
            "{lines}"
        );
        assert!(lines.contains("\nERROR: Score hash expected: "), "{lines}");
    }
}
