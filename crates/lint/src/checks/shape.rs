//! Whether a command contradicts itself: ranks, phases, options, layout.

use command::{LaunchedRanks, PlannedLine, WorkloadLine, ior};
use results::finding::Severity::{Error, Info, NeedsWaiver};
use results::finding::{Finding, SourcePosition};
use results::reason::{Field, Reason, Text, reason, row};

use crate::subject::{Drift, DriftKind, LineRejection, LineRole, LineSubject};

/// Relative difference that is allowed between stated and computed totals.
const TOTAL: f64 = 0.01;

/// geometry
pub(crate) fn geometry(subject: &LineSubject) -> Vec<Finding> {
    let mut found = Vec::new();
    let (launched, stated) = (subject.launched, subject.stated);
    for (quantity, started, meant) in [
        ("nodes", launched.nodes, stated.nodes),
        ("ranks per node", launched.ppn, stated.ppn),
        ("ranks", launched.ranks, stated.ranks),
    ] {
        if let (Some(started), Some(meant)) = (started, meant)
            && started != meant
        {
            found.push(Finding::new(Error, reason!(Geometry { quantity, launched: started, stated: meant })));
        }
    }
    if let LaunchedRanks { ranks: Some(ranks), nodes: Some(nodes), ppn: Some(ppn) } = subject.given()
        && ranks != nodes.saturating_mul(ppn)
    {
        let whole = ranks.checked_rem(ppn).is_some_and(|rest| rest == 0);
        let reason = reason!(Geometry {
            nodes,
            ppn,
            product: nodes.saturating_mul(ppn),
            ranks,
            nodes_of_ranks: whole.then(|| ranks / ppn)
        });
        found.push(Finding::new(Error, reason));
    }
    let Some(line) = subject.ior() else { return found };
    if let (Some(part), Some(ranks)) = (line.ranks, subject.ranks())
        && u64::from(part) > ranks
    {
        found.push(Finding::new(Error, reason!(Geometry { taking_part: part, ranks })).at(subject.word('N')));
    }
    found.extend(total(subject));
    found
}

/// Compares the bytes that are moved with the stated bytes.
fn total(subject: &LineSubject) -> Option<Finding> {
    let (stated, moved) = (subject.total_bytes? as f64, subject.bytes()? as f64);
    let place = subject.word('s').or(subject.word('b'));
    ((moved - stated).abs() > TOTAL * stated)
        .then(|| Finding::new(Error, reason!(Geometry { moved, stated_bytes: stated })).at(place))
}

/// rate-too-short, from the command line alone; the records decide it too
pub(crate) fn instant(subject: &LineSubject) -> Option<Finding> {
    let measured = !subject.reported && (subject.measures_write() || subject.measures_read());
    let line = subject.ior().filter(|line| measured && line.place('b').is_none())?;
    let lasts = line.deadline > 0 || line.has_minimum_time();
    let bytes = line.bytes_per_rank().filter(|bytes| *bytes <= units::MIB && !lasts)?;
    Some(Finding::new(Info, reason!(RateTooShort { bytes })))
}

/// role-mismatch
pub(crate) fn role(subject: &LineSubject) -> Option<Finding> {
    let reason = against_role(subject, subject.role?, row::RoleMismatch::role)?;
    let letter = match (reason.get(row::RoleMismatch::extra), reason.get(row::RoleMismatch::lost)) {
        (None, None) => 'r',
        _ => 'w',
    };
    Some(Finding::new(Error, reason).at(subject.word(letter)))
}

/// What a command line has too much or lacks for its role. The role is put into the data as `field`.
pub(super) fn against_role(subject: &LineSubject, role: LineRole, field: Field<Text>) -> Option<Reason> {
    let line = subject.ior()?;
    let reason = match role {
        LineRole::Read if !line.names_phase() => reason!(RoleMismatch { implied: "-w", .. }),
        // With -r in addition, it is reported as wr-same-launch.
        LineRole::Read if line.writes() && !line.reads() => {
            reason!(RoleMismatch { extra: "-w", missing: "-r", .. })
        }
        LineRole::Read if !line.reads() => reason!(RoleMismatch { missing: "-r", .. }),
        LineRole::Write | LineRole::Dataset if !line.writes() => reason!(RoleMismatch { missing: "-w", .. }),
        LineRole::Dataset if !line.keep => reason!(RoleMismatch { lost: "-k", .. }),
        _ => return None,
    };
    Some(reason.with(field, role.word()))
}

/// The place of `-k` in an mdtest command line. Since IOR 3.3, `-k` creates files by mknod. Such lines were
/// written for mdtest 1.9 and 3.2, which did not have the option.
fn mknod(subject: &LineSubject) -> Option<usize> {
    subject.mdtest()?.mknod_place()
}

/// The facts of an ior command line with `-z`, if it shuffles segments.
fn shuffled(subject: &LineSubject) -> Option<&ior::Line> {
    subject.ior().filter(|line| line.shuffles_segments())
}

/// option-drift, for an option whose meaning has changed
pub(crate) fn changed(subject: &LineSubject) -> Option<Finding> {
    if let Some(line) = shuffled(subject) {
        return Some(
            Finding::new(Info, reason!(OptionDrift { option: "-z", segments: line.segments }))
                .at(subject.word('z')),
        );
    }
    let at = mknod(subject)?;
    let place = Some(SourcePosition::Word(at + 1, subject.mdtest()?.words[at].clone()));
    Some(Finding::new(NeedsWaiver, reason!(OptionDrift { option: "-k", since: "IOR 3.3" })).at(place))
}

/// option-drift
pub(crate) fn drift(subject: &LineSubject) -> Vec<Finding> {
    let words = match &subject.line {
        Some(WorkloadLine::Ior(line)) => &*line.words,
        Some(WorkloadLine::Mdtest(line)) => &*line.words,
        _ => &[],
    };
    let known = mknod(subject).or_else(|| shuffled(subject)?.place('z'));
    // The finding about this option above says more than its note.
    let is_new = |drift: &&Drift| drift.at.is_none() || drift.at != known;
    let drifts = subject.drift.iter().filter(is_new).map(|drift| {
        let word = drift.at.and_then(|at| Some((at, words.get(at)?)));
        let option = word.map(|(_, word)| word);
        let reason = match drift.kind {
            DriftKind::Renamed => reason!(OptionDrift { option, renamed: &drift.detail }),
            DriftKind::Idle => reason!(OptionDrift { option, idle: &drift.detail }),
        };
        Finding::new(Info, reason).at(word.map(|(at, word)| SourcePosition::Word(at + 1, word.clone())))
    });
    drifts.collect()
}

/// line-rejected
pub(crate) fn rejected(subject: &LineSubject) -> Vec<Finding> {
    let finding = |rejection: &LineRejection| {
        let word = rejection.place.as_ref().map(|(at, word)| SourcePosition::Word(at + 1, word.clone()));
        // The sentence of the finding has its own full stop.
        let why = rejection.why.trim_end_matches('.');
        Finding::new(Error, reason!(LineRejected { rejected: why })).at(word)
    };
    subject.rejections.iter().map(finding).collect()
}

/// options-in-file
pub(crate) fn hidden(subject: &LineSubject) -> Option<Finding> {
    let Some(WorkloadLine::Ior(line)) = &subject.line else { return None };
    let place = line.word('f').map(|(number, word)| SourcePosition::Word(number, word));
    Some(Finding::new(NeedsWaiver, reason!(OptionsInFile { file: line.parsed.script.as_ref()? })).at(place))
}

/// hero-as-contract
pub(crate) fn hero(subject: &LineSubject) -> Option<Finding> {
    let judged = !subject.criteria.is_empty() || subject.target.is_some();
    let found = || Finding::new(Error, reason!(HeroAsContract));
    (subject.role == Some(LineRole::Hero) && judged).then(found)
}

/// Types of file systems that distribute a file over several storage targets.
const STRIPED: &[&str] = &["lustre", "beegfs"];

/// layout-undeclared
pub(crate) fn layout(subject: &LineSubject) -> Option<Finding> {
    let line = subject.ior().filter(|line| line.writes() && !line.sets_layout())?;
    let kind = subject.fs.kind.as_deref().filter(|kind| STRIPED.contains(kind))?;
    let reason = match (subject.fs.stripes, line.file_per_rank) {
        (Some(-1), true) => reason!(LayoutUndeclared { layout: "all" }),
        (Some(stripes), true) if stripes != 1 => reason!(LayoutUndeclared { stripes }),
        (Some(1), false) => reason!(LayoutUndeclared { shared_on: 1_u64 }),
        (None, _) if !subject.fs.layout => reason!(LayoutUndeclared { kind }),
        _ => return None,
    };
    Some(Finding::new(NeedsWaiver, reason))
}

/// layout-undeclared, where there are too few files
pub(crate) fn few_files(subject: &LineSubject) -> Option<Finding> {
    let own_files = subject.ior().is_some_and(|line| line.file_per_rank) && subject.fs.stripes == Some(1);
    let (ranks, targets) = (subject.ranks()?, subject.fs.targets?);
    let too_few = own_files && !subject.criteria.is_empty() && ranks < targets;
    too_few.then(|| Finding::new(NeedsWaiver, reason!(LayoutUndeclared { files: ranks, targets })))
}
