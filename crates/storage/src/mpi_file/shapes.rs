//! Derived datatypes. Lengths of blocks are elements of the old type. Strides and starts are elements too,
//! except in the forms with an `h`, where they are bytes.
//!
//! Slices that must have the same length and do not cause a panic; MPI checks everything else.

use std::ffi::c_int;

use ffi::mpi::{Functions, Handle};

use super::datatype::Datatype;
use super::error::MpiError;

/// Elements of one piece of a datatype with more elements than a C `int` counts.
const PIECE: u64 = 1 << 30;

/// Which dimension of an array is contiguous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DimensionOrder {
    /// The last.
    C,
    /// The first.
    Fortran,
}

/// How a dimension of an array is distributed to the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// In blocks of this many elements, one for each rank (`None`: MPI chooses the length).
    Block(Option<i32>),
    /// In blocks of this many elements (`None`: one), assigned to the ranks in turn.
    Cyclic(Option<i32>),
    /// Not distributed; there is one rank in this dimension.
    None,
}

fn int(length: usize) -> c_int {
    c_int::try_from(length).expect("as many as MPI can count")
}

impl Datatype {
    /// `MPI_Type_contiguous`.
    pub fn contiguous(&self, count: i32) -> Result<Self, MpiError> {
        // SAFETY: the old type is live; MPI writes the new handle.
        Self::make(self.library, |f, new| unsafe { (f.type_contiguous)(count, self.handle, new) })
    }

    /// Any number of contiguous elements, also more than a C `int` counts.
    pub fn many(&self, count: u64) -> Result<Self, MpiError> {
        if let Ok(few) = i32::try_from(count) {
            return self.contiguous(few);
        }
        let pieces = i32::try_from(count / PIECE)
            .map_err(|_| MpiError::no_call(format!("a datatype cannot have {count} elements")))?;
        let most = self.contiguous(PIECE as i32)?.contiguous(pieces)?;
        let rest = self.contiguous((count % PIECE) as i32)?;
        Self::structure(&[1, 1], &[0, most.extent() as isize], &[&most, &rest])
    }

    /// `MPI_Type_vector`.
    pub fn vector(&self, count: i32, length: i32, stride: i32) -> Result<Self, MpiError> {
        // SAFETY: the old type is live; MPI writes the new handle.
        let make = |f: &Functions, new| unsafe { (f.type_vector)(count, length, stride, self.handle, new) };
        Self::make(self.library, make)
    }

    /// `MPI_Type_create_hvector`.
    pub fn hvector(&self, count: i32, length: i32, stride: isize) -> Result<Self, MpiError> {
        // SAFETY: the old type is live; MPI writes the new handle.
        let make =
            |f: &Functions, new| unsafe { (f.type_create_hvector)(count, length, stride, self.handle, new) };
        Self::make(self.library, make)
    }

    /// `MPI_Type_indexed`.
    pub fn indexed(&self, lengths: &[i32], starts: &[i32]) -> Result<Self, MpiError> {
        assert_eq!(lengths.len(), starts.len(), "one start for each block");
        let (count, lengths, starts) = (int(lengths.len()), lengths.as_ptr(), starts.as_ptr());
        // SAFETY: both arrays have `count` numbers, which MPI copies.
        let make = |f: &Functions, new| unsafe { (f.type_indexed)(count, lengths, starts, self.handle, new) };
        Self::make(self.library, make)
    }

    /// `MPI_Type_create_hindexed`.
    pub fn hindexed(&self, lengths: &[i32], starts: &[isize]) -> Result<Self, MpiError> {
        assert_eq!(lengths.len(), starts.len(), "one start for each block");
        let (count, lengths, starts) = (int(lengths.len()), lengths.as_ptr(), starts.as_ptr());
        // SAFETY: both arrays have `count` numbers, which MPI copies.
        let make = |f: &Functions, new| unsafe {
            (f.type_create_hindexed)(count, lengths, starts, self.handle, new)
        };
        Self::make(self.library, make)
    }

    /// `MPI_Type_create_indexed_block`.
    pub fn indexed_block(&self, length: i32, starts: &[i32]) -> Result<Self, MpiError> {
        let (count, at) = (int(starts.len()), starts.as_ptr());
        // SAFETY: the array has `count` numbers, which MPI copies.
        let make = |f: &Functions, new| unsafe {
            (f.type_create_indexed_block)(count, length, at, self.handle, new)
        };
        Self::make(self.library, make)
    }

    /// `MPI_Type_create_hindexed_block`.
    pub fn hindexed_block(&self, length: i32, starts: &[isize]) -> Result<Self, MpiError> {
        let (count, at) = (int(starts.len()), starts.as_ptr());
        // SAFETY: the array has `count` numbers, which MPI copies.
        let make = |f: &Functions, new| unsafe {
            (f.type_create_hindexed_block)(count, length, at, self.handle, new)
        };
        Self::make(self.library, make)
    }

    /// `MPI_Type_create_struct`, of at least one type.
    pub fn structure(lengths: &[i32], starts: &[isize], olds: &[&Self]) -> Result<Self, MpiError> {
        assert!(lengths.len() == starts.len() && starts.len() == olds.len(), "three numbers for each block");
        let library = olds.first().expect("at least one block").library;
        let handles: Vec<Handle> = olds.iter().map(|old| old.handle).collect();
        // Handles of the MPICH family are 32-bit integers, so an array of them has 32-bit entries.
        let packed: Vec<u32> = handles.iter().map(|handle| *handle as u32).collect();
        let olds = match library.abi {
            ffi::mpi::Abi::Mpich => packed.as_ptr().cast(),
            _ => handles.as_ptr(),
        };
        let (count, lengths, starts) = (int(lengths.len()), lengths.as_ptr(), starts.as_ptr());
        // SAFETY: all three arrays have `count` entries, which MPI copies; the handles are as wide as its
        // own.
        let make = |f: &Functions, new| unsafe { (f.type_create_struct)(count, lengths, starts, olds, new) };
        Self::make(library, make)
    }

    /// `MPI_Type_create_subarray`.
    pub fn subarray(
        &self,
        sizes: &[i32],
        subsizes: &[i32],
        starts: &[i32],
        order: DimensionOrder,
    ) -> Result<Self, MpiError> {
        assert!(sizes.len() == subsizes.len() && sizes.len() == starts.len(), "numbers for each dimension");
        let (dimensions, order) = (int(sizes.len()), self.order(order));
        let (sizes, subsizes, starts) = (sizes.as_ptr(), subsizes.as_ptr(), starts.as_ptr());
        // SAFETY: all arrays have one number for each dimension; MPI copies them.
        Self::make(self.library, |f, new| unsafe {
            (f.type_create_subarray)(dimensions, sizes, subsizes, starts, order, self.handle, new)
        })
    }

    /// `MPI_Type_create_darray` for rank `rank` of `size`; `ranks` are the ranks in each dimension.
    pub fn darray(
        &self,
        (rank, size): (i32, i32),
        sizes: &[i32],
        distributions: &[Distribution],
        ranks: &[i32],
        order: DimensionOrder,
    ) -> Result<Self, MpiError> {
        assert!(sizes.len() == distributions.len() && sizes.len() == ranks.len(), "one for each dimension");
        let c = &self.library.constants;
        let dealt: (Vec<c_int>, Vec<c_int>) = distributions
            .iter()
            .map(|distribution| match *distribution {
                Distribution::Block(each) => (c.distribute_block, each.unwrap_or(c.distribute_default)),
                Distribution::Cyclic(each) => (c.distribute_cyclic, each.unwrap_or(c.distribute_default)),
                Distribution::None => (c.distribute_none, c.distribute_default),
            })
            .unzip();
        let (dimensions, order) = (int(sizes.len()), self.order(order));
        let (how, each) = (dealt.0.as_ptr(), dealt.1.as_ptr());
        let (sizes, ranks) = (sizes.as_ptr(), ranks.as_ptr());
        // SAFETY: all arrays have one number for each dimension; MPI copies them.
        Self::make(self.library, |f, new| unsafe {
            (f.type_create_darray)(size, rank, dimensions, sizes, how, each, ranks, order, self.handle, new)
        })
    }

    /// `MPI_Type_create_resized`: the same data with other bounds, bytes.
    pub fn resized(&self, lower: isize, extent: isize) -> Result<Self, MpiError> {
        // SAFETY: the old type is live; MPI writes the new handle.
        let make = |f: &Functions, new| unsafe { (f.type_create_resized)(self.handle, lower, extent, new) };
        Self::make(self.library, make)
    }

    fn order(&self, order: DimensionOrder) -> c_int {
        match order {
            DimensionOrder::C => self.library.constants.order_c,
            DimensionOrder::Fortran => self.library.constants.order_fortran,
        }
    }
}
