//! The keys of a plan file, each with its type, its form, an example and its meaning.
//!
//! These tables are the source of the reader (`serde`), the schema for editors, the tables of
//! docs/reference/plan.md, and the expected form in a rejection.
//!
//! Invariant: every key of the file is a field here. An unknown key is an error with its position.
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

/// Defines the keys of one table: first the required keys, then the optional ones.
///
/// Each key has its type, the form of its value, an example and its meaning. At the end are sets of keys of
/// which exactly one must be given. An empty part is left out.
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
    Dimension::Points,
];

words! {
    /// What a file system may lie on.
    pub(crate) enum BackingWord {
        /// A file as a block device.
        Loop = "loop",
        /// Directories of other file systems.
        Overlay = "overlay",
    }
}

/// The number of storage targets of a file.
const STRIPES: KeyForm = KeyForm::CountOr("all");

keys! {
    #[allow(dead_code, reason = "its parameters are read before the rest, by `parse::parameters`")]
    PlanFile, "file", "the file", "A plan: the tests of a campaign and their criteria";
    needs {
        schema: Spanned<i64> = Version, "1", "the version of the plan language";
        plan: HeadKeys = Table(HeadKeys::TABLE), "", "`[plan]`: the id and the title of the plan";
        fs: BTreeMap<String, Spanned<FsKeys>> = Named(FsKeys::TABLE), "",
            "`[fs.NAME]`: a file system under test";
    }
    may {
        parameters: BTreeMap<String, String> = Entries, "block = \"32g\"",
            "`[parameters]`: named values. `${NAME}` in any text is replaced by the value";
        scale: BTreeMap<String, BTreeMap<String, String>> = Scales, "block = \"64m\"",
            "`[scale.NAME]`: other values of the same parameters, selected by `--scale NAME`. With \
             `like = \"OTHER\"` it has the values of `[scale.OTHER]`, except those that it gives itself";
        clients: Option<ClientsKeys> = Table(ClientsKeys::TABLE), "", "`[clients]`: the client nodes";
        launch: Option<Spanned<LaunchKeys>> = Table(LaunchKeys::TABLE), "",
            "`[launch]`: how jobs are started. Default: `local`";
        defaults: DefaultsKeys = Table(DefaultsKeys::TABLE), "",
            "`[defaults]`: values for every test and dataset that does not set them";
        known: BTreeMap<String, Spanned<KnownKeys>> = Named(KnownKeys::TABLE), "",
            "`[known.NAME]`: a number that is known before the campaign";
        dataset: BTreeMap<String, Spanned<DatasetKeys>> = Named(DatasetKeys::TABLE), "",
            "`[dataset.NAME]`: files that are written once and read by several tests";
        state: BTreeMap<String, Spanned<StateKeys>> = Named(StateKeys::TABLE), "",
            "`[state.NAME]`: a state of the file system that tests need";
        clause: Vec<Spanned<ClauseKeys>> = Several(ClauseKeys::TABLE), "",
            "`[[clause]]`: a clause of the contract, with one verdict over all criteria that name it";
        test: Vec<Spanned<TestKeys>> = Several(TestKeys::TABLE), "",
            "`[[test]]`: one command line, its repetitions and its criteria";
        series: Vec<Spanned<SeriesKeys>> = Several(SeriesKeys::TABLE), "",
            "`[[series]]`: the same phases at each step over servers, nodes, ranks or transfer sizes";
        group: Vec<Spanned<GroupKeys>> = Several(GroupKeys::TABLE), "",
            "`[[group]]`: tests that run at the same time";
        score: Vec<Spanned<ScoreKeys>> = Several(ScoreKeys::TABLE), "",
            "`[[score]]`: the geometric mean of what several tests measure";
        system: BTreeMap<String, Spanned<SystemKeys>> = Named(SystemKeys::TABLE), "",
            "`[system.LETTER]`: a system in the tables of a procurement report";
        projection: Vec<ProjectionKeys> = Several(ProjectionKeys::TABLE), "",
            "`[[projection]]`: a projected rate of a system that is not measured";
    }
}

keys! {
    HeadKeys, "plan", "[plan]", "The identity of the plan";
    needs {
        id: Spanned<String> = Id, "\"acme-phase1\"",
            "the id of the plan, which names the campaign folder: letters, digits, `-`, `_`, `.`";
        title: String = Text, "\"Acme scratch, phase 1\"", "the title, in one line";
    }
    may {
        source: String = Text, "\"contract 4711, annex B\"", "the source of the clauses";
        report: Option<LayoutWord> = Word(LayoutWord::WORDS), "\"procurement\"",
            "the layout of the report. `procurement` adds the tables of a procurement";
        system: Option<Spanned<String>> = Text, "\"A\"",
            "the letter of the measured system. Required if the plan has several systems";
        track: bool = Truth, "true",
            "whether `assay run` adds the campaign to the history at its end, as `assay track add` does";
    }
}

keys! {
    FsKeys, "fs", "[fs.NAME]", "A file system under test";
    needs {
        dir: Spanned<String> = Text, "\"{dir}\"",
            "the working directory. `{dir}` is replaced by the directory of `assay run --dir`. \
             Also `cephfs:/DIR`, a directory of CephFS that is mounted here";
    }
    may {
        kind: Option<String> = Text, "\"lustre\"",
            "the type of the file system. `assay run` checks it, also on the nodes of each job. `\"\"`: any \
             type";
        backing: Option<BackingWord> = Word(BackingWord::WORDS), "\"loop\"",
            "what the file system may lie on. `loop`: a file that is a block device. `overlay`: directories \
             of others. A loop device that is not named needs a waiver. Memory always needs one";
        servers: Option<Spanned<Count>> = Count, "360", "the total number of servers";
        targets: Option<Spanned<CountOrNone>> = CountOr(""), "1440",
            "the total number of storage targets that hold data. `\"\"`: unknown";
        set_servers: Option<Spanned<String>> = Text, "\"bin/servers-online {servers}\"",
            "a shell command that brings `{servers}` servers online and takes the others offline. After the \
             tests all servers are brought online";
        count_servers: Option<Spanned<String>> = Text, "\"bin/servers-count\"",
            "a shell command that prints the number of online servers. It runs before every job of a step. \
             Required with `set_servers`";
        health: Option<Spanned<String>> = Text, "\"bin/health\"",
            "a shell command that prints a line for each server, storage target or link that is offline or \
             being rebuilt. It runs before and after every job";
        traffic: Option<Spanned<String>> = Text, "\"bin/bytes-moved\"",
            "a shell command that prints the bytes that the servers have moved for clients so far. It runs \
             before and after every job";
        quota: Option<Spanned<String>> = Text, "\"bin/quota-left $USER\"",
            "a shell command that prints the bytes and the number of files that the user may still have, \
             `-` for no limit. It runs before the first job";
        fill: Option<Spanned<Vec<Spanned<String>>>> = Texts, "[\"60%\", \"70%\"]",
            "the lowest and the highest utilization of its blocks at which results are compared";
        rate: Option<Spanned<String>> = Quantity(&[Dimension::BytesPerSecond]), "\"1.5 TB/s\"",
            "the highest possible rate. A faster result came from a cache. An `ior` command line with `-D` \
             then needs free space for 1.5 times what this rate writes until the deadline";
        waive: Vec<WaiverKeys>
            = Several(WaiverKeys::TABLE),
            "[{ lint = \"write-iops-buffered\", why = \"…\", approved_by = \"…\" }]",
            "waivers of findings about `fs.NAME`";
    }
}

keys! {
    ClientsKeys, "clients", "[clients]", "The client nodes";
    may {
        delivered: Option<Spanned<Count>> = Count, "1536",
            "the number of client nodes that the contract delivers. Percentages of nodes refer to it";
        hostfile: Option<Spanned<String>> = Text, "\"hosts.txt\"", "a file with the node names, one per line";
        exclude: Vec<Spanned<String>> = Texts, "[\"n017\"]", "names of nodes that no job may use";
        memory: Option<Spanned<String>> = QuantityOrNone(&[Dimension::Bytes]), "\"256 GiB\"",
            "the main memory of a node. `\"\"`: unknown";
        cores: Option<Spanned<CountOrNone>> = CountOr(""), "64",
            "the cores of a node. `\"\"`: unknown";
        simulated: bool = Truth, "true",
            "whether nodes may share a kernel, such as containers on one machine. Otherwise such a job is \
             INVALID. The report states that nodes were simulated";
    }
}

keys! {
    LaunchKeys, "launch", "[launch]", "How jobs are started";
    needs {
        kind: LauncherWord = Word(LauncherWord::WORDS), "\"srun\"",
            "the launcher. With `local`, ranks are threads of one process. With `mpirun`, `argv` is its \
             command line";
    }
    may {
        program: Option<Spanned<String>> = Text, "\"mpirun.openmpi\"",
            "for a launcher by name: the program to start instead of the usual one";
        options: Option<Spanned<Vec<String>>> = Texts, "[\"--mpi=pmi2\"]",
            "for a launcher by name: options to add before the command";
        argv: Option<Spanned<Vec<String>>> = Texts, "[\"mpirun\", \"-n\", \"{ranks}\", \"{cmd}\"]",
            "for `mpirun`: its command line, with `{ranks}`, `{nodes}`, `{ppn}`, `{hosts}`, and `{cmd}` as \
             an argument of its own for the command. Default: the example";
        env: BTreeMap<String, String> = Entries, "{ OMP_NUM_THREADS = \"1\" }",
            "the environment of every job";
        attempts: Option<Spanned<CountOrNone>> = CountOr(""), "2",
            "how often a job runs again after its launcher or a node died without a result, up to 10. \
             Every attempt is listed. `\"\"`: never, also if `[launch]` sets it for all tests. Default: \
             never";
        probe: Option<bool> = Truth, "false",
            "whether one probe of each way to start ranks runs before the first job. Default: true, and \
             false for `local`";
    }
}

keys! {
    #[derive(Default)]
    DefaultsKeys, "defaults", "[defaults]", "Values for every test and dataset that does not set them";
    may {
        repetitions: Option<Spanned<Count>> = Count, "5",
            "the number of repetitions of a test, each a separate job. Default: 1";
        ranks: Option<Spanned<Count>> = Count, "4", "the total number of ranks. Default: 1";
        nodes: Option<Spanned<NodesValue>> = Nodes(NodesRule::TABLE), "\"90%\"",
            "one number of nodes, for jobs that set neither `nodes` nor `ranks`";
        ppn: Option<Spanned<Count>> = Count, "4", "ranks per node";
        timeout: Option<Spanned<String>> = TIME, "\"10 min\"",
            "the time limit of one job, after which the job and its child processes are killed. Default: 1 h";
        decide: Option<DecideKeys> = Table(DecideKeys::TABLE), "{ rule = \"mean\", confidence = 0.95 }",
            "how a verdict is reached";
        fs: Option<Spanned<String>> = Text, "\"scratch\"",
            "the file system. Required if the plan has several";
        cov_max: Option<Spanned<String>> = SHARE, "\"20 %\"",
            "the COV above which a PASS becomes INCONCLUSIVE. A plan without it has a finding above 10 %";
        sustained: Option<Spanned<String>> = TIME, "\"30 s\"",
            "the minimum duration of a measured phase, with every rank at work. A phase that falls short is \
             INVALID. Not applied to `app` and `mpi_io`";
        verify: Option<VerifyWord> = Word(VerifyWord::WORDS), "\"after\"",
            "whether data written by `ior` is read back and compared. `after`: in a separate phase";
    }
}

keys! {
    DecideKeys, "decide", "decide = { … }", "How a verdict is reached";
    needs {
        rule: RuleWord = Word(RuleWord::WORDS), "\"mean\"",
            "the statistic that is compared if a criterion names none. `min`: the worst repetition, which is \
             the largest with `<=` and `<`. `lower_bound`: the confidence limit of the mean, so one \
             repetition decides nothing. `as-written`: the mean alone decides, PASS or FAIL, without a \
             confidence and without `cov_max`";
    }
    may {
        confidence: Option<Spanned<f64>> = Number, "0.95",
            "the confidence level of the limit, 0.5 to 1. Default: 0.95";
        looks: Option<Spanned<Count>> = Count, "3",
            "the planned number of looks: the campaign, and its extensions with `assay run --extend`. All \
             looks together have the confidence level. Not with `as-written`. Default: 1";
    }
}

keys! {
    KnownKeys, "known", "[known.NAME]", "A number that is known before the campaign";
    needs {
        value: String = Quantity(DIMENSIONS), "\"716886 MiB/s\"", "the number with its unit";
        source: String = Text, "\"acceptance report of phase 1, page 12\"", "the source of the number";
    }
}

keys! {
    DatasetKeys, "dataset", "[dataset.NAME]",
        "Files that are written once, before their first reader, for all repetitions of its readers";
    may {
        ior: Option<Spanned<String>> = Text, "\"-w -F -e -g -t 1m -b 4g -k\"",
            "the IOR command line that writes the files, with `-w` and `-k`";
        mdtest: Option<Spanned<String>> = Text, "\"-F -C -n 1000000 -u\"",
            "or: the mdtest command line that creates the files and nothing else";
        cover: Option<Spanned<CoverKeys>>
            = Table(CoverKeys::TABLE), "{ rate = \"4.5 TB/s\", time = \"30 s\" }",
            "the data that its readers need";
        keep: Option<Spanned<String>> = TIME, "\"7 days\"",
            "how long later campaigns may use it. Without `keep` it is removed after its last reader";
        setup: Vec<String> = Texts, "[\"lfs setstripe -c 1 {dir}\"]",
            "shell commands that run before it, in the job's directory, which keeps their output";
        stripes: Option<Spanned<Stripes>> = STRIPES, "1",
            "the number of storage targets of each file. `\"all\"`: all of them";
        states: Vec<Spanned<String>> = Texts, "[\"aged\"]",
            "the `age` state in which the files are written. Its readers need the same state";
        ranks: Option<Spanned<Count>> = Count, "4", "the ranks that write the files";
        nodes: Option<Spanned<NodesValue>> = Nodes(NodesRule::TABLE), "\"90%\"",
            "nodes, each with `ppn` ranks";
        ppn: Option<Spanned<Count>> = Count, "4", "ranks per node";
        fs: Option<Spanned<String>> = Text, "\"scratch\"", "the file system";
        timeout: Option<Spanned<String>> = TIME, "\"10 min\"",
            "the time limit of the job that writes the files";
        verify: Option<VerifyWord> = Word(VerifyWord::WORDS), "\"after\"",
            "whether data written by `ior` is read back and compared before its readers run";
        waive: Vec<WaiverKeys>
            = Several(WaiverKeys::TABLE),
            "[{ lint = \"write-iops-buffered\", why = \"…\", approved_by = \"…\" }]",
            "waivers of findings about the dataset";
    }
    forms ["ior"], ["mdtest"];
}

keys! {
    CoverKeys, "cover", "cover = { … }", "The data that the readers of a dataset need";
    needs {
        rate: Spanned<String> = Quantity(&[Dimension::BytesPerSecond]), "\"4.5 TB/s\"",
            "the rate of the readers";
        time: Spanned<String> = TIME, "\"30 s\"", "the duration of their reading";
    }
    may {
        margin: Option<Spanned<f64>> = Number, "1.5",
            "the factor by which the dataset must exceed `rate` times `time`. Default: 1.5";
    }
}

keys! {
    StateKeys, "state", "[state.NAME]",
        "A state that the file system is brought into before tests and keeps during them";
    may {
        age: Option<Spanned<String>> = Text, "\"--blocks 80% --inodes 20% --cycles 1\"",
            "options of `assay age`, which fills and ages the file system. The directory is added";
        preload: Option<Spanned<Count>> = Count, "1000000",
            "the number of files in each directory that the test works in. The test itself creates them";
        degrade: Option<Spanned<String>> = Text, "\"bin/server-off 3\"",
            "a shell command that takes a component offline, before the first test that needs the state";
        restore: Option<Spanned<String>> = Text, "\"bin/server-on 3\"",
            "the shell command that restores the component, before the next test without the state and at \
             the end";
        ranks: Option<Spanned<Count>> = Count, "8", "the ranks of the `age` job";
        nodes: Option<Spanned<NodesValue>> = Nodes(NodesRule::TABLE), "2", "the nodes of the `age` job";
        ppn: Option<Spanned<Count>> = Count, "4", "ranks per node";
        fs: Option<Spanned<String>> = Text, "\"scratch\"", "the file system";
        timeout: Option<Spanned<String>> = TIME, "\"2 h\"",
            "the time limit of the `age` job, of `degrade` and of `restore`";
        waive: Vec<WaiverKeys>
            = Several(WaiverKeys::TABLE),
            "[{ lint = \"write-iops-buffered\", why = \"…\", approved_by = \"…\" }]",
            "waivers of findings about the state";
    }
    forms ["age"], ["preload"], ["degrade", "restore"];
}

keys! {
    SystemKeys, "system", "[system.LETTER]", "A system in the tables of a procurement report";
    needs {
        processor: String = Text, "\"AMD EPYC 7763\"", "its processor";
        clock: String = Text, "\"2.45 GHz\"", "its clock";
        interconnect: String = Text, "\"Slingshot 10\"", "its interconnect";
        cores: Count = Count, "196608", "its total number of cores";
    }
}

keys! {
    ProjectionKeys, "projection", "[[projection]]", "A projected rate of a system that is not measured";
    needs {
        of: Spanned<String> = Text, "\"IOR-1.write.bw\"",
            "the test whose rate is projected, with the metric: `ID.PHASE.NAME`. The threshold of this \
             metric is compared with the projection. The steps of `from` must have the same metric";
        from: Spanned<String> = Text, "\"IOR-2.w\"", "the phase of a series whose steps are extrapolated";
        to: Spanned<Count> = Count, "360", "the number of servers or nodes of the projected system";
        system: Spanned<String> = Text, "\"B\"", "the letter of the projected system";
    }
    may {
        cap: Option<Spanned<String>>
            = Quantity(&[Dimension::BytesPerSecond, Dimension::PerSecond]), "\"1.1 TB/s\"",
            "the upper limit of the projection";
        confidence: Option<Spanned<f64>> = Number, "0.95",
            "the confidence level of the interval. Default: 0.95";
        simulated: bool = Truth, "true",
            "whether the nodes of the steps may be simulated. Otherwise such a projection is rejected. The \
             report marks it";
    }
}

words! {
    /// The layout of the report.
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
    /// Whether written data is read back and compared, outside of the measured time.
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
        AsWritten = "as-written",
    }
}
