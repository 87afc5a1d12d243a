//! The keys of a plan file, each with its type, the form of its value, an example and its meaning.
//!
//! These rows are the source of the reader, the errors about a value's form, the schema for editors, and the
//! tables of docs/reference/plan.md.
//!
//! Invariant: every key of the file is a row here. An unknown key is an error with its position.
//! Never here: rules between keys, which `parse` has.

mod answers;
mod parts;
mod values;

use std::collections::BTreeMap;

use toml::Spanned;
use units::Dimension;

use super::table::KeyForm;
use crate::model::Stripes;
use crate::words::words;

pub(crate) use answers::*;
pub(crate) use parts::*;
pub(crate) use values::{Count, CountOrNone, Criteria, CriterionValue, NodeCount, NodesValue, TextOrTexts};

/// Defines the keys of one table: first the required keys, then the optional ones.
///
/// Each key has its type, an example and its meaning. The form of its value is that of the type, unless it is
/// a text with a form of its own. `keeps ""` means that an empty text is not as if the key were not given. At
/// the end are sets of keys of which exactly one must be given. An empty part is left out.
macro_rules! keys {
    (
        $(#[$meta:meta])*
        $struct:ident, $name:literal, $opens:literal, $about:literal;
        $(needs {
            $($need:ident: $need_type:ty $(= $need_form:expr)?, $need_example:literal, $need_about:literal;)*
        })?
        $(may {
            $($may:ident: $may_type:ty $(= $may_form:expr)?, $may_example:literal, $may_about:literal
                $(keeps $empty:literal)?;)*
        })?
        $(forms $($keys:expr),+;)?
    ) => {
        #[doc = $about]
        #[derive(Clone)]
        $(#[$meta])*
        pub(crate) struct $struct {
            $($(#[doc = $need_about] pub(crate) $need: $need_type,)*)?
            $($(#[doc = $may_about] pub(crate) $may: $may_type,)*)?
        }

        impl $crate::language::read::TableKeys for $struct {
            const TABLE: &'static $crate::language::table::KeyTable = {
                #[allow(unused_imports, reason = "not every table has every form")]
                use $crate::language::table::KeyForm::{CheckedWord, Id, Quantity, QuantityOrNone, Word};
                use $crate::language::read::KeyValue;
                use $crate::language::table::{KeyTable, PlanKey};
                &KeyTable {
                    name: $name,
                    opens: $opens,
                    about: $about,
                    keys: &[
                        $($(PlanKey {
                            name: stringify!($need),
                            form: [$($need_form,)? <$need_type as KeyValue>::FORM][0],
                            must: true,
                            keeps_empty: false,
                            example: $need_example,
                            about: $need_about,
                        },)*)?
                        $($(PlanKey {
                            name: stringify!($may),
                            form: [$($may_form,)? <$may_type as KeyValue>::FORM][0],
                            must: false,
                            keeps_empty: [$($empty.is_empty(),)? false][0],
                            example: $may_example,
                            about: $may_about,
                        },)*)?
                    ],
                    forms: &[$($(&$keys),+)?],
                }
            };

            fn fields(reader: &mut $crate::language::read::TableReader<'_, '_, '_>) -> Option<Self> {
                let mut keys = Self::TABLE.keys.iter();
                $($(let $need = reader.required(keys.next()?);)*)?
                $($(let $may = reader.optional(keys.next()?);)*)?
                Some(Self { $($($need: $need?,)*)? $($($may,)*)? })
            }
        }

        impl $crate::language::read::KeyValue for $struct {
            const FORM: $crate::language::table::KeyForm =
                $crate::language::table::KeyForm::Table(<Self as $crate::language::read::TableKeys>::TABLE);

            fn read(
                value: &$crate::language::form::FileValue<'_>,
                walk: &mut $crate::language::read::Walk<'_>,
            ) -> Option<Self> {
                walk.table(value)
            }
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

keys! {
    #[allow(dead_code, reason = "its parameters are read before the rest, by `parse::parameters`")]
    PlanFile, "file", "the file", "A plan: the tests of a campaign and their criteria";
    needs {
        schema: Spanned<i64>, "1", "the version of the plan language";
        plan: HeadKeys, "", "`[plan]`: the id and the title of the plan";
        fs: BTreeMap<String, Spanned<FsKeys>>, "", "`[fs.NAME]`: a file system under test";
    }
    may {
        parameters: BTreeMap<String, String>, "block = \"32g\"",
            "`[parameters]`: named values. `${NAME}` in any text is replaced by the value";
        scale: BTreeMap<String, BTreeMap<String, String>>, "block = \"64m\"",
            "`[scale.NAME]`: other values of the same parameters, selected by `--scale NAME`. With \
             `like = \"OTHER\"` it has the values of `[scale.OTHER]`, except those that it gives itself";
        clients: Option<ClientsKeys>, "", "`[clients]`: the client nodes";
        launch: Option<Spanned<LaunchKeys>>, "", "`[launch]`: how jobs are started. Default: `local`";
        defaults: DefaultsKeys, "", "`[defaults]`: values for every test and dataset that does not set them";
        known: BTreeMap<String, Spanned<KnownKeys>>, "",
            "`[known.NAME]`: a number that is known before the campaign";
        dataset: BTreeMap<String, Spanned<DatasetKeys>>, "",
            "`[dataset.NAME]`: files that are written once and read by several tests";
        state: BTreeMap<String, Spanned<StateKeys>>, "",
            "`[state.NAME]`: a state of the file system that tests need";
        clause: Vec<Spanned<ClauseKeys>>, "",
            "`[[clause]]`: a clause of the contract, with one verdict over all criteria that name it";
        test: Vec<Spanned<TestKeys>>, "", "`[[test]]`: one command line, its repetitions and its criteria";
        series: Vec<Spanned<SeriesKeys>>, "",
            "`[[series]]`: the same phases at each step over servers, nodes, ranks or transfer sizes";
        group: Vec<Spanned<GroupKeys>>, "", "`[[group]]`: tests that run at the same time";
        score: Vec<Spanned<ScoreKeys>>, "", "`[[score]]`: the geometric mean of what several tests measure";
        system: BTreeMap<String, Spanned<SystemKeys>>, "",
            "`[system.LETTER]`: a system in the tables of a procurement report";
        projection: Vec<ProjectionKeys>, "",
            "`[[projection]]`: a projected rate of a system that is not measured";
        answer: Vec<Spanned<AnswerKeys>>, "",
            "`[[answer]]`: a table of the document that `assay report --answers` fills with the results";
    }
}

keys! {
    HeadKeys, "plan", "[plan]", "The identity of the plan";
    needs {
        id: Spanned<String> = Id, "\"acme-phase1\"",
            "the id of the plan, which names the campaign folder: letters, digits, `-`, `_`, `.`";
        title: String, "\"Acme scratch, phase 1\"", "the title, in one line";
    }
    may {
        source: String, "\"contract 4711, annex B\"", "the source of the clauses";
        tier: String, "\"${tier}\"",
            "the storage tier or protocol that the campaign measures. Answer sheets name the campaign so. \
             `\"\"`: by its folder";
        report: Option<LayoutWord>, "\"procurement\"",
            "the layout of the report. `procurement` adds the tables of a procurement";
        system: Option<Spanned<String>>, "\"A\"",
            "the letter of the measured system. Required if the plan has several systems";
        track: bool, "true",
            "whether `assay run` adds the campaign to the history at its end, as `assay track add` does";
    }
}

keys! {
    FsKeys, "fs", "[fs.NAME]", "A file system under test";
    needs {
        dir: Spanned<String>, "\"{dir}\"",
            "the working directory. `{dir}` is replaced by the directory of `assay run --dir`. \
             Also `cephfs:/DIR`, a directory of CephFS that is mounted here";
    }
    may {
        kind: Option<String>, "\"lustre\"",
            "the type of the file system. `assay run` checks it, also on the nodes of each job. `\"\"`: any \
             type";
        backing: Option<BackingWord>, "\"loop\"",
            "what the file system may lie on. `loop`: a file that is a block device. `overlay`: directories \
             of others. A loop device that is not named needs a waiver. Memory always needs one";
        servers: Option<Spanned<Count>>, "360", "the total number of servers";
        targets: Option<Spanned<CountOrNone>>, "1440",
            "the total number of storage targets that hold data. `\"\"`: unknown";
        set_servers: Option<Spanned<String>>, "\"bin/servers-online {servers}\"",
            "a shell command that brings `{servers}` servers online and takes the others offline. After the \
             tests all servers are brought online";
        count_servers: Option<Spanned<String>>, "\"bin/servers-count\"",
            "a shell command that prints the number of online servers. It runs before every job of a step. \
             Required with `set_servers`";
        health: Option<Spanned<String>>, "\"bin/health\"",
            "a shell command that prints a line for each server, storage target or link that is offline or \
             being rebuilt. It runs before and after every job";
        traffic: Option<Spanned<String>>, "\"bin/bytes-moved\"",
            "a shell command that prints the bytes that the servers have moved for clients so far. It runs \
             before and after every job";
        quota: Option<Spanned<String>>, "\"bin/quota-left $USER\"",
            "a shell command that prints the bytes and the number of files that the user may still have, \
             `-` for no limit. It runs before the first job";
        fill: Option<Spanned<Vec<Spanned<String>>>>, "[\"60%\", \"70%\"]",
            "the lowest and the highest utilization of its blocks at which results are compared";
        rate: Option<Spanned<String>> = Quantity(&[Dimension::BytesPerSecond]), "\"1.5 TB/s\"",
            "the highest possible rate. A faster result came from a cache. An `ior` command line with `-D` \
             then needs free space for 1.5 times what this rate writes until the deadline";
        waive: Vec<WaiverKeys>, "[{ lint = \"write-iops-buffered\", why = \"…\", approved_by = \"…\" }]",
            "waivers of findings about `fs.NAME`";
    }
}

keys! {
    ClientsKeys, "clients", "[clients]", "The client nodes";
    may {
        delivered: Option<Spanned<Count>>, "1536",
            "the number of client nodes that the contract delivers. Percentages of nodes refer to it";
        hostfile: Option<Spanned<String>>, "\"hosts.txt\"", "a file with the node names, one per line";
        exclude: Vec<Spanned<String>>, "[\"n017\"]", "names of nodes that no job may use";
        memory: Option<Spanned<String>> = QuantityOrNone(&[Dimension::Bytes]), "\"256 GiB\"",
            "the main memory of a node. `\"\"`: unknown";
        cores: Option<Spanned<CountOrNone>>, "64", "the cores of a node. `\"\"`: unknown";
        simulated: bool, "true",
            "whether nodes may share a kernel, such as containers on one machine. Otherwise such a job is \
             INVALID. The report states that nodes were simulated";
    }
}

keys! {
    LaunchKeys, "launch", "[launch]", "How jobs are started";
    needs {
        kind: LauncherWord, "\"srun\"",
            "the launcher. With `local`, ranks are threads of one process. With `mpirun`, `argv` is its \
             command line";
    }
    may {
        program: Option<Spanned<String>>, "\"mpirun.openmpi\"",
            "for a launcher by name: the program to start instead of the usual one";
        options: Option<Spanned<Vec<String>>>, "[\"--mpi=pmi2\"]",
            "for a launcher by name: options to add before the command";
        argv: Option<Spanned<Vec<String>>>, "[\"mpirun\", \"-n\", \"{ranks}\", \"{cmd}\"]",
            "for `mpirun`: its command line, with `{ranks}`, `{nodes}`, `{ppn}`, `{hosts}`, and `{cmd}` as \
             an argument of its own for the command. Default: the example";
        hosts: Option<Spanned<TextOrTexts>>, "[\"n[1-8]:4\", \"gw\"]",
            "for `ssh`: the nodes. A list of names, each with the most ranks it may have after `:`. Or a \
             file with one name per line, `\"slurm\"` for the nodes of this allocation, or a pattern such \
             as `\"pod-{0..7}.service\"`";
        ssh: Option<Spanned<String>>, "\"bin/ssh\"",
            "for `ssh`: the program to start instead of `ssh`, such as a script that adds options. A \
             relative path is below the working directory of `assay run`";
        copy: Option<Spanned<String>>, "\"/tmp\"",
            "for `ssh`: a directory that each host has. Program, launcher and MPI are copied into a new \
             folder in it, which the campaign removes at its end. Default: each host has them at the same \
             paths";
        env: BTreeMap<String, String>, "{ OMP_NUM_THREADS = \"1\" }", "the environment of every job";
        attempts: Option<Spanned<CountOrNone>>, "2",
            "how often a job runs again after its launcher or a node died without a result, up to 10. \
             Every attempt is listed. `\"\"`: never, also if `[launch]` sets it for all tests. Default: \
             never" keeps "";
        probe: Option<bool>, "false",
            "whether one probe of each way to start ranks runs before the first job. Default: true, and \
             false for `local`";
    }
}

keys! {
    #[derive(Default)]
    DefaultsKeys, "defaults", "[defaults]", "Values for every test and dataset that does not set them";
    may {
        repetitions: Option<Spanned<Count>>, "5",
            "the number of repetitions of a test, each a separate job. Default: 1";
        ranks: Option<Spanned<Count>>, "4", "the total number of ranks. Default: 1";
        nodes: Option<Spanned<NodesValue>>, "\"90%\"",
            "one number of nodes, for jobs that set neither `nodes` nor `ranks`";
        ppn: Option<Spanned<Count>>, "4", "ranks per node";
        timeout: Option<Spanned<String>> = TIME, "\"10 min\"",
            "the time limit of one job, after which the job and its child processes are killed. Default: 1 h";
        decide: Option<DecideKeys>, "{ rule = \"mean\", confidence = 0.95 }", "how a verdict is reached";
        fs: Option<Spanned<String>>, "\"scratch\"", "the file system. Required if the plan has several";
        cov_max: Option<Spanned<String>> = SHARE, "\"20 %\"",
            "the COV above which a PASS becomes INCONCLUSIVE. A plan without it has a finding above 10 %";
        sustained: Option<Spanned<String>> = TIME, "\"30 s\"",
            "the minimum duration of a measured phase, with every rank at work. A phase that falls short is \
             INVALID. Not applied to `app` and `mpi_io`";
        verify: Option<VerifyWord>, "\"after\"",
            "whether data written by `ior` is read back and compared. `after`: in a separate phase";
    }
}

keys! {
    DecideKeys, "decide", "decide = { … }", "How a verdict is reached";
    needs {
        rule: RuleWord, "\"mean\"",
            "the statistic that is compared if a criterion names none. `min`: the worst repetition, which is \
             the largest with `<=` and `<`. `lower_bound`: the confidence limit of the mean, so one \
             repetition decides nothing. `as-written`: the mean alone decides, PASS or FAIL, without a \
             confidence and without `cov_max`";
    }
    may {
        confidence: Option<Spanned<f64>>, "0.95",
            "the confidence level of the limit, 0.5 to 1. Default: 0.95";
        looks: Option<Spanned<Count>>, "3",
            "the planned number of looks: the campaign, and its extensions with `assay run --extend`. All \
             looks together have the confidence level. Not with `as-written`. Default: 1";
    }
}

keys! {
    KnownKeys, "known", "[known.NAME]", "A number that is known before the campaign";
    needs {
        value: String = Quantity(DIMENSIONS), "\"716886 MiB/s\"", "the number with its unit";
        source: String, "\"acceptance report of phase 1, page 12\"", "the source of the number";
    }
}

keys! {
    DatasetKeys, "dataset", "[dataset.NAME]",
        "Files that are written once, before their first reader, for all repetitions of its readers";
    may {
        ior: Option<Spanned<String>>, "\"-w -F -e -g -t 1m -b 4g -k\"",
            "the IOR command line that writes the files, with `-w` and `-k`" keeps "";
        mdtest: Option<Spanned<String>>, "\"-F -C -n 1000000 -u\"",
            "or: the mdtest command line that creates the files and nothing else" keeps "";
        cover: Option<Spanned<CoverKeys>>, "{ rate = \"4.5 TB/s\", time = \"30 s\" }",
            "the data that its readers need";
        keep: Option<Spanned<String>> = TIME, "\"7 days\"",
            "how long later campaigns may use it. Without `keep` it is removed after its last reader";
        setup: Vec<String>, "[\"lfs setstripe -c 1 {dir}\"]",
            "shell commands that run before it, in the job's directory, which keeps their output";
        stripes: Option<Spanned<Stripes>>, "1",
            "the number of storage targets of each file. `\"all\"`: all of them";
        states: Vec<Spanned<String>>, "[\"aged\"]",
            "the `age` state in which the files are written. Its readers need the same state";
        ranks: Option<Spanned<Count>>, "4", "the ranks that write the files";
        nodes: Option<Spanned<NodesValue>>, "\"90%\"", "nodes, each with `ppn` ranks";
        ppn: Option<Spanned<Count>>, "4", "ranks per node";
        fs: Option<Spanned<String>>, "\"scratch\"", "the file system";
        timeout: Option<Spanned<String>> = TIME, "\"10 min\"",
            "the time limit of the job that writes the files";
        verify: Option<VerifyWord>, "\"after\"",
            "whether data written by `ior` is read back and compared before its readers run";
        waive: Vec<WaiverKeys>, "[{ lint = \"write-iops-buffered\", why = \"…\", approved_by = \"…\" }]",
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
        margin: Option<Spanned<f64>>, "1.5",
            "the factor by which the dataset must exceed `rate` times `time`. Default: 1.5";
    }
}

keys! {
    StateKeys, "state", "[state.NAME]",
        "A state that the file system is brought into before tests and keeps during them";
    may {
        age: Option<Spanned<String>>, "\"--blocks 80% --inodes 20% --cycles 1\"",
            "options of `assay age`, which fills and ages the file system. The directory is added" keeps "";
        preload: Option<Spanned<Count>>, "1000000",
            "the number of files in each directory that the test works in. The test itself creates them";
        degrade: Option<Spanned<String>>, "\"bin/server-off 3\"",
            "a shell command that takes a component offline, before the first test that needs the state"
                keeps "";
        restore: Option<Spanned<String>>, "\"bin/server-on 3\"",
            "the shell command that restores the component, before the next test without the state and at \
             the end" keeps "";
        ranks: Option<Spanned<Count>>, "8", "the ranks of the `age` job";
        nodes: Option<Spanned<NodesValue>>, "2", "the nodes of the `age` job";
        ppn: Option<Spanned<Count>>, "4", "ranks per node";
        fs: Option<Spanned<String>>, "\"scratch\"", "the file system";
        timeout: Option<Spanned<String>> = TIME, "\"2 h\"",
            "the time limit of the `age` job, of `degrade` and of `restore`";
        waive: Vec<WaiverKeys>, "[{ lint = \"write-iops-buffered\", why = \"…\", approved_by = \"…\" }]",
            "waivers of findings about the state";
    }
    forms ["age"], ["preload"], ["degrade", "restore"];
}

keys! {
    SystemKeys, "system", "[system.LETTER]", "A system in the tables of a procurement report";
    needs {
        processor: String, "\"AMD EPYC 7763\"", "its processor";
        clock: String, "\"2.45 GHz\"", "its clock";
        interconnect: String, "\"Slingshot 10\"", "its interconnect";
        cores: Count, "196608", "its total number of cores";
    }
}

keys! {
    ProjectionKeys, "projection", "[[projection]]", "A projected rate of a system that is not measured";
    needs {
        of: Spanned<String>, "\"IOR-1.write.bw\"",
            "the test whose rate is projected, with the metric: `ID.PHASE.NAME`. The threshold of this \
             metric is compared with the projection. The steps of `from` must have the same metric";
        from: Spanned<String>, "\"IOR-2.w\"", "the phase of a series whose steps are extrapolated";
        to: Spanned<Count>, "360", "the number of servers or nodes of the projected system";
        system: Spanned<String>, "\"B\"", "the letter of the projected system";
    }
    may {
        cap: Option<Spanned<String>>
            = Quantity(&[Dimension::BytesPerSecond, Dimension::PerSecond]), "\"1.1 TB/s\"",
            "the upper limit of the projection";
        confidence: Option<Spanned<f64>>, "0.95", "the confidence level of the interval. Default: 0.95";
        simulated: bool, "true",
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
        Ssh = "ssh",
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
