//! The work of each rank in a phase, in columns. A record of 100,000 ranks has some megabytes.
//!
//! Invariant: all columns have the same ranks. An empty column is unknown, and a single value applies to all
//! ranks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One value for each rank, by rank number.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Column<T>(Vec<T>);

impl<T: Copy + PartialEq> Column<T> {
    /// The value of a rank; `None` if it is not known.
    pub fn of(&self, rank: u32) -> Option<T> {
        match self.0.as_slice() {
            [all] => Some(*all),
            each => each.get(rank as usize).copied(),
        }
    }

    /// The number of stored values.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether a stored value is `such`.
    pub(super) fn any(&self, such: impl Fn(T) -> bool) -> bool {
        self.0.iter().any(|value| such(*value))
    }

    /// Whether no value is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Copy + PartialEq> From<Vec<T>> for Column<T> {
    /// A column. If all values are equal, it keeps one of them.
    fn from(mut each: Vec<T>) -> Self {
        if each.windows(2).all(|pair| pair[0] == pair[1]) {
            each.truncate(1);
        }
        Self(each)
    }
}

/// The work of each rank in one phase.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EachRank {
    /// How many ranks there are.
    pub ranks: u32,
    /// Bytes moved, or operations done (see [`Phase::counts`](super::Phase::counts)).
    pub moved: Column<u64>,
    /// The time from the start to the end of its own transfers (with their fsync) or operations, seconds.
    pub seconds: Column<f64>,
    /// The end of this time, seconds since the clocks of the job were compared, like `began_s`.
    pub ended_s: Column<f64>,
    /// The amount moved at its deadline; only if it continued after the deadline.
    #[serde(default, skip_serializing_if = "Column::is_empty")]
    pub moved_at_deadline: Column<u64>,
    /// How long it continued after its deadline, seconds.
    #[serde(default, skip_serializing_if = "Column::is_empty")]
    pub wear_out_s: Column<f64>,
    /// Bytes that the kernel fetched from storage for its process (`read_bytes`, see
    /// [`KernelCount`](super::KernelCount)); only if each rank is a process.
    #[serde(default, skip_serializing_if = "Column::is_empty")]
    pub kernel_read: Column<u64>,
    /// Bytes that the kernel sent to storage for its process (`write_bytes`).
    #[serde(default, skip_serializing_if = "Column::is_empty")]
    pub kernel_written: Column<u64>,
    /// Its node, as an index into `nodes`.
    pub node: Column<u32>,
    /// Names of the nodes. Nodes with equal names have the suffixes `#2`, `#3`.
    pub nodes: Vec<String>,
    /// The layout of the rank's own file, as an index into `layouts`; only if each rank has its own file and
    /// the file system reports it.
    #[serde(default, skip_serializing_if = "Column::is_empty")]
    pub layout: Column<u32>,
    /// The layouts of files: each a list of indices into `targets`, empty if it is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layouts: Vec<Vec<u32>>,
    /// Names of the storage targets: for Lustre such as `OST0003`, for GlusterFS bricks such as
    /// `host:/brick`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
}

/// A part of a phase's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkPart {
    /// All ranks of a node.
    Node,
    /// A rank.
    Rank,
}

impl EachRank {
    /// What each part with work moved per second of its own time, with its number: the index in `nodes`, or
    /// the rank. The time of a node is from the start of its first rank to the end of its last. `None` if
    /// the record does not have it.
    pub fn rates(&self, part: WorkPart) -> Option<Vec<(u32, f64)>> {
        let mut parts: BTreeMap<u32, (u64, f64, f64)> = BTreeMap::new();
        for rank in 0..self.ranks {
            let (moved, seconds) = (self.moved.of(rank)?, self.seconds.of(rank)?);
            let until = self.ended_s.of(rank)?;
            if moved == 0 && seconds == 0.0 {
                continue;
            }
            let number = match part {
                WorkPart::Node => self.node.of(rank)?,
                WorkPart::Rank => rank,
            };
            let own = parts.entry(number).or_insert((0, f64::INFINITY, f64::NEG_INFINITY));
            *own = (own.0.checked_add(moved)?, own.1.min(until - seconds), own.2.max(until));
        }
        let rate =
            |(number, (moved, from, until)): (u32, (u64, f64, f64))| (number, moved as f64 / (until - from));
        Some(parts.into_iter().map(rate).collect())
    }

    /// The rate of a rank over its own time, per second; `None` if it took no time.
    pub fn rate(&self, rank: u32) -> Option<f64> {
        let (moved, seconds) = (self.moved.of(rank)?, self.seconds.of(rank)?);
        (seconds > 0.0).then(|| moved as f64 / seconds)
    }

    /// The name of a rank's node.
    pub fn node_of(&self, rank: u32) -> Option<&str> {
        self.nodes.get(self.node.of(rank)? as usize).map(String::as_str)
    }

    /// The names of the targets that hold the rank's own file; none if they are not known.
    pub fn targets_of(&self, rank: u32) -> impl Iterator<Item = &str> {
        let layout = self.layout.of(rank).and_then(|layout| self.layouts.get(layout as usize));
        let name = |target: &u32| self.targets.get(*target as usize).map(String::as_str);
        layout.into_iter().flatten().filter_map(name)
    }
}

/// The times of a phase by the wall clock of rank 0's node. Phases of different jobs share this axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moments {
    /// When the first rank began its transfers or operations, nanoseconds since 1970 (UTC).
    pub first_start_unix_ns: u64,
    /// When the last rank ended them, nanoseconds since 1970.
    pub last_end_unix_ns: u64,
    /// The start of the timeline's first interval, nanoseconds since 1970: the common start, before files are
    /// opened, or the end of the ramp.
    pub timeline_unix_ns: u64,
    /// The uncertainty of these times within the job, nanoseconds. It covers the worst clock of a rank
    /// relative to rank 0, and the reading of the wall clock. Wall clocks of nodes may differ more.
    pub uncertainty_ns: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_equal_values_keeps_one_that_applies_to_all_ranks() {
        let same = Column::from(vec![7, 7, 7]);
        assert_eq!((serde_json::to_string(&same).unwrap().as_str(), same.of(2)), ("[7]", Some(7)));
        let each = Column::from(vec![7, 8]);
        assert_eq!((each.of(0), each.of(1), each.of(2)), (Some(7), Some(8), None));
        assert_eq!(Column::<u64>::default().of(0), None);
    }

    #[test]
    fn ranks_have_their_rate_node_and_targets_and_unknown_columns_take_no_space() {
        let each = EachRank {
            ranks: 3,
            moved: vec![100, 100, 0].into(),
            seconds: vec![2.0, 4.0, 1.0].into(),
            node: vec![0, 0, 1].into(),
            nodes: vec!["n1".into(), "n2".into()],
            layout: vec![0, 1, 2].into(),
            layouts: vec![vec![1], vec![0, 1], vec![]],
            targets: vec!["OST0000".into(), "OST0001".into()],
            ..EachRank::default()
        };
        assert_eq!([0, 1, 2, 3].map(|rank| each.rate(rank)), [Some(50.0), Some(25.0), Some(0.0), None]);
        assert_eq!((each.node_of(1), each.node_of(2), each.node_of(3)), (Some("n1"), Some("n2"), None));
        let targets = |rank| each.targets_of(rank).collect::<Vec<_>>();
        assert_eq!((targets(1), targets(2)), (vec!["OST0000", "OST0001"], vec![]));
        let text = serde_json::to_string(&each).unwrap();
        assert!(!text.contains("wear_out") && text.contains(r#""layout":[0,1,2]"#), "{text}");
        assert_eq!(serde_json::from_str::<EachRank>(&text).unwrap(), each);
    }
}
