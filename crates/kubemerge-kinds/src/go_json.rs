//! What Go's JSON decoder says about a text that is not JSON, or not an object.

use crate::go_text::quoted;

/// How deep Go reads.
const MAX_DEPTH: usize = 10_000;

/// What Go says when it decodes the text into a map; nothing if it succeeds.
pub(crate) fn map_problem(text: &[u8]) -> Option<String> {
    let mut scanner = Scanner { state: State::Value, around: Vec::new() };
    for byte in text {
        if let Err(problem) = scanner.step(*byte) {
            return Some(problem);
        }
    }
    // Go ends a number with a space of its own, which may be the first byte that does not fit.
    match scanner.step(b' ') {
        Err(problem) => Some(problem),
        Ok(()) if !scanner.is_done() => Some("unexpected end of JSON input".to_owned()),
        Ok(()) => wrong_type(text),
    }
}

fn wrong_type(text: &[u8]) -> Option<String> {
    let first = text.iter().find(|byte| !is_space(**byte))?;
    let name = match first {
        // Null decodes into a map that is nil.
        b'{' | b'n' => return None,
        b'[' => "array",
        b'"' => "string",
        b't' | b'f' => "bool",
        _ => "number",
    };
    Some(format!("json: cannot unmarshal {name} into Go value of type map[string]interface {{}}"))
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Key,
    Value,
    Array,
}

#[derive(Clone, Copy)]
enum State {
    Value,
    /// After `[`: a value or `]`.
    FirstItem,
    /// After `{`: a key or `}`.
    FirstKey,
    Key,
    /// After a value: whatever may follow it.
    After,
    Text,
    Escape,
    Hex(u8),
    Minus,
    Zero,
    Digits,
    Dot,
    Fraction,
    Exponent,
    ExponentSign,
    ExponentDigits,
    Literal(&'static str, usize),
}

struct Scanner {
    state: State,
    around: Vec<Around>,
}

impl Scanner {
    fn is_done(&self) -> bool {
        self.around.is_empty() && matches!(self.state, State::After)
    }

    fn step(&mut self, byte: u8) -> Result<(), String> {
        self.state = match self.state {
            State::Value | State::FirstItem | State::FirstKey | State::Key | State::After
                if is_space(byte) =>
            {
                return Ok(());
            }
            State::FirstItem if byte == b']' => self.close(),
            State::Value | State::FirstItem => self.value(byte)?,
            State::FirstKey if byte == b'}' => self.close(),
            State::FirstKey | State::Key if byte == b'"' => State::Text,
            State::FirstKey | State::Key => return bad(byte, "looking for beginning of object key string"),
            State::After => self.after(byte)?,
            State::Text => in_text(byte)?,
            State::Escape => escape(byte)?,
            State::Hex(left) if byte.is_ascii_hexdigit() => {
                if left == 1 {
                    State::Text
                } else {
                    State::Hex(left - 1)
                }
            }
            State::Hex(_) => return bad(byte, "in \\u hexadecimal character escape"),
            State::Literal(word, at) => literal(byte, word, at)?,
            number => return self.number(number, byte),
        };
        Ok(())
    }

    fn value(&mut self, byte: u8) -> Result<State, String> {
        Ok(match byte {
            b'{' => self.open(Around::Key, State::FirstKey)?,
            b'[' => self.open(Around::Array, State::FirstItem)?,
            b'"' => State::Text,
            b'-' => State::Minus,
            b'0' => State::Zero,
            b'1'..=b'9' => State::Digits,
            b't' => State::Literal("true", 1),
            b'f' => State::Literal("false", 1),
            b'n' => State::Literal("null", 1),
            _ => return bad(byte, "looking for beginning of value"),
        })
    }

    fn open(&mut self, around: Around, state: State) -> Result<State, String> {
        // encoding/json has this limit as well.
        if self.around.len() >= MAX_DEPTH {
            return Err("exceeded max depth".to_owned());
        }
        self.around.push(around);
        Ok(state)
    }

    fn close(&mut self) -> State {
        self.around.pop();
        State::After
    }

    fn after(&mut self, byte: u8) -> Result<State, String> {
        let Some(around) = self.around.last_mut() else { return bad(byte, "after top-level value") };
        Ok(match (*around, byte) {
            (Around::Key, b':') => {
                *around = Around::Value;
                State::Value
            }
            (Around::Value, b',') => {
                *around = Around::Key;
                State::Key
            }
            (Around::Value, b'}') | (Around::Array, b']') => self.close(),
            (Around::Array, b',') => State::Value,
            (Around::Key, _) => return bad(byte, "after object key"),
            (Around::Value, _) => return bad(byte, "after object key:value pair"),
            (Around::Array, _) => return bad(byte, "after array element"),
        })
    }

    /// A byte of a number, or the one that ends it.
    fn number(&mut self, state: State, byte: u8) -> Result<(), String> {
        self.state = match (state, byte) {
            (State::Minus, b'0') => State::Zero,
            (State::Minus, b'1'..=b'9') => State::Digits,
            (State::Minus, _) => return bad(byte, "in numeric literal"),
            (State::Digits, b'0'..=b'9') => State::Digits,
            (State::Digits | State::Zero, b'.') => State::Dot,
            (State::Dot | State::Fraction, b'0'..=b'9') => State::Fraction,
            (State::Dot, _) => return bad(byte, "after decimal point in numeric literal"),
            (State::Digits | State::Zero | State::Fraction, b'e' | b'E') => State::Exponent,
            (State::Exponent, b'+' | b'-') => State::ExponentSign,
            (State::Exponent | State::ExponentSign | State::ExponentDigits, b'0'..=b'9') => {
                State::ExponentDigits
            }
            (State::Exponent | State::ExponentSign, _) => return bad(byte, "in exponent of numeric literal"),
            _ => {
                // The byte belongs to what follows the number.
                self.state = State::After;
                return self.step(byte);
            }
        };
        Ok(())
    }
}

fn in_text(byte: u8) -> Result<State, String> {
    match byte {
        b'"' => Ok(State::After),
        b'\\' => Ok(State::Escape),
        0..0x20 => bad(byte, "in string literal"),
        _ => Ok(State::Text),
    }
}

fn escape(byte: u8) -> Result<State, String> {
    match byte {
        b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"' => Ok(State::Text),
        b'u' => Ok(State::Hex(4)),
        _ => bad(byte, "in string escape code"),
    }
}

fn literal(byte: u8, word: &'static str, at: usize) -> Result<State, String> {
    let expected = word.as_bytes()[at];
    if byte != expected {
        return bad(byte, &format!("in literal {word} (expecting '{}')", char::from(expected)));
    }
    Ok(if at + 1 == word.len() { State::After } else { State::Literal(word, at + 1) })
}

fn bad<T>(byte: u8, context: &str) -> Result<T, String> {
    let char = match byte {
        // Go quotes a character in its own way: this one is escaped, the double quote is not.
        b'\'' => "'\\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        // Go reads the byte as a code point.
        _ => format!("'{}'", quoted(char::from(byte).encode_utf8(&mut [0; 4])).trim_matches('"')),
    };
    Err(format!("invalid character {char} {context}"))
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
            ("7", "json: cannot unmarshal number into Go value of type map[string]interface {}"),
        ];
        for (text, problem) in cases {
            assert_eq!(map_problem(text.as_bytes()).as_deref(), Some(problem), "{text}");
        }
        for text in ["{}", " null ", "{\"a\":[1,-0.5e+3,true,\"\\u00e9\"]}"] {
            assert_eq!(map_problem(text.as_bytes()), None, "{text}");
        }
    }
}
