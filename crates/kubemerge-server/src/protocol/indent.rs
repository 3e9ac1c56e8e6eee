//! JSON with indents, for people. Members keep their order and numbers their text, which a tree would not.

/// Deeper texts stay as they are: their indents would be longer than they are.
const MAX_INDENTED_DEPTH: usize = 128;

/// JSON without blanks between its tokens with an indent of two spaces a level, as Go writes it; `None` if it is nested
/// too deeply.
pub(super) fn indented(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() * 2);
    let (mut depth, mut at) = (0, 0);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => {
                let end = at + string_length(&text[at..]);
                out.extend_from_slice(&text[at..end]);
                at = end;
                continue;
            }
            // Empty maps and lists are in one line.
            b'{' | b'[' if matches!(text.get(at + 1), Some(b'}' | b']')) => {
                out.extend_from_slice(&text[at..at + 2]);
                at += 1;
            }
            b'{' | b'[' if depth == MAX_INDENTED_DEPTH => return None,
            b'{' | b'[' => {
                depth += 1;
                out.push(byte);
                begin_line(&mut out, depth);
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                begin_line(&mut out, depth);
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                begin_line(&mut out, depth);
            }
            b':' => out.extend(b": "),
            _ => out.push(byte),
        }
        at += 1;
    }
    Some(out)
}

/// The length of the string that the text begins with, with both quotes.
fn string_length(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

fn begin_line(out: &mut Vec<u8>, depth: usize) {
    out.push(b'\n');
    out.resize(out.len() + 2 * depth, b' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> Option<String> {
        indented(json.as_bytes()).map(|text| String::from_utf8(text).expect("UTF-8"))
    }

    #[test]
    fn sorted_texts_are_those_of_serde_json() {
        let texts = [
            r#"{}"#,
            r#"[]"#,
            r#""a:b,{\"}\\""#,
            r#"{"a":[],"b":{},"c":[1,[2,{"d":null}],"x\\"],"e\"f":{"g":-1.5}}"#,
            r#"[true,{"b":[{}],"ä":"ö,["}]"#,
        ];
        for json in texts {
            let value: serde_json::Value = serde_json::from_str(json).expect("JSON");
            assert_eq!(text(json), Some(format!("{value:#}")));
        }
    }

    #[test]
    fn order_and_numbers_are_kept() {
        let wanted = "{\n  \"kind\": \"Status\",\n  \"apiVersion\": 1e21\n}";
        assert_eq!(text(r#"{"kind":"Status","apiVersion":1e21}"#).as_deref(), Some(wanted));
    }

    #[test]
    fn broken_and_deep_texts_do_no_harm() {
        for json in ["\"a", "\"a\\", "}}", "[", "{\"a\":"] {
            assert!(text(json).is_some());
        }
        let deep = |levels: usize| "[".repeat(levels) + "1" + &"]".repeat(levels);
        assert!(text(&deep(MAX_INDENTED_DEPTH)).is_some());
        assert_eq!(text(&deep(MAX_INDENTED_DEPTH + 1)), None);
    }
}
