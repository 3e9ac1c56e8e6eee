//! Finding a member by name in canonical text, whose members are sorted.

use super::{
    members::{MemberName, MemberScan},
    value::{Resume, Text},
};
use crate::{
    scan::{member_behind, strings_in_map},
    string::Str,
};
use std::{
    cmp::Ordering,
    ops::ControlFlow::{Break, Continue},
};

/// What a search for a name comes to.
pub(crate) enum Sought<'a> {
    /// The member.
    Found(MemberName<'a>),
    /// The first member behind the place where it would stand.
    Passed(MemberName<'a>),
    /// The end of the map.
    End,
}

/// After so many members that are not the wanted one, a search for its name pays.
const MANY: usize = 16;

/// Goes forward through one map, name by name.
pub(crate) struct Seeker {
    /// No member was searched for in vain yet.
    may_leap: bool,
}

impl Seeker {
    pub(crate) fn new() -> Self {
        Seeker { may_leap: true }
    }

    /// Goes to the first member whose name is not less than this one.
    #[inline]
    pub(crate) fn seek<'a>(&mut self, scan: &mut MemberScan<'a>, key: Str<'_>) -> Sought<'a> {
        let text = scan.text();
        let mut steps_left = if self.may_leap { MANY } else { usize::MAX };
        let stop = strings_in_map(text.bytes, scan.settle(), 1, |start| {
            if text.bytes[start - 1] == b':' {
                return Continue(());
            }
            let order = compare_name(text, start, key);
            steps_left -= 1;
            if order == Ordering::Less && steps_left > 0 { Continue(()) } else { Break((start, order)) }
        });
        let (start, order) = match stop {
            Break(met) => met,
            Continue(end) => {
                scan.resume(Resume { at: end.max(1) - 1, depth: 0 });
                return Sought::End;
            }
        };
        let member = scan.enter(gap_before(text.bytes, start), start);
        match order {
            Ordering::Less => self.leap(scan, key),
            Ordering::Equal => Sought::Found(member),
            Ordering::Greater => Sought::Passed(member),
        }
    }

    /// Seeks the member from right before it, if a search finds it. A search in vain is not repeated.
    fn leap<'a>(&mut self, scan: &mut MemberScan<'a>, key: Str<'_>) -> Sought<'a> {
        let mut member = vec![b','];
        key.write_canonical(&mut member);
        member.push(b':');
        match member_behind(scan.text().bytes, scan.settle(), &member) {
            Some(at) => scan.resume(Resume { at, depth: 0 }),
            None => self.may_leap = false,
        }
        self.seek(scan, key)
    }
}

/// How the name whose opening quote stands here compares to another one.
#[inline(always)]
fn compare_name(text: Text<'_>, start: usize, key: Str<'_>) -> Ordering {
    let (Some(first), Some([wanted, ..])) = (text.bytes.get(start + 1), key.unescaped()) else {
        return text.name_at(start).cmp(&key);
    };
    // Most names differ in their first byte.
    if first == wanted || matches!(first, b'"' | b'\\') {
        return text.name_at(start).cmp(&key);
    }
    first.cmp(wanted)
}

/// The position behind the member before the one that starts here.
fn gap_before(bytes: &[u8], start: usize) -> usize {
    if bytes[start - 1] == b',' { start - 1 } else { start }
}
