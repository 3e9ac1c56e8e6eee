//! Reads the block style of most manifests, several times faster than the parser that `events` needs.
//!
//! Only what leaves no doubt is read here: maps and lists by indentation, scalars and flow collections on one
//! line, literal block scalars and comments. Anything else (anchors, tags, values over several lines, tabs, every
//! error) ends the attempt, and `events` reads the document from its start. So errors and their
//! places come from there alone. Both readers give the same document, which `tests` checks.

mod flow;
mod scalar;
#[cfg(test)]
mod tests;

use std::ops::Range;

use kubemerge_value::part::part_of;

use super::build::{Builder, Extent};
use super::options::Options;
use super::tree::{Mark, Source, Style, Value, YamlDocument};

/// Reads `text[range]`, if it is one document in plain block style.
pub(crate) fn read_document(text: &str, range: Range<usize>, options: Options) -> Option<YamlDocument<'_>> {
    let tabs = characters(text.as_bytes().get(range.clone())?)?;
    let builder = Builder::new(text, range.clone(), Source::Yaml, options);
    let (at, end) = (range.start, range.end);
    let mut reader = BlockReader { text, at, end, tabs, open: Vec::new(), pending: None, builder };
    while reader.at < reader.end {
        reader.line()?;
    }
    reader.finish()
}

/// Whether a text has tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tabs {
    None,
    /// They are left to `events`, except inside block scalars.
    Some,
}

/// Checks that no character has a meaning that this reader does not know.
fn characters(bytes: &[u8]) -> Option<Tabs> {
    // One pass that the compiler can vectorize; nearly all manifests are ASCII.
    let is_common = |byte: &u8| matches!(byte, b' '..=b'~') | (*byte == b'\n');
    if bytes.iter().fold(true, |common, byte| common & is_common(byte)) {
        return Some(Tabs::None);
    }
    // U+0080 to U+00BF has control characters and NEL, U+2028 and U+2029 are line breaks, and the last
    // three-byte characters have the byte order mark.
    let is_doubtful = |(at, byte): (usize, &u8)| match *byte {
        b' '..=b'~' | b'\n' | b'\t' => false,
        0xe2 => matches!(bytes.get(at + 1..at + 3), Some([0x80, 0xa8 | 0xa9])),
        byte => matches!(byte, ..0x80 | 0xc2 | 0xef),
    };
    if bytes.iter().enumerate().any(is_doubtful) {
        return None;
    }
    Some(if bytes.contains(&b'\t') { Tabs::Some } else { Tabs::None })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Map,
    List,
}

/// A collection whose members or items all start at one column.
#[derive(Clone, Copy, Debug)]
struct Collection {
    kind: Kind,
    column: usize,
}

struct BlockReader<'t> {
    text: &'t str,
    /// Where the next line starts.
    at: usize,
    end: usize,
    tabs: Tabs,
    open: Vec<Collection>,
    /// After a colon or a dash: where the value would be if it were left out.
    pending: Option<usize>,
    builder: Builder<'t>,
}

/// The rest of a line, without its line break.
#[derive(Clone, Copy, Debug)]
struct Rest {
    at: usize,
    end: usize,
    column: usize,
}

impl<'t> BlockReader<'t> {
    /// Reads one line, and the lines of a block scalar that starts in it.
    fn line(&mut self) -> Option<()> {
        let start = self.at;
        let end = self.line_end(start);
        // The break itself belongs to no value; the last line may have none.
        self.at = self.end.min(end + 1);
        let at = self.skip_spaces(start, end);
        if self.tabs == Tabs::Some && self.bytes().get(start..end)?.contains(&b'\t') {
            return None;
        }
        if self.is_blank(at, end) {
            return Some(());
        }
        // `...` ends a document.
        if at == start && self.bytes().get(at..end)?.starts_with(b"...") {
            return None;
        }
        let rest = Rest { at, end, column: at - start };
        self.settle(rest.column, self.is_dash(at, end))?;
        self.content(rest)
    }

    /// Ends what cannot go on in a line that starts at this column.
    fn settle(&mut self, column: usize, is_dash: bool) -> Option<()> {
        if let (Some(place), Some(top)) = (self.pending, self.open.last()) {
            // The items of a list may be at the column of the key that they belong to.
            let is_nested = column > top.column || (column == top.column && top.kind == Kind::Map && is_dash);
            if is_nested {
                return Some(());
            }
            self.null(place)?;
        }
        if self.open.is_empty() {
            return self.builder.is_empty().then_some(());
        }
        let wanted = if is_dash { Kind::List } else { Kind::Map };
        while let Some(top) = self.open.last() {
            let goes_on = top.column == column && top.kind == wanted;
            // Only a list ends before a key at its own column.
            let ends = top.column > column || (top.column == column && top.kind == Kind::List);
            match (goes_on, ends) {
                (true, _) => return Some(()),
                (false, true) => self.close()?,
                // Deeper than any collection: a scalar that goes on, or an error.
                (false, false) => return None,
            }
        }
        None
    }

    /// Dashes, then a member or the scalar of an item.
    fn content(&mut self, mut rest: Rest) -> Option<()> {
        let mut is_item = false;
        while self.is_dash(rest.at, rest.end) {
            self.enter(Kind::List, rest)?;
            self.pending = Some(rest.at + 1);
            let next = self.skip_spaces(rest.at + 1, rest.end);
            if self.is_blank(next, rest.end) {
                return Some(());
            }
            rest = Rest { at: next, column: rest.column + next - rest.at, ..rest };
            is_item = true;
        }
        match self.key_end(rest)? {
            Some(end) => self.member(rest, end),
            // A scalar below its key may go on in the next line.
            None if is_item => self.value(rest.at, rest.end),
            None => None,
        }
    }

    /// A key that ends at `key_end`, and its value.
    fn member(&mut self, rest: Rest, key_end: usize) -> Option<()> {
        self.enter(Kind::Map, rest)?;
        self.key(rest.at, key_end)?;
        self.pending = Some(key_end + 1);
        let at = self.skip_spaces(key_end + 1, rest.end);
        if self.is_blank(at, rest.end) {
            return Some(());
        }
        self.value(at, rest.end)
    }

    /// Goes on with the innermost collection, or opens one as the value that is pending.
    fn enter(&mut self, kind: Kind, Rest { at, column, .. }: Rest) -> Option<()> {
        let top = self.open.last().copied();
        if self.pending.is_none() && top.is_some() {
            return top.is_some_and(|top| top.kind == kind && top.column == column).then_some(());
        }
        self.pending = None;
        let value = if kind == Kind::Map { Value::Map } else { Value::List };
        self.builder.open(value, Style::Block, (at..at).into(), Mark::default()).ok()?;
        self.open.push(Collection { kind, column });
        Some(())
    }

    fn close(&mut self) -> Option<()> {
        self.open.pop();
        self.builder.close(None).ok()
    }

    /// A value that was left out.
    fn null(&mut self, place: usize) -> Option<()> {
        self.pending = None;
        // With spaces or a comment after the colon or dash, the parser reports other places.
        if place < self.end && self.byte(place)? != b'\n' {
            return None;
        }
        let extent = Extent::from(place..place);
        self.builder.scalar(Value::Null, Style::Plain, extent, Mark::default()).ok()?;
        Some(())
    }

    fn finish(mut self) -> Option<YamlDocument<'t>> {
        if let Some(place) = self.pending {
            self.null(place)?;
        }
        while !self.open.is_empty() {
            self.close()?;
        }
        // A text of comments only is no document, which `events` knows how to tell.
        (!self.builder.is_empty()).then(|| self.builder.finish())
    }

    /// The text up to the end of a line.
    fn line_until(&self, end: usize) -> Option<&'t [u8]> {
        self.bytes().get(..end)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes().get(at).copied()
    }

    fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    fn line_end(&self, from: usize) -> usize {
        memchr::memchr(b'\n', part_of(self.bytes(), from..self.end)).map_or(self.end, |length| from + length)
    }

    fn skip_spaces(&self, from: usize, end: usize) -> usize {
        // A bracket may be the last byte of a line.
        let from = from.min(end);
        part_of(self.bytes(), from..end)
            .iter()
            .position(|byte| *byte != b' ')
            .map_or(end, |length| from + length)
    }

    /// Whether nothing but a comment follows. It must be at the start of a line or after a space.
    fn is_blank(&self, at: usize, end: usize) -> bool {
        let is_comment = || self.byte(at) == Some(b'#');
        let starts_word =
            || at.checked_sub(1).is_none_or(|before| matches!(self.byte(before), Some(b' ' | b'\n')));
        at == end || (is_comment() && starts_word())
    }

    /// A dash that is followed by a space or by nothing.
    fn is_dash(&self, at: usize, end: usize) -> bool {
        self.bytes().get(at) == Some(&b'-') && self.ends_word(at + 1, end)
    }

    fn ends_word(&self, at: usize, end: usize) -> bool {
        at >= end || self.byte(at) == Some(b' ')
    }
}
