//! Plans that cannot work, and the line that says so before anything runs.

use campaign::Plan;

const HEAD: &str = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.scratch = { dir = \"{dir}\" }\n";

fn refusal(rest: &str) -> String {
    Plan::parse(&format!("{HEAD}{rest}"), "p.toml").expect_err(rest).0
}

fn test_with(keys: &str) -> String {
    format!("[[test]]\nid = \"T\"\n{keys}\n")
}

#[test]
fn a_whole_plan_is_accepted() {
    let plan = include_str!("../../../plans/try.toml");
    let plan = Plan::parse(plan, "try.toml").unwrap();
    assert_eq!(plan.id, "try");
    assert!(plan.needs_dir());
    assert_eq!(plan.tests[0].criteria[0].to_string(), "mean >= 50 MB/s");
}

#[test]
fn keys_and_words_that_do_not_exist_are_refused_with_the_nearest_one() {
    for (rest, error) in [
        (
            test_with("ior = \"-w\"\nrepetition = 3\nrole = \"reported\""),
            "p.toml:7:1: unknown key `repetition`, did you mean `repetitions`? Known here: id, clause, ior, \
             mdtest, fdtree, ls_lr, ranks, repetitions, uses, states, role, criterion, timeout, cov_max, \
             cache, fs, decide",
        ),
        (
            test_with("ior = \"-w\"\ncriterion = { metrik = \"write.bw\", op = \">=\", value = \"1 B/s\" }"),
            "p.toml:7:15: unknown key `metrik`, did you mean `metric`? Known here: metric, stat, op, value",
        ),
        (
            test_with("ior = \"-w\"\nrole = \"report\""),
            "p.toml:7:8: unknown word `report`, did you mean `reported`? Known here: contract, reported",
        ),
        (
            "[launch]\nkind = \"slurm\"\n".into(),
            "p.toml:5:8: unknown word `slurm`; known here: local, mpirun",
        ),
        (test_with("ior = \"-w\"\nranks = -1"), "p.toml:7:9: invalid value: integer `-1`, expected u32"),
        (
            "[[test]]\nid = \"T\"\nior = 5\n".into(),
            "p.toml:6:7: invalid type: integer `5`, expected a string",
        ),
    ] {
        assert_eq!(refusal(&rest), error);
    }
}

#[test]
fn criteria_that_no_measurement_could_meet_are_refused() {
    let criterion = |line: &str, metric: &str, op: &str, value: &str| {
        test_with(&format!(
            "ior = \"{line}\"\ncriterion = {{ metric = \"{metric}\", op = \"{op}\", value = {value} }}"
        ))
    };
    for (rest, error) in [
        (
            criterion("-w", "read.bw", ">=", "\"1 GB/s\""),
            "p.toml:7:24: test T: the line yields no `read.bw`: its phases are write",
        ),
        (
            criterion("-w", "bw", ">=", "\"1 GB/s\""),
            "p.toml:7:24: test T: metric `bw` has no phase; write for example `write.bw`",
        ),
        (
            criterion("-w", "write.bandwidth", ">=", "\"1 GB/s\""),
            "p.toml:7:24: test T: no metric `bandwidth`; there is bw, rate, iops, bytes, seconds, open, \
             latency.mean, \
             latency.p50, latency.p90, latency.p99, latency.p999, latency.max, errors, failures, cached",
        ),
        (
            criterion("-w", "write.iosp", ">=", "\"1 /s\""),
            "p.toml:7:24: test T: no metric `iosp`; did you mean `iops`?",
        ),
        (
            criterion("-w", "write.bw", ">=", "3.0"),
            "p.toml:7:55: test T: write.bw: `3` has no unit; write it as in `3.0 GB/s`",
        ),
        (
            criterion("-w", "write.bw", ">=", "\"3.0\""),
            "p.toml:7:55: test T: write.bw: `3.0` has no unit; write it as in `3.0 GB/s`",
        ),
        (
            criterion("-w", "write.bw", ">=", "\"25000/s\""),
            "p.toml:7:55: test T: write.bw: `25000/s` does not measure that; write it as in `3.0 GB/s`",
        ),
        (
            criterion("-w", "write.bw", "=>", "\"1 GB/s\""),
            "p.toml:7:41: test T: `=>` is no comparison; known are >= <= > < ==",
        ),
        (
            criterion("-w", "write.errors", "==", "\"0 errors\""),
            "p.toml:7:24: test T: `write.errors`: only -W and -R compare data; their metric is \
             `write_check.errors`",
        ),
        (
            test_with("ior = \"-w\""),
            "p.toml:5:6: test T has no criterion; add one, or `role = \"reported\"` to measure without \
             judging",
        ),
    ] {
        assert_eq!(refusal(&rest), error);
    }
}

#[test]
fn readers_of_nothing_and_files_that_would_be_gone_are_refused() {
    let data = |line: &str| format!("[dataset.d]\nior = \"{line}\"\n");
    let reader = |keys: &str| test_with(&format!("{keys}\nrole = \"reported\""));
    for (rest, error) in [
        (
            reader("ior = \"-r\""),
            "p.toml:6:7: test T: reads files that nobody wrote; add `uses = \"dataset.NAME\"` or a \
             test's id, or -w",
        ),
        (
            data("-w -k") + &reader("uses = \"dataset.dd\"\nior = \"-r -k\""),
            "p.toml:8:8: test T: no [dataset.dd]; did you mean `d`?",
        ),
        (
            reader("uses = \"dataset.d\"\nior = \"-r -k\""),
            "p.toml:6:8: test T: no [dataset.d]; there is none",
        ),
        (
            reader("uses = \"T\"\nior = \"-r -k\""),
            "p.toml:6:8: test T: uses `T`, which is no test above this one; there is none",
        ),
        (
            data("-w"),
            "p.toml:5:7: dataset.d: IOR removes its files at the end of the line; add -k to keep them \
             for the readers",
        ),
        (data("-r -k"), "p.toml:5:7: dataset.d: the line writes nothing; add -w"),
        (
            data("-w -k -D 3"),
            "p.toml:5:7: dataset.d: -D without -O stoneWallingWearOut=1 leaves files of unequal size to \
             the readers; \
             add it",
        ),
        (
            data("-w -k") + &reader("uses = \"dataset.d\"\nior = \"-r\""),
            "p.toml:9:7: test T: IOR removes files it has read; add -k, they belong to others too",
        ),
        (
            data("-w -k -F") + &reader("uses = \"dataset.d\"\nior = \"-r -k\""),
            "p.toml:9:7: test T: dataset.d was written with another file layout; give -F to both or to none",
        ),
        (
            data("-w -k -b 1m") + &reader("uses = \"dataset.d\"\nior = \"-r -k -b 2m\""),
            "p.toml:9:7: test T: reads 2.00 MiB of each file by 1 ranks, but dataset.d has 1.00 MiB by 1",
        ),
        (
            data("-w -k -D 3 -O stoneWallingWearOut=1") + &reader("uses = \"dataset.d\"\nior = \"-r -k\""),
            "p.toml:9:7: test T: dataset.d may be stopped by -D before it is full; give both lines \
             -O stoneWallingStatusFile={dir}/pairs",
        ),
    ] {
        assert_eq!(refusal(&rest), error);
    }
}

#[test]
fn counts_names_and_durations_that_make_no_sense_are_refused() {
    let reported = |keys: &str| test_with(&format!("ior = \"-w\"\nrole = \"reported\"\n{keys}"));
    for (rest, error) in [
        (reported("ranks = 0"), "p.toml:8:9: test T: ranks is 0; it must be at least 1"),
        (reported("repetitions = 0"), "p.toml:8:15: test T: repetitions is 0; it must be at least 1"),
        (
            reported("timeout = \"10\""),
            "p.toml:8:11: test T: timeout: `10` has no unit; write for example `10 MB/s`, `10/s` or `10 s`",
        ),
        (
            reported("timeout = \"10 MB\""),
            "p.toml:8:11: test T: timeout: `10 MB` does not fit; write for example `30 s`",
        ),
        (reported("fs = \"home\""), "p.toml:8:6: test T: no [fs.home]; there is scratch"),
        (reported("") + &reported(""), "p.toml:10:6: test T stands here for the second time; ids are unique"),
        (
            "[[test]]\nid = \"a/b\"\nior = \"-w\"\n".into(),
            "p.toml:5:6: `a/b`: a test's id names files, so it consists of letters, digits, `-`, `_` and `.`",
        ),
        (
            reported("decide = { rule = \"mean\", confidence = 95.0 }"),
            "p.toml:8:40: confidence lies between 0.5 and 1, such as 0.95",
        ),
        (
            "[[test]]\nid = \"T\"\nior = \"write fast\"\n".into(),
            "p.toml:6:7: test T: `write` is not an option; an IOR line consists of `-x [value]` words",
        ),
        (String::new(), "p.toml: a plan needs at least one [[test]]"),
        (
            "[launch]\nkind = \"local\"\nargv = [\"mpirun\"]\n".into(),
            "p.toml:6:8: launch.kind `local` takes no `argv`; use `mpirun` or leave it out",
        ),
        (
            "[clients]\ndelivered = 0\n".into(),
            "p.toml:5:13: clients.delivered is 0; say how many client nodes the contract delivers",
        ),
    ] {
        assert_eq!(refusal(&rest), error);
    }
    let error =
        Plan::parse("schema = 2\nplan = { id = \"p\", title = \"t\" }\nfs.a = { dir = \"d\" }\n", "q.toml");
    assert_eq!(error.unwrap_err().0, "q.toml:1:10: this program reads plans of `schema = 1`");
}

#[test]
fn a_test_of_names_is_checked_as_one_of_data() {
    let made = "[[test]]\nid = \"M\"\nmdtest = \"-C -F -n 5\"\nrole = \"reported\"\n";
    let and = |keys: &str| format!("{made}{}", test_with(&format!("{keys}\nrole = \"reported\"")));
    let asked = |metric: &str, value: &str| {
        test_with(&format!(
            "mdtest = \"-F -n 5\"\n\
             criterion = {{ metric = \"{metric}\", op = \">\", value = \"{value}\" }}"
        ))
    };
    for (rest, error) in [
        (
            test_with("role = \"reported\""),
            "p.toml:5:6: test T has no line; give one as `ior`, `fdtree`, `ls_lr`, `mdtest`",
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
            asked("file_read.errors", "0 errors"),
            "p.toml:7:24: test T: `file_read.errors`: only -X compares what -e reads; add it",
        ),
        (
            asked("file_creation.errors", "0 errors"),
            "p.toml:7:24: test T: `file_creation.errors`: only --verify-write compares what -w writes; add it, \
             or compare by reading, with -E and -X",
        ),
        (
            asked("file_stat.errors", "0 errors"),
            "p.toml:7:24: test T: `file_stat.errors`: data is compared by reading it; write \
             `file_read.errors`, with -E and -X",
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
            "p.toml:12:10: test T: test M was made by 1 ranks, whose names this test's 2 ranks do not have",
        ),
        (
            and("uses = \"M\"\nmdtest = \"-r -F -n 5\"").replace("\"T\"", "\"R\"")
                + &test_with("uses = \"M\"\nmdtest = \"-T -F -n 5\"\nrole = \"reported\""),
            "p.toml:16:10: test T: test R removes the files of test M before",
        ),
        (
            and("uses = \"M\"\nrepetitions = 3\nmdtest = \"-r -F -n 5\""),
            "p.toml:12:10: test T: its 3 repetitions remove the files of test M, which are there 1 times; give \
             both as many",
        ),
        (
            and("uses = \"M\"\nmdtest = \"-T -F -n 5\"").replace("-C", "-W 3 -C"),
            "p.toml:11:10: test T: test M may be stopped by -W before all its names are there; give both lines \
             -x {dir}/made",
        ),
        (
            and("uses = \"M\"\nmdtest = \"-T -F -n 5 -x {dir}/made\"").replace("-C", "-W 3 -C"),
            "p.toml:11:10: test T: test M may be stopped by -W before all its names are there; give both lines \
             -x {dir}/made",
        ),
    ] {
        assert_eq!(refusal(&rest), error);
    }
    for accepted in [
        asked("file_read.errors", "0 errors").replace("-n 5", "-n 5 -X -w 8 -e 8"),
        asked("file_creation.errors", "0 errors").replace("-n 5", "-n 5 --verify-write -w 8"),
        and("uses = \"M\"\nrepetitions = 3\nmdtest = \"-T -F -n 5\""),
        and("uses = \"M\"\nmdtest = \"-r -F -n 5\"").replace("-C", "-C -W 0"),
        and("uses = \"M\"\nmdtest = \"-T -F -n 5 -x {dir}/made\"").replace("-C", "-W 3 -x {dir}/made -C"),
        and("uses = \"M\"\nrepetitions = 3\nmdtest = \"-r -F -n 5\"")
            .replace("id = \"M\"", "id = \"M\"\nrepetitions = 3"),
    ] {
        Plan::parse(&format!("{HEAD}{accepted}"), "p.toml").expect(&accepted);
    }
    let whole = and("uses = \"M\"\nmdtest = \"-T -F -n 5\"");
    let plan = Plan::parse(&format!("{HEAD}{whole}"), "p.toml").unwrap();
    let jobs = campaign::schedule::jobs(&plan, &[]).unwrap();
    assert_eq!((jobs[1].workload, jobs[1].words.join(" ")), ("mdtest", "-T -F -n 5 -d {dir}/mdtest".into()));
    assert_eq!((jobs[0].files.as_str(), jobs[1].files.as_str()), ("tests/M-r1", "tests/M-r1"));
}

#[test]
fn states_that_cannot_be_or_that_a_test_cannot_need_are_refused() {
    let state = |keys: &str| format!("[state.s]\n{keys}\n");
    let test = |keys: &str| test_with(&format!("{keys}\nrole = \"reported\""));
    let either = "write either `age = \"--blocks 80% --inodes 20%\"` or `preload = 1000000`";
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
            state("preload = 5\nranks = 3"),
            "p.toml:6:9: state.s: `ranks` has no effect on `preload`, which the test itself makes; give it there"
                .into(),
        ),
        (
            state("preload = 5\ntimeout = \"1 h\""),
            "p.toml:6:11: state.s: `timeout` has no effect on `preload`, which the test itself makes; give it \
             there"
                .into(),
        ),
        (
            state("preload = 5")
                + "[state.t]\npreload = 6\n"
                + &test("mdtest = \"-n 2\"\nstates = [\"s\", \"t\"]"),
            "p.toml:11:16: test T: state.t and state.s both say how full its directories are; leave one out"
                .into(),
        ),
        (
            state("preload = 5") + &test("mdtest = \"-n 2 --preload 6\"\nstates = [\"s\"]"),
            "p.toml:9:11: test T: state.s and --preload of the line say the same; leave one out".into(),
        ),
        (
            test("fdtree = \"-l 2\"\nstates = [\"aged\"]"),
            "p.toml:7:11: test T: no [state.aged]; there is none".into(),
        ),
        (
            state("preload = 5") + &test("fdtree = \"-l 2\"\nstates = [\"s\"]"),
            "p.toml:9:11: test T: state.s fills the directories of an mdtest line that creates (-C)".into(),
        ),
        (
            state("age = \"--blocks 80%\"") + &test("fdtree = \"-l 2\"\nstates = [\"s\", \"s\"]"),
            "p.toml:9:16: test T: state.s stands here twice".into(),
        ),
        (
            state("age = \"--blocks 80%\"") + "[state.t]\nage = \"--blocks 95%\"\n"
                + &test("fdtree = \"-l 2\"\nstates = [\"s\", \"t\"]"),
            "p.toml:11:16: test T: state.t would be made on top of state.s, which is then another state".into(),
        ),
    ] {
        assert_eq!(refusal(&rest), error);
    }
}

#[test]
fn a_test_among_those_of_a_state_that_is_not_to_run_on_it_is_refused() {
    let states = "fs.other = { dir = \"/o\" }\ndefaults.fs = \"scratch\"\n\
                  [state.s]\nage = \"--blocks 80%\"\n[state.t]\nage = \"--blocks 95%\"\n\
                  [state.p]\npreload = 5\n";
    let plan = |tests: &[(&str, &str)]| {
        let text: Vec<String> = tests
            .iter()
            .map(|(id, keys)| test_with(&format!("mdtest = \"-F -n 5\"\nrole = \"reported\"\n{keys}")).replace('T', id))
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
