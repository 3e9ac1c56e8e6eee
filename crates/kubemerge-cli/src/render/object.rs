//! Writes objects and the difference between texts.

use kubemerge_yaml::{self as yaml, WriteOptions};
use similar::TextDiff;

use crate::args::ObjectFormat;
use crate::report::{Colours, Ink, colours_of};

/// A JSON text as YAML, members in the order given.
pub(crate) fn yaml(json: &[u8]) -> String {
    yaml::write_json(json, &WriteOptions::default()).expect("results are JSON")
}

/// A JSON text in the wanted form.
pub(crate) fn object(format: ObjectFormat, json: &[u8]) -> String {
    match format {
        ObjectFormat::Yaml => yaml(json),
        ObjectFormat::Json => pretty_json(json),
    }
}

/// Deeper levels are not indented any further.
// Otherwise the text of a deeply nested document would grow with the square of its depth.
const MAX_INDENT: usize = 128;

/// A JSON text with one member on each line, as kubectl writes it. Numbers and strings keep their text.
pub(crate) fn pretty_json(json: &[u8]) -> String {
    let mut text = Vec::with_capacity(json.len() * 2);
    let mut depth: usize = 0;
    let mut bytes = json.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => {}
            b'{' | b'[' => {
                text.push(byte);
                // An empty map or list stays on one line, whatever was between its brackets.
                while bytes.next_if(u8::is_ascii_whitespace).is_some() {}
                match bytes.next_if(|next| matches!(next, b'}' | b']')) {
                    Some(closing) => text.push(closing),
                    None => {
                        depth += 1;
                        new_line(&mut text, depth);
                    }
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut text, depth);
                text.push(byte);
            }
            b',' => {
                text.push(byte);
                new_line(&mut text, depth);
            }
            b':' => text.extend(b": "),
            b'"' => copy_string(&mut bytes, &mut text),
            _ => text.push(byte),
        }
    }
    text.push(b'\n');
    String::from_utf8_lossy(&text).into_owned()
}

/// Copies a string whose opening quote was read.
fn copy_string(bytes: &mut impl Iterator<Item = u8>, text: &mut Vec<u8>) {
    text.push(b'"');
    let mut is_escaped = false;
    for byte in bytes {
        text.push(byte);
        if byte == b'"' && !is_escaped {
            return;
        }
        // Two backslashes are one escaped backslash.
        is_escaped = byte == b'\\' && !is_escaped;
    }
}

fn new_line(text: &mut Vec<u8>, depth: usize) {
    text.push(b'\n');
    // Unlimited indentation would make deep documents quadratic in size.
    text.resize(text.len() + 4 * depth.min(MAX_INDENT), b' ');
}

/// What a patch changes in a text, as `diff -u` writes it.
pub(crate) fn unified_diff(name: &str, before: &str, after: &str) -> String {
    lines_that_differ([name, &format!("{name} (patched)")], [before, after])
}

/// A text that was not there before, as `diff -u` writes it.
pub(crate) fn addition(name: &str, text: &str) -> String {
    lines_that_differ(["nothing", &format!("{name} (created)")], ["", text])
}

/// Coloured on a terminal.
fn lines_that_differ([old, new]: [&str; 2], [before, after]: [&str; 2]) -> String {
    let diff = TextDiff::from_lines(before, after);
    let text = diff.unified_diff().context_radius(3).header(old, new).to_string();
    match colours_of(&std::io::stdout()) {
        Colours::Off => text,
        Colours::On => text.lines().map(|line| ink(line).paint(line, Colours::On) + "\n").collect(),
    }
}

fn ink(line: &str) -> Ink {
    match line.as_bytes().first() {
        Some(b'+') => Ink::Green,
        Some(b'-') => Ink::Red,
        Some(b'@') => Ink::Cyan,
        _ => Ink::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_laid_out() {
        let check = |json: &str, expected: &str| assert_eq!(pretty_json(json.as_bytes()), expected, "{json}");
        check("{}", "{}\n");
        check("[ ]", "[]\n");
        check(
            r#"{"a": {} , "b":[1,2.50]}"#,
            "{\n    \"a\": {},\n    \"b\": [\n        1,\n        2.50\n    ]\n}\n",
        );
        check(r#"{"a":"{\",\\"}"#, "{\n    \"a\": \"{\\\",\\\\\"\n}\n");
    }

    #[test]
    fn json_may_be_deep() {
        let deep = "[".repeat(10_000) + &"]".repeat(10_000);
        assert!(pretty_json(deep.as_bytes()).len() < 20_000_000);
    }
}
