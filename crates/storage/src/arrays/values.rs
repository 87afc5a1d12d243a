//! Elements of arrays in memory.

/// The type of the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// 1 byte.
    Byte,
    /// 4 bytes, an integer.
    Int,
    /// 4 bytes, floating point.
    Float,
    /// 8 bytes, floating point.
    Double,
}

impl Element {
    /// Bytes of one element in a file.
    pub fn bytes(self) -> u64 {
        match self {
            Self::Byte => 1,
            Self::Int | Self::Float => 4,
            Self::Double => 8,
        }
    }
}

/// Elements in memory; a deferred call owns them until it has ended.
#[derive(Clone, Debug, PartialEq)]
pub enum ArrayValues {
    /// Bytes.
    Bytes(Vec<i8>),
    /// Integers.
    Ints(Vec<i32>),
    /// Numbers in single precision.
    Floats(Vec<f32>),
    /// Numbers in double precision.
    Doubles(Vec<f64>),
}

impl ArrayValues {
    /// `count` zeros; `None` where there is not enough memory.
    pub fn zeros(element: Element, count: usize) -> Option<Self> {
        Some(match element {
            Element::Byte => Self::Bytes(zeros(count)?),
            Element::Int => Self::Ints(zeros(count)?),
            Element::Float => Self::Floats(zeros(count)?),
            Element::Double => Self::Doubles(zeros(count)?),
        })
    }

    /// Their type.
    pub fn element(&self) -> Element {
        match self {
            Self::Bytes(_) => Element::Byte,
            Self::Ints(_) => Element::Int,
            Self::Floats(_) => Element::Float,
            Self::Doubles(_) => Element::Double,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Bytes(all) => all.len(),
            Self::Ints(all) => all.len(),
            Self::Floats(all) => all.len(),
            Self::Doubles(all) => all.len(),
        }
    }

    /// The address of the first element.
    pub(super) fn place(&self) -> *const u8 {
        match self {
            Self::Bytes(all) => all.as_ptr().cast(),
            Self::Ints(all) => all.as_ptr().cast(),
            Self::Floats(all) => all.as_ptr().cast(),
            Self::Doubles(all) => all.as_ptr().cast(),
        }
    }

    /// The same, for writing.
    pub(super) fn place_mut(&mut self) -> *mut u8 {
        match self {
            Self::Bytes(all) => all.as_mut_ptr().cast(),
            Self::Ints(all) => all.as_mut_ptr().cast(),
            Self::Floats(all) => all.as_mut_ptr().cast(),
            Self::Doubles(all) => all.as_mut_ptr().cast(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn zeros<T: Clone + Default>(count: usize) -> Option<Vec<T>> {
    let mut all = Vec::new();
    all.try_reserve_exact(count).ok()?;
    all.resize(count, T::default());
    Some(all)
}
