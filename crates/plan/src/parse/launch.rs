//! The rules of `[launch]`, and of the nodes of `[clients]` that the launcher must get.

use toml::Spanned;

use super::defaults::{Defaults, ParseResult};
use super::plan_text::PlanText;
use super::{ClientNodes, Placement, wire};
use crate::launcher::{HostList, Launch, LaunchKind, MPIRUN, Named, Ssh, allocation, says};

/// Checks how jobs are started, and whether the launcher accepts the names of nodes.
pub(super) fn launch(
    launch: Option<&Spanned<wire::LaunchKeys>>,
    clients: Option<&wire::ClientsKeys>,
    place: &PlanText<'_>,
) -> ParseResult<Launch> {
    let launch = match launch {
        None => {
            let kind = LaunchKind::Local;
            Launch { kind, env: Default::default(), attempts: 0, probe: false, ssh: None }
        }
        Some(spanned) => {
            let (kind, keys) = (kind(spanned.get_ref(), place)?, spanned.get_ref());
            let probe = keys.probe.unwrap_or(true) && kind != LaunchKind::Local;
            let attempts = attempts(keys, place)?.unwrap_or(0);
            let ssh = ssh(&kind, spanned, place)?;
            Launch { kind, env: keys.env.clone(), attempts, probe, ssh }
        }
    };
    if let Some(clients) = clients {
        accepts_nodes(&launch.kind, clients, place)?;
    }
    Ok(launch)
}

/// The most repeats of a job that died.
const ATTEMPTS_MAX: u64 = 10;

fn attempts(wire: &wire::LaunchKeys, place: &PlanText<'_>) -> ParseResult<Option<u32>> {
    let Some(count) = &wire.attempts else { return Ok(None) };
    match count.get_ref().0.map_or(0, |count| count.0) {
        some if some <= ATTEMPTS_MAX => Ok(Some(some as u32)),
        _ => {
            let what = format!("launch.attempts is at most {ATTEMPTS_MAX}. Find why jobs die instead.");
            Err(place.error(count, what))
        }
    }
}

impl Defaults<'_> {
    /// How the jobs of one test are started, if it says so: `local`, or as those of `[launch]` with other
    /// options. What it does not set, the nodes and the recorded launcher are those of `[launch]`.
    pub(super) fn own_launch(&self, who: &str, wire: &wire::TestKeys) -> ParseResult<Option<Launch>> {
        let Some(spanned) = &wire.launch else { return Ok(None) };
        let keys = spanned.get_ref();
        if keys.probe.is_some() {
            let what = format!("{who}: launch: `probe` is for all tests. Set it in [launch].");
            return Err(self.place.error(spanned, what));
        }
        if let Some((key, at)) = of_ssh(keys) {
            let what = format!("{who}: launch: `{key}` is for all tests. Set it in [launch].");
            return Err(self.place.at(at, &what));
        }
        let own = kind(keys, self.place)?;
        let alike = match (&own, self.launch) {
            (LaunchKind::Local, _) => true,
            (LaunchKind::Mpirun(own), LaunchKind::Mpirun(of_plan)) => {
                own.first() == of_plan.first() && says(own, "{hosts}") == says(of_plan, "{hosts}")
            }
            (own, of_plan) => own.name() == of_plan.name() && own.program() == of_plan.program(),
        };
        if !alike && !self.errors.is_spoiled("launch") {
            let what = "a test is started with `kind = \"local\"`, or with the launcher and the program of \
                        [launch]. Change only its `options`, `argv`, `env` or `attempts`.";
            return Err(self.place.error(spanned, format!("{who}: launch: {what}")));
        }
        let mut env = self.launch_env.clone();
        env.extend(spanned.get_ref().env.clone());
        let attempts = attempts(keys, self.place)?.unwrap_or(self.launch_attempts);
        Ok(Some(Launch { kind: own, env, probe: false, attempts, ssh: None }))
    }

    /// The same rules for a test with this launcher.
    pub(super) fn started_by<'b>(&'b self, kind: &'b LaunchKind) -> Defaults<'b> {
        Defaults { launch: kind, clients: self.clients.clone(), numbers: self.numbers.clone(), ..*self }
    }
}

fn kind(wire: &wire::LaunchKeys, place: &PlanText<'_>) -> ParseResult<LaunchKind> {
    if let Some(by) = Named::of(wire.kind.word()) {
        return named(by, wire, place);
    }
    let what = match wire.kind {
        wire::LauncherWord::Local => "launch.kind `local` starts threads of one process",
        _ => "launch.kind `mpirun` takes its command line from `argv`",
    };
    if let Some(options) = &wire.options {
        return Err(place.error(options, format!("{what} and has no `options`. Remove them.")));
    }
    if let Some(program) = &wire.program {
        return Err(place.error(program, format!("{what} and has no `program`. Remove it.")));
    }
    match (wire.kind, &wire.argv) {
        (wire::LauncherWord::Local, None) => Ok(LaunchKind::Local),
        (wire::LauncherWord::Local, Some(argv)) => {
            let what = "launch.kind `local` has no `argv`. Remove it, or write kind = \"mpirun\".";
            Err(place.error(argv, what))
        }
        (_, None) => Ok(any()),
        (_, Some(argv)) => {
            LaunchKind::mpirun(without_empty(argv.get_ref())).map_err(|error| place.error(argv, error.0))
        }
    }
}

fn named(by: &'static Named, wire: &wire::LaunchKeys, place: &PlanText<'_>) -> ParseResult<LaunchKind> {
    let name = by.name;
    if let Some(argv) = &wire.argv {
        let what = format!(
            "launch.kind `{name}` builds its own command line and has no `argv`. Add your options as \
             `options`, or write kind = \"mpirun\"."
        );
        return Err(place.error(argv, what));
    }
    let options = wire.options.as_ref().map(|all| without_empty(all.get_ref())).unwrap_or_default();
    if let Some(marked) = options.iter().find(|word| word.contains(['{', '}'])) {
        let what = format!(
            "`{marked}`: options of {name} have no placeholders. Write kind = \"mpirun\" with `argv`."
        );
        return Err(place.at(wire.options.as_ref().map(Spanned::span).unwrap_or_default(), &what));
    }
    let program = wire.program.as_ref().map(|program| program.get_ref().clone());
    if let Some(empty) = wire.program.as_ref().filter(|program| program.get_ref().trim().is_empty()) {
        return Err(place.error(empty, "launch.program is empty. Remove it for the usual program."));
    }
    Ok(LaunchKind::Named { by, program, options })
}

/// The first key of ssh that is given, and its place.
fn of_ssh(keys: &wire::LaunchKeys) -> Option<(&'static str, std::ops::Range<usize>)> {
    let hosts = keys.hosts.as_ref().map(|hosts| ("hosts", hosts.span()));
    let program = keys.ssh.as_ref().map(|program| ("ssh", program.span()));
    let copy = keys.copy.as_ref().map(|copy| ("copy", copy.span()));
    hosts.or(program).or(copy)
}

/// The hosts of `launch.kind = "ssh"`. Other launchers have none.
fn ssh(
    kind: &LaunchKind,
    launch: &Spanned<wire::LaunchKeys>,
    place: &PlanText<'_>,
) -> ParseResult<Option<Ssh>> {
    let keys = launch.get_ref();
    if !kind.is_over_ssh() {
        return match of_ssh(keys) {
            None => Ok(None),
            Some((key, at)) => {
                let name = kind.name();
                let what =
                    format!("launch.kind `{name}` has no `{key}`. Remove it, or write kind = \"ssh\".");
                Err(place.at(at, &what))
            }
        };
    }
    let Some(list) = &keys.hosts else {
        let what = "launch.kind `ssh` needs `hosts`, such as hosts = [\"n1\", \"n2\"]";
        return Err(place.error(launch, what));
    };
    let hosts = match list.get_ref() {
        wire::TextOrTexts::Text(text) => HostList::from_text(text),
        wire::TextOrTexts::Texts(texts) => HostList::from_texts(&without_empty(texts)),
    };
    let hosts = hosts.map_err(|why| place.error(list, format!("launch.hosts: {why}")))?;
    let given = |key: &Option<Spanned<String>>| {
        key.as_ref().map(|text| text.get_ref().trim().to_owned()).filter(|text| !text.is_empty())
    };
    let (program, copy) = (given(&keys.ssh), given(&keys.copy));
    if let Some(at) = keys.copy.as_ref().filter(|_| copy.as_ref().is_some_and(|copy| !copy.starts_with('/')))
    {
        return Err(place.error(at, "launch.copy is not an absolute path. Give one, such as `/tmp`."));
    }
    Ok(Some(Ssh { hosts, program, copy }))
}

/// Rejects names of nodes that the launcher cannot use.
fn accepts_nodes(kind: &LaunchKind, clients: &wire::ClientsKeys, place: &PlanText<'_>) -> ParseResult<()> {
    let name = kind.name();
    if let Some(file) = clients.hostfile.as_ref().filter(|_| kind.is_over_ssh()) {
        let what = "launch.kind `ssh` takes its nodes from launch.hosts. Remove clients.hostfile.";
        return Err(place.error(file, what));
    }
    if let Some(file) = clients.hostfile.as_ref().filter(|_| !kind.takes_hosts()) {
        let way = match kind {
            LaunchKind::Mpirun(_) => "Add {hosts} to launch.argv.",
            _ => "It takes the nodes of its allocation. Remove clients.hostfile.",
        };
        return Err(place.error(file, format!("launch.kind `{name}` does not get these nodes. {way}")));
    }
    if let Some(first) = clients.exclude.first().filter(|_| !kind.takes_exclude()) {
        let what = format!(
            "launch.kind `{name}` cannot exclude nodes. Add {{hosts}} to launch.argv, which then names the \
             other nodes."
        );
        return Err(place.error(first, what));
    }
    Ok(())
}

/// `mpirun` with its usual arguments. It starts all tests, so it also replaces a launcher with an error.
pub(super) fn any() -> LaunchKind {
    LaunchKind::Mpirun(MPIRUN.iter().map(ToString::to_string).collect())
}

/// The words without empty ones, which a parameter leaves that is empty at a scale.
pub(super) fn without_empty(words: &[String]) -> Vec<String> {
    words.iter().filter(|word| !word.trim().is_empty()).cloned().collect()
}

/// The reason why a job with this placement cannot be started, if there is one.
pub(super) fn rejects(kind: &LaunchKind, clients: &ClientNodes, placement: &Placement) -> Option<String> {
    let named = match clients.hostfile {
        _ if *kind == LaunchKind::Local => None,
        _ if kind.is_over_ssh() => Some("launch.hosts"),
        Some(_) => Some("clients.hostfile"),
        None => None,
    };
    if let Some(key) = named.filter(|_| placement.nodes.is_none()) {
        return Some(format!(
            "{key} names nodes, so this job needs a number of nodes. Give `nodes`, or `ppn` with `ranks`."
        ));
    }
    kind.rejects_placement(placement)
}

/// The names of nodes that no job may use. `n[017-019]` is three names.
pub(super) fn left_out(words: &[Spanned<String>], place: &PlanText<'_>) -> ParseResult<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for word in words {
        let fit = |name: &String| !name.contains(|c: char| c.is_whitespace() || "{}[]\"'".contains(c));
        let Some(some) = allocation::expanded(word.get_ref()).filter(|some| some.iter().all(fit)) else {
            let what = format!("`{}` does not name nodes. Write `n017` or `n[017-019]`.", word.get_ref());
            return Err(place.error(word, format!("clients.exclude: {what}")));
        };
        names.extend(some);
    }
    names.sort();
    names.dedup();
    Ok(names)
}
