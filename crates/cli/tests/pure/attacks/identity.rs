//! Programs that watch or change the ranks: preloaded libraries, a tracer, a filter of system calls. A
//! campaign with one of them has a finding that needs a waiver, and an honest campaign has none.

use std::process::{Command, Stdio};

use super::{Scene, WRITE, pass};
use crate::common;
use crate::common::campaign::{may_mount_alone, skipped, there};

/// Codes of the findings about processes.
const CODES: [&str; 4] = ["mapped-object", "other-program", "traced-process", "system-call-filter"];

/// A launch table that starts the ranks by the shell command `before`, whose `"$@"` is the program.
fn through(before: &str) -> String {
    let script = format!("ranks=$1 program=$2; shift 2; set -- \"$program\" -n \"$ranks\" \"$@\"; {before}");
    let argv = ["sh", "-c", &script, "sh", "{ranks}", "{cmd}"];
    format!("[launch]\nkind = \"mpirun\"\nargv = {argv:?}\n")
}

/// The findings about processes of a campaign that is launched by `head`.
fn found(scene: &Scene, head: &str) -> Vec<(String, serde_json::Value)> {
    assert_eq!(scene.verdict(head, WRITE), pass());
    let mut all = scene.open_findings();
    all.retain(|(code, _)| CODES.contains(&code.as_str()));
    all
}

/// The only one of them must have this code. Gives its data.
fn only(scene: &Scene, head: &str, code: &str) -> serde_json::Value {
    let mut all = found(scene, head);
    assert_eq!(all.iter().map(|(code, _)| code.as_str()).collect::<Vec<_>>(), [code], "{all:#?}");
    all.remove(0).1
}

#[test]
fn honest_ranks_are_not_watched_or_changed() {
    let Some(scene) = Scene::new() else { return };
    assert_eq!(found(&scene, ""), []);
    assert_eq!(found(&scene, &through("exec \"$@\"")), []);
}

#[test]
fn a_changed_copy_of_the_program_is_named_with_its_hash() {
    let Some(scene) = Scene::new() else { return };
    let copy = scene.place.path("assay");
    let change = format!("cp \"$1\" {copy:?} && printf x >> {copy:?} && shift && exec {copy:?} \"$@\"");
    let data = only(&scene, &through(&change), "other-program");
    let hash = |path: &std::path::Path| results::folder::sha256_of(path).unwrap();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_assay"));
    assert_eq!((data["sha256"].as_str(), data["own"].as_str()), (Some(&*hash(&copy)), Some(&*hash(program))));
}

#[test]
fn a_library_preloaded_by_the_environment_is_named_with_its_hash() {
    let Some(scene) = Scene::new() else { return };
    let shim = common::shim();
    let data = only(&scene, &through(&format!("LD_PRELOAD={shim:?} exec \"$@\"")), "mapped-object");
    let hash = results::folder::sha256_of(&shim).unwrap();
    let path = shim.canonicalize().unwrap();
    assert_eq!((data["path"].as_str(), data["sha256"].as_str()), (path.to_str(), Some(&*hash)), "{data}");
}

#[test]
fn a_library_preloaded_for_the_whole_system_leaves_no_variable_and_is_found() {
    let Some(scene) = Scene::new() else { return };
    if !may_mount_alone(&scene.place.dir()) {
        return;
    }
    let (shim, etc) = (common::shim(), scene.place.path("etc"));
    std::fs::create_dir(&etc).unwrap();
    std::fs::write(etc.join("ld.so.preload"), format!("{}\n", shim.display())).unwrap();
    let mount = format!("mount -t overlay -o lowerdir={}:/etc assay-test /etc", etc.display());
    let allowed = Command::new("unshare").args(["-m", "sh", "-c", &mount]).stderr(Stdio::null()).status();
    if !allowed.is_ok_and(|status| status.success()) {
        return skipped("an overlay cannot be mounted over /etc here");
    }
    let inner = format!("{mount} && exec \"$@\"");
    let data = only(&scene, &through(&format!("exec unshare -m sh -c '{inner}' sh \"$@\"")), "mapped-object");
    let path = shim.canonicalize().unwrap();
    assert_eq!(data["path"].as_str(), path.to_str(), "{data}");
}

/// A library that shows an empty map of the process to everything that opens it.
const HIDING: &str = "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <string.h>\n\
    #include <sys/syscall.h>\n#include <unistd.h>\nstatic int other(const char *path, int flags) {\n\
    if (!strncmp(path, \"/proc/self/\", 11)) path = \"/dev/null\";\n\
    return syscall(SYS_openat, AT_FDCWD, path, flags, 0666);\n}\n\
    int open(const char *path, int flags, ...) { return other(path, flags); }\n\
    int open64(const char *path, int flags, ...) { return other(path, flags); }\n";

#[test]
fn a_preloaded_library_that_hides_itself_from_reads_of_the_c_library_is_found() {
    let Some(scene) = Scene::new() else { return };
    if !there("cc") {
        return;
    }
    let (source, library) = (scene.place.path("hiding.c"), scene.place.path("libhiding.so"));
    std::fs::write(&source, HIDING).unwrap();
    let built =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let data = only(&scene, &through(&format!("LD_PRELOAD={library:?} exec \"$@\"")), "mapped-object");
    assert_eq!(data["path"].as_str(), library.canonicalize().unwrap().to_str(), "{data}");
}

#[test]
fn a_preloaded_library_with_the_name_of_the_loader_or_of_a_needed_library_is_found() {
    let Some(scene) = Scene::new() else { return };
    for name in ["ld-fast.so", "libm.so.9", "libc.so.6"] {
        let library = scene.place.path(name);
        std::fs::copy(common::shim(), &library).unwrap();
        let data = only(&scene, &through(&format!("LD_PRELOAD={library:?} exec \"$@\"")), "mapped-object");
        assert_eq!(data["path"].as_str(), library.canonicalize().unwrap().to_str(), "{data}");
    }
}

#[test]
fn a_tracer_is_named() {
    let Some(scene) = Scene::new() else { return };
    if !there("strace") {
        return;
    }
    let data = only(&scene, &through("exec strace -f -e trace=chdir -o /dev/null \"$@\""), "traced-process");
    assert_eq!(data["tracer"].as_str(), Some("strace"), "{data}");
}

/// Starts the following command under a filter of system calls that allows all of them.
const FILTER: &str = "#include <linux/filter.h>\n#include <linux/seccomp.h>\n#include <sys/prctl.h>\n\
    #include <unistd.h>\nint main(int count, char **words) {\n\
    struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};\n\
    struct sock_fprog filter = {1, all};\n(void)count;\n\
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &filter)) return 99;\n\
    execvp(words[1], words + 1);\nreturn 98;\n}\n";

#[test]
fn a_filter_of_system_calls_is_found() {
    let Some(scene) = Scene::new() else { return };
    if !there("cc") {
        return;
    }
    let (source, program) = (scene.place.path("filter.c"), scene.place.path("filter"));
    std::fs::write(&source, FILTER).unwrap();
    let built = Command::new("cc").arg("-o").args([&program, &source]).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let data = only(&scene, &through(&format!("exec {program:?} \"$@\"")), "system-call-filter");
    assert_eq!(data["mode"].as_u64(), Some(2), "{data}");
}
