//! `assay quota` against the quotas of a kernel: projects on XFS, users, groups and projects on ext4.
//!
//! The kernel of this machine may have no quotas. So the kernel of a Debian package runs in a virtual
//! machine, with the program and its libraries in memory and the file systems on images. This test judges the
//! records.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::common::campaign::skipped;
use crate::common::system::{attempt, done};
use crate::common::{on_path, only_in_all, program, run_for};

/// The longest time of the machine. Its processor is emulated, because KVM may not work within a virtual
/// machine.
const MACHINE: Duration = Duration::from_secs(600);
/// Modules, each after those that it needs.
const MODULES: [&str; 6] = ["virtio_pci", "virtio_blk", "xfs", "ext4", "quota_v2", "crc32c_generic"];
/// Programs in the machine.
const PROGRAMS: [&str; 3] = ["busybox", "setquota", "chattr"];
const LIMIT: u64 = 8 << 20;
const SOFT: u64 = 4 << 20;
const INODES: u64 = 100;

/// What the machine does. `limit` sets 4 MiB and 50 inodes softly, 8 MiB and 100 inodes firmly.
const INIT: &str = r#"#!/bin/busybox sh
/bin/busybox --install -s /bin
mkdir -p /proc /sys /dev /tmp /xfs /ext4 /out /etc
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
ln -s /proc/mounts /etc/mtab
for module in $(cat /modules); do insmod $module; done
limit() { setquota $1 $2 4096 8192 50 100 $3; }
quota() {
    name=$1; shift
    assay -n 2 quota --transfer 64k --wait 10s --record /out/$name.jsonl "$@" >/out/$name.out 2>/out/$name.err
    echo $? >/out/$name.status
}
mount -t xfs -o uquota,gquota,pquota /dev/vda /xfs
mount -t ext4 -o usrquota,grpquota,prjquota /dev/vdb /ext4
for fs in xfs ext4; do
    mkdir /$fs/user /$fs/group /$fs/project /$fs/others
    chown 1001:1001 /$fs/user /$fs/project; chown 1002:1002 /$fs/others
    chown 1001:2001 /$fs/group; chmod 2775 /$fs/group
    chattr -p 42 +P /$fs/project
    limit -u 1001 /$fs
    others="--as 1001:1001 --other-dir /$fs/others --other-as 1002:1002"
    quota $fs-user $others /$fs/user
    quota $fs-fsync --fsync --only bytes $others /$fs/user
    setquota -u 1001 0 0 0 0 /$fs
    limit -g 2001 /$fs
    quota $fs-group --of group $others /$fs/group
    limit -P 42 /$fs
    quota $fs-project --of project $others /$fs/project
done
quota ext4-root /ext4/user
limit -u 1001 /ext4
umount /ext4; mount -t ext4 /dev/vdb /ext4
quota ext4-off --as 1001:1001 /ext4/user
ls -A /xfs/* /ext4/user /ext4/group /ext4/project /ext4/others >/out/left 2>&1
tar -cf /dev/vdc -C /out .
sync; poweroff -f
"#;

/// The version of the newest installed kernel of a package, with its image. `None` if there is none.
fn kernel() -> Option<(String, PathBuf)> {
    let images = fs::read_dir("/boot").ok()?.flatten();
    let versions = images.filter_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        Some(name.strip_prefix("vmlinuz-")?.to_owned())
    });
    let version = versions.filter(|version| Path::new("/lib/modules").join(version).is_dir()).max()?;
    let image = Path::new("/boot").join(format!("vmlinuz-{version}"));
    Some((version, image))
}

/// Copies a file to the same path below `root`.
fn copy(path: &Path, root: &Path) {
    let to = root.join(path.strip_prefix("/").unwrap());
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::copy(path, &to).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Copies a program to `/bin` below `root`, and the libraries that it loads to their own paths.
fn copy_program(path: &Path, root: &Path) {
    fs::create_dir_all(root.join("bin")).unwrap();
    fs::copy(path, root.join("bin").join(path.file_name().unwrap())).unwrap();
    let words = attempt("ldd", &[&path.display().to_string()]).unwrap_or_default();
    let libraries = words.split_whitespace().filter(|word| word.starts_with('/'));
    libraries.for_each(|library| copy(Path::new(library), root));
}

/// Copies the modules with all that they need. Their order is in the file `modules`.
fn copy_modules(version: &str, root: &Path) {
    let mut order: Vec<String> = Vec::new();
    for module in MODULES {
        // What is built into the kernel is no module.
        let needed = attempt("modprobe", &["--set-version", version, "--show-depends", module]);
        for line in needed.unwrap_or_default().lines() {
            let Some(path) = line.strip_prefix("insmod ").map(|path| path.trim().to_owned()) else {
                continue;
            };
            if !order.contains(&path) {
                copy(Path::new(&path), root);
                order.push(path);
            }
        }
    }
    fs::write(root.join("modules"), order.join("\n")).unwrap();
}

/// Packs everything below `root` for the kernel.
fn pack(root: &Path, archive: &Path) {
    let line = format!("find . | busybox cpio -o -H newc > {}", archive.display());
    let packed = Command::new("sh").args(["-c", &line]).current_dir(root).output().unwrap();
    assert!(packed.status.success(), "{packed:?}");
}

/// An image with a file system, or without one.
fn image(dir: &Path, name: &str, bytes: u64, maker: &[&str]) -> String {
    let path = dir.join(name);
    fs::File::create_new(&path).unwrap().set_len(bytes).unwrap();
    let path = path.display().to_string();
    if let [program, words @ ..] = maker {
        done(program, &[words, &[&path]].concat());
    }
    format!("file={path},format=raw,if=virtio,cache=unsafe")
}

/// Runs the machine. Gives the files that it wrote, or `None` with the reason printed.
fn results() -> Option<BTreeMap<String, String>> {
    let needed = PROGRAMS.iter().chain(&["qemu-system-x86_64", "modprobe", "mkfs.xfs", "mkfs.ext4"]);
    let missing: Vec<&str> = needed.copied().filter(|program| on_path(program).is_none()).collect();
    let (Some((version, kernel)), true) = (kernel(), missing.is_empty()) else {
        let missing = if missing.is_empty() { "a kernel in /boot".to_owned() } else { missing.join(", ") };
        skipped(&format!("{missing} not installed; `cargo xtask setup` installs it"));
        return None;
    };
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let root = dir.path().join("root");
    copy_program(&program(), &root);
    PROGRAMS.iter().for_each(|program| copy_program(&on_path(program).unwrap(), &root));
    copy_modules(&version, &root);
    crate::common::script(&root.join("init"), INIT);
    let archive = dir.path().join("archive");
    pack(&root, &archive);
    let ext4 = "-q -F -O quota,project -E quotatype=usrquota:grpquota:prjquota";
    let ext4: Vec<&str> = ["mkfs.ext4"].into_iter().chain(ext4.split(' ')).collect();
    let drives = [
        image(dir.path(), "xfs", 400 << 20, &["mkfs.xfs", "-q", "-f"]),
        image(dir.path(), "ext4", 200 << 20, &ext4),
        image(dir.path(), "out", 8 << 20, &[]),
    ];
    let mut machine = Command::new("qemu-system-x86_64");
    machine.args("-accel tcg -cpu max -m 1024 -smp 2 -nographic -no-reboot -nic none".split(' '));
    machine.arg("-kernel").arg(kernel).arg("-initrd").arg(&archive);
    machine.args(["-append", "console=ttyS0 quiet panic=-1"]);
    machine.args(drives.iter().flat_map(|drive| ["-drive", drive]));
    let ran = run_for(&mut machine, MACHINE);
    let out = dir.path().join("results");
    fs::create_dir(&out).unwrap();
    let unpacked = attempt(
        "tar",
        &["-xf", &dir.path().join("out").display().to_string(), "-C", &out.display().to_string()],
    );
    assert!(unpacked.is_ok() && out.join("left").exists(), "{unpacked:?} {ran:#?}");
    let read = |entry: fs::DirEntry| {
        let text = String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned();
        (entry.file_name().to_string_lossy().into_owned(), text)
    };
    let files: BTreeMap<String, String> = fs::read_dir(out).unwrap().flatten().map(read).collect();
    let shown = files.iter().filter(|(name, _)| !name.ends_with(".jsonl"));
    shown.for_each(|(name, text)| println!("{name}:\n{text}"));
    Some(files)
}

/// The phases of a run by name, with the status and the output if it did not end with `status`.
fn phases(files: &BTreeMap<String, String>, run: &str, status: &str) -> BTreeMap<String, Value> {
    let file = |end: &str| files.get(&format!("{run}.{end}")).map_or("", |text| text.trim());
    assert_eq!(file("status"), status, "{run}:\n{}\n{}", file("out"), file("err"));
    let records = file("jsonl").lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let phases = records.filter(|record| record["record"] == "phase");
    phases.map(|phase| (phase["phase"].as_str().unwrap().to_owned(), phase)).collect()
}

/// The use of a quota that is kept: nothing beyond the limit, and all ranks rejected.
fn assert_kept(run: &str, phase: &Value, limit: u64, errno: i32) {
    let (name, used) = (phase["phase"].as_str().unwrap(), &phase["quota"]);
    let number = |field: &str| used[field].as_u64().unwrap_or_else(|| panic!("{run} {name}: {used}"));
    let full = number("used_before") + number("accepted_max");
    assert!(number("limit") == limit && full <= limit, "{run} {name}: {used}");
    assert!(number("shown") <= limit && used["lag_s"].is_number(), "{run} {name}: {used}");
    let rejections = used["rejections"].as_array().unwrap();
    assert!(rejections.iter().all(|rejection| rejection["errno"] == errno), "{run} {name}: {used}");
    if name != "truncate" {
        let ranks: u64 = rejections.iter().filter_map(|rejection| rejection["ranks"].as_u64()).sum();
        assert!(ranks == 2 && used["last_rejection_s"].is_number(), "{run} {name}: {used}");
        // A transfer that does not fit is rejected, and the file system counts blocks of its own.
        let room = if limit == INODES { 0 } else { 5 * (64 << 10) };
        assert!(full + room >= limit, "{run} {name}: {used}");
        assert!(number("soft") == limit / 2 && number("grace_ends_unix_s") > 0, "{run} {name}: {used}");
        assert_eq!(number("grace_s"), 7 * 24 * 3600, "{run} {name}: the usual grace of Linux");
    }
}

#[test]
fn quotas_of_xfs_and_ext4_reject_at_the_limit_and_accounting_without_enforcement_is_found() {
    if !only_in_all("it starts a virtual machine with the kernel of a package") {
        return;
    }
    let Some(files) = results() else { return };
    for fs in ["xfs", "ext4"] {
        for (of, id) in [("user", 1001), ("group", 2001), ("project", 42)] {
            let run = format!("{fs}-{of}");
            let phases = phases(&files, &run, "0");
            // XFS reports a full project like a full disk.
            let errno = if run == "xfs-project" { 28 } else { 122 };
            for name in ["write", "truncate", "rewrite", "create"] {
                let phase = &phases[name];
                assert_eq!((&phase["quota"]["of"], &phase["quota"]["id"]), (&of.into(), &id.into()), "{run}");
                let limit = if name == "create" { INODES } else { LIMIT };
                assert_kept(&run, phase, limit, errno);
            }
            assert!(phases["others"]["ops"] == 1 && phases["others"]["repetition"] == 3, "{run}");
        }
        let phases = phases(&files, &format!("{fs}-fsync"), "0");
        assert_kept(fs, &phases["write"], LIMIT, 122);
        assert!(phases["write"]["persisted_each"] == true && !phases.contains_key("create"));
    }
    assert!(phases(&files, "ext4-root", "2").is_empty());
    assert!(files["ext4-root.err"].contains("this process may exceed limits"), "{}", files["ext4-root.err"]);
    let off = phases(&files, "ext4-off", "4");
    let used = &off["write"]["quota"];
    assert!(used["rejections"] == serde_json::json!([]) && used["last_rejection_s"].is_null(), "{used}");
    assert!(used["accepted_max"].as_u64() > Some(LIMIT) && used["soft"] == SOFT, "{used}");
    let left = &files["left"];
    assert!(!left.contains("assay-quota"), "{left}");
}
