//! What the program reports on each host, and how that may not differ from this node.
//!
//! Invariant: the same command is run here and there.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use results::folder::{HostFacts, LoadedLibrary, Program};
use units::{Usage, shell_line};

use super::{Connection, MPI_LIBRARY, Script, library_variables};
use crate::bounded;
use crate::runner::CampaignRequest;

/// The beginning of the line with the facts. A shell may print other lines when it starts.
pub const ANSWER: &str = "assay-host\t";
/// The time limit for the facts of a host.
const LIMIT: Duration = Duration::from_secs(60);

/// The program of Hydra that starts the ranks of a host. It lies beside the launcher.
pub fn proxy_of(launcher: &Path) -> PathBuf {
    launcher.with_file_name("hydra_pmi_proxy")
}

/// The command that reports the facts.
pub(super) struct Query {
    /// The path of this program.
    pub(super) program: String,
    /// The path of the launcher.
    pub(super) launcher: String,
    variables: Vec<String>,
    dirs: Vec<String>,
    copy: Option<String>,
    advice: &'static str,
}

impl Query {
    pub(super) fn new(asked: &CampaignRequest, launcher: &Path, dirs: &[(String, PathBuf)]) -> Self {
        let variables = library_variables(asked).into_iter().map(|(name, value)| format!("{name}={value}"));
        Self {
            program: asked.program.to_string_lossy().into_owned(),
            launcher: launcher.to_string_lossy().into_owned(),
            variables: variables.collect(),
            dirs: dirs.iter().map(|(_, dir)| dir.to_string_lossy().into_owned()).collect(),
            copy: None,
            advice: "Install the same files at the same paths there, or set launch.copy.",
        }
    }

    /// Uses the programs in the folder of the copies from now on.
    pub(super) fn use_copy(&mut self, folder: &Path) {
        let path = |name: &str| folder.join("bin").join(name).to_string_lossy().into_owned();
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        (self.program, self.launcher) = (path(&name(&self.program)), path(&name(&self.launcher)));
        // It would lead to another library than the copied one.
        self.variables.retain(|variable| !variable.starts_with(&format!("{MPI_LIBRARY}=")));
        self.copy = Some(folder.to_string_lossy().into_owned());
        self.advice = "Look for a full or faulty disk there, or set another launch.copy.";
    }

    fn words(&self) -> Vec<String> {
        let mut words = vec!["env".to_owned()];
        words.extend(self.variables.iter().cloned());
        words.extend([self.program.clone(), "backends".into(), "--host-facts".into(), self.launcher.clone()]);
        words.extend(self.copy.iter().map(|copy| format!("--copied={copy}")));
        words.extend(self.dirs.iter().cloned());
        words
    }

    /// The facts of this node.
    pub(super) fn here(&self) -> Result<HostFacts, Usage> {
        let words = self.words();
        let mut command = Command::new(&words[0]);
        let ended = bounded::ended(command.args(&words[1..]), "", LIMIT);
        let ended = ended.map_err(|error| Usage(format!("{}: {error}", self.program)))?;
        let facts = parsed(&ended.out).ok_or_else(|| {
            Usage(format!("{} does not report the facts of this node: {}", self.program, ended.err.trim()))
        })?;
        if facts.libraries.is_empty() {
            return Err(Usage(format!(
                "no MPI library was found beside {}. Run `pip install mpich`, or set ASSAY_MPI_LIBRARY.",
                self.launcher
            )));
        }
        if let Some(copy) = self.copy.as_ref().filter(|copy| !facts.libraries[0].path.starts_with(*copy)) {
            return Err(Usage(format!(
                "the MPI library in {copy} is not used, but {}. Install MPICH on each host instead, and \
                 remove launch.copy.",
                facts.libraries[0].path
            )));
        }
        if facts.proxy.sha256.is_empty() {
            return Err(Usage(format!(
                "{} does not exist, so {} is not Hydra. Set launch.program to mpiexec.hydra of MPICH.",
                facts.proxy.path, self.launcher
            )));
        }
        Ok(facts)
    }

    /// The facts of a host, or a line with what is wrong there.
    pub(super) fn host(
        &self,
        connection: &Connection,
        host: &str,
        here: &HostFacts,
    ) -> Result<HostFacts, String> {
        let text = format!("exec {}", shell_line(&self.words()));
        let script = Script { text: &text, input: None, limit: LIMIT, advice: self.advice };
        let out = connection.run(host, &script).map_err(|why| format!("{host}: {why}"))?;
        let facts = parsed(&out).map(|facts| HostFacts { name: host.to_owned(), ..facts });
        let facts =
            facts.ok_or_else(|| format!("{host}: {} is another program. {}", self.program, self.advice))?;
        match difference(here, &facts, self.advice) {
            Some(line) => Err(format!("{host}: {line}")),
            None => Ok(facts),
        }
    }
}

fn parsed(out: &str) -> Option<HostFacts> {
    serde_json::from_str(out.lines().find_map(|line| line.strip_prefix(ANSWER))?).ok()
}

/// The first fact of a host that may not differ from that of this node, and what to do.
fn difference(here: &HostFacts, there: &HostFacts, advice: &str) -> Option<String> {
    if here.arch != there.arch {
        let (this, that) = (&here.arch, &there.arch);
        return Some(format!(
            "its processors are {that}, but those of this node {this}. Use hosts of one kind."
        ));
    }
    for (own, other) in [(&here.program, &there.program), (&here.proxy, &there.proxy)] {
        if own.sha256 == other.sha256 {
            continue;
        }
        let (path, own, there) = (&other.path, described(own), described(other));
        return Some(match other.sha256.is_empty() {
            true => format!("{path} is missing. {advice}"),
            false => format!("{path} is {there}, but it is {own} here. {advice}"),
        });
    }
    if there.libraries.is_empty() {
        return Some(format!("no MPI library was found beside {}. {advice}", there.proxy.path));
    }
    for own in &here.libraries {
        let other = there.libraries.iter().find(|other| file_name(other) == file_name(own));
        let what = match other {
            Some(other) if other.sha256 == own.sha256 => continue,
            Some(other) => {
                let (path, hash) = (&other.path, brief(&other.sha256));
                format!("the library {path} ({}, {hash}) differs from that of this node", there.mpi)
            }
            None => format!("its MPI ({}) does not use {}, as it does here", there.mpi, own.path),
        };
        return Some(format!("{what}. {advice}"));
    }
    if here.copied != there.copied {
        return Some(format!("the copied files differ from those of this node. {advice}"));
    }
    here.dirs.iter().find_map(|(dir, kind)| match there.dirs.get(dir).map_or("", String::as_str) {
        "" => Some(format!("{dir} is not a directory there. Mount the file system under test.")),
        other if other != kind => {
            Some(format!("{dir} is on {other}, but on {kind} here. Mount the file system under test."))
        }
        _ => None,
    })
}

/// The version of a program, if it has one, and its hash.
fn described(program: &Program) -> String {
    format!("{} ({})", program.version, brief(&program.sha256)).trim().to_owned()
}

/// The beginning of a hash.
fn brief(sha256: &str) -> String {
    format!("SHA-256 {sha256:.12}")
}

fn file_name(library: &LoadedLibrary) -> &str {
    library.path.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn facts() -> HostFacts {
        let program =
            |path: &str| Program { path: path.into(), version: "v1".into(), sha256: "a".repeat(64) };
        let library = |path: &str| LoadedLibrary { path: path.into(), sha256: "b".repeat(64) };
        HostFacts {
            arch: "x86_64".into(),
            program: program("/o/assay"),
            proxy: program("/o/hydra_pmi_proxy"),
            mpi: "MPICH 5".into(),
            libraries: vec![library("/o/libmpi.so.12"), library("/o/libfabric.so.1")],
            dirs: BTreeMap::from([("/scratch".to_owned(), "lustre".to_owned())]),
            ..HostFacts::default()
        }
    }

    #[test]
    fn each_fact_that_may_not_differ_is_reported_with_a_remedy() {
        let here = facts();
        let moved = |mut facts: HostFacts| {
            facts.libraries.iter_mut().for_each(|library| library.path = library.path.replace("/o/", "/p/"));
            facts
        };
        assert_eq!(difference(&here, &moved(facts()), "Do it."), None, "the same libraries in another place");
        let mut rows: Vec<(HostFacts, &str)> = Vec::new();
        let mut row = |change: &dyn Fn(&mut HostFacts), line| {
            let mut facts = facts();
            change(&mut facts);
            rows.push((facts, line));
        };
        row(&|f| f.arch = "aarch64".into(), "its processors are aarch64, but those of this node x86_64. Use");
        row(
            &|f| f.program.sha256 = "c".repeat(64),
            "/o/assay is v1 (SHA-256 cccccccccccc), but it is v1 (SHA",
        );
        row(&|f| f.proxy.sha256.clear(), "/o/hydra_pmi_proxy is missing. Do it.");
        row(&|f| f.libraries.clear(), "no MPI library was found beside /o/hydra_pmi_proxy. Do it.");
        row(
            &|f| f.libraries[1].sha256.clear(),
            "the library /o/libfabric.so.1 (MPICH 5, SHA-256 ) differs from",
        );
        row(
            &|f| _ = f.libraries.pop(),
            "its MPI (MPICH 5) does not use /o/libfabric.so.1, as it does here. Do",
        );
        row(&|f| f.copied = "d".into(), "the copied files differ from those of this node. Do it.");
        row(&|f| f.dirs.clear(), "/scratch is not a directory there. Mount");
        row(
            &|f| _ = f.dirs.insert("/scratch".into(), "xfs".into()),
            "/scratch is on xfs, but on lustre here.",
        );
        for (there, line) in rows {
            let found = difference(&here, &there, "Do it.").unwrap();
            assert!(found.starts_with(line), "{found}");
        }
    }

    #[test]
    fn facts_are_found_among_other_lines_of_a_shell() {
        let line = serde_json::to_string(&facts()).unwrap();
        assert_eq!(parsed(&format!("Welcome!\n{ANSWER}{line}\n")), Some(facts()));
        assert_eq!(parsed("Welcome!\n"), None);
    }
}
