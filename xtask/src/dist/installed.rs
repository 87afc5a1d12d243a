//! Tests: each package is installed in a clean place, its programs run, and it leaves nothing when removed.
//!
//! They need the release build, so they are in the complete set only. `ASSAY_TEST_PACKAGES` may name a folder
//! with packages that were made before, such as those of another machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use tempfile::TempDir;

use super::{Release, make, names_in, output, recipes, run};

/// What is run in every installation, after `export PATH`. The last word is what the shell prints.
const TRIAL: &str = "set -e
assay --version
assay backends > /dev/null
assay completions bash | grep -q assay
mkdir -p trial
ior -w -r -F -t 64k -b 256k -o trial/file | grep -q 'Max Write'
mdtest -n 10 -d trial/md | grep -q 'File creation'
assay plan check /dev/null 2> /dev/null || test $? -eq 2
echo works";

/// The variable with a folder of packages that are ready.
const READY_VARIABLE: &str = "ASSAY_TEST_PACKAGES";

/// The folder of the packages, built once for all tests. `None`, with the reason printed, in the default set.
fn packages() -> Option<&'static Path> {
    static MADE: OnceLock<Option<PathBuf>> = OnceLock::new();
    if std::env::var_os(crate::programs::COMPLETE).is_none_or(|value| value != "1") {
        println!("ONLY IN --all: packages need a release build, which takes minutes");
        return None;
    }
    let made = MADE.get_or_init(|| {
        if let Some(ready) = std::env::var_os(READY_VARIABLE) {
            return Some(ready.into());
        }
        let root = crate::root().unwrap();
        // A failure is not tried again by the other tests.
        let is_made = run(&root).unwrap_or_else(|why| {
            println!("{why:#}");
            false
        });
        is_made.then(|| root.join("target/dist"))
    });
    Some(made.as_deref().expect("a step of `cargo xtask dist` failed: see the first of these tests"))
}

/// The package whose name ends like this.
fn package(folder: &Path, ending: &str) -> PathBuf {
    let names = names_in(folder).unwrap();
    folder.join(names.iter().find(|name| name.ends_with(ending)).expect(ending))
}

/// Runs a script with these directories before the search path, in `folder`.
fn shell(folder: &Path, directories: &[PathBuf], script: &str) -> String {
    let before: String = directories.iter().map(|one| format!("{}:", one.display())).collect();
    let script = format!("export PATH={before}$PATH; {script}");
    output(Command::new("sh").current_dir(folder).args(["-c", &script])).unwrap()
}

/// A new Debian system in a directory; `None`, with the reason printed, if it cannot be made here.
fn clean_system() -> Option<TempDir> {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let Some(suite) = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME=")) else {
        println!("SKIPPED: this is not a Debian system");
        return None;
    };
    if output(Command::new("id").arg("-u")).unwrap().trim() != "0" {
        println!("SKIPPED: a new root directory needs root");
        return None;
    }
    let system = tempfile::tempdir_in("/var/tmp").unwrap();
    let mut make = Command::new("mmdebstrap");
    make.args(["--quiet", "--variant=minbase", "--include=man-db,python3-venv", suite])
        .arg(system.path().join("root"));
    if let Err(why) = output(&mut make) {
        println!("SKIPPED: no clean system: {why:#}");
        return None;
    }
    Some(system)
}

/// Runs a script in this system, as root, with its own processes and mounts.
fn inside(system: &Path, script: &str) -> String {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--pid", "--fork", "chroot"]).arg(system);
    let script = format!("set -e; mount -t proc proc /proc; cd /root; {script}");
    output(command.args(["sh", "-c", &script]).env("PATH", "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"))
        .unwrap()
}

/// All files of the system outside /proc, /root and the places where package managers keep their state.
fn all_files(system: &Path) -> Vec<String> {
    let mut find = Command::new("find");
    find.current_dir(system).args([".", "-xdev"]);
    let found = output(&mut find).unwrap();
    let kept = [
        "./root",
        "./run",
        "./var/lib/",
        "./var/log/",
        "./var/cache/",
        "./tmp",
        "./proc",
        "./etc/ld.so.cache",
    ];
    let mut files: Vec<String> = found
        .lines()
        .filter(|file| !kept.iter().any(|begin| file.starts_with(begin)))
        .map(str::to_owned)
        .collect();
    files.sort();
    files
}

/// The files that the system has only now, or had only before.
fn changed(before: &[String], system: &Path) -> Vec<String> {
    let after = all_files(system);
    let only = |these: &[String], others: &[String]| -> Vec<String> {
        these.iter().filter(|file| others.binary_search(file).is_err()).cloned().collect()
    };
    [only(before, &after), only(&after, before)].concat()
}

/// The checks of an installation below `/usr` in this system.
fn check_inside(system: &Path) {
    assert!(!system.join("usr/bin/ior").exists(), "the name may belong to another package");
    let tried = inside(system, &format!("export PATH=/usr/lib/assay/links:$PATH\n{TRIAL}"));
    assert!(tried.ends_with("works\n"), "{tried}");
    let pages = inside(system, "man -w assay assay-run; PATH=/usr/lib/assay/links:$PATH man -w ior");
    assert_eq!(pages.lines().count(), 3, "{pages}");
    assert!(
        inside(system, "man -w ior 2>&1 || echo none").contains("none"),
        "only with the links on the path"
    );
    let plan =
        inside(system, "code=0; assay plan check /usr/share/assay/plans/try.toml || code=$?; echo $code");
    assert!(!plan.trim_end().ends_with('2'), "{plan}");
}

#[test]
fn the_archive_runs_where_it_is_unpacked() {
    let Some(packages) = packages() else { return };
    let folder = tempfile::tempdir().unwrap();
    let archive = package(packages, ".tar.gz");
    output(Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(folder.path())).unwrap();
    let names = names_in(folder.path()).unwrap();
    let root = crate::root().unwrap();
    assert_eq!(names, [Release::of(&root, &root.join("target")).unwrap().full_name()]);
    let top = folder.path().join(&names[0]);
    let path = [top.join("lib/assay/links"), top.join("bin")];
    assert!(shell(folder.path(), &path, TRIAL).ends_with("works\n"));
    let pages = shell(folder.path(), &path, "man -w assay-plan-check; man -w mdtest");
    assert_eq!(pages.lines().count(), 2, "{pages}");
    assert!(pages.lines().all(|page| page.starts_with(folder.path().to_str().unwrap())), "{pages}");
    for file in
        ["share/doc/assay/LICENSE-MIT", "share/doc/assay/THIRD-PARTY.txt", "share/assay/plans/io500.toml"]
    {
        assert!(top.join(file).is_file(), "{file}");
    }
    // EasyBuild checks these in every installation.
    let recipe = recipes::easybuild(&root);
    for (key, is_there) in [("files", Path::is_file as fn(&Path) -> bool), ("dirs", Path::is_dir)] {
        for path in recipes::texts(&recipe["sanity_check_paths"][key]) {
            assert!(is_there(&top.join(&path)), "{path}");
        }
    }
    for command in recipes::texts(&recipe["sanity_check_commands"]) {
        shell(folder.path(), &path, &command);
    }
}

#[test]
fn the_program_has_its_symbols_in_a_file_of_their_own() {
    let Some(packages) = packages() else { return };
    let folder = tempfile::tempdir().unwrap();
    output(Command::new("tar").arg("-xf").arg(package(packages, ".tar.gz")).arg("-C").arg(folder.path()))
        .unwrap();
    let program = folder.path().join(&names_in(folder.path()).unwrap()[0]).join("bin/assay");
    let sections =
        |file: &Path| output(Command::new("readelf").arg("--sections").arg("--wide").arg(file)).unwrap();
    let of_program = sections(&program);
    assert!(of_program.contains(" .gnu_debuglink ") && !of_program.contains(" .symtab "), "{of_program}");
    let symbols = sections(&package(packages, ".debug"));
    assert!(symbols.contains(" .debug_line ") && symbols.contains(" .symtab "), "{symbols}");
}

#[test]
fn the_classic_names_come_with_the_module() {
    let Some(packages) = packages() else { return };
    let find = "ls /usr/lib/*/modulecmd.tcl /usr/lib/modulecmd.tcl 2> /dev/null | head -n 1";
    let modules = output(Command::new("sh").args(["-c", find])).unwrap();
    if modules.is_empty() {
        println!("SKIPPED: environment-modules is not installed; `cargo xtask setup` installs it");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    output(Command::new("tar").arg("-xf").arg(package(packages, ".tar.gz")).arg("-C").arg(folder.path()))
        .unwrap();
    let top = folder.path().join(&names_in(folder.path()).unwrap()[0]);
    let module = top.join("share/assay/modulefiles/assay-links");
    let load = format!("tclsh {} sh load {}", modules.trim(), module.display());
    let found = shell(folder.path(), &[], &format!("eval \"$({load})\"; command -v ior; command -v assay"));
    let wanted = ["lib/assay/links/ior", "bin/assay"].map(|name| top.join(name).display().to_string());
    assert_eq!(found.lines().collect::<Vec<_>>(), wanted);
}

#[test]
fn the_wheel_installs_in_a_new_environment() {
    let Some(packages) = packages() else { return };
    let folder = tempfile::tempdir().unwrap();
    let venv = folder.path().join("venv");
    output(Command::new("python3").args(["-m", "venv"]).arg(&venv)).unwrap();
    let mut pip = Command::new(venv.join("bin/pip"));
    pip.args(["install", "--no-index", "--disable-pip-version-check"]).arg(package(packages, ".whl"));
    output(&mut pip).unwrap();
    fs::create_dir(folder.path().join("links")).unwrap();
    let path = [folder.path().join("links"), venv.join("bin")];
    let tried = shell(folder.path(), &path, &format!("assay links links > /dev/null\n{TRIAL}"));
    assert!(tried.ends_with("works\n"), "{tried}");
    let page = shell(folder.path(), &path, "man -w assay-run");
    assert!(page.starts_with(venv.to_str().unwrap()), "{page}");
}

#[test]
fn pipx_runs_the_program_of_the_wheel_without_installing_it() {
    let Some(packages) = packages() else { return };
    let folder = tempfile::tempdir().unwrap();
    let venv = folder.path().join("venv");
    output(Command::new("python3").args(["-m", "venv"]).arg(&venv)).unwrap();
    let mut pip = Command::new(venv.join("bin/pip"));
    if let Err(why) = output(pip.args(["install", "--disable-pip-version-check", "pipx==1.7.1"])) {
        println!("SKIPPED: pipx cannot be installed from the index of Python packages: {why:#}");
        return;
    }
    let mut pipx = Command::new(venv.join("bin/pipx"));
    pipx.args(["run", "--spec"]).arg(package(packages, ".whl")).args(["assay", "--version"]);
    for variable in ["HOME", "PIPX_HOME", "PIPX_BIN_DIR", "PIPX_MAN_DIR"] {
        pipx.env(variable, folder.path().join(variable));
    }
    let printed = output(&mut pipx).unwrap();
    let root = crate::root().unwrap();
    assert!(printed.contains(&Release::of(&root, folder.path()).unwrap().version), "{printed}");
}

/// Runs the program of the archive, and that of the wheel, in a clean system. Removes both.
fn try_archive_and_wheel(packages: &Path, system: &Path) {
    let wheel = package(packages, ".whl");
    let name = wheel.file_name().unwrap().to_str().unwrap();
    fs::copy(&wheel, system.join("root").join(name)).unwrap();
    fs::copy(package(packages, ".tar.gz"), system.join("root/assay.tar.gz")).unwrap();
    for (install, path) in [
        (
            "mkdir /opt/assay; tar -xf assay.tar.gz --strip-components=1 -C /opt/assay".to_owned(),
            "/opt/assay/lib/assay/links:/opt/assay/bin",
        ),
        (
            format!(
                "python3 -m venv venv; venv/bin/pip install --quiet --no-index {name}; mkdir links; \
                 venv/bin/assay links links > /dev/null"
            ),
            "/root/links:/root/venv/bin",
        ),
    ] {
        let before = format!("export PYTHONDONTWRITEBYTECODE=1; {install}; export PATH={path}:$PATH");
        let tried = inside(system, &format!("{before}\n{TRIAL}"));
        assert!(tried.ends_with("works\n"), "{install}: {tried}");
    }
    inside(system, "rm -r /opt/assay venv links trial");
}

#[test]
fn packages_install_in_a_clean_system_and_leave_nothing() {
    let Some(packages) = packages() else { return };
    let Some(system) = clean_system() else { return };
    let system = system.path().join("root");
    let before = all_files(&system);
    try_archive_and_wheel(packages, &system);
    assert_eq!(changed(&before, &system), [""; 0], "the archive and the wheel write nothing elsewhere");

    fs::copy(package(packages, ".deb"), system.join("root/assay.deb")).unwrap();
    inside(&system, "dpkg --install assay.deb");
    check_inside(&system);
    // The short complete campaign: it writes 6.4 GiB in total, and its status is 0 if all clauses PASS. Speed
    // is not what is checked, so a verdict that needs more repetitions is good too.
    let tried =
        inside(&system, "mkdir try; code=0; assay try try --only WRITE || code=$?; echo status $code");
    assert!(tried.ends_with("status 0\n") || tried.ends_with("status 3\n"), "{tried}");
    inside(&system, "dpkg --purge assay");
    assert_eq!(changed(&before, &system), [""; 0], "the Debian package is removed completely");

    let Ok(rpm) = output(Command::new("rpm").arg("--version")) else {
        println!("SKIPPED: rpm is not installed; `cargo xtask setup` installs it");
        return;
    };
    println!("{rpm}");
    let file = package(packages, ".rpm");
    let rpm = |words: &[&str]| output(Command::new("rpm").arg("--root").arg(&system).args(words)).unwrap();
    rpm(&["--initdb"]);
    // The C library of this system is not an RPM package, so its name is checked and not asked for.
    let needs = output(Command::new("rpm").args(["-qp", "--requires"]).arg(&file)).unwrap();
    assert!(needs.contains("libc.so.6(GLIBC_2."), "{needs}");
    rpm(&["--install", "--nodeps", file.to_str().unwrap()]);
    check_inside(&system);
    rpm(&["--erase", "assay"]);
    assert_eq!(changed(&before, &system), [""; 0], "the RPM package is removed completely");
}

#[test]
fn packages_made_again_are_the_same() {
    let Some(packages) = packages() else { return };
    let sums = fs::read_to_string(packages.join("SHA256SUMS")).unwrap();
    assert_eq!(sums.lines().count(), 5, "four packages and the symbols: {sums}");
    output(Command::new("sha256sum").current_dir(packages).args(["--check", "--strict", "SHA256SUMS"]))
        .unwrap();
    if std::env::var_os(READY_VARIABLE).is_some() {
        println!("SKIPPED: {READY_VARIABLE} names packages, so none are made");
        return;
    }
    let elsewhere = tempfile::tempdir().unwrap();
    assert!(make(&Release::of(&crate::root().unwrap(), elsewhere.path()).unwrap()).unwrap());
    assert_eq!(fs::read_to_string(elsewhere.path().join("dist/SHA256SUMS")).unwrap(), sums);
}
