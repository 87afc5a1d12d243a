//! File systems on a loop device, and those above the directories of another one.

use std::fs;

use super::{IMAGE_BYTES, OwnDirectory};
use crate::common::system::done;

impl OwnDirectory {
    /// Makes a file system in an image and mounts it at `dir`.
    pub(super) fn loop_device(&self, mkfs: &str, options: &[&str], dir: &str) {
        let (image, dir) = (self.text("image"), self.directory(dir));
        fs::File::create_new(&image).unwrap().set_len(IMAGE_BYTES).unwrap();
        done(mkfs, &[options, &[&image]].concat());
        done("mount", &["-o", "loop", &image, &dir]);
    }

    pub(super) fn overlay(&self) {
        self.loop_device("mkfs.ext4", &["-q", "-F"], "below");
        let [lower, upper, work] =
            ["lower", "upper", "work"].map(|dir| self.directory(&format!("below/{dir}")));
        let options = format!("lowerdir={lower},upperdir={upper},workdir={work}");
        done("mount", &["-t", "overlay", "-o", &options, "overlay", &self.text("m")]);
    }

    pub(super) fn mergerfs(&self) {
        let [one, two] = ["one", "two"].map(|dir| self.directory(dir));
        done("mergerfs", &[&format!("{one}:{two}"), &self.text("m")]);
        self.wait_for_mount("m");
    }
}
