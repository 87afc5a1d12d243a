//! The numbers that are found in the output of external programs.

use plan::app::{App, AppMetric, KnownProgram, PrintedText, Stream};
use plan::{Plan, launcher::LaunchKind};
use results::Record;

/// The checked program of `app = { … }`.
fn app(keys: &str, metric: &str) -> App {
    let text = format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"{{dir}}\" }}\n\
         [[test]]\nid = \"T\"\napp = {{ argv = [\"./program\", \"\"], {keys} }}\n\
         criterion = {{ metric = \"{metric}\", op = \">=\", value = \"1 MiB/s\" }}\n"
    );
    let plan = Plan::parse(&text, "p.toml").unwrap();
    plan.tests[0].line.as_app().unwrap().clone()
}

/// The values in an output, in MiB/s, or why there are none.
fn values(app: &App, printed: PrintedText<'_>) -> Result<Vec<(String, f64)>, String> {
    let records = app.records(&["./program".to_owned()], 1, "/d", printed)?;
    let value = |record: Record| match record {
        Record::Value(value) => Some((value.name, value.value / f64::from(1 << 20))),
        _ => None,
    };
    Ok(records.into_iter().filter_map(value).collect())
}

fn out(text: &str) -> PrintedText<'_> {
    PrintedText { out: text, err: "" }
}

/// What release 4.1 prints without `-v` for `-w -k`, with two repetitions.
const IOR_4_1: &str = "\
IOR-4.1.0: MPI Coordinated Test of Parallel I/O
Began               : Mon Jan  5 10:00:00 2026
Command line        : ior -a POSIX -w -k -i 2 -t 1m -b 64m -o /d/data
Machine             : Linux node7
TestID              : 0
StartTime           : Mon Jan  5 10:00:00 2026
Path                : /d/data
FS                  : 100.0 TiB   Used FS: 41.0%   Inodes: 90.0 Mi   Used Inodes: 1.5%

Options: 
api                 : POSIX
apiVersion          : 
test filename       : /d/data
access              : single-shared-file
type                : independent
segments            : 1
ordering in a file  : sequential
ordering inter file : no tasks offsets
nodes               : 1
tasks               : 1
clients per node    : 1
repetitions         : 2
xfersize            : 1 MiB
blocksize           : 64 MiB
aggregate filesize  : 64 MiB

Results: 

access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)  wr/rd(s) close(s) total(s) iter
------    ---------  ----       ----------  ---------- ---------  -------  -------- -------- -------- ----
write     790.50     801.00     0.001248    65536      1024.00    0.000199 0.079900 0.000120 0.080961 0   
write     812.25     820.51     0.001218    65536      1024.00    0.000201 0.078000 0.000111 0.078794 1   

Summary of all tests:
Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev   Max(OPs)   Min(OPs)  Mean(OPs) \
     StdDev    Mean(s) \
Stonewall(s) Stonewall(MiB) Test# #Tasks tPN reps fPP reord reordoff reordrand seed segcnt   blksiz    xsize \
aggs(MiB)   API RefNum
write         812.25     790.50     801.38      10.88     812.25     790.50     801.38 \
     10.88    0.07988         \
NA            NA     0      1   1    2   0     0        1         0    0      1 67108864  1048576 \
     64.0 POSIX      0
Finished            : Mon Jan  5 10:00:01 2026
";

#[test]
fn a_write_only_output_of_ior_needs_no_line_about_reads() {
    let ior = app("parse = \"ior\"", "write.bw");
    let text = "Max Write: 512.50 MiB/sec (537.40 MB/sec)\n";
    assert_eq!(values(&ior, out(text)), Ok(vec![("write.bw".to_owned(), 512.5)]));
}

#[test]
fn an_output_of_ior_4_1_without_max_lines_is_read_from_its_summary() {
    let ior = app("parse = \"ior\"", "write.bw");
    assert_eq!(values(&ior, out(IOR_4_1)), Ok(vec![("write.bw".to_owned(), 812.25)]));
    let with_max = format!("{IOR_4_1}Max Write: 812.25 MiB/sec (851.71 MB/sec)\n");
    assert_eq!(values(&ior, out(&with_max)).unwrap().len(), 1, "the same number counts once");
    let unbelievable = IOR_4_1.replace("write         812.25", "write            inf");
    assert!(values(&ior, out(&unbelievable)).unwrap_err().contains("not a finite number"));
    let twice = format!("{IOR_4_1}{}", &IOR_4_1[IOR_4_1.find("write         812.25").unwrap()..]);
    let why = values(&ior, out(&twice)).unwrap_err();
    assert_eq!(why, "write.bw: 2 lines match. Select one with `pick`.");
}

/// The rates of operations that mdtest prints for `rows`, which may have several tables.
fn mdtest_rates(rows: &str) -> Result<Vec<(String, f64)>, String> {
    let metrics = AppMetric::known(KnownProgram::Mdtest, Stream::Out);
    let mdtest = App { metrics, parse: Some(KnownProgram::Mdtest), ..App::default() };
    let rates = values(&mdtest, out(rows))?;
    Ok(rates.into_iter().map(|(name, value)| (name, value * f64::from(1 << 20))).collect())
}

#[test]
fn a_phase_of_mdtest_that_did_not_run_has_no_rate() {
    let zero = "   File stat         :          0.000          0.000          0.000          0.000\n";
    let ran = "   File creation     :       2499.592       2006.451       2083.858         77.407\n";
    let wanted = vec![("file_creation.rate".to_owned(), 2083.858)];
    assert_eq!(mdtest_rates(&format!("{ran}{zero}")), Ok(wanted));
    assert!(mdtest_rates(zero).unwrap_err().starts_with("no line of stdout is a result of mdtest"));
    let unbelievable = ran.replace("2083.858", "inf");
    assert!(mdtest_rates(&unbelievable).unwrap_err().contains("not a finite number"));
}

#[test]
fn the_rate_of_mdtest_is_no_time_and_no_rate_of_a_rank() {
    let rows = "   Directory rename             0.002          0.001          0.001          0.000\n";
    let ranks = "   Directory rename       9.0  8.0  7.0    400.000    200.000    300.000      1.000\n";
    let wanted = Ok(vec![("directory_rename.rate".to_owned(), 300.0)]);
    assert_eq!(mdtest_rates(ranks), wanted);
    assert_eq!(mdtest_rates(&format!("{ranks}\nSUMMARY time: (of 1 iterations)\n{rows}")), wanted);
    let times = mdtest_rates(&format!("SUMMARY time: (of 1 iterations)\n{rows}"));
    assert!(times.unwrap_err().starts_with("no line of stdout is a result of mdtest"));
}

#[test]
fn a_pattern_reads_the_stream_that_the_plan_names() {
    let dd = "64+0 records out\n67108864 bytes copied, 0.1 s, 640 MiB/s\n";
    let line = r#"metrics = { "copy.bw" = { line = "([0-9.]+) MiB/s$", unit = "MiB/s""#;
    let printed = PrintedText { out: "", err: dd };
    let of_metric = app(&format!("{line}, stream = \"stderr\" }} }}"), "copy.bw");
    let of_app = app(&format!("stream = \"stderr\", {line} }} }}"), "copy.bw");
    for app in [of_metric, of_app] {
        assert_eq!(values(&app, printed), Ok(vec![("copy.bw".to_owned(), 640.0)]));
    }
    let unnamed = app(&format!("{line} }} }}"), "copy.bw");
    let why = values(&unnamed, printed).unwrap_err();
    assert!(why.ends_with("but a line of stderr does. Write `stream = \"stderr\"`."), "{why}");
}

#[test]
fn an_output_without_the_number_is_shown_with_its_end() {
    let line = r#"metrics = { "copy.bw" = { line = "rate ([0-9.]+)", unit = "MiB/s" } }"#;
    let copy = app(line, "copy.bw");
    let why = values(&copy, out("a\nb\n\n  c: no space left\nd\n")).unwrap_err();
    assert_eq!(
        why,
        "copy.bw: no line of stdout matches `rate ([0-9.]+)`. stdout ends with: b / c: no space left / d"
    );
    let why = values(&copy, out("")).unwrap_err();
    assert!(why.ends_with("Nothing was printed to stdout."), "{why}");
    let ior = app("parse = \"ior\"", "write.bw");
    let why = values(&ior, out("ERROR: no such file\n")).unwrap_err();
    assert_eq!(why, "no line of stdout is a result of ior. stdout ends with: ERROR: no such file");
    let why = values(&ior, PrintedText { out: "", err: IOR_4_1 }).unwrap_err();
    assert!(why.ends_with("but a line of stderr is. Write `stream = \"stderr\"`."), "{why}");
}

#[test]
fn empty_words_do_not_reach_the_launcher_or_the_program() {
    assert_eq!(app("parse = \"ior\"", "write.bw").words, ["./program"]);
    let plan = |launch: &str| {
        let text = format!(
            "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"{{dir}}\" }}\n\
             parameters.more = \"\"\n[launch]\n{launch}\n[[test]]\nid = \"T\"\nior = \"-w\"\n\
             role = \"reported\"\n"
        );
        Plan::parse(&text, "p.toml").unwrap().launch.kind
    };
    let options = ["[]", "[\"\"]", "[\"${more}\"]"]
        .map(|options| plan(&format!("kind = \"srun\"\noptions = {options}")));
    for kind in options {
        assert!(matches!(&kind, LaunchKind::Named { options, .. } if options.is_empty()), "{kind:?}");
    }
    let kind = plan("kind = \"mpirun\"\nargv = [\"mpirun\", \"${more}\", \"-n\", \"{ranks}\", \"{cmd}\"]");
    assert!(matches!(&kind, LaunchKind::Mpirun(words) if words.len() == 4), "{kind:?}");
}
