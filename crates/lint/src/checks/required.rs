//! What a plan requires of a measurement beside its number, as far as the command line shows it.
//!
//! Never here: how long a job lasts.

use results::finding::Finding;
use results::finding::Severity::Error;
use results::reason::reason;

use crate::subject::LineSubject;

/// requirement-not-met
pub(crate) fn met(subject: &LineSubject) -> Option<Finding> {
    let required = &subject.required;
    let of_bytes = || {
        let least = required.bytes_per_node?.bytes(subject.ram_bytes)?;
        let per_node = subject.bytes_per_node()? as f64;
        (per_node < least).then(|| reason!(RequirementNotMet { per_node, least, .. }))
    };
    let of_cores = || {
        let (share, cores) = (required.cores?, subject.cores?);
        // The node with the fewest ranks.
        let ranks = subject.given().ppn.or_else(|| Some(subject.ranks()? / subject.nodes()?))?;
        ((ranks as f64) < share * cores as f64)
            .then(|| reason!(RequirementNotMet { ranks, cores, share, .. }))
    };
    let of_ranks = || {
        let all_ranks = subject.ranks().filter(|_| required.power_of_two)?;
        (!all_ranks.is_power_of_two()).then(|| reason!(RequirementNotMet { all_ranks, .. }))
    };
    let of_nodes = || {
        let (nodes_min, nodes) = (required.nodes?, subject.nodes()?);
        (nodes < u64::from(nodes_min)).then(|| reason!(RequirementNotMet { nodes, nodes_min, .. }))
    };
    of_bytes().or_else(of_nodes).or_else(of_cores).or_else(of_ranks).map(|reason| Finding::new(Error, reason))
}
