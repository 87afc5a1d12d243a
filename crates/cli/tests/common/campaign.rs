//! A place to run campaigns in: a plan, a directory under test, and the results.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use super::{PATIENCE, Ran, program, run};

/// The beginning of every plan here. A launch table and tests follow.
pub const HEAD: &str = r#"schema = 1
plan = { id = "p", title = "A plan of the tests" }
fs.s = { dir = "{dir}" }
clients = { delivered = 1 }
defaults = { ranks = 2, timeout = "90 s" }
"#;

/// Three jobs; the last compares the data of the second.
pub const THREE_TESTS: &str = r#"
[[test]]
id = "A"
ior = "-w -e -t 64k -b 256k"
criterion = { metric = "write.bw", op = ">=", value = "1 B/s" }
[[test]]
id = "B"
ior = "-w -e -t 64k -b 256k -k -G 3"
criterion = { metric = "write.bw", op = ">=", value = "1 B/s" }
[[test]]
id = "C"
uses = "B"
ior = "-R -t 64k -b 256k -k -G 3"
criterion = { metric = "read_check.errors", op = "==", value = "0 errors" }
"#;

/// The same jobs; no machine meets the criterion of the second.
pub fn three_tests_with_a_failure() -> String {
    let of_b = "-k -G 3\"\ncriterion = { metric = \"write.bw\", op = \">=\", value = \"";
    let failing = THREE_TESTS.replacen(&format!("{of_b}1 B/s"), &format!("{of_b}100 TB/s"), 1);
    assert_ne!(failing, THREE_TESTS);
    failing
}

/// Starts a job of this number of local ranks. It sleeps for ever instead if the arguments contain the text
/// of the file `hang` next to the plan. A launcher that hangs has a child that hangs too.
const LAUNCHER: &str = r#"
ranks=$1; shift
program=$1; shift
if [ -e "$HANG" ] && case "$*" in *"$(cat "$HANG")"*) true ;; *) false ;; esac; then
    sleep 600 &
    echo $! > "$HANG.pid.part"; mv "$HANG.pid.part" "$HANG.pid"
    wait
fi
exec "$program" -n "$ranks" "$@"
"#;

/// A directory for one test.
pub struct Place {
    root: tempfile::TempDir,
}

impl Default for Place {
    fn default() -> Self {
        Self::new()
    }
}

impl Place {
    /// Makes an empty directory under test, `dir`.
    pub fn new() -> Self {
        let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        fs::create_dir(root.path().join("dir")).unwrap();
        Self { root }
    }

    /// A file or directory of the place.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// The directory under test.
    pub fn dir(&self) -> PathBuf {
        self.path("dir")
    }

    /// Writes `p.toml`.
    pub fn plan(&self, rest: &str) {
        fs::write(self.path("p.toml"), format!("{HEAD}{rest}")).unwrap();
    }

    /// Adds to `p.toml` that nodes may share a kernel.
    pub fn simulate_nodes(&self) {
        let plan = fs::read_to_string(self.path("p.toml")).unwrap();
        let delivered = "delivered = 1";
        assert!(plan.contains(delivered));
        let simulated = plan.replace(delivered, &format!("{delivered}, simulated = true"));
        fs::write(self.path("p.toml"), simulated).unwrap();
    }

    /// A launch table whose jobs hang while their arguments contain `hang`.
    pub fn hanging(&self, hang: &str) -> String {
        fs::write(self.path("launch.sh"), LAUNCHER).unwrap();
        fs::write(self.path("hang"), hang).unwrap();
        let (script, hang) = (self.path("launch.sh"), self.path("hang"));
        format!(
            "[launch]\nkind = \"mpirun\"\nargv = [\"sh\", {script:?}, \"{{ranks}}\", \"{{cmd}}\"]\n\
             env = {{ HANG = {hang:?} }}\nprobe = false\n"
        )
    }

    /// The command `assay WORDS` in the place. The evidence of a new campaign is in the directory under test
    /// unless `WORDS` say otherwise.
    pub fn command(&self, words: &str) -> Command {
        let mut command = Command::new(program());
        command.current_dir(self.root.path());
        // Launchers ask the name server for invented names of nodes. Without an answer, each question takes
        // 10 seconds (resolv.conf(5)).
        command.env("RES_OPTIONS", "timeout:1 attempts:1");
        let others = ["--campaigns", "--folder", "--resume", "--extend", "--wait", "--repeat"];
        let is_new = words.starts_with("run ") && words.contains("--dir dir");
        let words = match words.strip_prefix("run ") {
            Some(rest) if is_new && !others.iter().any(|other| words.contains(other)) => {
                command.args(["run", "--campaigns", "dir"]);
                rest
            }
            _ => words,
        };
        command.args(words.split_whitespace());
        command
    }

    /// Runs `assay WORDS` to its end.
    pub fn assay(&self, words: &str) -> Ran {
        run(&mut self.command(words))
    }

    /// Runs the plan on the directory under test.
    pub fn campaign(&self) -> Ran {
        self.assay("run p.toml --dir dir")
    }

    /// The folder of the only campaign, in the directory under test or beside it.
    pub fn folder(&self) -> PathBuf {
        let is_campaign = |name: &String| {
            name.starts_with("assay-") && !name.ends_with(".data") && name != "assay-datasets"
        };
        let within = |dir: PathBuf| -> Vec<PathBuf> {
            names(&dir).into_iter().filter(is_campaign).map(|name| dir.join(name)).collect()
        };
        let beside = within(self.path("")).into_iter().filter(|path| path.join("campaign.json").exists());
        let folders: Vec<PathBuf> = within(self.dir()).into_iter().chain(beside).collect();
        assert_eq!(folders.len(), 1, "{folders:?}");
        folders[0].clone()
    }

    /// Test, outcome and reason of each verdict in the campaign's folder. A reason is `{ code, data }`.
    pub fn verdicts(&self) -> Vec<(String, String, serde_json::Value)> {
        let verdicts = json(&self.folder().join("verdicts.json"));
        let word = |verdict: &serde_json::Value, key: &str| verdict[key].as_str().unwrap().to_owned();
        let one = |verdict: &serde_json::Value| {
            (word(verdict, "test"), word(verdict, "outcome"), verdict["reason"].clone())
        };
        verdicts.as_array().unwrap().iter().map(one).collect()
    }

    /// The code of the reason of each verdict.
    pub fn codes(&self) -> Vec<String> {
        let code =
            |(_, _, reason): (String, String, serde_json::Value)| reason["code"].as_str().unwrap().to_owned();
        self.verdicts().into_iter().map(code).collect()
    }

    /// Test and outcome of each verdict in this folder of the place.
    pub fn outcomes_in(&self, folder: &str) -> Vec<String> {
        let verdicts = json(&self.path(folder).join("verdicts.json"));
        let word = |verdict: &serde_json::Value, key: &str| verdict[key].as_str().unwrap().to_owned();
        let all = verdicts.as_array().unwrap().iter();
        all.map(|verdict| format!("{} {}", word(verdict, "test"), word(verdict, "outcome"))).collect()
    }

    /// Test and outcome of each verdict, such as `W PASS`.
    pub fn outcomes(&self) -> Vec<String> {
        self.verdicts().into_iter().map(|(test, outcome, _)| format!("{test} {outcome}")).collect()
    }

    /// Number of jobs of a folder or an archive that `verify` finds unmodified. Fails if anything was
    /// changed.
    pub fn whole_jobs(&self, at: impl AsRef<Path>) -> usize {
        self.assay(&format!("verify {}", at.as_ref().display())).whole_jobs()
    }

    /// Starts `assay WORDS` with its error stream in the file `err`.
    pub fn start(&self, words: &str) -> Child {
        let err = fs::File::create(self.path("err")).unwrap();
        self.command(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(err).spawn().unwrap()
    }
}

/// The JSON in a file.
pub fn json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The codes of findings, warnings or notes.
pub fn codes_of(findings: &serde_json::Value) -> Vec<&str> {
    findings.as_array().into_iter().flatten().map(|one| one["reason"]["code"].as_str().unwrap()).collect()
}

/// The data of the first finding, warning or note with this code.
pub fn data_of<'v>(findings: &'v serde_json::Value, code: &str) -> &'v serde_json::Value {
    let mut all = findings.as_array().into_iter().flatten();
    let found = all.find(|one| one["reason"]["code"] == code);
    &found.unwrap_or_else(|| panic!("no {code} in {findings:#}"))["reason"]["data"]
}

/// The name of the bundled plan in a line of `assay plan list`. The title of a group has none.
pub fn listed_plan(line: &str) -> Option<&str> {
    line.strip_prefix("  ")?.split(' ').next()
}

/// The names of the files in a directory, sorted.
pub fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Everything below `dir`: the content or link target, and the time of the last change in nanoseconds.
pub fn tree(dir: &Path) -> BTreeMap<PathBuf, (Vec<u8>, i64)> {
    let mut all = BTreeMap::new();
    for name in names(dir) {
        let path = dir.join(name);
        let facts = path.symlink_metadata().unwrap();
        let content = if facts.is_symlink() {
            fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
        } else if facts.is_dir() {
            all.append(&mut tree(&path));
            Vec::new()
        } else {
            fs::read(&path).unwrap()
        };
        // A directory's own time changes with every entry, so it is not compared.
        let changed = if facts.is_dir() { 0 } else { facts.mtime() * 1_000_000_000 + facts.mtime_nsec() };
        all.insert(path, (content, changed));
    }
    all
}

/// A test of a plan that passes on each file system, with the text of its clause.
pub fn passing_test(clause: &str) -> String {
    format!(
        r#"
[[test]]
id = "W"
clause = "{clause}"
ior = "-w -e -t 64k -b 128k"
criterion = {{ metric = "write.bw", stat = "max", op = ">=", value = "1 B/s" }}
"#
    )
}

/// Waits until `there` is true, for a limited time.
pub fn until(what: &str, mut there: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !there() {
        assert!(begin.elapsed() < PATIENCE, "{what} did not come");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Sends `signal`, such as `-INT`, to one process. False if it is not there.
pub fn signal(signal: &str, pid: u32) -> bool {
    Command::new("kill").args([signal, &pid.to_string()]).status().is_ok_and(|status| status.success())
}

/// Whether the process with this number runs.
pub fn alive(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z"))
}

/// Prints why a test is skipped.
pub fn skipped(why: &str) {
    println!("SKIPPED: {why}");
}

/// Whether a launcher of this name is installed. If not, prints that the test is skipped.
pub fn there(launcher: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|dir| dir.join(launcher).exists());
    if !found {
        skipped(&format!("no {launcher} here; `cargo xtask setup` installs it"));
    }
    found
}

/// Whether a process may have private mounts over `dir`. If not, prints that the test is skipped.
pub fn may_mount_alone(dir: &Path) -> bool {
    let words = ["-m", "mount", "-t", "tmpfs", "none"];
    let done = Command::new("unshare").args(words).arg(dir).stderr(Stdio::null()).status();
    let may = done.is_ok_and(|status| status.success());
    if !may {
        skipped("mounts that only one process sees are not allowed here; run the tests as root");
    }
    may
}

/// A small file system over a directory, until dropped. Only root can create it.
pub struct SmallFs(PathBuf);

impl SmallFs {
    /// Mounts `size` over `dir`. `None`, with the reason printed, if that is not allowed.
    pub fn mount(dir: &Path, size: &str) -> Option<Self> {
        let words = ["-t", "tmpfs", "-o", &format!("size={size}"), "assay-test"];
        let done = Command::new("mount").args(words).arg(dir).stderr(Stdio::null()).status();
        if done.is_ok_and(|status| status.success()) {
            return Some(Self(dir.to_owned()));
        }
        skipped("mounting a small tmpfs is not allowed here; run the tests as root");
        None
    }

    /// Mounts an ext4 of this size over `dir`. It is in the new file `image`, behind a loop device. `None`,
    /// with the reason printed, if that is not allowed.
    pub fn on_loop(dir: &Path, image: &Path, bytes: u64) -> Option<Self> {
        Self::of_kind("ext4", dir, image, bytes)
    }

    /// The same with another type of file system, `ext4` or `xfs`.
    pub fn of_kind(kind: &str, dir: &Path, image: &Path, bytes: u64) -> Option<Self> {
        fs::File::create_new(image).unwrap().set_len(bytes).unwrap();
        fn is_done(command: &mut Command) -> bool {
            command.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
        }
        let force = if kind == "ext4" { "-F" } else { "-f" };
        if is_done(Command::new(format!("mkfs.{kind}")).args(["-q", force]).arg(image))
            && is_done(Command::new("mount").args(["-o", "loop"]).arg(image).arg(dir))
        {
            return Some(Self(dir.to_owned()));
        }
        skipped(&format!(
            "an {kind} on a loop device is not possible here; run the tests as root, with mkfs.{kind}"
        ));
        None
    }

    /// Mounts it again with this option, such as `ro`.
    pub fn remount(&self, option: &str) {
        let words = ["-o".to_owned(), format!("remount,{option}")];
        assert!(Command::new("mount").args(words).arg(&self.0).status().unwrap().success());
    }
}

/// A test whose job runs this command of the shell.
pub fn shell_test(id: &str, command: &str) -> String {
    format!(
        "[[test]]\nid = \"{id}\"\nranks = 1\n\
         criterion = {{ metric = \"step.bw\", op = \">=\", value = \"1 GB/s\" }}\n[test.app]\n\
         argv = [\"sh\", \"-c\", '''{command}; echo 'rate: 5 GB/s' ''']\n\
         metrics = {{ \"step.bw\" = {{ line = 'rate: ([0-9.]+) GB/s', unit = \"GB/s\" }} }}\n"
    )
}

impl Drop for SmallFs {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

pub const WRITTEN_AND_READ: &str = r#"
[dataset.d]
ior = "-w -e -F -t 64k -b 1m -k -G 7"
[[test]]
id = "W"
clause = "two ranks write"
ior = "-w -F -e -t 64k -b 1m"
repetitions = 2
criterion = { metric = "write.bw", stat = "max", op = ">=", value = "1 B/s" }
[[test]]
id = "R"
uses = "dataset.d"
ior = "-r -F -C -t 64k -b 1m -k"
cache = "warm"
criterion = { metric = "read.bw", op = ">=", value = "1 B/s" }
[[test]]
id = "C"
uses = "dataset.d"
ior = "-R -F -C -t 64k -b 1m -k -G 7"
criterion = { metric = "read_check.errors", op = "==", value = "0 errors" }
"#;

pub const WRITTEN_AND_COMPARED: &str = r#"
[[test]]
id = "W"
ior = "-w -e -t 64k -b 128k -k -G 3"
criterion = { metric = "write.bw", op = ">=", value = "1 B/s" }
[[test]]
id = "R"
uses = "W"
ior = "-R -t 64k -b 128k -k -G 3"
criterion = { metric = "read_check.errors", op = "==", value = "0 errors" }
"#;
