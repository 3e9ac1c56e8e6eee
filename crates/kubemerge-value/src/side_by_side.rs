//! Two maps walked side by side, for as long as they name their members in the same order.
//!
//! Two versions of a document mostly do. One of them is walked; whether the other goes on with the same bytes
//! is a comparison, and only where it does not is its text looked at.

use crate::{
    entry::{Entry, is_surely_unique},
    node::{Node, Repr},
    string::Str,
    text::{Extent, Form, MemberScan, Text},
};

/// A member that two maps have.
#[derive(Clone, Copy)]
pub struct Pair<'a> {
    /// The member of the map that was walked.
    pub entry: Entry<'a>,
    /// The value in the other map.
    pub other: Node<'a>,
    /// Whether both are surely equal, because their texts are.
    pub is_same: bool,
}

/// The members of `map`, each with its counterpart in `other`. `None` if they do not have the same names in the
/// same order, if one of them is no text, and if names may be repeated.
pub fn side_by_side<'a>(map: Node<'a>, other: Node<'a>) -> Option<Vec<Pair<'a>>> {
    let (map, mut other) = (map_text(map)?, Follower { rest: behind(map_text(other)?, 1) });
    let mut pairs = Vec::with_capacity(8);
    let mut scan = MemberScan::of_map(map);
    while let Some(name) = scan.next_name() {
        let end = scan.settle();
        let value = value(map, name.value_at, end);
        let entry = Entry { key: name.key, value };
        pairs.push(if other.follow(&map.bytes[name.gap..end]) {
            Pair { entry, other: value, is_same: true }
        } else {
            Pair { entry, other: other.named(name.key)?, is_same: false }
        });
    }
    let is_unique = map.form == Form::Canonical || is_surely_unique(&pairs, |pair| pair.entry.key);
    (is_unique && other.is_over()).then_some(pairs)
}

fn map_text(node: Node<'_>) -> Option<Text<'_>> {
    match node.0 {
        Repr::Text(text) if text.first() == b'{' => Some(text),
        _ => None,
    }
}

fn value(text: Text<'_>, start: usize, end: usize) -> Node<'_> {
    Node(Repr::Text(text.closed(&text.bytes[start..end])))
}

/// What stands behind a place in a map.
fn behind(text: Text<'_>, at: usize) -> Text<'_> {
    Text { bytes: &text.bytes[at..], extent: Extent::Open, ..text }
}

/// The map that is not walked.
struct Follower<'a> {
    /// What was not passed yet.
    rest: Text<'a>,
}

impl<'a> Follower<'a> {
    /// Passes a member that is written like this one. It may end with a number, so the next byte counts too.
    fn follow(&mut self, member: &[u8]) -> bool {
        let Some(behind) = self.rest.bytes.strip_prefix(member) else { return false };
        let ends_here = matches!(behind.first(), Some(b',' | b'}' | b' ' | b'\n' | b'\t' | b'\r'));
        if ends_here {
            self.rest.bytes = behind;
        }
        ends_here
    }

    /// Passes the next member if it has this name.
    fn named(&mut self, key: Str<'a>) -> Option<Node<'a>> {
        let mut scan = MemberScan::of_run(self.rest);
        let name = scan.next_name().filter(|name| name.key == key)?;
        let end = scan.settle();
        let found = value(self.rest, name.value_at, end);
        self.rest = behind(self.rest, end);
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

    fn walked(one: &str, other: &str) -> Option<String> {
        let (one, other) =
            (Document::check(one.as_bytes()).unwrap(), Document::check(other.as_bytes()).unwrap());
        let written = |node| String::from_utf8(to_bytes(node)).unwrap();
        let pairs = side_by_side(one.node(), other.node())?;
        let said = pairs.iter().map(|pair| {
            let sign = if pair.is_same { "=" } else { "/" };
            format!("{}:{}{sign}{}", pair.entry.key.text(), written(pair.entry.value), written(pair.other))
        });
        Some(said.collect::<Vec<_>>().join(" "))
    }

    fn check(one: &str, other: &str, expected: &str) {
        assert_eq!(walked(one, other).as_deref(), Some(expected), "{one} {other}");
    }

    #[test]
    fn members_meet_by_place() {
        check("{}", "{ }", "");
        check(r#"{"a":1,"b":{"c":[]}}"#, r#"{"a":1,"b":{"c":[]}}"#, r#"a:1=1 b:{"c":[]}={"c":[]}"#);
        check(
            r#"{"a":{"x":1},"b":2,"c":3}"#,
            r#"{"a":{"x":10},"b":2,"c":4}"#,
            r#"a:{"x":1}/{"x":10} b:2=2 c:3/4"#,
        );
        check(r#"{"a":1,"b":2}"#, r#"{"a":12,"b":2}"#, "a:1/12 b:2=2");
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
            (r#"[1]"#, r#"{"a":1}"#),
        ] {
            assert_eq!(walked(one, other), None, "{one} {other}");
        }
    }

    #[test]
    fn a_part_of_a_document_ends_where_it_ends() {
        let (one, other) = (r#"{"m":{"a":1},"x":2}"#, r#"{"m":{"a":1},"y":2}"#);
        let [one, other] = [one, other].map(|text| Canonical::from_bytes(text.as_bytes()).unwrap());
        let arena = Arena::new();
        let [one, other] = [&one, &other].map(|text| text.node().entries(&arena)[0].value);
        assert_eq!(side_by_side(one, other).map(|pairs| pairs.len()), Some(1));
    }
}
