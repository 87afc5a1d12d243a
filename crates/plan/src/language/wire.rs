//! A plan as it stands in its file: its keys, each with its type, its form, an example and what it is.
//!
//! From these tables come the reader (`serde`), the schema for editors, the tables of docs/PLAN.md and what a
//! rejection says should stand there.
//!
//! Invariant: every key of the file is a field here; an unknown one is an error with its place.
//! Never here: rules between keys, which `parse` has.

mod parts;
mod values;

use std::collections::BTreeMap;

use toml::Spanned;
use units::Dimension;

use super::table::KeyForm;
use crate::model::Stripes;
use crate::words::words;

pub(crate) use parts::*;
pub(crate) use values::{Count, CountOrNone, Criteria, CriterionValue, NodeCount, NodesValue};

/// The keys of one table: first those that it needs, then those that may be left out. Each has its type, the
/// form of its value, an example, and what it is. At the end are sets of keys of which exactly one stands
/// there. A part that would be empty is left out.
macro_rules! keys {
    (
        $(#[$meta:meta])*
        $struct:ident, $name:literal, $opens:literal, $about:literal;
        $(needs {
            $($need:ident: $need_type:ty = $need_form:expr, $need_example:literal, $need_about:literal;)*
        })?
        $(may { $($may:ident: $may_type:ty = $may_form:expr, $may_example:literal, $may_about:literal;)* })?
        $(forms $($keys:expr),+;)?
    ) => {
        #[doc = $about]
        #[derive(Clone, serde::Deserialize)]
        $(#[$meta])*
        #[serde(deny_unknown_fields)]
        pub(crate) struct $struct {
            $($(#[doc = $need_about] pub(crate) $need: $need_type,)*)?
            $($(#[doc = $may_about] #[serde(default)] pub(crate) $may: $may_type,)*)?
        }

        impl $struct {
            /// Its keys.
            pub(crate) const TABLE: &'static $crate::language::table::KeyTable = {
                #[allow(unused_imports, reason = "not every table has every form")]
                use $crate::language::table::KeyForm::*;
                use $crate::language::table::{KeyTable, PlanKey};
                &KeyTable {
                    name: $name,
                    opens: $opens,
                    about: $about,
                    keys: &[
                        $($(PlanKey {
                            name: stringify!($need),
                            form: $need_form,
                            must: true,
                            example: $need_example,
                            about: $need_about,
                        },)*)?
                        $($(PlanKey {
                            name: stringify!($may),
                            form: $may_form,
                            must: false,
                            example: $may_example,
                            about: $may_about,
                        },)*)?
                    ],
                    forms: &[$($(&$keys),+)?],
                }
            };
        }
    };
}

use keys;

const TIME: KeyForm = KeyForm::Quantity(&[Dimension::Seconds]);
const SHARE: KeyForm = KeyForm::Quantity(&[Dimension::Fraction]);

/// All dimensions of values.
pub(super) const DIMENSIONS: &[Dimension] = &[
    Dimension::Bytes,
    Dimension::BytesPerSecond,
    Dimension::PerSecond,
    Dimension::Seconds,
    Dimension::Fraction,
    Dimension::Count,
];

/// How many targets a file lies on.
const STRIPES: KeyForm = KeyForm::CountOr("all");

keys! {
    #[allow(dead_code, reason = "its parameters are read before the rest, by `parse::parameters`")]
    PlanFile, "file", "the file", "A plan: what a campaign does and what it must show";
    needs {
        schema: Spanned<i64> = Version, "1", "the version of this language";
        plan: HeadKeys = Table(HeadKeys::TABLE), "", "what the plan is";
        fs: BTreeMap<String, Spanned<FsKeys>> = Named(FsKeys::TABLE), "",
            "`[fs.NAME]`: a file system under test";
    }
    may {
        parameters: BTreeMap<String, String> = Entries, "block = \"32g\"",
            "names for what differs between machines: `${NAME}` in any text stands for the value";
        scale: BTreeMap<String, BTreeMap<String, String>> = Scales, "block = \"64m\"",
            "`[scale.NAME]`: other values of the same parameters, chosen by `--scale NAME`";
        clients: Option<ClientsKeys> = Table(ClientsKeys::TABLE), "", "the client nodes";
        launch: Option<Spanned<LaunchKeys>> = Table(LaunchKeys::TABLE), "",
            "how jobs are started; without it as with `local`";
        defaults: DefaultsKeys = Table(DefaultsKeys::TABLE), "",
            "what holds for every test and dataset that says nothing itself";
        known: BTreeMap<String, Spanned<KnownKeys>> = Named(KnownKeys::TABLE), "",
            "`[known.NAME]`: a number that is known beforehand";
        dataset: BTreeMap<String, Spanned<DatasetKeys>> = Named(DatasetKeys::TABLE), "",
            "`[dataset.NAME]`: files made once and read by several tests";
        state: BTreeMap<String, Spanned<StateKeys>> = Named(StateKeys::TABLE), "",
            "`[state.NAME]`: what a file system is brought to before tests";
        test: Vec<Spanned<TestKeys>> = Several(TestKeys::TABLE), "",
            "`[[test]]`: one line, run so many times, and what it must show";
        series: Vec<Spanned<SeriesKeys>> = Several(SeriesKeys::TABLE), "",
            "`[[series]]`: the same phases at each step of something";
        group: Vec<Spanned<GroupKeys>> = Several(GroupKeys::TABLE), "", "`[[group]]`: tests that run at once";
        system: BTreeMap<String, Spanned<SystemKeys>> = Named(SystemKeys::TABLE), "",
            "`[system.LETTER]`: a system, as the tables of a procurement have it";
        projection: Vec<ProjectionKeys> = Several(ProjectionKeys::TABLE), "",
            "`[[projection]]`: a rate of a system that is not measured";
    }
}

keys! {
    HeadKeys, "plan", "[plan]", "What the plan is";
    needs {
        id: Spanned<String> = Id, "\"acme-phase1\"",
            "names the campaign's folder: letters, digits, `-`, `_`, `.`";
        title: String = Text, "\"Acme scratch, phase 1\"", "what it is, in a line";
    }
    may {
        source: String = Text, "\"contract 4711, annex B\"", "where its clauses come from";
        report: Option<LayoutWord> = Word(LayoutWord::WORDS), "\"procurement\"",
            "`procurement`: with the tables of a procurement";
        system: Option<Spanned<String>> = Text, "\"A\"",
            "which of its systems is measured; needed where there are several";
    }
}

keys! {
    FsKeys, "fs", "[fs.NAME]", "A file system under test";
    needs {
        dir: Spanned<String> = Text, "\"{dir}\"",
            "the directory to work in; `{dir}` is what `assay run --dir` gives";
    }
    may {
        kind: Option<String> = Text, "\"lustre\"",
            "its type, checked here and on the nodes of each job; empty is any";
        servers: Option<Spanned<Count>> = Count, "360", "how many servers there are in all";
        targets: Option<Spanned<CountOrNone>> = CountOr(""), "1440",
            "how many targets hold data in all; `\"\"` where not known";
        set_servers: Option<Spanned<String>> = Text, "\"bin/servers-online {servers}\"",
            "a command of the shell that brings so many servers on and the others off; at the end all are \
             brought back";
        count_servers: Option<Spanned<String>> = Text, "\"bin/servers-count\"",
            "a command that prints how many serve, asked before every job of a step; beside `set_servers`";
        health: Option<Spanned<String>> = Text, "\"bin/health\"",
            "a command that prints a line for each server, target or link that is down or being rebuilt; \
             asked before and after every job";
        traffic: Option<Spanned<String>> = Text, "\"bin/bytes-moved\"",
            "a command that prints how many bytes the servers have moved for clients so far; asked before \
             and after every job";
        quota: Option<Spanned<String>> = Text, "\"bin/quota-left $USER\"",
            "a command that prints how many bytes and how many names the user may still have, `-` for no \
             limit; asked before anything runs";
        fill: Option<Spanned<Vec<Spanned<String>>>> = Texts, "[\"60%\", \"70%\"]",
            "the shares of its blocks in use between which results are compared";
        rate: Option<Spanned<String>> = Quantity(&[Dimension::BytesPerSecond]), "\"1.5 TB/s\"",
            "how fast it is at most: what is faster came from a cache; and a line of ior with `-D` needs \
             room for no more than 1.5 times what that writes until then";
        waive: Vec<WaiverKeys>
            = Several(WaiverKeys::TABLE), "[{ lint = \"cov-high\", why = \"…\", approved_by = \"…\" }]",
            "findings about `fs.NAME` that somebody answers for";
    }
}

keys! {
    ClientsKeys, "clients", "[clients]", "The client nodes";
    may {
        delivered: Option<Spanned<Count>> = Count, "1536",
            "how many the contract delivers: what percentages of nodes are of";
        hostfile: Option<Spanned<String>> = Text, "\"hosts.txt\"", "a file with their names, a line each";
        exclude: Vec<Spanned<String>> = Texts, "[\"n017\"]", "names of nodes that no job is to run on";
        memory: Option<Spanned<String>> = QuantityOrNone(&[Dimension::Bytes]), "\"256 GiB\"",
            "main memory of a node; `\"\"` where it is not known";
        cores: Option<Spanned<CountOrNone>> = CountOr(""), "64",
            "cores of a node; `\"\"` where that is not known";
    }
}

keys! {
    LaunchKeys, "launch", "[launch]", "How jobs are started";
    needs {
        kind: LauncherWord = Word(LauncherWord::WORDS), "\"srun\"",
            "the launcher; `local`: ranks are threads of one process; `mpirun`: the words of `argv`";
    }
    may {
        program: Option<Spanned<String>> = Text, "\"mpirun.openmpi\"",
            "of a launcher by name: in place of its usual program";
        options: Option<Spanned<Vec<String>>> = Texts, "[\"--mpi=pmi2\"]",
            "of a launcher by name: added before the command";
        argv: Option<Spanned<Vec<String>>> = Texts, "[\"mpirun\", \"-n\", \"{ranks}\", \"{cmd}\"]",
            "of `mpirun`: its words, with `{ranks}`, `{nodes}`, `{ppn}`, `{hosts}`, and `{cmd}` alone for \
             the command; these if nothing is said";
        env: BTreeMap<String, String> = Entries, "{ OMP_NUM_THREADS = \"1\" }", "environment of every job";
    }
}

keys! {
    #[derive(Default)]
    DefaultsKeys, "defaults", "[defaults]", "What holds where a test or dataset says nothing itself";
    may {
        repetitions: Option<Spanned<Count>> = Count, "5", "each a launch of its own; 1 if nothing is said";
        ranks: Option<Spanned<Count>> = Count, "4", "ranks in all; 1 if nothing is said";
        nodes: Option<Spanned<NodesValue>> = Nodes(NodesRule::TABLE), "\"90%\"",
            "nodes, one number, where neither they nor `ranks` are given";
        ppn: Option<Spanned<Count>> = Count, "4", "ranks on each node";
        timeout: Option<Spanned<String>> = TIME, "\"10 min\"",
            "of one job, after which it and its children are killed; 1 h if nothing is said";
        decide: Option<DecideKeys> = Table(DecideKeys::TABLE), "{ rule = \"mean\", confidence = 0.95 }",
            "how a verdict is reached";
        fs: Option<Spanned<String>> = Text, "\"scratch\"", "the file system; needed where there are several";
        cov_max: Option<Spanned<String>> = SHARE, "\"20 %\"", "scatter above which a pass is INCONCLUSIVE";
        sustained: Option<Spanned<String>> = TIME, "\"30 s\"",
            "a measured phase that is shorter, or in which a rank had nothing more to do before, is \
             INVALID; an `app` and `mpi_io` record no such thing, and are not asked";
        verify: Option<VerifyWord> = Word(VerifyWord::WORDS), "\"after\"",
            "`after`: what `ior` wrote is read back and compared, in a phase of its own";
    }
}

keys! {
    DecideKeys, "decide", "decide = { … }", "How a verdict is reached";
    needs {
        rule: RuleWord = Word(RuleWord::WORDS), "\"mean\"",
            "the statistic that is compared where a criterion names none; `min`: the worst, so the largest \
             with `<=` and `<`; `lower_bound`: the bound instead, so that one repetition decides nothing";
    }
    may {
        confidence: Option<Spanned<f64>> = Number, "0.95", "of the bound, 0.5 to 1; 0.95 if nothing is said";
    }
}

keys! {
    KnownKeys, "known", "[known.NAME]", "A number that is known beforehand";
    needs {
        value: String = Quantity(DIMENSIONS), "\"716886 MiB/s\"", "the number with its unit";
        source: String = Text, "\"acceptance report of phase 1, page 12\"", "where it is from";
    }
}

keys! {
    DatasetKeys, "dataset", "[dataset.NAME]", "Files made once, before their first reader";
    may {
        ior: Option<Spanned<String>> = Text, "\"-w -F -e -g -t 1m -b 4g -k\"",
            "the line that writes them, with `-w` and `-k`";
        mdtest: Option<Spanned<String>> = Text, "\"-F -C -n 1000000 -u\"",
            "or the line that makes names, and only makes them";
        cover: Option<Spanned<CoverKeys>>
            = Table(CoverKeys::TABLE), "{ rate = \"4.5 TB/s\", time = \"30 s\" }",
            "what its readers need";
        keep: Option<Spanned<String>> = TIME, "\"7 days\"",
            "how long later campaigns may use it; without it, it is removed after its last reader";
        setup: Vec<String> = Texts, "[\"lfs setstripe -c 1 {dir}\"]",
            "commands of the shell that run before it, in the job's folder, which keeps what they print";
        stripes: Option<Spanned<Stripes>> = STRIPES, "1",
            "on how many targets each file is to lie; `\"all\"` of them";
        ranks: Option<Spanned<Count>> = Count, "4", "ranks that write them";
        nodes: Option<Spanned<NodesValue>> = Nodes(NodesRule::TABLE), "\"90%\"", "nodes, full of `ppn` ranks";
        ppn: Option<Spanned<Count>> = Count, "4", "ranks on each node";
        fs: Option<Spanned<String>> = Text, "\"scratch\"", "the file system";
        timeout: Option<Spanned<String>> = TIME, "\"10 min\"", "of the job that makes them";
        verify: Option<VerifyWord> = Word(VerifyWord::WORDS), "\"after\"",
            "whether what `ior` wrote is read back and compared before its readers run";
        waive: Vec<WaiverKeys>
            = Several(WaiverKeys::TABLE), "[{ lint = \"cov-high\", why = \"…\", approved_by = \"…\" }]",
            "findings about it that somebody answers for";
    }
    forms ["ior"], ["mdtest"];
}

keys! {
    CoverKeys, "cover", "cover = { … }", "What the readers of a dataset need";
    needs {
        rate: Spanned<String> = Quantity(&[Dimension::BytesPerSecond]), "\"4.5 TB/s\"", "how fast they read";
        time: Spanned<String> = TIME, "\"30 s\"", "for how long";
    }
    may {
        margin: Option<Spanned<f64>> = Number, "1.5",
            "how many times that has to be there; 1.5 if nothing is said";
    }
}

keys! {
    StateKeys, "state", "[state.NAME]",
        "What a file system is brought to before tests, and is in while they run";
    may {
        age: Option<Spanned<String>> = Text, "\"--blocks 80% --inodes 20% --cycles 1\"",
            "filled and aged: options of `assay age`; the directory is added";
        preload: Option<Spanned<Count>> = Count, "1000000",
            "so many files in each directory that the test works in; the test itself makes them";
        degrade: Option<Spanned<String>> = Text, "\"bin/server-off 3\"",
            "or a command of the shell that takes something down, before the first test that needs it";
        restore: Option<Spanned<String>> = Text, "\"bin/server-on 3\"",
            "and the one that brings it back, before the next test without it and at the end";
        ranks: Option<Spanned<Count>> = Count, "8", "ranks that make a state of `age`";
        nodes: Option<Spanned<NodesValue>> = Nodes(NodesRule::TABLE), "2", "nodes that make it";
        ppn: Option<Spanned<Count>> = Count, "4", "ranks on each node";
        fs: Option<Spanned<String>> = Text, "\"scratch\"", "the file system";
        timeout: Option<Spanned<String>> = TIME, "\"2 h\"",
            "of the job that makes a state of `age`, of `degrade` and of `restore`";
        waive: Vec<WaiverKeys>
            = Several(WaiverKeys::TABLE), "[{ lint = \"cov-high\", why = \"…\", approved_by = \"…\" }]",
            "findings about it that somebody answers for";
    }
    forms ["age"], ["preload"], ["degrade", "restore"];
}

keys! {
    SystemKeys, "system", "[system.LETTER]", "A system, as the tables of a procurement have it";
    needs {
        processor: String = Text, "\"AMD EPYC 7763\"", "its processor";
        clock: String = Text, "\"2.45 GHz\"", "its clock";
        interconnect: String = Text, "\"Slingshot 10\"", "its interconnect";
        cores: Count = Count, "196608", "its cores in all";
    }
}

keys! {
    ProjectionKeys, "projection", "[[projection]]", "A rate of a system that is not measured";
    needs {
        of: Spanned<String> = Text, "\"IOR-1.write.bw\"", "what is projected: a test and its metric";
        from: Spanned<String> = Text, "\"IOR-2.w\"", "the phase of a series whose steps are projected";
        to: Spanned<Count> = Count, "360", "how many of what the series is over";
        system: Spanned<String> = Text, "\"B\"", "the letter of the system that has so many";
    }
    may {
        cap: Option<Spanned<String>>
            = Quantity(&[Dimension::BytesPerSecond, Dimension::PerSecond]), "\"1.1 TB/s\"",
            "what it cannot be above";
        confidence: Option<Spanned<f64>> = Number, "0.95", "of the interval; 0.95 if nothing is said";
    }
}

words! {
    /// How the report is laid out.
    pub(crate) enum LayoutWord {
        Usual = "usual",
        Procurement = "procurement",
    }
}

words! {
    /// How jobs are started.
    pub(crate) enum LauncherWord {
        Local = "local",
        Mpirun = "mpirun",
        Aprun = "aprun",
        Flux = "flux",
        Jsrun = "jsrun",
        Mpich = "mpich",
        Openmpi = "openmpi",
        Pals = "pals",
        Srun = "srun",
    }
}

words! {
    /// Whether what was written is read back and compared, outside of the time measured.
    pub(crate) enum VerifyWord {
        After = "after",
        No = "no",
    }
}

words! {
    /// How a verdict is reached.
    pub(crate) enum RuleWord {
        Mean = "mean",
        Median = "median",
        Min = "min",
        LowerBound = "lower_bound",
    }
}
