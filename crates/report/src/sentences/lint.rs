//! The sentences of the linter: what was found and where, then what to do.
//!
//! Invariant: a template is taken only where all its data are there, so of one code the one with most data is
//! first. Severity is not in the text: findings show it.
//! Never here: how data is written.

use results::reason::Code;

/// A finding that may need a waiver, with how to approve one that the plan has already.
macro_rules! waivable {
    ($text:literal) => {
        concat!($text, "[ To approve its waiver: {approve_with}.]")
    };
}

/// Templates by code; of several, the first whose data are all there is taken.
pub(super) const TEXTS: &[(Code, &str)] = templates! {
    WriteIopsBuffered:
        waivable!("Random writes of {transfer} go through the client's page cache, which merges and reorders \
                   them. Write with --posix.odirect, or report the rate as a user's view.");
    ClientCacheFit:
        waivable!("A node writes {written}[ in the {deadline} of -D at the target rate], and its memory of \
                   {memory} can hold that. Write with --posix.odirect, or at least {least} per node."),
        "A node reads {read} that this job has just written, and its memory of {memory} can hold that. Read \
         in a job of its own with --drop-caches, or move {least} per node.";
    MissingPersist:
        waivable!("The line writes without -e, -Y or O_DIRECT, so the clock stops while data is still in \
                   memory. Add -e.");
    WrSameLaunch:
        "The line names no phase, so IOR writes and reads ({implied}) in one job, and caches may serve the \
         reads. Write with -w -k, and read with -r in a job of its own.",
        "The line writes and reads in one job, so caches may serve the reads. Read in a job of its own, or \
         with --drop-caches.";
    ReaderIsWriter:
        "-C with -Q {shift} on {nodes|node} leads every rank back to the node that wrote. Give a -Q that is \
         no multiple of {nodes}, or --drop-caches.",
        "All ranks are on {nodes|node}, so its page cache may serve the reads. Read with --drop-caches or \
         --posix.odirect, or on several nodes with -C.",
        "Each rank reads on the node that wrote, so its page cache may serve the reads. Add -C to read what \
         another node wrote, or --drop-caches.";
    ReadBeyondWritten:
        "The line reads one file per process, and {maker} made a single shared file. Remove {remove} here, \
         or add it to both lines.",
        "The line reads a single shared file, and {maker} made one file per process. Add {add} here, or \
         remove it from both lines.",
        "The line reads {files_read|file}, and {maker} made {files_made}. Read with no more ranks than \
         wrote.",
        "The line reads {read} of each file, and {maker} wrote {written}. Read no more than was written.",
        "{maker} is stopped after {deadline}, and the line reads as if its files were full[: {full}, which \
         needs {rate_full}]. Give -O stoneWallingStatusFile=F on both lines, or a dataset without -D.";
    SparseRandomWrite:
        waivable!("Random writes go into a new file, so each also allocates space. Fill the file first with \
                   --randomPrefill 1m, or state that allocation is part of the test.");
    WearoutOnMeasured:
        "After -D ({deadline}) all ranks continue until they have done as much as the fastest, so the \
         slowest decides the rate. Remove stoneWallingWearOut; only datasets need it.";
    NoWearoutOnDataset:
        "The dataset is stopped after {deadline}, so its files differ in size. Add -O stoneWallingWearOut=1, \
         or let its readers read no more than the smallest file.";
    SustainedNotMet:
        "-D ends the phase after {deadline}, and the rate must be sustained for {sustained}. Give a -D of at \
         least {sustained}.",
        "At {rate} the {bytes} of all ranks last {lasts}, and the rate must be sustained for {sustained}. \
         Move at least {least}, and stop with -D.",
        "At {rate_max} or more the line ends before the {sustained} for which its rate must be sustained. \
         Give more data, and stop with -D.";
    OutOfData:
        "At {rate} the {bytes} of all ranks last {lasts}, and every rank must have data left after \
         {deadline}. Give the ranks {least} in all with -b or -s.",
        "The {bytes} of all ranks last for the {deadline} of -D up to a rate of {rate_max}. Add a criterion, \
         or --target, to have the expected rate checked.";
    DatasetTooSmall:
        "{maker} has {bytes}, and reading for {deadline} at {rate} takes {read}. Make it at least {least}.",
        "At {rate} the {bytes} of the dataset are read in {lasts}, and {sustained} are needed. Make it at \
         least {least}.",
        "-D stops the dataset after {deadline}, before it has {bytes}, unless it is written at {rate_full}. \
         Give -O stoneWallingStatusFile=F on both lines.";
    HeroAsContract:
        "A hero run shows what the system can do, and has a criterion. Remove the criterion, and compare the \
         rate with that of the contract test.";
    Geometry:
        "The launcher starts {launched} {quantity}, and {stated} are stated. Give both the same number.",
        "{nodes|node} of {ppn|rank} each make {product|rank}, and {ranks} are started. Start {product}[, or \
         state {nodes_of_ranks|node}].",
        "-N {taking_part} asks for more than the {ranks|rank} that are started. Start as many, or remove -N.",
        "All ranks move {moved} by -b and -s, and {stated_bytes} are stated. Change -s, or the stated \
         number.";
    RoleMismatch:
        "The line is to measure a {role} and names no phase, so IOR also writes ({implied}). Give -r.",
        "The line is to measure a {role}, and has {extra} and no {missing}. Remove {extra}, and give \
         {missing} -k.",
        "The line is for a {role}, and has no {missing}. Add {missing}.",
        "The line is for a {role}, and IOR removes its files when it ends. Add {lost}.",
        "The clause text mentions a {worded_role}, and the line differs[, with {extra}][, without \
         {missing}][, with an implied {implied}]. Check that the line measures what the clause means.";
    PathOnWrongFs:
        "{directory} names a directory and no file in it. Name a file, such as -o {example}.",
        "The line reads {path}, and {maker} has {maker_path}. Write the same path in both lines.",
        "{path} is not below {mount}, which is under test. Give a path below {mount}.",
        "{relative} is in the directory in which the job starts. Give the whole path, below {mount}.",
        "The line names no file, so IOR uses `testFile` in the directory in which the job starts. Give -o \
         with a path below {mount}.";
    OptionDrift:
        waivable!("{option} of mdtest creates files with mknod since {since}, and older versions did not \
                   know it. Agree on what is meant, and write that."),
        "An option is rejected: {rejected}. Correct it, or remove it.",
        "An option has a new name: {renamed}. Write the new name.",
        "An option has no effect: {idle}. Remove it.";
    OptionsInFile:
        waivable!("The options in {file} are not read, so it is unknown what is moved. Write them in the \
                   line as -O KEY=VALUE.");
    LayoutUndeclared:
        waivable!("Each file per process lies on {layout} targets. Set stripes = 1, or give the reason in a \
                   waiver."),
        waivable!("Each file per process lies on {stripes|target}. Set stripes = 1, or give the reason in a \
                   waiver."),
        waivable!("The single shared file lies on {shared_on|target}. Set stripes = \"all\" to use all \
                   targets."),
        waivable!("The layout of files on {kind} is not declared, so that of the directory is measured. Set \
                   `stripes`, and a `setup` that lays files out so."),
        waivable!("{files|file} on one target each cannot use all {targets|target}. Start {targets|rank} or \
                   more, or stripe each file over several targets.");
    CbStateUnset:
        waivable!("Collective calls of MPI-IO have no hint about buffering, so the library chooses. Set \
                   romio_cb_write and romio_cb_read with --mpiio.hintsFileName.");
    FillRecorded:
        "The utilization of fs.{fs_without_size} is unknown, because statfs reports no size. Test a \
         directory on a file system that reports its size.";
    NotAged:
        waivable!("A metadata rate is measured on whatever the file system holds, and an empty one is \
                   faster. Give a state with `age` or `preload`.");
    FillIsNotAge:
        waivable!("The state fills the file system ({options}) and overwrites nothing, so free space stays \
                   in one piece. Add --cycles 1.");
    SharedUniquePair:
        "The clause text mentions {mentioned} directories, and the line uses {directories} ones. Check -u: \
         with it each rank has a directory of its own.",
        waivable!("Files are created in {directories} directories only, and servers differ most in {other} \
                   ones. Add a test with {other} directories.");
    MdSameNode:
        "-N {shift} leads most ranks to files created on their own node, which has {ppn|rank}. Give -N \
         {ppn}.",
        "All ranks are on {nodes|node}, so its cache may serve stat and delete. Use several nodes, or drop \
         caches with --run-cmd-before-phase.",
        "Every rank stats the files that it created, so its node's cache may serve them. Give -N with the \
         number of ranks of a node[: {ppn}].";
    MdTooShort:
        "All ranks together have {items|item} in a repetition, and {least} are usual. Give -n {per_rank} or \
         more.";
    RateTooShort:
        "Without -b each rank moves only {bytes}, in a fraction of a second. Give -b and -s, so that the \
         phase lasts at least a second.";
    StatUnnamed:
        "The clause text mentions an average, and {metric} compares the {statistic} of the repetitions. \
         Check the statistic.",
        "{metric} names no statistic of the repetitions, so the mean is compared. Write stat = \"mean\" to \
         state it.";
    RepsShort:
        "The clause text mentions {mentioned|repetition}, and the plan has {planned}. Check `repetitions`.",
        waivable!("The {overwrites|repetition} of -i share a job, and each overwrites the files of the one \
                   before. Start each as a job of its own, as a campaign does."),
        waivable!("The {rereads|repetition} of -i share a job, and each reads what the one before has read. \
                   Start each as a job of its own, as a campaign does.");
    LinearityBase:
        "Step {step} has {nodes_per_server} client nodes per server, and step {before} has \
         {nodes_per_server_before}, so clients may limit it. Give every step as many nodes per server.",
        "Step {step} has {servers|server}, and the file system has {available}[; the step has {nodes|client \
         node}]. State how many servers work at this step.",
        "Step {step} has {servers|server} and {nodes|client node}, so one may be taken for the other. Check \
         the step, and set `servers` of the file system.",
        "The first step, {first_step}, is not a single server, so the rate of one server is unknown. Begin \
         with one server.",
        "The servers at work are requested, and not counted. Set `count_servers` of the file system.";
    OptimalUndefined:
        "The clause text mentions an optimum or steps, and the plan has no `{key}` for them. Check what the \
         clause compares with.";
    ThresholdMissing:
        "The clause text asks for something, and the test has no criterion. Add one with the contract's \
         number, if it has one.";
    TableLabel:
        "A text cites {label}, and the report has the tables {tables}. Name the table by what it holds.";
    UncheckedData:
        waivable!("{option} compares every word within the measured time, so the rate includes the client's \
                   comparison. Measure with -r, and compare in a test of its own."),
        waivable!("Nothing that is written here is ever read back and compared. Add a test with -R that \
                   `uses` it, or set `verify`.");
    Compressible:
        waivable!("The file system[ ({kind})] reduces data, and the data of this line repeats. Write random \
                   data with -l random.");
    OneFsTwice:
        waivable!("The parts of {group} use fs.{fs} and fs.{other}, which are one file system: {kind} of \
                   {device} on {mount}[ and {other_mount}]. Give a directory on each of two file systems."),
        waivable!("fs.{fs} and fs.{other} are one file system: {kind} of {device} on {mount}[ and \
                   {other_mount}]. Give a directory on each of two, or describe one only.");
    LsWalk:
        "The line makes trees of {entries} entries, and {least} are usual. Make larger trees with --entries.",
        waivable!("One `{command}` on one node is not timed together with others, and caches may serve it. \
                   Use assay -n 10 ls-lr --cold."),
        waivable!("{walks|walk} run at once, and {least_walks} are usual. Start {least_walks}, each in a \
                   tree of its own."),
        "The walk may find its entries in the memory of its node. Walk with --cold, or on other nodes with \
         --shift.";
    NotPacked:
        waivable!("A node of {cores|core} has {ranks|rank}. Start {cores} on each node, or name the clause \
                   that says otherwise.");
    DeadCriterion:
        "{metric} {op} {value} is always {certain}, whatever is measured. Write the number of the contract.",
        waivable!("{metric} {op} {value} is easier to meet the worse the measured value is. Write {meant} if \
                   that is meant.");
    Units:
        "The clause text has {clause_units} units, and {metric} is compared with {value}, which is \
         {value_units}. At a T they differ by 10 %: write the clause's unit.",
        "The plan compares with {decimal}[ in {other}] and here with {binary}: powers of 1000 and of 1024. \
         Write all values in the family of the contract.";
    Waiver:
        "The waiver names {unknown}, which is no code. List the codes with assay lint --list.",
        "The waiver of {error} is void, because an error cannot be waived. Correct what was found, and \
         remove the waiver.",
        "The waiver of {idle} is about nothing: there is no such finding. Remove it.";
};
