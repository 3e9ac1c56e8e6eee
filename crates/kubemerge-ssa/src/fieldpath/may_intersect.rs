//! Whether the text of a set has paths of another set, without reading the text into a set.

use kubemerge_value::deep;
use memchr::memmem;

use kubemerge_value::string_length;

use super::label::write_quoted_label;
use super::{Element, FieldSet};

/// Beyond this many paths the set is read: that costs less than the searches.
// A write changes few paths; for many the set is read instead.
pub(super) const MAX_SEARCHES: usize = 16;

/// Whether `fieldsV1` text may have a path of a set. False only if it surely has none.
///
/// A path in both has its last label in the text, so looking for the labels is enough to rule most texts
/// out: the changed set is small, and the text of a set that does not own the field does not name it.
pub(crate) fn may_intersect(text: &str, paths: &FieldSet<'_>) -> bool {
    if paths.has_more_nodes_than(MAX_SEARCHES) {
        return true;
    }
    any_label(text.as_bytes(), *paths)
}

fn any_label(text: &[u8], set: FieldSet<'_>) -> bool {
    set.nodes.iter().any(|child| {
        let label = quoted_label(child.element);
        // A label that is not in the text cannot be in the set; one that is may be at another place.
        memmem::find(text, &label).is_some() && (child.is_member || any_label(text, child.below))
    })
}

fn quoted_label(element: Element<'_>) -> Vec<u8> {
    let mut quoted = Vec::with_capacity(64);
    write_quoted_label(element, &mut Vec::new(), &mut quoted);
    quoted
}

/// Whether `fieldsV1` text, as this crate writes it, has every path of a set. True only if it surely has.
pub(crate) fn has_all(text: &str, paths: &FieldSet<'_>) -> bool {
    !paths.has_more_nodes_than(MAX_SEARCHES)
        && text.strip_prefix('{').is_some_and(|members| has_all_below(members.as_bytes(), *paths))
}

/// The same for the text after the opening bracket of a node.
fn has_all_below(text: &[u8], set: FieldSet<'_>) -> bool {
    set.nodes.iter().all(|child| {
        let Some(below) = child_text(text, &quoted_label(child.element)) else { return false };
        // A node without anything below it is a member, and so is one that says so first.
        let is_member = below.starts_with(b"}") || below.starts_with(b"\".\":{}");
        (!child.is_member || is_member)
            && (child.below.is_empty() || deep(|| has_all_below(below, child.below)))
    })
}

/// The text after the opening bracket of the child with a label.
fn child_text<'t>(mut text: &'t [u8], label: &[u8]) -> Option<&'t [u8]> {
    while text.first() == Some(&b'"') {
        if let Some(below) = text.strip_prefix(label) {
            return below.strip_prefix(b":{");
        }
        text = after_node(text)?;
        text = text.strip_prefix(b",").unwrap_or(text);
    }
    None
}

/// The text after a node that begins with its label.
pub(super) fn after_node(text: &[u8]) -> Option<&[u8]> {
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        match text.get(at)? {
            b'"' => at += string_length(text.get(at + 1..)?)? + 1,
            b'{' => depth += 1,
            b'}' if depth == 1 => return text.get(at + 1..),
            // The end of the parent, which has no such child.
            b'}' if depth == 0 => return None,
            b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
}
