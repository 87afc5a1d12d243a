//! The machine and its file systems, before and after the campaign.
//!
//! Invariant: the section says which facts were not recorded.
//! Never here: facts of the nodes under the launcher; jobs record those.

use results::folder::{BackingLayer, Campaign, FileSystemFacts, Machine};

use super::words::{NONE, bytes_cell, count_cell, or_none, share, time};
use super::{Block, Cell, Section, Table};

/// The file systems before the campaign, or after it if nothing was recorded before.
pub(super) fn file_systems(campaign: &Campaign) -> &[FileSystemFacts] {
    campaign.before.as_ref().or(campaign.after.as_ref()).map_or(&[], |machine| &machine.file_systems)
}

/// The utilization as `df` shows it: the used share of what this user may use; `None` if nothing is known.
fn utilization(used: u64, free: u64) -> Option<f64> {
    let whole = used as f64 + free as f64;
    (whole > 0.0).then(|| used as f64 / whole)
}

pub(super) fn line(campaign: &Campaign) -> String {
    let Some(machine) = campaign.before.as_ref().or(campaign.after.as_ref()) else {
        return "not recorded".into();
    };
    let memory = units::bytes_binary(machine.memory_bytes as f64);
    let parts = [&machine.host, &machine.os, &machine.kernel, &machine.cpu];
    let mut parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).cloned().collect();
    if machine.cores > 0 {
        parts.push(format!("{} cores, {memory}", machine.cores));
    }
    for system in &machine.file_systems {
        let used = utilization(system.bytes_used, system.bytes_free)
            .map_or(String::new(), |used| format!(", {} used", share(used)));
        let on = format!("{}: {} on {}", system.name, or_none(&system.kind), or_none(&system.mount));
        parts.push(format!("{on}{}{used}", backing(system)));
    }
    parts.join("; ")
}

/// What a file system lies on, in brackets; empty if it is a device or a server.
fn backing(system: &FileSystemFacts) -> String {
    let layers: Vec<String> = system.backing.iter().map(BackingLayer::words).collect();
    if layers.is_empty() { String::new() } else { format!(" ({})", layers.join(", ")) }
}

pub(super) fn section(campaign: &Campaign) -> Section {
    let mut blocks = vec![];
    if campaign.before.is_none() && campaign.after.is_none() {
        blocks.push(Block::Paragraph("No facts of the machine were recorded.".into()));
    } else {
        blocks.push(Block::Table(host(campaign)));
        blocks.extend(systems(campaign).map(Block::Table));
    }
    Section::new("machine", "Machine and file systems", blocks)
}

fn host(campaign: &Campaign) -> Table {
    let mut table = Table::new("The machine that ran the campaign", "Fact | Before | After");
    let mut row = |name: &str, pick: &dyn Fn(&Machine) -> Cell| {
        let cell = |machine: &Option<Machine>| machine.as_ref().map_or(Cell::new("not recorded"), pick);
        table.row([Cell::new(name), cell(&campaign.before), cell(&campaign.after)]);
    };
    row("Recorded at", &|machine| Cell::new(time(&machine.taken)));
    row("Host", &|machine| Cell::new(or_none(&machine.host)));
    row("System", &|machine| Cell::new(or_none(&machine.os)));
    row("Kernel", &|machine| Cell::new(or_none(&machine.kernel)));
    row("Processor", &|machine| Cell::new(or_none(&machine.cpu)));
    row("Cores", &|machine| Cell::new(machine.cores.to_string()));
    row("Memory", &|machine| bytes_cell(machine.memory_bytes));
    row("Load average, 1 min", &|machine| Cell::new(format!("{:.2}", machine.load)));
    row("Governor", &|machine| Cell::new(or_none(&machine.governor)));
    row("Clock source", &|machine| Cell::new(or_none(&machine.clock_source)));
    row("Clock synchronization", &|machine| Cell::new(or_none(&machine.time_sync)));
    table
}

/// One row for each file system at each moment; `None` if there is none.
fn systems(campaign: &Campaign) -> Option<Table> {
    let headings = "Name | When | Type | Mounted at | Device | Options | >Size | >Free | >Utilization | \
         >Inodes free | >Inodes used";
    let rows = file_systems(campaign).iter().flat_map(|known| {
        [("before", &campaign.before), ("after", &campaign.after)]
            .into_iter()
            .filter_map(|(when, machine)| Some(system_row(when, machine.as_ref()?.file_system(&known.name)?)))
    });
    Table::with_rows("File systems under test", headings, rows).unless_empty()
}

fn system_row(when: &str, system: &FileSystemFacts) -> Vec<Cell> {
    let percent = |used, free| Cell::new(utilization(used, free).map_or(NONE.into(), share));
    let inodes_free = if system.inodes == 0 { Cell::new(NONE) } else { count_cell(system.inodes_free) };
    vec![
        Cell::new(&system.name),
        Cell::new(when),
        Cell::new(or_none(&system.kind)),
        Cell::literal(or_none(&system.mount)),
        Cell::literal(format!("{}{}", or_none(&system.device), backing(system))),
        Cell::literal(or_none(&system.options)),
        bytes_cell(system.bytes),
        bytes_cell(system.bytes_free),
        percent(system.bytes_used, system.bytes_free),
        inodes_free,
        percent(system.inodes.saturating_sub(system.inodes_free), system.inodes_free),
    ]
}
