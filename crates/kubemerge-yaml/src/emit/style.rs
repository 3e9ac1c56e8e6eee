//! Which notations a string allows, by the rules of Go's yaml.v2.

use crate::resolve::{Resolved, resolve};

/// How a string is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
}

/// Keys longer than this, or of several lines, are written after `? `.
const MAX_SIMPLE_KEY: usize = 128;

pub(super) fn fits_simple_key(key: &str) -> bool {
    key.len() <= MAX_SIMPLE_KEY && !key.contains(is_break)
}

/// The notation of a string: a block if it has lines, quotes if it would be read as something else.
pub(super) fn notation(text: &str) -> Notation {
    let traits = Traits::of(text);
    if text.contains('\n') {
        return if traits.block_allowed { Notation::Literal } else { Notation::DoubleQuoted };
    }
    if resolve(text) != Resolved::String || is_base_60(text) {
        return Notation::DoubleQuoted;
    }
    match traits {
        Traits { plain_allowed: true, .. } => Notation::Plain,
        Traits { single_quoted_allowed: true, .. } => Notation::SingleQuoted,
        _ => Notation::DoubleQuoted,
    }
}

/// `12:30:45` and the like: strings for Kubernetes, numbers for older readers.
fn is_base_60(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut parts = unsigned.split(':');
    let whole = parts.next().unwrap_or_default();
    let is_whole = whole.starts_with(|c: char| c.is_ascii_digit())
        && whole.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let mut count = 0;
    let mut rest = parts.peekable();
    while let Some(part) = rest.next() {
        count += 1;
        let (digits, fraction) = match part.split_once('.') {
            Some((digits, fraction)) if rest.peek().is_none() => (digits, fraction),
            _ => (part, ""),
        };
        let sexagesimal = match digits.as_bytes() {
            [ones] => ones.is_ascii_digit(),
            [b'0'..=b'5', ones] => ones.is_ascii_digit(),
            _ => false,
        };
        if !sexagesimal || !fraction.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
            return false;
        }
    }
    is_whole && count > 0
}

struct Traits {
    plain_allowed: bool,
    single_quoted_allowed: bool,
    block_allowed: bool,
}

impl Traits {
    fn of(text: &str) -> Traits {
        let indicators = has_indicators(text);
        let special = !text.chars().all(is_printable);
        let space_break = has_pair(text, |c| c == ' ', |c| c == '\n');
        let break_space = has_pair(text, |c| c == '\n', |c| c == ' ');
        let multiline = text.contains('\n');
        let edge_space = text.starts_with(' ') || text.ends_with(' ');
        let single_quoted_allowed = !(special || space_break || break_space);
        Traits {
            plain_allowed: single_quoted_allowed && !(indicators || multiline || edge_space),
            single_quoted_allowed,
            block_allowed: !(special || space_break || text.ends_with(' ')),
        }
    }
}

fn has_pair(text: &str, first: impl Fn(char) -> bool, second: impl Fn(char) -> bool) -> bool {
    text.chars().zip(text.chars().skip(1)).any(|(a, b)| first(a) && second(b))
}

/// Characters that would end a plain scalar within braces or brackets.
pub(super) fn has_flow_indicators(text: &str) -> bool {
    text.is_empty() || text.contains([',', '?', '[', ']', '{', '}', ':'])
}

/// Characters at the start, before white space or after it, that have a meaning in YAML.
fn has_indicators(text: &str) -> bool {
    if text.starts_with("---") || text.starts_with("...") {
        return true;
    }
    let is_blank = |c: char| c == ' ' || c == '\t';
    let mut previous = None;
    let mut rest = text.chars().peekable();
    while let Some(current) = rest.next() {
        let before_blank = rest.peek().is_none_or(|next| is_blank(*next));
        let after_blank = previous.is_none_or(|c: char| is_blank(c) || is_break(c));
        let found = match current {
            ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' => {
                previous.is_none()
            }
            '?' | '-' => previous.is_none() && before_blank,
            ':' => before_blank,
            '#' => after_blank,
            _ => false,
        };
        if found {
            return true;
        }
        previous = Some(current);
    }
    false
}

/// What YAML 1.1 takes for a line break.
fn is_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Characters that need no escape. The Unicode line breaks do, or readers would fold them.
pub(super) fn is_printable(character: char) -> bool {
    match character {
        '\n' | ' '..='~' => true,
        '\u{2028}' | '\u{2029}' | '\u{feff}' => false,
        _ => matches!(character, '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}'),
    }
}
