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
            hidden if !is_printable(hidden) => {
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

/// Whether Go counts a character as printable: no control, format, private and unassigned ones, and no space but the
/// ASCII one.
pub fn is_printable(character: char) -> bool {
    match character {
        ' '..='~' => true,
        other => {
            // Debug output of the standard library escapes just those; marks that combine with the character before them
            // are escaped only without one.
            let text = format!("a{other}");
            text.escape_debug().eq(text.chars())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{go_quoted, is_printable};

    #[test]
    fn texts_are_escaped_as_go_does() {
        assert_eq!(go_quoted("a\"b\\\n\u{1}\u{7f}"), r#""a\"b\\\n\x01\x7f""#);
        assert_eq!(go_quoted("é \u{a0}\u{200b}\u{f0000}"), "\"é \\u00a0\\u200b\\U000f0000\"");
    }

    #[test]
    fn characters_are_printable_as_in_go() {
        for character in ['a', ' ', '"', '\'', '\\', 'ä', '語', '\u{301}', '😀', '\u{fffd}'] {
            assert!(is_printable(character), "{character:?}");
        }
        let others = [
            '\0', '\n', '\u{1}', '\u{7f}', '\u{a0}', '\u{ad}', '\u{200b}', '\u{2028}', '\u{e000}', '\u{378}',
        ];
        for character in others {
            assert!(!is_printable(character), "{character:?}");
        }
    }
}
