//! Walks the members of a map in text.

use super::value::{Extent, Resume, Text};
use crate::{
    part::part_of,
    scan::{StringEnd, string_end},
    string::Str,
};

/// The name of a member, as it is in the text.
#[derive(Clone, Copy)]
pub(crate) struct MemberName<'a> {
    /// After the member before, or after the opening bracket.
    pub(crate) gap: usize,
    /// The opening quote of the name.
    pub(crate) start: usize,
    /// After the closing quote of the name.
    pub(crate) end: usize,
    pub(crate) key: Str<'a>,
    pub(crate) value_at: usize,
}

/// Walks the members of a map, or of a run of members.
pub(crate) struct MemberScan<'a> {
    text: Text<'a>,
    after: After,
}

/// What is known of the end of the last member.
#[derive(Clone, Copy)]
enum After {
    /// It is here.
    At(usize),
    /// The value starts here.
    Value(usize),
    /// Another walk has read a part of the value.
    Inside(Resume),
}

impl<'a> MemberScan<'a> {
    /// The members of the map that this text is.
    pub(crate) fn of_map(text: Text<'a>) -> Self {
        MemberScan { text, after: After::At(1) }
    }

    /// The members from the start of this text on, up to a closing bracket or the end.
    pub(crate) fn of_run(text: Text<'a>) -> Self {
        MemberScan { text, after: After::At(0) }
    }

    pub(crate) fn text(&self) -> Text<'a> {
        self.text
    }

    /// The position after the last member that `next` gave.
    #[inline]
    pub(crate) fn last_end(&mut self) -> usize {
        let at = match self.after {
            After::At(at) => at,
            After::Value(start) => self.text.end_at(start),
            After::Inside(resume) => resume.end(self.text.bytes),
        };
        self.after = After::At(at);
        at
    }

    /// Goes on from a place inside the last member, where another walk has left its value.
    pub(crate) fn resume(&mut self, resume: Resume) {
        self.after = After::Inside(resume);
    }

    /// The name of the next member. Its value is passed over when the scan goes on.
    #[inline(always)]
    pub(crate) fn next_name(&mut self) -> Option<MemberName<'a>> {
        let gap = self.last_end();
        let start = self.text.after_comma(gap);
        (self.text.bytes.get(start) == Some(&b'"')).then(|| self.enter(gap, start))
    }

    /// The name that starts here, after this gap.
    #[inline(always)]
    pub(crate) fn enter(&mut self, gap: usize, start: usize) -> MemberName<'a> {
        let StringEnd { end, escapes } = string_end(self.text.bytes, start + 1);
        let key = self.text.name(start, end, escapes);
        let value_at = self.text.after_colon(end);
        self.after = After::Value(value_at);
        MemberName { gap, start, end, key, value_at }
    }

    /// The next member.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(Str<'a>, Text<'a>)> {
        let name = self.next_name()?;
        Some((name.key, self.value(name)))
    }

    /// The value of the member whose name came last: a scalar with its end, a container without.
    #[inline]
    pub(crate) fn value(&mut self, name: MemberName<'a>) -> Text<'a> {
        let rest = part_of(self.text.bytes, name.value_at..);
        if let Some(b'{' | b'[') = rest.first() {
            // A container keeps its end unknown: most are never read to the end.
            return Text { bytes: rest, extent: Extent::Open, ..self.text };
        }
        let end = self.last_end();
        self.text.closed(part_of(self.text.bytes, name.value_at..end))
    }
}
