//! What Go's JSON decoder says about a text that is not JSON, or not an object.

use kubemerge_value::{Arena, Expected, PullReader, Start, TextFault};

use crate::go_text::quoted;

/// What Go says when it decodes the text into a map; nothing if it succeeds.
pub(crate) fn map_problem(text: &[u8]) -> Option<String> {
    // Go reads bytes that are not UTF-8. To the grammar all bytes beyond ASCII are the same.
    let grammar: String =
        text.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { '?' }).collect();
    let arena = Arena::new();
    match PullReader::new(&grammar, &arena).first_fault() {
        Some(fault) => Some(syntax_error(text, fault)),
        None => wrong_type(PullReader::new(&grammar, &arena).start())
            .or_else(|| number_out_of_range(PullReader::new(&grammar, &arena), text)),
    }
}

/// The first number that is no float, of a text that is JSON.
fn number_out_of_range(mut reader: PullReader<'_>, text: &[u8]) -> Option<String> {
    reader.pass();
    let rest = text.get(reader.fault()?.at..)?;
    let is_part = |byte: &u8| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9');
    let literal: String = rest.iter().take_while(|byte| is_part(byte)).copied().map(char::from).collect();
    Some(format!("json: cannot unmarshal number {literal} into Go value of type float64"))
}

fn wrong_type(start: Start) -> Option<String> {
    // Null decodes into a map that is nil.
    let is_map = matches!(start, Start::Map | Start::Null);
    let name = start.go_name();
    (!is_map)
        .then(|| format!("json: cannot unmarshal {name} into Go value of type map[string]interface {{}}"))
}

fn syntax_error(text: &[u8], fault: TextFault) -> String {
    let before = text.get(..fault.at).unwrap_or_default();
    let context = match fault.expected {
        Expected::Word => in_word(before),
        Expected::Digit => in_number(before).to_owned(),
        // In the others the character is a hexadecimal digit, or the letter before them.
        Expected::Escape if before.ends_with(b"\\") => "in string escape code".to_owned(),
        Expected::Escape => "in \\u hexadecimal character escape".to_owned(),
        // Go ends a text with a space of its own, which fits here and not in the tokens above.
        _ if fault.at >= text.len() => return "unexpected end of JSON input".to_owned(),
        between => between_tokens(between).to_owned(),
    };
    let byte = text.get(fault.at).copied().unwrap_or(b' ');
    format!("invalid character {} {context}", quoted_byte(byte))
}

fn between_tokens(expected: Expected) -> &'static str {
    match expected {
        Expected::Name => "looking for beginning of object key string",
        Expected::Colon => "after object key",
        Expected::NextMember => "after object key:value pair",
        Expected::NextItem => "after array element",
        Expected::Text => "in string literal",
        Expected::End => "after top-level value",
        Expected::LessDepth => "exceeded max depth",
        _ => "looking for beginning of value",
    }
}

/// Where a number breaks off.
fn in_number(before: &[u8]) -> &'static str {
    match before {
        [.., b'.'] => "after decimal point in numeric literal",
        [.., b'e' | b'E'] | [.., b'e' | b'E', b'+' | b'-'] => "in exponent of numeric literal",
        _ => "in numeric literal",
    }
}

/// Where `true`, `false` or `null` breaks off.
fn in_word(before: &[u8]) -> String {
    let broken = ["true", "false", "null"].into_iter().find_map(|word| {
        let lengths = 1..word.len();
        let (_, rest) =
            lengths.map(|at| word.split_at(at)).find(|(start, _)| before.ends_with(start.as_bytes()))?;
        Some((word, rest.chars().next()?))
    });
    broken.map_or_else(String::new, |(word, next)| format!("in literal {word} (expecting '{next}')"))
}

/// Go reads a byte as a code point, and quotes a character in its own way.
fn quoted_byte(byte: u8) -> String {
    match byte {
        b'\'' => "'\\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        _ => format!("'{}'", quoted(char::from(byte).encode_utf8(&mut [0; 4])).trim_matches('"')),
    }
}

#[cfg(test)]
mod tests {
    use super::map_problem;

    /// Texts of encoding/json for the same inputs.
    #[test]
    fn problems_are_worded_as_go_words_them() {
        let cases = [
            ("", "unexpected end of JSON input"),
            ("{\"a\":", "unexpected end of JSON input"),
            ("x", "invalid character 'x' looking for beginning of value"),
            ("{a", "invalid character 'a' looking for beginning of object key string"),
            ("{\"a\" 1", "invalid character '1' after object key"),
            ("{\"a\":1 2", "invalid character '2' after object key:value pair"),
            ("[1 2", "invalid character '2' after array element"),
            ("{} {", "invalid character '{' after top-level value"),
            ("tr", "invalid character ' ' in literal true (expecting 'u')"),
            ("-x", "invalid character 'x' in numeric literal"),
            ("1.x", "invalid character 'x' after decimal point in numeric literal"),
            ("1ex", "invalid character 'x' in exponent of numeric literal"),
            ("\"\\x", "invalid character 'x' in string escape code"),
            ("\"\\u00g", "invalid character 'g' in \\u hexadecimal character escape"),
            ("\"\n", "invalid character '\\n' in string literal"),
            ("'", "invalid character '\\'' looking for beginning of value"),
            ("[1]", "json: cannot unmarshal array into Go value of type map[string]interface {}"),
            ("{\"a\":1,}", "invalid character '}' looking for beginning of object key string"),
            ("[1,]", "invalid character ']' looking for beginning of value"),
            ("[\"a\\", "invalid character ' ' in string escape code"),
            ("[\"a", "unexpected end of JSON input"),
            ("-", "invalid character ' ' in numeric literal"),
            ("1e+", "invalid character ' ' in exponent of numeric literal"),
            ("[01]", "invalid character '1' after array element"),
            ("[1e999,", "unexpected end of JSON input"),
            ("nul\0", "invalid character '\\x00' in literal null (expecting 'l')"),
            ("é", "invalid character 'Ã' looking for beginning of value"),
            ("{\"a\":[-1e999]}", "json: cannot unmarshal number -1e999 into Go value of type float64"),
            ("7", "json: cannot unmarshal number into Go value of type map[string]interface {}"),
        ];
        for (text, problem) in cases {
            assert_eq!(map_problem(text.as_bytes()).as_deref(), Some(problem), "{text}");
        }
        let deep = map_problem("[".repeat(10_001).as_bytes());
        assert_eq!(deep.as_deref(), Some("invalid character '[' exceeded max depth"));
        for text in ["{}", " null ", "{\"a\":[1,-0.5e+3,true,\"\\u00e9\"]}"] {
            assert_eq!(map_problem(text.as_bytes()), None, "{text}");
        }
    }
}
