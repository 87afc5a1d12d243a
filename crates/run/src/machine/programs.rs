//! Programs and libraries that take part in a campaign: their paths, versions and hashes.
//!
//! Never here: starting jobs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use results::folder::{LoadedLibrary, Program, sha256_of};

use super::answer;

/// The program that `word`, the first argument of a launch command line, starts; `None` if it does not exist.
/// A name without a slash is searched for in `path`, the value of the variable PATH.
pub fn launcher(word: &str, path: &str) -> Option<Program> {
    let found = found(word, path)?;
    let file = found.canonicalize().ok()?;
    // The name of the started program is used, because one file may be several programs.
    let output = answer(&found.to_string_lossy(), &["--version"]).unwrap_or_default();
    Some(Program {
        sha256: sha256_of(&file).ok()?,
        version: version(&output),
        path: file.to_string_lossy().into_owned(),
    })
}

/// The most files of an external program that are recorded.
const FILES_MAX: usize = 8;
/// A larger file has no hash.
const HASHED_BYTES_MAX: u64 = 1 << 30;

/// The files that an external command line starts. They are its first word, a script that this word
/// interprets, and files in other words that can be executed. A shell command has several such words.
fn files_of(words: &[String], path: &str) -> Vec<PathBuf> {
    let Some((program, arguments)) = words.split_first() else { return Vec::new() };
    let first = found(program, path).into_iter();
    let interprets = first.clone().any(|file| is_interpreter(&file));
    let mut scripts = arguments.iter().filter(|word| !word.starts_with('-'));
    let script = scripts.next().filter(|_| interprets).map(PathBuf::from);
    let in_words =
        arguments.iter().flat_map(|word| word.split(|c: char| c.is_whitespace() || ";&|()\"'".contains(c)));
    let named = in_words.filter(|word| word.contains('/')).map(PathBuf::from).filter(|file| may_start(file));
    let mut files = Vec::new();
    for file in first.chain(script.filter(|file| file.is_file())).chain(named) {
        let file = file.canonicalize().unwrap_or(file);
        if files.len() < FILES_MAX && !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// Whether a program runs the file that its first argument names.
fn is_interpreter(file: &Path) -> bool {
    let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    ["sh", "bash", "dash", "zsh", "ksh", "perl", "python", "ruby"].iter().any(|known| {
        name.strip_prefix(known).is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
    })
}

fn may_start(file: &Path) -> bool {
    file.metadata().is_ok_and(|of| of.is_file() && of.permissions().mode() & 0o111 != 0)
}

/// The file of the program, which is searched for in `path` if it is a name without a slash.
pub(crate) fn found(word: &str, path: &str) -> Option<PathBuf> {
    match word.contains('/') {
        true => Some(PathBuf::from(word)).filter(|file| file.is_file()),
        false => std::env::split_paths(path).map(|dir| dir.join(word)).find(|file| file.is_file()),
    }
}

/// The version in the output of a program: its lines up to the first with a digit.
fn version(output: &str) -> String {
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let numbered = lines.iter().position(|line| line.contains(|c: char| c.is_ascii_digit()));
    lines[..numbered.map_or(lines.len().min(1), |at| at + 1)].join(" ")
}

/// Two states of a file differ if these differ: size and time of the last change.
type Stamp = (u64, Option<SystemTime>);

/// The hashes of files, kept until a file changes.
#[derive(Debug, Default)]
pub struct Hashes(RefCell<BTreeMap<PathBuf, (Stamp, String)>>);

impl Hashes {
    /// The libraries at `paths` on this machine.
    pub fn libraries(&self, paths: &[String]) -> Vec<LoadedLibrary> {
        let library = |path: &String| LoadedLibrary { path: path.clone(), sha256: self.of(Path::new(path)) };
        paths.iter().map(library).collect()
    }

    /// The files of an external command line as they are now.
    pub(crate) fn programs(&self, words: &[String], path: &str) -> Vec<Program> {
        let hash = |file: &Path| {
            let is_small = file.metadata().is_ok_and(|of| of.len() <= HASHED_BYTES_MAX);
            if is_small { self.of(file) } else { String::new() }
        };
        let program = |file: PathBuf| Program {
            sha256: hash(&file),
            path: file.to_string_lossy().into_owned(),
            version: String::new(),
        };
        files_of(words, path).into_iter().map(program).collect()
    }

    /// SHA-256 of a file, hexadecimal; empty if it cannot be read.
    fn of(&self, path: &Path) -> String {
        let Ok(facts) = path.metadata() else { return String::new() };
        let stamp = (facts.len(), facts.modified().ok());
        if let Some((_, hash)) = self.0.borrow().get(path).filter(|(known, _)| *known == stamp) {
            return hash.clone();
        }
        let hash = sha256_of(path).unwrap_or_default();
        self.0.borrow_mut().insert(path.to_owned(), (stamp, hash.clone()));
        hash
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use results::folder::sha256;

    use super::*;

    #[test]
    fn a_launcher_is_found_on_the_path_with_its_version_and_hash() {
        let here = tempfile::tempdir().unwrap();
        let file = here.path().join("launch");
        let text = "#!/bin/sh\necho; echo launch 7\n";
        // Another process writes the file. A child that another test starts at the same time would inherit
        // the open file of this process, and then the file cannot be run.
        let line = "printf %s \"$1\" > \"$0\" && chmod 755 \"$0\"";
        assert!(Command::new("sh").args(["-c", line]).arg(&file).arg(text).status().unwrap().success());
        let path = format!("/no/such/place:{}", here.path().display());
        let found = launcher("launch", &path).unwrap();
        assert_eq!((found.version.as_str(), found.sha256), ("launch 7", sha256(text.as_bytes())));
        assert_eq!(launcher(&file.to_string_lossy(), "").unwrap().version, "launch 7");
        assert_eq!(launcher("launch", "/no/such/place"), None);
        let hydra = "HYDRA build details:\n    Version:          4.0.2\n    Release Date: x\n";
        assert_eq!(version(hydra), "HYDRA build details: Version:          4.0.2");
        assert_eq!((version("\n\n"), version("launch\nso\n")), (String::new(), "launch".to_owned()));
    }

    #[test]
    fn the_files_of_an_external_command_line_are_its_program_and_the_scripts_in_its_words() {
        let here = tempfile::tempdir().unwrap();
        let dir = here.path().canonicalize().unwrap();
        let file = |name: &str, mode| {
            let file = dir.join(name);
            fs::write(&file, name).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            file.to_string_lossy().into_owned()
        };
        let (app, script, data) = (file("app", 0o755), file("script.sh", 0o644), file("data", 0o644));
        let of = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let all = Hashes::default().programs(&words, "/usr/bin:/bin");
            all.into_iter().skip(1).map(|one| (one.path, one.sha256)).collect::<Vec<_>>()
        };
        let one = |path: &str, name: &str| vec![(path.to_owned(), sha256(name.as_bytes()))];
        assert_eq!(of(&["sh", "-c", &format!("cd /; exec {app} -o {data}")]), one(&app, "app"));
        assert_eq!(of(&["sh", "-e", &script, &data]), one(&script, "script.sh"));
        assert_eq!(of(&[&app, &data]), []);
        assert_eq!(of(&["env", &app]), one(&app, "app"));
    }

    #[test]
    fn a_changed_library_gets_another_hash_and_a_missing_library_none() {
        let here = tempfile::tempdir().unwrap();
        let file = here.path().join("libmpi.so.1");
        fs::write(&file, "one").unwrap();
        let (hashes, paths) = (Hashes::default(), [file.to_string_lossy().into_owned(), "/none".into()]);
        assert_eq!(hashes.libraries(&paths)[0].sha256, sha256(b"one"));
        fs::write(&file, "three").unwrap();
        let found = hashes.libraries(&paths);
        assert_eq!((found[0].sha256.clone(), found[1].sha256.as_str()), (sha256(b"three"), ""));
    }
}
