//! The rules of a dataset, and of the tests that read it.

use plan::Plan;

use super::{HEAD, rejection, test_with};

fn dataset(keys: &str) -> String {
    format!("[dataset.d]\n{keys}\n{}", test_with("ior = \"-w\"\nrole = \"reported\""))
}

#[test]
fn a_dataset_is_made_by_one_command_line_that_leaves_its_files() {
    for (keys, why) in [
        (
            "ranks = 2",
            "p.toml:4:1: dataset.d: give the command line that makes it, either as `ior` or as \
                       `mdtest`",
        ),
        (
            "ior = \"-w -k\"\nmdtest = \"-C -F -n 1\"",
            "p.toml:4:1: dataset.d: give the command line that makes it, either as `ior` or as `mdtest`",
        ),
        ("ior = \"-w -k -i 3\"", "p.toml:5:7: dataset.d: its readers find one set of files. Remove -i."),
        (
            "ior = \"-w -k -o {dir}/a@{dir}/b\"",
            "p.toml:5:7: dataset.d: the names of its files must have one beginning. Remove `@` from -o.",
        ),
        (
            "ior = \"-wk -o={dir}/a@{dir}/b\"",
            "p.toml:5:7: dataset.d: the names of its files must have one beginning. Remove `@` from -o.",
        ),
        (
            "mdtest = \"-F -C -T -n 9\"",
            "p.toml:5:10: dataset.d: the command line of a dataset only creates files and leaves them. \
             Give -C and none of -T, -E, -r.",
        ),
        (
            "mdtest = \"-F -n 9\"",
            "p.toml:5:10: dataset.d: the command line of a dataset only creates files and leaves them. \
             Give -C and none of -T, -E, -r.",
        ),
        (
            "mdtest = \"-F -C -n 9 -i 2\"",
            "p.toml:5:10: dataset.d: its readers find one set of files. Remove -i.",
        ),
        (
            "mdtest = \"-F -C -n 9 --preload 8\"",
            "p.toml:5:10: dataset.d: --preload fills directories that a test works in. Create more files \
             with -n or -I.",
        ),
        (
            "ior = \"-w -k\"\nkeep = \"a week\"",
            "p.toml:6:8: dataset.d: keep: `a week` is not a number with a",
        ),
        ("ior = \"-w -k\"\nkeep = \"7 MB\"", "p.toml:6:8: dataset.d: keep: `7 MB` does not fit. Write"),
    ] {
        let said = rejection(&dataset(keys));
        assert!(said.starts_with(why), "{keys}: {said}");
    }
}

#[test]
fn a_command_line_that_cannot_cover_its_readers_is_rejected_also_with_a_deadline() {
    let cover = "cover = { rate = \"4 GB/s\", time = \"30 s\" }";
    let needs = "but its readers need 168 GiB (4.00 GB/s for 30.0 s, 1.5 times). Write more with -s, -b \
                 or ranks.";
    for (line, why) in [
        ("-w -k -F -b 16g", format!("the command line writes at most 32.0 GiB, {needs}")),
        (
            "-w -k -F -b 16g -D 90 -O stoneWallingWearOut=1",
            format!("the command line writes at most 32.0 GiB, even without -D, {needs}"),
        ),
    ] {
        let said = rejection(&dataset(&format!("ior = \"{line}\"\nranks = 2\n{cover}")));
        assert_eq!(said, format!("p.toml:7:9: dataset.d: {why}"));
    }
    for (keys, why) in [
        (
            "mdtest = \"-F -C -n 9\"",
            "dataset.d: `cover` is for bytes that readers read, but mdtest creates files",
        ),
        ("ior = \"-w -k -b 1t\"", "dataset.d: cover.margin is below 1, so readers would reach the end"),
    ] {
        let cover = "cover = { rate = \"4 GB/s\", time = \"30 s\", margin = 0.5 }";
        let said = rejection(&dataset(&format!("{keys}\n{cover}")));
        assert!(said.contains(why), "{said}");
    }
    for margin in ["nan", "inf", "1e999"] {
        let cover = format!("cover = {{ rate = \"4 GB/s\", time = \"30 s\", margin = {margin} }}");
        let rejected = rejection(&dataset(&format!("ior = \"-w -k -b 1t\"\n{cover}")));
        assert!(
            rejected.contains("dataset.d: cover.margin is not a finite number. Write 1 or more"),
            "{rejected}"
        );
    }
    let said = rejection(&dataset("ior = \"-w -k\"\ncover = { rate = \"4 GB\", time = \"30 s\" }"));
    assert!(said.contains("dataset.d: cover.rate: `4 GB` does not fit"), "{said}");
}

#[test]
fn a_dataset_belongs_to_all_its_readers() {
    let names = "[dataset.d]\nmdtest = \"-F -C -n 9\"\n";
    for line in ["-F -T -r -n 9", "-F -C -n 9", "-F -n 9"] {
        let test = test_with(&format!("uses = \"dataset.d\"\nmdtest = \"{line}\"\nrole = \"reported\""));
        let said = rejection(&format!("{names}{test}"));
        let why = "dataset.d is for all its readers, but this command line creates or removes files in it. \
             Only read it";
        assert!(said.contains(why), "{line}: {said}");
    }
    for line in ["-w -E -k", "-k -G 7 --rwmix=50"] {
        let test = test_with(&format!("uses = \"dataset.d\"\nior = \"{line}\"\nrole = \"reported\""));
        let said = rejection(&format!("[dataset.d]\nior = \"-w -k -G 7\"\nkeep = \"2 days\"\n{test}"));
        let why = "dataset.d is kept for later campaigns, but this command line writes into it";
        assert!(said.contains(why), "{line}: {said}");
    }
}

#[test]
fn a_reader_that_would_find_no_data_or_wrong_data_is_rejected() {
    let used = |made: &str, line: &str| {
        let test = test_with(&format!("uses = \"dataset.d\"\nior = \"{line}\"\nrole = \"reported\""));
        format!("[dataset.d]\nior = \"{made}\"\n{test}")
    };
    let stopped = "-w -k -F -D 3 -O stoneWallingWearOut=1,stoneWallingStatusFile={dir}";
    let reads = "-r -k -F -O stoneWallingStatusFile={dir}";
    for (made, line, why) in [
        ("-w -k -G 7", "-R -k -G 8", "dataset.d was written with -G 7, but this test compares with -G 8"),
        (
            "-w -k",
            "-R -k -G 8",
            "dataset.d was written with the time as -G, but this test compares with -G 8",
        ),
        (
            "-w -k -G 7 -l t",
            "-R -k -G 7",
            "dataset.d was written with -l t, but this test compares with -l s",
        ),
        ("-w -k -o {dir}/mine", "-r -k", "dataset.d wrote -o {dir}/mine, but this test reads -o {dir}/data"),
        ("-w -k", "-r -k -o {dir}/mine", "dataset.d wrote -o {dir}/data, but this test reads -o {dir}/mine"),
        (
            &format!("{stopped}/a"),
            &format!("{reads}/b"),
            "it reads -O stoneWallingStatusFile={dir}/b, but dataset.d writes {dir}/a",
        ),
        (
            "-w -k -F",
            &format!("{reads}/b"),
            "it reads -O stoneWallingStatusFile={dir}/b, but dataset.d writes none",
        ),
    ] {
        assert_eq!(rejection(&used(made, line)), format!("p.toml:9:7: test T: {why}. Use the same in both."));
    }
    for (made, line) in [
        ("-w -k -G 7 -l t", "-R -k -G=7 --dataPacketType=timestamp"),
        ("-w -k -G 7", "-r -k"),
        ("-w -k -o {dir}/data", "-r -k"),
        (&format!("{stopped}/a"), &format!("{reads}/a")),
    ] {
        Plan::parse(&format!("{HEAD}{}", used(made, line)), "p.toml").expect(line);
    }
}

#[test]
fn only_a_file_per_process_has_a_smallest_file_to_export() {
    for line in ["ior = \"-w -k\"", "ior = \"-r -F -k\"\nuses = \"dataset.d\"", "mdtest = \"-C -F -n 5\""] {
        let test = test_with(&format!("{line}\nexports = {{ S = \"min(file.size)\" }}\nrole = \"reported\""));
        let said = rejection(&format!("[dataset.d]\nior = \"-w -k -F\"\n{test}"));
        let why = "p.toml:7:6: test T: exports.S: `min(file.size)` needs an ior command line with -w and \
                   -F, which writes a file per process";
        assert_eq!(said, why, "{line}");
    }
}

#[test]
fn a_dataset_is_read_back_if_the_plan_says_so() {
    let words = |defaults: &str, keys: &str| {
        let plan = format!("{HEAD}{defaults}{}", dataset(&format!("ior = \"-w -k\"\n{keys}")));
        Plan::parse(&plan, "p.toml").unwrap().datasets[0].line.words().join(" ")
    };
    let all = "[defaults]\nverify = \"after\"\n";
    assert_eq!(words("", ""), "-w -k -l stamped");
    assert_eq!(words("", "verify = \"after\""), "-w -k -l stamped -W --drop-caches");
    assert_eq!(words(all, ""), "-w -k -l stamped -W --drop-caches");
    assert_eq!(words(all, "verify = \"no\""), "-w -k -l stamped");
}

#[test]
fn a_dataset_in_a_state_that_its_readers_do_not_keep_is_rejected() {
    let plan = |states: &str, keys: &str, reader: &str| {
        format!(
            "[state.aged]\nage = \"--blocks 70%\"\n[state.many]\npreload = 10\n[dataset.d]\n\
             ior = \"-w -k -F -b 1m\"\nstates = {states}\n{keys}\n[[test]]\nid = \"R\"\n\
             uses = \"dataset.d\"\nior = \"-r -k -F -b 1m\"\nrole = \"reported\"\n{reader}\n"
        )
    };
    let aged = "states = [\"aged\"]";
    assert!(Plan::parse(&format!("{HEAD}{}", plan("[\"aged\"]", "", aged)), "p.toml").is_ok());
    for (states, keys, reader, error) in [
        (
            "[\"aged\"]",
            "",
            "",
            "p.toml:15:7: test R: dataset.d is written in state.aged, which must last until it is read. Add \
             `states = [\"aged\"]`.",
        ),
        ("[\"agd\"]", "", aged, "p.toml:10:11: dataset.d: no [state.agd]. Did you mean `aged`?"),
        (
            "[\"many\"]",
            "",
            aged,
            "p.toml:10:11: dataset.d: state.many has no `age`, so no files can be written in it",
        ),
        (
            "[\"aged\", \"many\"]",
            "",
            aged,
            "p.toml:10:19: dataset.d: a dataset is written in one state. Remove the others.",
        ),
        (
            "[\"aged\"]",
            "keep = \"7 days\"",
            aged,
            "p.toml:11:8: dataset.d: a state is removed at the end of a campaign, so files in it cannot be \
             kept. Remove `keep`.",
        ),
    ] {
        assert_eq!(rejection(&plan(states, keys, reader)), error);
    }
}
