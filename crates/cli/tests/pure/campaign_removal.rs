//! Files of a job that cannot be removed after it: this is tried again at the end of the campaign.

use std::fs;
use std::path::PathBuf;

use crate::common::Ran;
use crate::common::campaign::{Place, SmallFs, names, shell_test};

/// What is printed when files remain after their job, and at the end.
const LATER: &str =
    "The files there were not removed. This is tried again at the end, or when the campaign resumes.";
const BY_HAND: &str = "The files there were not removed. Remove them by hand.";

/// Size of the ext4.
const BYTES: u64 = 64 << 20;

/// A campaign on an ext4, whose first job leaves a file that not even root can remove (`chattr +i`).
struct Left {
    place: Place,
    ran: Ran,
    file: PathBuf,
    _mounted: SmallFs,
}

impl Left {
    /// Runs it. The second job runs the command `then`, where `$FILE` is that file. `None`, with the reason
    /// printed, if this machine cannot.
    fn run(then: &str) -> Option<Self> {
        let place = Place::new();
        let mounted = SmallFs::on_loop(&place.dir(), &place.path("image"), BYTES)?;
        fs::remove_dir(place.dir().join("lost+found")).unwrap();
        let known = place.path("known").display().to_string();
        let leaving =
            format!("echo kept > {{dir}}/kept; chattr +i {{dir}}/kept; echo {{dir}}/kept > {known}");
        let tests = [shell_test("A", &leaving), shell_test("B", &format!("FILE=$(cat {known}); {then}"))];
        place.plan(&tests.concat());
        fs::create_dir(place.path("c")).unwrap();
        let ran = place.assay("run p.toml --dir dir --campaigns c");
        let file = PathBuf::from(fs::read_to_string(known).unwrap().trim_end());
        Some(Self { place, ran, file, _mounted: mounted })
    }

    /// How often a text was printed with the path of the file's directory.
    fn printed(&self, text: &str) -> usize {
        let directory = self.file.parent().unwrap().display().to_string();
        self.ran.err.lines().filter(|line| line.contains(&directory) && line.contains(text)).count()
    }

    /// Asserts that both tests PASS, and that the campaign and its evidence are complete.
    fn assert_passed(&self) {
        assert!(self.ran.passed(), "{:#?}", self.ran);
        let folder = self.place.path("c").join(&names(&self.place.path("c"))[0]);
        let name = format!("c/{}", folder.file_name().unwrap().display());
        assert_eq!(self.place.outcomes_in(&name), ["A PASS", "B PASS"], "{:#?}", self.ran);
        assert_eq!(self.place.whole_jobs(folder), 2);
    }
}

#[test]
fn files_that_cannot_be_removed_after_their_job_are_removed_at_the_end() {
    let Some(left) = Left::run("[ -e $FILE ] || exit 1; chattr -i $FILE") else { return };
    left.assert_passed();
    assert_eq!((left.printed(LATER), left.printed(BY_HAND)), (1, 0), "{:#?}", left.ran);
    assert_eq!(names(&left.place.dir()), Vec::<String>::new(), "{:#?}", left.ran);
}

#[test]
fn files_that_cannot_be_removed_at_the_end_either_are_reported_and_change_no_verdict() {
    let Some(left) = Left::run("[ -e $FILE ] || exit 1") else { return };
    left.assert_passed();
    assert_eq!((left.printed(LATER), left.printed(BY_HAND)), (1, 1), "{:#?}", left.ran);
    assert_eq!(fs::read_to_string(&left.file).unwrap(), "kept\n");
    // The directory has only this file and what is above it.
    let job = left.file.parent().unwrap();
    assert_eq!(names(job), ["kept"], "{:#?}", left.ran);
}
