//! The tables of what runs: tests, series and groups, with what stands in them.

use units::Dimension;

use super::Kind::{
    Count, Entries, Goal, Id, Nodes, Numbers, OneOrSeveral, Quantity, Several, Text, Texts, Truth, Word,
};
use super::rows::{DECIDE, SHARE, STRIPES, TIME};
use super::{Kind, Table, key};

pub(super) static TEST: Table = Table {
    name: "test",
    opens: "[[test]]",
    about: "One line, run so many times, and what it must show; also a phase of a series and a part of a \
    group",
    keys: &[
        key("id", Id, "\"B.1\"", "its name, of which there is one: letters, digits, `-`, `_`, `.`").must(),
        key(
            "clause",
            Text,
            "\"the file system sustains 2.5 GB/s\"",
            "the contract's words; the id if nothing is said",
        ),
        key("ior", Text, "\"-w -F -e -g -t 1m -b 4g\"", "a line of IOR, verbatim"),
        key("mdtest", Text, "\"-F -C -n 10000 -u\"", "a line of mdtest"),
        key("fdtree", Text, "\"-d 2 -f 10\"", "a line of fdtree"),
        key("ls_lr", Text, "\"--cold\"", "a line of `assay ls-lr`: many `ls -lR` at once"),
        key("flash_io", Text, "\"--size 16\"", "a line of `assay flash-io`: checkpoint and plot files"),
        key("mpi_io", Text, "\"--only access.*\"", "a line of `assay mpi-io`, the conformance suite"),
        key(
            "app",
            Kind::Table(&APP),
            "{ argv = [\"./umt\"], parse = \"ior\" }",
            "a program that is not part of this one",
        ),
        key("ranks", Count, "32", "ranks in all"),
        key("nodes", Nodes(&NODES), "\"90%\"", "nodes, full of `ppn` ranks"),
        key("ppn", Count, "4", "ranks on each node; 1 beside `nodes` if nothing is said"),
        key("repetitions", Count, "5", "each a launch of its own"),
        key(
            "uses",
            Text,
            "\"dataset.big\"",
            "whose files it works on: a dataset's, or those that a test above left",
        ),
        key(
            "setup",
            Texts,
            "[\"lfs setstripe -c 1 {dir}\"]",
            "commands of the shell that run before each launch, in the job's folder, which keeps what \
             they print; where one fails the attempt is none",
        ),
        key(
            "exports",
            Entries,
            "{ SMALLEST = \"min(file.size)\" }",
            "what lines of later tests find as `${NAME}`: the bytes of the smallest file that it left, in \
             whole transfers",
        ),
        key("states", Texts, "[\"aged\"]", "the states that it needs"),
        key(
            "degraded",
            Truth,
            "true",
            "whether something of the file system may be down while it runs, which is then told",
        ),
        key("stripes", STRIPES, "1", "on how many targets each file is to lie; `\"all\"` of them"),
        key(
            "role",
            Word(&["contract", "reported", "hero"]),
            "\"reported\"",
            "`contract`, if nothing is said: it has criteria; `reported`: it is measured and shown; \
             `hero`: what can be had with other sizes, shown beside `compare_to`",
        ),
        key(
            "criterion",
            OneOrSeveral(&CRITERION),
            "{ metric = \"write.bw\", op = \">=\", value = \"3 GB/s\" }",
            "what it must show; of several in [ ] each is a clause of its own",
        ),
        key("timeout", TIME, "\"10 min\"", "of one job, after which it and its children are killed"),
        key("cov_max", SHARE, "\"20 %\"", "scatter above which a pass is INCONCLUSIVE"),
        key(
            "sustained",
            TIME,
            "\"30 s\"",
            "how long the measured phase lasts at least, with every rank at work",
        ),
        key(
            "steady",
            Kind::Table(&STEADY),
            "{ window = \"30 s\" }",
            "when its rate counts as steady; a run that does not become so is INVALID",
        ),
        key("warm_up", Count, "1", "launches before its repetitions, which are kept and count for nothing"),
        key(
            "order",
            ORDER,
            "\"interleaved\"",
            "of `nodes` with steps: `interleaved`: the first repetition of each, then the second of each, \
             so that no drift poses as an effect of the steps; `random`: each time in an order that is drawn",
        ),
        key(
            "client_limit",
            Kind::Table(&CLIENT_LIMIT),
            "{ nodes = [1024] }",
            "whether more clients have more: then its value is a lower bound",
        ),
        key(
            "verify",
            Word(&["after", "no"]),
            "\"after\"",
            "whether what `ior` wrote is read back and compared",
        ),
        key("compare_to", Text, "\"B.1\"", "of a hero: the test of the contract beside which it is shown"),
        key("waive", Several(&WAIVER), WAIVED, "findings of the linter that somebody answers for"),
        key(
            "cache",
            Word(&["cold", "warm"]),
            "\"warm\"",
            "`warm`: a cached read is meant, or names that this node's memory may hold; `cold` if nothing \
             is said",
        ),
        key("fs", Text, "\"scratch\"", "the file system; needed where there are several"),
        key("decide", Kind::Table(&DECIDE), "{ rule = \"median\" }", "how its verdict is reached"),
    ],
    forms: &[&["ior"], &["mdtest"], &["fdtree"], &["ls_lr"], &["flash_io"], &["mpi_io"], &["app"]],
};

/// How the repetitions of several steps follow on each other.
const ORDER: Kind = Word(&["sequential", "interleaved", "random"]);

static STEADY: Table = Table {
    name: "steady",
    opens: "steady = { … }",
    about: "When a rate counts as steady, as docs/METHODOLOGY.md has it",
    keys: &[
        key("window", TIME, "\"30 s\"", "the length of a window; 30 s if nothing is said"),
        key(
            "slope",
            SHARE,
            "\"10 %\"",
            "how much a straight line through a window rises or falls at most, of its mean; 10 % if \
             nothing is said",
        ),
        key(
            "range",
            SHARE,
            "\"20 %\"",
            "how far the means of its five parts lie apart at most, of its mean; 20 % if nothing is said",
        ),
        key("max", TIME, "\"300 s\"", "when it has to be steady at the latest; 300 s if nothing is said"),
        key("measured", TIME, "\"60 s\"", "how long it is measured then; a window if nothing is said"),
    ],
    forms: &[],
};

static CLIENT_LIMIT: Table = Table {
    name: "client_limit",
    opens: "client_limit = { … }",
    about: "The same test at more client nodes, once each",
    keys: &[
        key("nodes", Numbers, "[1024]", "the numbers of nodes, each more than its own").must(),
        key(
            "gain",
            SHARE,
            "\"5 %\"",
            "the gain above which the clients are what limits; 5 % if nothing is said",
        ),
        key("uses", Text, "\"dataset.more\"", "the dataset of those nodes, for a reader of more files"),
    ],
    forms: &[],
};

pub(super) static NODES: Table = Table {
    name: "nodes",
    opens: "nodes = { … }",
    about: "A rule for the number of nodes",
    keys: &[
        key("steps", Numbers, "[\"25%\", \"50%\", \"100%\"]", "a test of its own at each, `ID.n2` and so on"),
        key(
            "search",
            Numbers,
            "[540, 1080, 2160]",
            "once at each, as long as the metric of the first criterion gains; then the test itself, with \
             the nodes of the last that gained",
        ),
        key("gain", SHARE, "\"3 %\"", "of a search: what a step gains at least over the one before"),
    ],
    forms: &[&["steps"], &["search", "gain"]],
};

static CRITERION: Table = Table {
    name: "criterion",
    opens: "criterion = { … }",
    about: "What a measurement must show",
    keys: &[
        key("metric", Text, "\"write.bw\"", "`PHASE.NAME`").must(),
        key(
            "stat",
            Word(&["mean", "median", "min", "max"]),
            "\"mean\"",
            "the statistic of the repetitions; that of `decide` if nothing is said, for counts the worst",
        ),
        key("op", Word(&[">=", "<=", ">", "<", "=="]), "\">=\"", "how it compares with `value`"),
        key(
            "value",
            Goal,
            "\"2.5 GB/s\"",
            "a number with its unit, `\"50% of ID.write.bw\"` or `\"66% of known.NAME\"`",
        ),
        key(
            "linear_within",
            SHARE,
            "\"10%\"",
            "of a series, alone with `metric`: how far each step may lie below linear from the first",
        ),
    ],
    forms: &[&["op", "value"], &["linear_within"]],
};

/// A waiver as an example.
pub(super) const WAIVED: &str = "[{ lint = \"write-iops-buffered\", why = \"…\", by = \"…\" }]";

pub(super) static WAIVER: Table = Table {
    name: "waiver",
    opens: "waive = [{ … }]",
    about: "A finding that somebody answers for",
    keys: &[
        key("lint", Text, "\"write-iops-buffered\"", "the id of the lint (docs/LINTS.md)").must(),
        key("why", Text, "\"the user's view is meant\"", "why it does not matter here").must(),
        key("by", Text, "\"storage lead\"", "who says so; `\"\"` is nobody yet").must(),
    ],
    forms: &[],
};

static APP: Table = Table {
    name: "app",
    opens: "app = { … }",
    about: "A program that is not part of this one",
    keys: &[
        key(
            "argv",
            Texts,
            "[\"./umt\", \"{dir}/dump\"]",
            "the program and its words; the launcher starts it like any other, with `local` as one \
             process; `{assay}` is this program's file",
        )
        .must(),
        key(
            "metrics",
            Kind::Named(&METRIC),
            "{ \"step.bw\" = { line = \"rate: ([0-9.]+)\", unit = \"GB/s\" } }",
            "what it measures, by `PHASE.NAME`",
        ),
        key(
            "parse",
            Word(&["ior", "mdtest", "flash-io"]),
            "\"ior\"",
            "the metrics of a known program instead",
        ),
        key(
            "writes",
            Quantity(&[Dimension::Bytes]),
            "\"1.4 TB\"",
            "what it writes at most, for the room that is looked for beforehand",
        ),
    ],
    forms: &[&["metrics"], &["parse"]],
};

static METRIC: Table = Table {
    name: "metric",
    opens: "\"PHASE.NAME\" = { … }",
    about: "One number in what a program prints",
    keys: &[
        key("line", Text, "\"rate: ([0-9.]+) GB/s\"", "a regular expression with one group, the number")
            .must(),
        key("unit", Text, "\"GB/s\"", "its unit").must(),
        key(
            "pick",
            Word(&["one", "first", "last", "min", "max", "mean"]),
            "\"min\"",
            "which of several lines; `one`, if nothing is said, refuses several",
        ),
    ],
    forms: &[],
};

pub(super) static SERIES: Table = Table {
    name: "series",
    opens: "[[series]]",
    about: "The same phases at each step of something",
    keys: &[
        key("id", Id, "\"IOR-2\"", "its name; tests are `ID.STEP.PHASE`").must(),
        key("clause", Text, "\"within 10 % of linear\"", "the contract's words, for phases that have none"),
        key("over", Word(&["servers", "nodes", "transfer"]), "\"servers\"", "what differs from step to step")
            .must(),
        key(
            "steps",
            Texts,
            "[\"1\", \"1/3\", \"2/3\", \"3/3\"]",
            "numbers, fractions or percentages of servers, numbers or percentages of nodes, or sizes of \
             transfers such as `64k`; `{step}` in lines",
        )
        .must(),
        key(
            "nodes",
            Nodes(&NODES),
            "{ steps = [\"10%\", \"30%\", \"60%\", \"90%\"] }",
            "nodes: one number, or as many steps as the series has",
        ),
        key("ppn", Count, "4", "ranks on each node, of phases that say nothing themselves"),
        key("repetitions", Count, "3", "of each phase at each step"),
        key(
            "order",
            ORDER,
            "\"interleaved\"",
            "over nodes or transfers: the first repetition of each step, then the second of each; `random`: \
             each time in an order that is drawn",
        ),
        key("fs", Text, "\"scratch\"", "the file system of its phases; over servers, theirs are counted"),
        key(
            "phases",
            Several(&TEST),
            "[{ id = \"w\", ior = \"-w -k\" }]",
            "what runs at each step, one after the other: `[[series.phases]]`, with the keys of a test",
        )
        .must(),
        key("waive", Several(&WAIVER), WAIVED, "findings about the series itself"),
    ],
    forms: &[],
};

pub(super) static GROUP: Table = Table {
    name: "group",
    opens: "[[group]]",
    about: "Tests that run at once",
    keys: &[
        key("id", Id, "\"LOAD\"", "its name; tests are `ID.PART`").must(),
        key("clause", Text, "\"application and I/O at the same time\"", "the contract's words"),
        key(
            "overlap",
            SHARE,
            "\"90%\"",
            "of the shorter part that ran beside the others; less is INVALID; 90 % if nothing is said",
        ),
        key("repetitions", Count, "3", "of all parts together"),
        key(
            "parts",
            Several(&TEST),
            "[{ id = \"a\", ior = \"-w\" }, { id = \"b\", ior = \"-w\" }]",
            "what runs at once: `[[group.parts]]`, with the keys of a test but `repetitions`",
        )
        .must(),
        key(
            "criterion",
            OneOrSeveral(&CRITERION),
            "{ metric = \"write.bw\", op = \">=\", value = \"20 GB/s\" }",
            "of the parts that have the metric, their sum",
        ),
        key("waive", Several(&WAIVER), WAIVED, "findings about the group itself"),
    ],
    forms: &[],
};
