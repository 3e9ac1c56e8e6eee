//! Values as Go prints them in messages: `%q` strings, `%v` floats.

use std::fmt::{self, Display, Formatter, Write};

use super::ParsedValue;

impl Display for ParsedValue<'_> {
    /// The text inside a path, e.g. `"name"` or `80`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            ParsedValue::Null => f.write_str("null"),
            ParsedValue::Bool(value) => write!(f, "{value}"),
            ParsedValue::Int(value) => write!(f, "{value}"),
            ParsedValue::Float(value) => write_float_v(value, f),
            ParsedValue::String(text) => f.write_str(&go_quoted(text)),
            ParsedValue::List(items) => {
                f.write_char('[')?;
                for (place, item) in items.iter().enumerate() {
                    if place > 0 {
                        f.write_char(',')?;
                    }
                    write!(f, "{item}")?;
                }
                f.write_char(']')
            }
            // Upstream prints no separator between the members.
            ParsedValue::Map(members) => {
                members.iter().try_for_each(|member| write!(f, "{}={}", member.name, member.value))
            }
        }
    }
}

/// Go's `%v` of a float: an exponent below 1e-4 and from 1e6 on.
pub(crate) fn write_float_v(float: f64, out: &mut impl Write) -> fmt::Result {
    if float == 0.0 {
        return out.write_str(if float.is_sign_negative() { "-0" } else { "0" });
    }
    let text = format!("{float:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    // Go switches to exponents outside these bounds.
    if (-4..6).contains(&exponent) {
        return write!(out, "{float}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    write!(out, "{digits}e{sign}{:02}", exponent.abs())
}

/// Go's `%q` of a string.
pub(crate) fn go_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            control if (control as u32) < 0x20 || control == '\u{7f}' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\x{:02x}", control as u32);
            }
            hidden if is_hidden(hidden) => {
                let _ = match hidden as u32 {
                    code @ ..0x1_0000 => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// Characters beyond ASCII that Go does not print as they are, as far as they occur in practice:
/// control and format characters, spaces other than U+0020, private use.
fn is_hidden(character: char) -> bool {
    matches!(character,
        '\u{80}'..='\u{a0}' | '\u{ad}' | '\u{1680}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}'
        | '\u{205f}'..='\u{206f}' | '\u{3000}' | '\u{e000}'..='\u{f8ff}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
        | '\u{fffe}'..='\u{ffff}' | '\u{f0000}'..)
}
