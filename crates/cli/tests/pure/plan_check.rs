//! `assay plan check`: the jobs of a plan with their commands, and their estimated duration.

use std::fs;

use crate::common::campaign::Place;

const TESTS: &str = r#"
[[test]]
id = "W"
ior = "-w -e -F -t 64k -b 512k"
repetitions = 3
criterion = { metric = "write.bw", op = ">=", value = "256 KiB/s" }
[[test]]
id = "U"
ior = "-w -e -F -t 64k -b 512k"
repetitions = 2
role = "reported"
"#;

#[test]
fn a_checked_plan_lists_its_jobs_with_commands_and_what_each_estimate_rests_on() {
    let place = Place::new();
    let launch = "[launch]\nkind = \"mpirun\"\nargv = [\"mpirun\", \"-n\", \"{ranks}\", \"{cmd}\"]\n";
    place.plan(&format!("{launch}{TESTS}"));
    let text = place.assay("plan check p.toml").out;
    // 1 MiB at 256 KiB/s, and the start of the job.
    assert!(text.contains("W: 3 jobs, 2 ranks  5.00 s (threshold)"), "{text}");
    assert!(text.contains("U: 2 jobs, 2 ranks  unknown"), "{text}");
    assert!(
        text.contains("mpirun -n 2 assay ior -w -e -F -t 64k -b 512k -l stamped -o {dir}/data"),
        "{text}"
    );
    assert!(text.contains("estimated duration: at least 15.0 s (threshold)"), "{text}");
    assert!(text.contains("duration not known, or only in part: U\n"), "{text}");
    assert!(text.contains("time limits of all jobs together, which --submit requests: 7.5 min"), "{text}");
}

#[test]
fn an_earlier_campaign_replaces_the_thresholds_of_an_estimate() {
    let place = Place::new();
    place.plan(TESTS);
    place.campaign();
    let text = place.assay(&format!("plan check p.toml --rates {}", place.folder().display())).out;
    let line = |begin: &str| text.lines().find(|line| line.trim().starts_with(begin)).unwrap_or_default();
    assert!(line("W: ").ends_with("(time of the earlier campaign)"), "{text}");
    assert!(line("U: ").ends_with("(time of the earlier campaign)"), "{text}");
    let total = line("estimated duration: ");
    assert!(!total.contains("at least") && total.ends_with("(time of the earlier campaign)"), "{text}");

    // Another amount takes another time, so only the rate is used.
    let plan = fs::read_to_string(place.path("p.toml")).unwrap();
    fs::write(place.path("p.toml"), plan.replace("-b 512k", "-b 4m")).unwrap();
    let text = place.assay(&format!("plan check p.toml --rates {}", place.folder().display())).out;
    assert_eq!(text.matches("(rate of the earlier campaign)").count(), 3, "{text}");

    let ran = place.assay("plan check p.toml --rates nowhere");
    assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
}
