//! Numbers as Kubernetes decodes and writes them.
//!
//! A literal without fraction and exponent that fits 64 signed bits is an integer; every other one is a
//! 64-bit float. Floats are written as Go's encoder writes them.

use crate::part::part_of;

/// A decoded number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i64),
    Float(f64),
}

/// Decodes a valid JSON number literal.
pub(crate) fn decode(literal: &[u8]) -> Number {
    match decode_int(literal) {
        Some(int) => Number::Int(int),
        None => Number::Float(decode_float(literal)),
    }
}

/// Whether the literal is an integer of 64 bits.
#[inline]
pub(crate) fn is_int(literal: &[u8]) -> bool {
    // Up to 18 digits always fit.
    if literal.len() <= 18 {
        return literal.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
    }
    decode_int(literal).is_some()
}

pub(crate) fn decode_int(literal: &[u8]) -> Option<i64> {
    let (negative, digits) = match literal.split_first() {
        Some((b'-', digits)) => (true, digits),
        _ => (false, literal),
    };
    let mut value: i64 = 0;
    for byte in digits {
        let digit = i64::from(byte.checked_sub(b'0').filter(|digit| *digit < 10)?);
        value = value.checked_mul(10)?;
        // Negative numbers count down, or i64::MIN would not fit.
        value = if negative { value.checked_sub(digit)? } else { value.checked_add(digit)? };
    }
    Some(value)
}

/// The float of a literal; infinite if it is out of range.
pub(crate) fn decode_float(literal: &[u8]) -> f64 {
    std::str::from_utf8(literal).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
}

/// Writes a number literal in the form of Go's encoder.
pub fn write_canonical(literal: &[u8], out: &mut Vec<u8>) {
    match decode(literal) {
        // -0 is an integer too, and canonical text has one spelling for zero.
        Number::Int(0) => out.push(b'0'),
        Number::Int(_) => out.extend_from_slice(literal),
        Number::Float(float) => write_float(float, out),
    }
}

/// Writes a float: shortest digits, an exponent only below 1e-6 and from 1e21 on.
///
/// Go writes a negative zero as `-0`, which reads as the integer 0; here it is `0`, so that canonical text
/// has one spelling for one value.
pub fn write_float(float: f64, out: &mut Vec<u8>) {
    if float == 0.0 {
        out.push(b'0');
        return;
    }
    let magnitude = float.abs();
    // Go's encoder switches to exponents at these bounds, as ES6 does.
    let text = if (1e-6..1e21).contains(&magnitude) {
        format!("{float}")
    } else {
        let text = format!("{float:e}");
        if magnitude >= 1e21 { text.replace('e', "e+") } else { text }
    };
    out.extend_from_slice(text.as_bytes());
}

/// Appends the digits of an integer.
#[inline]
pub fn write_int(int: i64, out: &mut Vec<u8>) {
    // As many as 64 bits can have.
    let mut digits = [0; 20];
    let (mut count, mut rest) = (0, int.unsigned_abs());
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        (count, rest) = (count + 1, rest / 10);
        if rest == 0 {
            break;
        }
    }
    if int < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(part_of(&digits, digits.len() - count..));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(literal: &str, number: Number, canonical: &str) {
        assert_eq!(decode(literal.as_bytes()), number);
        assert_eq!(is_int(literal.as_bytes()), matches!(number, Number::Int(_)));
        let mut out = Vec::new();
        write_canonical(literal.as_bytes(), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), canonical);
    }

    #[test]
    fn literals_decode_and_print_as_in_go() {
        check("0", Number::Int(0), "0");
        check("-0", Number::Int(0), "0");
        check("80", Number::Int(80), "80");
        check("-12", Number::Int(-12), "-12");
        check("9223372036854775807", Number::Int(i64::MAX), "9223372036854775807");
        check("-9223372036854775808", Number::Int(i64::MIN), "-9223372036854775808");
        check("9223372036854775808", Number::Float(9_223_372_036_854_775_808.0), "9223372036854776000");
        check("12345678901234567890", Number::Float(12_345_678_901_234_567_890.0), "12345678901234567000");
        check("80.0", Number::Float(80.0), "80");
        check("1e3", Number::Float(1000.0), "1000");
        check("1e21", Number::Float(1e21), "1e+21");
        check("1.5e-7", Number::Float(1.5e-7), "1.5e-7");
        check("0.000001", Number::Float(0.000_001), "0.000001");
        check("-0.0", Number::Float(-0.0), "0");
        check("2.5", Number::Float(2.5), "2.5");
        check("1e20", Number::Float(1e20), "100000000000000000000");
    }
}
