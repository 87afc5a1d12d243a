//! The keys of what runs: tests, series and groups, with what stands in them.

use std::collections::BTreeMap;

use toml::Spanned;
use units::Dimension;

use super::{
    Count, Criteria, CriterionValue, DecideKeys, NodeCount, NodesValue, SHARE, STRIPES, TIME, VerifyWord,
    keys,
};
use crate::app::Pick;
use crate::words::words;
use crate::{Stat, Stripes};

keys! {
    TestKeys, "test", "[[test]]",
        "One line, run so many times, and what it must show; also a phase of a series and a part of a group";
    needs {
        id: Spanned<String> = Id, "\"B.1\"",
            "its name, of which there is one: letters, digits, `-`, `_`, `.`";
    }
    may {
        clause: String = Text, "\"the file system sustains 2.5 GB/s\"",
            "the contract's words; the id if nothing is said";
        ior: Option<Spanned<String>> = Text, "\"-w -F -e -g -t 1m -b 4g\"", "a line of IOR, verbatim";
        mdtest: Option<Spanned<String>> = Text, "\"-F -C -n 10000 -u\"", "a line of mdtest";
        fdtree: Option<Spanned<String>> = Text, "\"-d 2 -f 10\"", "a line of fdtree";
        ls_lr: Option<Spanned<String>> = Text, "\"--cold\"", "a line of `assay ls-lr`: many `ls -lR` at once";
        flash_io: Option<Spanned<String>> = Text, "\"--size 16\"",
            "a line of `assay flash-io`: checkpoint and plot files";
        mpi_io: Option<Spanned<String>> = Text, "\"--only access.*\"",
            "a line of `assay mpi-io`, the conformance suite";
        app: Option<Spanned<AppKeys>> = Table(AppKeys::TABLE), "{ argv = [\"./umt\"], parse = \"ior\" }",
            "a program that is not part of this one";
        ranks: Option<Spanned<Count>> = Count, "32", "ranks in all";
        nodes: Option<Spanned<NodesValue>> = Nodes(NodesRule::TABLE), "\"90%\"", "nodes, full of `ppn` ranks";
        ppn: Option<Spanned<Count>> = Count, "4", "ranks on each node; 1 beside `nodes` if nothing is said";
        repetitions: Option<Spanned<Count>> = Count, "5", "each a launch of its own";
        uses: Option<Spanned<String>> = Text, "\"dataset.big\"",
            "whose files it works on: a dataset's, or those that a test above left";
        setup: Vec<String> = Texts, "[\"lfs setstripe -c 1 {dir}\"]",
            "commands of the shell that run before each launch, in the job's folder, which keeps what they \
             print; where one fails the attempt is none";
        exports: BTreeMap<String, String> = Entries, "{ SMALLEST = \"min(file.size)\" }",
            "what lines of later tests find as `${NAME}`: the bytes of the smallest file that it left, in \
             whole transfers";
        states: Vec<Spanned<String>> = Texts, "[\"aged\"]", "the states that it needs";
        degraded: bool = Truth, "true",
            "whether something of the file system may be down while it runs, which is then told";
        stripes: Option<Spanned<Stripes>> = STRIPES, "1",
            "on how many targets each file is to lie; `\"all\"` of them";
        role: RoleWord = Word(RoleWord::WORDS), "\"reported\"",
            "`contract`, if nothing is said: it has criteria; `reported`: it is measured and shown; `hero`: \
             what can be had with other sizes, shown beside `compare_to`";
        criterion: Criteria
            = OneOrSeveral(CriterionKeys::TABLE),
            "{ metric = \"write.bw\", op = \">=\", value = \"3 GB/s\" }",
            "what it must show; of several in [ ] each is a clause of its own";
        timeout: Option<Spanned<String>> = TIME, "\"10 min\"",
            "of one job, after which it and its children are killed";
        cov_max: Option<Spanned<String>> = SHARE, "\"20 %\"", "scatter above which a pass is INCONCLUSIVE";
        sustained: Option<Spanned<String>> = TIME, "\"30 s\"",
            "how long the measured phase lasts at least, with every rank at work";
        steady: Option<Spanned<SteadyKeys>> = Table(SteadyKeys::TABLE), "{ window = \"30 s\" }",
            "when its rate counts as steady; a run that does not become so is INVALID";
        warm_up: Option<Spanned<Count>> = Count, "1",
            "launches before its repetitions, which are kept and count for nothing";
        order: Option<Spanned<OrderWord>> = Word(OrderWord::WORDS), "\"interleaved\"",
            "of `nodes` with steps: `interleaved`: the first repetition of each, then the second of each, \
             so that no drift poses as an effect of the steps; `random`: each time in an order that is \
             drawn";
        client_limit: Option<Spanned<ClientLimitKeys>> = Table(ClientLimitKeys::TABLE), "{ nodes = [1024] }",
            "whether more clients have more: then its value is a lower bound";
        verify: Option<VerifyWord> = Word(VerifyWord::WORDS), "\"after\"",
            "whether what `ior` wrote is read back and compared";
        compare_to: Option<Spanned<String>> = Text, "\"B.1\"",
            "of a hero: the test of the contract beside which it is shown";
        waive: Vec<WaiverKeys>
            = Several(WaiverKeys::TABLE), "[{ lint = \"cov-high\", why = \"…\", approved_by = \"…\" }]",
            "lint findings that a person approves";
        cache: CacheWord = Word(CacheWord::WORDS), "\"warm\"",
            "`warm`: a cached read is meant, or names that this node's memory may hold; `cold` if nothing \
             is said";
        fs: Option<Spanned<String>> = Text, "\"scratch\"", "the file system; needed where there are several";
        decide: Option<DecideKeys> = Table(DecideKeys::TABLE), "{ rule = \"median\" }",
            "how its verdict is reached";
    }
    forms ["ior"], ["mdtest"], ["fdtree"], ["ls_lr"], ["flash_io"], ["mpi_io"], ["app"];
}

keys! {
    SteadyKeys, "steady", "steady = { … }", "When a rate counts as steady, as docs/METHODOLOGY.md has it";
    may {
        window: Option<Spanned<String>> = QuantityOrNone(&[Dimension::Seconds]), "\"30 s\"",
            "the length of a window; 30 s if nothing is said; `\"\"`: nothing is asked, at a scale that is \
             too short for it";
        slope: Option<Spanned<String>> = SHARE, "\"10 %\"",
            "how much a straight line through a window rises or falls at most, of its mean; 10 % if nothing \
             is said";
        range: Option<Spanned<String>> = SHARE, "\"20 %\"",
            "how far the means of its five parts lie apart at most, of its mean; 20 % if nothing is said";
        max: Option<Spanned<String>> = TIME, "\"300 s\"",
            "when it has to be steady at the latest; 300 s if nothing is said";
        measured: Option<Spanned<String>> = TIME, "\"60 s\"",
            "how long it is measured then; a window if nothing is said";
    }
}

keys! {
    ClientLimitKeys, "client_limit", "client_limit = { … }", "The same test at more client nodes, once each";
    needs {
        nodes: Spanned<Vec<NodeCount>> = Numbers, "[1024]", "the numbers of nodes, each more than its own";
    }
    may {
        gain: Option<Spanned<String>> = SHARE, "\"5 %\"",
            "the gain above which the clients are what limits; 5 % if nothing is said";
        uses: Option<Spanned<String>> = Text, "\"dataset.more\"",
            "the dataset of those nodes, for a reader of more files";
    }
}

keys! {
    NodesRule, "nodes", "nodes = { … }", "A rule for the number of nodes";
    may {
        steps: Option<Vec<NodeCount>> = Numbers, "[\"25%\", \"50%\", \"100%\"]",
            "a test of its own at each, `ID.n2` and so on";
        search: Option<Vec<NodeCount>> = Numbers, "[540, 1080, 2160]",
            "once at each, as long as the metric of the first criterion gains; then the test itself, with \
             the nodes of the last that gained";
        gain: Option<String> = SHARE, "\"3 %\"",
            "of a search: what a step gains at least over the one before";
    }
    forms ["steps"], ["search", "gain"];
}

keys! {
    CriterionKeys, "criterion", "criterion = { … }", "What a measurement must show";
    needs {
        metric: Spanned<String> = Text, "\"write.bw\"", "`PHASE.NAME`";
    }
    may {
        stat: Option<Stat> = Word(Stat::WORDS), "\"mean\"",
            "the statistic of the repetitions; that of `decide` if nothing is said, for counts the worst";
        op: Option<Spanned<String>> = Word(&[">=", "<=", ">", "<", "=="]), "\">=\"",
            "how it compares with `value`";
        value: Option<Spanned<CriterionValue>> = Goal, "\"2.5 GB/s\"",
            "a number with its unit, `\"50% of ID.write.bw\"` or `\"66% of known.NAME\"`";
        linear_within: Option<Spanned<String>> = SHARE, "\"10%\"",
            "of a series, alone with `metric`: how far each step may lie below linear from the first";
    }
    forms ["op", "value"], ["linear_within"];
}

keys! {
    WaiverKeys, "waiver", "waive = [{ … }]", "A finding that a person approves";
    needs {
        lint: Spanned<String> = Text, "\"write-iops-buffered\"", "the id of the lint (docs/LINTS.md)";
        why: String = Text, "\"the user's view is meant\"", "why it does not matter here";
        approved_by: Spanned<String> = Text, "\"storage lead\"", "who approved it; `\"\"`: not approved yet";
    }
}

keys! {
    AppKeys, "app", "app = { … }", "A program that is not part of this one";
    needs {
        argv: Vec<String> = Texts, "[\"./umt\", \"{dir}/dump\"]",
            "the program and its words; the launcher starts it like any other, with `local` as one process; \
             `{assay}` is this program's file";
    }
    may {
        metrics: BTreeMap<String, MetricKeys>
            = Named(MetricKeys::TABLE), "{ \"step.bw\" = { line = \"rate: ([0-9.]+)\", unit = \"GB/s\" } }",
            "what it measures, by `PHASE.NAME`";
        parse: Option<Spanned<String>> = Word(&["ior", "mdtest", "flash-io"]), "\"ior\"",
            "the metrics of a known program instead";
        writes: Option<Spanned<String>> = Quantity(&[Dimension::Bytes]), "\"1.4 TB\"",
            "what it writes at most, for the room that is looked for beforehand";
    }
    forms ["metrics"], ["parse"];
}

keys! {
    MetricKeys, "metric", "\"PHASE.NAME\" = { … }", "One number in what a program prints";
    needs {
        line: String = Text, "\"rate: ([0-9.]+) GB/s\"", "a regular expression with one group, the number";
        unit: String = Text, "\"GB/s\"", "its unit";
    }
    may {
        pick: Pick = Word(Pick::WORDS), "\"min\"",
            "which of several lines; `one`, if nothing is said, rejects several";
    }
}

keys! {
    SeriesKeys, "series", "[[series]]", "The same phases at each step of something";
    needs {
        id: Spanned<String> = Id, "\"IOR-2\"", "its name; tests are `ID.STEP.PHASE`";
        over: SteppedBy = Word(SteppedBy::WORDS), "\"servers\"", "what differs from step to step";
        steps: Spanned<Vec<String>> = Texts, "[\"1\", \"1/3\", \"2/3\", \"3/3\"]",
            "numbers, fractions or percentages of servers, numbers or percentages of nodes, or sizes of \
             transfers such as `64k`; `{step}` in lines";
        phases: Vec<TestKeys> = Several(TestKeys::TABLE), "[{ id = \"w\", ior = \"-w -k\" }]",
            "what runs at each step, one after the other: `[[series.phases]]`, with the keys of a test";
    }
    may {
        clause: String = Text, "\"within 10 % of linear\"", "the contract's words, for phases that have none";
        nodes: Option<Spanned<NodesValue>>
            = Nodes(NodesRule::TABLE), "{ steps = [\"10%\", \"30%\", \"60%\", \"90%\"] }",
            "nodes: one number, or as many steps as the series has";
        ppn: Option<Spanned<Count>> = Count, "4", "ranks on each node, of phases that say nothing themselves";
        repetitions: Option<Spanned<Count>> = Count, "3", "of each phase at each step";
        order: Option<Spanned<OrderWord>> = Word(OrderWord::WORDS), "\"interleaved\"",
            "over nodes or transfers: the first repetition of each step, then the second of each; `random`: \
             each time in an order that is drawn";
        fs: Option<Spanned<String>> = Text, "\"scratch\"",
            "the file system of its phases; over servers, theirs are counted";
        waive: Vec<WaiverKeys>
            = Several(WaiverKeys::TABLE), "[{ lint = \"cov-high\", why = \"…\", approved_by = \"…\" }]",
            "findings about the series itself";
    }
}

keys! {
    GroupKeys, "group", "[[group]]", "Tests that run at once";
    needs {
        id: Spanned<String> = Id, "\"LOAD\"", "its name; tests are `ID.PART`";
        parts: Vec<TestKeys>
            = Several(TestKeys::TABLE), "[{ id = \"a\", ior = \"-w\" }, { id = \"b\", ior = \"-w\" }]",
            "what runs at once: `[[group.parts]]`, with the keys of a test but `repetitions`";
    }
    may {
        clause: String = Text, "\"application and I/O at the same time\"", "the contract's words";
        overlap: Option<Spanned<String>> = SHARE, "\"90%\"",
            "of the shorter part that ran beside the others; less is INVALID; 90 % if nothing is said";
        repetitions: Option<Spanned<Count>> = Count, "3", "of all parts together";
        criterion: Criteria
            = OneOrSeveral(CriterionKeys::TABLE),
            "{ metric = \"write.bw\", op = \">=\", value = \"20 GB/s\" }",
            "of the parts that have the metric, their sum";
        waive: Vec<WaiverKeys>
            = Several(WaiverKeys::TABLE), "[{ lint = \"cov-high\", why = \"…\", approved_by = \"…\" }]",
            "findings about the group itself";
    }
}

words! {
    /// What a test is for.
    #[derive(Default)]
    pub(crate) enum RoleWord {
        #[default]
        Contract = "contract",
        Reported = "reported",
        Hero = "hero",
    }
}

words! {
    /// Whether what is read may be cached.
    #[derive(Default)]
    pub(crate) enum CacheWord {
        #[default]
        Cold = "cold",
        Warm = "warm",
    }
}

words! {
    /// How the repetitions of several steps follow on each other.
    pub(crate) enum OrderWord {
        /// All of a step, then all of the next.
        Sequential = "sequential",
        /// The first of every step, then the second of every step.
        Interleaved = "interleaved",
        /// The same, each time in an order that is drawn.
        Random = "random",
    }
}

words! {
    /// What differs from step to step.
    pub(crate) enum SteppedBy {
        Servers = "servers",
        Nodes = "nodes",
        Transfer = "transfer",
    }
}

impl TestKeys {
    /// The lines that the test gives, each with the key of its workload.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (&'static str, &Spanned<String>)> {
        let all = [
            ("fdtree", &self.fdtree),
            ("flash_io", &self.flash_io),
            ("ior", &self.ior),
            ("ls_lr", &self.ls_lr),
            ("mdtest", &self.mdtest),
            ("mpi_io", &self.mpi_io),
        ];
        all.into_iter().filter_map(|(key, line)| Some((key, line.as_ref()?)))
    }
}
