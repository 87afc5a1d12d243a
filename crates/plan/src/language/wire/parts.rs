//! The keys of everything that runs: tests, series and groups, with their tables.

use std::collections::BTreeMap;

use toml::Spanned;
use units::Dimension;

use super::{
    Count, Criteria, CriterionValue, DecideKeys, LaunchKeys, NodeCount, NodesValue, SHARE, TIME, VerifyWord,
    keys,
};
use crate::app::{KnownProgram, Pick, Stream};
use crate::words::words;
use crate::{Stat, Stripes};

keys! {
    #[allow(dead_code, reason = "the keys of `like` are copied before the rest is read, by `parse::like`")]
    TestKeys, "test", "[[test]]",
        "One command line, its repetitions and its criteria. Also a phase of a series and a part of a group";
    needs {
        id: Spanned<String> = Id, "\"B.1\"", "the unique name: letters, digits, `-`, `_`, `.`";
    }
    may {
        clause: Option<Spanned<String>>, "\"the file system sustains 2.5 GB/s\"",
            "the requirement text. Default: the id. In a plan with `[[clause]]`: the id of the clause that \
             its criteria belong to";
        like: Option<String>, "\"B.1\"",
            "the id of a `[[test]]` whose keys this test has, except those that it gives itself. `clause`, \
             `waive` and `exports` are not copied";
        ior: Option<Spanned<String>>, "\"-w -F -e -g -t 1m -b 4g\"",
            "an IOR command line, passed on verbatim" keeps "";
        mdtest: Option<Spanned<String>>, "\"-F -C -n 10000 -u\"", "an mdtest command line" keeps "";
        md_workbench: Option<Spanned<String>>, "\"-P 300 -I 100\"",
            "an md-workbench command line with all three phases" keeps "";
        fdtree: Option<Spanned<String>>, "\"-d 2 -f 10\"", "an fdtree command line" keeps "";
        ls_lr: Option<Spanned<String>>, "\"--cold\"",
            "an `assay ls-lr` command line: many `ls -lR` at the same time" keeps "";
        pfind: Option<Spanned<String>>, "\"-name *01* -size 3901c\"",
            "an `assay pfind` command line: the parallel find of IO500" keeps "";
        flash_io: Option<Spanned<String>>, "\"--size 16\"",
            "an `assay flash-io` command line: checkpoint and plot files" keeps "";
        mpi_io: Option<Spanned<String>>, "\"--only access.*\"",
            "an `assay mpi-io` command line: the conformance suite" keeps "";
        quota: Option<Spanned<String>>, "\"--of project\"",
            "an `assay quota` command line: writes and creates until a limit rejects it" keeps "";
        app: Option<Spanned<AppKeys>>, "{ argv = [\"./umt\"], parse = \"ior\" }", "an external program";
        ranks: Option<Spanned<Count>>, "32", "the total number of ranks";
        nodes: Option<Spanned<NodesValue>>, "\"90%\"", "nodes, each with `ppn` ranks";
        ppn: Option<Spanned<Count>>, "4", "ranks per node. Default with `nodes`: 1";
        repetitions: Option<Spanned<Count>>, "5", "the number of repetitions, each a separate job";
        launch: Option<Spanned<LaunchKeys>>, "{ kind = \"local\" }",
            "how its jobs are started, instead of `[launch]`: `local`, or the launcher of `[launch]` with \
             other `options`, `argv`, `env` or `attempts`. Variables of `[launch]` stay, and its `attempts` \
             if the test sets none";
        uses: Option<Spanned<String>>, "\"dataset.big\"",
            "the files that it works on: those of a dataset, or those that an earlier test left";
        setup: Vec<String>, "[\"lfs setstripe -c 1 {dir}\"]",
            "shell commands that run before each job, in the job's directory, which keeps their output. If \
             one fails, the job is not started";
        exports: BTreeMap<String, String>, "{ SMALLEST = \"min(file.size)\" }",
            "values that command lines of later tests read as `${NAME}`: the bytes of the smallest file that \
             it left, in whole transfers";
        states: Vec<Spanned<String>>, "[\"aged\"]", "the states that it needs";
        degraded: bool, "true",
            "whether parts of the file system may be offline while it runs. The report then states it";
        stripes: Option<Spanned<Stripes>>, "1",
            "the number of storage targets of each file. `\"all\"`: all of them";
        role: RoleWord, "\"reported\"",
            "`contract` (default): it has criteria. `reported`: it is measured and shown. `hero`: it shows \
             the rate with other sizes, compared with `compare_to`";
        criterion: Criteria, "{ metric = \"write.bw\", op = \">=\", value = \"3 GB/s\" }",
            "the criteria. Each of several in [ ] is a separate clause";
        best_of: Option<Spanned<String>>, "\"write.bw\"",
            "the rate whose best repetition all its criteria are about, `as-written`. It can be that of a \
             test that works on the same files: `\"R.read.bw\"`";
        require: Option<Spanned<RequireKeys>>, "{ bytes_per_node = \"150 % of memory\" }",
            "what the measurement must be like. One that is not is INVALID";
        timeout: Option<Spanned<String>> = TIME, "\"10 min\"",
            "the time limit of one job, after which the job and its child processes are killed";
        cov_max: Option<Spanned<String>> = QuantityOrNone(&[Dimension::Fraction]), "\"20 %\"",
            "the COV above which a PASS becomes INCONCLUSIVE. A plan without it has a finding above 10 %. \
             `\"\"`: none, also if `[defaults]` has one" keeps "";
        sustained: Option<Spanned<String>> = QuantityOrNone(&[Dimension::Seconds]), "\"30 s\"",
            "the minimum duration of the measured phase, with every rank at work. `\"\"`: none, also if \
             `[defaults]` has one" keeps "";
        steady: Option<Spanned<SteadyKeys>>, "{ window = \"30 s\" }",
            "when its rate counts as steady. A run that does not become steady is INVALID";
        warm_up: Option<Spanned<Count>>, "1",
            "the number of jobs before its repetitions. They are kept but excluded";
        order: Option<Spanned<OrderWord>>, "\"interleaved\"",
            "for `nodes` with steps: `sequential` (default): all repetitions of each step. \
             `interleaved`: the first repetition of each step, then the second of each. \
             `random`: the same, with the steps in random order";
        client_limit: Option<Spanned<ClientLimitKeys>>, "{ nodes = [1024] }",
            "a check whether more client nodes reach a higher rate. The test's value is then a lower limit";
        verify: Option<VerifyWord>, "\"after\"", "whether data written by `ior` is read back and compared";
        compare_to: Option<Spanned<String>>, "\"B.1\"",
            "for a hero test: the contract test that it is shown with";
        waive: Vec<WaiverKeys>, "[{ lint = \"write-iops-buffered\", why = \"…\", approved_by = \"…\" }]",
            "waivers of findings about the test";
        cache: CacheWord, "\"warm\"",
            "`cold` (default). `warm`: cached reads are intended, or metadata may come from a node's memory";
        fs: Option<Spanned<String>>, "\"scratch\"", "the file system. Required if the plan has several";
        decide: Option<DecideKeys>, "{ rule = \"median\" }", "how its verdict is reached";
    }
    forms ["ior"], ["mdtest"], ["md_workbench"], ["fdtree"], ["ls_lr"], ["pfind"], ["flash_io"], ["mpi_io"],
        ["quota"], ["app"], ["like"];
}

keys! {
    RequireKeys, "require", "require = { … }",
        "What a contract requires of a measurement beside its number";
    may {
        bytes_per_node: Option<Spanned<String>>, "\"150 % of memory\"",
            "the least bytes that each phase with a criterion moves per node: a size, or a share of a node's \
             memory";
        job_time: Option<Spanned<String>> = TIME, "\"60 s\"", "the least duration of each job";
        gap: Option<Spanned<String>> = TIME, "\"30 s\"",
            "the most time from the last end in the job that it `uses` to its own first start";
        phase_gap: Option<Spanned<String>> = TIME, "\"10 s\"",
            "the most time between two phases of a job";
        consecutive: bool, "true",
            "whether its repetitions must follow each other: no other job is between two of them, and the \
             time between is shorter than each";
        own_files: bool, "true",
            "whether the campaign itself must make its files: `setup`, `uses` of a dataset, and files of an \
             `app` are rejected. What a launcher or a program does beside is not seen";
        nodes: Option<Spanned<Count>>, "10", "the least client nodes, as machines with kernels of their own";
        cores: Option<Spanned<String>> = SHARE, "\"80 %\"",
            "the least ranks of a node, as a share of its cores";
        ranks: Option<RanksWord>, "\"power of two\"", "what the number of ranks must be";
        persistent: bool, "true", "whether written data must be flushed within the measured time";
    }
}

words! {
    /// What a number of ranks must be.
    pub(crate) enum RanksWord {
        PowerOfTwo = "power of two",
    }
}

keys! {
    SteadyKeys, "steady", "steady = { … }",
        "When a rate counts as steady, as docs/explanation/verdict-statistics.md defines it";
    may {
        window: Option<Spanned<String>> = QuantityOrNone(&[Dimension::Seconds]), "\"30 s\"",
            "the length of a window. Default: 30 s. `\"\"`: not required, at a scale with \
             short phases" keeps "";
        slope: Option<Spanned<String>> = SHARE, "\"10 %\"",
            "the largest rise or fall of a straight line through a window, as a share of its mean. Default: \
             10 %";
        range: Option<Spanned<String>> = SHARE, "\"20 %\"",
            "the largest difference between the means of its five parts, as a share of its mean. Default: \
             20 %";
        max: Option<Spanned<String>> = TIME, "\"300 s\"",
            "the latest time at which the rate must be steady. Default: 300 s";
        measured: Option<Spanned<String>> = TIME, "\"60 s\"",
            "the duration of the measurement after that. Default: one window";
    }
}

keys! {
    ClientLimitKeys, "client_limit", "client_limit = { … }",
    "The same test on more client nodes, as often as itself";
    needs {
        nodes: Spanned<Vec<NodeCount>>, "[1024]", "the numbers of nodes, each greater than that of the test";
    }
    may {
        gain: Option<Spanned<String>> = SHARE, "\"5 %\"",
            "the gain above which the clients are the bottleneck. Default: 5 %";
        uses: Option<Spanned<String>>, "\"dataset.more\"",
            "the dataset for those nodes, for a reader of more files";
    }
}

keys! {
    NodesRule, "nodes", "nodes = { … }", "A rule for the number of nodes";
    may {
        steps: Option<Vec<NodeCount>>, "[\"25%\", \"50%\", \"100%\"]",
            "a separate test at each number of nodes, named `ID.n2` and so on";
        search: Option<Vec<NodeCount>>, "[540, 1080, 2160]",
            "numbers of nodes that are tried in order, as often as the test, until the metric of the first \
             criterion clearly gains too little. The test then runs on the best number";
        gain: Option<String> = SHARE, "\"3 %\"",
            "for `search`: the minimum gain of a step over the best one before";
    }
    forms ["steps"], ["search", "gain"];
}

keys! {
    ClauseKeys, "clause", "[[clause]]",
        "A clause of the contract. It has one verdict: the worst of all criteria that belong to it. A clause \
         without a criterion is NOT RUN";
    needs {
        id: Spanned<String>, "\"4.2\"", "the id of the clause in the contract";
        text: String, "\"The file system sustains 2.5 GB/s.\"", "the requirement text";
    }
    may {
        source: String, "\"annex B, page 12\"", "its place in the contract";
    }
}

keys! {
    CriterionKeys, "criterion", "criterion = { … }", "A requirement on a measurement";
    needs {
        metric: Spanned<String>, "\"write.bw\"", "the metric, `PHASE.NAME`";
    }
    may {
        stat: Option<Stat>, "\"mean\"",
            "the statistic of the repetitions. Default: that of `decide`, for counts the worst";
        op: Option<Spanned<String>> = CheckedWord(&[">=", "<=", ">", "<", "=="]), "\">=\"",
            "the comparison with `value`";
        value: Option<Spanned<CriterionValue>>, "\"2.5 GB/s\"",
            "the threshold: a number with its unit, `\"50% of ID.write.bw\"`, `\"66% of known.NAME\"` or \
             `\"95% of accepted\"`";
        linear_within: Option<Spanned<String>> = SHARE, "\"10%\"",
            "in a series, alone with `metric`: how far each step may be below linear scaling from the first \
             step";
        clause: Option<Spanned<String>>, "\"4.2\"",
            "the id of the `[[clause]]` that it belongs to. Without `[[clause]]`: the requirement text. \
             Default: that of the test";
        label: String, "\"write, 90 % of the nodes\"", "its name in reports, a few words";
        rule: Option<CriterionRule>, "\"as-written\"",
            "the value alone decides, PASS or FAIL, without a confidence. Default: that of `decide`";
        cov_max: Option<Spanned<String>> = QuantityOrNone(&[Dimension::Fraction]), "\"20 %\"",
            "the COV above which its PASS becomes INCONCLUSIVE. `\"\"`: none. Default: that of the test, and \
             none with `as-written`" keeps "";
    }
    forms ["op", "value"], ["linear_within"];
}

keys! {
    WaiverKeys, "waiver", "waive = [{ … }]", "The approval of a finding by a person";
    needs {
        lint: Spanned<String>, "\"write-iops-buffered\"", "the id of the lint (docs/reference/lints.md)";
        why: String, "\"the user's view is intended\"", "the reason";
        approved_by: Spanned<String>, "\"storage lead\"",
            "the name of the approver. `\"\"`: not approved yet";
    }
}

keys! {
    AppKeys, "app", "app = { … }", "An external program";
    needs {
        argv: Vec<String>, "[\"./umt\", \"{dir}/dump\"]",
            "the program and its arguments. The launcher starts it like any other program, with `local` as \
             one process. `{assay}` is replaced by the path of this program";
    }
    may {
        metrics: BTreeMap<String, MetricKeys>,
            "{ \"step.bw\" = { line = \"rate: ([0-9.]+)\", unit = \"GB/s\" } }",
            "its metrics, by `PHASE.NAME`";
        parse: Option<Spanned<String>> = CheckedWord(KnownProgram::WORDS), "\"ior\"",
            "or: the program whose known output it prints. `ior` and `mdtest`: what the output says about \
             processes, nodes, files, sizes and times is compared with the plan";
        stream: Option<Stream>, "\"stderr\"",
            "the stream that has its metrics, `tasks` and `seconds`. Default: `stdout`";
        tasks: Option<String>, "\"on ([0-9]+) processes\"",
            "a regular expression with one group, the number of processes. It must be that of the plan";
        seconds: Option<String>, "\"^took ([0-9.]+) s\"",
            "a regular expression with one group, the seconds that it measured. Their sum over all lines \
             cannot be longer than the job, and a small part of the job needs a waiver";
        writes: Option<Spanned<String>> = Quantity(&[Dimension::Bytes]), "\"1.4 TB\"",
            "the largest number of bytes that it writes, for the check of free space";
    }
    forms ["metrics"], ["parse"];
}

keys! {
    MetricKeys, "metric", "\"PHASE.NAME\" = { … }", "One number in the output of a program";
    needs {
        line: String, "\"rate: ([0-9.]+) GB/s\"", "a regular expression with one group, the number";
        unit: String, "\"GB/s\"", "the unit of the number";
    }
    may {
        pick: Pick, "\"min\"", "which of several matching lines counts. `one` (default) rejects several";
        stream: Option<Stream>, "\"stderr\"", "the stream that has the line. Default: that of `app`";
    }
}

keys! {
    SeriesKeys, "series", "[[series]]",
        "The same phases at each step over servers, nodes, ranks or transfer sizes";
    needs {
        id: Spanned<String> = Id, "\"IOR-2\"", "the unique name. Its tests are named `ID.STEP.PHASE`";
        over: SteppedBy, "\"servers\"", "the quantity that changes from step to step";
        steps: Spanned<Vec<String>>, "[\"1\", \"1/3\", \"2/3\", \"3/3\"]",
            "the steps: numbers, fractions or percentages of servers, numbers or percentages of nodes, \
             numbers of ranks, or transfer sizes such as `64k`. `{step}` in command lines is replaced by the \
             step";
        phases: Vec<TestKeys>, "[{ id = \"w\", ior = \"-w -k\" }]",
            "the tests that run in order at each step: `[[series.phases]]`, with the keys of a test";
    }
    may {
        clause: Option<Spanned<String>>, "\"within 10 % of linear\"",
            "the requirement text for phases that have none, or the id of a `[[clause]]`";
        nodes: Option<Spanned<NodesValue>>, "{ steps = [\"10%\", \"30%\", \"60%\", \"90%\"] }",
            "the number of nodes: one number, or one for each step. Over ranks, each step must fill them \
             evenly";
        ppn: Option<Spanned<Count>>, "4", "ranks per node for phases that do not set it";
        repetitions: Option<Spanned<Count>>, "3", "the repetitions of each phase at each step";
        order: Option<Spanned<OrderWord>>, "\"interleaved\"",
            "over nodes, ranks or transfers: `sequential` (default): all repetitions of each step. \
             `interleaved`: the first repetition of each step, then the second of each. \
             `random`: the same, with the steps in random order";
        fs: Option<Spanned<String>>, "\"scratch\"",
            "the file system of its phases. Over servers, the servers of this file system";
        waive: Vec<WaiverKeys>, "[{ lint = \"write-iops-buffered\", why = \"…\", approved_by = \"…\" }]",
            "waivers of findings about the series itself";
    }
}

keys! {
    GroupKeys, "group", "[[group]]", "Tests that run at the same time";
    needs {
        id: Spanned<String> = Id, "\"LOAD\"", "the unique name. Its tests are named `ID.PART`";
        parts: Vec<TestKeys>, "[{ id = \"a\", ior = \"-w\" }, { id = \"b\", ior = \"-w\" }]",
            "the tests that run at the same time: `[[group.parts]]`, with the keys of a test except \
             `repetitions`";
    }
    may {
        clause: Option<Spanned<String>>, "\"application and I/O at the same time\"",
            "the requirement text, or the id of a `[[clause]]`";
        overlap: Option<Spanned<String>> = SHARE, "\"90%\"",
            "the share of the shorter part that must run together with the others. Less is INVALID. \
             Default: 90 %";
        repetitions: Option<Spanned<Count>>, "3", "the repetitions of all parts together";
        criterion: Criteria, "{ metric = \"write.bw\", op = \">=\", value = \"20 GB/s\" }",
            "criteria on the sum over the parts that have the metric. `PHASE.part.min`, `.min_of_mean`, \
             `.spread`, `.max_over_min` and `.jain` are over their rates. `.part.skew` is latest start - \
             first start";
        waive: Vec<WaiverKeys>, "[{ lint = \"write-iops-buffered\", why = \"…\", approved_by = \"…\" }]",
            "waivers of findings about the group itself";
    }
}

keys! {
    ScoreKeys, "score", "[[score]]", "The geometric mean or the sum of what several tests measure";
    needs {
        id: Spanned<String> = Id, "\"EASY\"", "the unique name";
        of: Vec<Spanned<String>>, "[\"W.write.bw\", \"R.read.bw\"]",
            "what it is made of: metrics of tests with as many repetitions, as `TEST.METRIC`, or the ids \
             of scores before it with the same formula";
    }
    may {
        clause: Option<Spanned<String>>, "\"the bandwidth score reaches 10 GiB/s\"",
            "the requirement text, or the id of a `[[clause]]`";
        formula: ScoreFormulaWord, "\"sum\"",
            "`geometric-mean` (default) or `sum`";
        weights: Vec<Spanned<f64>>, "[2.0, 1.0]",
            "the weight of each part: its share in the exponents of a geometric mean, or the factor in a \
             sum. Default: equal ones, in a sum 1";
        points: Vec<Spanned<String>>, "[\"GiB/s\", \"kIOPS\"]",
            "the unit in which each part of `of` is a number. The score is then in `points`. Required if the \
             units of the parts differ";
        criterion: Option<ScoreCriterionKeys>, "{ op = \">=\", value = \"10 GiB/s\" }",
            "its criterion. Without one the score is only reported";
        waive: Vec<WaiverKeys>, "[{ lint = \"low-confidence\", why = \"…\", approved_by = \"…\" }]",
            "waivers of findings about the score itself";
    }
}

keys! {
    ScoreCriterionKeys, "score-criterion", "criterion", "The criterion of a score";
    needs {
        op: Spanned<String> = Word(&[">=", ">"]), "\">=\"", "the comparison with `value`";
        value: Spanned<CriterionValue>, "\"10 GiB/s\"",
            "the threshold: a number with its unit, `\"66% of known.NAME\"` or `\"95% of accepted\"`";
    }
    may {
        stat: Option<Stat>, "\"mean\"", "the statistic of the repetitions. Default: that of `decide`";
        label: String, "\"write, 90 % of the nodes\"", "its name in reports, a few words";
        rule: Option<CriterionRule>, "\"as-written\"",
            "the value alone decides, PASS or FAIL, without a confidence. Default: that of `decide`";
        cov_max: Option<Spanned<String>> = QuantityOrNone(&[Dimension::Fraction]), "\"20 %\"",
            "the COV above which its PASS becomes INCONCLUSIVE. `\"\"`: none. Default: that of its first \
             test, and none with `as-written`" keeps "";
    }
}

words! {
    /// How the parts of a score are put together.
    #[derive(Default)]
    pub(crate) enum ScoreFormulaWord {
        #[default]
        GeometricMean = "geometric-mean",
        Sum = "sum",
    }
}

words! {
    /// The role of a test.
    #[derive(Default)]
    pub(crate) enum RoleWord {
        #[default]
        Contract = "contract",
        Reported = "reported",
        Hero = "hero",
    }
}

words! {
    /// How a criterion is decided, if not as its test.
    pub(crate) enum CriterionRule {
        AsWritten = "as-written",
    }
}

words! {
    /// Whether read data may be cached.
    #[derive(Default)]
    pub(crate) enum CacheWord {
        #[default]
        Cold = "cold",
        Warm = "warm",
    }
}

words! {
    /// The order of the repetitions of several steps.
    pub(crate) enum OrderWord {
        /// All repetitions of a step, then all of the next.
        Sequential = "sequential",
        /// The first repetition of every step, then the second of every step.
        Interleaved = "interleaved",
        /// The same, with the steps in random order each time.
        Random = "random",
    }
}

words! {
    /// The quantity that changes from step to step.
    pub(crate) enum SteppedBy {
        Servers = "servers",
        Nodes = "nodes",
        Transfer = "transfer",
        Ranks = "ranks",
    }
}

impl TestKeys {
    /// The command lines of the test, each with the key of its workload.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (&'static str, &Spanned<String>)> {
        let all = [
            ("fdtree", &self.fdtree),
            ("flash_io", &self.flash_io),
            ("ior", &self.ior),
            ("ls_lr", &self.ls_lr),
            ("md_workbench", &self.md_workbench),
            ("mdtest", &self.mdtest),
            ("mpi_io", &self.mpi_io),
            ("pfind", &self.pfind),
            ("quota", &self.quota),
        ];
        all.into_iter().filter_map(|(key, line)| Some((key, line.as_ref()?)))
    }
}
