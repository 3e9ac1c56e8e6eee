//! The beginning of an element as a number, so that most elements are compared without a look at their texts.
//!
//! Of two elements with different numbers the one with the smaller number comes first. Elements with one number are
//! equal if the number is complete, and have to be compared if it is not.
//!
//! Two bits are for the type of the element, 58 for the beginning of its content, and four say how much content that
//! is: less than [`MORE`] if it is all.

use super::{Element, KeyField};
use crate::value::ParsedValue;

/// There is more content than the number has.
const MORE: u64 = 8;

/// Whether elements with this number are equal.
#[inline]
pub(super) const fn is_complete(prefix: u64) -> bool {
    prefix & 15 < MORE
}

/// The number of an element.
#[inline]
pub(super) const fn order_prefix(element: &Element<'_>) -> u64 {
    match *element {
        Element::Name(name) => name_prefix(name),
        Element::Key(fields) => key_prefix(fields),
        Element::Value(ref value) => value_prefix(value),
        Element::Index(index) => index_prefix(index),
    }
}

/// Seven bytes, and how many they are: a name that is the beginning of another one comes first.
#[inline]
pub(super) const fn name_prefix(name: &str) -> u64 {
    let len = if name.len() > 7 { MORE } else { name.len() as u64 };
    first_bytes(name.as_bytes()) >> 8 << 6 | len
}

/// The first field of a key: its name, a zero as its end, and as much of its value as there is room for.
pub(super) const fn key_prefix(fields: &[KeyField<'_>]) -> u64 {
    1 << 62 | key_start(fields) >> 6 << 4 | MORE
}

#[inline]
pub(super) const fn value_prefix(value: &ParsedValue<'_>) -> u64 {
    let len = match *value {
        ParsedValue::String(text) if text.len() <= 6 => text.len() as u64,
        ParsedValue::Bool(_) | ParsedValue::Null => 0,
        ParsedValue::Int(int) if is_complete_number(int as f64) => 0,
        ParsedValue::Float(float) if is_complete_number(float) => 0,
        _ => MORE,
    };
    2 << 62 | value_start(value) >> 6 << 4 | len
}

/// Whether the bits of a number for which there is no room are zeros, so that it is the first one with its beginning.
#[inline]
const fn is_complete_number(float: f64) -> bool {
    // Beyond this, integers are not equal although their floats are.
    const MAX_EXACT: f64 = 9_007_199_254_740_992.0;
    float >= 0.0 && float < MAX_EXACT && number_start(float).trailing_zeros() >= 9
}

/// Negative numbers first, which are not distinguished; so are those that are too large.
#[inline]
pub(super) const fn index_prefix(index: i64) -> u64 {
    const MAX: i64 = (1 << 58) - 1;
    let (content, len) = match index {
        ..0 => (0, MORE),
        0..MAX => (index as u64 + 1, 0),
        MAX.. => (MAX as u64, MORE),
    };
    3 << 62 | content << 4 | len
}

/// The first eight bytes, with zeros after the end. Words of four bytes may overlap: then they agree.
#[inline]
const fn first_bytes(bytes: &[u8]) -> u64 {
    if let Some(first) = bytes.first_chunk::<8>() {
        return u64::from_be_bytes(*first);
    }
    let space = 64 - 8 * bytes.len() as u32;
    match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            (u32::from_be_bytes(*first) as u64) << 32 | (u32::from_be_bytes(*last) as u64) << space
        }
        _ => match *bytes {
            [] => 0,
            [one] => (one as u64) << 56,
            [one, two] => (one as u64) << 56 | (two as u64) << 48,
            [one, two, three, ..] => (one as u64) << 56 | (two as u64) << 48 | (three as u64) << 40,
        },
    }
}

const fn key_start(fields: &[KeyField<'_>]) -> u64 {
    let Some(field) = fields.first() else { return 0 };
    let name = field.name.as_bytes();
    let first = first_bytes(name);
    if has_low_byte(first, name.len()) {
        return up_to_low_byte(name);
    }
    // Without room for the end of the name, the value is not looked at.
    if name.len() >= 7 { first } else { first | value_start(&field.value) >> (8 * name.len() + 8) }
}

/// Whether one of the first bytes of a name is a zero or a one. A zero would look like the end of the name.
const fn has_low_byte(first_bytes: u64, len: usize) -> bool {
    const LOW: u64 = u64::MAX / 255;
    let after_name = if len >= 8 { 0 } else { u64::MAX >> (8 * len) };
    let bytes = first_bytes & !LOW | after_name;
    bytes.wrapping_sub(LOW) & !bytes & LOW << 7 != 0
}

/// The beginning of a name up to its first zero or one, which both count as one.
#[cold]
const fn up_to_low_byte(mut name: &[u8]) -> u64 {
    let (mut prefix, mut shift) = (0, 64);
    while let [byte, rest @ ..] = name
        && shift > 0
    {
        shift -= 8;
        if *byte <= 1 {
            return prefix | 1 << shift;
        }
        prefix |= (*byte as u64) << shift;
        name = rest;
    }
    prefix
}

/// Three bits for the kind of a value, the others for its beginning.
#[inline]
const fn value_start(value: &ParsedValue<'_>) -> u64 {
    let content = match *value {
        ParsedValue::Int(int) => number_start(int as f64),
        ParsedValue::Float(float) => number_start(float),
        ParsedValue::String(text) => first_bytes(text.as_bytes()),
        ParsedValue::Bool(bool) => (bool as u64) << 63,
        ParsedValue::List(_) | ParsedValue::Map(_) | ParsedValue::Null => 0,
    };
    (value.rank() as u64) << 61 | content >> 3
}

/// The bits of a float, changed so that they are in the order of numbers.
#[inline]
const fn number_start(float: f64) -> u64 {
    // 0 and -0 are equal.
    let bits = if float == 0.0 { 0 } else { float.to_bits() };
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use kubemerge_value::tree::Value;

    use super::*;
    use crate::value::Items;

    const TEXTS: [&str; 14] = [
        "",
        "\0",
        "a",
        "a\0",
        "a\u{1}",
        "name",
        "name\0",
        "name\u{1}x",
        "name\0z",
        "é",
        "abcdef",
        "abcdefg",
        "abcdefg\0",
        "abcdefgh",
    ];

    fn text(rng: &mut Rng) -> &'static str {
        TEXTS[rng.usize(..TEXTS.len())]
    }

    fn value(rng: &mut Rng) -> ParsedValue<'static> {
        const NUMBERS: [f64; 10] =
            [0.0, -0.0, 1.0, 1.5, -1.0, 1e30, -1e-30, 9_007_199_254_740_992.0, 443.0, 80.0];
        match rng.u8(..8) {
            0 => ParsedValue::Null,
            1 => ParsedValue::Bool(rng.bool()),
            2 => ParsedValue::Int([0, 1, -1, i64::MAX, i64::MIN, (1 << 53) + 1, 443][rng.usize(..7)]),
            3 => ParsedValue::Float(NUMBERS[rng.usize(..10)]),
            4 => ParsedValue::List(Items::of([&[][..], &[Value::Null]][rng.usize(..2)])),
            5 => ParsedValue::EMPTY_MAP,
            _ => ParsedValue::String(text(rng)),
        }
    }

    fn element(rng: &mut Rng) -> Element<'static> {
        match rng.u8(..4) {
            0 => Element::Name(text(rng)),
            1 => {
                let field = |_| KeyField { name: text(rng), value: value(rng) };
                let mut fields: Vec<_> = (0..2).map(field).collect();
                fields.sort_by(|one, two| one.name.cmp(two.name));
                fields.truncate(rng.usize(..3));
                Element::Key(fields.leak())
            }
            2 => Element::Value(value(rng)),
            _ => Element::Index([0, 1, -1, -2, i64::MAX, i64::MIN, 1 << 58, 1 << 57][rng.usize(..8)]),
        }
    }

    /// The law of this file.
    #[test]
    fn numbers_are_in_the_order_of_elements() {
        let mut rng = Rng::with_seed(1);
        let (mut decided, mut complete) = (0, 0);
        for _ in 0..200_000 {
            let (one, two) = (element(&mut rng), element(&mut rng));
            let (first, second) = (order_prefix(&one), order_prefix(&two));
            if first != second {
                assert_eq!(first.cmp(&second), one.order(two), "{one:?} and {two:?}");
                decided += 1;
            } else if is_complete(first) {
                assert_eq!(one, two);
                complete += 1;
            }
        }
        assert!(decided > 100_000 && complete > 1_000, "{decided} decided, {complete} complete");
    }
}
