//! Jobs that died without a result run again: as the plan wants, or on request after the verdicts.

use std::fs;
use std::path::Path;

use crate::campaign_stopped_anywhere::killed_at;
use crate::common::campaign::{Place, codes_of, data_of, json, names, there};

/// Starts local ranks. As long as the file `deaths` has lines, a job takes the first one away: the words of
/// the line are its error output, and it ends with status 9 without a result.
const LAUNCHER: &str = r#"
ranks=$1; shift
program=$1; shift
if [ -s "$DEATHS" ]; then
    head -n 1 "$DEATHS" >&2
    sed -i 1d "$DEATHS"
    exit 9
fi
exec "$program" -n "$ranks" "$@"
"#;
const NODE: &str = "srun: error: Node failure on n3\n";

/// A place with a plan of two repetitions whose first jobs die with these lines.
fn dying(deaths: &str, launch: &str, tests: &str) -> Place {
    let place = Place::new();
    fs::write(place.path("launch.sh"), LAUNCHER).unwrap();
    fs::write(place.path("deaths"), deaths).unwrap();
    let (script, deaths) = (place.path("launch.sh"), place.path("deaths"));
    place.plan(&format!(
        "[launch]\nkind = \"mpirun\"\nargv = [\"sh\", {script:?}, \"{{ranks}}\", \"{{cmd}}\"]\n\
         env = {{ DEATHS = {deaths:?} }}\nprobe = false\n{launch}\n{tests}"
    ));
    place
}

const WRITE: &str = r#"
[[test]]
id = "W"
ior = "-w -e -F -t 64k -b 128k"
repetitions = 2
criterion = { metric = "write.bw", stat = "max", op = ">=", value = "1 B/s" }
"#;

fn jobs(folder: &Path) -> Vec<String> {
    names(&folder.join("jobs"))
}

#[test]
fn a_job_that_died_with_a_node_runs_again_as_often_as_the_plan_allows_and_each_attempt_is_listed() {
    let place = dying(&NODE.repeat(2), "attempts = 2", WRITE);
    let ran = place.campaign();
    let folder = place.folder();
    assert!(ran.err.contains("  1/2  W                  1  runs again: a node failed"), "{ran:#?}");
    assert!(ran.err.contains("  2/2  W                  2  write"), "{ran:#?}");
    let all = ["0001-W-r1", "0001-W-r1.killed-1", "0001-W-r1.killed-2", "0002-W-r2"];
    assert_eq!(jobs(&folder), all, "{ran:#?}");
    assert_eq!(place.outcomes(), ["W PASS"], "{ran:#?}");
    let summary = json(&folder.join("summary.json"));
    let died = &summary["course"]["died"];
    assert_eq!(died[1]["folder"], "jobs/0001-W-r1.killed-2", "{summary:#}");
    assert_eq!(died[1]["why"], "a node failed");
    assert_eq!(data_of(&summary["findings"], "died-repeated")["why"], "a node failed");
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(
        page.contains("Died attempt")
            && ran
                .out
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .contains("Died attempt: jobs/0001-W-r1.killed-1: a node failed"),
        "{ran:#?}"
    );
    // Every attempt is evidence.
    assert_eq!(place.whole_jobs(&folder), 2);
    fs::write(folder.join("jobs/0001-W-r1.killed-1/stderr.txt"), "nothing happened").unwrap();
    let ran = place.assay(&format!("verify {}", folder.display()));
    assert_eq!(ran.status, Some(3), "{ran:#?}");
}

#[test]
fn a_test_may_have_its_own_number_of_attempts_or_that_of_all_tests() {
    for (of_all, own, repeated) in [
        ("", "attempts = 1", 1),
        ("attempts = 1", "attempts = \"\"", 0),
        ("attempts = 1", "env = { X = \"1\" }", 1),
        ("", "env = { X = \"1\" }", 0),
    ] {
        let place = dying(NODE, of_all, "");
        let plan = fs::read_to_string(place.path("p.toml")).unwrap();
        let argv = plan.lines().find(|line| line.starts_with("argv = ")).unwrap();
        let launch = format!("launch = {{ kind = \"mpirun\", {argv}, {own} }}\nid = \"W\"");
        let test = WRITE.replace("id = \"W\"", &launch).replace("repetitions = 2", "repetitions = 1");
        fs::write(place.path("p.toml"), format!("{plan}{test}")).unwrap();
        let ran = place.campaign();
        assert_ne!(ran.status, Some(2), "{ran:#?}");
        assert_eq!(jobs(&place.folder()).len(), 1 + repeated, "{of_all}, {own}: {ran:#?}");
    }
}

#[test]
fn a_job_with_a_result_or_without_attempts_left_is_not_repeated() {
    let place = dying(&NODE.repeat(2), "attempts = 1", WRITE);
    place.campaign();
    assert_eq!(jobs(&place.folder()), ["0001-W-r1", "0001-W-r1.killed-1", "0002-W-r2"]);
    assert_eq!(place.codes(), ["job-failed"]);

    // Status 9 alone, or a rejection by the launcher, is no death.
    let place = dying("no such partition\n", "attempts = 3", WRITE);
    place.campaign();
    assert_eq!(jobs(&place.folder()), ["0001-W-r1", "0002-W-r2"]);

    // Wrong data, and a time limit, are results.
    let wrong = "[[test]]\nid = \"W\"\nior = \"-w -k -e -t 64k -b 128k -G 3\"\nrole = \"reported\"\n\
                 repetitions = 1\n[[test]]\nid = \"R\"\nuses = \"W\"\nrepetitions = 1\n\
                 ior = \"-R -k -t 64k -b 128k -G 3\"\n\
                 setup = [\"printf x | dd of={dir}/data conv=notrunc bs=1 seek=70000\"]\n\
                 criterion = { metric = \"read_check.errors\", op = \"==\", value = \"0 errors\" }\n";
    let place = dying("", "attempts = 3", wrong);
    let ran = place.campaign();
    assert_eq!(jobs(&place.folder()), ["0001-W-r1", "0002-R-r1"], "{ran:#?}");
    assert_eq!(place.outcomes(), ["R FAIL"]);
}

#[test]
fn a_job_without_a_result_is_repeated_on_request_and_the_repetition_needs_a_waiver() {
    let place = dying(NODE, "", WRITE);
    place.campaign();
    assert_eq!(place.codes(), ["job-failed"]);
    let folder = place.folder();
    let at = folder.display().to_string();
    let ran = place.assay(&format!("run --extend {at} --repeat W --reason cable"));
    assert_eq!(jobs(&folder), ["0001-W-r1", "0001-W-r1.killed-1", "0002-W-r2"], "{ran:#?}");
    assert_eq!(place.outcomes(), ["W PASS"], "{ran:#?}");
    // It is no look: only the planned repetitions are evaluated, with the confidence of the plan.
    let findings = json(&folder.join("summary.json"))["findings"].clone();
    assert!(!codes_of(&findings).contains(&"unplanned-looks"), "{findings:#}");
    assert!(
        data_of(&findings, "asked-repeated")["why"].as_str().unwrap().ends_with(": cable"),
        "{findings:#}"
    );
    assert_eq!(ran.status, Some(3), "it needs a waiver: {ran:#?}");
    let extension = json(&folder.join("look-1-extension.json"));
    assert_eq!((&extension["jobs"][0], &extension["repeat"][0]), (&"jobs/0001-W-r1".into(), &"W".into()));
    assert!(!extension["user"].as_str().unwrap().is_empty());
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("Repeated on request") && page.contains("Reason: cable"));
    assert_eq!(place.whole_jobs(&folder), 2);
    let judged = place.assay(&format!("judge {at}"));
    assert_eq!(judged.status, ran.status, "{judged:#?}");
}

#[test]
fn a_result_is_never_replaced_on_request() {
    let place = dying(NODE, "", &format!("{WRITE}{}", WRITE.replace("\"W\"", "\"V\"")));
    place.campaign();
    let folder = place.folder();
    let at = folder.display().to_string();
    let chain = fs::read(folder.join("chain.jsonl")).unwrap();
    for (words, why) in [
        ("--repeat V --reason c", "every job of test V has a result, so none is repeated."),
        ("--repeat X --reason c", "has no test `X`"),
        ("--reason c", "--extend needs --repetitions N"),
        ("--repeat W", "--reason"),
        ("--repeat W --repetitions 2 --reason c", "cannot be used with"),
    ] {
        let ran = place.assay(&format!("run --extend {at} {words}"));
        assert!(ran.status == Some(2) && ran.err.contains(why), "{words}: {ran:#?}");
        assert_eq!(fs::read(folder.join("chain.jsonl")).unwrap(), chain, "{words}");
    }
}

#[test]
fn a_campaign_killed_while_it_sets_attempts_aside_resumes_with_all_of_them() {
    if !there("strace") {
        return;
    }
    let evidence = ["0001-W-r1", "0001-W-r1.killed-1", "0002-W-r2"];
    let resumed = |place: &Place, when: &str| {
        let at = place.folder().display().to_string();
        let ran = place.assay(&format!("run --resume {at}"));
        let had_ended = ran.err.contains("has ended, so nothing is left to resume.");
        assert!(had_ended || [Some(0), Some(3)].contains(&ran.status), "{when}: {ran:#?}");
        assert_eq!(place.outcomes(), ["W PASS"], "{when}: {ran:#?}");
        let all = jobs(&place.folder());
        assert!(evidence.iter().all(|job| all.iter().any(|name| name == job)), "{when}: {all:?}");
        assert_eq!(place.whole_jobs(&at), 2, "{when}");
    };
    for number in [2, 3, 4, 5] {
        let place = dying(NODE, "", WRITE);
        place.campaign();
        let at = place.folder().display().to_string();
        let words = format!("run --extend {at} --repeat W --reason cable");
        assert!(killed_at(&place, &words, "renameat", number), "{number}");
        resumed(&place, &format!("a request, killed at renameat {number}"));
    }
    // The plan, the facts, the machine, the job that died, and its two other names.
    for number in [4, 5, 6, 7] {
        let place = dying(NODE, "attempts = 1", WRITE);
        assert!(killed_at(&place, "run p.toml --dir dir --campaigns dir", "renameat", number), "{number}");
        resumed(&place, &format!("attempts, killed at renameat {number}"));
    }
}
