//! Texts as Go prints them.

use std::fmt::Write;

/// A text as Go's `%q` prints it.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for char in text.chars() {
        push_escaped(char, &mut out);
    }
    out.push('"');
    out
}

fn push_escaped(char: char, out: &mut String) {
    match char {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{7}' => out.push_str("\\a"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{b}' => out.push_str("\\v"),
        ' '..='~' => out.push(char),
        '\0'..='\u{1f}' | '\u{7f}' => {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\x{:02x}", char as u32);
        }
        _ if char.is_alphanumeric() || !is_unprintable(char) => out.push(char),
        _ if (char as u32) < 0x10000 => {
            let _ = write!(out, "\\u{:04x}", char as u32);
        }
        _ => {
            let _ = write!(out, "\\U{:08x}", char as u32);
        }
    }
}

/// Controls, spaces other than the plain one, and private use: what Go's `IsPrint` refuses.
fn is_unprintable(char: char) -> bool {
    char.is_control()
        || char.is_whitespace()
        || matches!(char, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(char, '\u{e000}'..='\u{f8ff}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{f0000}'..)
}
