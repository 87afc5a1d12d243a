//! The groups of starts: whole runs of very many ranks with one transfer each and no I/O.

use super::group::{Bound, Group, Unit};
use super::lines::command;
use super::options::Sizes;
use super::outputs::OutputFormat;
use super::tools::Tools;

/// One transfer of each rank, without I/O.
const LINE: &str = "ior -a DUMMY -w -t 4k -b 4k";
/// The number of local ranks, and the goal for their run, seconds.
const LOCAL: (u32, f64) = (1000, 0.3);

/// Local ranks, which are threads.
pub(super) fn local(tools: &Tools) -> Group {
    let (ranks, seconds) = LOCAL;
    let mut group = Group::new(format!("start of {ranks} local ranks, DUMMY, one transfer"), Unit::Seconds);
    group.add("assay", command(&tools.assay, &format!("-n {ranks} {LINE}")), OutputFormat::Records);
    group.add_goal("assay", None, Bound::AtMost(seconds));
    group
}

/// Ranks of MPICH, more than processors. The reference only starts MPI, waits once for all ranks, and ends.
pub(super) fn mpi(tools: &Tools, sizes: &Sizes) -> Group {
    let ranks = sizes.mpi_ranks;
    let title = format!("start of {ranks} ranks of MPICH, DUMMY, one transfer");
    let mut group = Group::against_first(title, Unit::Seconds);
    if let Some(mpich) = &tools.mpich {
        let start = [mpich.join("bin/mpiexec").display().to_string(), "-n".into(), ranks.to_string()];
        let library = mpich.join("lib/libmpi.so.12").display().to_string();
        let bare = [&start[..], &[tools.bare_mpi.clone(), library]].concat();
        group.add("bare MPI", bare, OutputFormat::Line);
        let ours = [&start[..], &command(&tools.assay, LINE)].concat();
        group.add("assay", ours, OutputFormat::Records);
    }
    // At most twice the time.
    group.add_goal("assay", Some("bare MPI"), Bound::AtLeast(0.5));
    group
}

#[cfg(test)]
mod tests {
    use super::super::tools::named;
    use super::*;

    #[test]
    fn without_mpich_the_goal_is_not_tried() {
        let tools = named();
        let group = mpi(&tools, &Sizes::SMOKE);
        assert_eq!(
            group.contenders[0].words,
            ["mpich/bin/mpiexec", "-n", "4", "bare_mpi", "mpich/lib/libmpi.so.12"]
        );
        assert_eq!(group.contenders[1].words[..4], ["mpich/bin/mpiexec", "-n", "4", "assay"]);
        let group = mpi(&Tools { mpich: None, ..tools }, &Sizes::SMOKE);
        assert!(group.contenders.is_empty());
        assert_eq!(group.runs("assay").unwrap_err(), "assay is not installed");
    }
}
