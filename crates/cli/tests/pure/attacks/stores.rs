//! File systems that lie on files, on directories of others, or in memory.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::WRITE;
use crate::common::campaign::{Place, data_of, json, names, skipped};

/// A mount that is removed at the end.
struct Unmounted<'a>(&'a Path);

impl Drop for Unmounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

/// Mounts something over `root`. `None`, with the reason printed, if that is not allowed.
fn mounted<'a>(words: &[&str], root: &'a Path) -> Option<Unmounted<'a>> {
    fs::create_dir(root).unwrap();
    let done = Command::new("mount").args(words).arg(root).stderr(Stdio::null()).status();
    let is_done = done.is_ok_and(|status| status.success());
    if !is_done {
        skipped("mounting is not allowed here; run the tests as root");
    }
    is_done.then_some(Unmounted(root))
}

/// The data of the finding about what the file system of `root` lies on, and its severity.
fn found(place: &Place, root: &Path, keys: &str) -> (String, serde_json::Value) {
    let evidence = place.path("evidence");
    let _ = fs::remove_dir_all(&evidence);
    fs::create_dir(&evidence).unwrap();
    place.plan(WRITE);
    let plan = fs::read_to_string(place.path("p.toml")).unwrap();
    fs::write(place.path("p.toml"), plan.replace("\"{dir}\"", &format!("\"{{dir}}\"{keys}"))).unwrap();
    let ran = place.assay(&format!("run p.toml --dir {} --campaigns evidence", root.display()));
    let folder = evidence.join(names(&evidence).pop().unwrap_or_else(|| panic!("{ran:#?}")));
    let summary = json(&folder.join("summary.json"));
    let mut all = summary["findings"].as_array().unwrap().iter();
    let severity = all.find(|one| one["reason"]["code"] == "backing-store").unwrap()["severity"].clone();
    let severity = severity.as_str().unwrap().to_owned();
    let data = data_of(&summary["findings"], "backing-store").clone();
    let out = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(out.contains(data["layers"][0].as_str().unwrap()), "{data}: {out}");
    (severity, data)
}

/// An image with a file system in `dir`.
fn image(dir: &Path) -> String {
    let image = dir.join("image");
    fs::File::create(&image).unwrap().set_len(64 << 20).unwrap();
    let made = Command::new("mkfs.ext4").args(["-q", "-F"]).arg(&image).status();
    assert!(made.is_ok_and(|status| status.success()));
    image.display().to_string()
}

#[test]
fn a_file_system_in_a_file_names_the_file_and_needs_a_waiver_or_a_plan_that_names_it() {
    let place = Place::new();
    let (image, root) = (image(&place.path(".")), place.path("root"));
    let Some(_mounted) = mounted(&["-o", "loop", &image], &root) else { return };
    let (severity, data) = found(&place, &root, "");
    assert_eq!((severity.as_str(), &data["how"]), ("needs-waiver", &"loop".into()), "{data}");
    let file = fs::canonicalize(&image).unwrap().display().to_string();
    assert!(data["layers"][0].as_str().unwrap().starts_with(&format!("loop: {file} on ")), "{data}");
    assert_eq!(found(&place, &root, ", backing = \"loop\"").0, "info");
}

#[test]
fn a_file_system_in_a_file_in_memory_needs_a_waiver_also_if_the_plan_names_it() {
    let (place, memory) = (Place::new(), tempfile::tempdir_in("/dev/shm").unwrap());
    let (image, root) = (image(memory.path()), place.path("root"));
    let Some(_mounted) = mounted(&["-o", "loop", &image], &root) else { return };
    let (severity, data) = found(&place, &root, ", backing = \"loop\"");
    assert_eq!((severity.as_str(), &data["how"]), ("needs-waiver", &"memory".into()), "{data}");
}

#[test]
fn a_file_system_in_a_file_below_another_mount_needs_a_waiver_also_if_the_plan_names_it() {
    let (place, decoy) = (Place::new(), tempfile::tempdir().unwrap());
    let (dir, root) = (place.path("images"), place.path("root"));
    let Some(_memory) = mounted(&["-t", "tmpfs", "none"], &dir) else { return };
    let dir = dir.join("deep");
    fs::create_dir(&dir).unwrap();
    let Some(_mounted) = mounted(&["-o", "loop", &image(&dir)], &root) else { return };
    fs::File::create(decoy.path().join("image")).unwrap().set_len(64 << 20).unwrap();
    let cover = Command::new("mount").arg("--bind").args([decoy.path(), &dir]).status();
    assert!(cover.is_ok_and(|status| status.success()));
    let _cover = Unmounted(&dir);
    let (severity, data) = found(&place, &root, ", backing = \"loop\"");
    assert_eq!(severity, "needs-waiver", "{data}");
    assert!(data["layers"][0].as_str().unwrap().ends_with(" on an unknown file system"), "{data}");
}

#[test]
fn an_overlay_names_its_directories_and_one_in_memory_needs_a_waiver() {
    let (place, memory) = (Place::new(), tempfile::tempdir_in("/dev/shm").unwrap());
    for (dir, wanted) in [(place.path("."), "info"), (memory.path().to_owned(), "needs-waiver")] {
        let dir = dir.canonicalize().unwrap();
        for name in ["lower", "upper", "work"] {
            fs::create_dir(dir.join(name)).unwrap();
        }
        let path = |name: &str| dir.join(name).display().to_string();
        let root = place.path(&format!("root-{wanted}"));
        let options =
            format!("lowerdir={},upperdir={},workdir={}", path("lower"), path("upper"), path("work"));
        let Some(_mounted) = mounted(&["-t", "overlay", "-o", &options, "none"], &root) else { return };
        let (severity, data) = found(&place, &root, "");
        assert_eq!(severity, wanted, "{data}");
        let first = data["layers"][0].as_str().unwrap();
        assert!(first.starts_with(&format!("overlay: {} on ", path("upper"))), "{data}");
    }
}
