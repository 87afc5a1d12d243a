//! Small datasets that are created together with their values: all ranks create them, rank 0 writes them.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::io;

use ffi::hdf5::{COMPOUND, DEFAULT};

use super::super::{Number, Records, wrong};
use super::file::SetFile;
use crate::hdf5::{self, HeldIdentifier, check};

impl SetFile {
    /// Makes a dataset of this shape with elements of type `kind`. `bytes` holds all elements; rank 0 writes
    /// them.
    fn keep_small(&self, name: &str, kind: &HeldIdentifier, lengths: &[u64], bytes: &[u8]) -> io::Result<()> {
        let library = self.library;
        let space = HeldIdentifier::space(library, lengths)?;
        let set = hdf5::make(self.sets_of(), name, kind.id(), &space, DEFAULT)?;
        if self.writes {
            let (write, from) = (library.functions.dwrite, bytes.as_ptr().cast());
            // SAFETY: during the call `bytes` is as long as all elements of the dataset.
            check(library, unsafe { write(set.id(), kind.id(), DEFAULT, DEFAULT, DEFAULT, from) })?;
        }
        set.close()
    }

    fn keep_texts(&self, name: &str, bytes: usize, lengths: &[u64], texts: &[&str]) -> io::Result<()> {
        let too_long = texts.iter().any(|text| text.len() > bytes);
        if too_long || lengths.iter().product::<u64>() != texts.len() as u64 {
            return Err(wrong(format!("{name}: {} texts of {bytes} bytes are not {lengths:?}", texts.len())));
        }
        let functions = &self.library.functions;
        // SAFETY: the library is initialized, so the type exists.
        let kind = unsafe { (functions.tcopy)(self.library.constants.text) };
        let kind = HeldIdentifier::new(self.library, kind, functions.tclose)?;
        // SAFETY: this function owns the type.
        check(self.library, unsafe { (functions.tset_size)(kind.id(), bytes) })?;
        let mut all = vec![0; bytes * texts.len()];
        for (place, text) in all.chunks_mut(bytes).zip(texts) {
            place[..text.len()].copy_from_slice(text.as_bytes());
        }
        self.keep_small(name, &kind, lengths, &all)
    }

    fn keep_record(&self, name: &str, members: &[(&str, Number)]) -> io::Result<()> {
        let (functions, constants) = (&self.library.functions, &self.library.constants);
        let (offsets, bytes) = laid_out(members);
        // SAFETY: the library is initialized.
        let kind = unsafe { (functions.tcreate)(COMPOUND, bytes.len()) };
        let kind = HeldIdentifier::new(self.library, kind, functions.tclose)?;
        for ((name, number), offset) in members.iter().zip(offsets) {
            let name = CString::new(*name)?;
            let member = match number {
                Number::Int(_) => constants.native_int,
                Number::Float(_) => constants.native_float,
                Number::Double(_) => constants.native_double,
            };
            // SAFETY: both types are live, and the name ends in a zero byte.
            let put = unsafe { (functions.tinsert)(kind.id(), name.as_ptr(), offset, member) };
            check(self.library, put)?;
        }
        self.keep_small(name, &kind, &[1], &bytes)
    }
}

/// The offset of each member of a C structure, and the bytes of the structure.
fn laid_out(members: &[(&str, Number)]) -> (Vec<usize>, Vec<u8>) {
    let (mut offsets, mut bytes, mut most) = (Vec::new(), Vec::new(), 1);
    for (_, number) in members {
        let value = match number {
            Number::Int(value) => value.to_ne_bytes().to_vec(),
            Number::Float(value) => value.to_ne_bytes().to_vec(),
            Number::Double(value) => value.to_ne_bytes().to_vec(),
        };
        bytes.resize(bytes.len().next_multiple_of(value.len()), 0);
        offsets.push(bytes.len());
        most = most.max(value.len());
        bytes.extend(value);
    }
    bytes.resize(bytes.len().next_multiple_of(most), 0);
    (offsets, bytes)
}

impl Records for SetFile {
    fn texts(&mut self, name: &str, bytes: usize, lengths: &[u64], texts: &[&str]) -> io::Result<()> {
        self.watched(self.keep_texts(name, bytes, lengths, texts))
    }

    fn record(&mut self, name: &str, members: &[(&str, Number)]) -> io::Result<()> {
        self.watched(self.keep_record(name, members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_laid_out_like_a_c_structure() {
        let members = [("a", Number::Int(1)), ("b", Number::Double(2.0)), ("c", Number::Int(-1))];
        let (offsets, bytes) = laid_out(&members);
        assert_eq!((&offsets[..], bytes.len()), (&[0, 8, 16][..], 24));
        assert_eq!(bytes[8..16], 2.0_f64.to_ne_bytes());
        let (offsets, bytes) = laid_out(&[("a", Number::Int(1)), ("b", Number::Float(0.5))]);
        assert_eq!((&offsets[..], bytes.len()), (&[0, 4][..], 8));
    }
}
