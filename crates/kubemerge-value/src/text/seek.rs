//! Finding a member by name in canonical text, whose members are sorted.

use super::{
    members::{MemberName, MemberScan},
    value::Resume,
};
use crate::{scan::member_after, string::Str};
use std::cmp::Ordering;

/// What a search for a name comes to.
pub(crate) enum Sought<'a> {
    /// The member.
    Found(MemberName<'a>),
    /// The first member after the place where it would be.
    Passed(MemberName<'a>),
    /// The end of the map.
    End,
}

/// After this many members that are not the wanted one, a search for the bytes of its name pays. It finds a key
/// of a config map of 1 MB in half the time; maps of ordinary objects have fewer members and never search.
// Step by step is faster for near names; beyond this a search for the text wins.
const SEARCH_AFTER: usize = 32;

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
        let mut steps_left = if self.may_leap { SEARCH_AFTER } else { usize::MAX };
        while let Some(member) = scan.next_name() {
            match member.key.cmp(&key) {
                Ordering::Less => {}
                Ordering::Equal => return Sought::Found(member),
                Ordering::Greater => return Sought::Passed(member),
            }
            steps_left -= 1;
            if steps_left == 0 {
                return self.leap(scan, key);
            }
        }
        Sought::End
    }

    /// Seeks the member from right before it, if a search finds it. A search in vain is not repeated.
    fn leap<'a>(&mut self, scan: &mut MemberScan<'a>, key: Str<'_>) -> Sought<'a> {
        let mut member = vec![b','];
        key.write_canonical(&mut member);
        member.push(b':');
        match member_after(scan.text().bytes, scan.last_end(), &member) {
            Some(at) => scan.resume(Resume { at, depth: 0 }),
            // Not found or not certain: a second search would cost the same again.
            None => self.may_leap = false,
        }
        self.seek(scan, key)
    }
}
