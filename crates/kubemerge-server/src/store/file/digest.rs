//! Checksums of entries and a digest over all of them, so that damage to a file is noticed when it is opened.
//!
//! redb checks the sums of its pages only after an unclean end, and does not know how many entries there should be.

use super::log::Revisions;
use crate::store::Revision;

/// An odd number with well mixed bits: the fraction of the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The bytes that a checksum takes at the end of an entry.
const CHECKSUM_BYTES: usize = size_of::<u64>();

/// The checksum of an entry at a revision. Every step can be reversed, so that a change within one word of eight bytes
/// always gives another checksum; larger changes give the same one with a chance of 1 in 2^64.
fn checksum(revision: Revision, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<CHECKSUM_BYTES>();
    let mut last = [0; CHECKSUM_BYTES];
    last.iter_mut().zip(rest).for_each(|(place, byte)| *place = *byte);
    let hash = words
        .iter()
        .fold(mix(revision, bytes.len() as u64), |hash, word| mix(hash, u64::from_le_bytes(*word)));
    mix(hash, u64::from_le_bytes(last))
}

fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash ^ word).wrapping_mul(FACTOR);
    mixed ^ mixed >> 32
}

/// Appends the checksum to an entry.
pub(super) fn seal_entry(revision: Revision, entry: &mut Vec<u8>) -> u64 {
    let sum = checksum(revision, entry);
    entry.extend_from_slice(&sum.to_le_bytes());
    sum
}

/// The bytes before the checksum and the checksum; none if it is not theirs.
pub(super) fn open_entry(revision: Revision, sealed: &[u8]) -> Option<(&[u8], u64)> {
    let (entry, sum) = sealed.split_last_chunk()?;
    let sum = u64::from_le_bytes(*sum);
    (checksum(revision, entry) == sum).then_some((entry, sum))
}

/// The sum of the checksums of all entries: entries come and go without reading the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Digest {
    sum: u64,
    entries: u64,
}

impl Digest {
    pub(super) fn add(&mut self, checksum: u64) {
        self.sum = self.sum.wrapping_add(checksum);
        self.entries = self.entries.wrapping_add(1);
    }

    pub(super) fn remove(&mut self, checksum: u64) {
        self.sum = self.sum.wrapping_sub(checksum);
        self.entries = self.entries.wrapping_sub(1);
    }

    /// One number for all entries and the revisions beside them.
    pub(super) fn number(self, revisions: Revisions) -> u64 {
        [self.entries, revisions.newest, revisions.oldest].into_iter().fold(self.sum, mix)
    }
}
