//! Lists in brackets and maps in braces, on one line.

use super::BlockReader;
use super::scalar::starts_plain;
use crate::tree::{Mark, Style, Value};

/// Deeper ones are left to `events`, so that the recursion here stays small.
const MAX_FLOW_DEPTH: usize = 16;

impl BlockReader<'_> {
    /// A collection that starts at `at`; after it the line must end.
    pub(super) fn flow_value(&mut self, at: usize, end: usize) -> Option<()> {
        let close = self.flow(at, end, 0)?;
        self.ends_line(close, end)
    }

    /// Reads a value, and returns where it ends.
    fn flow(&mut self, at: usize, end: usize, depth: usize) -> Option<usize> {
        match self.line_until(end)?.get(at)? {
            _ if depth > MAX_FLOW_DEPTH => None,
            b'[' => self.flow_list(at, end, depth),
            b'{' => self.flow_map(at, end, depth),
            quote @ (b'"' | b'\'') => {
                let close = self.quoted_end(at, end, *quote)?;
                self.quoted(at..close, *quote)?;
                Some(close)
            }
            _ => {
                let close = self.flow_plain_end(at, end)?;
                self.plain(at..close)?;
                Some(close)
            }
        }
    }

    fn flow_list(&mut self, at: usize, end: usize, depth: usize) -> Option<usize> {
        self.builder.open(Value::List, Style::Flow, (at..at + 1).into(), Mark::default()).ok()?;
        let mut at = self.skip_spaces(at + 1, end);
        while !self.is_at(at, end, b']') {
            at = self.flow(at, end, depth + 1)?;
            at = self.flow_next(at, end, b']')?;
        }
        self.builder.close(Some(at + 1)).ok()?;
        Some(at + 1)
    }

    fn flow_map(&mut self, at: usize, end: usize, depth: usize) -> Option<usize> {
        self.builder.open(Value::Map, Style::Flow, (at..at + 1).into(), Mark::default()).ok()?;
        let mut at = self.skip_spaces(at + 1, end);
        while !self.is_at(at, end, b'}') {
            let key_end = self.flow_key_end(at, end)?;
            self.key(at, key_end)?;
            at = self.skip_spaces(key_end + 1, end);
            at = self.flow(at, end, depth + 1)?;
            at = self.flow_next(at, end, b'}')?;
        }
        self.builder.close(Some(at + 1)).ok()?;
        Some(at + 1)
    }

    /// Where the colon of a key is, which a space must follow: without one, `a:b` is a scalar.
    fn flow_key_end(&self, at: usize, end: usize) -> Option<usize> {
        let close = match *self.line_until(end)?.get(at)? {
            quote @ (b'"' | b'\'') => self.quoted_end(at, end, quote)?,
            _ => {
                at + self
                    .bytes()
                    .get(at..end)?
                    .iter()
                    .position(|byte| is_flow_indicator(*byte) || *byte == b':')?
            }
        };
        let is_key = self.is_at(close, end, b':') && self.is_at(close + 1, end, b' ');
        (is_key && self.byte(close.checked_sub(1)?)? != b' ').then_some(close)
    }

    /// Goes on after a comma, or to the closing bracket.
    fn flow_next(&self, at: usize, end: usize, closing: u8) -> Option<usize> {
        let at = self.skip_spaces(at, end);
        if self.is_at(at, end, closing) {
            return Some(at);
        }
        let next = self.skip_spaces(at + 1, end);
        // A comma before the bracket is rare.
        (self.is_at(at, end, b',') && !self.is_at(next, end, closing)).then_some(next)
    }

    fn flow_plain_end(&self, at: usize, end: usize) -> Option<usize> {
        let bytes = self.line_until(end)?;
        let close = at + bytes.get(at..)?.iter().position(|byte| is_flow_indicator(*byte))?;
        let text = bytes.get(at..close)?;
        // Whether these end the scalar depends on what follows.
        let is_doubtful = text.iter().any(|byte| matches!(byte, b':' | b'#')) || !starts_plain(text);
        let spaces = text.iter().rev().take_while(|byte| **byte == b' ').count();
        (!is_doubtful && !matches!(bytes.get(close)?, b'[' | b'{')).then_some(close - spaces)
    }

    fn is_at(&self, at: usize, end: usize, byte: u8) -> bool {
        at < end && self.byte(at) == Some(byte)
    }
}

fn is_flow_indicator(byte: u8) -> bool {
    matches!(byte, b',' | b'[' | b']' | b'{' | b'}')
}
