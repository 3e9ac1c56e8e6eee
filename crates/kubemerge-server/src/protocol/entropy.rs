//! Randomness as an argument: uids, name suffixes and probabilities come from one source that can be seeded.

use std::{
    hash::{BuildHasher, Hasher, RandomState},
    sync::{Mutex, PoisonError},
};

/// The alphabet of generated names: no vowels and no look-alikes, so that no words come out.
const SUFFIX: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// A source of randomness.
pub(crate) struct Entropy(Mutex<fastrand::Rng>);

impl Entropy {
    pub(crate) fn system() -> Self {
        // Seeded by the operating system: servers that share a store and start together must not draw the same uids.
        let seed = RandomState::new().build_hasher().finish();
        Entropy(Mutex::new(fastrand::Rng::with_seed(seed)))
    }

    pub(crate) fn seeded(seed: u64) -> Self {
        Entropy(Mutex::new(fastrand::Rng::with_seed(seed)))
    }

    /// An independent source that continues as this one would.
    pub(crate) fn fork(&self) -> Self {
        Entropy(Mutex::new(self.with(|rng| rng.clone())))
    }

    fn with<T>(&self, draw: impl FnOnce(&mut fastrand::Rng) -> T) -> T {
        // A panic elsewhere cannot leave a random generator half changed.
        draw(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A random (version 4) uid.
    pub(crate) fn uid(&self) -> String {
        let bits = self.with(|rng| rng.u128(..));
        let bits = bits & !(0xf << 76) | 4 << 76;
        let bits = bits & !(0x3 << 62) | 2 << 62;
        let mut uid = String::with_capacity(36);
        // Eight digits, three times four, twelve.
        for (at, shift) in (0..128).step_by(4).rev().enumerate() {
            if matches!(at, 8 | 12 | 16 | 20) {
                uid.push('-');
            }
            uid.extend(char::from_digit((bits >> shift & 0xf) as u32, 16));
        }
        uid
    }

    /// The five characters that make a generated name unique.
    pub(crate) fn suffix(&self) -> String {
        self.with(|rng| (0..5).filter_map(|_| rng.choice(SUFFIX)).copied().map(char::from).collect())
    }

    /// A number below a limit; 0 if there is none.
    pub(crate) fn below(&self, limit: u64) -> u64 {
        if limit == 0 { 0 } else { self.with(|rng| rng.u64(..limit)) }
    }

    /// Between 0 and 1.
    pub(crate) fn fraction(&self) -> f64 {
        self.with(fastrand::Rng::f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uids_are_random_and_well_formed() {
        let uid = Entropy::system().uid();
        let lengths: Vec<usize> = uid.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12]);
        assert!(uid[14..].starts_with('4') && "89ab".contains(&uid[19..20]), "{uid}");
    }

    #[test]
    fn a_seed_fixes_everything() {
        let draw = |source: Entropy| (source.uid(), source.suffix());
        assert_eq!(draw(Entropy::seeded(7)), draw(Entropy::seeded(7)));
        assert_ne!(draw(Entropy::seeded(7)), draw(Entropy::seeded(8)));
        assert_eq!(Entropy::seeded(7).suffix().len(), 5);
    }
}
