//! Sizes and empty texts: `64m` and `64 MiB` are the same everywhere. `""` is as if the key were not given.

use plan::{Choice, Goal, Plan};

const HEAD: &str = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.scratch = { dir = \"{dir}\" }\n";

fn plan(rest: &str) -> Plan {
    Plan::parse(&format!("{HEAD}{rest}"), "p.toml").unwrap_or_else(|error| panic!("{error}\n{rest}"))
}

fn error(rest: &str) -> String {
    Plan::parse(&format!("{HEAD}{rest}"), "p.toml").expect_err(rest).0
}

#[test]
fn a_size_is_the_same_in_the_dialect_of_ior_and_with_its_unit() {
    let of = |size: &str| {
        let plan = plan(&format!(
            "clients.memory = \"{size}\"\n[[test]]\nid = \"T\"\nior = \"-w -b {}\"\n\
             criterion = {{ metric = \"write.bytes\", op = \">=\", value = \"{size}\" }}\n\
             [[test]]\nid = \"A\"\nrole = \"reported\"\n\
             app = {{ argv = [\"./a\"], parse = \"ior\", writes = \"{size}\" }}\n",
            size.replace(' ', ""),
        ));
        let Goal::Value(goal) = &plan.tests[0].criteria[0].goal else { panic!("a value") };
        let block = plan.tests[0].line.as_ior().unwrap().bytes(1);
        let writes = plan.tests[1].line.as_app().unwrap().writes_bytes;
        [plan.clients.memory_bytes.unwrap(), goal.value as u64, writes, block]
    };
    for size in ["64m", "64M", "64 MiB", "64MiB"] {
        assert_eq!(of(size), [64 << 20; 4], "{size}");
    }
}

#[test]
fn a_decimal_unit_is_rejected_in_command_lines_where_workloads_would_read_a_power_of_1024() {
    for (line, value, number) in
        [("-w -b 64MB", "64MB", "64m"), ("-w -t1kb -b 1m", "1kb", "1k"), ("-w -b=1GB", "1GB", "1g")]
    {
        let test = format!("[[test]]\nid = \"T\"\nior = \"{line}\"\nrole = \"reported\"\n");
        let said = error(&test);
        let begin = format!("p.toml:6:7: test T: `{value}` has two meanings");
        assert!(said.starts_with(&begin) && said.contains(&format!("Write `{number}` for")), "{said}");
        let recorded = Plan::recorded(&format!("{HEAD}{test}"), "p.toml", &Choice::default());
        assert!(recorded.is_ok(), "an earlier campaign is still evaluated");
    }
    let named = "[[test]]\nid = \"T\"\nior = \"-w -o {dir}/64MB\"\nrole = \"reported\"\n";
    assert!(plan(named).tests[0].line.words().contains(&"{dir}/64MB".to_owned()), "a name is no size");
    assert!(error("[dataset.d]\nior = \"-w -k -b 1MB\"\n").contains("`1MB` has two meanings"));
}

#[test]
fn steps_of_transfers_are_sizes_in_every_form() {
    let plan = plan(
        "[[series]]\nid = \"S\"\nover = \"transfer\"\nsteps = [\"64k\", \"128 KiB\", \"1 MB\"]\n\
         [[series.phases]]\nid = \"w\"\nior = \"-w -t {step} -b 1000000000\"\nrole = \"reported\"\n",
    );
    let steps: Vec<(&str, &str, f64)> = plan
        .tests
        .iter()
        .map(|test| {
            let step = test.step.as_ref().unwrap();
            (test.id.as_str(), test.line.words()[2].as_str(), step.value)
        })
        .collect();
    assert_eq!(
        steps,
        [("S.t64k.w", "64k", 65536.0), ("S.t128KiB.w", "131072", 131_072.0), ("S.t1MB.w", "1000000", 1e6)]
    );
}

#[test]
fn an_empty_text_is_as_if_the_key_were_not_given() {
    let with = |keys: &str| {
        plan(&format!(
            "parameters.none = \"\"\n[defaults]\ncov_max = \"20 %\"\nsustained = \"5 s\"\nppn = 2\n\
             [[test]]\nid = \"T\"\n\
             ior = \"-w\"\nrole = \"reported\"\n{keys}\n"
        ))
        .tests
        .remove(0)
    };
    let without = with("nodes = 1");
    let all = "nodes = 1\nclause = \"\"\nrepetitions = \"\"\nranks = \"${none}\"\n\
               uses = \"\"\nstripes = \"\"\ntimeout = \"\"\n\
               warm_up = \"\"\norder = \"\"\nverify = \"\"\ncompare_to = \"\"\n\
               cache = \"\"\nfs = \"\"\nlike = \"\"\nppn = \"\"";
    assert_eq!(with(all), without);
    let none = with("nodes = 1\ncov_max = \"\"\nsustained = \"${none}\"");
    assert_eq!((without.cov_max, without.sustained_s), (Some(0.2), Some(5.0)));
    assert_eq!((none.cov_max, none.sustained_s), (None, None), "none in spite of the defaults");
    assert_eq!(
        error("[[test]]\nid = \"\"\nior = \"-w\"\nrole = \"reported\"\n"),
        "p.toml:5:6: ``: a test's id becomes part of file names. Use only letters, digits, `-`, `_` and `.`."
    );
}
