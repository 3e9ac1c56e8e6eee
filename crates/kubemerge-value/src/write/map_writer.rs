//! A canonical map that is put together from parts.

use super::canonical::write_value;
use crate::{document::Canonical, node::Node, string::is_plain};
use std::ops::Range;

/// Writes one map, member by member.
///
/// Members are meant to come sorted by name. Where they do not, the text is put in order at the end: whatever is
/// written, what comes out is canonical. A map that is out of order and nested deeper than
/// [`MAX_DEPTH`](crate::MAX_DEPTH), which no [`Node`] is, comes out empty.
///
/// ```
/// use kubemerge_value::{MapWriter, Node};
///
/// let mut writer = MapWriter::with_capacity(64);
/// writer.member("kind", Node::string("Pod"));
/// writer.begin("metadata");
/// writer.member("name", Node::string("web"));
/// writer.end();
/// assert_eq!(writer.finish().as_bytes(), br#"{"kind":"Pod","metadata":{"name":"web"}}"#);
/// ```
#[derive(Debug)]
pub struct MapWriter {
    out: Vec<u8>,
    /// The last name in each map that is open, where it stands.
    open: Vec<Range<usize>>,
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
        let mut open = Vec::with_capacity(4);
        open.push(NONE);
        MapWriter { out, open, deepest: 1, in_order: true }
    }

    /// How many bytes were written; the next member begins here or behind a comma.
    pub fn written(&self) -> usize {
        self.out.len()
    }

    /// Writes a member.
    pub fn member(&mut self, name: &str, value: Node<'_>) {
        self.name(name);
        self.deepest = self.deepest.max(write_value(value, self.open.len(), &mut self.out));
    }

    /// Begins a member that is a map: what follows belongs to it.
    pub fn begin(&mut self, name: &str) {
        self.name(name);
        self.out.push(b'{');
        self.open.push(NONE);
        self.deepest = self.deepest.max(self.open.len());
    }

    /// Ends the map that was begun last.
    pub fn end(&mut self) {
        if self.open.len() > 1 {
            self.open.pop();
            self.out.push(b'}');
        }
    }

    /// The whole map; what is open is ended.
    pub fn finish(mut self) -> Canonical {
        self.out.resize(self.out.len() + self.open.len(), b'}');
        if self.in_order {
            return Canonical::written(self.out, self.deepest);
        }
        Canonical::from_bytes(&self.out).unwrap_or_else(|_| Canonical::written(b"{}".to_vec(), 1))
    }

    fn name(&mut self, name: &str) {
        let Some(last) = self.open.last_mut() else { return };
        if last.end > 0 {
            self.in_order &= self.out[last.clone()] < *name.as_bytes();
            self.out.push(b',');
        }
        *last = self.out.len() + 1..self.out.len() + 1 + name.len();
        if name.bytes().all(is_plain) {
            self.out.push(b'"');
            self.out.extend_from_slice(name.as_bytes());
            self.out.extend_from_slice(b"\":");
        } else {
            // Where the name stands is not what it means.
            self.in_order = false;
            write_value(Node::string(name), 0, &mut self.out);
            self.out.push(b':');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(names: &[&str]) -> String {
        let mut writer = MapWriter::with_capacity(0);
        names.iter().for_each(|name| writer.member(name, Node::NULL));
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
        writer.begin("b");
        writer.member("a", Node::string("<"));
        writer.end();
        writer.end();
        writer.begin("c");
        writer.begin("d");
        assert_eq!(writer.finish().as_bytes(), br#"{"b":{"a":"\u003c"},"c":{"d":{}}}"#);
    }
}
