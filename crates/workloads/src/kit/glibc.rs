//! The two pseudo-random generators of the GNU C library on which old data and old orders depend.
//!
//! `random()` is the additive feedback generator of degree 31 (glibc's TYPE_3, the default). `rand()` is the
//! same function. `rand_r()` is three steps of a 32-bit linear congruential generator. Both follow the
//! published recurrences, so assay can verify files that other programs wrote.

/// `srandom(seed)` and then `random()`.
#[derive(Clone, Debug)]
pub struct GlibcRandom {
    state: [u32; 31],
    front: usize,
}

impl GlibcRandom {
    /// `srandom(seed)`; seed 0 counts as 1.
    pub fn new(seed: u32) -> Self {
        let mut state = [0_u32; 31];
        state[0] = seed.max(1);
        for index in 1..31 {
            // 16807 * s mod (2^31 - 1), with a negative seed handled as a signed value.
            let last = i64::from(state[index - 1] as i32);
            let mut next = (16807 * last) % 2_147_483_647;
            if next < 0 {
                next += 2_147_483_647;
            }
            state[index] = next as u32;
        }
        let mut random = Self { state, front: 3 };
        for _ in 0..310 {
            random.next_value();
        }
        random
    }

    /// `random()`: 31 bits.
    pub fn next_value(&mut self) -> u32 {
        let back = (self.front + 28) % 31;
        let sum = self.state[self.front].wrapping_add(self.state[back]);
        self.state[self.front] = sum;
        self.front = (self.front + 1) % 31;
        sum >> 1
    }

    /// Steps back over the last `next_value()` and returns it once more.
    pub fn previous_value(&mut self) -> u32 {
        self.front = (self.front + 30) % 31;
        let sum = self.state[self.front];
        let back = (self.front + 28) % 31;
        self.state[self.front] = sum.wrapping_sub(self.state[back]);
        sum >> 1
    }
}

/// `rand_r(seed)`: 31 bits; advances the seed by three steps.
pub fn rand_r(seed: &mut u32) -> u32 {
    let mut step = || {
        *seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12345);
        *seed >> 16
    };
    let mut result = step() % 2048;
    result = (result << 10) ^ (step() % 1024);
    (result << 10) ^ (step() % 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_gives_the_published_sequence_of_seed_1() {
        let mut random = GlibcRandom::new(1);
        let first: Vec<u32> = (0..5).map(|_| random.next_value()).collect();
        assert_eq!(first, [1_804_289_383, 846_930_886, 1_681_692_777, 1_714_636_915, 1_957_747_793]);
        assert_eq!(GlibcRandom::new(0).next_value(), 1_804_289_383, "seed 0 is seed 1");
    }

    #[test]
    fn the_generator_can_step_back_in_order() {
        let mut random = GlibcRandom::new(9);
        let forth: Vec<u32> = (0..200).map(|_| random.next_value()).collect();
        let mut back: Vec<u32> = (0..200).map(|_| random.previous_value()).collect();
        back.reverse();
        assert_eq!(back, forth);
        assert_eq!(random.next_value(), forth[0]);
    }

    #[test]
    fn rand_r_gives_the_published_sequence_of_seed_1() {
        let mut seed = 1;
        assert_eq!([rand_r(&mut seed), rand_r(&mut seed)], [476_707_713, 1_186_278_907]);
    }
}
