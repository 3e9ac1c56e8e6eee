//! Ranges of sizes and of costs, whose arithmetic does not overflow.

/// The least and the most that a size or a cost can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeEstimate {
    /// The least.
    pub min: u64,
    /// The most.
    pub max: u64,
}

impl SizeEstimate {
    /// What a size is that nothing is known about.
    pub(super) const UNKNOWN: SizeEstimate = SizeEstimate { min: 0, max: u64::MAX };
    pub(super) const ZERO: SizeEstimate = SizeEstimate { min: 0, max: 0 };
    pub(super) const ONE: SizeEstimate = SizeEstimate { min: 1, max: 1 };
    /// What every other range extends.
    pub(super) const NONE: SizeEstimate = SizeEstimate { min: u64::MAX, max: 0 };

    pub(super) fn fixed(size: u64) -> SizeEstimate {
        SizeEstimate { min: size, max: size }
    }

    pub(super) fn add(self, other: SizeEstimate) -> SizeEstimate {
        SizeEstimate { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    pub(super) fn multiply(self, other: SizeEstimate) -> SizeEstimate {
        SizeEstimate { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    /// A part for each unit, rounded up.
    pub(super) fn times(self, factor: f64) -> SizeEstimate {
        SizeEstimate { min: scaled(self.min, factor), max: scaled(self.max, factor) }
    }

    pub(super) fn union(self, other: SizeEstimate) -> SizeEstimate {
        SizeEstimate { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// Casts of floats that are too large give the largest number.
fn scaled(size: u64, factor: f64) -> u64 {
    (size as f64 * factor).ceil() as u64
}
