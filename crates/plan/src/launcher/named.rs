//! The launchers whose words are known, a row each: how they are told ranks, nodes, and which nodes.
//!
//! Invariant: a row is words and nothing else, so that a launcher is a pure function of what it is given.

use super::Nodes;
use crate::placement::Placement;

/// A launcher whose words are known. In them `{ranks}`, `{nodes}` and `{ppn}` stand for the placement,
/// `{hosts}` for names joined by commas, `{slots}` for names with the ranks of each, `{exclude}` for the
/// names of nodes that are left out.
#[derive(Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name in a plan.
    pub name: &'static str,
    /// Its program.
    pub program: &'static str,
    /// Words that are always there.
    always: &'static [&'static str],
    /// Words that are there inside an allocation.
    inside: &'static [&'static str],
    /// Words for ranks alone, where the launcher chooses the nodes.
    free: &'static [&'static str],
    /// Words for so many ranks on so many nodes.
    placed: &'static [&'static str],
    /// Words for the nodes by name; empty where it takes none.
    hosts: &'static [&'static str],
    /// Words for nodes that are left out; empty where it knows none, and the others have to be named.
    exclude: &'static [&'static str],
    /// Whether it can only put equally many ranks on each node.
    even: bool,
}

/// What most of them have.
const PLAIN: Named = Named {
    name: "",
    program: "",
    always: &[],
    inside: &[],
    free: &["-n", "{ranks}"],
    placed: &[],
    hosts: &[],
    exclude: &[],
    even: false,
};

/// In order of name.
pub const NAMED: &[Named] = &[
    Named {
        name: "aprun",
        program: "aprun",
        placed: &["-n", "{ranks}", "-N", "{ppn}"],
        hosts: &["-L", "{hosts}"],
        exclude: &["-E", "{exclude}"],
        ..PLAIN
    },
    Named {
        name: "flux",
        program: "flux",
        always: &["run"],
        placed: &["-N", "{nodes}", "-n", "{ranks}"],
        hosts: &["--requires=host:{hosts}"],
        exclude: &["--requires=-host:{exclude}"],
        ..PLAIN
    },
    Named {
        name: "jsrun",
        program: "jsrun",
        free: &["--np", "{ranks}"],
        placed: &[
            "--nrs",
            "{nodes}",
            "--rs_per_host",
            "1",
            "--tasks_per_rs",
            "{ppn}",
            "--cpu_per_rs",
            "ALL_CPUS",
        ],
        exclude: &["--exclude_hosts", "{exclude}"],
        even: true,
        ..PLAIN
    },
    Named {
        name: "mpich",
        program: "mpiexec",
        placed: &["-n", "{ranks}", "-ppn", "{ppn}"],
        hosts: &["-hosts", "{hosts}"],
        ..PLAIN
    },
    Named {
        name: "openmpi",
        program: "mpirun",
        placed: &["-n", "{ranks}", "--map-by", "ppr:{ppn}:node"],
        hosts: &["--host", "{slots}"],
        ..PLAIN
    },
    Named {
        name: "pals",
        program: "mpiexec",
        placed: &["-n", "{ranks}", "--ppn", "{ppn}"],
        hosts: &["--hosts", "{hosts}"],
        ..PLAIN
    },
    Named {
        name: "srun",
        program: "srun",
        // Else the ranks of a node that died are waited for until the job's time is over.
        always: &["--kill-on-bad-exit=1"],
        // Else a step that wants a node which has died meanwhile waits for it as long.
        inside: &["--immediate=60"],
        placed: &["-N", "{nodes}", "-n", "{ranks}", "--ntasks-per-node={ppn}"],
        hosts: &["--nodelist={hosts}"],
        exclude: &["--exclude={exclude}"],
        ..PLAIN
    },
];

impl Named {
    /// The launcher of that name in a plan.
    pub fn of(name: &str) -> Option<&'static Self> {
        NAMED.iter().find(|named| named.name == name)
    }

    /// Whether it can be told which nodes to run on.
    pub fn takes_hosts(&self) -> bool {
        !self.hosts.is_empty()
    }

    /// Whether it can be told which nodes to leave out.
    pub fn takes_exclude(&self) -> bool {
        !self.exclude.is_empty()
    }

    pub(crate) fn rejects_placement(&self, placement: &Placement) -> Option<String> {
        let Placement { ranks, nodes: Some(nodes), ppn: Some(ppn), .. } = placement else { return None };
        let uneven = self.even && nodes * ppn != *ranks;
        uneven.then(|| {
            let name = self.name;
            format!("{name} puts equally many ranks on each node, and {ranks} are not {nodes} times {ppn}")
        })
    }

    /// The words of the command line up to the command.
    pub(crate) fn words(
        &self,
        program: &str,
        options: &[String],
        placement: &Placement,
        nodes: &Nodes,
    ) -> Vec<String> {
        let number = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
        let hosts = nodes.first(placement.nodes);
        let slots: Vec<String> =
            hosts.iter().map(|host| format!("{host}:{}", placement.ppn.unwrap_or(1))).collect();
        let values = [
            ("{ranks}", number(Some(placement.ranks))),
            ("{nodes}", number(placement.nodes)),
            ("{ppn}", number(placement.ppn)),
            ("{hosts}", hosts.join(",")),
            ("{slots}", slots.join(",")),
            ("{exclude}", nodes.exclude.join(",")),
        ];
        let filled = |word: &&str| {
            values.iter().fold((*word).to_owned(), |word, (mark, value)| word.replace(mark, value))
        };
        let which = match (hosts.is_empty(), nodes.exclude.is_empty()) {
            (false, _) => self.hosts,
            (true, false) => self.exclude,
            (true, true) => &[],
        };
        let many = if placement.nodes.is_some() { self.placed } else { self.free };
        let inside = if nodes.inside { self.inside } else { &[] };
        let own = [self.always, inside, many, which].concat();
        let mut words = vec![program.to_owned()];
        words.extend(own.iter().map(filled));
        words.extend(options.iter().cloned());
        words
    }
}
