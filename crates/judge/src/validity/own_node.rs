//! How much of the data of a read was written on the node that read it, by the nodes that both jobs
//! recorded.
//!
//! Never here: whether it came from the memory of that node.

use std::collections::BTreeMap;

use results::folder::Job;
use results::record::{self, NodeIdentity, Phase};

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
    let (maker, write) = writer(case, job, phase)?;
    let (reading, writing) = (NodeNames::of_job(job), NodeNames::of_job(maker));
    if reading.are_kernels != writing.are_kernels {
        return None;
    }
    let layout = |phase: &Phase| (phase.ranks, phase.file_per_rank, phase.block_bytes, phase.segments);
    let (reads, writes) = (phase.each_rank.as_ref()?, write.each_rank.as_ref()?);
    if layout(phase) != layout(write) {
        return None;
    }
    let (mut own, mut all) = (0, 0);
    for rank in 0..reads.ranks {
        let moved = u128::from(reads.moved.of(rank)?);
        let here = reading.identity(reads.node_of(rank)?);
        let there = writing.identity(writes.node_of(reads.data_of.of(rank)?)?);
        all += moved;
        own += if here == there { moved } else { 0 };
    }
    Some([own, all])
}

/// The nodes of a job. A job in a container has other names for the same nodes, so the kernels are compared
/// if each node has its own.
struct NodeNames<'j> {
    by_name: BTreeMap<&'j str, &'j str>,
    are_kernels: bool,
}

impl<'j> NodeNames<'j> {
    fn of_job(job: &'j Job) -> Self {
        let clients = record::runs(&job.records).next().and_then(|run| run.clients.as_deref());
        let nodes = clients.map_or(&[][..], |clients| &clients.nodes);
        let are_kernels = clients.is_some_and(|clients| clients.kernels() == Some(nodes.len() as u32));
        let name = |node: &'j NodeIdentity| (node.name.as_str(), node.boot_id.as_str());
        Self { by_name: nodes.iter().map(name).collect(), are_kernels }
    }

    /// What is the same for the same node in both jobs.
    fn identity<'n>(&self, name: &'n str) -> &'n str
    where
        'j: 'n,
    {
        if self.are_kernels { self.by_name.get(name).copied().unwrap_or(name) } else { name }
    }
}

/// The phase that wrote what `phase` of `job` read, with its job.
fn writer<'a>(case: &TestCriterion<'a>, job: &'a Job, phase: &Phase) -> Option<(&'a Job, &'a Phase)> {
    let writes = |job: &'a Job| phases(job).filter(|phase| phase.phase == "write");
    if case.test.uses.is_none() {
        let is_own = |write: &&Phase| (write.test, write.repetition) == (phase.test, phase.repetition);
        return Some((job, writes(job).find(is_own)?));
    }
    let maker = case.index.maker(case.test, job.info.repetition)?;
    Some((maker, writes(maker).last()?))
}
