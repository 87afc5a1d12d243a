//! The batch job around this process: its batch system, its number of nodes, and their names.
//!
//! Invariant: names and numbers that the batch system does not state are unknown, never guessed.

use std::fmt;

/// A job of a batch system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocation {
    /// The batch system's name, such as `Slurm`.
    pub system: &'static str,
    /// The number or name of the job.
    pub job: String,
    /// Its number of nodes; `None` if it is not stated.
    pub nodes: Option<u32>,
    /// Their names; empty if they are not stated.
    pub hosts: Vec<String>,
}

impl fmt::Display for Allocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} job {}", self.system, self.job)
    }
}

impl Allocation {
    /// The allocation from environment variables. `read` gives the text of a file that one of them names.
    pub fn of(
        lookup: &dyn Fn(&str) -> Option<String>,
        read: &dyn Fn(&str) -> Option<String>,
    ) -> Option<Self> {
        let number = |name: &str| lookup(name)?.trim().parse().ok();
        if let Some(job) = lookup("SLURM_JOB_ID") {
            let hosts = lookup("SLURM_JOB_NODELIST").and_then(|list| expanded(&list)).unwrap_or_default();
            let nodes = number("SLURM_JOB_NUM_NODES").or_else(|| number("SLURM_NNODES"));
            return Some(Self { system: "Slurm", job, nodes, hosts });
        }
        if let Some(job) = lookup("PBS_JOBID") {
            let hosts = lookup("PBS_NODEFILE").and_then(|file| read(&file)).map(|text| hosts_in(&text));
            let hosts = hosts.unwrap_or_default();
            let nodes = u32::try_from(hosts.len()).ok().filter(|nodes| *nodes > 0);
            return Some(Self { system: "PBS", job, nodes, hosts });
        }
        if let Some(job) = lookup("FLUX_JOB_ID") {
            return Some(Self { system: "Flux", job, nodes: number("FLUX_JOB_NNODES"), hosts: Vec::new() });
        }
        let job = lookup("LSB_JOBID")?;
        Some(Self { system: "LSF", job, nodes: None, hosts: Vec::new() })
    }

    /// The number of its nodes that remain without these.
    pub fn usable(&self, exclude: &[String]) -> Option<u32> {
        let left_out = self.hosts.iter().filter(|host| exclude.contains(host)).count() as u32;
        self.nodes.map(|nodes| nodes.saturating_sub(left_out))
    }
}

/// The names in a list as Slurm writes it, such as `n[001-003,7],login1`; `None` if it cannot be parsed.
pub fn expanded(list: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for item in items(list) {
        names.extend(names_of(item)?);
    }
    (!names.is_empty()).then_some(names)
}

/// The parts of a list between its commas, except commas in brackets.
fn items(list: &str) -> Vec<&str> {
    let (mut depth, mut begin, mut items) = (0_u32, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.push(&list[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    items.push(&list[begin..]);
    items.into_iter().map(str::trim).filter(|item| !item.is_empty()).collect()
}

/// The names of one part. Each of its brackets multiplies them.
fn names_of(item: &str) -> Option<Vec<String>> {
    let Some((before, rest)) = item.split_once('[') else { return Some(vec![item.to_owned()]) };
    let (inside, after) = rest.split_once(']')?;
    let after = names_of(after)?;
    let mut names = Vec::new();
    for number in numbers(inside)? {
        names.extend(after.iter().map(|after| format!("{before}{number}{after}")));
    }
    Some(names)
}

/// Expands `1-3,07` to `1 2 3 07`. Each number of a range has as many digits as the first one.
fn numbers(inside: &str) -> Option<Vec<String>> {
    let mut numbers = Vec::new();
    for range in inside.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let width = first.len();
        let (from, to) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
        numbers.extend((from..=to).map(|number| format!("{number:0width$}")));
    }
    Some(numbers)
}

/// The names in the text of a hostfile: the first word of each line, once. `#` begins a comment.
pub fn hosts_in(text: &str) -> Vec<String> {
    let mut hosts: Vec<String> = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        // MPI libraries write `n1:4` and `n1 slots=4`.
        let name = line.split([' ', '\t', ':']).find(|word| !word.is_empty());
        if let Some(name) = name.filter(|name| !hosts.iter().any(|host| host == name)) {
            hosts.push(name.to_owned());
        }
    }
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slurm_list_expands_to_node_names() {
        for (list, names) in [
            ("node[1-3]", "node1 node2 node3"),
            ("n[008-010,17],login1", "n008 n009 n010 n17 login1"),
            ("r[1-2]n[1-2]-ib", "r1n1-ib r1n2-ib r2n1-ib r2n2-ib"),
            ("vm", "vm"),
        ] {
            assert_eq!(expanded(list).unwrap().join(" "), names, "{list}");
        }
        for list in ["", "n[1-2", "n[a-b]"] {
            assert_eq!(expanded(list), None, "{list}");
        }
    }

    #[test]
    fn the_allocation_of_each_batch_system_is_read() {
        let seen = |variables: &[(&str, &str)]| {
            let lookup = |name: &str| {
                variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
            };
            let read = |file: &str| (file == "/nodes").then(|| "x1\nx1\nx2\n".to_owned());
            Allocation::of(&lookup, &read)
        };
        let slurm = [("SLURM_JOB_ID", "7"), ("SLURM_JOB_NUM_NODES", "2"), ("SLURM_JOB_NODELIST", "n[1-2]")];
        let slurm = seen(&slurm).unwrap();
        assert_eq!((slurm.to_string().as_str(), slurm.nodes), ("Slurm job 7", Some(2)));
        assert_eq!(slurm.usable(&["n2".to_owned(), "n9".to_owned()]), Some(1), "n9 is not among them");
        let pbs = seen(&[("PBS_JOBID", "3.srv"), ("PBS_NODEFILE", "/nodes")]).unwrap();
        assert_eq!((pbs.nodes, pbs.hosts.join(" ").as_str()), (Some(2), "x1 x2"));
        let flux = seen(&[("FLUX_JOB_ID", "f1"), ("FLUX_JOB_NNODES", "3")]).unwrap();
        assert_eq!((flux.nodes, flux.hosts.len()), (Some(3), 0));
        assert_eq!(seen(&[("LSB_JOBID", "5")]).unwrap().usable(&[]), None, "not stated");
        assert_eq!(seen(&[("HOME", "/root")]), None);
    }
}
