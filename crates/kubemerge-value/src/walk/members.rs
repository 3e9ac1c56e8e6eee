//! The members of a map in text, one after the other or by name, without a list of them.

use crate::{
    node::{Node, Repr},
    part::part_of,
    scan::skip_space,
    string::Str,
    text::{Form, MemberScan, Resume, Seeker, Sought, Text},
};

/// A walk over the members of a map that is still text.
pub struct MemberWalk<'a> {
    scan: MemberScan<'a>,
    seeker: Seeker,
    /// Where the value of the last member starts.
    value_at: usize,
    /// How often unsorted text may still be searched from its start.
    searches_left: usize,
}

/// How far the text of a value has been walked: a walk of the text around it continues there.
#[derive(Clone, Copy)]
pub struct Walked(pub(crate) Resume);

/// A small text without order is searched so often, a larger one once; a list of its members is better from then on.
// Each search of unsorted text starts at the front, so their number is bounded.
const MAX_SEARCHES: usize = 4;
/// A text of more bytes is not small.
const MAX_SMALL_BYTES: usize = 4096;

impl<'a> MemberWalk<'a> {
    /// Starts before the first member; `None` for anything but a map in text.
    #[inline]
    pub fn of(map: Node<'a>) -> Option<Self> {
        let Repr::Text(text) = map.0 else { return None };
        (text.first() == b'{').then(|| MemberWalk {
            scan: MemberScan::of_map(text),
            seeker: Seeker::new(),
            value_at: 0,
            searches_left: if text.bytes.len() <= MAX_SMALL_BYTES { MAX_SEARCHES } else { 1 },
        })
    }

    /// The next member, repeated ones included.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "the walk can be told how far a value was walked")]
    pub fn next(&mut self) -> Option<(Str<'a>, Node<'a>)> {
        let name = self.scan.next_name()?;
        self.value_at = name.value_at;
        Some((name.key, Node(Repr::Text(self.scan.value(name)))))
    }

    /// The member of this name. Names must be sought in their order. `None` if it is not there, and also where
    /// finding out would take a list of all members: it is there more than once, or many are sought in text
    /// without order.
    #[inline]
    pub fn seek(&mut self, key: Str<'_>) -> Option<Node<'a>> {
        let text = self.scan.text();
        if text.form == Form::Given {
            self.searches_left = self.searches_left.checked_sub(1)?;
            return find_unsorted(text, key);
        }
        let Sought::Found(member) = self.seeker.seek(&mut self.scan, key) else { return None };
        self.value_at = member.value_at;
        Some(Node(Repr::Text(self.scan.value(member))))
    }

    /// Goes on from where another walk has left the value of the last member.
    #[inline]
    pub fn pass(&mut self, Walked(Resume { at, depth }): Walked) {
        if self.value_at > 0 {
            self.scan.resume(Resume { at: self.value_at + at, depth });
        }
    }

    /// How far the map has been walked.
    #[inline]
    pub fn walked(&mut self) -> Walked {
        let bytes = self.scan.text().bytes;
        let at = skip_space(bytes, self.scan.last_end());
        Walked(match bytes.get(at) {
            Some(b'}') => Resume { at: at + 1, depth: 0 },
            // Stopped early: this map is still open.
            _ => Resume { at, depth: 1 },
        })
    }
}

/// The value of a member of unsorted text; `None` if the map does not have it, or has it more than once.
fn find_unsorted<'a>(text: Text<'a>, key: Str<'_>) -> Option<Node<'a>> {
    let mut scan = MemberScan::of_map(text);
    let mut found = None;
    while let Some(name) = scan.next_name() {
        if name.key == key {
            if found.is_some() {
                // A repeated member: the general way knows which one counts.
                return None;
            }
            let end = scan.last_end();
            found = Some(Node(Repr::Text(text.closed(part_of(text.bytes, name.value_at..end)))));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Canonical, Document, to_bytes};

    const TEXT: &str = r#"{"a":{"x":[1]},"b":"}","c":{"y":{"z":1}},"d":4}"#;

    #[test]
    fn members_come_one_by_one() {
        let document = Document::check(TEXT.as_bytes()).unwrap();
        let mut members = MemberWalk::of(document.node()).unwrap();
        let mut names = String::new();
        while let Some((name, _)) = members.next() {
            names.push_str(&name.text());
        }
        assert_eq!(names, "abcd");
        assert!(
            MemberWalk::of(Node::NULL).is_none()
                && MemberWalk::of(document.node().get("d").unwrap()).is_none()
        );
    }

    #[test]
    fn a_walk_goes_on_where_another_has_left_a_value() {
        let canonical = Canonical::from_bytes(TEXT.as_bytes()).unwrap();
        let mut outer = MemberWalk::of(canonical.node()).unwrap();
        let mut inner = MemberWalk::of(outer.seek("c".into()).unwrap()).unwrap();
        assert!(inner.seek("y".into()).is_some());
        outer.pass(inner.walked());
        assert_eq!(to_bytes(outer.seek("d".into()).unwrap()), b"4");
        assert!(outer.seek("e".into()).is_none());
    }

    #[test]
    fn text_without_order_is_searched_a_few_times() {
        let document = Document::check(br#"{"b":1,"a":2,"b":3,"c":4}"#).unwrap();
        let mut members = MemberWalk::of(document.node()).unwrap();
        assert!(members.seek("a".into()).is_some() && members.seek("b".into()).is_none());
        assert!((2..MAX_SEARCHES).all(|_| members.seek("c".into()).is_some()));
        assert!(members.seek("c".into()).is_none());
    }
}
