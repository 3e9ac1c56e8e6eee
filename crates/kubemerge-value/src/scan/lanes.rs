//! Blocks of 64 bytes as bit masks, one bit per byte.

use crate::part::part_of;

/// What is looked at in one step.
pub(crate) type Block = [u8; 64];

/// Whether the byte is plain text of a string, for every writer.
pub(super) fn is_plain_ascii(byte: u8) -> bool {
    !matches!(byte, 0..=0x1f | b'"' | b'\\' | b'<' | b'>' | b'&' | 0x80..)
}

/// A way to compare all bytes of a block at once. Bit `n` of an answer is about byte `n`.
pub(crate) trait Lanes: Copy {
    /// A block in registers.
    type Register: Copy;

    fn load(self, block: &Block) -> Self::Register;

    /// The bytes that are `byte`.
    fn equal(self, register: Self::Register, byte: u8) -> u64;

    /// The bytes that are `byte` or less.
    fn at_most(self, register: Self::Register, byte: u8) -> u64;

    /// Sets the bit 0x20 of every byte: opening brackets become `{`, closing ones `}`.
    fn fold_brackets(self, register: Self::Register) -> Self::Register;

    /// Bit `n` of the answer says whether the number of bits from 0 to `n` is odd.
    #[inline(always)]
    fn prefix_xor(self, bits: u64) -> u64 {
        [1, 2, 4, 8, 16, 32].into_iter().fold(bits, |sum, shift| sum ^ (sum << shift))
    }
}

/// A scan over blocks. `run` should be inlined always, so that it is compiled for the lanes it gets.
pub(crate) trait BlockScan {
    type Output;

    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// The block that starts at `at`, filled up with spaces where the text ends; `space` is room for that.
#[inline(always)]
pub(crate) fn block_at<'b>(bytes: &'b [u8], at: usize, space: &'b mut Block) -> &'b Block {
    let rest = part_of(bytes, at..);
    if let Some(block) = rest.first_chunk() {
        return block;
    }
    // The end of the text is copied into a block of spaces, so that no read goes beyond it.
    for (to, byte) in space.iter_mut().zip(rest) {
        *to = *byte;
    }
    space
}

/// An empty block.
pub(crate) const SPACE: Block = [b' '; 64];

/// The positions of the bits that are set, lowest first.
#[inline(always)]
pub(crate) fn positions(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if bits == 0 {
            return None;
        }
        let position = bits.trailing_zeros() as usize;
        // Clears the lowest bit.
        bits &= bits - 1;
        Some(position)
    })
}

/// Text without meaning, rich in what scans look for.
#[cfg(test)]
pub(crate) fn texts() -> impl proptest::strategy::Strategy<Value = Vec<u8>> {
    use proptest::prelude::*;
    prop::collection::vec(
        prop_oneof![
            3 => prop::sample::select(br#"[]{}[]{}""\\"#.to_vec()),
            2 => any::<u8>(),
        ],
        0..400,
    )
}
