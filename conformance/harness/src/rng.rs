//! Random choices that a seed repeats.

/// SplitMix64: small, fast, and the same on every machine.
#[derive(Clone)]
pub(crate) struct Rng(u64);

impl Rng {
    /// The same seed gives the same choices.
    pub(crate) fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    /// Any 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which must not be 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit as u64) as usize
    }

    /// True in `percent` of a hundred cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the choices, which must not be empty.
    pub(crate) fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// Brings a slice into any order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
