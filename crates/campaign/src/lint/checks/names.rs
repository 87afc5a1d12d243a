//! Operations on names: who looks at whose names, in which directories, how many.

use units::{count, several};

use crate::lint::subject::{LineFacts, LineSubject, PlanSubject};
use crate::lint::{Found, Level};

/// Items below which a rate of names is one of caches and start-up (NERSC-10).
const ITEMS: u64 = 1_000_000;
/// Entries of one tree and trees at once, of the walk that Purple asked for.
const ENTRIES: u64 = 100_000;
const TREES: u64 = 10;

/// md-same-node
pub(crate) fn same_node(subject: &LineSubject) -> Vec<Found> {
    let Some(line) = subject.mdtest() else { return Vec::new() };
    let looks = line.creates && (line.looks || line.removes);
    if !looks || line.runs_commands || subject.cache_warm {
        return Vec::new();
    }
    let what = match (subject.nodes(), subject.ppn(), line.shift) {
        (Some(1), ..) => "on one node names are looked at where they were made".to_owned(),
        (_, _, Some(0)) => "without -N every rank looks at the names that it made itself".to_owned(),
        (_, Some(ppn), Some(shift)) if shift < ppn => {
            format!("-N {shift} leads most ranks to names made on their own node, which has {ppn}")
        }
        _ => return Vec::new(),
    };
    let remedy = match (subject.nodes(), subject.ppn()) {
        (Some(1), _) => "look from another node, or drop caches by --run-cmd-before-phase".to_owned(),
        (_, Some(ppn)) => format!("give -N {ppn}"),
        _ => "give -N with the number of ranks of a node".to_owned(),
    };
    vec![Found::new(format!("{what}: its cache may answer for stat and delete"), remedy)]
}

/// md-too-short, as far as the words tell it
pub(crate) fn too_few(subject: &LineSubject) -> Vec<Found> {
    let Some(line) = subject.mdtest().filter(|line| line.deadline_s == 0) else { return Vec::new() };
    let (Some(items), Some(ranks)) = (line.items, subject.ranks()) else { return Vec::new() };
    let all = items.saturating_mul(ranks);
    if subject.reported || all >= ITEMS || all == 0 {
        return Vec::new();
    }
    let what = format!("{} of all ranks in one repetition", several(all, "item"));
    let remedy = format!("make at least {}: -n {}", count(ITEMS as f64), ITEMS.div_ceil(ranks));
    vec![Found::new(what, remedy)]
}

/// ls-walk, as far as the words tell it
pub(crate) fn walk(subject: &LineSubject) -> Vec<Found> {
    let LineFacts::Walk(line) = &subject.line else { return Vec::new() };
    let mut found = Vec::new();
    if let Some(entries) = line.entries.filter(|entries| *entries < ENTRIES) {
        let what = format!("trees of {entries} entries");
        let remedy = format!("make more than {ENTRIES} in each");
        found.push(Found::new(what, remedy).level(Level::Waiver));
    }
    if line.plain {
        let what = "one `ls` on one node, which nobody times together with others: caches may answer, and \
                    nothing proves that ten walk at once";
        let remedy = "`assay -n 10 ls-lr --cold`, which walks ten trees at once and takes the rate of the \
                      time in which all were at work";
        found.push(Found::new(what, remedy).level(Level::Waiver));
        return found;
    }
    let judged = subject.judges("list.");
    if let Some(ranks) = subject.ranks().filter(|ranks| *ranks < TREES && judged) {
        let what = format!("{} at once", several(ranks, "walk"));
        found
            .push(Found::new(what, format!("start {TREES}, each in a tree of its own")).level(Level::Waiver));
    }
    if judged && !line.makes && !line.cold && line.shift == 0 && !subject.cache_warm {
        let what = "nothing says that the names are not in the memory of the node that walks";
        found.push(Found::new(what, "walk with --cold, or on other nodes (--shift)").level(Level::Waiver));
    }
    found
}

/// Whether a line makes names, or looks at them, or nobody knows what it does.
pub(crate) fn are_made(line: &LineFacts) -> bool {
    matches!(line, LineFacts::Mdtest(_) | LineFacts::Walk(_) | LineFacts::Other(_))
}

/// not-aged, as far as the plan tells it
pub(crate) fn aged(subject: &LineSubject) -> Vec<Found> {
    let rates = |metric: &str| metric.ends_with(".rate") || metric.ends_with(".iops");
    let judged = subject.criteria.iter().any(|criterion| rates(&criterion.metric));
    if !are_made(&subject.line) || !judged || subject.has_state {
        return Vec::new();
    }
    let what = "a rate of names on whatever the file system holds at the moment: an empty one is faster";
    let remedy = "give a state: `age = \"--blocks 80% --inodes 20%\"`, or `preload`";
    vec![Found::new(what, remedy).level(Level::Waiver)]
}

/// fill-is-not-age, as far as the plan tells it
pub(crate) fn only_filled(plan: &PlanSubject) -> Vec<Found> {
    let found = plan.only_filled.iter().map(|(name, words)| {
        let what = format!("{name} fills ({words}) and rewrites nothing, so free space stays in one piece");
        Found::new(what, "let it rewrite what it filled: --turnovers 1").about(name)
    });
    found.collect()
}

/// Words by which a clause speaks of one directory for all.
const SHARED: &[&str] = &["single directory", "same directory", "one directory", "shared directory"];
/// Words by which it speaks of one for each.
const UNIQUE: &[&str] = &["separate director", "unique director", "own directory", "directory of its own"];

/// shared-unique-pair
pub(crate) fn pair(plan: &PlanSubject) -> Vec<Found> {
    let judged = |line: &&LineSubject| !line.criteria.is_empty() || line.reported;
    let lines = plan.lines.iter().filter(judged);
    let of_mdtest: Vec<_> = lines.filter_map(|line| Some((line, line.mdtest()?))).collect();
    let mut found = Vec::new();
    for (subject, line) in &of_mdtest {
        let says = |words: &[&str]| words.iter().any(|word| subject.clause.to_lowercase().contains(word));
        let wrong = match (says(SHARED), says(UNIQUE), line.unique) {
            (true, false, true) => {
                Some(("one directory for all", "gives each rank one of its own (-u)", "take -u out"))
            }
            (false, true, false) => Some(("separate directories", "has one for all (no -u)", "give -u")),
            (true, true, true) => Some((
                "both, one directory and separate ones",
                "has only the separate (-u)",
                "make two tests, one without -u",
            )),
            (true, true, false) => Some((
                "both, one directory and separate ones",
                "has only the one",
                "make two tests, one with -u",
            )),
            _ => None,
        };
        if let Some((clause, has, remedy)) = wrong {
            let what = format!("the clause speaks of {clause}, and the line {has}");
            found.push(Found::new(what, remedy).about(&subject.id).at(subject.place()));
        }
    }
    let creating: Vec<_> = of_mdtest.iter().filter(|(_, line)| line.creates).collect();
    if let (Some((first, line)), true) = (creating.first(), found.is_empty())
        && creating.iter().all(|(_, other)| other.unique == line.unique)
    {
        let (only, other) = match line.unique {
            true => ("a directory for each rank (-u)", "one for all"),
            false => ("one directory for all", "one for each rank (-u)"),
        };
        let what = format!("names are made in {only} only, and systems differ most in the other case");
        let remedy = format!("add a test with {other}, or say that the contract does not ask for it");
        found.push(Found::new(what, remedy).level(Level::Waiver).about(&first.id).at(first.place()));
    }
    found
}
