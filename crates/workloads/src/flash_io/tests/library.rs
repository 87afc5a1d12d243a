//! A library that keeps arrays in memory, notes every call and fails on demand.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use ranks::Comm;
use storage::StorageLibrary;
use storage::arrays::{
    Access, ArrayFile, ArrayValues, Arrays, Attribute, Attributes, Deferred, DimensionNumber, Element,
    LibraryMemory, Number, Records, Slab, Variable,
};

use crate::flash_io::mesh;

/// What the ranks share: files by path, each variable's elements by number.
pub(super) type Files = Arc<Mutex<BTreeMap<String, BTreeMap<String, Vec<Option<f64>>>>>>;

/// The library.
#[derive(Clone)]
pub(super) struct Memory {
    pub(super) files: Files,
    /// The call that fails on rank 1, such as `put dens`.
    pub(super) fails: &'static str,
    /// Ranks would wait for one that failed.
    pub(super) fragile: bool,
    /// Calls of each rank.
    pub(super) calls: Arc<Mutex<BTreeMap<u32, Vec<String>>>>,
}

impl Memory {
    pub(super) fn new(fails: &'static str) -> Self {
        Self { files: Files::default(), fails, fragile: false, calls: Arc::default() }
    }

    /// Notes a call, and fails it where it has to.
    fn call(&self, rank: u32, what: String) -> io::Result<()> {
        let fails = rank == 1 && what == self.fails;
        self.calls.lock().unwrap().entry(rank).or_default().push(what);
        if fails { Err(io::Error::other("torn out")) } else { Ok(()) }
    }

    pub(super) fn of(&self, rank: u32) -> Vec<String> {
        self.calls.lock().unwrap().get(&rank).cloned().unwrap_or_default()
    }
}

/// A rank's open file.
struct Open {
    memory: Memory,
    rank: u32,
    path: String,
    lengths: Vec<u64>,
    variables: Vec<(String, Vec<u64>)>,
    taken: Vec<ArrayValues>,
}

impl StorageLibrary for Memory {
    fn version(&self) -> String {
        "1".to_owned()
    }

    fn is_fragile(&self) -> bool {
        self.fragile
    }
}

impl Arrays for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn create(&self, comm: &dyn Comm, path: &Path, hints: &[(&str, &str)]) -> io::Result<Box<dyn ArrayFile>> {
        self.call(comm.rank(), format!("create {}", hints.first().map_or("", |hint| hint.1)))?;
        self.open(comm, path)
    }

    fn open(&self, comm: &dyn Comm, path: &Path) -> io::Result<Box<dyn ArrayFile>> {
        self.call(comm.rank(), "open".to_owned())?;
        let path = path.display().to_string();
        let (lengths, variables, taken) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Box::new(Open { memory: self.clone(), rank: comm.rank(), path, lengths, variables, taken }))
    }

    fn held(&self) -> Option<LibraryMemory> {
        Some(LibraryMemory { most: 3, now: 1 })
    }
}

impl Open {
    /// Goes through the elements of a part, with their places in the file.
    fn each(&self, variable: Variable, slab: Slab<'_>, mut then: impl FnMut(usize, &mut Vec<Option<f64>>)) {
        let (name, lengths) = &self.variables[variable.0];
        let inner: u64 = lengths[1..].iter().product();
        assert_eq!(slab.count[1..], lengths[1..], "whole blocks of {name}");
        let mut files = self.memory.files.lock().unwrap();
        let all = files.entry(self.path.clone()).or_default().entry(name.clone()).or_default();
        all.resize((lengths[0] * inner) as usize, None);
        (slab.start[0] * inner..(slab.start[0] + slab.count[0]) * inner)
            .for_each(|at| then(at as usize, all));
    }

    fn write(&self, variable: Variable, slab: Slab<'_>, values: &ArrayValues) {
        let mut from = 0;
        self.each(variable, slab, |at, all| {
            assert!(all[at].is_none_or(|old| old.to_bits() == mesh::number(values, from).to_bits()));
            all[at] = Some(mesh::number(values, from));
            from += 1;
        });
    }
}

impl ArrayFile for Open {
    fn dimension(&mut self, _name: &str, length: u64) -> io::Result<DimensionNumber> {
        self.lengths.push(length);
        Ok(DimensionNumber(self.lengths.len() - 1))
    }

    fn variable(&mut self, name: &str, _: Element, dimensions: &[DimensionNumber]) -> io::Result<Variable> {
        let lengths = dimensions.iter().map(|dimension| self.lengths[dimension.0]).collect();
        self.variables.push((name.to_owned(), lengths));
        Ok(Variable(self.variables.len() - 1))
    }

    fn attributes(&mut self) -> Option<&mut dyn Attributes> {
        Some(self)
    }

    fn records(&mut self) -> Option<&mut dyn Records> {
        Some(self)
    }

    fn end_definition(&mut self) -> io::Result<()> {
        self.memory.call(self.rank, "end".to_owned())
    }

    fn access(&mut self, access: Access) -> io::Result<()> {
        self.memory.call(self.rank, format!("{access:?}"))
    }

    fn find(&mut self, name: &str, _: Element, lengths: &[u64]) -> io::Result<Variable> {
        self.variables.push((name.to_owned(), lengths.to_vec()));
        Ok(Variable(self.variables.len() - 1))
    }

    fn place(&self, _variable: Variable) -> io::Result<Option<u64>> {
        Ok(None)
    }

    fn put(&mut self, variable: Variable, slab: Slab<'_>, values: &mut ArrayValues) -> io::Result<()> {
        self.memory.call(self.rank, format!("put {}", self.variables[variable.0].0))?;
        self.write(variable, slab, values);
        Ok(())
    }

    fn get(&mut self, variable: Variable, slab: Slab<'_>, values: &mut ArrayValues) -> io::Result<()> {
        self.memory.call(self.rank, format!("get {}", self.variables[variable.0].0))?;
        let mut at = 0;
        self.each(variable, slab, |from, all| {
            let found = all[from].unwrap_or(f64::NAN);
            match values {
                ArrayValues::Ints(into) => into[at] = found as i32,
                ArrayValues::Floats(into) => into[at] = found as f32,
                ArrayValues::Doubles(into) => into[at] = found,
                ArrayValues::Bytes(_) => unreachable!("no file has bytes"),
            }
            at += 1;
        });
        Ok(())
    }

    fn deferred(&mut self) -> Option<&mut dyn Deferred> {
        Some(self)
    }

    fn amount_written(&mut self) -> io::Result<Option<u64>> {
        Ok(Some(1000))
    }

    fn hints(&self) -> io::Result<Vec<(String, String)>> {
        Ok(vec![("striping_factor".to_owned(), "7".to_owned())])
    }

    fn close(self: Box<Self>) -> io::Result<()> {
        self.memory.call(self.rank, "close".to_owned())
    }

    fn abandon(self: Box<Self>) {
        let _ = self.memory.call(self.rank, "abandon".to_owned());
    }
}

impl Records for Open {
    fn texts(&mut self, name: &str, bytes: usize, lengths: &[u64], texts: &[&str]) -> io::Result<()> {
        self.memory
            .call(self.rank, format!("{name}: {lengths:?} of {bytes}, the last {}", texts.last().unwrap()))
    }

    fn record(&mut self, name: &str, members: &[(&str, Number)]) -> io::Result<()> {
        self.memory.call(self.rank, format!("{name}: {:?}, {:?}", members[0], members[1]))
    }
}

impl Attributes for Open {
    fn attribute(&mut self, _name: &str, _value: Attribute<'_>) -> io::Result<()> {
        Ok(())
    }
}

impl Deferred for Open {
    fn post(&mut self, variable: Variable, slab: Slab<'_>, values: ArrayValues) -> io::Result<()> {
        self.memory.call(self.rank, format!("post {}", self.variables[variable.0].0))?;
        self.write(variable, slab, &values);
        self.taken.push(values);
        Ok(())
    }

    fn attach(&mut self, bytes: u64) -> io::Result<()> {
        self.memory.call(self.rank, format!("attach {bytes}"))
    }

    fn detach(&mut self) -> io::Result<()> {
        self.memory.call(self.rank, "detach".to_owned())
    }

    fn post_copy(&mut self, variable: Variable, slab: Slab<'_>, values: &mut ArrayValues) -> io::Result<()> {
        self.memory.call(self.rank, format!("copy {}", self.variables[variable.0].0))?;
        self.write(variable, slab, values);
        Ok(())
    }

    fn wait(&mut self) -> io::Result<Vec<ArrayValues>> {
        self.memory.call(self.rank, "wait".to_owned())?;
        Ok(std::mem::take(&mut self.taken))
    }
}
