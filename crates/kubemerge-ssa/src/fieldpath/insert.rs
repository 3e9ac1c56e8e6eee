//! Adds the paths of a small set to the text of another one, without reading the text into a set.

use kubemerge_value::part::part_of;
use kubemerge_value::string_length;

use super::label::write_quoted_label;
use super::may_intersect::{MAX_SEARCHES, after_node};
use super::node::SetNode;
use super::{Element, FieldOrder, FieldSet};

/// The text of the union of a set, given as `fieldsV1` that this crate has written in that order, and another set.
/// `None` if the text has to be read for it.
pub(crate) fn with_all(text: &str, paths: &FieldSet<'_>, order: FieldOrder) -> Option<String> {
    if paths.has_more_nodes_than(MAX_SEARCHES) || !text.starts_with('{') {
        return None;
    }
    let out = Vec::with_capacity(text.len() + 256);
    let mut insertion = Insertion { text: text.as_bytes(), at: 1, copied: 0, out, order };
    insertion.level(*paths)?;
    let Insertion { text, copied, mut out, .. } = insertion;
    out.extend_from_slice(part_of(text, copied..));
    // Labels are UTF-8, and a text is only cut at its brackets and commas.
    String::from_utf8(out).ok()
}

struct Insertion<'t> {
    text: &'t [u8],
    /// The place in the text.
    at: usize,
    /// How much of the text was copied.
    copied: usize,
    out: Vec<u8>,
    order: FieldOrder,
}

/// Where a child belongs, seen from a node of the text.
enum Relation {
    Here,
    /// Further on. Labels that are not names have an order of their own, which is not looked at.
    After,
    Before,
}

impl Insertion<'_> {
    /// Adds children to the node whose opening bracket was passed, and passes the node.
    fn level(&mut self, set: FieldSet<'_>) -> Option<()> {
        let mut has_before = self.passes(MEMBER);
        self.pass_comma();
        for child in set.nodes {
            self.child(child, &mut has_before)?;
        }
        while self.next()? != b'}' {
            self.pass_node()?;
        }
        self.at += 1;
        Some(())
    }

    fn child(&mut self, child: &SetNode<'_>, has_before: &mut bool) -> Option<()> {
        let is_name = matches!(child.element, Element::Name(_));
        // Children come in the order of paths, in which only names are sure to be found forwards in other texts.
        if self.order == FieldOrder::Label && !is_name {
            return None;
        }
        let mut label = Vec::with_capacity(64);
        write_quoted_label(child.element, &mut Vec::new(), &mut label);
        // Whether a node was passed that the child may belong before.
        let mut is_unsure = false;
        while self.next()? != b'}' {
            match self.relation(child.element, &label, &mut is_unsure)? {
                Relation::Here => {
                    self.at += label.len();
                    self.merge(child)?;
                    *has_before = true;
                    return Some(());
                }
                Relation::After => {
                    self.pass_node()?;
                    *has_before = true;
                }
                Relation::Before => {
                    self.insert(child, &label);
                    self.out.push(b',');
                    return Some(());
                }
            }
        }
        if is_unsure {
            return None;
        }
        self.copy();
        if *has_before {
            self.out.push(b',');
        }
        self.insert(child, &label);
        *has_before = true;
        Some(())
    }

    fn relation(&self, element: Element<'_>, label: &[u8], is_unsure: &mut bool) -> Option<Relation> {
        let rest = part_of(self.text, self.at..);
        if rest.starts_with(label) {
            return Some(Relation::Here);
        }
        let node = rest.get(..string_length(rest.get(1..)?)? + 2)?;
        let is_name = |label: &[u8]| label.starts_with(b"\"f:");
        Some(match (element, is_name(node)) {
            // Names come first in both orders.
            (Element::Name(_), false) => Relation::Before,
            (Element::Name(_), true) if label.contains(&b'\\') || node.contains(&b'\\') => return None,
            // Without their closing quotes, since a name may be the beginning of another.
            (Element::Name(_), true) if node.split_last()?.1 < label.split_last()?.1 => Relation::After,
            (Element::Name(_), true) => Relation::Before,
            (_, true) => Relation::After,
            (_, false) => {
                *is_unsure = true;
                Relation::After
            }
        })
    }

    /// Adds a child to the node of its path, whose label was passed.
    fn merge(&mut self, child: &SetNode<'_>) -> Option<()> {
        self.at += ":{".len();
        let is_leaf = self.next()? == b'}';
        let is_marked = part_of(self.text, self.at..).starts_with(MEMBER);
        // A node without anything below it is a member without a mark.
        let needs_mark = if is_leaf { !child.below.is_empty() } else { child.is_member && !is_marked };
        if !needs_mark {
            self.level(child.below)?;
        } else if is_leaf {
            self.copy();
            self.out.extend_from_slice(MEMBER);
            self.append_children(child.below);
            self.at += 1;
        } else {
            self.copy();
            self.out.extend_from_slice(MEMBER);
            self.out.push(b',');
            self.level(child.below)?;
        }
        self.pass_comma();
        Some(())
    }

    /// Writes a child that the text does not have.
    fn insert(&mut self, child: &SetNode<'_>, label: &[u8]) {
        self.copy();
        self.out.extend_from_slice(label);
        self.out.extend_from_slice(b":{");
        if child.is_member && !child.below.is_empty() {
            self.out.extend_from_slice(MEMBER);
            self.append_children(child.below);
        } else {
            self.out.extend_from_slice(child.below.written(self.order).as_bytes());
        }
        self.out.push(b'}');
    }

    /// Writes children after something else.
    fn append_children(&mut self, set: FieldSet<'_>) {
        self.out.push(b',');
        self.out.extend_from_slice(set.written(self.order).as_bytes());
    }

    fn next(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Copies the text up to this place.
    fn copy(&mut self) {
        self.out.extend_from_slice(part_of(self.text, self.copied..self.at));
        self.copied = self.at;
    }

    fn passes(&mut self, part: &[u8]) -> bool {
        let is_next = part_of(self.text, self.at..).starts_with(part);
        self.at += if is_next { part.len() } else { 0 };
        is_next
    }

    fn pass_node(&mut self) -> Option<()> {
        self.at = self.text.len() - after_node(part_of(self.text, self.at..))?.len();
        self.pass_comma();
        Some(())
    }

    fn pass_comma(&mut self) {
        self.passes(b",");
    }
}

/// How a node with something below it says that it is a member.
const MEMBER: &[u8] = b"\".\":{}";

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::fieldpath::KeyField;
    use crate::value::{Arena, ParsedValue};

    fn element<'a>(rng: &mut Rng, arena: &'a Arena) -> Element<'a> {
        let text = ["a", "ab", "b", "c-d", "a<", "\"z"][rng.usize(..6)];
        match rng.u8(..10) {
            0 => Element::Value(ParsedValue::String(text)),
            1 => Element::Index(rng.i64(..3)),
            2 | 3 => {
                let key = KeyField { name: "k", value: ParsedValue::String(text) };
                Element::Key(arena.alloc_slice_copy(&[key]))
            }
            _ => Element::Name(text),
        }
    }

    fn set<'a>(rng: &mut Rng, arena: &'a Arena, paths: usize) -> FieldSet<'a> {
        let mut path = |_| (0..rng.usize(1..5)).map(|_| element(rng, arena)).collect();
        FieldSet::of_paths((0..paths).map(&mut path).collect(), arena)
    }

    /// The law of this file: the text is that of the union.
    #[test]
    fn paths_are_added_as_a_union_adds_them() {
        let mut rng = Rng::with_seed(1);
        let mut short = 0;
        for _ in 0..20_000 {
            let arena = Arena::new();
            let (many, few) = (rng.usize(..12), rng.usize(..4));
            let (one, two) = (set(&mut rng, &arena, many), set(&mut rng, &arena, few));
            let order = if rng.bool() { FieldOrder::Path } else { FieldOrder::Label };
            let (text, wanted) = (one.to_fields_v1(order), two.union(&one, &arena).to_fields_v1(order));
            if let Some(given) = with_all(&text, &two, order) {
                assert_eq!(given, wanted, "{text} and {}", two.to_fields_v1(order));
                short += 1;
            }
        }
        assert!(short > 2_000, "only {short} of the sets were added to a text");
    }
}
