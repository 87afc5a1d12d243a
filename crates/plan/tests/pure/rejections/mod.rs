//! Plans that cannot work, and the line that rejects them before any job runs.

mod all_errors;
mod answer;
mod clauses;
mod course;
mod datasets;
mod hooks;
mod launch;
mod names;
mod placement;
mod roles;
mod score;
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
fn unknown_keys_and_words_are_rejected_with_the_nearest_one() {
    for (rest, error) in [
        (
            test_with("ior = \"-w\"\nrepetition = 3\nrole = \"reported\""),
            "p.toml:7:1: unknown key `repetition`. Did you mean `repetitions`?",
        ),
        (
            test_with("ior = \"-w\"\ncriterion = { metrik = \"write.bw\", op = \">=\", value = \"1 B/s\" }"),
            "p.toml:7:15: unknown key `metrik`. Did you mean `metric`? Known here: metric, stat, op, \
             value, linear_within, clause, label, rule, cov_max.",
        ),
        (
            test_with("ior = \"-w\"\nrole = \"report\""),
            "p.toml:7:8: unknown word `report`. Did you mean `reported`? Known here: contract, reported, \
             hero.",
        ),
        (
            "[launch]\nkind = \"slurm\"\n".into(),
            "p.toml:5:8: unknown word `slurm`. Did you mean `srun`? Known here: local, mpirun, aprun, \
             flux, jsrun, mpich, openmpi, pals, srun, ssh.",
        ),
        (
            test_with("ior = \"-w\"\nranks = -1"),
            "p.toml:7:9: `ranks` of [[test]] must be a whole number above 0, such as `ranks = 32`, but it \
             is the number -1",
        ),
        (
            "[[test]]\nid = \"T\"\nior = 5\n".into(),
            "p.toml:6:7: `ior` of [[test]] must be text in quotes, such as `ior = \"-w -F -e -g -t 1m -b \
             4g\"`, but it is the number 5",
        ),
    ] {
        let said = rejection(&rest);
        assert_eq!(said.split(" Known here: id, clause, ior").next(), Some(error));
    }
}

#[test]
fn criteria_that_no_measurement_can_meet_are_rejected() {
    let criterion = |line: &str, metric: &str, op: &str, value: &str| {
        test_with(&format!(
            "ior = \"{line}\"\ncriterion = {{ metric = \"{metric}\", op = \"{op}\", value = {value} }}"
        ))
    };
    for (rest, error) in [
        (
            criterion("-w", "read.bw", ">=", "\"1 GB/s\""),
            "p.toml:7:24: test T: the command line does not yield `read.bw`. Its phases are write.",
        ),
        (
            criterion("-w", "bw", ">=", "\"1 GB/s\""),
            "p.toml:7:24: test T: metric `bw` has no phase. Write for example `write.bw`.",
        ),
        (
            criterion("-w", "write.bandwidth", ">=", "\"1 GB/s\""),
            "p.toml:7:24: test T: unknown metric `bandwidth`. Known: bw, iops, bytes, seconds, open, \
             latency.mean, latency.p50, latency.p90, latency.p95, latency.p99, latency.p999, latency.max, \
             errors, cached, own_node_share, node.min, node.min_of_mean, node.spread, node.max_over_min, \
             node.jain, rank.min, rank.min_of_mean, rank.spread, rank.max_over_min, rank.jain, \
             duration.rank_max, \
             latency.p95.rank_max, latency.p99.rank_max.",
        ),
        (
            criterion("-w", "write.iosp", ">=", "\"1 /s\""),
            "p.toml:7:24: test T: unknown metric `iosp`. Did you mean `iops`?",
        ),
        (
            criterion("-w", "write.bw", ">=", "3.0"),
            "p.toml:7:55: test T: write.bw: `3` has no unit. Write for example `3.0 GB/s`.",
        ),
        (
            criterion("-w", "write.bw", ">=", "\"3.0\""),
            "p.toml:7:55: test T: write.bw: `3.0` has no unit. Write for example `3.0 GB/s`.",
        ),
        (
            criterion("-w", "write.bw", ">=", "\"25000/s\""),
            "p.toml:7:55: test T: write.bw: `25000/s` has a unit of another kind. Write for example `3.0 \
             GB/s`.",
        ),
        (
            criterion("-w", "write.bw", ">=", "\"-3 GB/s\""),
            "p.toml:7:55: test T: write.bw: `-3 GB/s` is below zero. Write for example `3.0 GB/s`.",
        ),
        (
            criterion("-w", "write.bw", "=>", "\"1 GB/s\""),
            "p.toml:7:41: test T: `=>` is not a comparison. Known: >= <= > < ==.",
        ),
        (
            test_with("ior = \"-w\""),
            "p.toml:5:6: test T has no criterion. Add one, or `role = \"reported\"` to measure without a \
             verdict.",
        ),
    ] {
        assert_eq!(rejection(&rest), error);
    }
}

#[test]
fn readers_without_files_are_rejected() {
    let data = |line: &str| format!("[dataset.d]\nior = \"{line}\"\n");
    let reader = |keys: &str| test_with(&format!("{keys}\nrole = \"reported\""));
    for (rest, error) in [
        (
            reader("ior = \"-r\""),
            "p.toml:6:7: test T: no test wrote the files that it reads. Add -w, or `uses` with a dataset \
             or a test's id.",
        ),
        (
            data("-w -k") + &reader("uses = \"dataset.dd\"\nior = \"-r -k\""),
            "p.toml:8:8: test T: no [dataset.dd]. Did you mean `d`?",
        ),
        (
            reader("uses = \"dataset.d\"\nior = \"-r -k\""),
            "p.toml:6:8: test T: no [dataset.d]. There is none.",
        ),
        (
            reader("uses = \"T\"\nior = \"-r -k\""),
            "p.toml:6:8: test T: uses `T`, which is not a test above this one. There is none.",
        ),
        (
            data("-w"),
            "p.toml:5:7: dataset.d: IOR removes its files when it ends. Add -k to keep them for the \
             readers.",
        ),
        (data("-r -k"), "p.toml:5:7: dataset.d: the command line writes nothing. Add -w."),
        (
            data("-w -k -D 3"),
            "p.toml:5:7: dataset.d: -D leaves files of unequal size to the readers. Add -O \
             stoneWallingWearOut=1.",
        ),
        (
            data("-w -k") + &reader("uses = \"dataset.d\"\nior = \"-r\""),
            "p.toml:9:7: test T: IOR removes the files that it reads, but others need them. Add -k.",
        ),
        (
            data("-w -k -F") + &reader("uses = \"dataset.d\"\nior = \"-r -k\""),
            "p.toml:9:7: test T: dataset.d was written with another file layout. Give -F in both or in \
             none.",
        ),
        (
            data("-w -k -b 1m") + &reader("uses = \"dataset.d\"\nior = \"-r -k -b 2m\""),
            "p.toml:9:7: test T: it reads 2.00 MiB of each file on 1 rank, but dataset.d has 1.00 MiB on 1",
        ),
        (
            data("-w -k -D 3 -O stoneWallingWearOut=1") + &reader("uses = \"dataset.d\"\nior = \"-r -k\""),
            "p.toml:9:7: test T: -D may stop dataset.d before its files are full. Give both command lines \
             -O stoneWallingStatusFile={dir}/pairs.",
        ),
    ] {
        assert_eq!(rejection(&rest), error);
    }
}

#[test]
fn invalid_counts_names_and_durations_are_rejected() {
    let reported = |keys: &str| test_with(&format!("ior = \"-w\"\nrole = \"reported\"\n{keys}"));
    for (rest, error) in [
        (reported("ranks = 0"), "p.toml:8:9: test T: ranks is 0. It must be at least 1."),
        (reported("repetitions = 0"), "p.toml:8:15: test T: repetitions is 0. It must be at least 1."),
        (
            reported("timeout = \"10\""),
            "p.toml:8:11: test T: timeout: `10` has no unit. Write for example `30 s`.",
        ),
        (
            reported("timeout = \"10 MB\""),
            "p.toml:8:11: test T: timeout: `10 MB` does not fit. Write for example `30 s`.",
        ),
        (reported("fs = \"home\""), "p.toml:8:6: test T: no [fs.home]. Known: scratch."),
        (reported("") + &reported(""), "p.toml:10:6: test T: test T already has this id. Change one."),
        (
            "[[test]]\nid = \"a/b\"\nior = \"-w\"\n".into(),
            "p.toml:5:6: `a/b`: a test's id becomes part of file names. Use only letters, digits, `-`, \
             `_` and `.`.",
        ),
        (
            reported("decide = { rule = \"mean\", confidence = 95.0 }"),
            "p.toml:8:40: confidence must be at least 0.5 and below 1, such as 0.95",
        ),
        (
            "[[test]]\nid = \"T\"\nior = \"write fast\"\nrole = \"reported\"\n".into(),
            "p.toml:6:7: test T: `write` is not an option of ior. Its options begin with `-`.",
        ),
        (String::new(), "p.toml:1:1: the plan has no [[test]], [[series]] or [[group]]. Add at least one."),
        (
            "[launch]\nkind = \"local\"\nargv = [\"mpirun\"]\n".into(),
            "p.toml:6:8: launch.kind `local` has no `argv`. Remove it, or write kind = \"mpirun\".",
        ),
        (
            "[clients]\ndelivered = 0\n".into(),
            "p.toml:5:13: clients.delivered is 0. Give the number of client nodes that the contract \
             delivers.",
        ),
    ] {
        assert_eq!(rejection(&rest), error);
    }
    let error =
        Plan::parse("schema = 2\nplan = { id = \"p\", title = \"t\" }\nfs.a = { dir = \"d\" }\n", "q.toml");
    assert_eq!(error.unwrap_err().0, "q.toml:1:10: this program reads only plans of `schema = 1`");
}
