//! A reader of files in the format CDF-5, written from the description of the format. It shares no code with
//! the library that wrote them.

use std::path::Path;

/// A value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Text(String),
    Int(i32),
    Double(f64),
}

/// An array.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub name: String,
    /// Its dimensions, by number.
    pub dimensions: Vec<usize>,
    /// 1 for bytes, 4 for whole numbers, 5 and 6 for single and double precision.
    pub kind: u32,
    /// Bytes; of one record if the variable has the record dimension.
    pub bytes: u64,
    /// Its first byte in the file.
    pub begin: u64,
}

/// A complete file.
#[derive(Clone, Debug, PartialEq)]
pub struct Cdf5 {
    pub records: u64,
    pub dimensions: Vec<(String, u64)>,
    pub attributes: Vec<(String, Value)>,
    pub variables: Vec<Variable>,
    /// Bytes of the header, without unused space after it.
    pub header: usize,
    pub data: Vec<u8>,
}

/// Reads from the beginning of a file.
struct Front<'d> {
    data: &'d [u8],
    at: usize,
}

impl Front<'_> {
    fn bytes(&mut self, count: usize) -> &[u8] {
        self.at += count;
        &self.data[self.at - count..self.at]
    }

    fn small(&mut self) -> u32 {
        u32::from_be_bytes(self.bytes(4).try_into().unwrap())
    }

    fn number(&mut self) -> u64 {
        u64::from_be_bytes(self.bytes(8).try_into().unwrap())
    }

    /// Bytes, padded with zeros to a multiple of four.
    fn padded(&mut self, count: usize) -> Vec<u8> {
        let bytes = self.bytes(count).to_vec();
        let padding = self.bytes(count.next_multiple_of(4) - count);
        assert!(padding.iter().all(|byte| *byte == 0), "padding is zeros");
        bytes
    }

    fn name(&mut self) -> String {
        let length = self.number() as usize;
        String::from_utf8(self.padded(length)).unwrap()
    }

    /// A list of items with this tag, or an empty list.
    fn list<T>(&mut self, tag: u32, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let (found, count) = (self.small(), self.number());
        assert!(found == tag || (found, count) == (0, 0), "tag {found:#x} of {count} for {tag:#x}");
        (0..count).map(|_| one(self)).collect()
    }

    fn attribute(&mut self) -> (String, Value) {
        let (name, kind, count) = (self.name(), self.small(), self.number() as usize);
        let value = match (kind, count) {
            (2, _) => Value::Text(String::from_utf8(self.padded(count)).unwrap()),
            (4, 1) => Value::Int(self.small() as i32),
            (6, 1) => Value::Double(f64::from_bits(self.number())),
            other => panic!("attribute {name} of type and length {other:?}"),
        };
        (name, value)
    }

    fn variable(&mut self) -> Variable {
        let (name, count) = (self.name(), self.number());
        let dimensions = (0..count).map(|_| self.number() as usize).collect();
        assert!(self.list(0xc, Self::attribute).is_empty(), "{name} has attributes");
        let (kind, bytes, begin) = (self.small(), self.number(), self.number());
        Variable { name, dimensions, kind, bytes, begin }
    }
}

impl Cdf5 {
    pub fn read(path: &Path) -> Self {
        let data = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut front = Front { data: &data, at: 0 };
        assert_eq!(front.bytes(4), b"CDF\x05", "format CDF-5");
        let records = front.number();
        let dimensions = front.list(0xa, |front| (front.name(), front.number()));
        let attributes = front.list(0xc, Front::attribute);
        let variables = front.list(0xb, Front::variable);
        let header = front.at;
        Self { records, dimensions, attributes, variables, header, data }
    }

    pub fn variable(&self, name: &str) -> &Variable {
        self.variables.iter().find(|variable| variable.name == name).expect(name)
    }

    /// Bytes of the whole variable; of all records if it has the record dimension.
    pub fn bytes_of(&self, variable: &Variable) -> &[u8] {
        let grows = variable.dimensions.first().is_some_and(|first| self.dimensions[*first].1 == 0);
        let bytes = if grows { variable.bytes * self.records } else { variable.bytes };
        &self.data[variable.begin as usize..(variable.begin + bytes) as usize]
    }

    /// All elements of a variable, as numbers.
    pub fn values(&self, variable: &Variable) -> Vec<f64> {
        let bytes = self.bytes_of(variable);
        match variable.kind {
            4 => bytes.chunks(4).map(|b| f64::from(i32::from_be_bytes(b.try_into().unwrap()))).collect(),
            5 => bytes.chunks(4).map(|b| f64::from(f32::from_be_bytes(b.try_into().unwrap()))).collect(),
            6 => bytes.chunks(8).map(|b| f64::from_be_bytes(b.try_into().unwrap())).collect(),
            kind => panic!("elements of type {kind}"),
        }
    }

    /// The variable with its dimensions, as a declaration in C.
    pub fn declared(&self, variable: &Variable) -> String {
        let kind = ["?", "byte", "?", "?", "int", "float", "double"][variable.kind as usize];
        let names: Vec<_> = variable.dimensions.iter().map(|at| self.dimensions[*at].0.as_str()).collect();
        format!("{kind} {}({})", variable.name, names.join(", "))
    }
}
