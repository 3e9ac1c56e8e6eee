//! Strings in quotes as Go prints them in messages; JSON escapes other characters.

use std::fmt::Write;

/// A string in quotes, escaped as Go's `%q` does it: many messages of Kubernetes have texts in this form.
pub fn go_quoted(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::go_quoted;

    #[test]
    fn texts_are_escaped_as_go_does() {
        assert_eq!(go_quoted("a\"b\\\n\u{1}\u{7f}"), r#""a\"b\\\n\x01\x7f""#);
        assert_eq!(go_quoted("é \u{a0}\u{200b}\u{f0000}"), "\"é \\u00a0\\u200b\\U000f0000\"");
    }
}
