//! Runs on local ranks, over a library that keeps arrays in memory, notes every call and fails on demand.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use measure::CycleClock;
use ranks::{Comm, Halt, local};
use results::Record;
use storage::arrays::{
    Access, ArrayFile, Arrays, Attribute, Attributes, Deferred, Dimension, Element, Held, Slab, Values,
    Variable,
};
use storage::{Settings, Storage};

use super::{Cx, Event, File, Observer, Parameters, run};

/// What the ranks share: files by path, each variable's elements by number.
type Files = Arc<Mutex<BTreeMap<String, BTreeMap<String, Vec<Option<f64>>>>>>;

/// The library.
#[derive(Clone)]
struct Memory {
    files: Files,
    /// The call that fails on rank 1, such as `put dens`.
    fails: &'static str,
    /// Calls of each rank.
    calls: Arc<Mutex<BTreeMap<u32, Vec<String>>>>,
}

impl Memory {
    fn new(fails: &'static str) -> Self {
        Self { files: Files::default(), fails, calls: Arc::default() }
    }

    /// Notes a call, and fails it where it has to.
    fn call(&self, rank: u32, what: String) -> io::Result<()> {
        let fails = rank == 1 && what == self.fails;
        self.calls.lock().unwrap().entry(rank).or_default().push(what);
        if fails { Err(io::Error::other("torn out")) } else { Ok(()) }
    }

    fn of(&self, rank: u32) -> Vec<String> {
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
    taken: Vec<Values>,
}

impl Arrays for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn version(&self) -> String {
        "1".to_owned()
    }

    fn create(&self, comm: &dyn Comm, path: &Path, hints: &[(&str, &str)]) -> io::Result<Box<dyn ArrayFile>> {
        self.call(comm.rank(), format!("create {}", hints[0].1))?;
        self.open(comm, path, &[])
    }

    fn open(&self, comm: &dyn Comm, path: &Path, _: &[(&str, &str)]) -> io::Result<Box<dyn ArrayFile>> {
        self.call(comm.rank(), "open".to_owned())?;
        let path = path.display().to_string();
        let (lengths, variables, taken) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Box::new(Open { memory: self.clone(), rank: comm.rank(), path, lengths, variables, taken }))
    }

    fn held(&self) -> Option<Held> {
        Some(Held { most: 3, now: 1 })
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

    fn write(&self, variable: Variable, slab: Slab<'_>, values: &Values) {
        let mut from = 0;
        self.each(variable, slab, |at, all| {
            assert!(all[at].is_none_or(|old| old.to_bits() == super::mesh::number(values, from).to_bits()));
            all[at] = Some(super::mesh::number(values, from));
            from += 1;
        });
    }
}

impl ArrayFile for Open {
    fn dimension(&mut self, _name: &str, length: u64) -> io::Result<Dimension> {
        self.lengths.push(length);
        Ok(Dimension(self.lengths.len() - 1))
    }

    fn variable(&mut self, name: &str, _: Element, dimensions: &[Dimension]) -> io::Result<Variable> {
        let lengths = dimensions.iter().map(|dimension| self.lengths[dimension.0]).collect();
        self.variables.push((name.to_owned(), lengths));
        Ok(Variable(self.variables.len() - 1))
    }

    fn attributes(&mut self) -> Option<&mut dyn Attributes> {
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

    fn put(&mut self, variable: Variable, slab: Slab<'_>, values: &mut Values) -> io::Result<()> {
        self.memory.call(self.rank, format!("put {}", self.variables[variable.0].0))?;
        self.write(variable, slab, values);
        Ok(())
    }

    fn get(&mut self, variable: Variable, slab: Slab<'_>, values: &mut Values) -> io::Result<()> {
        self.memory.call(self.rank, format!("get {}", self.variables[variable.0].0))?;
        let mut at = 0;
        self.each(variable, slab, |from, all| {
            let found = all[from].unwrap_or(f64::NAN);
            match values {
                Values::Ints(into) => into[at] = found as i32,
                Values::Floats(into) => into[at] = found as f32,
                Values::Doubles(into) => into[at] = found,
                Values::Bytes(_) => unreachable!("no file has bytes"),
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
}

impl Attributes for Open {
    fn attribute(&mut self, _name: &str, _value: Attribute<'_>) -> io::Result<()> {
        Ok(())
    }
}

impl Deferred for Open {
    fn post(&mut self, variable: Variable, slab: Slab<'_>, values: Values) -> io::Result<()> {
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

    fn post_copy(&mut self, variable: Variable, slab: Slab<'_>, values: &mut Values) -> io::Result<()> {
        self.memory.call(self.rank, format!("copy {}", self.variables[variable.0].0))?;
        self.write(variable, slab, values);
        Ok(())
    }

    fn wait(&mut self) -> io::Result<Vec<Values>> {
        self.memory.call(self.rank, "wait".to_owned())?;
        Ok(std::mem::take(&mut self.taken))
    }
}

/// Remembers every event, as text.
#[derive(Default)]
struct Heard(Vec<String>);

impl Observer for Heard {
    fn event(&mut self, event: &Event<'_>) {
        self.0.push(format!("{event:?}"));
    }
}

/// What a rank left: how it ended, its records, what it told.
type Left = (Result<u64, Halt>, Vec<Record>, Vec<String>);

fn small(change: impl Fn(&mut Parameters)) -> Parameters {
    let mut parameters = Parameters {
        prefix: "m_".into(),
        zones: 2,
        guards: 1,
        blocks_max: 6,
        verify: true,
        ..Parameters::default()
    };
    change(&mut parameters);
    parameters
}

fn play(ranks: u32, parameters: &Parameters, memory: &Memory) -> Vec<Left> {
    parameters.check(ranks).expect("sound parameters");
    let storage = (storage::backend("dummy").unwrap().open)(&Settings::default()).unwrap();
    let storage: &dyn Storage = &*storage;
    let clock = CycleClock::new();
    let body = |comm: &dyn Comm| {
        let (mut clock, mut records, mut heard) = (clock.clone(), Vec::new(), Heard::default());
        let mut cx = Cx { clock: &mut clock, records: &mut records, observer: &mut heard };
        let done = run(parameters, memory, storage, comm, &mut cx);
        (done, records, heard.0)
    };
    local::run(ranks, body).into_iter().map(|rank| rank.expect("no rank panics")).collect()
}

#[test]
fn every_element_is_written_once_and_read_again_however_it_is_written() {
    for (nonblocking, independent) in [(true, false), (true, true), (false, false), (false, true)] {
        for ranks in [1, 2, 5] {
            let parameters = small(|p| (p.nonblocking, p.independent) = (nonblocking, independent));
            let memory = Memory::new("");
            for (done, ..) in play(ranks, &parameters, &memory) {
                assert_eq!(done, Ok(0), "{parameters:?} on {ranks}");
            }
            let files = memory.files.lock().unwrap();
            assert_eq!(files.len(), 3);
            let blocks = parameters.blocks_total(ranks);
            for file in File::ALL {
                let variables = &files[&file.path(parameters.form, "m_")];
                for array in file.arrays(parameters.form, 2) {
                    let wanted = vec![Some(array.value); (blocks * array.elements()) as usize];
                    assert_eq!(variables[&array.name], wanted, "{} of {file:?}", array.name);
                }
            }
        }
    }
}

#[test]
fn the_calls_are_those_of_the_original_in_its_order() {
    let calls = |change: &dyn Fn(&mut Parameters)| {
        let memory = Memory::new("");
        play(1, &small(|p| (p.verify, _) = (false, change(p))), &memory);
        memory.of(0)
    };
    let nonblocking = calls(&|_| {});
    let checkpoint = 2 + 1 + 30 + 1 + 1;
    assert_eq!(nonblocking[..4], ["create true", "open", "end", "post lrefine"]);
    assert_eq!(nonblocking[checkpoint - 3..checkpoint], ["post f13_", "wait", "close"]);
    let plot = &nonblocking[checkpoint..];
    let room = format!("attach {}", (27 + 8) * 6 * 4 * 4);
    assert_eq!(plot[3 + 5..3 + 8], ["post bndbox", &room, "copy dens"]);
    assert_eq!(plot[3 + 10..3 + 14], ["copy f1__", "wait", "detach", "close"]);
    let alone = calls(&|p| (p.nonblocking, p.independent) = (false, true));
    assert_eq!(alone[..5], ["create false", "open", "end", "Independent", "put lrefine"]);
    assert!(!alone.iter().any(|call| call.starts_with("wait") || call.starts_with("attach")), "{alone:?}");
}

#[test]
fn a_call_that_fails_on_one_rank_halts_all_of_them_after_the_same_calls() {
    let table = [
        ("create true", true, "checkpoint", "m_ncmpi_chk_0000.nc: create: torn out"),
        ("end", true, "checkpoint", "m_ncmpi_chk_0000.nc: define: torn out"),
        ("put velx", false, "checkpoint", "m_ncmpi_chk_0000.nc: velx: torn out"),
        ("post gid", true, "checkpoint", "m_ncmpi_chk_0000.nc: gid: torn out"),
        ("wait", true, "checkpoint", "m_ncmpi_chk_0000.nc: wait: torn out"),
        ("copy temp", true, "plot_centered", "m_ncmpi_plt_cnt_0000.nc: temp: torn out"),
        ("close", true, "checkpoint", "m_ncmpi_chk_0000.nc: close: torn out"),
        ("get pres", true, "checkpoint_check", "m_ncmpi_chk_0000.nc: pres: torn out"),
    ];
    for (fails, nonblocking, step, why) in table {
        let memory = Memory::new(fails);
        let left = play(3, &small(|p| p.nonblocking = nonblocking), &memory);
        for (done, records, _) in left {
            let halt = done.expect_err(fails);
            assert_eq!((halt.step.as_str(), halt.rank, halt.why.as_str()), (step, 1, why));
            let phases =
                records.iter().filter(|record| matches!(record, Record::Phase(phase) if phase.phase == step));
            assert_eq!(phases.count(), 0, "a phase that failed has no numbers");
        }
        let calls = |rank| memory.of(rank).len() + usize::from(rank == 1 && fails == "create true");
        assert_eq!([calls(0), calls(1)], [calls(2); 2], "{fails}: no rank leaves alone");
    }
}

#[test]
fn each_file_has_a_phase_and_what_was_read_again_another() {
    let mut left = play(3, &small(|p| p.repetitions = 2), &Memory::new(""));
    let (_, records, told) = left.swap_remove(0);
    let phases: Vec<_> = records
        .iter()
        .filter_map(|record| match record {
            Record::Phase(phase) => Some(phase),
            _ => None,
        })
        .collect();
    let names = ["checkpoint", "plot_centered", "plot_corner"];
    let checks = ["checkpoint_check", "plot_centered_check", "plot_corner_check"];
    let wanted: Vec<_> = [names, checks, names, checks].concat();
    assert_eq!(phases.iter().map(|phase| phase.phase.as_str()).collect::<Vec<_>>(), wanted);
    let bytes = 15 * (164 + 192 * 8);
    for (phase, check) in [(phases[0], None), (phases[9], Some(bytes))] {
        assert_eq!((phase.bytes, phase.expected_bytes, phase.ops), (bytes, bytes, 90));
        assert_eq!(phase.latency.as_ref().map(|latency| latency.count), Some(90));
        assert_eq!(phase.check.as_ref().map(|check| check.bytes), check);
    }
    assert_eq!((phases[0].repetition, phases[9].repetition), (0, 1));
    assert!(told[0].contains("amount: 3000") && told[0].contains("striping_factor"), "{}", told[0]);
    assert!(told[3].contains("held: Some(Held { most: 9, now: 3 })"), "{}", told[3]);
}
