//! What somebody meant who wrote a word that is none here: a near one, one of the same meaning, or one of
//! another table.

use super::super::nearest::nearest;
use super::tables;

/// Words that other programs, or people, have for words of a plan; of the second the first that is known
/// where it stands is meant.
const SAME: &[(&[&str], &[&str])] = &[
    (&["args", "cmd", "command", "exec", "run"], &["argv", "ior"]),
    (&["avg", "average"], &["mean"]),
    (&["approver", "author", "by", "person", "signed", "who"], &["approved_by"]),
    (&["cov", "cv", "cv_max"], &["cov_max"]),
    (&["comparison", "cmp", "operator"], &["op"]),
    (&["dataset", "needs", "reads"], &["uses"]),
    (&["description", "name", "text"], &["title", "clause", "id"]),
    (&["directory", "mount", "mountpoint", "mount_point", "path"], &["dir"]),
    (&["filesystem", "file_system"], &["fs"]),
    (&["fstype", "type"], &["kind"]),
    (&["goal", "limit", "target", "threshold"], &["value"]),
    (&["hosts", "machinefile", "nodefile"], &["hostfile"]),
    (&["iterations", "repeat", "repeats", "reps", "runs"], &["repetitions"]),
    (&["mem", "page_cache_gib", "ram", "ram_gib"], &["memory"]),
    (&["node_count", "nodes", "num_nodes"], &["delivered", "nodes"]),
    (&["np", "nprocs", "ntasks", "processes", "procs", "tasks"], &["ranks"]),
    (&["ntasks_per_node", "ranks_per_node", "tasks_per_node"], &["ppn"]),
    (&["oss", "server_count"], &["servers"]),
    (&["ost_count", "osts"], &["targets"]),
    (&["pattern", "regex"], &["line"]),
    (&["reason"], &["why"]),
    (&["slurm"], &["srun"]),
    (&["statistic"], &["stat"]),
    (&["sustained_s"], &["sustained"]),
    (&["time_limit", "timeout_s", "walltime"], &["timeout"]),
];

/// What belongs elsewhere, and where.
const ELSEWHERE: &[(&[&str], &str)] = &[
    (
        &["at_least", "at_most", "greater_than", "less_than", "minimum", "maximum"],
        "write `op = \">=\"` or `op = \"<=\"`, and `value = \"…\"`",
    ),
    (&["block", "block_size", "segments", "transfer", "transfer_size"], "sizes stand in the line itself"),
    (&["deadline", "deadline_s", "stonewall", "stonewall_s"], "a line of IOR says so itself, as `-D 45`"),
    (&["drop_caches"], "a line of IOR says so itself, as `--drop-caches`"),
    (
        &["layout", "stripe_count", "stripe_size", "striping"],
        "a command sets it, as `setup = [\"lfs setstripe -c 1 {dir}\"]`",
    ),
    (&["matrix", "permute_on", "variants"], "each combination is a [[test]] of its own"),
    (&["wear_out", "wearout"], "a line of IOR says so itself, as `-O stoneWallingWearOut=1`"),
];

/// What to write in place of a key that there is not: `, did you mean …?`, or what to know, or nothing.
pub(crate) fn key_meant(unknown: &str, known: &[&str]) -> Option<String> {
    if let Some(said) = said(unknown, known) {
        return Some(format!(", did you mean `{said}`?"));
    }
    let low = unknown.to_lowercase();
    if let Some((_, where_)) = ELSEWHERE.iter().find(|(words, _)| words.contains(&low.as_str())) {
        return Some(format!(": {where_}."));
    }
    let others: Vec<&str> =
        tables().into_iter().filter(|table| table.key(unknown).is_some()).map(|table| table.opens).collect();
    if !others.is_empty() {
        return Some(format!("; it is a key of {}.", others.join(", ")));
    }
    nearest(unknown, known).map(|near| format!(", did you mean `{near}`?"))
}

/// What to write in place of a word that there is not.
pub(crate) fn word_meant(unknown: &str, known: &[&str]) -> Option<String> {
    let near = said(unknown, known).or_else(|| nearest(unknown, known).map(str::to_owned));
    near.map(|near| format!(", did you mean `{near}`?"))
}

fn said(unknown: &str, known: &[&str]) -> Option<String> {
    let low = unknown.to_lowercase();
    let (_, same) = SAME.iter().find(|(words, _)| words.contains(&low.as_str()))?;
    same.iter().find(|word| known.contains(word)).map(|word| (*word).to_owned())
}
