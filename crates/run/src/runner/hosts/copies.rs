//! Copies of program, launcher and MPI in a folder on each host.
//!
//! Invariant: the folder has a name of this campaign and a mark in it. One without the mark is neither used
//! nor removed.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use results::folder::{HostFacts, sha256, sha256_of};
use units::{Usage, shell_quoted};

use super::{Connection, Script, all, campaign_identity, proxy_of};
use crate::bounded;
use crate::runner::CampaignRequest;

/// The file in the folder that names its campaign.
const MARK: &str = "assay-copy";
/// The time limit for the files of one host.
const SEND_LIMIT: Duration = Duration::from_secs(600);
/// The time limit for the removal on one host.
const REMOVE_LIMIT: Duration = Duration::from_secs(30);
/// Directories whose libraries belong to the system, which each host has itself.
const OF_SYSTEM: [&str; 4] = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];

/// The copies of a campaign.
pub(super) struct Copies {
    /// The directory that the plan names.
    dir: PathBuf,
    /// The name of the folder in it.
    name: String,
    token: String,
}

impl Copies {
    /// Makes the copy of this node.
    pub(super) fn make(
        asked: &CampaignRequest,
        dir: &Path,
        launcher: &Path,
        here: &HostFacts,
    ) -> Result<Self, Usage> {
        let hashes: Vec<&str> = [&here.program, &here.proxy]
            .into_iter()
            .map(|program| program.sha256.as_str())
            .chain(here.libraries.iter().map(|library| library.sha256.as_str()))
            .collect();
        let token = campaign_identity(asked);
        let name = format!("assay-{:.12}-{:.8}", sha256(hashes.concat().as_bytes()), token);
        let this = Self { dir: dir.to_owned(), name, token };
        this.make_here(asked, launcher, here).map_err(|error| {
            Usage(format!(
                "launch.copy {}: {error}. Give a directory that exists on each host and may be written to.",
                dir.display()
            ))
        })?;
        Ok(this)
    }

    /// The folder with the copies.
    pub(super) fn folder(&self) -> PathBuf {
        self.dir.join(&self.name)
    }

    fn make_here(&self, asked: &CampaignRequest, launcher: &Path, here: &HostFacts) -> io::Result<()> {
        let folder = self.folder();
        if folder.symlink_metadata().is_ok() {
            if !self.is_own() {
                let what = format!("{} exists and is not of this campaign", folder.display());
                return Err(io::Error::other(what));
            }
            // A killed campaign left it.
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir(&folder)?;
        fs::write(folder.join(MARK), &self.token)?;
        let (bin, lib) = (folder.join("bin"), folder.join("lib"));
        fs::create_dir(&bin)?;
        fs::create_dir(&lib)?;
        for file in [&asked.program, launcher, &proxy_of(launcher)] {
            let name = file.file_name().ok_or_else(|| io::Error::other("a program has no name"))?;
            fs::copy(file, bin.join(name))?;
        }
        copy_libraries(here, &lib)
    }

    /// Sends the copy to all hosts. Fails with a line for each that does not take it.
    pub(super) fn send(&self, connection: &Connection, hosts: &[String]) -> Result<(), Usage> {
        let packed = self.dir.join(format!("{}.tar", self.name));
        let sent = self.pack(&packed).and_then(|()| {
            let text = self.receiving();
            let send = |host: &str| {
                let advice = "Give a directory that exists there and has space.";
                let script = Script { text: &text, input: Some(&packed), limit: SEND_LIMIT, advice };
                let sent = connection.run(host, &script);
                sent.map(drop).map_err(|why| format!("{host}: launch.copy {}: {why}", self.dir.display()))
            };
            all(connection.each(hosts, send)).map(drop)
        });
        let _ = fs::remove_file(packed);
        sent
    }

    fn pack(&self, packed: &Path) -> Result<(), Usage> {
        let mut tar = Command::new("tar");
        tar.arg("-C").arg(self.folder()).arg("-cf").arg(packed).arg(".");
        bounded::succeeded(&mut tar, "", SEND_LIMIT).map_err(|error| {
            Usage(format!("launch.copy {}: tar: {error}. Install tar on each host.", self.dir.display()))
        })
    }

    /// The script that takes the copy from its input. A host that shares the directory with another one, or
    /// with this node, has it already.
    fn receiving(&self) -> String {
        let (dir, name) = (shell_quoted(&self.dir.to_string_lossy()), &self.name);
        let (is_own, part) = (self.is_own_there(), format!("{name}.part.$$"));
        format!(
            "cd {dir} || exit 1; if [ -e {name} ]; then {is_own} && exit 0; \
             echo '{name} exists and is not of this campaign' >&2; exit 1; fi; \
             mkdir {part} && tar -xf - -C {part} && mv {part} {name} || {{ rm -rf {part}; exit 1; }}"
        )
    }

    /// Removes the folder everywhere. Gives a line for each host on which it remains.
    pub(super) fn remove(&self, connection: &Connection, hosts: &[String]) -> Vec<String> {
        let (dir, name) = (shell_quoted(&self.dir.to_string_lossy()), &self.name);
        let text = format!("cd {dir} || exit 0; if {}; then rm -rf {name}; fi", self.is_own_there());
        let script = Script { text: &text, input: None, limit: REMOVE_LIMIT, advice: "Remove it." };
        let remove = |host: &str| {
            let removed = connection.run(host, &script);
            removed.err().map(|why| format!("{host}: {} remains there: {why}", self.folder().display()))
        };
        let remain = connection.each(hosts, remove).into_iter().flatten().collect();
        if self.is_own() {
            // A few files of this node cost no verdict.
            let _ = fs::remove_dir_all(self.folder());
        }
        remain
    }

    fn is_own(&self) -> bool {
        fs::read_to_string(self.folder().join(MARK)).is_ok_and(|text| text == self.token)
    }

    /// The same as a condition of a shell, in the directory of the plan.
    fn is_own_there(&self) -> String {
        format!("[ \"$(cat {}/{MARK} 2>/dev/null)\" = {} ]", self.name, self.token)
    }
}

/// Copies the MPI library, and if it does not belong to the system also what it loads beside it. Of a folder
/// below that, all files are copied: without them MPI would use slower transports.
fn copy_libraries(here: &HostFacts, to: &Path) -> io::Result<()> {
    let mut all = here.libraries.iter().map(|library| Path::new(&library.path));
    let Some((mpi, home)) = all.next().and_then(|mpi| Some((mpi, mpi.parent()?))) else { return Ok(()) };
    fs::copy(mpi, to.join(loaded_name(mpi)))?;
    if OF_SYSTEM.iter().any(|dir| home.starts_with(dir)) {
        return Ok(());
    }
    for below in all.filter_map(|library| library.strip_prefix(home).ok()) {
        match below.iter().next() {
            Some(folder) if below.iter().count() > 1 => copy_tree(&home.join(folder), &to.join(folder))?,
            _ => _ = fs::copy(home.join(below), to.join(loaded_name(below)))?,
        }
    }
    Ok(())
}

/// The name by which a library is loaded: its file name up to the first number, such as `libmpich.so.12`.
fn loaded_name(library: &Path) -> String {
    let name = library.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match name.split_once(".so.") {
        Some((base, numbers)) => format!("{base}.so.{}", numbers.split('.').next().unwrap_or_default()),
        None => name,
    }
}

/// Copies a folder. Of links, what they lead to.
fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let from = entry?.path();
        let to = to.join(from.file_name().unwrap_or_default());
        if from.is_dir() { copy_tree(&from, &to)? } else { _ = fs::copy(&from, &to)? }
    }
    Ok(())
}

/// A hash of the paths, modes and contents of all files below a folder, hexadecimal; empty if one cannot be
/// read.
pub fn tree_sha256(folder: &Path) -> String {
    let mut lines = Vec::new();
    match list(folder, folder, &mut lines) {
        Ok(()) => {
            lines.sort();
            sha256(lines.concat().as_bytes())
        }
        Err(_) => String::new(),
    }
}

fn list(folder: &Path, dir: &Path, lines: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            list(folder, &path, lines)?;
        } else {
            let may_start = path.metadata()?.permissions().mode() & 0o100 != 0;
            let below = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
            lines.push(format!("{below} {may_start} {}\n", sha256_of(&path)?));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_copied_to_the_name_by_which_it_is_loaded() {
        for (file, name) in [
            ("/usr/lib/libmpich.so.12.2.2", "libmpich.so.12"),
            ("/v/lib/libmpi.so.12", "libmpi.so.12"),
            ("/v/lib/libuct_ib.so", "libuct_ib.so"),
        ] {
            assert_eq!(loaded_name(Path::new(file)), name);
        }
    }

    #[test]
    fn a_hash_of_a_folder_changes_with_a_path_a_mode_and_a_byte() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("bin/x");
        fs::create_dir(root.path().join("bin")).unwrap();
        let hash = || tree_sha256(root.path());
        let mut hashes = Vec::new();
        for text in ["1", "2"] {
            fs::write(&file, text).unwrap();
            hashes.push(hash());
        }
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        hashes.push(hash());
        fs::rename(&file, root.path().join("bin/y")).unwrap();
        hashes.push(hash());
        let distinct: std::collections::BTreeSet<&String> = hashes.iter().collect();
        assert_eq!(distinct.len(), 4, "{hashes:?}");
        assert_eq!(tree_sha256(&root.path().join("none")), "");
    }
}
