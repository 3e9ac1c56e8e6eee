//! Reads JSON as JSON: a text that starts with `{` is what kubectl first takes for JSON.
//!
//! JSON is nearly YAML, but YAML 1.1 refuses escapes such as `\/` and surrogate pairs. A text that is not
//! JSON after all is left to the YAML reader.

use std::borrow::Cow;
use std::ops::Range;

use super::build::Builder;
use super::error::{Position, YamlError, YamlErrorKind};
use super::options::{DuplicateKeys, Options};
use super::trap::Role;
use super::tree::{Mark, Source, Style, Value, YamlDocument};
use kubemerge_value::Str;

/// Reads the JSON values of `text[range]`; `None` if it is not one or more JSON objects.
pub(crate) fn read_documents<'t>(
    text: &'t str,
    range: Range<usize>,
    options: Options,
) -> Option<Result<Vec<YamlDocument<'t>>, YamlError>> {
    let mut documents = Vec::new();
    let mut at = skip_blank(text, range.start, range.end);
    while at < range.end {
        // kubectl takes a text for JSON only if it starts with a brace.
        if text.as_bytes()[at] != b'{' {
            return None;
        }
        // The text before the first document belongs to it, so that edits cover the whole segment.
        let share = if documents.is_empty() { range.start } else { at };
        let builder = Builder::new(text, share..range.end, Source::Json, options);
        let mut reader = Reader { text, at, end: range.end, builder };
        match reader.document() {
            Ok(()) => {}
            // Flow style with comments or unquoted keys is YAML.
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

/// Reads a JSON text of any kind; of a repeated key the last one counts.
pub(crate) fn read_value(bytes: &[u8]) -> Result<YamlDocument<'_>, YamlError> {
    let text = crate::utf8::as_text(bytes)?;
    // The text was checked or written by kubemerge.
    let options = Options { duplicate_keys: DuplicateKeys::LastWins, max_nodes: usize::MAX };
    let builder = Builder::new(text, 0..text.len(), Source::Json, options).with_max_depth(usize::MAX);
    let at = skip_blank(text, 0, text.len());
    let mut reader = Reader { text, at, end: text.len(), builder };
    let outcome = reader.document();
    match outcome {
        Ok(()) if skip_blank(text, reader.at, text.len()) == text.len() => Ok(reader.builder.finish()),
        Ok(()) | Err(Fault::NotJson) => {
            Err(YamlError::new(YamlErrorKind::Syntax, Position::of(text, reader.at), "not a JSON text"))
        }
        Err(Fault::Refused(error)) => Err(error),
    }
}

fn skip_blank(text: &str, from: usize, end: usize) -> usize {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    from + text.as_bytes()[from..end].iter().take_while(|byte| blank(byte)).count()
}

/// Why reading stopped.
enum Fault {
    NotJson,
    Refused(YamlError),
}

impl From<YamlError> for Fault {
    fn from(error: YamlError) -> Fault {
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
            // In a map, not between a key and its value.
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
        // A trailing comma is YAML.
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
            // Numbers keep their text: JSON is not rounded on the way through.
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
        // A leading zero is not JSON; YAML reads it as octal.
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
        let bytes = &self.text.as_bytes()[..self.end];
        loop {
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => at += escape_length(&bytes[at + 1..]).ok_or(Fault::NotJson)?,
                Some(0x20..) => at += 1,
                _ => return Err(Fault::NotJson),
            }
        }
        self.at = at + 1;
        Ok(Str::given(&bytes[start..at]).text())
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

/// How long an escape is, the backslash included.
fn escape_length(after: &[u8]) -> Option<usize> {
    match after {
        [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => Some(2),
        [b'u', digits @ ..] => digits.get(..4)?.iter().all(u8::is_ascii_hexdigit).then_some(6),
        _ => None,
    }
}
