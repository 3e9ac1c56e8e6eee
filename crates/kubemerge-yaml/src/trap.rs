//! YAML 1.1 traps: plain scalars that are read otherwise than they look.

use std::ops::Range;

use super::resolve::Resolved;

/// A scalar whose author may have meant something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// Why it is suspicious.
    pub kind: TrapKind,
    /// Whether it is a key or a value.
    pub role: Role,
    /// Its place in the text.
    pub range: Range<usize>,
    /// What it is read as, in JSON.
    pub read_as: String,
}

impl Trap {
    pub(crate) fn late_merge(range: Range<usize>) -> Trap {
        Trap { kind: TrapKind::LateMerge, role: Role::Key, range, read_as: String::new() }
    }
}

/// Whether a scalar is a key or a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The key of a map member.
    Key,
    /// A member's value, a list element or the whole document.
    Value,
}

/// The ways in which YAML 1.1 surprises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrapKind {
    /// `yes`, `no`, `on`, `off`, `y`, `n` in lower, title or upper case is a boolean.
    BoolWord,
    /// `0644` is octal: 420.
    Octal,
    /// `0888` has a leading zero, but is decimal: 888.
    LeadingZero,
    /// `0x1F`, `0o17` or `0b101` is a number in another base.
    OtherBase,
    /// `1_000` is a number: 1000.
    Underscore,
    /// `12e3` is a number: 12000.
    Exponent,
    /// `1.10` is a number and loses its last zero.
    TrailingZero,
    /// `+1` is a number and loses its sign.
    PlusSign,
    /// An integer beyond 63 bits loses digits when it is read as a float.
    HugeInteger,
    /// `<<` after other keys overrides them; elsewhere explicit keys win.
    LateMerge,
}

/// Classifies a plain scalar that has been resolved.
pub(crate) fn trap_of(text: &str, resolved: Resolved) -> Option<TrapKind> {
    match resolved {
        Resolved::Bool(_) => (!text.eq_ignore_ascii_case("true") && !text.eq_ignore_ascii_case("false"))
            .then_some(TrapKind::BoolWord),
        Resolved::UInt(_) => Some(number_trap(text).unwrap_or(TrapKind::HugeInteger)),
        // Refused as a value anyway.
        Resolved::Float(value) if !value.is_finite() => None,
        Resolved::Float(_) if is_integer_text(text) && !text.starts_with('0') => Some(TrapKind::HugeInteger),
        Resolved::Int(_) | Resolved::Float(_) => number_trap(text),
        _ => None,
    }
}

fn number_trap(text: &str) -> Option<TrapKind> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let has = |letters: [char; 2]| unsigned.contains(letters);
    match unsigned.as_bytes() {
        // The most surprising form first: one scalar can have several.
        _ if unsigned.contains('_') => Some(TrapKind::Underscore),
        [b'0', b'x' | b'X' | b'o' | b'O' | b'b' | b'B', ..] => Some(TrapKind::OtherBase),
        [b'0', b'0'..=b'9', ..] if has(['8', '9']) || has(['.', 'e']) => Some(TrapKind::LeadingZero),
        [b'0', b'0'..=b'9', ..] => Some(TrapKind::Octal),
        _ if has(['e', 'E']) => Some(TrapKind::Exponent),
        // Versions: 1.10 becomes 1.1.
        [.., b'0'] if unsigned.contains('.') => Some(TrapKind::TrailingZero),
        [.., b'.'] => Some(TrapKind::TrailingZero),
        _ if text.starts_with('+') => Some(TrapKind::PlusSign),
        _ => None,
    }
}

fn is_integer_text(text: &str) -> bool {
    text.strip_prefix(['+', '-']).unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit())
}
