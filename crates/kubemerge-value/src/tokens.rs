//! Canonical text token by token, for those who look at every part of it: each byte is read once.

use crate::{
    document::Canonical,
    node::{Node, Repr},
    scan::{StringEnd, string_end},
    shared::SharedValue,
    string::{Spelling, Str},
    text::{Extent, Form, Text},
};

/// A part of a text.
#[derive(Clone, Copy, Debug)]
pub enum Token<'a> {
    /// A map begins: names and values follow in turns, until it ends.
    MapStart,
    /// The name of a member.
    Name(Str<'a>),
    /// The map that began last ends.
    MapEnd,
    /// A list begins: values follow, until it ends.
    ListStart,
    /// The list that began last ends.
    ListEnd,
    /// A scalar.
    Scalar(Node<'a>),
}

/// The tokens of one text, in order.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
}

impl Canonical {
    /// The tokens of the text.
    ///
    /// ```
    /// use kubemerge_value::{Canonical, Token};
    ///
    /// let document = Canonical::from_bytes(br#"{"b": [true], "a": "x"}"#)?;
    /// let names = document.tokens().filter(|token| matches!(token, Token::Name(_)));
    /// assert_eq!(names.count(), 2);
    /// # Ok::<(), kubemerge_value::ParseError>(())
    /// ```
    pub fn tokens(&self) -> Tokens<'_> {
        Tokens { text: self.as_bytes(), at: 0 }
    }
}

impl SharedValue {
    /// The tokens of the value.
    pub fn tokens(&self) -> Tokens<'_> {
        Tokens { text: self.as_bytes(), at: 0 }
    }
}

impl<'a> Tokens<'a> {
    /// Passes over the rest of a value whose first token was read.
    pub fn pass_rest(&mut self, first: Token<'a>) {
        let mut depth = usize::from(matches!(first, Token::MapStart | Token::ListStart));
        while depth > 0 {
            match self.next() {
                Some(Token::MapStart | Token::ListStart) => depth += 1,
                Some(Token::MapEnd | Token::ListEnd) => depth -= 1,
                Some(Token::Name(_) | Token::Scalar(_)) => {}
                None => return,
            }
        }
    }

    /// Passes over the next value.
    pub fn pass(&mut self) {
        if let Some(first) = self.next() {
            self.pass_rest(first);
        }
    }

    /// One byte, and the separator before it.
    #[inline]
    fn take(&mut self, token: Token<'a>) -> Token<'a> {
        self.at += 1;
        token
    }

    #[inline]
    fn string(&mut self) -> Token<'a> {
        let start = self.at;
        let StringEnd { end, escapes } = string_end(self.text, start + 1);
        self.at = end;
        if self.text.get(end) == Some(&b':') {
            return Token::Name(Str::spelled(&self.text[start + 1..end - 1], Spelling::Canonical, escapes));
        }
        self.scalar(start)
    }

    fn word(&mut self) -> Token<'a> {
        let start = self.at;
        let rest = &self.text[start..];
        let length = rest.iter().position(|byte| matches!(byte, b',' | b'}' | b']')).unwrap_or(rest.len());
        self.at = start + length;
        self.scalar(start)
    }

    #[inline]
    fn scalar(&self, start: usize) -> Token<'a> {
        let bytes = &self.text[start..self.at.min(self.text.len())];
        let text = Text { bytes, form: Form::Canonical, extent: Extent::Closed, ends: None };
        Token::Scalar(Node(Repr::Text(text)))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    #[inline]
    fn next(&mut self) -> Option<Token<'a>> {
        while let Some(b',' | b':') = self.text.get(self.at) {
            self.at += 1;
        }
        Some(match self.text.get(self.at)? {
            b'{' => self.take(Token::MapStart),
            b'}' => self.take(Token::MapEnd),
            b'[' => self.take(Token::ListStart),
            b']' => self.take(Token::ListEnd),
            b'"' => self.string(),
            _ => self.word(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let document = Canonical::from_bytes(text.as_bytes()).unwrap();
        let shown = document.tokens().map(|token| match token {
            Token::MapStart => "{".to_string(),
            Token::MapEnd => "}".to_string(),
            Token::ListStart => "[".to_string(),
            Token::ListEnd => "]".to_string(),
            Token::Name(name) => format!("{}:", name.text()),
            Token::Scalar(node) => format!("{:?}", node.kind()),
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_part_is_a_token() {
        assert_eq!(
            read(r#"{"a": [1, -2.5, null, "x", {}], "b\"": {"c": true}, "d": []}"#),
            "{ a: [ Int Float Null String { } ] b\": { c: Bool } d: [ ] }"
        );
        assert_eq!(read(r#"["a:", "\\", "b"]"#), "[ String String String ]");
        assert_eq!(read("7"), "Int");
    }

    #[test]
    fn values_can_be_passed_over() {
        let document = Canonical::from_bytes(br#"{"a":{"b":[{}],"c":"}"},"d":1}"#).unwrap();
        let mut tokens = document.tokens();
        assert!(matches!((tokens.next(), tokens.next()), (Some(Token::MapStart), Some(Token::Name(_)))));
        tokens.pass();
        assert!(matches!(tokens.next(), Some(Token::Name(name)) if name.is("d")));
        tokens.pass();
        assert!(matches!((tokens.next(), tokens.next()), (Some(Token::MapEnd), None)));
    }
}
