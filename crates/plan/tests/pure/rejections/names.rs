//! Plans whose metadata tests or states cannot work.

use plan::Plan;
use plan::line::Line;

use super::{HEAD, rejection, test_with};

fn accepted(rest: &str) -> Plan {
    Plan::parse(&format!("{HEAD}{rest}"), "p.toml").expect(rest)
}

/// A test M that creates files, and a test T after it.
fn and(keys: &str) -> String {
    let made = "[[test]]\nid = \"M\"\nmdtest = \"-C -F -n 5\"\nrole = \"reported\"\n";
    format!("{made}{}", test_with(&format!("{keys}\nrole = \"reported\"")))
}

/// An mdtest test with a criterion.
fn asked(metric: &str, value: &str) -> String {
    test_with(&format!(
        "mdtest = \"-F -n 5\"\n\
         criterion = {{ metric = \"{metric}\", op = \">\", value = \"{value}\" }}"
    ))
}

fn state(keys: &str) -> String {
    format!("[state.s]\n{keys}\n")
}

fn reported(keys: &str) -> String {
    test_with(&format!("{keys}\nrole = \"reported\""))
}

#[test]
fn a_metadata_test_is_checked_like_an_ior_test() {
    for (rest, error) in [
        (
            test_with("role = \"reported\""),
            "p.toml:5:6: test T has no command line. Give one as `ior`, `fdtree`, `flash_io`, `ls_lr`, \
             `md_workbench`, `mdtest`, `mpi_io`, `pfind`, `quota`, `app`.",
        ),
        (
            test_with("ior = \"-w\"\nmdtest = \"-n 5\"\nrole = \"reported\""),
            "p.toml:7:10: test T: `mdtest` is a second command line. Write it as a separate test.",
        ),
        (
            test_with("mdtest = \"-n 5 -d /scratch\"\nrole = \"reported\""),
            "p.toml:6:10: test T: `-d /scratch` lies outside the campaign's own directory. Leave it out, \
             or begin it with `{dir}/`.",
        ),
        (
            asked("file_creation.bw", "1 GB/s"),
            "p.toml:7:24: test T: `file_creation.bw`: mdtest does not measure this for a phase. Write \
             `rate`, operations from the common start to the common end, or `latency.p99`.",
        ),
        (
            asked("directory_stat.rate", "1/s"),
            "p.toml:7:24: test T: the command line does not yield `directory_stat.rate`. Its phases are \
             tree_creation, file_creation, file_stat, file_read, file_removal, tree_removal.",
        ),
        (
            test_with(
                "md_workbench = \"\"\ncriterion = { metric = \"benchmark_stat.node.min\", op = \">=\", \
                 value = \"1/s\" }",
            ),
            "p.toml:7:24: test T: `benchmark_stat.node.min`: the work of single ranks is not recorded for \
             this phase",
        ),
        (
            test_with("mdtest = \"-T -F -n 5\"\nrole = \"reported\""),
            "p.toml:6:10: test T: no test created the files that it works on. Add `uses` with the id of \
             the test that creates them.",
        ),
        (and("uses = \"M\"\nior = \"-r -k\""), "p.toml:11:7: test T: ior cannot work on the files of test M"),
        (
            and("uses = \"M\"\nranks = 2\nmdtest = \"-T -F -n 5\""),
            "p.toml:12:10: test T: test M ran on 1 rank, but this test needs the files of 2 ranks. Give \
             both the same number.",
        ),
        (
            and("uses = \"M\"\nmdtest = \"-r -F -n 5\"").replace("\"T\"", "\"R\"")
                + &test_with("uses = \"M\"\nmdtest = \"-T -F -n 5\"\nrole = \"reported\""),
            "p.toml:16:10: test T: test R already removes the files of test M",
        ),
    ] {
        assert_eq!(rejection(&rest), error);
    }
    let whole = and("uses = \"M\"\nmdtest = \"-T -F -n 5\"");
    let plan = accepted(&whole);
    let jobs = plan::schedule::jobs(&plan, &[]).unwrap();
    assert_eq!((jobs[1].workload, jobs[1].words.join(" ")), ("mdtest", "-T -F -n 5 -d {dir}/mdtest".into()));
    assert_eq!((jobs[0].files.as_str(), jobs[1].files.as_str()), ("tests/M-r1", "tests/M-r1"));
}

#[test]
fn a_metric_of_a_quota_is_only_for_the_steps_that_have_it() {
    for (rest, error) in [
        (
            asked("file_stat.overshoot_inodes", "1 count"),
            "p.toml:7:24: test T: `file_stat.overshoot_inodes`: `quota` has this for create",
        ),
        (
            test_with(
                "quota = \"--of group\"\ncriterion = { metric = \"create.overshoot_bytes\", op = \"<=\", \
                 value = \"1 B\" }",
            ),
            "p.toml:7:24: test T: `create.overshoot_bytes`: `quota` has this for write, truncate, rewrite",
        ),
    ] {
        assert_eq!(rejection(&rest), error);
    }
}

/// An mpi_io test with a criterion.
fn cases(line: &str, metric: &str, value: &str) -> String {
    test_with(&format!(
        "mpi_io = \"{line}\"\ncriterion = {{ metric = \"{metric}\", op = \"==\", value = \"{value}\" }}"
    ))
}

#[test]
fn only_a_conformance_suite_counts_cases_and_it_counts_nothing_else() {
    let launch = |argv: &str| format!("launch = {{ kind = \"mpirun\", argv = {argv} }}\n");
    for (rest, error) in [
        (
            cases("", "cases.rate", "1/s"),
            "p.toml:7:24: test T: `cases.rate`: mpi-io counts cases by outcome. Write `fail`, `pass`, \
             `unsupported`, `skipped`, `library` or `undecided`.",
        ),
        (
            asked("file_stat.pass", "1 cases"),
            "p.toml:7:24: test T: `file_stat.pass`: mdtest has no cases. Only mpi_io counts cases by \
             outcome.",
        ),
        (
            cases("--only posix.*", "open.fail", "0 cases"),
            "p.toml:7:24: test T: the command line does not yield `open.fail`. Its phases are cases, \
             posix.",
        ),
        (
            cases("", "posix.failed", "0 cases"),
            "p.toml:7:24: test T: unknown metric `failed`. Did you mean `fail`?",
        ),
        (
            launch("[\"sh\", \"-c\", \"{cmd}\", \"{ranks}\"]") + &cases("", "cases.fail", "0 cases"),
            "p.toml:7:10: test T: it starts its ranks again after a failed case. Let launch.argv end with \
             `{cmd}`.",
        ),
    ] {
        assert_eq!(rejection(&rest), error);
    }
    let plan = accepted(&cases("--only posix.* --only open.*", "open.fail", "0 cases"));
    assert_eq!(plan.tests[0].criteria[0].to_string(), "max == 0 cases");
    let plan = accepted(&cases("", "cases.pass", "27 cases"));
    assert_eq!(plan.tests[0].criteria[0].to_string(), "min == 27 cases");
}

#[test]
fn errors_are_a_metric_of_every_phase() {
    for (key, line) in [
        ("ior", "-w -r"),
        ("mdtest", "-F -n 5"),
        ("fdtree", "-d 2"),
        ("ls_lr", "--make --walk"),
        ("md_workbench", "-P 5"),
    ] {
        for phase in Line::parse(key, line).unwrap().phases() {
            let plan = accepted(&test_with(&format!(
                "{key} = \"{line}\"\n\
                 criterion = {{ metric = \"{phase}.errors\", op = \"==\", value = \"0 errors\" }}"
            )));
            assert_eq!(plan.tests[0].criteria[0].to_string(), "max == 0 errors", "{phase}");
        }
    }
}

#[test]
fn failures_of_a_cleanup_are_a_metric_only_if_it_is_known_what_exists() {
    let asked = |options: &str, metric: &str| {
        test_with(&format!(
            "md_workbench = \"-P 9 {options}\"\n\
             criterion = {{ metric = \"{metric}\", op = \"==\", value = \"0 errors\" }}"
        ))
    };
    for options in ["-w 30", "--start-item 4"] {
        let error = rejection(&asked(options, "cleanup.failures"));
        let why = "`cleanup.failures`: it is unknown which objects exist at the end. Add -W to -w, and leave \
                   out --start-item.";
        assert!(error.ends_with(why), "{error}");
        accepted(&asked(options, "benchmark.failures"));
    }
    for options in ["", "-w 30 -W", "-I 20"] {
        accepted(&asked(options, "cleanup.failures"));
    }
}

#[test]
fn tests_on_files_that_are_removed_or_never_created_are_rejected() {
    for (rest, error) in [
        (
            and("uses = \"M\"\nrepetitions = 3\nmdtest = \"-r -F -n 5\""),
            "p.toml:12:10: test T: removes the files of test M in 3 repetitions, but 1 created them. Give \
             both as many.",
        ),
        (
            and("uses = \"M\"\nmdtest = \"-T -F -n 5\"").replace("-C", "-W 3 -C"),
            "p.toml:11:10: test T: -W may stop test M before all its files exist. Give both command lines \
             -x {dir}/made.",
        ),
        (
            and("uses = \"M\"\nmdtest = \"-T -F -n 5 -x {dir}/made\"").replace("-C", "-W 3 -C"),
            "p.toml:11:10: test T: -W may stop test M before all its files exist. Give both command lines \
             -x {dir}/made.",
        ),
    ] {
        assert_eq!(rejection(&rest), error);
    }
    for rest in [
        and("uses = \"M\"\nrepetitions = 3\nmdtest = \"-T -F -n 5\""),
        and("uses = \"M\"\nmdtest = \"-r -F -n 5\"").replace("-C", "-C -W 0"),
        and("uses = \"M\"\nmdtest = \"-T -F -n 5 -x {dir}/made\"").replace("-C", "-W 3 -x {dir}/made -C"),
        and("uses = \"M\"\nrepetitions = 3\nmdtest = \"-r -F -n 5\"")
            .replace("id = \"M\"", "id = \"M\"\nrepetitions = 3"),
    ] {
        accepted(&rest);
    }
}

/// The files of one mdtest command line, used by another.
fn used_by(made: &str, reader: &str) -> String {
    and(&format!("uses = \"M\"\nmdtest = \"{reader}\"")).replace("-C -F -n 5", made)
}

#[test]
fn a_test_on_files_that_their_maker_cannot_have_created_is_rejected() {
    let value = |letter: &str, there: u32, asked: u32| {
        format!(
            "test M ran with -{letter} {there}, but this command line has -{letter} {asked}. Use the same \
             value in both."
        )
    };
    for (made, reader, why) in [
        ("-C -F -n 5", "-T -F -n 6", value("n", 5, 6)),
        ("-C -F -n 8 -z 1 -b 2", "-T -F -n 7 -z 1 -b 2", value("n", 8, 7)),
        ("-C -F -I 5 -z 1 -b 3", "-T -F -I 5 -z 1 -b 2", value("b", 3, 2)),
        ("-C -F -I 5", "-T -F -I 6", value("I", 5, 6)),
        ("-C -F -n 5", "-T -F -n 5 -z 2", value("z", 0, 2)),
        ("-C -F -n 5 -u", "-T -F -n 5 -u -N 1", value("N", 0, 1)),
        ("-C -F -n 5 -i 2", "-T -F -n 5 -i 3", value("i", 2, 3)),
        (
            "-C -F -n 5 -u",
            "-T -F -n 5",
            "test M ran with -u, so its items have other names. Add -u here.".into(),
        ),
        (
            "-C -F -n 5",
            "-T -F -n 5 -S",
            "test M ran without -S, so its items have other names. Remove -S here.".into(),
        ),
        (
            "-C -F -n 5",
            "-T -n 5",
            "test M created no directories, but `directory_stat` needs them. Add -F here, or create them \
             there."
                .into(),
        ),
        (
            "-C -D -n 5",
            "-T -n 5 --operations link",
            "test M created no files, but `file_stat` needs them. Add -D here, or create them there.".into(),
        ),
    ] {
        assert_eq!(
            rejection(&used_by(made, reader)),
            format!("p.toml:11:10: test T: {why}"),
            "{made}: {reader}"
        );
    }
    for (made, reader) in [
        ("-C -F -n 5", "-T -F -n 4 -b 3 -L -N 1"),
        ("-C -F -n 5 -u -N 1", "-T -F -n 5 -u -N 1"),
        ("-C -n 5", "-T -D -n 5"),
        ("-C -F -n 5 -i 3", "-E -F -n 5"),
        ("-C -F -n 5 -x {dir}/made", "-T -F -n 6 -x {dir}/made"),
        ("-C -F -n 9 -I 3 -z 1 -b 2 -u", "-T -F -n 6 -I 3 -z 1 -b 2 -u"),
    ] {
        accepted(&used_by(made, reader));
    }
}

#[test]
fn a_command_line_on_directories_has_no_metric_of_files() {
    let line = asked("file_link.rate", "1/s").replace("-F -n 5", "-n 5 -D --operations=link");
    assert_eq!(
        rejection(&line),
        "p.toml:7:24: test T: the command line does not yield `file_link.rate`. Its phases are \
         tree_creation, directory_creation, directory_stat, directory_rename, directory_removal, \
         tree_removal."
    );
    accepted(&asked("directory_listing.rate", "1/s").replace("-F -n 5", "-n 5 -D --operations=list"));
}

#[test]
fn a_preload_state_has_only_keys_with_an_effect_and_is_set_once() {
    for (rest, error) in [
        (
            state("preload = 5\nranks = 3"),
            "p.toml:6:9: state.s: `ranks` has no effect with `preload`, because the test creates these \
             files. Set it there.",
        ),
        (
            state("preload = 5\ntimeout = \"1 h\""),
            "p.toml:6:11: state.s: `timeout` has no effect with `preload`, because the test creates these \
             files. Set it there.",
        ),
        (
            state("preload = 5")
                + "[state.t]\npreload = 6\n"
                + &reported("mdtest = \"-n 2\"\nstates = [\"s\", \"t\"]"),
            "p.toml:11:16: test T: state.t and state.s both set the files of its directories. Remove one.",
        ),
        (
            state("preload = 5") + &reported("mdtest = \"-n 2 --preload 6\"\nstates = [\"s\"]"),
            "p.toml:9:11: test T: state.s and --preload on the command line set the same. Remove one.",
        ),
    ] {
        assert_eq!(rejection(&rest), error);
    }
}

#[test]
fn invalid_states_and_states_that_a_test_cannot_use_are_rejected() {
    let either = "write one of `age = \"--blocks 80% --inodes 20%\"`, `preload = 1000000`, \
         and `degrade` with `restore`";
    for (rest, error) in [
        (state(""), format!("p.toml:4:1: state.s: {either}")),
        (state("age = \"--blocks 80%\"\npreload = 5"), format!("p.toml:4:1: state.s: {either}")),
        (state("preload = 0"), "p.toml:5:11: state.s: preload is 0. It must be at least 1.".into()),
        (
            state("age = \"--blocks 80% --remove\""),
            "p.toml:5:7: state.s: a campaign cannot use `--remove`. Remove it.".into(),
        ),
        (
            state("age = \"/scratch --blocks 80%\""),
            "p.toml:5:7: state.s: the campaign sets the directory. Give only options, such as `--blocks \
             80% --inodes 20%`."
                .into(),
        ),
        (
            reported("fdtree = \"-l 2\"\nstates = [\"aged\"]"),
            "p.toml:7:11: test T: no [state.aged]. There is none.".into(),
        ),
        (
            state("preload = 5") + &reported("fdtree = \"-l 2\"\nstates = [\"s\"]"),
            "p.toml:9:11: test T: state.s fills the directories of an mdtest command line that creates \
             (-C)"
                .into(),
        ),
        (
            state("age = \"--blocks 80%\"") + &reported("fdtree = \"-l 2\"\nstates = [\"s\", \"s\"]"),
            "p.toml:9:16: test T: state.s is listed twice. Remove one.".into(),
        ),
        (
            state("age = \"--blocks 80%\"")
                + "[state.t]\nage = \"--blocks 95%\"\n"
                + &reported("fdtree = \"-l 2\"\nstates = [\"s\", \"t\"]"),
            "p.toml:11:16: test T: state.t cannot be made on top of state.s, because that would change it"
                .into(),
        ),
    ] {
        assert_eq!(rejection(&rest), error);
    }
}

#[test]
fn a_test_between_those_of_a_state_that_does_not_need_it_is_rejected() {
    let states = "fs.other = { dir = \"/o\" }\ndefaults.fs = \"scratch\"\n\
                  [state.s]\nage = \"--blocks 80%\"\n[state.t]\nage = \"--blocks 95%\"\n\
                  [state.p]\npreload = 5\n";
    let plan = |tests: &[(&str, &str)]| {
        let text: Vec<String> = tests
            .iter()
            .map(|(id, keys)| {
                let keys = format!("mdtest = \"-F -n 5\"\nrole = \"reported\"\n{keys}");
                test_with(&keys).replace('T', id)
            })
            .collect();
        Plan::parse(&format!("{HEAD}{states}{}", text.concat()), "p.toml").map(drop).map_err(|error| error.0)
    };
    let (s, t) = ("states = [\"s\"]", "states = [\"t\"]");
    for between in [t, "", "states = [\"p\"]"] {
        let error = plan(&[("A", s), ("B", between), ("C", s)]).unwrap_err();
        let wanted = "test C: state.s stays on fs.scratch from its first test to this one, but test B in \
                      between does not need it. Put the tests of state.s one after the other.";
        assert!(error.ends_with(wanted), "{error}");
    }
    let elsewhere = "fs = \"other\"";
    for tests in [
        &[("A", s), ("B", "states = [\"p\", \"s\"]"), ("C", s), ("D", t), ("E", "")][..],
        &[("A", ""), ("B", s), ("C", elsewhere), ("D", s)],
    ] {
        assert_eq!(plan(tests), Ok(()));
    }
}
