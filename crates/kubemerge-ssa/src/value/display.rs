//! Values as Go prints them in messages: `%q` strings, `%v` floats.

use std::fmt::{self, Display, Formatter, Write};

use kubemerge_value::write::go_quoted;

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
    // `{:e}` always writes an exponent, and that of a float64 has three digits at most.
    let exponent: i32 = exponent.parse().unwrap_or_default();
    // Go switches to exponents outside these bounds.
    if (-4..6).contains(&exponent) {
        return write!(out, "{float}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    write!(out, "{digits}e{sign}{:02}", exponent.abs())
}
