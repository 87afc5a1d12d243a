//! Plans that cannot work, and the line that says so before anything runs.

mod course;
mod datasets;
mod hooks;
mod launch;
mod names;
mod placement;
mod roles;
mod several;

use plan::Plan;

const HEAD: &str = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.scratch = { dir = \"{dir}\" }\n";

fn rejection(rest: &str) -> String {
    Plan::parse(&format!("{HEAD}{rest}"), "p.toml").expect_err(rest).0
}

fn test_with(keys: &str) -> String {
    format!("[[test]]\nid = \"T\"\n{keys}\n")
}

#[test]
fn a_whole_plan_is_accepted() {
    let plan = include_str!("../../../../../plans/try.toml");
    let plan = Plan::parse(plan, "try.toml").unwrap();
    assert_eq!(plan.id, "try");
    assert!(plan.needs_dir());
    assert_eq!(plan.tests[0].criteria[0].to_string(), "mean >= 50 MB/s");
}

#[test]
fn keys_and_words_that_do_not_exist_are_rejected_with_the_nearest_one() {
    for (rest, error) in [
        (
            test_with("ior = \"-w\"\nrepetition = 3\nrole = \"reported\""),
            "p.toml:7:1: unknown key `repetition`, did you mean `repetitions`?",
        ),
        (
            test_with("ior = \"-w\"\ncriterion = { metrik = \"write.bw\", op = \">=\", value = \"1 B/s\" }"),
            "p.toml:7:15: unknown key `metrik`, did you mean `metric`? Known here: metric, stat, op, value, \
             linear_within",
        ),
        (
            test_with("ior = \"-w\"\nrole = \"report\""),
            "p.toml:7:8: unknown word `report`, did you mean `reported`? Known here: contract, \
             reported, hero",
        ),
        (
            "[launch]\nkind = \"slurm\"\n".into(),
            "p.toml:5:8: unknown word `slurm`, did you mean `srun`? Known here: local, mpirun, aprun, flux, \
             jsrun, mpich, openmpi, pals, srun",
        ),
        (
            test_with("ior = \"-w\"\nranks = -1"),
            "p.toml:7:9: `ranks` of [[test]] is a whole number above 0, such as `ranks = 32`, and not the \
             number -1",
        ),
        (
            "[[test]]\nid = \"T\"\nior = 5\n".into(),
            "p.toml:6:7: `ior` of [[test]] is text in quotes, such as `ior = \"-w -F -e -g -t 1m -b 4g\"`, \
             and not the number 5",
        ),
    ] {
        let said = rejection(&rest);
        assert_eq!(said.split(" Known here: id, clause, ior").next(), Some(error));
    }
}

#[test]
fn criteria_that_no_measurement_could_meet_are_rejected() {
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
            "p.toml:7:24: test T: no metric `bandwidth`; there is bw, iops, bytes, seconds, open, \
             latency.mean, latency.p50, latency.p90, latency.p99, latency.p999, latency.max, errors, \
             cached",
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
            criterion("-w", "write.bw", ">=", "\"-3 GB/s\""),
            "p.toml:7:55: test T: write.bw: `-3 GB/s` is below zero; write it as in `3.0 GB/s`",
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
        assert_eq!(rejection(&rest), error);
    }
}

#[test]
fn readers_of_nothing_and_files_that_would_be_gone_are_rejected() {
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
            "p.toml:5:7: dataset.d: -D without -O stoneWallingWearOut=1 leaves files of unequal size to the \
             readers; add it",
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
            "p.toml:9:7: test T: reads 2.00 MiB of each file by 1 rank, but dataset.d has 1.00 MiB by 1",
        ),
        (
            data("-w -k -D 3 -O stoneWallingWearOut=1") + &reader("uses = \"dataset.d\"\nior = \"-r -k\""),
            "p.toml:9:7: test T: dataset.d may be stopped by -D before it is full; give both lines \
             -O stoneWallingStatusFile={dir}/pairs",
        ),
    ] {
        assert_eq!(rejection(&rest), error);
    }
}

#[test]
fn counts_names_and_durations_that_make_no_sense_are_rejected() {
    let reported = |keys: &str| test_with(&format!("ior = \"-w\"\nrole = \"reported\"\n{keys}"));
    for (rest, error) in [
        (reported("ranks = 0"), "p.toml:8:9: test T: ranks is 0; it must be at least 1"),
        (reported("repetitions = 0"), "p.toml:8:15: test T: repetitions is 0; it must be at least 1"),
        (
            reported("timeout = \"10\""),
            "p.toml:8:11: test T: timeout: `10` has no unit; write it as in `30 s`",
        ),
        (
            reported("timeout = \"10 MB\""),
            "p.toml:8:11: test T: timeout: `10 MB` does not fit; write for example `30 s`",
        ),
        (reported("fs = \"home\""), "p.toml:8:6: test T: no [fs.home]; there is scratch"),
        (reported("") + &reported(""), "p.toml:10:6: test T: test T has this id already"),
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
        (String::new(), "p.toml:1:1: a plan needs at least one [[test]], [[series]] or [[group]]"),
        (
            "[launch]\nkind = \"local\"\nargv = [\"mpirun\"]\n".into(),
            "p.toml:6:8: launch.kind `local` takes no `argv`; use `mpirun` or leave it out",
        ),
        (
            "[clients]\ndelivered = 0\n".into(),
            "p.toml:5:13: clients.delivered is 0; say how many client nodes the contract delivers",
        ),
    ] {
        assert_eq!(rejection(&rest), error);
    }
    let error =
        Plan::parse("schema = 2\nplan = { id = \"p\", title = \"t\" }\nfs.a = { dir = \"d\" }\n", "q.toml");
    assert_eq!(error.unwrap_err().0, "q.toml:1:10: this program reads plans of `schema = 1`");
}
