//! What a scalar means: the type and value that YAML 1.1, as Go's yaml.v2 reads it, gives to a text.
//!
//! Plain scalars are resolved by their text, tagged ones by their tag. Quoting is the caller's business:
//! a quoted scalar without a tag is a string and never comes here.

use kubemerge_value::part::text_of;

use super::timestamp;

/// The meaning of a plain scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Resolved {
    Null,
    Bool(bool),
    Int(i64),
    /// An integer that only fits an unsigned 64-bit number.
    UInt(u64),
    Float(f64),
    /// A date or time: read as a string, but worth quoting when written.
    Timestamp,
    /// The merge key `<<`; a string anywhere but in key position.
    Merge,
    String,
}

impl Resolved {
    /// The name of the type as it appears in a tag.
    pub(crate) fn tag_name(self) -> &'static str {
        match self {
            Resolved::Null => "null",
            Resolved::Bool(_) => "bool",
            Resolved::Int(_) | Resolved::UInt(_) => "int",
            Resolved::Float(_) => "float",
            Resolved::Timestamp => "timestamp",
            Resolved::Merge => "merge",
            Resolved::String => "str",
        }
    }
}

/// Resolves a plain scalar without a tag.
pub(crate) fn resolve(text: &str) -> Resolved {
    // The first character decides which forms are possible, as in yaml.v2's table.
    let Some(&first) = text.as_bytes().first() else { return Resolved::Null };
    match first {
        b'+' | b'-' | b'0'..=b'9' => resolve_number(text, Dates::Recognised),
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => resolve_word(text),
        b'.' => resolve_word_or_fraction(text),
        b'<' if text == "<<" => Resolved::Merge,
        _ => Resolved::String,
    }
}

/// The tags that change how a scalar is read; all others make it a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScalarTag {
    Bool,
    Int,
    Float,
    Null,
    Timestamp,
    Binary,
    Merge,
    /// `!!str`, `!`, or any tag YAML 1.1 does not define.
    String,
}

impl ScalarTag {
    /// Recognises a tag by its full name, such as `tag:yaml.org,2002:int`.
    pub(crate) fn from_name(name: &str) -> ScalarTag {
        match name.strip_prefix("tag:yaml.org,2002:") {
            Some("bool") => ScalarTag::Bool,
            Some("int") => ScalarTag::Int,
            Some("float") => ScalarTag::Float,
            Some("null") => ScalarTag::Null,
            Some("timestamp") => ScalarTag::Timestamp,
            Some("binary") => ScalarTag::Binary,
            Some("merge") => ScalarTag::Merge,
            _ => ScalarTag::String,
        }
    }

    fn name(self) -> &'static str {
        match self {
            ScalarTag::Bool => "bool",
            ScalarTag::Int => "int",
            ScalarTag::Float => "float",
            ScalarTag::Null => "null",
            ScalarTag::Timestamp => "timestamp",
            ScalarTag::Binary => "binary",
            ScalarTag::Merge => "merge",
            ScalarTag::String => "str",
        }
    }
}

/// Resolves a scalar by its tag; the error is the reason why text and tag do not fit.
pub(crate) fn resolve_tagged(tag: ScalarTag, text: &str) -> Result<Resolved, String> {
    let dates = if tag == ScalarTag::Timestamp { Dates::Recognised } else { Dates::Ignored };
    let found = match (tag, text.as_bytes().first()) {
        (ScalarTag::String | ScalarTag::Binary | ScalarTag::Merge, _) => return Ok(Resolved::String),
        (_, Some(b'+' | b'-' | b'0'..=b'9')) => resolve_number(text, dates),
        _ => resolve(text),
    };
    match (tag, found) {
        // The only conversion that yaml.v2 makes for a tag.
        (ScalarTag::Float, Resolved::Int(value)) => Ok(Resolved::Float(value as f64)),
        (tag, found) if tag.name() == found.tag_name() => Ok(found),
        (tag, found) => Err(format!("cannot decode !!{} `{text}` as a !!{}", found.tag_name(), tag.name())),
    }
}

fn resolve_word(text: &str) -> Resolved {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Resolved::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Resolved::Bool(false)
        }
        "~" | "null" | "Null" | "NULL" => Resolved::Null,
        _ => Resolved::String,
    }
}

fn resolve_word_or_fraction(text: &str) -> Resolved {
    match text {
        ".nan" | ".NaN" | ".NAN" => Resolved::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" => Resolved::Float(f64::INFINITY),
        _ => parse_float(text).map_or(Resolved::String, Resolved::Float),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Dates {
    Recognised,
    Ignored,
}

fn resolve_number(text: &str, dates: Dates) -> Resolved {
    match text {
        "+.inf" | "+.Inf" | "+.INF" => return Resolved::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Resolved::Float(f64::NEG_INFINITY),
        _ => {}
    }
    // Before numbers: 2001-01-01 begins with one.
    if dates == Dates::Recognised && timestamp::is_timestamp(text) {
        return Resolved::Timestamp;
    }
    if text.contains('_') { resolve_digits(&text.replace('_', "")) } else { resolve_digits(text) }
}

fn resolve_digits(text: &str) -> Resolved {
    parse_integer(text)
        .or_else(|| parse_float(text).map(Resolved::Float))
        .or_else(|| parse_signed_binary(text))
        .unwrap_or(Resolved::String)
}

/// Integers with an optional sign and the prefixes `0x`, `0o`, `0b` or a bare `0` for octal.
fn parse_integer(text: &str) -> Option<Resolved> {
    let (negative, signed, digits) = match text.as_bytes().first()? {
        b'-' => (true, true, text.get(1..)?),
        b'+' => (false, true, text.get(1..)?),
        _ => (false, false, text),
    };
    let (radix, digits) = split_radix(digits);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let magnitude = u64::from_str_radix(digits, radix).ok()?;
    match (i64::try_from(magnitude), negative) {
        (Ok(value), false) => Some(Resolved::Int(value)),
        (_, true) => 0i64.checked_sub_unsigned(magnitude).map(Resolved::Int),
        // Upstream: Go parses a plus sign as int64 only; it becomes a float then.
        (Err(_), false) if signed => None,
        (Err(_), false) => Some(Resolved::UInt(magnitude)),
    }
}

fn split_radix(digits: &str) -> (u32, &str) {
    let (radix, prefix) = match digits.as_bytes() {
        [b'0', b'x' | b'X', _, ..] => (16, 2),
        [b'0', b'o' | b'O', _, ..] => (8, 2),
        [b'0', b'b' | b'B', _, ..] => (2, 2),
        // YAML 1.1: 010 is eight.
        [b'0', _, ..] => (8, 1),
        _ => (10, 0),
    };
    (radix, text_of(digits, prefix..))
}

// Upstream: a second sign after `0b` is accepted; pinned by the case `0b-1`.
fn parse_signed_binary(text: &str) -> Option<Resolved> {
    let digits = text.strip_prefix("0b")?;
    let bits = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    if bits.is_empty() || !bits.bytes().all(|bit| matches!(bit, b'0' | b'1')) {
        return None;
    }
    i64::from_str_radix(digits, 2).ok().map(Resolved::Int)
}

/// Decimal floats; one too large for a 64-bit float is no float at all.
fn parse_float(text: &str) -> Option<f64> {
    let value: f64 = if is_decimal(text) { text.parse().ok()? } else { return None };
    // Out of range is a string, as for Go's ParseFloat with an error.
    value.is_finite().then_some(value)
}

/// `[-+]? ( . digits | digits [. digits?] ) [ (e|E) [-+]? digits ]`
fn is_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, rest) = split_digits(unsigned);
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => split_digits(rest),
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return false;
    }
    match rest.strip_prefix(['e', 'E']) {
        Some(exponent) => {
            let (digits, rest) = split_digits(exponent.strip_prefix(['-', '+']).unwrap_or(exponent));
            !digits.is_empty() && rest.is_empty()
        }
        None => rest.is_empty(),
    }
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}
