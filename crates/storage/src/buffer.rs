//! A transfer buffer: page-aligned, as O_DIRECT requires, and written once before any clock starts.

use std::io;

/// Alignment of buffers, bytes: the largest logical block size in use.
pub const ALIGNMENT: usize = 4096;

/// Bytes for one transfer, aligned to [`ALIGNMENT`].
pub struct Buffer {
    memory: Vec<u8>,
    start: usize,
    length: usize,
}

impl Buffer {
    /// A buffer of `length` bytes, all written once, so that no page fault occurs in a phase. Fails where
    /// there is not enough memory.
    pub fn new(length: usize) -> io::Result<Self> {
        let no_memory =
            |_| io::Error::new(io::ErrorKind::OutOfMemory, format!("no memory for {length} bytes"));
        let mut memory = Vec::new();
        let whole = length.saturating_add(ALIGNMENT);
        memory.try_reserve_exact(whole).map_err(no_memory)?;
        // Not zero: new zero pages may all be the same kernel page until they are written.
        memory.resize(whole, 0x5a);
        let start = memory.as_ptr().align_offset(ALIGNMENT);
        Ok(Self { memory, start, length })
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.length]
    }

    /// The bytes, for writing.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_memory_than_there_is_is_an_error() {
        let error = Buffer::new(usize::MAX / 2).err().expect("no machine has that much memory");
        assert_eq!(error.kind(), std::io::ErrorKind::OutOfMemory);
    }

    #[test]
    fn a_buffer_is_aligned_and_as_long_as_asked() {
        for length in [0, 8, 4096, 1 << 20] {
            let mut buffer = Buffer::new(length).unwrap();
            assert_eq!(buffer.bytes().len(), length);
            assert_eq!(buffer.bytes_mut().as_ptr().addr() % ALIGNMENT, 0);
        }
    }
}
