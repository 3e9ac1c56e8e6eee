//! Passing over values.

use smallvec::SmallVec;

use super::{Level, PullReader, Start, TextFault, TextForm};
use crate::Arena;

/// How deep canonical JSON is nested; `None` for other bytes, of which no more is read than needed.
pub(crate) fn canonical_depth(bytes: &[u8]) -> Option<usize> {
    let arena = Arena::new();
    let mut reader = PullReader::of_bytes(bytes, &arena);
    let depth = reader.pass_while(TextForm::Canonical);
    (reader.finish() == TextForm::Canonical).then_some(depth)
}

impl<'a> PullReader<'a> {
    /// Passes over the next value and answers its text.
    pub fn pass(&mut self) -> &'a str {
        self.peek();
        if let Some(text) = self.pass_node() {
            return text;
        }
        let (text, start) = (self.text, self.at);
        self.pass_while(TextForm::Given);
        text.get(start..self.at).unwrap_or_default()
    }

    /// Passes over all of the text and answers its first fault. Numbers may have any size.
    pub fn first_fault(mut self) -> Option<TextFault> {
        self.pass_parts(TextForm::Given, PullReader::pass_literal);
        self.end();
        self.fault
    }

    /// Whether all of the text is canonical; it is read only as long as it is.
    pub fn is_canonical(mut self) -> bool {
        self.pass_while(TextForm::Canonical);
        self.finish() == TextForm::Canonical
    }

    /// Passes over the next value as long as the text has this form. Returns how deep it is nested.
    fn pass_while(&mut self, form: TextForm) -> usize {
        self.pass_parts(form, PullReader::pass_scalar)
    }

    /// The same, with a function that passes over scalars.
    #[inline]
    fn pass_parts(&mut self, form: TextForm, pass_scalar: impl Fn(&mut Self, Start)) -> usize {
        // A stack of its own instead of recursion: the depth is up to the input.
        let (mut around, mut open, mut depth) = (SmallVec::<[Open<'a>; 8]>::new(), Open::Nothing, 0);
        loop {
            let inner = match self.start() {
                Start::Map => Open::Map(self.open_map()),
                Start::List => Open::List(self.open_list()),
                scalar => {
                    pass_scalar(self, scalar);
                    Open::Nothing
                }
            };
            if !matches!(inner, Open::Nothing) {
                around.push(std::mem::replace(&mut open, inner));
                depth = depth.max(around.len());
            }
            // On to the next part, out of what ends here.
            while !self.has_more(&mut open) {
                match around.pop() {
                    Some(outer) => open = outer,
                    None => return depth,
                }
            }
            if self.form > form {
                return depth;
            }
        }
    }

    #[inline]
    fn has_more(&mut self, open: &mut Open<'a>) -> bool {
        match open {
            Open::Map(level) => self.name(level).is_some(),
            Open::List(level) => self.item(level),
            Open::Nothing => false,
        }
    }

    #[inline]
    fn pass_scalar(&mut self, start: Start) {
        match start {
            Start::Str => self.pass_string(),
            Start::Number => _ = self.number(),
            _ => self.word(),
        }
    }

    fn pass_literal(&mut self, start: Start) {
        match start {
            Start::Number => _ = self.number_literal(),
            other => self.pass_scalar(other),
        }
    }
}

/// What the next value is in.
enum Open<'a> {
    Nothing,
    Map(Level<'a>),
    List(Level<'a>),
}
