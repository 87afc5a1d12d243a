//! The scripts of the page about tracking every night, run as the page shows them: only paths are replaced.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::campaign::{HEAD, Place, until};
use crate::common::slurm::Slurm;
use crate::common::{program, run, script};

/// A campaign without findings that need a waiver, so that its status is 0.
const TESTS: &str = r#"
[[test]]
id = "W"
ior = "-w -F -e -t 64k -b 128k -k -G 3"
role = "reported"
[[test]]
id = "R"
uses = "W"
ior = "-R -F -C -O numTasksOnNode0=1 -t 64k -b 128k -k -G 3 --drop-caches"
repetitions = 1
criterion = { metric = "read_check.errors", op = "==", value = "0 errors" }
"#;

/// Appends its subject and its input to a file.
const MAIL: &str = "#!/bin/sh\n{ echo \"Subject: $2\"; cat; } >> MAILS\n";

/// A user with the scripts of the page, the program on the path, and mail that ends in a file.
struct Probes {
    place: Place,
    path: String,
}

impl Probes {
    fn new() -> Self {
        let place = Place::new();
        fs::write(place.path("nightly.toml"), format!("{HEAD}{TESTS}")).unwrap();
        fs::create_dir(place.path("bin")).unwrap();
        std::os::unix::fs::symlink(program(), place.path("bin/assay")).unwrap();
        script(&place.path("bin/mail"), &MAIL.replace("MAILS", &place.path("mails").display().to_string()));
        let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap());
        let probes = Self { place, path };
        for (heading, file) in [
            ("## Write the script", "nightly.sh"),
            ("## Start it with a batch job that submits the next one", "nightly.sbatch"),
        ] {
            script(&probes.place.path(file), &probes.of_page(heading));
        }
        probes
    }

    /// The first shell block after a heading, with the paths of this place.
    fn of_page(&self, heading: &str) -> String {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/how-to/track-every-night.md");
        let page = fs::read_to_string(page).unwrap();
        let (_, rest) = page.split_once(&format!("\n{heading}\n")).expect(heading);
        let (_, block) = rest.split_once("\n```sh\n").expect("a shell block");
        let (text, _) = block.split_once("```").expect("its end");
        let home = self.place.path("").display().to_string();
        let replaced = text.replace("/home/you/probes", home.trim_end_matches('/'));
        replaced.replace("/scratch/you", &self.place.dir().display().to_string())
    }

    /// Runs the script as on another night, and gives the mails that it sent.
    fn night(&self, date: &str) -> String {
        script(&self.place.path("bin/date"), &format!("#!/bin/sh\necho {date}\n"));
        let mut command = Command::new("sh");
        run(command.arg(self.place.path("nightly.sh")).env("PATH", &self.path));
        let mails = fs::read_to_string(self.place.path("mails")).unwrap_or_default();
        let _ = fs::remove_file(self.place.path("mails"));
        mails
    }

    fn list(&self) -> String {
        self.place.assay("track list --store history.sqlite").ok()
    }
}

#[test]
fn the_script_adds_each_night_and_mails_only_a_failure_or_a_fall() {
    let probes = Probes::new();
    assert_eq!(
        probes.night("2026-11-24"),
        "",
        "{:?}",
        fs::read_to_string(probes.place.path("2026-11-24.txt"))
    );
    assert_eq!(probes.night("2026-11-25"), "");
    let list = probes.list();
    assert!(list.contains(" / p / W / write.bw ") && list.contains("  2       "), "{list}");

    // Without its folder under test the probe cannot run.
    fs::rename(probes.place.dir(), probes.place.path("away")).unwrap();
    let mails = probes.night("2026-11-26");
    let subjects: Vec<&str> = mails.lines().filter(|line| line.starts_with("Subject: ")).collect();
    let wanted = ["Subject: The probe of 2026-11-26 failed", "Subject: No point of 2026-11-26"];
    assert_eq!(subjects, wanted, "{mails}");
    assert!(mails.contains("is not a directory"), "the mail has the reason: {mails}");
    fs::rename(probes.place.path("away"), probes.place.dir()).unwrap();

    let mut fallen = "time,value,unit,test\n".to_owned();
    for night in 0..20 {
        let value = if night < 12 { 100 } else { 60 } + night % 3;
        writeln!(fallen, "{},{value},MB/s,old", 1_500_000_000 + 86_400 * night).unwrap();
    }
    fs::write(probes.place.path("old.csv"), fallen).unwrap();
    probes.place.assay("track add --store history.sqlite old.csv").ok();
    let mails = probes.night("2026-11-27");
    assert!(mails.starts_with("Subject: A rate fell\n") && mails.contains("FELL on 2017-07-2"), "{mails}");
    assert!(probes.list().contains("  3       "), "{}", probes.list());
}

#[test]
fn the_batch_job_runs_the_probe_and_submits_that_of_the_next_night() {
    let Some(slurm) = Slurm::start(1) else { return };
    let probes = Probes::new();
    let mut command = Command::new("sbatch");
    let ran = run(slurm.around(command.arg(probes.place.path("nightly.sbatch")).env("PATH", &probes.path)));
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    until("the first probe", || probes.place.path("check.txt").exists());
    until("the end of its job", || !slurm.ask("squeue -h -o %T").contains("RUNNING"));
    assert!(probes.list().contains(" / p / W / write.bw "), "{}", probes.list());
    let tomorrow = jiff::Zoned::now().tomorrow().unwrap().strftime("%Y-%m-%d").to_string();
    let waiting = slurm.ask("squeue -h -o %j,%T,%S");
    assert_eq!(waiting.trim(), format!("probe,PENDING,{tomorrow}T02:30:00"));
    assert!(!probes.place.path("mails").exists());
}
