//! Lanes without SIMD: eight words of eight bytes. Every platform has them.

use super::lanes::{Block, Lanes};

/// Eight bytes at a time in an ordinary register.
#[derive(Clone, Copy)]
pub(crate) struct Words;

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

impl Lanes for Words {
    type Register = [u64; 8];

    #[inline(always)]
    fn load(self, block: &Block) -> [u64; 8] {
        let (words, _) = block.as_chunks();
        std::array::from_fn(|n| u64::from_le_bytes(words[n]))
    }

    #[inline(always)]
    fn equal(self, register: [u64; 8], byte: u8) -> u64 {
        gather(register, |word| {
            let difference = word ^ (LOW * u64::from(byte));
            // The high bit of a byte stays clear only if the byte is zero; nothing carries into the next one.
            !(((difference & !HIGH) + !HIGH) | difference)
        })
    }

    #[inline(always)]
    fn at_most(self, register: [u64; 8], byte: u8) -> u64 {
        debug_assert!(byte < 0x80);
        gather(register, |word| {
            let limit = LOW * u64::from(byte);
            // The high bit survives where nothing had to be borrowed from it.
            ((limit | HIGH) - (word & !HIGH)) & !word
        })
    }

    #[inline(always)]
    fn fold_brackets(self, register: [u64; 8]) -> [u64; 8] {
        register.map(|word| word | (LOW * 0x20))
    }
}

/// Collects the high bits of the tested bytes.
#[inline(always)]
fn gather(register: [u64; 8], test: impl Fn(u64) -> u64) -> u64 {
    let mut mask = 0;
    for (n, word) in register.into_iter().enumerate() {
        let bits = (test(word) & HIGH) >> 7;
        // The product moves the lowest bit of each byte into the highest byte.
        mask |= (bits.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * n);
    }
    mask
}
