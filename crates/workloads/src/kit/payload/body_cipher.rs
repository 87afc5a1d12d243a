//! The keystream of keyed data: AES-128 in counter mode, in the widest registers of this machine.
//!
//! A block of 4 KiB has 256 AES blocks, whose inputs differ only in their last byte. So the first of the ten
//! rounds gives one of 256 values, which a table has for each key. With AVX-512 and VAES four AES blocks are
//! made at once in the other nine rounds. All other machines use the crate `aes`, which has the AES
//! instructions of x86-64 and ARM, and portable code without tables of secrets.
//!
//! Invariant: both ways make the same bytes; a test compares them.
#![allow(unsafe_code)]

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Block};

/// Bytes that are made at once.
const LINE: usize = 64;
/// Bytes of a block.
const BYTES: usize = 4096;
/// Bytes of an AES block.
const AES_BYTES: usize = 16;

/// An expanded key.
pub(super) struct BodyCipher {
    portable: Aes128,
    /// Only on processors with the instructions for it.
    #[cfg(target_arch = "x86_64")]
    wide: Option<wide::WideCipher>,
}

impl BodyCipher {
    pub(super) fn new(key: [u8; AES_BYTES]) -> Self {
        Self {
            portable: Aes128::new(&key.into()),
            #[cfg(target_arch = "x86_64")]
            wide: wide::WideCipher::new(key),
        }
    }

    /// Writes the keystream of the block `place` from byte `first` of the block on.
    pub(super) fn fill(&self, place: Block, first: usize, buffer: &mut [u8]) {
        if first.is_multiple_of(LINE) && buffer.len().is_multiple_of(LINE) {
            return self.fill_lines(place, first / LINE, buffer);
        }
        let mut stream = [0; BYTES];
        buffer.copy_from_slice(self.around(place, first, buffer.len(), &mut stream));
    }

    /// Whether `data` differs from the keystream. Writes nothing.
    pub(super) fn differs(&self, place: Block, first: usize, data: &[u8]) -> bool {
        #[cfg(target_arch = "x86_64")]
        if let Some(wide) = &self.wide
            && first.is_multiple_of(LINE)
            && data.len().is_multiple_of(LINE)
        {
            return wide.differs(place, first / LINE, data);
        }
        let mut stream = [0; BYTES];
        self.around(place, first, data.len(), &mut stream) != data
    }

    /// The keystream of `length` bytes from byte `first` on, within whole lines.
    fn around<'s>(&self, place: Block, first: usize, length: usize, stream: &'s mut [u8; BYTES]) -> &'s [u8] {
        let begin = first / LINE * LINE;
        let end = (first + length).next_multiple_of(LINE);
        self.fill_lines(place, begin / LINE, &mut stream[begin..end]);
        &stream[first..first + length]
    }

    fn fill_lines(&self, place: Block, first: usize, buffer: &mut [u8]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(wide) = &self.wide {
            return wide.fill(place, first, buffer);
        }
        self.fill_portable(place, first, buffer);
    }

    fn fill_portable(&self, place: Block, first: usize, buffer: &mut [u8]) {
        let (blocks, _) = Block::slice_as_chunks_mut(buffer);
        for (index, block) in blocks.iter_mut().enumerate() {
            *block = place;
            block[AES_BYTES - 1] = (first * (LINE / AES_BYTES) + index) as u8;
        }
        self.portable.encrypt_blocks(blocks);
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::*;

    use super::{AES_BYTES, BYTES, Block, LINE};

    /// Lines that are made together, so that the processor does not wait for the result of a round. A block
    /// has nine times as many after its stamp.
    const TOGETHER: usize = 7;

    /// An expanded key. It exists only on a processor with AES, AVX-512 and VAES.
    pub(super) struct WideCipher {
        /// The keys of the rounds, in each quarter of a register.
        rounds: [__m512i; 11],
        /// The first two keys of the rounds.
        first: [__m128i; 2],
        /// By line: how the state after the first round differs from that of the first AES block.
        steps: [__m512i; BYTES / LINE],
    }

    impl WideCipher {
        /// The expanded key, or `None` if this processor lacks an instruction.
        pub(super) fn new(key: [u8; AES_BYTES]) -> Option<Self> {
            let has_all = is_x86_feature_detected!("aes")
                && is_x86_feature_detected!("sse4.1")
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("vaes");
            // SAFETY: the processor has all of them, as checked above.
            has_all.then(|| unsafe { expanded(key) })
        }

        pub(super) fn fill(&self, place: Block, first: usize, buffer: &mut [u8]) {
            // SAFETY: a value of this type exists only if the processor has the instructions.
            unsafe { fill(self, place, first, buffer) }
        }

        pub(super) fn differs(&self, place: Block, first: usize, data: &[u8]) -> bool {
            // SAFETY: as above.
            unsafe { differs(self, place, first, data) }
        }

        /// The state of an AES block after the first round, if its last byte is 0.
        #[target_feature(enable = "aes,sse2")]
        fn after_first_round(&self, place: Block) -> __m128i {
            _mm_aesenc_si128(_mm_xor_si128(loaded(place), self.first[0]), self.first[1])
        }

        /// The keystream of `N` lines.
        #[target_feature(enable = "avx512f,vaes")]
        fn lines<const N: usize>(&self, base: __m512i, first: usize) -> [__m512i; N] {
            let steps = &self.steps[first..first + N];
            let mut lines: [__m512i; N] = std::array::from_fn(|at| _mm512_xor_si512(base, steps[at]));
            for round in &self.rounds[2..10] {
                lines.iter_mut().for_each(|line| *line = _mm512_aesenc_epi128(*line, *round));
            }
            lines.map(|line| _mm512_aesenclast_epi128(line, self.rounds[10]))
        }
    }

    #[target_feature(enable = "sse2")]
    fn loaded(bytes: Block) -> __m128i {
        let half = |at: usize| i64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        _mm_set_epi64x(half(8), half(0))
    }

    /// The key of the next round (FIPS 197).
    #[target_feature(enable = "aes,sse2")]
    fn next_round<const CONSTANT: i32>(key: __m128i) -> __m128i {
        let last = _mm_shuffle_epi32::<0xff>(_mm_aeskeygenassist_si128::<CONSTANT>(key));
        let key = _mm_xor_si128(key, _mm_slli_si128::<4>(key));
        let key = _mm_xor_si128(key, _mm_slli_si128::<8>(key));
        _mm_xor_si128(key, last)
    }

    #[target_feature(enable = "aes,sse4.1,avx512f,vaes")]
    fn expanded(key: [u8; AES_BYTES]) -> WideCipher {
        let mut keys = [loaded(key.into()); 11];
        keys[1] = next_round::<0x01>(keys[0]);
        keys[2] = next_round::<0x02>(keys[1]);
        keys[3] = next_round::<0x04>(keys[2]);
        keys[4] = next_round::<0x08>(keys[3]);
        keys[5] = next_round::<0x10>(keys[4]);
        keys[6] = next_round::<0x20>(keys[5]);
        keys[7] = next_round::<0x40>(keys[6]);
        keys[8] = next_round::<0x80>(keys[7]);
        keys[9] = next_round::<0x1b>(keys[8]);
        keys[10] = next_round::<0x36>(keys[9]);
        let rounds = keys.map(|key| _mm512_broadcast_i32x4(key));
        let steps = [_mm512_setzero_si512(); BYTES / LINE];
        let mut wide = WideCipher { rounds, first: [keys[0], keys[1]], steps };
        let none = wide.after_first_round(Block::default());
        for line in 0..BYTES / LINE {
            let step = |quarter: usize| {
                let mut place = Block::default();
                place[AES_BYTES - 1] = (line * (LINE / AES_BYTES) + quarter) as u8;
                _mm_xor_si128(wide.after_first_round(place), none)
            };
            let two = |low, high| _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high);
            let low = _mm512_castsi256_si512(two(step(0), step(1)));
            wide.steps[line] = _mm512_inserti64x4::<1>(low, two(step(2), step(3)));
        }
        wide
    }

    #[target_feature(enable = "aes,avx512f,vaes")]
    fn fill(cipher: &WideCipher, place: Block, first: usize, buffer: &mut [u8]) {
        let base = _mm512_broadcast_i32x4(cipher.after_first_round(place));
        let mut at = first;
        let mut chunks = buffer.chunks_exact_mut(TOGETHER * LINE);
        for chunk in &mut chunks {
            let lines = cipher.lines::<TOGETHER>(base, at);
            for (bytes, line) in chunk.chunks_exact_mut(LINE).zip(lines) {
                // SAFETY: `bytes` has the 64 bytes of a register, and any alignment is allowed.
                unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), line) };
            }
            at += TOGETHER;
        }
        for bytes in chunks.into_remainder().chunks_exact_mut(LINE) {
            let [line] = cipher.lines(base, at);
            // SAFETY: as above.
            unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), line) };
            at += 1;
        }
    }

    #[target_feature(enable = "aes,avx512f,vaes")]
    fn differs(cipher: &WideCipher, place: Block, first: usize, data: &[u8]) -> bool {
        let base = _mm512_broadcast_i32x4(cipher.after_first_round(place));
        let (mut at, mut differs) = (first, _mm512_setzero_si512());
        let chunks = data.chunks_exact(TOGETHER * LINE);
        let rest = chunks.remainder();
        for chunk in chunks {
            let lines = cipher.lines::<TOGETHER>(base, at);
            for (bytes, line) in chunk.chunks_exact(LINE).zip(lines) {
                // SAFETY: `bytes` has the 64 bytes of a register, and any alignment is allowed.
                let found = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
                differs = _mm512_or_si512(differs, _mm512_xor_si512(line, found));
            }
            at += TOGETHER;
        }
        for bytes in rest.chunks_exact(LINE) {
            let [line] = cipher.lines(base, at);
            // SAFETY: as above.
            let found = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
            differs = _mm512_or_si512(differs, _mm512_xor_si512(line, found));
            at += 1;
        }
        _mm512_test_epi64_mask(differs, differs) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keystream_is_that_of_aes_128_with_the_last_byte_as_the_counter() {
        // FIPS 197, appendix C.1: the last byte of this plaintext is 0xff.
        let key = std::array::from_fn(|at| at as u8);
        let mut plain = Block::from(std::array::from_fn::<u8, 16, _>(|at| (at * 0x11) as u8));
        plain[15] = 0;
        let mut made = [0; BYTES];
        BodyCipher::new(key).fill(plain, 0, &mut made);
        let cipher =
            [0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a];
        assert_eq!(made[0xff * 16..], cipher);
    }

    #[test]
    #[allow(clippy::print_stdout)]
    fn the_wide_and_the_portable_keystream_are_the_same_from_any_word_on() {
        let cipher = BodyCipher::new([7; 16]);
        #[cfg(target_arch = "x86_64")]
        if cipher.wide.is_none() {
            println!("SKIPPED: this processor lacks AVX-512 or VAES; only the portable keystream is checked");
        }
        let mut place = Block::from([0xa5; 16]);
        place[15] = 0;
        let mut whole = [0; BYTES];
        cipher.fill_portable(place, 0, &mut whole);
        for (first, length) in [(0, 4096), (64, 4032), (64, 64), (8, 8), (72, 1000), (4088, 8), (2048, 320)] {
            let mut made = vec![0; length];
            cipher.fill(place, first, &mut made);
            assert_eq!(made, whole[first..first + length], "{first} {length}");
            assert!(!cipher.differs(place, first, &made), "{first} {length}");
            for byte in [0, length / 2, length - 1] {
                made[byte] ^= 0x10;
                assert!(cipher.differs(place, first, &made), "{first} {length} {byte}");
                made[byte] ^= 0x10;
            }
        }
    }
}
