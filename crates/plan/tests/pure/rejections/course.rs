//! What is asked of the course of a test, and cannot be.

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
            "p.toml:7:24: test T: `write.sustained`: say how long a window is, with `sustained = \"30 s\"`",
        ),
        (
            format!("ior = \"-w\"\n{}", asks("write.steady")),
            "p.toml:7:24: test T: `write.steady`: say how long a window is, with `steady = { window = \"30 \
             s\" }`",
        ),
        (
            format!("ior = \"-w\"\nsustained = \"9 s\"\n{}", asks("read.sustained")),
            "p.toml:8:24: test T: the line yields no `read.sustained`: its phases are write",
        ),
        (
            format!("mpi_io = \"--only open.*\"\nsustained = \"9 s\"\n{}", asks("cases.sustained")),
            "p.toml:7:13: test T: sustained: mpi-io records no timeline; leave it out",
        ),
        (
            format!("mpi_io = \"--only open.*\"\n{}", asks("cases.sustained")),
            "p.toml:7:24: test T: `cases.sustained`: mpi-io records no timeline",
        ),
        (
            "app = { argv = [\"./p\"], parse = \"ior\" }\nsustained = \"9 s\"\nrole = \"reported\"".into(),
            "p.toml:7:13: test T: sustained: app records no timeline; leave it out",
        ),
        (
            format!("ior = \"-w -D 45\"\nsteady = {{ window = \"30 s\" }}\n{}", asks("write.steady")),
            "p.toml:7:10: test T: steady: -D 45 leaves no window of 30.0 s and 30.0 s measured after \
             it in whole intervals of its timeline; give -D 62",
        ),
        (
            format!("ior = \"-w -D 60\"\nsteady = {{ window = \"30 s\" }}\n{}", asks("write.steady")),
            "p.toml:7:10: test T: steady: -D 60 leaves no window of 30.0 s and 30.0 s measured after \
             it in whole intervals of its timeline; give -D 62",
        ),
        (
            format!("ior = \"-w\"\nsteady = {{ window = \"400 s\" }}\n{}", asks("write.steady")),
            "p.toml:7:10: test T: steady: a window of 6.7 min is never over within 5.0 min",
        ),
        (
            format!("ior = \"-w\"\nsteady = {{ windows = \"4 s\" }}\n{}", asks("write.steady")),
            "p.toml:7:12: unknown key `windows`, did you mean `window`? Known here: window, slope, \
             range, max, measured",
        ),
        (
            format!("ior = \"-w\"\nsteady = {{ slope = \"4 s\" }}\n{}", asks("write.steady")),
            "p.toml:7:20: test T: steady.slope: `4 s` does not fit; write for example `10 %`",
        ),
    ] {
        assert_eq!(rejection(&test_with(&keys)), error, "{keys}");
    }
}

#[test]
fn a_steady_rule_has_its_usual_numbers_where_the_plan_says_none() {
    let keys = format!("ior = \"-w -D 180\"\nsteady = {{}}\n{}", asks("write.steady"));
    let plan = Plan::parse(&format!("{HEAD}{}", test_with(&keys)), "p.toml").unwrap();
    let rule = plan.tests[0].course.steady.unwrap();
    assert_eq!((rule.window, rule.slope, rule.range), (30.0, 0.1, 0.2));
    assert_eq!((rule.within, rule.measured), (Some(300.0), 30.0));
}

#[test]
fn warm_ups_and_turns_are_for_tests_that_can_have_them() {
    let made = "[[test]]\nid = \"W\"\nior = \"-w -k\"\nrole = \"reported\"\n";
    let reader = test_with("ior = \"-r -k\"\nuses = \"W\"\nwarm_up = 1\nrole = \"reported\"");
    assert_eq!(
        rejection(&format!("{made}{reader}")),
        "p.toml:12:11: test T: warm_up: its files are those of another test, which a launch before \
         would look at first; give it to the test that makes them"
    );
    let part = |keys: &str, id: &str| {
        format!("[[group.parts]]\nid = \"{id}\"\nior = \"-w\"\nrole = \"reported\"\n{keys}\n")
    };
    assert_eq!(
        rejection(&format!("[[group]]\nid = \"G\"\n{}{}", part("warm_up = 1", "a"), part("", "b"))),
        "p.toml:10:11: test G.a: warm_up: parts of a group run together"
    );
    assert_eq!(
        rejection(&test_with("ior = \"-w\"\nrole = \"reported\"\norder = \"interleaved\"")),
        "p.toml:8:9: test T: `order` is of steps; give `nodes = { steps = [\"50%\", \"100%\"] }`"
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
        "p.toml:8:9: series S: order: S.n2.r works on the files of another step, which comes first; \
         `interleaved` would do"
    );
    assert_eq!(
        rejection(series),
        "p.toml:13:9: series S: order: files lie on the servers that were on when they were written, so \
         steps of servers take no turns"
    );
}

#[test]
fn more_clients_are_tried_where_that_says_something() {
    let nodes = "nodes = 4\nior = \"-w\"\nclient_limit = { nodes = [8] }\n";
    let launch = "launch.kind = \"mpirun\"\n";
    for (keys, error) in [
        (
            nodes.replace("[8]", "[4]") + &asks("write.bw"),
            "p.toml:9:16: test T: client_limit: its nodes are more than the 4 of the test itself",
        ),
        (
            nodes.replace("nodes = 4\n", "ranks = 4\n") + &asks("write.bw"),
            "p.toml:9:16: test T: client_limit: say on how many nodes the test itself runs, with `nodes`",
        ),
        (
            nodes.replace("nodes = 4\n", "nodes = { steps = [2, 4] }\n") + &asks("write.bw"),
            "p.toml:9:16: test T: client_limit: the steps of this test show it already",
        ),
        (
            nodes.replace("nodes = 4\n", "nodes = { search = [2, 4], gain = \"3 %\" }\n") + &asks("write.bw"),
            "p.toml:9:16: test T: client_limit: the search shows it already",
        ),
        (
            nodes.to_owned() + "role = \"reported\"",
            "p.toml:9:16: test T: client_limit: it compares rates, and no criterion asks for one",
        ),
    ] {
        assert_eq!(rejection(&format!("{launch}{}", test_with(&keys))), error, "{keys}");
    }
    let by = "nodes = { search = [2, 4], gain = \"3 %\" }\nior = \"-w\"\nsustained = \"9 s\"\n";
    assert_eq!(
        rejection(&format!("{launch}{}", test_with(&(by.to_owned() + &asks("write.sustained"))))),
        "p.toml:10:24: test T: a search goes by whole phases, such as `write.bw`, not `write.sustained`"
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
                "p.toml:9:25: test T: a search goes by the first criterion, of a rate with `>=` or `>`: it \
                 looks for where there is more of it; put such a one before `{metric}`"
            )
        );
        let plan = test_with(&format!(
            "nodes = {{ search = [2, 4], gain = \"3 %\" }}\nior = \"-w -W\"\ncriterion = [{bw}, {first}]"
        ));
        Plan::parse(&format!("{HEAD}{launch}{plan}"), "p.toml").unwrap();
    }
}

#[test]
fn what_holds_for_all_does_not_ask_a_course_of_what_records_none() {
    let app = "app = { argv = [\"./p\"], parse = \"ior\" }\nrole = \"reported\"";
    let ior = test_with("ior = \"-w\"\nrole = \"reported\"").replace("\"T\"", "\"I\"");
    let plan = format!("{HEAD}[defaults]\nsustained = \"9 s\"\n{}{ior}", test_with(app));
    let plan = Plan::parse(&plan, "p.toml").unwrap();
    assert_eq!(plan.tests.iter().map(|test| test.sustained_s).collect::<Vec<_>>(), [None, Some(9.0)]);
}

#[test]
fn a_scale_can_leave_out_that_a_rate_becomes_steady_and_then_none_is_steady() {
    let steady = |window: &str, rest: &str| {
        let keys = format!("ior = \"-w\"\nsteady = {{ window = \"{window}\", max = \"60 s\" }}\n{rest}");
        Plan::parse(&format!("{HEAD}{}", test_with(&keys)), "p.toml").map_err(|rejection| rejection.0)
    };
    let reported = "role = \"reported\"";
    assert!(steady("30 s", reported).unwrap().tests[0].course.steady.is_some());
    assert!(steady("", reported).unwrap().tests[0].course.steady.is_none());
    let rejection = steady("", &asks("write.steady")).unwrap_err();
    assert!(
        rejection.starts_with("p.toml:8:24: test T: `write.steady`: say how long a window is"),
        "{rejection}"
    );
}
