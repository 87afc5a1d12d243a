//! Which ranks share a node with this one, how many nodes there are, and (on rank 0) the node of each rank.

use ranks::{Comm, Halt, Reduce};

/// The node of this rank.
pub struct Node {
    /// Its ranks.
    pub ranks: Box<dyn Comm>,
    /// How many nodes there are.
    pub count: u32,
    /// On rank 0, the node of each rank.
    pub table: Option<NodeTable>,
}

/// The nodes of all ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeTable {
    /// The node of each rank, as an index into `names`; a single value if all ranks are on one node.
    pub of: Vec<u32>,
    /// Names of the nodes, in the order of their first ranks. If two nodes have one name, the second name
    /// ends in `#2`.
    pub names: Vec<String>,
}

impl Node {
    /// Finds the node by shared memory. Collective.
    pub fn find(comm: &dyn Comm) -> Result<Self, Halt> {
        let ranks = comm.split_by_node()?;
        // If one node has all ranks, each rank sees that.
        let is_only = ranks.size() == comm.size();
        let count =
            if is_only { 1 } else { comm.reduce_one((ranks.rank() == 0).into(), Reduce::Sum)? as u32 };
        let table = if count == 1 { only(comm) } else { NodeTable::gather(comm, &*ranks)? };
        Ok(Self { ranks, count, table })
    }

    /// Whether this rank does the work that is done once for each node.
    pub fn leads(&self) -> bool {
        self.ranks.rank() == 0
    }
}

/// The table of a single node.
fn only(comm: &dyn Comm) -> Option<NodeTable> {
    (comm.rank() == 0).then(|| NodeTable { of: vec![0], names: vec![comm.node_name().to_owned()] })
}

impl NodeTable {
    /// The node of a rank, as an index into `names`. That of rank 0 is 0.
    pub fn number(&self, rank: u32) -> u32 {
        self.of.get(rank as usize).or(self.of.first()).copied().unwrap_or(0)
    }

    /// The name of a rank's node, as the node itself reports it.
    pub fn own_name(&self, rank: u32) -> &str {
        let name = self.names.get(self.number(rank) as usize).map_or("", String::as_str);
        name.split_once('#').map_or(name, |(own, _)| own)
    }

    /// Every rank sends the first rank of its node. That first rank also sends the name.
    fn gather(comm: &dyn Comm, on_node: &dyn Comm) -> Result<Option<Self>, Halt> {
        let first = on_node.reduce_one(comm.rank().into(), Reduce::Min)? as u32;
        let name = if first == comm.rank() { comm.node_name() } else { "" };
        let mine = [&first.to_le_bytes(), name.as_bytes()].concat();
        Ok(comm.gather(&mine)?.map(|rows| Self::of_rows(&rows)))
    }

    fn of_rows(rows: &[Vec<u8>]) -> Self {
        let (mut of, mut names, mut numbers) = (Vec::new(), Vec::<String>::new(), vec![0; rows.len()]);
        for (rank, row) in rows.iter().enumerate() {
            let (first, name) = row.split_at(4);
            let first = first.try_into().map_or(0, u32::from_le_bytes) as usize;
            // The first rank of a node has the lowest number there, so its row comes before the others'.
            if first == rank {
                numbers[rank] = names.len() as u32;
                names.push(String::from_utf8_lossy(name).into_owned());
            }
            of.push(numbers[first]);
        }
        Self { of, names: numbered(names) }
    }
}

/// The same names; the second occurrence of a name gets `#2` at its end, the third `#3`.
fn numbered(names: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashMap::new();
    let one = |name: String| {
        let count = seen.entry(name.clone()).and_modify(|count| *count += 1).or_insert(1);
        if *count > 1 { format!("{name}#{count}") } else { name }
    };
    names.into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_find_their_nodes_even_with_equal_names_and_round_robin_ranks() {
        let row = |first: u32, name: &str| [&first.to_le_bytes(), name.as_bytes()].concat();
        let rows = [row(0, "n1"), row(1, "n2"), row(0, ""), row(1, ""), row(4, "n1"), row(4, "")];
        let table = NodeTable::of_rows(&rows);
        assert_eq!(
            table,
            NodeTable { of: vec![0, 1, 0, 1, 2, 2], names: ["n1", "n2", "n1#2"].map(String::from).to_vec() }
        );
        assert_eq!([2, 3, 5].map(|rank| table.own_name(rank)), ["n1", "n2", "n1"]);
        assert_eq!([0, 2, 3, 5].map(|rank| table.number(rank)), [0, 0, 1, 2]);
    }

    #[test]
    fn local_ranks_are_on_one_node() {
        let all = ranks::local::run(3, |comm| Node::find(comm).expect("no halt").table);
        let tables: Vec<_> = all.into_iter().map(|table| table.expect("no panic")).collect();
        assert_eq!(tables[0].as_ref().map(|table| (table.of.len(), table.names.len())), Some((1, 1)));
        assert_eq!(tables[0].as_ref().map(|table| table.number(2)), Some(0));
        assert_eq!(&tables[1..], [None, None]);
    }
}
