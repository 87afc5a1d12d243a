//! The sentences of the linter: what was found and where, then what to do.
//!
//! Invariant: a template is used only if the finding has all its data. Of several templates of a code,
//! the one with most data comes first. The text does not state the severity: findings show it.
//! Never here: how data is written.

use results::reason::Code;

/// A finding that may need a waiver. If the plan has an unapproved waiver, the text says how to approve it.
macro_rules! waivable {
    ($text:literal) => {
        concat!($text, "[ To approve its waiver: {approve_with}.]")
    };
}

/// Templates by code. Of several, the first whose data are complete is used.
pub(super) const TEXTS: &[(Code, &str)] = templates! {
    WriteIopsBuffered:
        waivable!("Random writes of {transfer} pass through the client's page cache, which merges and \
                   reorders them. Add --posix.odirect, or report the rate as what a user sees.");
    ClientCacheFit:
        waivable!("Each node writes {written}[ in the {deadline} of -D at the target rate], which fits in \
                   its memory of {memory}. Add --posix.odirect, or write at least {least} per node."),
        "Each node reads {read} that the same job wrote, which fits in its memory of {memory}. Read in a \
         separate job with --drop-caches, or move at least {least} per node.";
    MissingPersist:
        waivable!("The command line writes without -e, -Y or O_DIRECT, so the measured time ends while data \
                   is still in memory. Add -e.");
    WrSameLaunch:
        "The command line names no phase, so IOR writes and reads ({implied}) in one job, and caches may \
         serve the reads. Write with -w -k. Read with -r in a separate job.",
        "The command line writes and reads in one job, so caches may serve the reads. Read in a separate \
         job, or add --drop-caches.";
    ReaderIsWriter:
        "-C with -Q {shift} on {nodes|node} leads every rank back to the node that wrote its file. Give a -Q \
         that is not a multiple of {nodes}, or add --drop-caches.",
        "All ranks run on {nodes|node}, so its page cache may serve the reads. Add --drop-caches or \
         --posix.odirect, or use several nodes and -C.",
        "Each rank reads on the node that wrote the file, so the page cache of the node may serve the reads. \
         Add -C to read what another node wrote, or add --drop-caches.";
    ReadBeyondWritten:
        "The command line reads one file per process, but {maker} made a single shared file. Remove {remove} \
         here, or add it to both command lines.",
        "The command line reads a single shared file, but {maker} made one file per process. Add {add} here, \
         or remove it from both command lines.",
        "The command line reads {files_read|file}, but {maker} made {files_made}. Read with at most as many \
         ranks as wrote.",
        "The command line reads {read} of each file, but {maker} wrote {written}. Read no more than was \
         written.",
        "{maker} stops after {deadline}, but the command line reads its files as if they were full[ ({full} \
         in all, which needs {rate_full})]. Give -O stoneWallingStatusFile=F on both command lines, or \
         remove -D from the dataset.";
    SparseRandomWrite:
        waivable!("Random writes go to a new file, so each write also allocates space. Fill the file first \
                   with --randomPrefill 1m, or state that allocation is part of the test.");
    WearoutOnMeasured:
        "After the deadline (-D, {deadline}) all ranks continue until they have done as much as the fastest \
         rank. The slowest rank therefore decides the rate. Remove stoneWallingWearOut. Only datasets need \
         it.";
    NoWearoutOnDataset:
        "The dataset stops after {deadline}, so its files differ in size. Add -O stoneWallingWearOut=1, or \
         let its readers read no more than the smallest file.";
    SustainedNotMet:
        "-D ends the phase after {deadline}, but the rate must be sustained for {sustained}. Set -D to at \
         least {sustained}.",
        "At {rate} the {bytes} of all ranks last {lasts}, and the rate must be sustained for {sustained}. \
         Move at least {least}, and stop with -D.",
        "At {rate_max} or more the job ends before the {sustained} for which the rate must be sustained. \
         Give more data, and stop with -D.";
    OutOfData:
        "At {rate} the {bytes} of all ranks last {lasts}, but every rank must still have data after \
         {deadline}. Give the ranks {least} in total with -b or -s.",
        "The {bytes} of all ranks last for the {deadline} of -D only up to a rate of {rate_max}. Add a \
         criterion or --target, so that the expected rate is checked.";
    DatasetTooSmall:
        "{maker} holds {bytes}. Reading at {rate} for {deadline} takes {read}. Make the dataset at least \
         {least}.",
        "At {rate} the {bytes} of the dataset are read in {lasts}, and {sustained} are needed. Make the \
         dataset at least {least}.",
        "-D stops the dataset after {deadline}, before it holds {bytes}, unless it is written at \
         {rate_full}. Give -O stoneWallingStatusFile=F on both command lines.";
    HeroAsContract:
        "A hero run shows what the system can do, but this one has a criterion. Remove the criterion, and \
         compare the rate with that of the contract test.";
    Geometry:
        "The launcher starts {launched} {quantity}, but {stated} are stated. Make both numbers equal.",
        "{nodes|node} with {ppn|rank} each have {product|rank}, but {ranks} are started. Start {product}[, \
         or state {nodes_of_ranks|node}].",
        "-N {taking_part} asks for more than the {ranks|rank} that are started. Start {taking_part}, or \
         remove -N.",
        "With -b and -s all ranks move {moved}, but {stated_bytes} are stated. Change -s, or the stated \
         number.";
    RoleMismatch:
        "The command line should measure a {role} but names no phase, so IOR also writes ({implied}). Add \
         -r.",
        "The command line should measure a {role}, but it has {extra} and lacks {missing}. Remove {extra}, \
         and add {missing} -k.",
        "The command line is for a {role}, but it lacks {missing}. Add {missing}.",
        "The command line is for a {role}, but IOR removes its files when it ends. Add {lost}.",
        "The clause text mentions a {worded_role}, but the command line differs[, with {extra}][, without \
         {missing}][, with an implied {implied}]. Check that the command line measures what the clause \
         means.";
    PathOnWrongFs:
        "{directory} is a directory, but -o needs a file. Give a file, for example -o {example}.",
        "The command line reads {path}, but {maker} wrote {maker_path}. Write the same path in both command \
         lines.",
        "{path} is not below {mount}, the file system under test. Give a path below {mount}.",
        "{relative} is a relative path, so the file is in the directory in which the job starts. Give an \
         absolute path below {mount}.",
        "The command line names no file, so IOR uses `testFile` in the directory in which the job starts. \
         Add -o with a path below {mount}.";
    LineRejected:
        "The program rejects the command line: {rejected}.";
    OptionDrift:
        waivable!("{option} of mdtest creates files with mknod since {since}, and older versions did not \
                   know it. Agree on the meaning of the option, and state it."),
        "{option} shuffles the transfers of all {segments|segment}, because -b equals -t. IOR does so \
         up to version 3.3, and rejects it since 4.0. Check that this order is meant.",
        "An option has a new name: {renamed}. Use the new name.",
        "An option has no effect: {idle}. Remove it.";
    OptionsInFile:
        waivable!("The options in {file} are not read, so it is not known what is moved. Write them on the \
                   command line as -O KEY=VALUE.");
    LayoutUndeclared:
        waivable!("Each file per process is on {layout} targets. Set stripes = 1, or give the reason in a \
                   waiver."),
        waivable!("Each file per process is on {stripes|target}. Set stripes = 1, or give the reason in a \
                   waiver."),
        waivable!("The single shared file is on {shared_on|target}. Set stripes = \"all\" to use all \
                   targets."),
        waivable!("The layout of files on {kind} is not declared, so the layout of the directory is \
                   measured. Set `stripes`, and a `setup` that creates files with this layout."),
        waivable!("{files|file} on one target each cannot use all {targets|target}. Start at least \
                   {targets|rank}, or stripe each file over several targets.");
    CbStateUnset:
        waivable!("Collective calls of MPI-IO have no hint for buffering, so the MPI library chooses. Set \
                   romio_cb_write and romio_cb_read with --mpiio.hintsFileName.");
    FillRecorded:
        "The utilization of fs.{fs_without_size} is not known, because statfs reports no size. Test a \
         directory on a file system that reports its size.";
    NotAged:
        waivable!("A metadata rate is measured on a file system in an unknown state, and an empty one is \
                   faster. Give the test a state with `age` or `preload`.");
    FillIsNotAge:
        waivable!("The state fills the file system ({options}) but overwrites nothing, so free space stays \
                   in one piece. Add --cycles 1.");
    SharedUniquePair:
        "The clause text mentions {mentioned} directories, but the command line uses {directories} ones. \
         Check -u, which gives each rank a directory of its own.",
        waivable!("Files are created only in {directories} directories, and servers differ most in {other} \
                   ones. Add a test with {other} directories.");
    MdSameNode:
        "-N {shift} leads most ranks to files that their own node created. A node has {ppn|rank}. Set -N to \
         {ppn}.",
        "All ranks run on {nodes|node}, so its cache may serve stat and delete. Use several nodes, or drop \
         caches with --run-cmd-before-phase.",
        "Every rank stats the files that it created, so the cache of its node may serve them. Set -N to the \
         number of ranks per node[ ({ppn})].";
    MdTooShort:
        "All ranks together have {items|item} in a repetition, but at least {least} are usual. Give -n \
         {per_rank} or more.";
    RateTooShort:
        "Without -b each rank moves only {bytes}, in a fraction of a second. Give -b and -s, so that the \
         phase lasts at least 1 s.";
    StatUnnamed:
        "The clause text mentions an average, but {metric} compares the {statistic} of the repetitions. \
         Check the statistic.",
        "{metric} names no statistic of the repetitions, so the mean is compared. To state this, write stat \
         = \"mean\".";
    RepsShort:
        "The clause text mentions {mentioned|repetition}, but the plan has {planned}. Check `repetitions`.",
        waivable!("The {overwrites|repetition} of -i run in one job, and each overwrites the files of the \
                   one before. Start each in a separate job, as a campaign does."),
        waivable!("The {rereads|repetition} of -i run in one job, and each reads what the one before has \
                   read. Start each in a separate job, as a campaign does.");
    LinearityBase:
        "Step {step} has {nodes_per_server} client nodes per server, but step {before} has \
         {nodes_per_server_before}, so the clients may limit it. Give every step the same number of client \
         nodes per server.",
        "Step {step} has {servers|server}, but the file system has {available}[ (the step has {nodes|client \
         node})]. State how many servers work at this step.",
        "Step {step} has {servers|server} and {nodes|client node}, so one number may be taken for the other. \
         Check the step, and set `servers` of the file system.",
        "The first step, {first_step}, is not a single server, so the rate of one server is not known. Begin \
         with one server.",
        "The servers at work are requested, but not counted. Set `count_servers` of the file system.";
    OptimalUndefined:
        "The clause text mentions an optimum or steps, but the plan has no `{key}` for them. Check what the \
         clause compares with.";
    ThresholdMissing:
        "The clause text states a requirement, but the test has no criterion. Add one with the contract's \
         number, if it has one.";
    AsWritten:
        "The value of {metrics} alone decides, as written in the contract. Its verdict has no confidence: a \
         system just below the threshold passes in about half of all campaigns.";
    ClauseUntested:
        "No criterion of the plan belongs to clause {clause}, so it will be NOT RUN. Name it in a criterion.";
    TableLabel:
        "A text cites {label}, but the report has the tables {tables}. Refer to the table by its content.";
    UncheckedData:
        waivable!("{option} compares every word within the measured time, so the rate includes the client's \
                   comparison. Measure with -r, and compare in a separate test."),
        waivable!("The data that is written here is never read back and compared. Add a test with -R that \
                   `uses` it, or set `verify`.");
    Compressible:
        waivable!("The file system[ ({kind})] reduces data, and the command line writes data that repeats. \
                   Write random data with -l random.");
    OneFsTwice:
        waivable!("The parts of {group} use fs.{fs} and fs.{other}, which are the same file system: {kind} \
                   {device}, mounted on {mount}[ and {other_mount}]. Give a directory on each of two file \
                   systems."),
        waivable!("fs.{fs} and fs.{other} are the same file system: {kind} {device}, mounted on {mount}[ and \
                   {other_mount}]. Give a directory on each of two file systems, or describe only one.");
    LsWalk:
        "The command line makes trees of {entries} entries, but at least {least} are usual. Make larger \
         trees with --entries.",
        waivable!("One `{command}` on one node is not timed together with others, and caches may serve it. \
                   Use `assay -n 10 ls-lr --cold`."),
        waivable!("{walks|walk} run at once, but at least {least_walks} are usual. Start {least_walks}, each \
                   in its own tree."),
        "The walk may find its entries in the memory of its node. Add --cold, or walk on other nodes with \
         --shift.";
    NotPacked:
        waivable!("A node with {cores|core} has {ranks|rank}. Start {cores} ranks on each node, or name the \
                   clause that asks for fewer.");
    DeadCriterion:
        "{metric} {op} {value} is {certain} for every measured value. Write the number of the contract.",
        waivable!("{metric} {op} {value} is met more easily by worse values. If this is not meant, write \
                   {meant}.");
    ClauseNumber:
        waivable!("{metric} is compared with {value}, but the text of the clause has {clause_values}. Write \
                   the number of the clause."),
        "{metric} is compared with {value}, which the text of the clause does not have. Add the number to \
         the clause.";
    LowConfidence:
        waivable!("The confidence level is {confidence}. Below {least}, chance decides too many verdicts. \
                   Remove the key, or write 0.95.");
    HighCovMax:
        waivable!("cov_max is {cov_max}. Above {limit}, repetitions describe no rate. Write a smaller \
                   share.");
    Units:
        "The clause text has {clause_units} units, but {metric} is compared with {value}, which is \
         {value_units}. At a T they differ by 10 %. Write the unit of the clause.",
        "The plan compares with {decimal}[ in {other}] (powers of 1000) and here with {binary} (powers of \
         1024). Write all values in the family of units of the contract.";
    Waiver:
        "The waiver names {unknown}, which is not a known code. List the codes with `assay lint --list`.",
        "The waiver of {error} has no effect, because an error cannot be waived. Correct the cause, and \
         remove the waiver.",
        "The waiver of {idle} has no effect, because there is no such finding. Remove it.";
};
