//! JSON with one member or item on each line, for people. Members keep their order, numbers and strings their text.

/// Deeper levels are not indented any further.
// Otherwise the text of a deeply nested document would grow with the square of its depth.
const MAX_INDENT: usize = 128;

/// A JSON text with `spaces` spaces a level, as Go lays it out, without a line feed at its end.
pub fn indented(json: &[u8], spaces: usize) -> Vec<u8> {
    let mut layout = Layout { text: Vec::with_capacity(json.len() * 2), depth: 0, spaces };
    let mut bytes = json.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => {}
            b'{' | b'[' => {
                layout.text.push(byte);
                // An empty map or list stays on one line, whatever was between its brackets.
                while bytes.next_if(u8::is_ascii_whitespace).is_some() {}
                match bytes.next_if(|next| matches!(next, b'}' | b']')) {
                    Some(closing) => layout.text.push(closing),
                    None => layout.new_line(layout.depth + 1),
                }
            }
            b'}' | b']' => {
                layout.new_line(layout.depth.saturating_sub(1));
                layout.text.push(byte);
            }
            b',' => {
                layout.text.push(byte);
                layout.new_line(layout.depth);
            }
            b':' => layout.text.extend(b": "),
            b'"' => copy_string(&mut bytes, &mut layout.text),
            _ => layout.text.push(byte),
        }
    }
    layout.text
}

struct Layout {
    text: Vec<u8>,
    depth: usize,
    spaces: usize,
}

impl Layout {
    fn new_line(&mut self, depth: usize) {
        self.depth = depth;
        self.text.push(b'\n');
        self.text.resize(self.text.len() + self.spaces * depth.min(MAX_INDENT), b' ');
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> String {
        String::from_utf8(indented(json.as_bytes(), 2)).expect("UTF-8")
    }

    #[test]
    fn sorted_texts_are_those_of_serde_json() {
        let texts = [
            r"{}",
            r"[]",
            r#""a:b,{\"}\\""#,
            r#"{"a":[],"b":{},"c":[1,[2,{"d":null}],"x\\"],"e\"f":{"g":-1.5}}"#,
            r#"[true,{"b":[{}],"ä":"ö,["}]"#,
        ];
        for json in texts {
            let value: serde_json::Value = serde_json::from_str(json).expect("JSON");
            assert_eq!(text(json), format!("{value:#}"));
        }
    }

    #[test]
    fn order_and_numbers_are_kept() {
        let wanted = "{\n  \"kind\": \"Status\",\n  \"apiVersion\": 1e21\n}";
        assert_eq!(text(r#"{"kind":"Status","apiVersion":1e21}"#), wanted);
    }

    #[test]
    fn broken_and_deep_texts_do_no_harm() {
        let broken = ["\"a", "\"a\\", "}}", "[", "{\"a\":"];
        assert_eq!(broken.map(text), ["\"a", "\"a\\", "\n}\n}", "[\n  ", "{\n  \"a\": "]);
        let deep = "[".repeat(10_000) + &"]".repeat(10_000);
        assert!(text(&deep).len() < 10_000_000);
    }
}
