//! Whether the words of a command say the same: ranks, phases, places, options.

use units::{bytes_binary, several};

use crate::lint::ior_facts::IorFacts;
use crate::lint::path::{self, Lies};
use crate::lint::subject::{DriftKind, LineFacts, LineSubject, Role};
use crate::lint::{Found, Level, Place};

/// How far stated and computed totals may be apart.
const TOTAL: f64 = 0.01;

/// geometry
pub(crate) fn geometry(subject: &LineSubject) -> Vec<Found> {
    let mut found = Vec::new();
    let (launched, stated) = (subject.launched, subject.stated);
    for (what, said, meant) in [
        ("nodes", launched.nodes, stated.nodes),
        ("ranks per node", launched.ppn, stated.ppn),
        ("ranks", launched.ranks, stated.ranks),
    ] {
        if let (Some(said), Some(meant)) = (said, meant)
            && said != meant
        {
            let text = format!("the launcher's words say {said} {what}, and {meant} are stated");
            found.push(Found::new(text, "give both the same"));
        }
    }
    let first = |said: Option<u64>, meant: Option<u64>| said.or(meant);
    let ranks = first(launched.ranks, stated.ranks);
    let (nodes, ppn) = (first(launched.nodes, stated.nodes), first(launched.ppn, stated.ppn));
    if let (Some(ranks), Some(nodes), Some(ppn)) = (ranks, nodes, ppn)
        && ranks != nodes.saturating_mul(ppn)
    {
        let what = format!(
            "{} × {} = {}, and {ranks} are started",
            several(nodes, "node"),
            several(ppn, "rank"),
            nodes.saturating_mul(ppn)
        );
        let remedy = match ranks % ppn {
            0 => format!("start {}, or state {}", nodes.saturating_mul(ppn), several(ranks / ppn, "node")),
            _ => format!("start {}", nodes.saturating_mul(ppn)),
        };
        found.push(Found::new(what, remedy));
    }
    let Some(line) = subject.ior() else { return found };
    if let (Some(part), Some(ranks)) = (line.ranks, subject.ranks())
        && part > ranks
    {
        let what = format!("-N {part} of {}", several(ranks, "rank"));
        found.push(Found::new(what, "start as many, or leave -N out").at(line.place('N')));
    }
    found.extend(total(subject, line));
    found
}

/// rate-too-short, as far as the words tell it
pub(crate) fn instant(subject: &LineSubject) -> Vec<Found> {
    let measured = !subject.reported && (subject.measures_write() || subject.measures_read());
    let Some(line) = subject.ior().filter(|_| measured) else { return Vec::new() };
    let lasts = line.deadline_s > 0 || line.min_time;
    let bytes = line.bytes_per_rank().filter(|bytes| *bytes <= units::MIB && !lasts);
    let (Some(bytes), None) = (bytes, line.at.get(&'b')) else { return Vec::new() };
    let what =
        format!("without -b each rank moves {} only, in a fraction of a second", bytes_binary(bytes as f64));
    vec![Found::new(what, "give -b, and -s, so that it lasts a second at least, or stop by -D")]
}

/// What is moved against what is said to be moved.
fn total(subject: &LineSubject, line: &IorFacts) -> Option<Found> {
    let (meant, moved) = (subject.total_bytes? as f64, subject.bytes()? as f64);
    let told = bytes_binary;
    ((moved - meant).abs() > TOTAL * meant).then(|| {
        let what = format!("-b and -s of all ranks are {}, and {} are stated", told(moved), told(meant));
        Found::new(what, "change -s, or the number that is stated").at(line.place('s').or(line.place('b')))
    })
}

/// role-mismatch
pub(crate) fn role(subject: &LineSubject) -> Vec<Found> {
    let (Some(line), Some(role)) = (subject.ior(), subject.role) else { return Vec::new() };
    let found = |what: &str, remedy: &str, letter| vec![Found::new(what, remedy).at(line.place(letter))];
    match role {
        Role::Read if !line.names_phase => {
            found("names no phase, so IOR writes as well as reads", "give -r", 'r')
        }
        // With -r besides it is told as wr-same-launch.
        Role::Read if line.write && !line.read => {
            found("is to measure a read, and has -w", "take -w out, and give -r -k", 'w')
        }
        Role::Read if !line.read => found("is to measure a read, and has no -r", "give -r", 'r'),
        Role::Write if !line.write => found("is to measure a write, and has no -w", "give -w", 'r'),
        Role::Dataset if !line.write => found("is to make files, and has no -w", "give -w", 'r'),
        Role::Dataset if !line.keep => {
            found("is to make files, and IOR removes them at the end of the line", "add -k", 'w')
        }
        _ => Vec::new(),
    }
}

/// Places of a line: paths with the letter that gives them.
fn places(subject: &LineSubject) -> Vec<(String, Option<Place>)> {
    let split = |text: &str, place: Option<Place>| {
        text.split('@').map(|one| (one.to_owned(), place.clone())).collect::<Vec<_>>()
    };
    match &subject.line {
        LineFacts::Ior(line) => {
            line.file.as_deref().map_or_else(Vec::new, |file| split(file, line.place('o')))
        }
        LineFacts::Mdtest(line) => line.dir.as_deref().map_or_else(Vec::new, |dir| split(dir, None)),
        LineFacts::Walk(line) => line.dir.as_deref().map_or_else(Vec::new, |dir| split(dir, None)),
        LineFacts::Other(dir) => dir.as_deref().map_or_else(Vec::new, |dir| split(dir, None)),
    }
}

/// path-on-wrong-fs
pub(crate) fn place(subject: &LineSubject) -> Vec<Found> {
    let mount = subject.fs.mount.as_deref();
    let mut found = Vec::new();
    let places = places(subject);
    for (text, place) in &places {
        if subject.ior().is_some() && path::is_directory(text, mount) {
            let what = format!("`-o {text}` names a directory, and no file in it");
            let remedy = format!("name a file: `-o {}/data`", text.trim_end_matches('/'));
            found.push(Found::new(what, remedy).at(place.clone()));
        }
        let Some(mount) = mount else { continue };
        match path::lies(text, mount) {
            Lies::Below | Lies::Unknown => {}
            Lies::Elsewhere => {
                let what = format!("`{text}` does not lie below {mount}, which is under test");
                found.push(Found::new(what, format!("give a path below {mount}")).at(place.clone()));
            }
            Lies::Relative => {
                let what = format!("`{text}` lies in the directory in which the job is started");
                let remedy = format!("give the whole path, below {mount}");
                found.push(Found::new(what, remedy).at(place.clone()).level(Level::Info));
            }
        }
    }
    if let (true, Some(mount), Some(_)) = (places.is_empty(), mount, subject.ior()) {
        let what = "names no file: IOR takes `testFile` in the directory in which the job is started";
        found.push(Found::new(what, format!("give -o {mount}/…")).level(Level::Info));
    }
    found.extend(spelled(subject));
    found
}

/// The file of a dataset and that of its reader, spelled in two ways.
fn spelled(subject: &LineSubject) -> Option<Found> {
    let (line, source) = (subject.ior()?, subject.source.as_ref()?);
    let (here, there) = (line.file.as_deref()?, source.line.file.as_deref()?);
    let same = path::plain(here) == path::plain(there);
    (here != there).then(|| {
        let what = format!("reads `{here}`, and {} has `{there}`", source.name);
        let found = Found::new(what, "write the same word in both").at(line.place('o'));
        if same { found.level(Level::Info) } else { found }
    })
}

/// option-drift, of what is another option than it was
pub(crate) fn changed(subject: &LineSubject) -> Vec<Found> {
    let Some(line) = subject.mdtest().filter(|line| line.makes_nodes) else { return Vec::new() };
    let letters = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.contains('k');
    let place = line.words.iter().position(letters);
    let place = place.map(|at| Place::Word(at + 1, line.words[at].clone()));
    let what = "-k makes files by mknod since IOR 3.3; mdtest 1.9 and 3.2, for which such lines were \
        written, did not know it";
    let remedy = "agree on what is meant, and write that; results of the two differ";
    vec![Found::new(what, remedy).level(Level::Waiver).at(place)]
}

/// option-drift
pub(crate) fn drift(subject: &LineSubject) -> Vec<Found> {
    let words = match &subject.line {
        LineFacts::Ior(line) => &line.words[..],
        LineFacts::Mdtest(line) => &line.words[..],
        _ => &[],
    };
    let drifts = subject.drift.iter().map(|drift| {
        let place = drift.at.and_then(|at| Some(Place::Word(at + 1, words.get(at)?.clone())));
        let (level, remedy) = match drift.kind {
            DriftKind::Unknown => {
                (Level::Error, "write the option that is meant, with a value that it takes, or take it out")
            }
            DriftKind::Renamed => (Level::Info, "write today's name; IOR 4.1 refuses the old one"),
            DriftKind::Idle => (Level::Info, "take it out"),
        };
        Found::new(drift.what.clone(), remedy).level(level).at(place)
    });
    drifts.collect()
}

/// options-in-file
pub(crate) fn hidden(subject: &LineSubject) -> Vec<Found> {
    let LineFacts::Ior(line) = &subject.line else { return Vec::new() };
    let Some(file) = &line.script else { return Vec::new() };
    let what = format!("the options in `{file}` are not looked at, so nothing is known of what is moved");
    vec![
        Found::new(what, "write them in the line: -O KEY=VALUE of each line of the file").at(line.place('f')),
    ]
}

/// hero-as-contract
pub(crate) fn hero(subject: &LineSubject) -> Vec<Found> {
    if subject.role != Some(Role::Hero) || (subject.criteria.is_empty() && subject.target.is_none()) {
        return Vec::new();
    }
    let what = "a hero run shows what the system can do; its number cannot satisfy a clause";
    vec![Found::new(what, "take the criterion out, and compare the number with the contract's")]
}

/// layout-undeclared, where the files are too few
pub(crate) fn reach(subject: &LineSubject) -> Vec<Found> {
    let own_files = subject.ior().is_some_and(|line| line.file_per_rank) && subject.fs.stripes == Some(1);
    match (subject.ranks(), subject.fs.targets) {
        (Some(ranks), Some(targets)) if own_files && !subject.criteria.is_empty() && ranks < targets => {
            let files = several(ranks, "file");
            let what =
                format!("{files} on one target each cannot reach the {targets} targets that there are");
            vec![Found::new(what, format!("{targets} ranks or more, or stripes over several targets"))]
        }
        _ => Vec::new(),
    }
}

/// Types of file systems that lay a file over several targets.
const STRIPED: &[&str] = &["lustre", "beegfs"];

/// layout-undeclared
pub(crate) fn layout(subject: &LineSubject) -> Vec<Found> {
    let Some(line) = subject.ior().filter(|line| line.write) else { return Vec::new() };
    let kind = subject.fs.kind.as_deref().unwrap_or_default();
    if !STRIPED.contains(&kind) {
        return Vec::new();
    }
    match (subject.fs.stripes, line.file_per_rank) {
        _ if line.layout => Vec::new(),
        (Some(stripes), true) if stripes != 1 => {
            let over = if stripes == -1 { "all targets".to_owned() } else { format!("{stripes} stripes") };
            let what = format!("a file for each rank, over {over} each");
            vec![Found::new(what, "one stripe for each file, or say why not")]
        }
        (Some(1), false) => {
            let what = "a file that all ranks share lies on one target";
            vec![Found::new(what, "stripe it over all targets (-1)")]
        }
        (None, _) if !subject.fs.layout => {
            let what = format!("how files lie on {kind} is not said: whatever the directory has is measured");
            vec![Found::new(
                what,
                "declare it: stripes = 1, and setup = [\"lfs setstripe -c 1 {dir}\"] or \
                 --posix.lustre.stripecount",
            )]
        }
        _ => Vec::new(),
    }
}
