//! The key or word that an author of a plan probably meant: a similar one, a synonym, or one of another
//! table.

use super::nearest::nearest;
use super::table::KeyTable;

/// Synonyms from other programs and common usage, with the words of a plan. Of several words of a plan, the
/// first one that is allowed in that place is meant.
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

/// Keys that do not belong in a plan, and what to write instead.
const ELSEWHERE: &[(&[&str], &str)] = &[
    (
        &["at_least", "at_most", "greater_than", "less_than", "minimum", "maximum"],
        "Write `op = \">=\"` or `op = \"<=\"`, and `value = \"…\"`",
    ),
    (
        &["block", "block_size", "segments", "transfer", "transfer_size"],
        "Sizes are options of the command line",
    ),
    (
        &["deadline", "deadline_s", "stonewall", "stonewall_s"],
        "It is an option of the `ior` command line, as `-D 45`",
    ),
    (&["drop_caches"], "It is an option of the `ior` command line, as `--drop-caches`"),
    (
        &["layout", "stripe_count", "stripe_size", "striping"],
        "A command sets the layout, as `setup = [\"lfs setstripe -c 1 {dir}\"]`",
    ),
    (
        &["matrix", "permute_on", "variants"],
        "Write each combination as a [[test]] of its own, with `like` for the other keys",
    ),
    (&["wear_out", "wearout"], "It is an option of the `ior` command line, as `-O stoneWallingWearOut=1`"),
];

/// Keys that a table cannot have because of what it is, and what to write instead.
const IMPOSSIBLE: &[(&str, &[&str], &str)] = &[(
    "dataset",
    &["iterations", "repeat", "repeats", "repetitions", "reps", "runs", "warm_up"],
    "A dataset is written once, and all repetitions of its readers read the same files. Set `repetitions` in \
     the readers. For new files in each repetition, write them in a test and name it in `uses`",
)];

/// The message about an unknown key of the table with this name. `file` is the table of the whole file.
pub(super) fn unknown_key(file: &'static KeyTable, table: &str, key: &str, known: &[&str]) -> String {
    let is_impossible = |(of, keys, _): &&(&str, &[&str], &str)| *of == table && keys.contains(&key);
    let impossible = IMPOSSIBLE.iter().find(is_impossible).map(|(_, _, hint)| format!(". {hint}."));
    unknown("key", key, impossible.or_else(|| key_hint(file, key, known)), known)
}

/// The message about an unknown word.
pub(super) fn unknown_word(word: &str, known: &[&str]) -> String {
    unknown("word", word, key_like(word, known).map(did_you_mean), known)
}

/// The largest number of words that a rejection lists in addition to a hint.
const LISTED: usize = 10;

/// The message about an unknown key or word, with the hint and the known ones.
fn unknown(kind: &str, unknown: &str, hint: Option<String>, known: &[&str]) -> String {
    let all = known.join(", ");
    match hint {
        Some(hint) if known.len() > LISTED => format!("unknown {kind} `{unknown}`{hint}"),
        Some(hint) => format!("unknown {kind} `{unknown}`{hint} Known here: {all}."),
        None => format!("unknown {kind} `{unknown}`. Known here: {all}."),
    }
}

/// The hint about an unknown key: the key that is meant, what to write instead, or `None`.
fn key_hint(file: &'static KeyTable, unknown: &str, known: &[&str]) -> Option<String> {
    if let Some(word) = synonym(unknown, known) {
        return Some(did_you_mean(word));
    }
    let low = unknown.to_lowercase();
    if let Some((_, hint)) = ELSEWHERE.iter().find(|(words, _)| words.contains(&low.as_str())) {
        return Some(format!(". {hint}."));
    }
    let others = file.with_inner().into_iter().filter(|table| table.key(unknown).is_some());
    let others: Vec<&str> = others.map(|table| table.opens).collect();
    if !others.is_empty() {
        return Some(format!(". It is a key of {}.", others.join(", ")));
    }
    nearest(unknown, known).map(did_you_mean)
}

fn did_you_mean(word: &str) -> String {
    format!(". Did you mean `{word}`?")
}

/// The key or word that an unknown one probably is.
pub(super) fn key_like<'k>(unknown: &str, known: &[&'k str]) -> Option<&'k str> {
    synonym(unknown, known).or_else(|| nearest(unknown, known))
}

fn synonym<'k>(unknown: &str, known: &[&'k str]) -> Option<&'k str> {
    let low = unknown.to_lowercase();
    let (_, same) = SAME.iter().find(|(words, _)| words.contains(&low.as_str()))?;
    same.iter().find_map(|word| known.iter().find(|known| *known == word)).copied()
}
