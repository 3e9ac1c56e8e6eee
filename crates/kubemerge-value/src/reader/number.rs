//! Numbers: 64-bit integers and floats, as Kubernetes distinguishes them.

use super::{Expected, PullReader, TextForm};
use crate::{
    check::{SyntaxFault, literal_number_end, number_end},
    error::ParseErrorKind,
    number,
};

/// A number as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberText<'a> {
    literal: &'a str,
    int: Option<i64>,
}

impl<'a> NumberText<'a> {
    /// The text.
    #[inline]
    pub fn literal(self) -> &'a str {
        self.literal
    }

    /// The number, if it is an integer of 64 bits that was written without fraction and exponent.
    #[inline]
    pub fn int(self) -> Option<i64> {
        self.int
    }

    /// The number as a float.
    pub fn float(self) -> f64 {
        number::decode_float(self.literal.as_bytes())
    }

    /// Whether it has a fraction or an exponent, such as `7.0`, which is a whole number.
    pub fn is_written_as_float(self) -> bool {
        self.literal.contains(['.', 'e', 'E'])
    }
}

/// Numbers of up to this many digits fit 64 bits.
const MAX_PLAIN_DIGITS: usize = 18;

impl<'a> PullReader<'a> {
    /// A number.
    #[inline]
    pub fn number(&mut self) -> NumberText<'a> {
        let is_negative = self.peek() == b'-';
        let (bytes, start) = (self.text.as_bytes(), self.at + usize::from(is_negative));
        let (mut end, mut value) = (start, 0i64);
        while let Some(digit @ b'0'..=b'9') = bytes.get(end) {
            value = value.wrapping_mul(10).wrapping_add(i64::from(digit - b'0'));
            end += 1;
        }
        let is_plain = (1..=MAX_PLAIN_DIGITS).contains(&(end - start))
            && (bytes.get(start) != Some(&b'0') || (end - start == 1 && !is_negative))
            && !matches!(bytes.get(end), Some(b'.' | b'e' | b'E'));
        if !is_plain {
            return self.unusual_number();
        }
        let literal = self.text.get(self.at..end).unwrap_or_default();
        self.at = end;
        NumberText { literal, int: Some(if is_negative { -value } else { value }) }
    }

    #[inline(never)]
    fn unusual_number(&mut self) -> NumberText<'a> {
        let end = number_end(self.text.as_bytes(), self.at);
        let Some(literal) = self.number_up_to(end) else { return NumberText { literal: "0", int: Some(0) } };
        if self.form == TextForm::Canonical {
            let mut written = Vec::new();
            number::write_canonical(literal.as_bytes(), &mut written);
            if written != literal.as_bytes() {
                self.is_not_canonical();
            }
        }
        NumberText { literal, int: number::decode_int(literal.as_bytes()) }
    }

    /// The text of a number of any size, as it is written.
    pub fn number_literal(&mut self) -> &'a str {
        self.peek();
        // Not compared with the canonical form.
        self.is_not_canonical();
        let end = literal_number_end(self.text.as_bytes(), self.at);
        self.number_up_to(end).unwrap_or("0")
    }

    fn number_up_to(&mut self, end: Result<usize, SyntaxFault>) -> Option<&'a str> {
        match end {
            Ok(end) => {
                let literal = self.text.get(self.at..end)?;
                self.at = end;
                Some(literal)
            }
            Err(SyntaxFault { kind: ParseErrorKind::NumberOutOfRange, at }) => {
                self.fail_at(at, Expected::NumberInRange);
                None
            }
            Err(SyntaxFault { at, .. }) => {
                self.fail_at(at, Expected::Digit);
                None
            }
        }
    }
}
