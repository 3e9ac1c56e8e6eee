//! A canonical map that is put together from parts.

use super::canonical::write_value;
use crate::{
    document::Canonical,
    node::Node,
    part::part_of,
    shared::ByteSpan,
    string::{is_before, is_plain, write_escaped},
};
use smallvec::SmallVec;
use std::ops::Range;

/// Writes one map, member by member.
///
/// Members are meant to come sorted by name. Where they do not, the text is put in order at the end: whatever is
/// written, what comes out is canonical. A map that is out of order and nested deeper than
/// [`MAX_DEPTH`](crate::MAX_DEPTH), which no [`Node`] is, comes out empty.
///
/// ```
/// use kubemerge_value::{Node, write::{MapWriter, QuotedName}};
///
/// let mut writer = MapWriter::with_capacity(64);
/// writer.member("kind", Node::string("Pod"));
/// writer.begin(QuotedName::new("\"metadata\":"));
/// writer.text(QuotedName::new("\"name\":"), "web");
/// writer.end();
/// assert_eq!(writer.finish().as_bytes(), br#"{"kind":"Pod","metadata":{"name":"web"}}"#);
/// ```
#[derive(Debug)]
pub struct MapWriter {
    out: Vec<u8>,
    /// The position of the last name in the open map.
    last: Range<usize>,
    /// The same for the maps around it.
    outside: SmallVec<[Range<usize>; 2]>,
    deepest: usize,
    in_order: bool,
}

/// The place of a name that was not written yet.
const NONE: Range<usize> = 0..0;

impl MapWriter {
    /// A writer with room for this many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        let mut out = Vec::with_capacity(bytes);
        out.push(b'{');
        MapWriter { out, last: NONE, outside: SmallVec::new(), deepest: 1, in_order: true }
    }

    /// How many bytes were written; the next member begins here or after a comma.
    pub fn written(&self) -> usize {
        self.out.len()
    }

    /// Writes a member; answers where its value is, if the members come sorted.
    pub fn member(&mut self, name: &str, value: Node<'_>) -> ByteSpan {
        self.name(name);
        let start = self.out.len();
        self.deepest = self.deepest.max(write_value(value, self.level(), &mut self.out));
        ByteSpan::new(start..self.out.len())
    }

    fn plain_name(&mut self, name: QuotedName) {
        self.comma(name.text().as_bytes());
        self.out.extend_from_slice(name.0.as_bytes());
    }

    /// Writes a member whose value `append` writes and whose depth it answers. The value must be canonical text: it is
    /// trusted, as that of every writer of kubemerge is.
    pub fn append(&mut self, name: &str, append: impl FnOnce(&mut Vec<u8>) -> usize) -> ByteSpan {
        self.name(name);
        self.append_value(append)
    }

    /// The same for a name that is known to be plain.
    pub fn append_plain(&mut self, name: QuotedName, append: impl FnOnce(&mut Vec<u8>) -> usize) -> ByteSpan {
        self.plain_name(name);
        self.append_value(append)
    }

    fn append_value(&mut self, append: impl FnOnce(&mut Vec<u8>) -> usize) -> ByteSpan {
        let start = self.out.len();
        let depth = append(&mut self.out);
        debug_assert!(
            Canonical::from_bytes(part_of(&self.out, start..))
                .is_ok_and(|text| text.as_bytes() == part_of(&self.out, start..)),
            "what is appended is canonical"
        );
        self.deepest = self.deepest.max(self.level().saturating_add(depth));
        ByteSpan::new(start..self.out.len())
    }

    /// Writes a string under a name that is known to be plain.
    pub fn text(&mut self, name: QuotedName, value: &str) -> ByteSpan {
        self.plain_name(name);
        let start = self.out.len();
        write_escaped(value.as_bytes(), &mut self.out);
        ByteSpan::new(start..self.out.len())
    }

    /// Begins a member that is a map: what follows belongs to it.
    pub fn begin(&mut self, name: QuotedName) {
        self.plain_name(name);
        self.out.push(b'{');
        // Names are compared within one map only.
        self.outside.push(std::mem::replace(&mut self.last, NONE));
        self.deepest = self.deepest.max(self.level());
    }

    /// Ends the map that was begun last.
    pub fn end(&mut self) {
        if let Some(last) = self.outside.pop() {
            self.last = last;
            self.out.push(b'}');
        }
    }

    /// How many maps are open.
    fn level(&self) -> usize {
        self.outside.len() + 1
    }

    /// The whole map; what is open is ended.
    pub fn finish(mut self) -> Canonical {
        self.out.resize(self.out.len() + self.level(), b'}');
        if self.in_order {
            return Canonical::written(self.out, self.deepest);
        }
        // Members came unsorted, so the text is sorted now; it is always JSON.
        Canonical::from_bytes(&self.out).unwrap_or_else(|_| Canonical::written(b"{}".to_vec(), 1))
    }

    fn name(&mut self, name: &str) {
        self.comma(name.as_bytes());
        if name.bytes().all(is_plain) {
            self.out.push(b'"');
            self.out.extend_from_slice(name.as_bytes());
            self.out.extend_from_slice(b"\":");
        } else {
            // An escaped text does not tell the order of its name.
            self.in_order = false;
            write_value(Node::string(name), 0, &mut self.out);
            self.out.push(b':');
        }
    }

    /// The comma before a name, unless it is the first one.
    #[inline]
    fn comma(&mut self, name: &[u8]) {
        // Not the first member.
        if self.last.end > 0 {
            self.in_order &= is_before(part_of(&self.out, self.last.clone()), name);
            self.out.push(b',');
        }
        let start = self.out.len() + 1;
        self.last = start..start + name.len();
    }
}

/// The name of a member as it is written, with quotes and colon: `"kind":`. Nothing in it needs an escape.
#[derive(Clone, Copy, Debug)]
pub struct QuotedName(&'static str);

impl QuotedName {
    /// Checks the name, at compile time where it is a constant.
    ///
    /// # Panics
    /// If it has no quotes and colon, or would need an escape.
    #[expect(clippy::indexing_slicing, reason = "A name that is too short panics, as documented.")]
    pub const fn new(quoted: &'static str) -> QuotedName {
        let bytes = quoted.as_bytes();
        let (last, colon) = (bytes.len() - 2, bytes.len() - 1);
        assert!(last > 0 && bytes[0] == b'"' && bytes[last] == b'"' && bytes[colon] == b':', "a quoted name");
        let mut at = 1;
        while at < last {
            assert!(is_plain(bytes[at]), "a plain name");
            at += 1;
        }
        QuotedName(quoted)
    }

    /// The name itself.
    #[inline]
    pub fn text(self) -> &'static str {
        self.0.get(1..self.0.len() - 2).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(names: &[&str]) -> String {
        let mut writer = MapWriter::with_capacity(0);
        for name in names {
            writer.member(name, Node::NULL);
        }
        String::from_utf8(writer.finish().into_bytes()).unwrap()
    }

    #[test]
    fn whatever_is_written_is_canonical() {
        assert_eq!(written(&[]), "{}");
        assert_eq!(written(&["", "a", "b"]), r#"{"":null,"a":null,"b":null}"#);
        assert_eq!(written(&["b", "a", "b"]), r#"{"a":null,"b":null}"#);
        assert_eq!(written(&["a\"", "a!"]), r#"{"a!":null,"a\"":null}"#);
    }

    #[test]
    fn maps_in_maps_have_an_order_of_their_own() {
        let mut writer = MapWriter::with_capacity(0);
        writer.begin(QuotedName::new("\"b\":"));
        writer.member("a", Node::string("<"));
        writer.end();
        writer.end();
        writer.begin(QuotedName::new("\"c\":"));
        writer.begin(QuotedName::new("\"d\":"));
        assert_eq!(writer.finish().as_bytes(), br#"{"b":{"a":"\u003c"},"c":{"d":{}}}"#);
    }
}
