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
    /// The time to open its file before, seconds: without waiting for other ranks afterwards, and 0 if a ramp
    /// follows. Empty if opens and closes are operations, or parts of them.
    #[serde(default, skip_serializing_if = "Column::is_empty")]
    pub open_s: Column<f64>,
    /// The time to close its file afterwards, seconds, without waiting for other ranks before.
    #[serde(default, skip_serializing_if = "Column::is_empty")]
    pub close_s: Column<f64>,
    /// The 95th percentile of the latency of its transfers or operations, nanoseconds; 0 without any.
    #[serde(default, skip_serializing_if = "Column::is_empty")]
    pub p95_ns: Column<u64>,
    /// The 99th percentile of it.
    #[serde(default, skip_serializing_if = "Column::is_empty")]
    pub p99_ns: Column<u64>,
    /// The rank that wrote what it read; only if it read.
    #[serde(default, skip_serializing_if = "Column::is_empty")]
    pub data_of: Column<u32>,
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

/// The work of a part.
#[derive(Clone, Copy)]
struct OwnWork {
    moved: u64,
    from_s: f64,
    until_s: f64,
    p95_ns: Option<u64>,
    p99_ns: Option<u64>,
}

impl OwnWork {
    /// The work of both; `None` if no measurement has the sum.
    fn with(&self, other: &Self) -> Option<Self> {
        Some(Self {
            moved: self.moved.checked_add(other.moved)?,
            from_s: self.from_s.min(other.from_s),
            until_s: self.until_s.max(other.until_s),
            p95_ns: self.p95_ns.max(other.p95_ns),
            p99_ns: self.p99_ns.max(other.p99_ns),
        })
    }
}

impl EachRank {
    /// What each part with work moved per second of its own time, from open to close. Its number is the index
    /// in `nodes`, or the rank. The time of a node is from the start of its first rank to the end of its
    /// last. `None` if the record does not have it.
    pub fn rates(&self, part: WorkPart) -> Option<Vec<(u32, f64)>> {
        self.parts(part, |own| Some(own.moved as f64 / (own.until_s - own.from_s)))
    }

    /// The own time of each part with work, seconds.
    pub fn durations(&self, part: WorkPart) -> Option<Vec<(u32, f64)>> {
        self.parts(part, |own| Some(own.until_s - own.from_s))
    }

    /// The 95th percentile of the latency of each part with work, seconds. That of a node is the largest of
    /// its ranks.
    pub fn p95(&self, part: WorkPart) -> Option<Vec<(u32, f64)>> {
        self.parts(part, |own| Some(own.p95_ns? as f64 * 1e-9))
    }

    /// The 99th percentile of it.
    pub fn p99(&self, part: WorkPart) -> Option<Vec<(u32, f64)>> {
        self.parts(part, |own| Some(own.p99_ns? as f64 * 1e-9))
    }

    /// A value of each part with work, with its number.
    fn parts(&self, part: WorkPart, value: impl Fn(&OwnWork) -> Option<f64>) -> Option<Vec<(u32, f64)>> {
        let mut parts: BTreeMap<u32, OwnWork> = BTreeMap::new();
        for rank in 0..self.ranks {
            let work = self.work(rank)?;
            if work.moved == 0 && self.seconds.of(rank)? == 0.0 {
                continue;
            }
            let number = match part {
                WorkPart::Node => self.node.of(rank)?,
                WorkPart::Rank => rank,
            };
            let together = parts.get(&number).map_or(Some(work), |own| own.with(&work))?;
            parts.insert(number, together);
        }
        parts.iter().map(|(number, own)| Some((*number, value(own)?))).collect()
    }

    fn work(&self, rank: u32) -> Option<OwnWork> {
        let ended_s = self.ended_s.of(rank)?;
        Some(OwnWork {
            moved: self.moved.of(rank)?,
            from_s: ended_s - self.seconds.of(rank)? - self.open_s.of(rank).unwrap_or(0.0),
            until_s: ended_s + self.close_s.of(rank).unwrap_or(0.0),
            p95_ns: self.p95_ns.of(rank),
            p99_ns: self.p99_ns.of(rank),
        })
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
            ended_s: vec![3.0, 5.0, 2.0].into(),
            open_s: vec![0.5, 0.25, 0.0].into(),
            close_s: vec![0.25, 0.75, 0.0].into(),
            p95_ns: vec![1_000_000_000, 3_000_000_000, 0].into(),
            node: vec![0, 0, 1].into(),
            nodes: vec!["n1".into(), "n2".into()],
            layout: vec![0, 1, 2].into(),
            layouts: vec![vec![1], vec![0, 1], vec![]],
            targets: vec!["OST0000".into(), "OST0001".into()],
            ..EachRank::default()
        };
        assert_eq!([0, 1, 2, 3].map(|rank| each.rate(rank)), [Some(50.0), Some(25.0), Some(0.0), None]);
        // Node n1 works from 0.5 s (rank 0 opens) to 5.75 s (rank 1 has closed).
        let nodes = [
            each.durations(WorkPart::Node),
            each.rates(WorkPart::Node),
            each.p95(WorkPart::Node),
            each.p99(WorkPart::Node),
        ];
        let [times, rates, p95] =
            [[5.25, 1.0], [200.0 / 5.25, 0.0], [3.0, 0.0]].map(|[n1, n2]| Some(vec![(0, n1), (1, n2)]));
        assert_eq!(nodes, [times, rates, p95, None]);
        assert_eq!(each.durations(WorkPart::Rank), Some(vec![(0, 2.75), (1, 5.0), (2, 1.0)]));
        assert_eq!((each.node_of(1), each.node_of(2), each.node_of(3)), (Some("n1"), Some("n2"), None));
        let targets = |rank| each.targets_of(rank).collect::<Vec<_>>();
        assert_eq!((targets(1), targets(2)), (vec!["OST0000", "OST0001"], vec![]));
        let text = serde_json::to_string(&each).unwrap();
        assert!(!text.contains("wear_out") && text.contains(r#""layout":[0,1,2]"#), "{text}");
        assert_eq!(serde_json::from_str::<EachRank>(&text).unwrap(), each);
    }
}
