//! The packages of system package managers: Debian's and RPM.
//!
//! nfpm writes both from one list of files, without the tools of either system.
//!
//! The packages conflict with no other package: outside the directories named `assay` they have only files
//! whose names begin with `assay`.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::{Value, json};

use super::{ABOUT, PACKAGER_VARIABLE, Release, notices, symbols, tree};
use crate::step::{Outcome, logged};

/// A kind of package.
struct Format {
    /// As nfpm calls it.
    name: &'static str,
    /// Where completions of zsh are, below the prefix.
    zsh: &'static str,
    /// What the package needs, from the version of the C library.
    depends: fn((u32, u32)) -> String,
    /// What else is of use, if it can be stated.
    suggests: &'static [&'static str],
}

const DEB: Format = Format {
    name: "deb",
    zsh: "share/zsh/vendor-completions",
    depends: |(major, minor)| format!("libc6 (>= {major}.{minor})"),
    suggests: &["mpich | openmpi-bin", "slurm-client", "environment-modules | lmod"],
};

const RPM: Format = Format {
    name: "rpm",
    zsh: "share/zsh/site-functions",
    // The name by which packages of all distributions provide it.
    depends: |(major, minor)| format!("libc.so.6(GLIBC_{major}.{minor})(64bit)"),
    suggests: &[],
};

pub(super) fn deb(release: &Release) -> Result<Outcome> {
    write(release, &DEB)
}

pub(super) fn rpm(release: &Release) -> Result<Outcome> {
    write(release, &RPM)
}

fn write(release: &Release, format: &Format) -> Result<Outcome> {
    let listed = release.stage().join(format!("{}.json", format.name));
    let copyright = release.stage().join("copyright");
    tree::write(&copyright, &notices::copyright())?;
    // JSON is a part of YAML, which nfpm reads.
    tree::write(&listed, &serde_json::to_string_pretty(&config(release, format, &copyright)?)?)?;
    let mut nfpm = release.with_epoch(Command::new(release.tools.program("nfpm")));
    nfpm.args(["package", "--packager", format.name, "--config"]).arg(&listed);
    nfpm.arg("--target").arg(release.out());
    Ok(match logged(&release.root, &format!("dist-{}", format.name), vec![nfpm])? {
        Outcome::Done(_) => Outcome::Done(made(release, format)?),
        other => other,
    })
}

/// The name of the package that was made.
fn made(release: &Release, format: &Format) -> Result<String> {
    let ending = format!(".{}", format.name);
    let names = super::names_in(&release.out())?;
    Ok(names.into_iter().filter(|name| name.ends_with(&ending)).collect::<Vec<_>>().join(" "))
}

/// The description of the package for nfpm.
fn config(release: &Release, format: &Format, copyright: &Path) -> Result<Value> {
    let packager = std::env::var(PACKAGER_VARIABLE).unwrap_or_else(|_| "the developers of assay".to_owned());
    let arch = match release.arch() {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let time = time(&release.epoch)?;
    Ok(json!({
        "name": "assay",
        "arch": arch,
        "platform": "linux",
        "version": release.version,
        "release": "1",
        "section": "admin",
        "priority": "optional",
        "maintainer": packager,
        "description": format!("{ABOUT}\n{MORE}"),
        "license": "MIT OR Apache-2.0",
        "mtime": time,
        "depends": [(format.depends)(symbols::needed_by(release)?)],
        "suggests": format.suggests,
        "contents": contents(release, format, copyright, &time)?,
        "rpm": { "summary": ABOUT, "packager": packager, "buildhost": "localhost" },
    }))
}

/// The description below the first line.
const MORE: &str =
    "assay runs the plan of a contract and gives each clause a verdict. It replaces ior, mdtest,
md-workbench, fdtree, FLASH-IO and many ls -lR. The classic names are links in /usr/lib/assay/links,
which is not in the search path.";

/// The directories that every system has. A package leaves them when it is removed.
const OF_THE_SYSTEM: &[&str] = &[
    "/",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/usr/share",
    "/usr/share/doc",
    "/usr/share/man",
    "/usr/share/man/man1",
];

/// The other directories of these files. RPM removes a directory only if the package lists it.
fn directories(files: &[Value]) -> BTreeSet<String> {
    let places = files.iter().filter_map(|file| file["dst"].as_str());
    let parents = places.flat_map(|place| Path::new(place).ancestors().skip(1));
    let names = parents.map(|parent| parent.to_string_lossy().into_owned());
    names.filter(|name| !OF_THE_SYSTEM.contains(&name.as_str())).collect()
}

/// All files with their places below `/usr`, and their directories.
fn contents(release: &Release, format: &Format, copyright: &Path, time: &str) -> Result<Vec<Value>> {
    let base = release.tree();
    let mut all = Vec::new();
    for file in tree::files(&base)? {
        let place = file.to_string_lossy().replace("share/zsh/site-functions", format.zsh);
        let target = format!("/usr/{place}");
        let source = base.join(&file);
        if let Ok(link) = fs::read_link(&source) {
            let about = info(None, time);
            all.push(json!({ "type": "symlink", "src": link, "dst": target, "file_info": about }));
        } else {
            let mode = source.metadata()?.permissions().mode() & 0o777;
            all.push(json!({ "src": source, "dst": target, "file_info": info(Some(mode), time) }));
        }
    }
    if format.name == "deb" {
        let target = format!("/usr/{}/copyright", tree::DOCUMENTS);
        all.push(json!({ "src": copyright, "dst": target, "file_info": info(Some(0o644), time) }));
    }
    for directory in directories(&all) {
        all.push(json!({ "type": "dir", "dst": directory, "file_info": info(Some(0o755), time) }));
    }
    Ok(all)
}

/// Owner, mode and time of a file.
fn info(mode: Option<u32>, time: &str) -> Value {
    let mut info = json!({ "owner": "root", "group": "root", "mtime": time });
    if let Some(mode) = mode {
        info["mode"] = json!(mode);
    }
    info
}

/// The time as nfpm reads it, from seconds since 1970.
fn time(epoch: &str) -> Result<String> {
    let mut date = Command::new("date");
    date.args(["--utc", "--date", &format!("@{epoch}"), "+%Y-%m-%dT%H:%M:%SZ"]);
    Ok(super::output(&mut date)?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_lists_its_directories_and_not_those_of_the_system() {
        let files = ["/usr/bin/assay", "/usr/lib/assay/links/ior", "/usr/share/man/man1/assay.1.gz"];
        let found = directories(&files.map(|place| json!({ "dst": place })));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["/usr/lib/assay", "/usr/lib/assay/links"]);
    }
}
