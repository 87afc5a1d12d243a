//! The five answers from which `assay plan init` writes a plan: file system, nodes, launcher, memory and
//! clauses.
//!
//! Each answer is an option. On a terminal, those that are not given are asked for.
//!
//! Invariant: the plan that is made is valid.

use std::io::{self, BufRead, IsTerminal};

use anyhow::Result;
use clap::ValueEnum;
use plan::Plan;
use units::{Dimension, Quantity, Usage};

use super::add::{self, AddRequest, ClauseKind};
use crate::speech::say;

/// The launchers that a plan can name by `kind` alone.
const LAUNCHERS: [&str; 8] = ["local", "srun", "openmpi", "mpich", "flux", "pals", "aprun", "jsrun"];

/// The answers.
#[derive(clap::Args, Debug, Default)]
pub(super) struct Answers {
    /// Without NAME: the type of the file system, such as lustre; `any` if it is not fixed
    #[arg(long, value_name = "TYPE", conflicts_with = "name")]
    fs_kind: Option<String>,
    /// Without NAME: the number of client nodes
    #[arg(long, value_name = "N", conflicts_with = "name",
          value_parser = clap::value_parser!(u32).range(1..))]
    nodes: Option<u32>,
    /// Without NAME: how ranks are started: local, srun, openmpi, mpich, flux, pals, aprun or jsrun
    #[arg(long, value_name = "KIND", conflicts_with = "name", value_parser = LAUNCHERS)]
    launcher: Option<String>,
    /// Without NAME: the main memory of a client node, such as `256 GiB`
    #[arg(long, value_name = "SIZE", conflicts_with = "name")]
    memory: Option<String>,
    /// Without NAME: the clauses, such as `bandwidth,metadata,integrity`
    #[arg(long, value_name = "KINDS", conflicts_with = "name", value_delimiter = ',')]
    clauses: Vec<ClauseKind>,
}

impl Answers {
    /// Whether the user gave one of them.
    fn has_any(&self) -> bool {
        let Self { fs_kind, nodes, launcher, memory, clauses } = self;
        fs_kind.is_some() || nodes.is_some() || launcher.is_some() || memory.is_some() || !clauses.is_empty()
    }

    /// The text of the plan. Answers that are missing are asked for on a terminal, or have their defaults.
    pub(super) fn plan(self, file: &str) -> Result<String> {
        let asks = io::stdin().is_terminal() && !self.has_any();
        if !asks && !self.has_any() {
            let what = "give the name of a plan, such as `assay plan init minimal`, or answers, such as \
                        `assay plan init --nodes 8 --launcher srun`. On a terminal they are asked for.";
            return Err(Usage(what.to_owned()).into());
        }
        let own = run::machine::memory();
        let own_memory = format!("{} GiB", own.div_ceil(1 << 30).max(1));
        let fs_kind = match self.fs_kind {
            Some(kind) => kind,
            None => answer(asks, "Type of the file system (lustre, gpfs, beegfs, nfs, ext4, ...)", "any")?,
        };
        let nodes = match self.nodes {
            Some(nodes) => nodes,
            None => number(&answer(asks, "Number of client nodes", "1")?)?,
        };
        let usual = if nodes > 1 { "srun" } else { "local" };
        let question = format!("How ranks are started ({})", LAUNCHERS.join(", "));
        let launcher = match self.launcher {
            Some(launcher) => launcher,
            None => known_launcher(answer(asks, &question, usual)?)?,
        };
        let memory = match self.memory {
            Some(memory) => memory,
            None => answer(asks, "Main memory of a client node", &own_memory)?,
        };
        let clauses = match self.clauses.is_empty() {
            false => self.clauses,
            true => {
                let question = format!("Clauses ({})", clause_names().join(", "));
                kinds(&answer(asks, &question, "bandwidth,metadata,integrity")?)?
            }
        };
        text(&PlanFacts { fs_kind, nodes, launcher, memory: bytes(&memory)?, clauses }, file)
    }
}

/// The checked answers.
struct PlanFacts {
    fs_kind: String,
    nodes: u32,
    launcher: String,
    memory: u64,
    clauses: Vec<ClauseKind>,
}

/// An answer, or its default. An empty line means the default.
fn answer(asks: bool, question: &str, default: &str) -> Result<String> {
    if !asks {
        return Ok(default.to_owned());
    }
    say(&format!("{question} [{default}]: "))?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let line = line.trim();
    Ok(if line.is_empty() { default.to_owned() } else { line.to_owned() })
}

fn number(text: &str) -> Result<u32, Usage> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| Usage(format!("`{text}` is not a number of nodes. Write for example `8`.")))
}

fn known_launcher(text: String) -> Result<String, Usage> {
    match LAUNCHERS.contains(&text.as_str()) {
        true => Ok(text),
        false => Err(Usage(format!("unknown launcher `{text}`{}", plan::among(&text, &LAUNCHERS)))),
    }
}

fn bytes(text: &str) -> Result<u64, Usage> {
    match text.parse::<Quantity>() {
        Ok(size) if size.dimension == Dimension::Bytes && size.value >= 1.0 => Ok(size.value as u64),
        _ => Err(Usage(format!("`{text}` is not an amount of memory. Write for example `256 GiB`."))),
    }
}

/// The names of all kinds of clauses.
fn clause_names() -> Vec<String> {
    let values = ClauseKind::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    values.map(|value| value.get_name().to_owned()).collect()
}

fn kinds(text: &str) -> Result<Vec<ClauseKind>, Usage> {
    let kind = |name: &str| {
        ClauseKind::from_str(name, true).map_err(|_| {
            let known = clause_names();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            Usage(format!("unknown clause `{name}`{}", plan::among(name, &known)))
        })
    };
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(kind).collect()
}

/// Ranks on each node: the cores of this machine, or a usual number for nodes that are elsewhere.
fn ppn(launcher: &str) -> u32 {
    let own = std::thread::available_parallelism().map_or(2, |cores| cores.get() as u32).clamp(2, 64);
    if launcher == "local" { own } else { 16 }
}

/// The text of the plan with these answers.
fn text(facts: &PlanFacts, file: &str) -> Result<String> {
    let ppn = ppn(&facts.launcher);
    let one_node = facts.launcher == "local" || facts.nodes < 2;
    let layout = |stripes: &str| match facts.fs_kind == "lustre" {
        true => format!("lfs setstripe {stripes} {{dir}}"),
        false => "true".to_owned(),
    };
    let mut text = include_str!("templates/base.toml").to_owned();
    for (mark, value) in [
        ("<FILE>", file.to_owned()),
        ("<KIND>", if facts.fs_kind == "any" { String::new() } else { facts.fs_kind.clone() }),
        ("<LAUNCH>", facts.launcher.clone()),
        // Local nodes are groups of ranks, so there can be as many as a series needs.
        ("<DELIVERED>", if facts.launcher == "local" { facts.nodes.max(4) } else { facts.nodes }.to_string()),
        ("<NODES>", facts.nodes.to_string()),
        ("<PROJECTED>", (2 * facts.nodes.max(4)).to_string()),
        ("<PPN>", ppn.to_string()),
        ("<MEMORY>", format!("{} GiB", facts.memory.div_ceil(1 << 30))),
        ("<BLOCK>", add::block_of(Some(facts.memory), ppn)),
        ("<ITEMS>", add::items_of(ppn.saturating_mul(facts.nodes)).to_string()),
        ("<SHIFT>", "-N 1".to_owned()),
        ("<COLD>", add::cold(one_node).to_owned()),
        ("<LAYOUT>", layout("-c 1")),
        ("<LAYOUT-SHARED>", layout("-c -1")),
        ("<APP-PPN>", if facts.launcher == "local" { 1 } else { ppn }.to_string()),
    ] {
        text = text.replace(mark, &value);
    }
    for (place, kind) in facts.clauses.iter().enumerate() {
        let added = match place {
            // A plan without a test is not valid yet.
            0 => first(*kind, &text)?,
            _ => add::clause(*kind, &text, file, &AddRequest::default())?.0,
        };
        text.push_str(&added);
    }
    Plan::parse(&text, file)?;
    Ok(text)
}

/// The text of the first clause.
fn first(kind: ClauseKind, base: &str) -> Result<String> {
    let any = "[[test]]\nid = \"ANY\"\nior = \"-w -F -e\"\nrole = \"reported\"\n";
    let plan = Plan::parse(&format!("{base}\n{any}"), "plan")?;
    if kind == ClauseKind::Projection {
        let what = "a projection needs a test that writes. Name `bandwidth` before it.";
        return Err(Usage(what.to_owned()).into());
    }
    Ok(format!("\n{}", add::filled(kind, &plan, &AddRequest::default())?.0))
}
