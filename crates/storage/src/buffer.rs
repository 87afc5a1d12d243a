//! A transfer buffer: page-aligned, as O_DIRECT wants it, and touched before any clock starts.

/// Alignment of buffers, bytes: the largest logical block size in use.
pub const ALIGNMENT: usize = 4096;

/// Bytes for one transfer, aligned to [`ALIGNMENT`].
pub struct Buffer {
    memory: Vec<u8>,
    start: usize,
    length: usize,
}

impl Buffer {
    /// A buffer of `length` bytes, all written once (so that no page fault falls into a phase).
    pub fn new(length: usize) -> Self {
        // Not zero: fresh zero pages may all be one page of the kernel until they are written.
        let memory = vec![0x5a; length + ALIGNMENT];
        let start = memory.as_ptr().align_offset(ALIGNMENT);
        Self { memory, start, length }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.length]
    }

    /// The bytes, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_aligned_and_as_long_as_asked() {
        for length in [0, 8, 4096, 1 << 20] {
            let mut buffer = Buffer::new(length);
            assert_eq!(buffer.bytes().len(), length);
            assert_eq!(buffer.bytes_mut().as_ptr().addr() % ALIGNMENT, 0);
        }
    }
}
