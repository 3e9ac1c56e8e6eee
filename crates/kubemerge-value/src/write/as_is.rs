//! Whether checked text is canonical as it stands. Go's encoder and most typed clients write it so.

use crate::scan::string_end;

/// Whether rewriting the text would surely change nothing; text that needs a closer look counts as changed.
pub(crate) fn is_canonical(text: &[u8]) -> bool {
    if !escapes_nothing(text) {
        return false;
    }
    let mut levels: Vec<Option<&[u8]>> = Vec::with_capacity(16);
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        at = match byte {
            b'{' | b'[' => {
                levels.push(None);
                at + 1
            }
            b'}' | b']' => {
                levels.pop();
                at + 1
            }
            b',' => at + 1,
            b'"' => {
                let end = string_end(text, at + 1).end;
                let is_name = text.get(end) == Some(&b':');
                if is_name && !rises(levels.last_mut(), &text[at + 1..end - 1]) {
                    return false;
                }
                end + usize::from(is_name)
            }
            b't' | b'n' => at + 4,
            b'f' => at + 5,
            _ => match end_of_int(text, at) {
                Some(end) => end,
                None => return false,
            },
        };
    }
    true
}

/// Whether nothing is or would be escaped in the strings of the text.
fn escapes_nothing(text: &[u8]) -> bool {
    memchr::memchr3(b'\\', b'<', b'>', text).is_none() && memchr::memchr2(b'&', 0xe2, text).is_none()
}

/// The end of an integer that is written with up to 18 digits, which always fit; `-0` is none.
fn end_of_int(text: &[u8], start: usize) -> Option<usize> {
    let digits = start + usize::from(text[start] == b'-');
    let length = text[digits..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = !matches!(text.get(digits + length), Some(b'.' | b'e' | b'E'));
    let negative_zero = digits > start && text.get(digits) == Some(&b'0');
    (whole && (1..=18).contains(&length) && !negative_zero).then_some(digits + length)
}

/// Whether a name stands behind the last one of its map; remembers it.
fn rises<'t>(level: Option<&mut Option<&'t [u8]>>, name: &'t [u8]) -> bool {
    // Most names differ in their first byte.
    let is_behind = |last: &[u8]| last.first() < name.first() || last.first() == name.first() && last < name;
    level.is_some_and(|last| last.replace(name).is_none_or(is_behind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{document::Document, write::to_canonical};

    fn check(text: &str, expected: bool) {
        assert_eq!(is_canonical(text.as_bytes()), expected, "{text}");
        let rewritten = to_canonical(Document::check(text.as_bytes()).unwrap().node());
        if expected {
            assert_eq!(rewritten.as_bytes(), text.as_bytes());
        }
    }

    #[test]
    fn canonical_text_is_known() {
        for text in [
            "{}",
            "[]",
            "null",
            r#"{"":1,"a":[1,-2,{"x":true,"y":null}],"b":{"a":false,"aa":"é"},"c":[[],{}]}"#,
            r#""x:y""#,
            r#"["a","a",123456789012345678]"#,
        ] {
            check(text, true);
        }
    }

    #[test]
    fn everything_else_is_rewritten() {
        for text in [
            r#"{"a": 1}"#,
            r#"{"b":1,"a":2}"#,
            r#"{"a":1,"a":2}"#,
            r#"{"a":{"c":1,"b":2}}"#,
            r#"["\u0041"]"#,
            r#"["<"]"#,
            "[\"\u{2028}\"]",
            "[1.0]",
            "[1e3]",
            "[-0]",
            "[1234567890123456789]",
            "[1,2] ",
        ] {
            check(text, false);
        }
    }
}
