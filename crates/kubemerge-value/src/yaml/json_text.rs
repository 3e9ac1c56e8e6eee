//! Reads JSON as JSON: a text that starts with `{` is what kubectl first takes for JSON.
//!
//! JSON is nearly YAML, but YAML 1.1 refuses escapes such as `\/` and surrogate pairs. A text that is not
//! JSON after all is left to the YAML reader.

use std::borrow::Cow;
use std::ops::Range;

use super::Options;
use super::build::Builder;
use super::error::Error;
use super::trap::Role;
use super::tree::{Document, Mark, Style, Value};

/// Reads the JSON values of `text[range]`; `None` if it is not one or more JSON objects.
pub(crate) fn read_documents<'t>(
    text: &'t str,
    range: Range<usize>,
    options: Options,
) -> Option<Result<Vec<Document<'t>>, Error>> {
    let mut documents = Vec::new();
    let mut at = skip_blank(text, range.start, range.end);
    while at < range.end {
        if text.as_bytes()[at] != b'{' {
            return None;
        }
        let share = if documents.is_empty() { range.start } else { at };
        let builder = Builder::new(text, share..range.end, options);
        let mut reader = Reader { text, at, end: range.end, builder };
        match reader.document() {
            Ok(()) => {}
            Err(Fault::NotJson) => return None,
            Err(Fault::Refused(error)) => return Some(Err(error)),
        }
        at = reader.at;
        let mut document = reader.builder.finish();
        document.range.end = at;
        documents.push(document);
        at = skip_blank(text, at, range.end);
    }
    if let Some(last) = documents.last_mut() {
        last.range.end = range.end;
    }
    (!documents.is_empty()).then_some(Ok(documents))
}

fn skip_blank(text: &str, from: usize, end: usize) -> usize {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    from + text.as_bytes()[from..end].iter().take_while(|byte| blank(byte)).count()
}

/// Why reading stopped.
enum Fault {
    NotJson,
    Refused(Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Refused(error)
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    end: usize,
    builder: Builder<'t>,
}

impl<'t> Reader<'t> {
    /// Reads one value; the builder holds the stack of open collections.
    fn document(&mut self) -> Result<(), Fault> {
        self.value()?;
        while let Some((parent, children)) = self.builder.parent() {
            let closing = if parent.value == Value::Map { b'}' } else { b']' };
            self.skip_blank();
            if self.peek() == Some(closing) && (closing == b']' || children % 2 == 0) {
                self.at += 1;
                self.builder.close(Some(self.at))?;
                continue;
            }
            match (closing, children) {
                (_, 0) => {}
                (b'}', odd) if odd % 2 == 1 => self.expect(b':')?,
                _ => self.comma_before(closing)?,
            }
            self.skip_blank();
            self.value()?;
        }
        Ok(())
    }

    fn comma_before(&mut self, closing: u8) -> Result<(), Fault> {
        self.expect(b',')?;
        self.skip_blank();
        if self.peek() == Some(closing) { Err(Fault::NotJson) } else { Ok(()) }
    }

    fn value(&mut self) -> Result<(), Fault> {
        let start = self.at;
        let first = self.peek().ok_or(Fault::NotJson)?;
        if first != b'"' && self.builder.role() == Role::Key {
            return Err(Fault::NotJson);
        }
        let value = match first {
            b'{' => return self.open(Value::Map),
            b'[' => return self.open(Value::List),
            b'"' => Value::String(self.string()?),
            b't' => self.word("true", Value::Bool(true))?,
            b'f' => self.word("false", Value::Bool(false))?,
            b'n' => self.word("null", Value::Null)?,
            _ => Value::Literal(self.number()?),
        };
        let style = if first == b'"' { Style::Quoted } else { Style::Plain };
        self.builder.scalar(value, style, (start..self.at).into(), Mark::default())?;
        Ok(())
    }

    fn open(&mut self, value: Value<'t>) -> Result<(), Fault> {
        self.at += 1;
        self.builder.open(value, Style::Flow, (self.at - 1..self.at).into(), Mark::default())?;
        Ok(())
    }

    fn word(&mut self, word: &str, value: Value<'t>) -> Result<Value<'t>, Fault> {
        if !self.text[self.at..self.end].starts_with(word) {
            return Err(Fault::NotJson);
        }
        self.at += word.len();
        Ok(value)
    }

    fn number(&mut self) -> Result<&'t str, Fault> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let whole = self.at;
        self.digits()?;
        if self.text.as_bytes()[whole] == b'0' && self.at - whole > 1 {
            return Err(Fault::NotJson);
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(&self.text[start..self.at])
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let digits = &self.text.as_bytes()[self.at..self.end];
        let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        if count == 0 { Err(Fault::NotJson) } else { Ok(()) }
    }

    fn string(&mut self) -> Result<Cow<'t, str>, Fault> {
        let start = self.at + 1;
        let mut at = start;
        let mut escaped = false;
        let bytes = &self.text.as_bytes()[..self.end];
        loop {
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    at += 2;
                }
                Some(0x20..) => at += 1,
                _ => return Err(Fault::NotJson),
            }
        }
        self.at = at + 1;
        let body = &self.text[start..at];
        if escaped { unescape(body).map(Cow::Owned).ok_or(Fault::NotJson) } else { Ok(Cow::Borrowed(body)) }
    }

    fn expect(&mut self, wanted: u8) -> Result<(), Fault> {
        if self.peek() != Some(wanted) {
            return Err(Fault::NotJson);
        }
        self.at += 1;
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes()[..self.end].get(self.at).copied()
    }

    fn skip_blank(&mut self) {
        self.at = skip_blank(self.text, self.at, self.end);
    }
}

/// Decodes the escapes of a JSON string; lone surrogates become U+FFFD, as in Go.
fn unescape(body: &str) -> Option<String> {
    let mut text = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let escape = *rest.as_bytes().get(at + 1)?;
        rest = rest.get(at + 2..)?;
        text.push(match escape {
            b'"' | b'\\' | b'/' => char::from(escape),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => unescape_unicode(&mut rest)?,
            _ => return None,
        });
    }
    text.push_str(rest);
    Some(text)
}

fn unescape_unicode(rest: &mut &str) -> Option<char> {
    let high = take_unit(rest)?;
    if (0xd800..0xdc00).contains(&high)
        && let Some(mut tail) = rest.strip_prefix("\\u")
        && let Some(low @ 0xdc00..0xe000) = take_unit(&mut tail)
    {
        *rest = tail;
        return char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
    }
    Some(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER))
}

fn take_unit(rest: &mut &str) -> Option<u32> {
    let digits = rest.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    *rest = &rest[4..];
    u32::from_str_radix(digits, 16).ok()
}
