//! A rejected plan has all of its errors at once, without those that follow from another.

use plan::{Choice, Plan};

use super::HEAD;

/// The errors of a plan with these tables, each without the name of the file.
fn errors(rest: &str) -> Vec<String> {
    let text = format!("{HEAD}{rest}");
    let errors = Plan::check(&text, "p.toml", &Choice::default()).expect_err(&text);
    errors.all().iter().map(|error| error.0.strip_prefix("p.toml:").unwrap().to_owned()).collect()
}

#[test]
fn errors_of_several_tests_and_several_errors_of_a_test_are_reported_together_in_order() {
    let found = errors(
        "[[test]]\nid = \"A\"\nior = \"-w\"\nrepetition = 3\n\
         [[test]]\nid = \"B\"\nior = \"-w\"\ntimeout = \"10\"\nranks = 0\n\
         criterion = { metric = \"read.bw\", op = \">=\", value = \"1 GB/s\" }\n\
         [dataset.d]\nior = \"-r\"\n",
    );
    assert_eq!(
        found,
        [
            "7:1: unknown key `repetition`. Did you mean `repetitions`?",
            "11:11: test B: timeout: `10` has no unit. Write for example `30 s`.",
            "12:9: test B: ranks is 0. It must be at least 1.",
            "13:24: test B: the command line does not yield `read.bw`. Its phases are write.",
            "15:7: dataset.d: the command line writes nothing. Add -w.",
        ]
    );
}

#[test]
fn what_refers_to_a_rejected_part_is_not_rejected_for_that() {
    let reader = |id: &str, keys: &str| format!("[[test]]\nid = \"{id}\"\nior = \"-r -k\"\n{keys}\n");
    let reported = "role = \"reported\"";
    let found = errors(&format!(
        "[dataset.d]\nior = \"-w\"\n[state.aged]\nage = \"/d\"\n[known.k]\nvalue = \"1\"\nsource = \"s\"\n\
         [[test]]\nid = \"W\"\nior = \"-w -k -x\"\ntimeout = \"1 B\"\n{reported}\n{}{}{}",
        reader("R", &format!("uses = \"W\"\n{reported}")),
        reader("S", &format!("uses = \"dataset.d\"\nstates = [\"aged\"]\n{reported}")),
        "[[test]]\nid = \"X\"\nior = \"-w\"\ncriterion = [\n\
         { metric = \"write.bw\", op = \">=\", value = \"50% of W.write.bw\" },\n\
         { metric = \"write.bw\", op = \">=\", value = \"50% of known.k\" },\n]\n",
    ));
    let places: Vec<&str> = found.iter().map(|error| error.split(": ").next().unwrap()).collect();
    assert_eq!(places, ["5:7", "7:7", "8:1", "14:11"], "{found:#?}");
}

#[test]
fn an_error_of_the_defaults_and_of_a_phase_at_each_step_is_reported_once() {
    let test = |id: &str| format!("[[test]]\nid = \"{id}\"\nior = \"-w\"\nrole = \"reported\"\n");
    let found = errors(&format!("[defaults]\ntimeout = \"10\"\n{}{}", test("A"), test("B")));
    assert_eq!(found, ["5:11: test A: timeout: `10` has no unit. Write for example `30 s`."]);
    let found = errors(
        "[clients]\ndelivered = 9\n[[series]]\nid = \"S\"\nover = \"nodes\"\nsteps = [\"2\", \"4\"]\n\
         [[series.phases]]\nid = \"w\"\nior = \"-w -k\"\n\
         [[series.phases]]\nid = \"r\"\nuses = \"w\"\nior = \"-r -k\"\n\
         cov_max = \"1 s\"\nrole = \"reported\"\n",
    );
    assert_eq!(
        found,
        [
            "11:6: test S.n2.w has no criterion. Add one, or `role = \"reported\"` to measure without a \
             verdict.",
            "17:11: test S.n2.r: cov_max: `1 s` does not fit. Write for example `10 %`.",
        ]
    );
}

#[test]
fn a_rejected_head_file_system_or_launcher_hides_no_other_error_and_causes_none() {
    let test = "[[test]]\nid = \"T\"\nior = \"-w\"\nnodes = \"90%\"\nrole = \"reported\"\nwarm_up = 0\n";
    let found = errors(&format!("[clients]\ndeliverd = 8\n[launch]\nkind = \"slurm\"\n{test}"));
    let places: Vec<&str> = found.iter().map(|error| error.split(": ").next().unwrap()).collect();
    assert_eq!(places, ["5:1", "7:8", "13:11"], "{found:#?}");
    let found = errors(&format!("[fs.other]\ndir = \"\"\n[clients]\ndelivered = 8\n{test}"));
    let places: Vec<&str> = found.iter().map(|error| error.split(": ").next().unwrap()).collect();
    assert_eq!(places.len(), 2, "{found:#?}");
}

#[test]
fn unknown_parameters_are_reported_together_and_hide_no_other_error() {
    let found = errors(
        "parameters.block = \"1g\"\n[[test]]\nid = \"A\"\nior = \"-w -b ${blok}\"\ntimeout = \"1 B\"\n\
         [[test]]\nid = \"B\"\nior = \"-w -b ${bloc}\"\n[[test]]\nid = \"C\"\nior = \"-w\"\n",
    );
    let places: Vec<&str> = found.iter().map(|error| error.split(": ").next().unwrap()).collect();
    assert_eq!(places, ["7:14", "11:14", "13:6"], "{found:#?}");
}

#[test]
fn the_number_of_printed_errors_is_limited() {
    let test = |number: usize| format!("[[test]]\nid = \"T{number}\"\nior = \"-w\"\n");
    let text = format!("{HEAD}{}", (0..50).map(test).collect::<String>());
    let errors = Plan::check(&text, "p.toml", &Choice::default()).unwrap_err();
    let lines = errors.lines();
    assert_eq!((errors.all().len(), lines.len(), lines[20].as_str()), (50, 21, "and 30 more errors"));
    assert_eq!(Plan::parse(&text, "p.toml").unwrap_err(), *errors.first());
}
