//! Passing over values.

use smallvec::SmallVec;

use super::{Level, PullReader, Start, TextForm};
use crate::Arena;

/// The maps and lists that are open.
type Open<'a> = SmallVec<[(Inside, Level<'a>); 8]>;

enum Inside {
    Map,
    List,
}

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

    /// Passes over the next value as long as the text has this form. Answers how deep it is nested.
    fn pass_while(&mut self, form: TextForm) -> usize {
        let (mut open, mut depth) = (Open::new(), 0);
        self.step(&mut open);
        // A stack of its own instead of recursion: the depth is up to the input.
        while let Some((inside, level)) = open.last_mut().filter(|_| self.form <= form) {
            depth = depth.max(self.depth);
            let more = match inside {
                Inside::Map => self.name(level).is_some(),
                Inside::List => self.item(level),
            };
            if more {
                self.step(&mut open);
            } else {
                open.pop();
            }
        }
        depth
    }

    /// Passes over a scalar, or into a map or list.
    #[inline]
    fn step(&mut self, open: &mut Open<'a>) {
        match self.start() {
            Start::Map => {
                let level = self.open_map();
                open.push((Inside::Map, level));
            }
            Start::List => {
                let level = self.open_list();
                open.push((Inside::List, level));
            }
            Start::Str => self.pass_string(),
            Start::Number => _ = self.number(),
            Start::True | Start::False | Start::Null => self.word(),
        }
    }
}
