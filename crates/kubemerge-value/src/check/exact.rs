//! The exact check: byte by byte, so that a fault is found where it is.

use super::{
    Checked,
    token::{SyntaxFault, escape_end, word_end},
};
use crate::{
    MAX_DEPTH,
    error::ParseErrorKind as Kind,
    scan::skip_space,
    text::{Ends, MIN_INDEXED_BYTES},
};

/// Checks that the bytes are one JSON value.
pub(super) fn check(bytes: &[u8]) -> Result<Checked, SyntaxFault> {
    // First, so that later offsets are at characters.
    if let Err(error) = std::str::from_utf8(bytes) {
        return Err(SyntaxFault { kind: Kind::InvalidUtf8, at: error.valid_up_to() });
    }
    let mut checker = Checker { bytes, at: 0, open: Vec::new(), depth: 0, large: Vec::new() };
    checker.document()?;
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
    fn document(&mut self) -> Result<(), SyntaxFault> {
        self.value()?;
        // A stack of its own instead of recursion: the depth is up to the input.
        while let Some((container, _)) = self.open.last().copied() {
            self.next(container)?;
        }
        self.space();
        if self.at < self.bytes.len() { self.fault(Kind::TrailingText) } else { Ok(()) }
    }

    fn space(&mut self) {
        self.at = skip_space(self.bytes, self.at);
    }

    fn peek(&self) -> Result<u8, SyntaxFault> {
        self.bytes.get(self.at).copied().map_or_else(|| self.fault(Kind::UnexpectedEnd), Ok)
    }

    fn expect(&mut self, wanted: u8) -> Result<(), SyntaxFault> {
        if self.peek()? != wanted {
            return self.fault(Kind::UnexpectedCharacter);
        }
        self.at += 1;
        Ok(())
    }

    /// After a value inside a container: a comma and the next value, or the end of the container.
    fn next(&mut self, container: Container) -> Result<(), SyntaxFault> {
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
            _ => self.fault(Kind::UnexpectedCharacter),
        }
    }

    fn close(&mut self) {
        let Some((_, start)) = self.open.pop() else { return };
        if self.at - start >= MIN_INDEXED_BYTES {
            self.large.push((start as u32, self.at as u32));
        }
    }

    /// A member of a map, or an element of a list.
    fn item(&mut self, container: Container) -> Result<(), SyntaxFault> {
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
    fn value(&mut self) -> Result<(), SyntaxFault> {
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
    fn open(&mut self, container: Container) -> Result<bool, SyntaxFault> {
        // Readers recurse with `deep`, which costs memory a level; this bounds it.
        if self.open.len() == MAX_DEPTH {
            return self.fault(Kind::TooDeep { limit: MAX_DEPTH });
        }
        let start = self.at;
        self.at += 1;
        self.space();
        self.depth = self.depth.max(self.open.len() + 1);
        let closing = if container == Container::Map { b'}' } else { b']' };
        if self.peek()? == closing {
            self.at += 1;
            // An empty container is closed at once and never on the stack.
            return Ok(true);
        }
        self.open.push((container, start));
        Ok(false)
    }

    fn scalar(&mut self) -> Result<(), SyntaxFault> {
        if self.peek()? == b'"' {
            self.at += 1;
            return self.string();
        }
        self.at = word_end(self.bytes, self.at)?;
        Ok(())
    }

    fn string(&mut self) -> Result<(), SyntaxFault> {
        loop {
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => self.at = escape_end(self.bytes, self.at + 1)?,
                0..=0x1f => return self.fault(Kind::ControlCharacter),
                _ => self.at += 1,
            }
        }
    }

    fn fault<T>(&self, kind: Kind) -> Result<T, SyntaxFault> {
        Err(SyntaxFault { kind, at: self.at })
    }
}
