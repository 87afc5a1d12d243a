//! How much of the data of a read was written on the node that read it, by the nodes that both jobs
//! recorded.
//!
//! Never here: whether it came from the memory of that node.

use results::folder::Job;
use results::record::Phase;

use crate::case::TestCriterion;
use crate::index::phases;

/// The share of the bytes that ranks read on the node that had written them; `None` if a record lacks a node,
/// or if the data was written in another layout.
pub(super) fn share(case: &TestCriterion<'_>, job: &Job) -> Option<f64> {
    let (mut own, mut all) = (0, 0);
    for phase in case.phases(job) {
        let [of_phase, of_all] = amounts(case, job, phase)?;
        own += of_phase;
        all += of_all;
    }
    (all > 0).then(|| own as f64 / all as f64)
}

/// The bytes read on the node that had written them, and all bytes read.
fn amounts(case: &TestCriterion<'_>, job: &Job, phase: &Phase) -> Option<[u128; 2]> {
    let write = writer(case, job, phase)?;
    let layout = |phase: &Phase| (phase.ranks, phase.file_per_rank, phase.block_bytes, phase.segments);
    let (reads, writes) = (phase.each_rank.as_ref()?, write.each_rank.as_ref()?);
    if layout(phase) != layout(write) {
        return None;
    }
    let (mut own, mut all) = (0, 0);
    for rank in 0..reads.ranks {
        let moved = u128::from(reads.moved.of(rank)?);
        let (here, there) = (reads.node_of(rank)?, writes.node_of(reads.data_of.of(rank)?)?);
        all += moved;
        own += if here == there { moved } else { 0 };
    }
    Some([own, all])
}

/// The phase that wrote what `phase` of `job` read.
fn writer<'a>(case: &TestCriterion<'a>, job: &'a Job, phase: &Phase) -> Option<&'a Phase> {
    let writes = |job: &'a Job| phases(job).filter(|phase| phase.phase == "write");
    let Some(uses) = &case.test.uses else {
        return writes(job).find(|write| write.repetition == phase.repetition);
    };
    let maker = uses.maker(case.index.plan);
    let planned =
        case.index.planned(&case.test.id).find(|planned| planned.repetition == job.info.repetition)?;
    writes(case.index.job(&maker, planned.repetition_of(&maker))?).last()
}
