//! External programs whose output contradicts the plan, the job, or itself. Honest ones pass.

use std::fs;

use super::{Scene, invalid, pass};
use crate::common::campaign::{json, names};

/// A test of a shell command that prints a rate and the other facts of `keys`.
fn program(shell: &str, keys: &str) -> String {
    let metrics = r#"metrics = { "step.bw" = { line = "^rate ([0-9.]+)", unit = "GB/s" } }"#;
    format!(
        "[[test]]\nid = \"P\"\nranks = 1\napp = {{ argv = [\"sh\", \"-c\", {shell:?}], {metrics}{keys} }}\n\
         criterion = {{ metric = \"step.bw\", op = \">=\", value = \"1 GB/s\" }}\n"
    )
}

const FACTS: &str = r#", tasks = "^tasks ([0-9]+)", seconds = "^took ([0-9.]+)""#;

/// The codes of the findings about what programs report.
fn about_reports(scene: &Scene) -> Vec<String> {
    let codes = scene.open_findings().into_iter().map(|(code, _)| code);
    codes.filter(|code| code.starts_with("reported-") || code == "program-changed").collect()
}

#[test]
fn a_program_that_measured_most_of_its_job_passes_as_reported_in_every_form_of_the_report() {
    let Some(scene) = Scene::new() else { return };
    let honest = program("sleep 1; echo rate 2; echo tasks 1; echo took 0.99", FACTS);
    assert_eq!(scene.verdict("", &honest), pass());
    assert_eq!(about_reports(&scene), [""; 0]);
    let evidence = scene.place.path("evidence");
    let name = names(&evidence).pop().unwrap();
    let verdicts = json(&evidence.join(&name).join("verdicts.json"));
    assert_eq!(verdicts[0]["as_reported"], true, "{verdicts:#}");
    let job = json(&evidence.join(&name).join("jobs/0001-P-r1/job.json"));
    let shell = fs::canonicalize("/bin/sh").unwrap();
    let program = &job["programs"][0];
    let hash = results::folder::sha256_of(&shell).unwrap();
    assert_eq!((program["path"].as_str(), program["sha256"].as_str()), (shell.to_str(), Some(&*hash)));
    let mark = "as reported by the program";
    let ran = scene.place.assay(&format!("report evidence/{name} --out report.html"));
    let html = fs::read_to_string(scene.place.path("report.html")).unwrap();
    let text = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_marked = text.contains("(as") && text.contains("reported by the program)");
    assert!(is_marked && html.contains(mark), "{text}");
    let csv = scene.place.assay(&format!("report evidence/{name} --csv")).out;
    assert!(csv.contains(mark), "{csv}");
}

#[test]
fn a_program_that_claims_more_time_than_its_job_took_is_invalid() {
    let Some(scene) = Scene::new() else { return };
    let long = program("echo rate 2; echo tasks 1; echo took 60", FACTS);
    assert_eq!(scene.verdict("", &long), invalid("reported-time"));
    let metric = program("echo rate 60", "").replace("GB/s", "s");
    assert_eq!(scene.verdict("", &metric), invalid("reported-time"));
}

#[test]
fn a_program_that_claims_a_thousandth_of_a_second_in_a_job_of_a_second_needs_a_waiver() {
    let Some(scene) = Scene::new() else { return };
    let short = program("sleep 1; echo rate 2; echo tasks 1; echo took 0.001", FACTS);
    assert_eq!(scene.verdict("", &short), pass());
    assert_eq!(about_reports(&scene), ["reported-short"]);
}

#[test]
fn a_program_that_claims_other_processes_than_planned_is_invalid() {
    let Some(scene) = Scene::new() else { return };
    let other = program("sleep 1; echo rate 2; echo tasks 64; echo took 1", FACTS);
    assert_eq!(scene.verdict("", &other), invalid("reported-differs"));
}

#[test]
fn a_program_that_is_replaced_between_repetitions_needs_a_waiver() {
    let Some(scene) = Scene::new() else { return };
    let file = scene.place.path("app.sh");
    fs::write(&file, "echo rate 2\necho '# again' >> \"$0\"\n").unwrap();
    let plan = program("", "").replace("\"sh\", \"-c\", \"\"", &format!("\"sh\", {file:?}"));
    let plan = plan.replace("ranks = 1", "ranks = 1\nrepetitions = 2");
    assert_eq!(scene.verdict("", &plan).0, "PASS");
    assert_eq!(about_reports(&scene), ["program-changed"]);
}

/// A test of the ior of this program as an external one. `change` is a shell command that changes its output.
fn ior(words: &str, change: &str) -> String {
    let shell = format!("{{assay}} ior {words} -v | {change}");
    format!(
        "[[test]]\nid = \"P\"\nranks = 1\napp = {{ argv = [\"sh\", \"-c\", {shell:?}], parse = \"ior\" }}\n\
         criterion = {{ metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }}\n"
    )
}

const WRITES: &str = "-w -e -F -t 1m -b 64m -o {dir}/f";

#[test]
fn an_external_ior_that_reports_what_was_planned_passes() {
    let Some(scene) = Scene::new() else { return };
    assert_eq!(scene.verdict("", &ior(WRITES, "cat")), pass());
    assert_eq!(about_reports(&scene), [""; 0]);
    let direct = format!("[\"{{assay}}\", \"ior\", {}]", quoted(&format!("{WRITES} -v")));
    let plan = ior(WRITES, "cat");
    let from = plan.find("argv = ").unwrap() + 7;
    let to = plan.find("], parse").unwrap() + 1;
    let direct = format!("{}{direct}{}", &plan[..from], &plan[to..]);
    assert_eq!(scene.verdict("", &direct), pass());
}

fn quoted(words: &str) -> String {
    words.split(' ').map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}

#[test]
fn an_output_of_ior_that_contradicts_the_plan_or_itself_is_invalid() {
    let Some(scene) = Scene::new() else { return };
    for (words, change, code) in [
        (WRITES, "sed 's/^tasks  .*/tasks               : 4/'", "reported-differs"),
        (WRITES, "sed 's/^blocksize .*/blocksize           : 1 MiB/'", "reported-differs"),
        (WRITES, "sed 's/^aggregate filesize .*/aggregate filesize  : 1 GiB/'", "reported-differs"),
        (WRITES, "sed 's/^access  .*: .*/access              : single-shared-file/'", "reported-differs"),
        ("-w -e -F -t 1m -b 64m -o /dev/shm/assay-stray", "cat", "reported-differs"),
        (WRITES, "sed -E 's/^(Max Write: +)[0-9.]+/\\15000000.00/'", "reported-rate"),
        (WRITES, "sed -E 's/^write +[0-9.]+/write 5000000.00/'", "reported-rate"),
    ] {
        assert_eq!(scene.verdict("", &ior(words, change)), invalid(code), "{words} | {change}");
    }
}

#[test]
fn an_external_ior_that_reads_its_own_data_needs_a_waiver_and_unflushed_data_is_named() {
    let Some(scene) = Scene::new() else { return };
    let plan = ior("-w -r -F -t 1m -b 64m -o {dir}/f", "cat");
    let head = plan.replace("write.bw", "read.bw");
    assert_eq!(scene.verdict("", &head), pass());
    assert_eq!(about_reports(&scene), ["reported-cached"]);
    assert_eq!(scene.verdict("", &plan), pass());
    let evidence = scene.place.path("evidence");
    let verdicts = json(&evidence.join(names(&evidence).pop().unwrap()).join("verdicts.json"));
    let warned = crate::common::campaign::codes_of(&verdicts[0]["warnings"]).contains(&"not-flushed");
    assert!(warned, "{verdicts:#}");
}

#[test]
fn an_external_mdtest_elsewhere_or_with_other_processes_is_invalid() {
    let Some(scene) = Scene::new() else { return };
    let mdtest = |words: &str, change: &str| {
        let shell = format!("{{assay}} mdtest -C -T -r -n 200 {words} | {change}");
        let plan = format!(
            "[[test]]\nid = \"P\"\nranks = 1\n\
             app = {{ argv = [\"sh\", \"-c\", {shell:?}], parse = \"mdtest\" }}\n\
             criterion = {{ metric = \"file_creation.rate\", op = \">=\", value = \"1 /s\" }}\n"
        );
        scene.verdict("", &plan)
    };
    assert_eq!(mdtest("-d {dir}/m", "cat"), pass());
    let elsewhere = tempfile::tempdir_in("/dev/shm").unwrap();
    let words = format!("-d {}", elsewhere.path().display());
    assert_eq!(mdtest(&words, "cat"), invalid("reported-differs"));
    let other = "sed 's/launched with 1 /launched with 8 /'";
    assert_eq!(mdtest("-d {dir}/m", other), invalid("reported-differs"));
}
