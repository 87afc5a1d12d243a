//! The launchers whose command lines are known, one row each: arguments for ranks, nodes and node names.
//!
//! Invariant: a row is text only, so a launcher is a pure function of its input.

use super::Nodes;
use crate::placement::Placement;

/// A launcher whose command line is known.
///
/// In its arguments `{ranks}`, `{nodes}` and `{ppn}` are replaced by the placement. `{hosts}` is replaced by
/// node names joined by commas, and `{slots}` by node names with the ranks of each. `{exclude}` is replaced
/// by the names of excluded nodes.
#[derive(Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name in a plan.
    pub name: &'static str,
    /// Its program.
    pub program: &'static str,
    /// Arguments that are always given.
    always: &'static [&'static str],
    /// Arguments that are given inside an allocation.
    inside: &'static [&'static str],
    /// Arguments for ranks alone, if the launcher chooses the nodes.
    free: &'static [&'static str],
    /// Arguments for a number of ranks on a number of nodes.
    placed: &'static [&'static str],
    /// Arguments for nodes by name; empty if it does not accept names.
    hosts: &'static [&'static str],
    /// Arguments for excluded nodes; empty if it cannot exclude nodes and the others must be named.
    exclude: &'static [&'static str],
    /// Whether it can only put equally many ranks on each node.
    even: bool,
    /// Whether it reaches the nodes of `launch.hosts` by ssh.
    over_ssh: bool,
}

/// The defaults of most launchers.
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
    over_ssh: false,
};

/// All rows in order of name.
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
        // Otherwise the ranks of a failed node are waited for until the job's time limit.
        always: &["--kill-on-bad-exit=1"],
        // Otherwise a step that needs a node which has failed waits just as long.
        inside: &["--immediate=60"],
        placed: &["-N", "{nodes}", "-n", "{ranks}", "--ntasks-per-node={ppn}"],
        hosts: &["--nodelist={hosts}"],
        exclude: &["--exclude={exclude}"],
        ..PLAIN
    },
    Named {
        name: "ssh",
        program: "mpiexec.hydra",
        // Inside an allocation of Slurm, Hydra would choose srun.
        always: &["-launcher", "ssh"],
        placed: &["-n", "{ranks}", "-ppn", "{ppn}"],
        hosts: &["-hosts", "{hosts}"],
        over_ssh: true,
        ..PLAIN
    },
];

impl Named {
    /// The launcher with that name in a plan.
    pub fn of(name: &str) -> Option<&'static Self> {
        NAMED.iter().find(|named| named.name == name)
    }

    /// Whether it accepts names of nodes.
    pub fn takes_hosts(&self) -> bool {
        !self.hosts.is_empty()
    }

    /// Whether it reaches the nodes of `launch.hosts` by ssh.
    pub(crate) fn is_over_ssh(&self) -> bool {
        self.over_ssh
    }

    /// Whether it can exclude nodes by name.
    pub fn takes_exclude(&self) -> bool {
        !self.exclude.is_empty()
    }

    pub(crate) fn rejects_placement(&self, placement: &Placement) -> Option<String> {
        let Placement { ranks, nodes: Some(nodes), ppn: Some(ppn), .. } = placement else { return None };
        let uneven = self.even && nodes * ppn != *ranks;
        uneven.then(|| {
            let name = self.name;
            format!("{name} needs equally many ranks on each node, but {ranks} is not {nodes} times {ppn}")
        })
    }

    /// The arguments up to the command.
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
