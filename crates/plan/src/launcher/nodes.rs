//! The nodes that a launcher is told to use, or to leave out.

use std::collections::BTreeMap;

/// The nodes that jobs may run on, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nodes {
    /// Their names, without those left out; empty where the launcher chooses.
    pub hosts: Vec<String>,
    /// Names that no job is to run on, as far as the launcher has to be told.
    pub exclude: Vec<String>,
    /// Whether they are those of an allocation, so that none can be waited for.
    pub inside: bool,
    /// How many of the names are taken by others that run at the same time, by the number of a job.
    pub taken: BTreeMap<u32, usize>,
}

impl Nodes {
    /// Those for the job of this number: without the names taken by jobs that run at the same time.
    pub fn of(&self, job: u32) -> Self {
        let taken = self.taken.get(&job).copied().unwrap_or_default();
        Self {
            hosts: self.hosts.iter().skip(taken).cloned().collect(),
            taken: BTreeMap::new(),
            ..self.clone()
        }
    }

    /// So many of them; none where the launcher chooses.
    pub fn first(&self, number: Option<u32>) -> &[String] {
        let number = number.map_or(self.hosts.len(), |number| number as usize);
        &self.hosts[..number.min(self.hosts.len())]
    }
}
