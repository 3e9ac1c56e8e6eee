//! Two maps walked side by side, for as long as they name their members in the same order.
//!
//! Two versions of a document mostly do. One of them is walked; whether the other goes on with the same bytes
//! is a comparison, and only where it does not is its text looked at.

use crate::{
    node::{Entry, is_surely_unique},
    node::{Node, Repr},
    part::part_of,
    string::Str,
    text::{Extent, MemberScan, Text},
};

/// A member that two maps have.
#[derive(Clone, Copy)]
pub struct MemberPair<'a> {
    /// The member of the map that was walked.
    pub entry: Entry<'a>,
    /// The value in the other map.
    pub other: Node<'a>,
}

/// The members of `map`, each with its counterpart in `other`, without those that both write alike and that are
/// settled by that. `None` if the maps do not have the same names in the same order, if one of them is no text,
/// and if names may be repeated.
pub fn pair_members<'a>(
    map: Node<'a>,
    other: Node<'a>,
    mut is_done: impl FnMut(&Entry<'a>) -> bool,
) -> Option<Vec<MemberPair<'a>>> {
    let (map, mut other) = (map_text(map)?, Follower { rest: after(map_text(other)?, 1) });
    let mut pairs = Vec::new();
    let mut scan = MemberScan::of_map(map);
    let mut names = PassedNames::default();
    while let Some(name) = scan.next_name() {
        let end = scan.last_end();
        names.pass(name.key);
        let entry = Entry { key: name.key, value: value(map, name.value_at, end) };
        // Equal text needs no comparison of values.
        if !other.follow(part_of(map.bytes, name.gap..end)) {
            pairs.push(MemberPair { entry, other: other.named(name.key)? });
        } else if !is_done(&entry) {
            pairs.push(MemberPair { entry, other: entry.value });
        }
    }
    // Members in another order or more of them: the general way compares by name.
    (other.is_over() && names.are_unique(map)).then_some(pairs)
}

/// The names of a map, to see whether one is repeated. As long as they rise, none is.
#[derive(Default)]
struct PassedNames<'a> {
    last: Option<Str<'a>>,
    is_unsorted: bool,
}

impl<'a> PassedNames<'a> {
    fn pass(&mut self, name: Str<'a>) {
        self.is_unsorted |= self.last.replace(name).is_some_and(|last| last >= name);
    }

    fn are_unique(&self, map: Text<'a>) -> bool {
        // Sorted names are unique.
        if !self.is_unsorted {
            return true;
        }
        let mut scan = MemberScan::of_map(map);
        let names: Vec<Str<'a>> = std::iter::from_fn(|| Some(scan.next_name()?.key)).collect();
        is_surely_unique(&names, |name| *name)
    }
}

fn map_text(node: Node<'_>) -> Option<Text<'_>> {
    match node.0 {
        Repr::Text(text) if text.first() == b'{' => Some(text),
        _ => None,
    }
}

fn value(text: Text<'_>, start: usize, end: usize) -> Node<'_> {
    Node(Repr::Text(text.closed(part_of(text.bytes, start..end))))
}

/// The text after a place in a map.
fn after(text: Text<'_>, at: usize) -> Text<'_> {
    Text { bytes: part_of(text.bytes, at..), extent: Extent::Open, ..text }
}

/// The map that is not walked.
struct Follower<'a> {
    /// What was not passed yet.
    rest: Text<'a>,
}

impl<'a> Follower<'a> {
    /// Passes a member that is written like this one. It may end with a number, so the next byte counts too.
    fn follow(&mut self, member: &[u8]) -> bool {
        let Some(after) = self.rest.bytes.strip_prefix(member) else { return false };
        // `1` is also the start of `12`.
        let ends_here = matches!(after.first(), Some(b',' | b'}' | b' ' | b'\n' | b'\t' | b'\r'));
        if ends_here {
            self.rest.bytes = after;
        }
        ends_here
    }

    /// Passes the next member if it has this name.
    fn named(&mut self, key: Str<'a>) -> Option<Node<'a>> {
        let mut scan = MemberScan::of_run(self.rest);
        let name = scan.next_name().filter(|name| name.key == key)?;
        let end = scan.last_end();
        let found = value(self.rest, name.value_at, end);
        self.rest = after(self.rest, end);
        Some(found)
    }

    fn is_over(&self) -> bool {
        MemberScan::of_run(self.rest).next_name().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arena, Canonical, Document, to_bytes};

    /// What is left when equal members are settled but for the one of this name.
    fn walked(one: &str, other: &str, unsettled: &str) -> Option<String> {
        let [one, other] = [one, other].map(|text| Document::check(text.as_bytes()).unwrap());
        let written = |node| String::from_utf8(to_bytes(node)).unwrap();
        let pairs = pair_members(one.node(), other.node(), |entry| !entry.key.is(unsettled))?;
        let said = pairs
            .iter()
            .map(|pair| format!("{}:{}/{}", pair.entry.key, written(pair.entry.value), written(pair.other)));
        Some(said.collect::<Vec<_>>().join(" "))
    }

    fn check(one: &str, other: &str, expected: &str) {
        assert_eq!(walked(one, other, "z").as_deref(), Some(expected), "{one} {other}");
    }

    #[test]
    fn members_meet_by_place() {
        check("{}", "{ }", "");
        check(r#"{"a":1,"b":{"c":[]}}"#, r#"{"a":1,"b":{"c":[]}}"#, "");
        check(r#"{"a":1,"z":{"c":[]}}"#, r#"{"a":1,"z":{"c":[]}}"#, r#"z:{"c":[]}/{"c":[]}"#);
        check(r#"{"a":{"x":1},"b":2,"c":3}"#, r#"{"a":{"x":10},"b":2,"c":4}"#, r#"a:{"x":1}/{"x":10} c:3/4"#);
        check(r#"{"b":1,"a":2}"#, r#"{"b":12,"a":2}"#, "b:1/12");
        check(r#"{"a":1, "b" : 2 }"#, r#"{"\u0061": 1,"b":2}"#, "a:1/1 b:2/2");
    }

    #[test]
    fn other_names_have_no_answer() {
        for (one, other) in [
            (r#"{"a":1}"#, r#"{"b":1}"#),
            (r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#),
            (r#"{"a":1}"#, r#"{"a":1,"b":2}"#),
            (r#"{"a":1,"b":2}"#, r#"{"a":1}"#),
            (r#"{"a":1,"a":2}"#, r#"{"a":1,"a":3}"#),
            (r#"{"b":1,"a":2,"b":1}"#, r#"{"b":1,"a":2,"b":1}"#),
            (r"[1]", r#"{"a":1}"#),
        ] {
            assert_eq!(walked(one, other, "z"), None, "{one} {other}");
        }
    }

    #[test]
    fn a_part_of_a_document_ends_where_it_ends() {
        let (one, other) = (r#"{"m":{"a":1},"x":2}"#, r#"{"m":{"a":1},"y":2}"#);
        let [one, other] = [one, other].map(|text| Canonical::from_bytes(text.as_bytes()).unwrap());
        let arena = Arena::new();
        let [one, other] = [&one, &other].map(|text| text.node().entries(&arena)[0].value);
        assert_eq!(pair_members(one, other, |_| false).map(|pairs| pairs.len()), Some(1));
    }
}
