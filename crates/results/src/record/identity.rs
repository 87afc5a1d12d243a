//! Which kernel each node of a run has, and what watches or changes the processes there.
//!
//! Invariant: one entry for each node, for any number of ranks.
//! Never here: what follows from it in a verdict.

use serde::{Deserialize, Serialize};

use super::Run;

/// One node of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeIdentity {
    /// Its name, as in the records of ranks.
    pub name: String,
    /// The id that its kernel chose when it booted; empty if it cannot be known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub boot_id: String,
    /// The highest seccomp mode of a process there: 0 none, 1 strict, 2 a filter.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    pub seccomp: u32,
    /// The process that traces one of them; 0 if there is none.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    pub tracer_pid: u32,
    /// The name of that process.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tracer: String,
    /// Files with code that are mapped into a process before it loads a library, and that the program does
    /// not need. At most [`NodeIdentity::CAP`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<MappedObject>,
    /// SHA-256 of the programs of its processes, each once, if a launcher started them. At most
    /// [`NodeIdentity::CAP`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<String>,
}

/// A file with code that is mapped into a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MappedObject {
    /// Its path, as the kernel reports it.
    pub path: String,
    /// Its SHA-256; empty if it cannot be read or is very large.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sha256: String,
}

impl NodeIdentity {
    /// The maximum number of objects, and of programs, that a record lists for a node.
    pub const CAP: usize = 8;

    /// Adds what another process of the node reported.
    pub fn add(&mut self, other: Self) {
        self.seccomp = self.seccomp.max(other.seccomp);
        if self.tracer_pid == 0 {
            (self.tracer_pid, self.tracer) = (other.tracer_pid, other.tracer);
        }
        add_to(&mut self.objects, other.objects);
        add_to(&mut self.programs, other.programs);
    }
}

/// Adds what is not known yet, up to the maximum.
fn add_to<T: PartialEq>(known: &mut Vec<T>, others: Vec<T>) {
    for other in others {
        if known.len() < NodeIdentity::CAP && !known.contains(&other) {
            known.push(other);
        }
    }
}

impl Run {
    /// The number of machines: nodes with a kernel of their own. Records without this fact count all nodes.
    pub fn machines(&self) -> u32 {
        let kernels = self.clients.as_ref().and_then(|clients| clients.kernels());
        kernels.map_or(self.nodes, |kernels| kernels.min(self.nodes)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Clients;
    use super::*;

    fn node(boot_id: &str) -> NodeIdentity {
        NodeIdentity { name: "n".into(), boot_id: boot_id.into(), ..NodeIdentity::default() }
    }

    fn run(ids: &[&str]) -> Run {
        let clients = Clients { nodes: ids.iter().map(|id| node(id)).collect(), ..Clients::default() };
        Run { nodes: 3, clients: Some(Box::new(clients)), ..Run::default() }
    }

    #[test]
    fn nodes_with_one_kernel_are_one_machine_and_an_unknown_kernel_is_none() {
        let machines = [run(&["a", "b", "c"]), run(&["a", "b", "a"]), run(&["a", "", ""]), run(&[])];
        assert_eq!(machines.map(|run| run.machines()), [3, 2, 1, 3]);
        assert_eq!(Run { nodes: 3, ..Run::default() }.machines(), 3, "without nodes");
    }

    #[test]
    fn what_the_processes_of_a_node_report_is_added_once_and_limited() {
        let object = |number: u32| MappedObject { path: format!("/lib/{number}.so"), ..Default::default() };
        let mut sum = node("a");
        for number in 0..20 {
            let objects = vec![object(number), object(0)];
            sum.add(NodeIdentity { seccomp: number % 3, tracer_pid: number, objects, ..node("") });
        }
        assert_eq!((sum.seccomp, sum.tracer_pid, sum.objects.len()), (2, 1, NodeIdentity::CAP));
        assert_eq!((sum.objects[1].clone(), sum.boot_id.as_str()), (object(1), "a"));
    }
}
