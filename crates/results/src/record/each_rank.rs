//! What each rank did in a phase, in columns: a record of 100,000 ranks stays some megabytes.
//!
//! Invariant: all columns are of the same ranks; one that is empty is unknown, one of a single value holds
//! for all.

use serde::{Deserialize, Serialize};

/// One value of each rank, by its number.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Column<T>(Vec<T>);

impl<T: Copy + PartialEq> Column<T> {
    /// The value of a rank; `None` where it is not known.
    pub fn of(&self, rank: u32) -> Option<T> {
        match self.0.as_slice() {
            [all] => Some(*all),
            each => each.get(rank as usize).copied(),
        }
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Copy + PartialEq> From<Vec<T>> for Column<T> {
    /// A column; where all values are the same it keeps one.
    fn from(mut each: Vec<T>) -> Self {
        if each.windows(2).all(|pair| pair[0] == pair[1]) {
            each.truncate(1);
        }
        Self(each)
    }
}

/// What each rank did in one phase.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EachRank {
    /// How many ranks there are.
    pub ranks: u32,
    /// Bytes moved, or operations done, as [`Phase::counts`](super::Phase::counts) says.
    pub moved: Column<u64>,
    /// From the begin to the end of its own transfers (with their fsync) or operations, seconds.
    pub seconds: Column<f64>,
    /// When that was over, seconds since the job's clocks were compared, as `began_s`.
    pub ended_s: Column<f64>,
    /// What it had moved at its deadline; only where it went on after it.
    #[serde(skip_serializing_if = "Column::is_empty")]
    pub moved_at_deadline: Column<u64>,
    /// How long it went on after its deadline, seconds.
    #[serde(skip_serializing_if = "Column::is_empty")]
    pub wear_out_s: Column<f64>,
    /// Its node, as an index into `nodes`.
    pub node: Column<u32>,
    /// Names of the nodes. Nodes that have one name are told apart by `#2`, `#3` behind it.
    pub nodes: Vec<String>,
    /// Where the rank's own file lies, as an index into `layouts`; only where each rank has a file of its own
    /// and the file system tells.
    #[serde(skip_serializing_if = "Column::is_empty")]
    pub layout: Column<u32>,
    /// The places that files lie in: each a list of indices into `targets`, empty where it is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layouts: Vec<Vec<u32>>,
    /// Names of the storage targets: of Lustre such as `OST0003`, of GlusterFS bricks such as `host:/brick`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
}

impl EachRank {
    /// What a rank moved over its own time, per second; `None` where it took no time.
    pub fn rate(&self, rank: u32) -> Option<f64> {
        let (moved, seconds) = (self.moved.of(rank)?, self.seconds.of(rank)?);
        (seconds > 0.0).then(|| moved as f64 / seconds)
    }

    /// The name of a rank's node.
    pub fn node_of(&self, rank: u32) -> Option<&str> {
        self.nodes.get(self.node.of(rank)? as usize).map(String::as_str)
    }

    /// The names of the targets that a rank's own file lies on; none where they are not known.
    pub fn targets_of(&self, rank: u32) -> impl Iterator<Item = &str> {
        let layout = self.layout.of(rank).and_then(|layout| self.layouts.get(layout as usize));
        let name = |target: &u32| self.targets.get(*target as usize).map(String::as_str);
        layout.into_iter().flatten().filter_map(name)
    }
}

/// When a phase was, by the calendar clock of rank 0's node: phases of different jobs lie on this one axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Moments {
    /// The first rank began its transfers or operations, nanoseconds since 1970 (UTC).
    pub first_start_unix_ns: u64,
    /// The last rank had ended them, nanoseconds since 1970.
    pub last_end_unix_ns: u64,
    /// Where the timeline's first interval begins, nanoseconds since 1970: the common start, before files are
    /// opened; behind the ramp where there is one.
    pub timeline_unix_ns: u64,
    /// How far these may be off within the job, nanoseconds: the worst clock of a rank against rank 0's, and
    /// the reading of the calendar. How well the calendars of two nodes agree is not in it.
    pub uncertainty_ns: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_equal_values_keeps_one_and_answers_for_all() {
        let same = Column::from(vec![7, 7, 7]);
        assert_eq!((serde_json::to_string(&same).unwrap().as_str(), same.of(2)), ("[7]", Some(7)));
        let each = Column::from(vec![7, 8]);
        assert_eq!((each.of(0), each.of(1), each.of(2)), (Some(7), Some(8), None));
        assert_eq!(Column::<u64>::default().of(0), None);
    }

    #[test]
    fn ranks_know_their_rate_node_and_targets_and_what_is_unknown_takes_no_room() {
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
        assert_eq!(serde_json::from_str::<EachRank>(r#"{"later":1}"#).unwrap(), EachRank::default());
    }
}
