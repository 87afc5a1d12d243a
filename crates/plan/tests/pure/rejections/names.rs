//! Plans whose tests of names, or whose states, cannot work.

use plan::Plan;

use super::{HEAD, rejection, test_with};

fn accepted(rest: &str) -> Plan {
    Plan::parse(&format!("{HEAD}{rest}"), "p.toml").expect(rest)
}

/// A test M that makes names, and a test T behind it.
fn and(keys: &str) -> String {
    let made = "[[test]]\nid = \"M\"\nmdtest = \"-C -F -n 5\"\nrole = \"reported\"\n";
    format!("{made}{}", test_with(&format!("{keys}\nrole = \"reported\"")))
}

/// A test of mdtest with a criterion.
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
fn a_test_of_names_is_checked_as_one_of_data() {
    for (rest, error) in [
        (
            test_with("role = \"reported\""),
            "p.toml:5:6: test T has no line; give one as `ior`, `fdtree`, `flash_io`, `ls_lr`, `mdtest`, \
             `mpi_io`, `app`",
        ),
        (
            test_with("ior = \"-w\"\nmdtest = \"-n 5\"\nrole = \"reported\""),
            "p.toml:7:10: test T: `mdtest` is its second line; make it a test of its own",
        ),
        (
            test_with("mdtest = \"-n 5 -d /scratch\"\nrole = \"reported\""),
            "p.toml:6:10: test T: `-d /scratch` lies outside the campaign's own directory; leave it out, or \
             begin it with `{dir}/`",
        ),
        (
            asked("file_creation.bw", "1 GB/s"),
            "p.toml:7:24: test T: `file_creation.bw`: mdtest measures no such thing of a phase; write \
             `rate`, operations from the common start to the common end, or `latency.p99`",
        ),
        (
            asked("directory_stat.rate", "1/s"),
            "p.toml:7:24: test T: the line yields no `directory_stat.rate`: its phases are \
             tree_creation, \
             file_creation, file_stat, file_read, file_removal, tree_removal",
        ),
        (
            test_with("mdtest = \"-T -F -n 5\"\nrole = \"reported\""),
            "p.toml:6:10: test T: works on names that nobody made; add `uses` with the id of the test that \
             makes them",
        ),
        (and("uses = \"M\"\nior = \"-r -k\""), "p.toml:11:7: test T: ior cannot work on the files of test M"),
        (
            and("uses = \"M\"\nranks = 2\nmdtest = \"-T -F -n 5\""),
            "p.toml:12:10: test T: test M was made by 1 rank, and this test looks for the names of 2 ranks; \
             give both as many",
        ),
        (
            and("uses = \"M\"\nmdtest = \"-r -F -n 5\"").replace("\"T\"", "\"R\"")
                + &test_with("uses = \"M\"\nmdtest = \"-T -F -n 5\"\nrole = \"reported\""),
            "p.toml:16:10: test T: test R removes the files of test M before",
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

/// A test of mpi_io with a criterion.
fn cases(line: &str, metric: &str, value: &str) -> String {
    test_with(&format!(
        "mpi_io = \"{line}\"\ncriterion = {{ metric = \"{metric}\", op = \"==\", value = \"{value}\" }}"
    ))
}

#[test]
fn only_cases_are_counted_of_a_conformance_suite_and_of_nothing_else() {
    let launch = |argv: &str| format!("launch = {{ kind = \"mpirun\", argv = {argv} }}\n");
    for (rest, error) in [
        (
            cases("", "cases.rate", "1/s"),
            "p.toml:7:24: test T: `cases.rate`: mpi-io counts cases by their outcome; write `fail`, `pass`, \
             `unsupported`, `skipped` or `library`",
        ),
        (
            asked("file_stat.pass", "1 cases"),
            "p.toml:7:24: test T: `file_stat.pass`: mdtest has no cases; only mpi_io counts them by their \
             outcome",
        ),
        (
            cases("--only posix.*", "open.fail", "0 cases"),
            "p.toml:7:24: test T: the line yields no `open.fail`: its phases are cases, posix",
        ),
        (
            cases("", "posix.failed", "0 cases"),
            "p.toml:7:24: test T: no metric `failed`; did you mean `fail`?",
        ),
        (
            launch("[\"sh\", \"-c\", \"{cmd}\", \"{ranks}\"]") + &cases("", "cases.fail", "0 cases"),
            "p.toml:7:10: test T: it starts ranks again where a case took them along; let launch.argv end \
             with `{cmd}`",
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
fn errors_can_be_asked_only_of_phases_that_compare_data() {
    for (rest, error) in [
        (
            asked("file_read.errors", "0 errors"),
            "p.toml:7:24: test T: `file_read.errors`: only -X compares what -e reads; add it",
        ),
        (
            asked("file_creation.errors", "0 errors"),
            "p.toml:7:24: test T: `file_creation.errors`: only --verify-write compares what -w writes; add \
             it, or compare with -E and -X",
        ),
        (
            asked("file_stat.errors", "0 errors"),
            "p.toml:7:24: test T: `file_stat.errors`: data is compared by reading it; write \
             `file_read.errors`, with -E and -X",
        ),
    ] {
        assert_eq!(rejection(&rest), error);
    }
    accepted(&asked("file_read.errors", "0 errors").replace("-n 5", "-n 5 -X -w 8 -e 8"));
    accepted(&asked("file_creation.errors", "0 errors").replace("-n 5", "-n 5 --verify-write -w 8"));
}

#[test]
fn names_that_would_be_gone_or_were_never_made_are_rejected() {
    for (rest, error) in [
        (
            and("uses = \"M\"\nrepetitions = 3\nmdtest = \"-r -F -n 5\""),
            "p.toml:12:10: test T: removes the files of test M in 3 repetitions, and 1 made them; give both \
             as many",
        ),
        (
            and("uses = \"M\"\nmdtest = \"-T -F -n 5\"").replace("-C", "-W 3 -C"),
            "p.toml:11:10: test T: test M may be stopped by -W before all its names are there; give both \
             lines -x {dir}/made",
        ),
        (
            and("uses = \"M\"\nmdtest = \"-T -F -n 5 -x {dir}/made\"").replace("-C", "-W 3 -C"),
            "p.toml:11:10: test T: test M may be stopped by -W before all its names are there; give both \
             lines -x {dir}/made",
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

/// The names of one line of mdtest, looked at by another.
fn looked_at(made: &str, looks: &str) -> String {
    and(&format!("uses = \"M\"\nmdtest = \"{looks}\"")).replace("-C -F -n 5", made)
}

#[test]
fn names_that_the_line_of_their_maker_cannot_have_made_are_rejected() {
    let value = |letter: &str, there: u32, asked: u32| {
        format!(
            "test M was made with -{letter} {there}, and this line looks for names of -{letter} {asked}; \
             give both the same"
        )
    };
    for (made, looks, why) in [
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
            "test M was made with -u, so its names are others; add it to this line".into(),
        ),
        (
            "-C -F -n 5",
            "-T -F -n 5 -S",
            "test M was made without -S, so its names are others; take it from this line".into(),
        ),
        (
            "-C -F -n 5",
            "-T -n 5",
            "test M made no directories, which `directory_stat` needs; add -F here, or make them there"
                .into(),
        ),
        (
            "-C -D -n 5",
            "-T -n 5 --operations link",
            "test M made no files, which `file_stat` needs; add -D here, or make them there".into(),
        ),
    ] {
        assert_eq!(
            rejection(&looked_at(made, looks)),
            format!("p.toml:11:10: test T: {why}"),
            "{made}: {looks}"
        );
    }
    for (made, looks) in [
        ("-C -F -n 5", "-T -F -n 4 -b 3 -L -N 1"),
        ("-C -F -n 5 -u -N 1", "-T -F -n 5 -u -N 1"),
        ("-C -n 5", "-T -D -n 5"),
        ("-C -F -n 5 -i 3", "-E -F -n 5"),
        ("-C -F -n 5 -x {dir}/made", "-T -F -n 6 -x {dir}/made"),
        ("-C -F -n 9 -I 3 -z 1 -b 2 -u", "-T -F -n 6 -I 3 -z 1 -b 2 -u"),
    ] {
        accepted(&looked_at(made, looks));
    }
}

#[test]
fn an_operation_on_files_cannot_be_asked_of_a_line_of_directories() {
    let line = asked("file_link.rate", "1/s").replace("-F -n 5", "-n 5 -D --operations=link");
    assert_eq!(
        rejection(&line),
        "p.toml:7:24: test T: the line yields no `file_link.rate`: its phases are tree_creation, \
         directory_creation, directory_stat, directory_rename, directory_removal, tree_removal"
    );
    accepted(&asked("directory_listing.rate", "1/s").replace("-F -n 5", "-n 5 -D --operations=list"));
}

#[test]
fn a_state_of_preload_says_only_what_counts_and_says_it_once() {
    for (rest, error) in [
        (
            state("preload = 5\nranks = 3"),
            "p.toml:6:9: state.s: `ranks` has no effect on `preload`, which the test itself makes; give it \
             there",
        ),
        (
            state("preload = 5\ntimeout = \"1 h\""),
            "p.toml:6:11: state.s: `timeout` has no effect on `preload`, which the test itself makes; give \
             it there",
        ),
        (
            state("preload = 5")
                + "[state.t]\npreload = 6\n"
                + &reported("mdtest = \"-n 2\"\nstates = [\"s\", \"t\"]"),
            "p.toml:11:16: test T: state.t and state.s both say how full its directories are; leave one out",
        ),
        (
            state("preload = 5") + &reported("mdtest = \"-n 2 --preload 6\"\nstates = [\"s\"]"),
            "p.toml:9:11: test T: state.s and --preload of the line say the same; leave one out",
        ),
    ] {
        assert_eq!(rejection(&rest), error);
    }
}

#[test]
fn states_that_cannot_be_or_that_a_test_cannot_need_are_rejected() {
    let either = "write one of `age = \"--blocks 80% --inodes 20%\"`, `preload = 1000000`, \
         and `degrade` with `restore`";
    for (rest, error) in [
        (state(""), format!("p.toml:4:1: state.s: {either}")),
        (state("age = \"--blocks 80%\"\npreload = 5"), format!("p.toml:4:1: state.s: {either}")),
        (state("preload = 0"), "p.toml:5:11: state.s: preload is 0; it must be at least 1".into()),
        (
            state("age = \"--blocks 80% --remove\""),
            "p.toml:5:7: state.s: `--remove` is not for a campaign; leave it out".into(),
        ),
        (
            state("age = \"/scratch --blocks 80%\""),
            "p.toml:5:7: state.s: give options only, such as `--blocks 80% --inodes 20%`; the directory \
             is the campaign's"
                .into(),
        ),
        (
            reported("fdtree = \"-l 2\"\nstates = [\"aged\"]"),
            "p.toml:7:11: test T: no [state.aged]; there is none".into(),
        ),
        (
            state("preload = 5") + &reported("fdtree = \"-l 2\"\nstates = [\"s\"]"),
            "p.toml:9:11: test T: state.s fills the directories of an mdtest line that creates (-C)".into(),
        ),
        (
            state("age = \"--blocks 80%\"") + &reported("fdtree = \"-l 2\"\nstates = [\"s\", \"s\"]"),
            "p.toml:9:16: test T: state.s stands here twice".into(),
        ),
        (
            state("age = \"--blocks 80%\"")
                + "[state.t]\nage = \"--blocks 95%\"\n"
                + &reported("fdtree = \"-l 2\"\nstates = [\"s\", \"t\"]"),
            "p.toml:11:16: test T: state.t would be made on top of state.s, which is then another \
             state"
                .into(),
        ),
    ] {
        assert_eq!(rejection(&rest), error);
    }
}

#[test]
fn a_test_among_those_of_a_state_that_is_not_to_run_on_it_is_rejected() {
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
                      between is not to run on it; put the tests of state.s one after the other";
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
