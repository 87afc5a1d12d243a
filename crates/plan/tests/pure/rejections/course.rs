//! Requirements on the course of a test that cannot be met.

use plan::Plan;

use super::{HEAD, rejection, test_with};

fn asks(metric: &str) -> String {
    format!("criterion = {{ metric = \"{metric}\", op = \">=\", value = \"1 GB/s\" }}")
}

#[test]
fn rates_of_windows_need_a_window_and_a_timeline() {
    for (keys, error) in [
        (
            format!("ior = \"-w\"\n{}", asks("write.sustained")),
            "p.toml:7:24: test T: `write.sustained` needs the length of a window. Add `sustained = \"30 \
             s\"`.",
        ),
        (
            format!("ior = \"-w\"\n{}", asks("write.steady")),
            "p.toml:7:24: test T: `write.steady` needs the length of a window. Add `steady = { window = \
             \"30 s\" }`.",
        ),
        (
            format!("ior = \"-w\"\nsustained = \"9 s\"\n{}", asks("read.sustained")),
            "p.toml:8:24: test T: the command line does not yield `read.sustained`. Its phases are write.",
        ),
        (
            format!("mpi_io = \"--only open.*\"\nsustained = \"9 s\"\n{}", asks("cases.sustained")),
            "p.toml:7:13: test T: sustained: mpi-io records no timeline. Remove it.",
        ),
        (
            format!("mpi_io = \"--only open.*\"\n{}", asks("cases.sustained")),
            "p.toml:7:24: test T: `cases.sustained`: mpi-io records no timeline",
        ),
        (
            format!("md_workbench = \"-P 5\"\nsustained = \"9 s\"\n{}", asks("benchmark_read.sustained")),
            "p.toml:8:24: test T: `benchmark_read.sustained`: `benchmark_read` is a part of another phase, \
             which has the timeline",
        ),
        (
            "app = { argv = [\"./p\"], parse = \"ior\" }\nsustained = \"9 s\"\nrole = \"reported\"".into(),
            "p.toml:7:13: test T: sustained: app records no timeline. Remove it.",
        ),
        (
            format!("ior = \"-w -D 45\"\nsteady = {{ window = \"30 s\" }}\n{}", asks("write.steady")),
            "p.toml:7:10: test T: steady: -D 45 is too short. The window of 30.0 s and the measurement of \
             30.0 s after it take whole intervals of the timeline. Give -D 62.",
        ),
        (
            format!("ior = \"-w -D 60\"\nsteady = {{ window = \"30 s\" }}\n{}", asks("write.steady")),
            "p.toml:7:10: test T: steady: -D 60 is too short. The window of 30.0 s and the measurement of \
             30.0 s after it take whole intervals of the timeline. Give -D 62.",
        ),
        (
            format!("ior = \"-w\"\nsteady = {{ window = \"400 s\" }}\n{}", asks("write.steady")),
            "p.toml:7:10: test T: steady: a window of 6.7 min is longer than the limit of 5.0 min",
        ),
        (
            format!("ior = \"-w\"\nsteady = {{ windows = \"4 s\" }}\n{}", asks("write.steady")),
            "p.toml:7:12: unknown key `windows`. Did you mean `window`? Known here: window, slope, range, \
             max, measured.",
        ),
        (
            format!("ior = \"-w\"\nsteady = {{ slope = \"4 s\" }}\n{}", asks("write.steady")),
            "p.toml:7:20: test T: steady.slope: `4 s` does not fit. Write for example `10 %`.",
        ),
    ] {
        assert_eq!(rejection(&test_with(&keys)), error, "{keys}");
    }
}

#[test]
fn a_steady_rule_without_numbers_has_the_default_ones() {
    let keys = format!("ior = \"-w -D 180\"\nsteady = {{}}\n{}", asks("write.steady"));
    let plan = Plan::parse(&format!("{HEAD}{}", test_with(&keys)), "p.toml").unwrap();
    let rule = plan.tests[0].course.steady.unwrap();
    assert_eq!((rule.window, rule.slope, rule.range), (30.0, 0.1, 0.2));
    assert_eq!((rule.within, rule.measured), (Some(300.0), 30.0));
}

#[test]
fn warm_ups_and_alternation_are_rejected_for_tests_that_cannot_have_them() {
    let made = "[[test]]\nid = \"W\"\nior = \"-w -k\"\nrole = \"reported\"\n";
    let reader = test_with("ior = \"-r -k\"\nuses = \"W\"\nwarm_up = 1\nrole = \"reported\"");
    assert_eq!(
        rejection(&format!("{made}{reader}")),
        "p.toml:12:11: test T: warm_up: a warm-up job would read the files of another test first. Give it \
         to the test that makes them."
    );
    let part = |keys: &str, id: &str| {
        format!("[[group.parts]]\nid = \"{id}\"\nior = \"-w\"\nrole = \"reported\"\n{keys}\n")
    };
    assert_eq!(
        rejection(&format!("[[group]]\nid = \"G\"\n{}{}", part("warm_up = 1", "a"), part("", "b"))),
        "p.toml:10:11: test G.a: warm_up: the parts of a group run together"
    );
    assert_eq!(
        rejection(&test_with("ior = \"-w\"\nrole = \"reported\"\norder = \"interleaved\"")),
        "p.toml:8:9: test T: `order` needs steps. Write `nodes = { steps = [\"50%\", \"100%\"] }`."
    );
    let series = "[fs.s]\ndir = \"/s\"\nservers = 2\n\
                  set_servers = \"on {servers}\"\ncount_servers = \"count\"\n\
                  [[series]]\nid = \"S\"\nfs = \"s\"\nover = \"servers\"\norder = \"interleaved\"\n\
                  steps = [\"1\", \"2\"]\n\
                  [[series.phases]]\nid = \"w\"\nior = \"-w\"\nrole = \"reported\"\n";
    let another = "launch.kind = \"mpirun\"\n[[test]]\nid = \"T\"\nior = \"-w -k\"\nrole = \"reported\"\n\
                   order = \"random\"\nnodes = { steps = [1, 2] }\n";
    assert!(Plan::parse(&format!("{HEAD}{another}"), "p.toml").is_ok());
    let series_of = "launch.kind = \"mpirun\"\n[[series]]\nid = \"S\"\nover = \"nodes\"\norder = \"random\"\n\
                     steps = [\"1\", \"2\"]\n\
                     [[series.phases]]\nid = \"w\"\nior = \"-w -k\"\nrole = \"reported\"\n\
                     [[series.phases]]\nid = \"r\"\nior = \"-w -k\"\nuses = \"S.n1.w\"\n\
                     role = \"reported\"\n";
    assert_eq!(
        rejection(series_of),
        "p.toml:8:9: series S: order: S.n2.r works on the files of another step, which must run first. \
         Write `interleaved`."
    );
    assert_eq!(
        rejection(series),
        "p.toml:13:9: series S: order: steps of servers cannot alternate, because files stay on the \
         servers that were online when they were written"
    );
}

#[test]
fn a_client_limit_needs_a_rate_and_a_number_of_nodes() {
    let nodes = "nodes = 4\nior = \"-w\"\nclient_limit = { nodes = [8] }\n";
    let launch = "launch.kind = \"mpirun\"\n";
    for (keys, error) in [
        (
            nodes.replace("[8]", "[4]") + &asks("write.bw"),
            "p.toml:9:16: test T: client_limit: its nodes must be more than the 4 of the test itself",
        ),
        (
            nodes.replace("nodes = 4\n", "ranks = 4\n") + &asks("write.bw"),
            "p.toml:9:16: test T: client_limit: set the nodes of the test itself, as `nodes`",
        ),
        (
            nodes.replace("nodes = 4\n", "nodes = { steps = [2, 4] }\n") + &asks("write.bw"),
            "p.toml:9:16: test T: client_limit: the steps of this test already show this. Remove it.",
        ),
        (
            nodes.replace("nodes = 4\n", "nodes = { search = [2, 4], gain = \"3 %\" }\n") + &asks("write.bw"),
            "p.toml:9:16: test T: client_limit: the search already shows this. Remove it.",
        ),
        (
            nodes.to_owned() + "role = \"reported\"",
            "p.toml:9:16: test T: client_limit: it compares rates, but no criterion is on a rate",
        ),
    ] {
        assert_eq!(rejection(&format!("{launch}{}", test_with(&keys))), error, "{keys}");
    }
    let by = "nodes = { search = [2, 4], gain = \"3 %\" }\nior = \"-w\"\nsustained = \"9 s\"\n";
    assert_eq!(
        rejection(&format!("{launch}{}", test_with(&(by.to_owned() + &asks("write.sustained"))))),
        "p.toml:10:24: test T: a search needs a rate of whole phases, such as `write.bw`, not \
         `write.sustained`"
    );
    let searched = |criteria: &str| {
        let by = "nodes = { search = [2, 4], gain = \"3 %\" }\nior = \"-w -W\"\n";
        rejection(&format!("{launch}{}", test_with(&format!("{by}criterion = [{criteria}]"))))
    };
    let bw = "{ metric = \"write.bw\", op = \">\", value = \"1 GB/s\" }";
    for (metric, op, value) in [
        ("write.latency.p99", "<=", "1 ms"),
        ("write.bw", "<=", "1 GB/s"),
        ("write_check.errors", "==", "0 errors"),
        ("write.bytes", ">=", "1 GB"),
    ] {
        let first = format!("{{ metric = \"{metric}\", op = \"{op}\", value = \"{value}\" }}");
        assert_eq!(
            searched(&format!("{first}, {bw}")),
            format!(
                "p.toml:9:25: test T: a search needs a rate with `>=` or `>` as its first criterion. Put \
                 one before `{metric}`."
            )
        );
        let plan = test_with(&format!(
            "nodes = {{ search = [2, 4], gain = \"3 %\" }}\nior = \"-w -W\"\ncriterion = [{bw}, {first}]"
        ));
        Plan::parse(&format!("{HEAD}{launch}{plan}"), "p.toml").unwrap();
    }
}

#[test]
fn a_default_duration_does_not_apply_to_workloads_without_a_timeline() {
    let app = "app = { argv = [\"./p\"], parse = \"ior\" }\nrole = \"reported\"";
    let ior = test_with("ior = \"-w\"\nrole = \"reported\"").replace("\"T\"", "\"I\"");
    let plan = format!("{HEAD}[defaults]\nsustained = \"9 s\"\n{}{ior}", test_with(app));
    let plan = Plan::parse(&plan, "p.toml").unwrap();
    assert_eq!(plan.tests.iter().map(|test| test.sustained_s).collect::<Vec<_>>(), [None, Some(9.0)]);
}

#[test]
fn a_scale_can_leave_out_the_steady_rule_and_then_no_steady_rate_exists() {
    let steady = |window: &str, rest: &str| {
        let keys = format!("ior = \"-w\"\nsteady = {{ window = \"{window}\", max = \"60 s\" }}\n{rest}");
        Plan::parse(&format!("{HEAD}{}", test_with(&keys)), "p.toml").map_err(|rejection| rejection.0)
    };
    let reported = "role = \"reported\"";
    assert!(steady("30 s", reported).unwrap().tests[0].course.steady.is_some());
    assert!(steady("", reported).unwrap().tests[0].course.steady.is_none());
    let rejection = steady("", &asks("write.steady")).unwrap_err();
    assert!(
        rejection.starts_with("p.toml:8:24: test T: `write.steady` needs the length of a window"),
        "{rejection}"
    );
}
