//! The tables that stand at the head of a plan, and the file as a whole.
//!
//! Never here: tests, series and groups, which are in `parts`.

use units::Dimension;

use super::Kind::{
    Count, CountOr, Entries, Id, Named, Nodes, Number, Quantity, Scales, Several, SizeOrNone, Text, Texts,
    Version, Word,
};
use super::parts::{GROUP, NODES, SERIES, TEST, WAIVED, WAIVER};
use super::{Kind, Table, key};

pub(super) const TIME: Kind = Quantity(&[Dimension::Seconds]);
pub(super) const SHARE: Kind = Quantity(&[Dimension::Fraction]);

pub(super) static FILE: Table = Table {
    name: "file",
    opens: "the file",
    about: "A plan: what a campaign does and what it must show",
    keys: &[
        key("schema", Version, "1", "the version of this language").must(),
        key("plan", Kind::Table(&PLAN), "", "what the plan is").must(),
        key(
            "parameters",
            Entries,
            "block = \"32g\"",
            "names for what differs between machines: `${NAME}` in any text stands for the value",
        ),
        key(
            "scale",
            Scales,
            "block = \"64m\"",
            "`[scale.NAME]`: other values of the same parameters, chosen by `--scale NAME`",
        ),
        key("fs", Named(&FS), "", "`[fs.NAME]`: a file system under test").must(),
        key("clients", Kind::Table(&CLIENTS), "", "the client nodes"),
        key("launch", Kind::Table(&LAUNCH), "", "how jobs are started; without it as with `local`"),
        key(
            "defaults",
            Kind::Table(&DEFAULTS),
            "",
            "what holds for every test and dataset that says nothing itself",
        ),
        key("known", Named(&KNOWN), "", "`[known.NAME]`: a number that is known beforehand"),
        key("dataset", Named(&DATASET), "", "`[dataset.NAME]`: files made once and read by several tests"),
        key("state", Named(&STATE), "", "`[state.NAME]`: what a file system is brought to before tests"),
        key("test", Several(&TEST), "", "`[[test]]`: one line, run so many times, and what it must show"),
        key("series", Several(&SERIES), "", "`[[series]]`: the same phases at each step of something"),
        key("group", Several(&GROUP), "", "`[[group]]`: tests that run at once"),
        key(
            "system",
            Named(&SYSTEM),
            "",
            "`[system.LETTER]`: a system, as the tables of a procurement have it",
        ),
        key(
            "projection",
            Several(&PROJECTION),
            "",
            "`[[projection]]`: a rate of a system that is not measured",
        ),
    ],
    forms: &[],
};

static PLAN: Table = Table {
    name: "plan",
    opens: "[plan]",
    about: "What the plan is",
    keys: &[
        key("id", Id, "\"acme-phase1\"", "names the campaign's folder: letters, digits, `-`, `_`, `.`")
            .must(),
        key("title", Text, "\"Acme scratch, phase 1\"", "what it is, in a line").must(),
        key("source", Text, "\"contract 4711, annex B\"", "where its clauses come from"),
        key(
            "report",
            Word(&["usual", "procurement"]),
            "\"procurement\"",
            "`procurement`: with the tables of a procurement",
        ),
        key("system", Text, "\"A\"", "which of its systems is measured; needed where there are several"),
    ],
    forms: &[],
};

static FS: Table = Table {
    name: "fs",
    opens: "[fs.NAME]",
    about: "A file system under test",
    keys: &[
        key("dir", Text, "\"{dir}\"", "the directory to work in; `{dir}` is what `assay run --dir` gives")
            .must(),
        key("kind", Text, "\"lustre\"", "its type, checked here and on the nodes of each job; empty is any"),
        key("servers", Count, "360", "how many servers there are in all"),
        key("targets", CountOr(""), "1440", "how many targets hold data in all; `\"\"` where not known"),
        key(
            "set_servers",
            Text,
            "\"bin/servers-online {servers}\"",
            "a command of the shell that brings so many servers on and the others off; at the end all are \
             brought back",
        ),
        key(
            "count_servers",
            Text,
            "\"bin/servers-count\"",
            "a command that prints how many serve, asked before every job of a step; beside `set_servers`",
        ),
        key(
            "health",
            Text,
            "\"bin/health\"",
            "a command that prints a line for each server, target or link that is down or being rebuilt; \
             asked before and after every job",
        ),
        key(
            "traffic",
            Text,
            "\"bin/bytes-moved\"",
            "a command that prints how many bytes the servers have moved for clients so far; asked before \
             and after every job",
        ),
        key(
            "quota",
            Text,
            "\"bin/quota-left $USER\"",
            "a command that prints how many bytes and how many names the user may still have, `-` for no \
             limit; asked before anything runs",
        ),
        key(
            "fill",
            Texts,
            "[\"60%\", \"70%\"]",
            "the shares of its blocks in use between which results are compared",
        ),
        key(
            "rate",
            Quantity(&[Dimension::BytesPerSecond]),
            "\"1.5 TB/s\"",
            "how fast it is at most: what is faster came from a cache; and a line of ior with `-D` needs \
             room for no more than 1.5 times what that writes until then",
        ),
        key("waive", Several(&WAIVER), WAIVED, "findings about `fs.NAME` that somebody answers for"),
    ],
    forms: &[],
};

static CLIENTS: Table = Table {
    name: "clients",
    opens: "[clients]",
    about: "The client nodes",
    keys: &[
        key("delivered", Count, "1536", "how many the contract delivers: what percentages of nodes are of"),
        key("hostfile", Text, "\"hosts.txt\"", "a file with their names, a line each"),
        key("exclude", Texts, "[\"n017\"]", "names of nodes that no job is to run on"),
        key("memory", SizeOrNone, "\"256 GiB\"", "main memory of a node; `\"\"` where it is not known"),
        key("cores", CountOr(""), "64", "cores of a node; `\"\"` where that is not known"),
    ],
    forms: &[],
};

static LAUNCH: Table = Table {
    name: "launch",
    opens: "[launch]",
    about: "How jobs are started",
    keys: &[
        key(
            "kind",
            Word(&["local", "mpirun", "aprun", "flux", "jsrun", "mpich", "openmpi", "pals", "srun"]),
            "\"srun\"",
            "the launcher; `local`: ranks are threads of one process; `mpirun`: the words of `argv`",
        )
        .must(),
        key("program", Text, "\"mpirun.openmpi\"", "of a launcher by name: in place of its usual program"),
        key("options", Texts, "[\"--mpi=pmi2\"]", "of a launcher by name: added before the command"),
        key(
            "argv",
            Texts,
            "[\"mpirun\", \"-n\", \"{ranks}\", \"{cmd}\"]",
            "of `mpirun`: its words, with `{ranks}`, `{nodes}`, `{ppn}`, `{hosts}`, and `{cmd}` alone for \
             the command; these if nothing is said",
        ),
        key("env", Entries, "{ OMP_NUM_THREADS = \"1\" }", "environment of every job"),
    ],
    forms: &[],
};

static DEFAULTS: Table = Table {
    name: "defaults",
    opens: "[defaults]",
    about: "What holds where a test or dataset says nothing itself",
    keys: &[
        key("repetitions", Count, "5", "each a launch of its own; 1 if nothing is said"),
        key("ranks", Count, "4", "ranks in all; 1 if nothing is said"),
        key("nodes", Nodes(&NODES), "\"90%\"", "nodes, one number, where neither they nor `ranks` are given"),
        key("ppn", Count, "4", "ranks on each node"),
        key(
            "timeout",
            TIME,
            "\"10 min\"",
            "of one job, after which it and its children are killed; 1 h if nothing is said",
        ),
        key(
            "decide",
            Kind::Table(&DECIDE),
            "{ rule = \"mean\", confidence = 0.95 }",
            "how a verdict is reached",
        ),
        key("fs", Text, "\"scratch\"", "the file system; needed where there are several"),
        key("cov_max", SHARE, "\"20 %\"", "scatter above which a pass is INCONCLUSIVE"),
        key(
            "sustained",
            TIME,
            "\"30 s\"",
            "a measured phase that is shorter, or in which a rank had nothing more to do before, is INVALID; \
             an `app` and `mpi_io` record no such thing, and are not asked",
        ),
        key(
            "verify",
            Word(&["after", "no"]),
            "\"after\"",
            "`after`: what `ior` wrote is read back and compared, in a phase of its own",
        ),
    ],
    forms: &[],
};

pub(super) static DECIDE: Table = Table {
    name: "decide",
    opens: "decide = { … }",
    about: "How a verdict is reached",
    keys: &[
        key(
            "rule",
            Word(&["mean", "median", "min", "lower_bound"]),
            "\"mean\"",
            "the statistic that is compared where a criterion names none; `min`: the worst, so the largest \
             with `<=` and `<`; `lower_bound`: the bound instead, so that one repetition decides nothing",
        )
        .must(),
        key("confidence", Number, "0.95", "of the bound, 0.5 to 1; 0.95 if nothing is said"),
    ],
    forms: &[],
};

static KNOWN: Table = Table {
    name: "known",
    opens: "[known.NAME]",
    about: "A number that is known beforehand",
    keys: &[
        key("value", ANY, "\"716886 MiB/s\"", "the number with its unit").must(),
        key("source", Text, "\"acceptance report of phase 1, page 12\"", "where it is from").must(),
    ],
    forms: &[],
};

/// A value of any dimension.
pub(super) const ANY: Kind = Quantity(&[
    Dimension::Bytes,
    Dimension::BytesPerSecond,
    Dimension::PerSecond,
    Dimension::Seconds,
    Dimension::Fraction,
    Dimension::Count,
]);

/// How many targets a file lies on.
pub(super) const STRIPES: Kind = CountOr("all");

static DATASET: Table = Table {
    name: "dataset",
    opens: "[dataset.NAME]",
    about: "Files made once, before their first reader",
    keys: &[
        key("ior", Text, "\"-w -F -e -g -t 1m -b 4g -k\"", "the line that writes them, with `-w` and `-k`"),
        key("mdtest", Text, "\"-F -C -n 1000000 -u\"", "or the line that makes names, and only makes them"),
        key(
            "cover",
            Kind::Table(&COVER),
            "{ rate = \"4.5 TB/s\", time = \"30 s\" }",
            "what its readers need",
        ),
        key(
            "keep",
            TIME,
            "\"7 days\"",
            "how long later campaigns may use it; without it, it is removed after its last reader",
        ),
        key(
            "setup",
            Texts,
            "[\"lfs setstripe -c 1 {dir}\"]",
            "commands of the shell that run before it, in the job's folder, which keeps what they print",
        ),
        key("stripes", STRIPES, "1", "on how many targets each file is to lie; `\"all\"` of them"),
        key("ranks", Count, "4", "ranks that write them"),
        key("nodes", Nodes(&NODES), "\"90%\"", "nodes, full of `ppn` ranks"),
        key("ppn", Count, "4", "ranks on each node"),
        key("fs", Text, "\"scratch\"", "the file system"),
        key("timeout", TIME, "\"10 min\"", "of the job that makes them"),
        key(
            "verify",
            Word(&["after", "no"]),
            "\"after\"",
            "whether what `ior` wrote is read back and compared before its readers run",
        ),
        key("waive", Several(&WAIVER), WAIVED, "findings about it that somebody answers for"),
    ],
    forms: &[&["ior"], &["mdtest"]],
};

static COVER: Table = Table {
    name: "cover",
    opens: "cover = { … }",
    about: "What the readers of a dataset need",
    keys: &[
        key("rate", Quantity(&[Dimension::BytesPerSecond]), "\"4.5 TB/s\"", "how fast they read").must(),
        key("time", TIME, "\"30 s\"", "for how long").must(),
        key("margin", Number, "1.5", "how many times that has to be there; 1.5 if nothing is said"),
    ],
    forms: &[],
};

static STATE: Table = Table {
    name: "state",
    opens: "[state.NAME]",
    about: "What a file system is brought to before tests, and is in while they run",
    keys: &[
        key(
            "age",
            Text,
            "\"--blocks 80% --inodes 20% --turnovers 1\"",
            "filled and aged: options of `assay age`; the directory is added",
        ),
        key(
            "preload",
            Count,
            "1000000",
            "so many files in each directory that the test works in; the test itself makes them",
        ),
        key(
            "degrade",
            Text,
            "\"bin/server-off 3\"",
            "or a command of the shell that takes something down, before the first test that needs it",
        ),
        key(
            "mend",
            Text,
            "\"bin/server-on 3\"",
            "and the one that brings it back, before the next test without it and at the end",
        ),
        key("ranks", Count, "8", "ranks that make a state of `age`"),
        key("nodes", Nodes(&NODES), "2", "nodes that make it"),
        key("ppn", Count, "4", "ranks on each node"),
        key("fs", Text, "\"scratch\"", "the file system"),
        key("timeout", TIME, "\"2 h\"", "of the job that makes a state of `age`, of `degrade` and of `mend`"),
        key("waive", Several(&WAIVER), WAIVED, "findings about it that somebody answers for"),
    ],
    forms: &[&["age"], &["preload"], &["degrade", "mend"]],
};

static SYSTEM: Table = Table {
    name: "system",
    opens: "[system.LETTER]",
    about: "A system, as the tables of a procurement have it",
    keys: &[
        key("processor", Text, "\"AMD EPYC 7763\"", "its processor").must(),
        key("clock", Text, "\"2.45 GHz\"", "its clock").must(),
        key("interconnect", Text, "\"Slingshot 10\"", "its interconnect").must(),
        key("cores", Count, "196608", "its cores in all").must(),
    ],
    forms: &[],
};

static PROJECTION: Table = Table {
    name: "projection",
    opens: "[[projection]]",
    about: "A rate of a system that is not measured",
    keys: &[
        key("of", Text, "\"IOR-1.write.bw\"", "what is projected: a test and its metric").must(),
        key("from", Text, "\"IOR-2.w\"", "the phase of a series whose steps are projected").must(),
        key("to", Count, "360", "how many of what the series is over").must(),
        key("system", Text, "\"B\"", "the letter of the system that has so many").must(),
        key(
            "cap",
            Quantity(&[Dimension::BytesPerSecond, Dimension::PerSecond]),
            "\"1.1 TB/s\"",
            "what it cannot be above",
        ),
        key("confidence", Number, "0.95", "of the interval; 0.95 if nothing is said"),
    ],
    forms: &[],
};
