//! The rules of `[launch]`, and of the nodes of `[clients]` that it has to tell its launcher.

use toml::Spanned;

use super::defaults::ParseResult;
use super::plan_text::PlanText;
use super::{ClientNodes, Placement, wire};
use crate::launcher::{Launch, LaunchKind, MPIRUN, Named, allocation};

/// How jobs are started, and whether that can be told which nodes are meant.
pub(super) fn launch(
    launch: Option<&Spanned<wire::LaunchKeys>>,
    clients: Option<&wire::ClientsKeys>,
    place: &PlanText<'_>,
) -> ParseResult<Launch> {
    let launch = match launch {
        None => Launch { kind: LaunchKind::Local, env: Default::default() },
        Some(spanned) => Launch { kind: kind(spanned.get_ref(), place)?, env: spanned.get_ref().env.clone() },
    };
    if let Some(clients) = clients {
        tells_nodes(&launch.kind, clients, place)?;
    }
    Ok(launch)
}

fn kind(wire: &wire::LaunchKeys, place: &PlanText<'_>) -> ParseResult<LaunchKind> {
    if let Some(by) = Named::of(wire.kind.word()) {
        return named(by, wire, place);
    }
    let what = match wire.kind {
        wire::LauncherWord::Local => "launch.kind `local` starts threads of one process",
        _ => "launch.kind `mpirun` has all its words in `argv`",
    };
    if let Some(options) = &wire.options {
        return Err(place.error(options, format!("{what} and takes no `options`; leave them out")));
    }
    if let Some(program) = &wire.program {
        return Err(place.error(program, format!("{what} and takes no `program`; leave it out")));
    }
    match (wire.kind, &wire.argv) {
        (wire::LauncherWord::Local, None) => Ok(LaunchKind::Local),
        (wire::LauncherWord::Local, Some(argv)) => {
            Err(place.error(argv, "launch.kind `local` takes no `argv`; use `mpirun` or leave it out"))
        }
        (_, None) => Ok(LaunchKind::Mpirun(MPIRUN.iter().map(ToString::to_string).collect())),
        (_, Some(argv)) => {
            LaunchKind::mpirun(argv.get_ref().clone()).map_err(|error| place.error(argv, error.0))
        }
    }
}

fn named(by: &'static Named, wire: &wire::LaunchKeys, place: &PlanText<'_>) -> ParseResult<LaunchKind> {
    let name = by.name;
    if let Some(argv) = &wire.argv {
        let what = format!(
            "launch.kind `{name}` makes its own words and takes no `argv`; add yours as `options`, or use \
             kind = \"mpirun\""
        );
        return Err(place.error(argv, what));
    }
    let options = wire.options.as_ref().map(|options| options.get_ref().clone()).unwrap_or_default();
    if let Some(marked) = options.iter().find(|word| word.contains(['{', '}'])) {
        let what =
            format!("`{marked}`: options of {name} have no placeholders; use kind = \"mpirun\" with `argv`");
        return Err(place.at(wire.options.as_ref().map(Spanned::span).unwrap_or_default(), &what));
    }
    let program = wire.program.as_ref().map(|program| program.get_ref().clone());
    if let Some(empty) = wire.program.as_ref().filter(|program| program.get_ref().trim().is_empty()) {
        return Err(place.error(empty, "launch.program is empty; leave it out for the usual one"));
    }
    Ok(LaunchKind::Named { by, program, options })
}

/// Rejects names of nodes that the launcher cannot be told.
fn tells_nodes(kind: &LaunchKind, clients: &wire::ClientsKeys, place: &PlanText<'_>) -> ParseResult<()> {
    let name = kind.name();
    if let Some(file) = clients.hostfile.as_ref().filter(|_| !kind.takes_hosts()) {
        let way = match kind {
            LaunchKind::Mpirun(_) => "say {hosts} in launch.argv",
            _ => "it takes those of its allocation; leave clients.hostfile out",
        };
        return Err(place.error(file, format!("launch.kind `{name}` is not told these nodes; {way}")));
    }
    if let Some(first) = clients.exclude.first().filter(|_| !kind.takes_exclude()) {
        let what = format!(
            "launch.kind `{name}` cannot be told to leave nodes out; say {{hosts}} in launch.argv, which \
             then names the others"
        );
        return Err(place.error(first, what));
    }
    Ok(())
}

/// Why a job so placed cannot be started, if so.
pub(super) fn rejects(kind: &LaunchKind, clients: &ClientNodes, placement: &Placement) -> Option<String> {
    let named = clients.hostfile.is_some() && *kind != LaunchKind::Local;
    if named && placement.nodes.is_none() {
        let what =
            "clients.hostfile names nodes, of which this job has to have a number; give `nodes`, or `ppn`";
        return Some(format!("{what} beside `ranks`"));
    }
    kind.rejects_placement(placement)
}

/// The names of nodes that no job is to run on; `n[017-019]` is three.
pub(super) fn left_out(words: &[Spanned<String>], place: &PlanText<'_>) -> ParseResult<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for word in words {
        let fit = |name: &String| !name.contains(|c: char| c.is_whitespace() || "{}[]\"'".contains(c));
        let Some(some) = allocation::expanded(word.get_ref()).filter(|some| some.iter().all(fit)) else {
            let what = format!("`{}` names no node; write `n017` or `n[017-019]`", word.get_ref());
            return Err(place.error(word, format!("clients.exclude: {what}")));
        };
        names.extend(some);
    }
    names.sort();
    names.dedup();
    Ok(names)
}
