//! A campaign with a job that hangs in the kernel and cannot be killed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common;
use crate::common::campaign::{Place, names, signal, there, until};

/// A small file system on a loop device that tests freeze and thaw. Only root can create it.
struct Loop(PathBuf);

impl Loop {
    /// Mounts one over `dir`. `None`, with the reason printed, if that is not allowed.
    fn mount(image: &Path, dir: &Path) -> Option<Self> {
        if !there("mkfs.ext4") || !there("fsfreeze") {
            return None;
        }
        fs::File::create(image).unwrap().set_len(32 << 20).unwrap();
        let done = |command: &mut Command| {
            let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
            status.is_ok_and(|status| status.success())
        };
        assert!(done(Command::new("mkfs.ext4").arg("-qF").arg(image)));
        if done(Command::new("mount").args(["-o", "loop"]).arg(image).arg(dir)) {
            return Some(Self(dir.to_owned()));
        }
        common::campaign::skipped("mounting a loop device is not allowed here; run the tests as root");
        None
    }

    fn thaw(&self) {
        let _ = Command::new("fsfreeze").arg("-u").arg(&self.0).stderr(Stdio::null()).status();
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        self.thaw();
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_job_that_hangs_in_the_kernel_is_reported_and_keeps_its_locks_after_the_campaign() {
    let place = Place::new();
    let Some(frozen) = Loop::mount(&place.path("image"), &place.dir()) else { return };
    let (freeze, dir) = (place.path("freeze"), place.dir());
    fs::write(&freeze, "").unwrap();
    fs::create_dir(place.path("c")).unwrap();
    place.plan(&format!(
        "[[test]]\nid = \"A\"\nranks = 1\ntimeout = \"5 s\"\n\
         criterion = {{ metric = \"step.bw\", op = \">=\", value = \"1 GB/s\" }}\n[test.app]\n\
         argv = [\"sh\", \"-c\", '''if rm {freeze}; then fsfreeze -f {dir}; echo > {dir}/f; fi; \
         echo 'rate: 5 GB/s' ''']\n\
         metrics = {{ \"step.bw\" = {{ line = 'rate: ([0-9.]+) GB/s', unit = \"GB/s\" }} }}\n",
        freeze = freeze.display(),
        dir = dir.display(),
    ));
    let mut campaign = place.start("run p.toml --dir dir --campaigns c");
    let err = || fs::read_to_string(place.path("err")).unwrap();
    until("a message on the process", || err().contains("hangs in the kernel"));
    let process = err().split(": process ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    assert!(stat.contains(") D "), "{stat}");
    assert!(campaign.try_wait().unwrap().is_none(), "the campaign waits");
    signal("-INT", campaign.id());
    assert_eq!(campaign.wait().unwrap().code(), Some(3), "{}", err());
    assert!(err().contains("stopped after 0 of 1 jobs"), "{}", err());
    let folder = format!("c/{}", names(&place.path("c"))[0]);
    let ran = place.assay(&format!("run --resume {folder}"));
    assert!(ran.status == Some(2) && ran.err.contains("still works on this campaign"), "{ran:#?}");
    frozen.thaw();
    let mut ran = ran;
    until("the end of the job that hung", || {
        ran = place.assay(&format!("run --resume {folder}"));
        !ran.err.contains("still works on this campaign")
    });
    assert!(ran.passed(), "{ran:#?}");
    assert!(place.assay(&format!("verify {folder}")).ok().contains("is intact: 1 job, 1 killed attempt"));
}
