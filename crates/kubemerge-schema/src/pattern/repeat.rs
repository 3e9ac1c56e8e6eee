//! How often a part of an expression is repeated.

use super::error::PatternError;

/// The largest count of a repetition, and of repetitions inside of each other.
pub(super) const MAX_REPEAT: u32 = 1000;

/// `*` or `{2,3}`.
#[derive(Clone, Copy)]
pub(super) struct Counts {
    /// None where a number has too many digits.
    min: Option<u32>,
    max: Max,
}

#[derive(Clone, Copy)]
enum Max {
    Count(u32),
    Unlimited,
}

impl Counts {
    /// Signs do not count as repetitions where those are multiplied.
    pub(super) fn of_sign(sign: char) -> Counts {
        let max = if sign == '?' { Max::Count(1) } else { Max::Unlimited };
        Counts { min: Some(u32::from(sign == '+')), max }
    }

    /// `{2}`, `{2,}` or `{2,3}`, and what follows; anything else in braces is text.
    pub(super) fn read(text: &str) -> Option<(Counts, &str)> {
        let (min, rest) = number(text.strip_prefix('{')?)?;
        let (min, max, rest) = match rest.strip_prefix(',') {
            None => (min, min.map(Max::Count), rest),
            Some(rest) if rest.starts_with('}') => (min, Some(Max::Unlimited), rest),
            Some(rest) => {
                let (max, rest) = number(rest)?;
                (max.and(min), max.map(Max::Count), rest)
            }
        };
        let max = max.unwrap_or(Max::Unlimited);
        Some((Counts { min, max }, rest.strip_prefix('}')?))
    }

    pub(super) fn check(self, text: &str) -> Result<(), PatternError> {
        let is_valid = match (self.min, self.max) {
            (Some(min), Max::Unlimited) => min <= MAX_REPEAT,
            (Some(min), Max::Count(max)) => min <= max && max <= MAX_REPEAT,
            (None, _) => false,
        };
        if is_valid { Ok(()) } else { Err(PatternError::new("invalid repeat count", text)) }
    }

    pub(super) fn copies_of(self, copies: u32) -> u32 {
        match self.max {
            // Nothing is left of the part.
            Max::Count(0) => 1,
            Max::Count(max) => copies.saturating_mul(max),
            Max::Unlimited => copies.saturating_mul(self.min.unwrap_or_default().max(1)),
        }
    }

    /// The size of all copies of a part.
    pub(super) fn size_of(self, part: usize) -> usize {
        let copies = match self.max {
            Max::Count(max) => max,
            Max::Unlimited => self.min.unwrap_or_default(),
        };
        part.saturating_mul(copies.max(1) as usize)
    }

    pub(super) fn is_large(self) -> bool {
        self.min >= Some(2) || matches!(self.max, Max::Count(2..))
    }
}

/// A number without leading zeros, and what follows it; None within where it has too many digits.
fn number(text: &str) -> Option<(Option<u32>, &str)> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let is_number = !digits.is_empty() && (digits == "0" || !digits.starts_with('0'));
    is_number.then(|| (digits.parse().ok().filter(|number| *number < 1_000_000_000), rest))
}
