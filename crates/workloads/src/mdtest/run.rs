//! A run from its first number of ranks to its last iteration (mdtest 4.1).

use command::mdtest::{ItemCounts, ItemOperation, OPERATIONS, OperationKind, Request, When};
use measure::CycleClock;
use ranks::{Comm, FailureCause, Halt};
use results::records::Sink;
use storage::{Names, Storage};

use super::items::Stem;
use super::observer::{MdtestEvent, MdtestListener};
use super::state::{MdtestRun, MdtestSummary};
use super::status::EarlierCounts;
use super::{directories, extras, files, names, place, preload, status, tree};
use crate::kit::board::Board;
use crate::kit::clients;
use crate::kit::payload::DataKey;
use crate::kit::rank::Rank;

/// Runs settings that passed [`Request::check`] on the ranks of `comm`. Every rank calls it. Only
/// rank 0's records, observer and seed are used. Collective.
#[allow(clippy::too_many_arguments, reason = "each is a separate part of a rank's environment")]
pub fn run(
    parameters: &Request,
    storage: &dyn Storage,
    comm: &dyn Comm,
    clock: &mut CycleClock,
    records: &mut dyn Sink,
    board: Option<(&Board, u32)>,
    observer: &mut MdtestListener<'_>,
    seed: u64,
    key: Option<DataKey>,
) -> Result<MdtestSummary, Halt> {
    let none = || format!("{} has no directories. Use -a POSIX", parameters.backend);
    let names = comm.agree("names", storage.names().ok_or_else(none))?;
    let mut rank = Rank::begin(comm, clock, records, board, &clients::dirs(storage, &parameters.dirs))?;
    let place = place::find(parameters, &rank)?;
    let (ranks, nodes, on_node_0) = (comm.size(), place.nodes, &place.on_node_0[..]);
    observer.event(&MdtestEvent::Started { ranks, nodes, on_node_0 });
    for reason in rank.node_notices() {
        observer.event(&MdtestEvent::Notice(&reason));
    }
    if place.shift != 0 {
        observer.event(&MdtestEvent::Shift(place.shift));
    }
    if !parameters.keeps_nothing() {
        place::report_warm_names(parameters, &place, &mut rank, observer)?;
    }
    rank.check_key(key)?;
    let seed = rank.same_seed(seed)?;
    let order_seed = order_seed(parameters, comm.rank(), seed, observer);
    let made = tree::make_own_dirs(parameters, names, comm)?;
    let mut summary = MdtestSummary::default();
    for (test, ranks) in parameters.numbers_of_ranks(comm.size()).into_iter().enumerate() {
        let part = MdtestPart { test: test as u32, shift: place.shift, seed, order_seed, key };
        let done = if ranks == comm.size() {
            on_ranks(parameters, (storage, names), rank.among(comm)?, observer, part)
        } else {
            on_first_ranks(parameters, (storage, names), &mut rank, observer, part, ranks)?
        };
        let done = done?;
        summary = MdtestSummary { wrong: summary.wrong + done.wrong, failed: summary.failed + done.failed };
    }
    if parameters.remove {
        tree::remove_own_dirs(parameters, names, comm, made, observer)?;
    }
    Ok(summary)
}

/// The inputs of a run on one number of ranks.
#[derive(Clone, Copy)]
struct MdtestPart {
    test: u32,
    shift: i64,
    seed: u64,
    order_seed: Option<u64>,
    key: Option<DataKey>,
}

/// Runs on the first ranks. The others wait and get the same result. Collective for all.
fn on_first_ranks(
    parameters: &Request,
    on: (&dyn Storage, &dyn Names),
    rank: &mut Rank<'_>,
    observer: &mut MdtestListener<'_>,
    part: MdtestPart,
    ranks: u32,
) -> Result<Result<MdtestSummary, Halt>, Halt> {
    let whole = rank.comm;
    let takes_part = whole.rank() < ranks;
    let some = whole.split(u32::from(!takes_part))?;
    let mut done = Ok(MdtestSummary::default());
    if takes_part {
        done = match rank.among(&*some) {
            Ok(rank) => on_ranks(parameters, on, rank, observer, part),
            Err(halt) => Err(halt),
        };
    }
    as_on_rank_0(whole, done)
}

/// The result of rank 0, on all ranks. Collective.
fn as_on_rank_0(
    comm: &dyn Comm,
    done: Result<MdtestSummary, Halt>,
) -> Result<Result<MdtestSummary, Halt>, Halt> {
    let done = done.map(|MdtestSummary { wrong, failed }| (wrong, failed));
    let done = done.map_err(|Halt { step, rank, node, why, call }| {
        (step, rank, FailureCause { text: why, call }.encode(&node))
    });
    let mut text = serde_json::to_vec(&done).unwrap_or_default();
    comm.broadcast(0, &mut text)?;
    let done: Result<_, (String, u32, String)> = serde_json::from_slice(&text)
        .unwrap_or_else(|error| Err(("run".to_owned(), 0, FailureCause::from(error.to_string()).encode(""))));
    let done = done.map(|(wrong, failed)| MdtestSummary { wrong, failed });
    Ok(done.map_err(|(step, rank, cause)| {
        let (node, FailureCause { text: why, call }) = FailureCause::decode(&cause);
        Halt { step, rank, node, why, call }
    }))
}

/// All iterations on the ranks of `rank`. Collective earlier.
fn on_ranks<'r>(
    parameters: &'r Request,
    (storage, names): (&'r dyn Storage, &'r dyn Names),
    rank: Rank<'r>,
    observer: &'r mut MdtestListener<'r>,
    part: MdtestPart,
) -> Result<MdtestSummary, Halt> {
    let counts = ItemCounts::from_request(parameters).expect("the parameters were checked");
    let MdtestPart { test, shift, seed, order_seed, key } = part;
    let mut run = MdtestRun {
        parameters,
        storage,
        names,
        rank,
        observer,
        counts,
        shift,
        signature: parameters.signature.unwrap_or(seed as i32),
        key,
        order_seed,
        test,
        iteration: 0,
        items: counts.items(),
        directories_made: None,
        summary: MdtestSummary::default(),
        made: false,
        found_dirs: 0,
    };
    run.observer.event(&MdtestEvent::Ranks { ranks: run.ranks(), items: counts.items() });
    let earlier = status::load(&mut run)?;
    for iteration in 0..parameters.iterations {
        run.iteration = iteration;
        run.observer.event(&MdtestEvent::Iteration(iteration));
        one(&mut run, earlier).map_err(|halt| with_remaining_tree(&run, halt))?;
    }
    run.observer.event(&MdtestEvent::Over { wrong: run.summary.wrong });
    Ok(run.summary)
}

/// One iteration. `earlier` holds the counts of items that an earlier run left. Collective.
fn one(run: &mut MdtestRun<'_>, earlier: Option<EarlierCounts>) -> Result<(), Halt> {
    let parameters = run.parameters;
    if parameters.create {
        tree::make_test_dirs(run)?;
    }
    phases(run, &[When::Begin])?;
    if parameters.create && parameters.preload > 0 {
        preload::fill(run)?;
    }
    let directories = parameters.directories && !parameters.shared_file;
    let tests = [
        (
            directories,
            Stem::Directory,
            if parameters.files { &[When::Directories][..] } else { &[When::Directories, When::Items] },
        ),
        (parameters.files, Stem::File, &[When::Files, When::Items][..]),
    ];
    for (_, stem, when) in tests.into_iter().filter(|(wanted, ..)| *wanted) {
        delay(run);
        run.items = earlier.map_or(run.counts.items(), |earlier| earlier.of(stem));
        phases(run, when)?;
    }
    if parameters.remove && parameters.preload > 0 {
        preload::empty(run)?;
    }
    phases(run, &[When::End])?;
    if parameters.remove {
        tree::remove_test_dirs(run)?;
    }
    Ok(())
}

/// The operations of one part of an iteration, in the order of the table. Collective.
fn phases(run: &mut MdtestRun<'_>, when: &[When]) -> Result<(), Halt> {
    for row in OPERATIONS {
        if when.contains(&row.when) && row.is_wanted(run.parameters) {
            perform(run, row)?;
        }
    }
    Ok(())
}

/// Does an operation on all ranks. Collective.
fn perform(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    use OperationKind::*;
    let perform = match row.kind {
        TreeCreation | TreeRemoval => tree::each_directory,
        DirectoryCreation => directories::create,
        DirectoryStat => directories::stat,
        DirectoryRename => directories::rename,
        FileCreation => files::create,
        FileStat => files::stat,
        FileStatx => extras::statx,
        FileRead => files::read,
        DirectoryListing => extras::list,
        FileRenameAcross => extras::rename_across,
        FileLink => extras::link,
        FileSymlink => extras::symlink,
        FileChmod => extras::chmod,
        FileXattrSet => extras::set_attribute,
        FileXattrGet => extras::get_attribute,
        FileTruncate => extras::truncate,
        SharedOpen => extras::shared_open,
        DirectoryRemoval => directories::remove,
        FileRemoval => files::remove,
    };
    perform(run, row)
}

/// `-p`: rank 0 sleeps, the others wait for it at the next barrier.
fn delay(run: &mut MdtestRun<'_>) {
    let seconds = run.parameters.pre_delay;
    if seconds > 0 {
        run.observer.event(&MdtestEvent::Delay(seconds));
        run.rank.wait(seconds);
    }
}

/// Adds the path of the tree to a halt. Nothing is removed after a halt, so that the user can find the
/// reason.
fn with_remaining_tree(run: &MdtestRun<'_>, mut halt: Halt) -> Halt {
    if run.made {
        let path = names::test_dir(run.parameters, 0, run.iteration, 0);
        let has_earlier = run.iteration > 0 && !run.parameters.remove;
        let more = run.parameters.dirs.len() > 1 || run.counts.loops > 1 || has_earlier;
        let more = if more { " ..." } else { "" };
        // A user who follows this line must not remove a tree that another run made or is using.
        halt.why.push_str(&match run.found_dirs {
            0 => format!(" (this run's tree is not removed: {path}{more})"),
            _ => {
                format!(" (not removed: this run's items in {path}{more}, which existed before)")
            }
        });
    }
    halt
}

/// The seed of this rank's order. With `-R` each rank has its own; with only `--random-seed` all have the
/// same.
fn order_seed(parameters: &Request, rank: u32, seed: u64, observer: &mut MdtestListener<'_>) -> Option<u64> {
    if !parameters.shuffle && parameters.random_seed == 0 {
        return None;
    }
    let seed = if parameters.random_seed > 0 { parameters.random_seed } else { seed };
    observer.event(&MdtestEvent::RandomSeed(seed));
    Some(if parameters.shuffle { seed.wrapping_add(rank.into()) } else { seed })
}

#[cfg(test)]
mod tests {
    use ranks::CallFailure;

    use super::*;

    #[test]
    fn a_halt_of_some_ranks_reaches_the_others_completely() {
        let halt = Halt {
            step: "file stat".into(),
            rank: 3,
            node: "n7".into(),
            why: "/a\nb: stat: No such file or directory".into(),
            call: Some(Box::new(CallFailure {
                path: "/a\nb".into(),
                errno: Some(2),
                ..CallFailure::default()
            })),
        };
        for wanted in [Err(halt), Ok(MdtestSummary { wrong: 4, failed: 9 })] {
            let all = ranks::local::run(2, |comm| {
                let idle = Ok(MdtestSummary::default());
                as_on_rank_0(comm, if comm.rank() == 0 { wanted.clone() } else { idle })
            });
            assert!(all.into_iter().all(|done| done == Ok(Ok(wanted.clone()))), "{wanted:?}");
        }
    }
}
