//! Writes objects and the difference between texts.

use kubemerge_value::write::indented;
use kubemerge_yaml::{self as yaml, WriteOptions};
use similar::TextDiff;

use crate::args::ObjectFormat;
use crate::report::{Colours, Ink, colours_of, sanitize};

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

/// A JSON text with one member on each line, as kubectl writes it. Numbers and strings keep their text.
pub(crate) fn pretty_json(json: &[u8]) -> String {
    let mut text = indented(json, 4);
    text.push(b'\n');
    String::from_utf8_lossy(&text).into_owned()
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
    let text = diff.unified_diff().context_radius(3).header(&sanitize(old), &sanitize(new)).to_string();
    match colours_of(&std::io::stdout()) {
        Colours::Off => text,
        Colours::On => {
            text.lines().map(|line| ink(line).paint(&sanitize(line), Colours::On) + "\n").collect()
        }
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
