//! The Python wheel: the program in a form that pip, pipx and uv install, also without root.
//!
//! The wheel has no Python code. Its name is not `assay`, because the index of Python packages is shared by
//! all fields, and that name is a common word.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::tree::MODULES;
use super::{ABOUT, GLIBC, PACKAGER_VARIABLE, Release, output, tree};
use crate::step::Outcome;

/// The name of the Python package in names of files.
const NAME: &str = "assay_fs";

/// Lays the files as the specification of wheels demands, and packs them.
pub(super) fn write(release: &Release) -> Result<Outcome> {
    let folder = release.stage().join("wheel");
    let base = format!("{NAME}-{}", release.version);
    let data = folder.join(format!("{base}.data"));
    for file in tree::files(&release.tree())? {
        let place = match file.strip_prefix("bin") {
            Ok(name) => data.join("scripts").join(name),
            // A wheel has no links, so the module file has no use. The licences are below.
            Err(_) if ["lib", "share/doc", MODULES].iter().any(|other| file.starts_with(other)) => continue,
            Err(_) => data.join("data").join(&file),
        };
        copy(&release.tree().join(&file), &place)?;
    }
    let about = folder.join(format!("{base}.dist-info"));
    for name in ["LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt"] {
        copy(&release.tree().join(tree::DOCUMENTS).join(name), &about.join("licenses").join(name))?;
    }
    tree::write(&about.join("METADATA"), &metadata(&release.version))?;
    tree::write(&about.join("WHEEL"), &format(release.arch()))?;
    let mut pack = release.with_epoch(Command::new(release.tools.program("python")));
    pack.args(["-m", "wheel", "pack"]).arg(&folder).arg("--dest-dir").arg(release.out());
    output(&mut pack)?;
    let names = super::names_in(&release.out())?;
    Ok(Outcome::Done(names.into_iter().filter(|name| name.ends_with(".whl")).collect()))
}

/// Copies a file with its mode.
fn copy(from: &Path, to: &Path) -> Result<()> {
    tree::create_folder_of(to)?;
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn metadata(version: &str) -> String {
    let author = std::env::var(PACKAGER_VARIABLE).map(|name| format!("Author: {name}\n")).unwrap_or_default();
    let name = NAME.replace('_', "-");
    format!(
        "Metadata-Version: 2.4\nName: {name}\nVersion: {version}\nSummary: {ABOUT}\n{author}\
         License-Expression: MIT OR Apache-2.0\nLicense-File: LICENSE-APACHE\nLicense-File: LICENSE-MIT\n\
         License-File: THIRD-PARTY.txt\nRequires-Python: >=3.6\n\
         Provides-Extra: mpi\nRequires-Dist: mpich>=4; extra == 'mpi'\n\
         Classifier: Environment :: Console\nClassifier: Operating System :: POSIX :: Linux\n\
         Classifier: Topic :: System :: Benchmark\n"
    )
}

/// The tag says which systems can run the program: pip rejects the wheel on others.
fn format(arch: &str) -> String {
    let (major, minor) = GLIBC;
    format!(
        "Wheel-Version: 1.0\nGenerator: cargo xtask dist\nRoot-Is-Purelib: false\n\
         Tag: py3-none-manylinux_{major}_{minor}_{arch}\n"
    )
}
