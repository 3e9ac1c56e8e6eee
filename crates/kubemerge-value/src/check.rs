//! The full check of a JSON text: UTF-8, grammar, depth, range of numbers.
//!
//! What passes may be scanned without looking back. Nothing is built and nothing recurses.

use crate::{
    MAX_DEPTH,
    ends::{Ends, LARGE},
    error::{ParseError, ParseErrorKind as Kind},
    number,
    scan::skip_space,
};

/// What the check learns on its way.
pub(crate) struct Checked {
    pub(crate) ends: Ends,
    /// How deep the document is nested.
    pub(crate) depth: usize,
}

/// Checks that the bytes are one JSON value.
pub(crate) fn check(bytes: &[u8]) -> Result<Checked, ParseError> {
    if u32::try_from(bytes.len()).is_err() {
        return Err(ParseError::at(Kind::TooLarge, b"", 0));
    }
    if let Err(error) = std::str::from_utf8(bytes) {
        return Err(ParseError::at(Kind::InvalidUtf8, bytes, error.valid_up_to()));
    }
    let mut checker = Checker { bytes, at: 0, open: Vec::new(), depth: 0, large: Vec::new() };
    checker.document().map_err(|kind| ParseError::at(kind, bytes, checker.at))?;
    Ok(Checked { ends: Ends::new(bytes, checker.large), depth: checker.depth })
}

#[derive(Clone, Copy, PartialEq)]
enum Container {
    Map,
    List,
}

struct Checker<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The open containers and where they start.
    open: Vec<(Container, usize)>,
    depth: usize,
    large: Vec<(u32, u32)>,
}

impl Checker<'_> {
    fn document(&mut self) -> Result<(), Kind> {
        self.value()?;
        while let Some((container, _)) = self.open.last().copied() {
            self.next(container)?;
        }
        self.space();
        if self.at < self.bytes.len() { Err(Kind::TrailingText) } else { Ok(()) }
    }

    fn space(&mut self) {
        self.at = skip_space(self.bytes, self.at);
    }

    fn peek(&self) -> Result<u8, Kind> {
        self.bytes.get(self.at).copied().ok_or(Kind::UnexpectedEnd)
    }

    fn expect(&mut self, wanted: u8) -> Result<(), Kind> {
        if self.peek()? != wanted {
            return Err(Kind::UnexpectedCharacter);
        }
        self.at += 1;
        Ok(())
    }

    /// Behind a value inside a container: a comma and the next value, or the end of the container.
    fn next(&mut self, container: Container) -> Result<(), Kind> {
        self.space();
        let closing = if container == Container::Map { b'}' } else { b']' };
        match self.peek()? {
            b',' => {
                self.at += 1;
                self.item(container)
            }
            byte if byte == closing => {
                self.at += 1;
                self.close();
                Ok(())
            }
            _ => Err(Kind::UnexpectedCharacter),
        }
    }

    fn close(&mut self) {
        let Some((_, start)) = self.open.pop() else { return };
        if self.at - start >= LARGE {
            self.large.push((start as u32, self.at as u32));
        }
    }

    /// A member of a map, or an element of a list.
    fn item(&mut self, container: Container) -> Result<(), Kind> {
        if container == Container::Map {
            self.space();
            self.expect(b'"')?;
            self.string()?;
            self.space();
            self.expect(b':')?;
        }
        self.value()
    }

    /// A scalar, or the start of containers down to the first scalar or the first empty container.
    fn value(&mut self) -> Result<(), Kind> {
        loop {
            self.space();
            let container = match self.peek()? {
                b'{' => Container::Map,
                b'[' => Container::List,
                _ => return self.scalar(),
            };
            if self.open(container)? {
                return Ok(());
            }
            if container == Container::Map {
                self.expect(b'"')?;
                self.string()?;
                self.space();
                self.expect(b':')?;
            }
        }
    }

    /// Opens a container; true if it is closed again at once.
    fn open(&mut self, container: Container) -> Result<bool, Kind> {
        if self.open.len() == MAX_DEPTH {
            return Err(Kind::TooDeep { limit: MAX_DEPTH });
        }
        let start = self.at;
        self.at += 1;
        self.space();
        self.depth = self.depth.max(self.open.len() + 1);
        let closing = if container == Container::Map { b'}' } else { b']' };
        if self.peek()? == closing {
            self.at += 1;
            return Ok(true);
        }
        self.open.push((container, start));
        Ok(false)
    }

    fn scalar(&mut self) -> Result<(), Kind> {
        match self.peek()? {
            b'"' => {
                self.at += 1;
                self.string()
            }
            b't' => self.literal(b"true"),
            b'f' => self.literal(b"false"),
            b'n' => self.literal(b"null"),
            b'-' | b'0'..=b'9' => self.number(),
            _ => Err(Kind::UnexpectedCharacter),
        }
    }

    fn literal(&mut self, word: &[u8]) -> Result<(), Kind> {
        for letter in word {
            self.expect(*letter)?;
        }
        Ok(())
    }

    fn string(&mut self) -> Result<(), Kind> {
        loop {
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => self.escape()?,
                0..=0x1f => return Err(Kind::ControlCharacter),
                _ => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<(), Kind> {
        self.at += 1;
        let letter = self.peek()?;
        match letter {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 1,
            b'u' => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek()?.is_ascii_hexdigit() {
                        return Err(Kind::InvalidEscape);
                    }
                    self.at += 1;
                }
            }
            _ => return Err(Kind::InvalidEscape),
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Kind> {
        let start = self.at;
        if self.peek()? == b'-' {
            self.at += 1;
        }
        match self.bytes.get(self.at) {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.at) {
                self.at += 1;
            }
            self.digits()?;
        }
        self.in_range(start)
    }

    fn digits(&mut self) -> Result<(), Kind> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(Kind::InvalidNumber) }
    }

    /// Only a literal with an exponent or with hundreds of digits can leave the range of a float.
    fn in_range(&mut self, start: usize) -> Result<(), Kind> {
        let literal = &self.bytes[start..self.at];
        let may_overflow = literal.len() > 300 || literal.iter().any(|byte| matches!(byte, b'e' | b'E'));
        if may_overflow && number::decode_float(literal).is_infinite() {
            self.at = start;
            return Err(Kind::NumberOutOfRange);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(text: &str, kind: Kind, offset: usize) {
        let error = check(text.as_bytes()).err().expect(text);
        assert_eq!((error.kind(), error.offset()), (kind, offset), "{text}");
    }

    #[test]
    fn valid_documents_pass() {
        for text in [
            "null",
            " [ ] ",
            "{}",
            r#"{"a":[1,2.5e-3,{"b":"\u00e9\n"}],"c":false}"#,
            "-0",
            "[[],{}, [{}]]",
            "1e308",
        ] {
            assert!(check(text.as_bytes()).is_ok(), "{text}");
        }
    }

    #[test]
    fn faults_are_found_where_they_are() {
        fails("", Kind::UnexpectedEnd, 0);
        fails("{", Kind::UnexpectedEnd, 1);
        fails("[1,]", Kind::UnexpectedCharacter, 3);
        fails("{\"a\":1,}", Kind::UnexpectedCharacter, 7);
        fails("[1}", Kind::UnexpectedCharacter, 2);
        fails("1 2", Kind::TrailingText, 2);
        fails("\"a\nb\"", Kind::ControlCharacter, 2);
        fails(r#""\x""#, Kind::InvalidEscape, 2);
        fails("01", Kind::TrailingText, 1);
        fails("-", Kind::InvalidNumber, 1);
        fails("1.", Kind::InvalidNumber, 2);
        fails("[1e400]", Kind::NumberOutOfRange, 1);
        fails("tru", Kind::UnexpectedEnd, 3);
    }

    #[test]
    fn invalid_utf8_is_an_error() {
        assert_eq!(check(b"\"\xff\"").err().unwrap().kind(), Kind::InvalidUtf8);
    }

    #[test]
    fn the_depth_limit_is_exact() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert_eq!(check(nested(MAX_DEPTH).as_bytes()).unwrap().depth, MAX_DEPTH);
        let error = check(nested(MAX_DEPTH + 1).as_bytes()).err().unwrap();
        assert_eq!(error.kind(), Kind::TooDeep { limit: MAX_DEPTH });
    }

    #[test]
    fn large_containers_are_noted_with_their_ends() {
        let text = format!("[1, {{\"a\":[\"{}\"]}}, [2]]", "x".repeat(LARGE));
        let ends = check(text.as_bytes()).unwrap().ends;
        assert_eq!(ends.length(text.as_bytes()), Some(text.len()));
        assert_eq!(ends.length(&text.as_bytes()[4..]), Some(text.len() - 4 - ", [2]]".len()));
        assert_eq!(ends.length(&text.as_bytes()[9..]), Some(LARGE + 4));
        assert_eq!(ends.length(&text.as_bytes()[text.len() - 4..]), None);
    }

    #[test]
    fn line_and_column_are_counted() {
        let error = check("{\n  \"é\": x}".as_bytes()).err().unwrap();
        assert_eq!((error.line(), error.column()), (2, 8));
        assert_eq!(error.to_string(), "unexpected character at line 2, column 8");
    }
}
