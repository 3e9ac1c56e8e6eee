//! Whether the text of a set has a path of another set, without reading the text into a set.

use kubemerge_value::write::write_escaped;
use memchr::memmem;

use super::FieldSet;
use super::label::write_label;
use super::set::SetView;

/// Whether `fieldsV1` text may have a path of a set. False only if it surely has none.
///
/// A path in both has its last label in the text, so looking for the labels is enough to rule most texts
/// out: the changed set is small, and the text of a set that does not own the field does not name it.
pub(crate) fn meets(text: &str, paths: &FieldSet<'_>) -> bool {
    /// Beyond this many paths the set is read: that costs less than the searches.
    // A write changes few paths; for many the set is read instead.
    const MAX_SEARCHES: usize = 16;
    if paths.nodes.len() > MAX_SEARCHES {
        return true;
    }
    any_label(text.as_bytes(), paths.view())
}

fn any_label(text: &[u8], view: SetView<'_, '_>) -> bool {
    view.children().any(|child| {
        let mut label = Vec::new();
        write_label(child.element, &mut label);
        let mut quoted = Vec::new();
        write_escaped(&label, &mut quoted);
        // A label that is not in the text cannot be in the set; one that is may be at another place.
        memmem::find(text, &quoted).is_some() && (child.is_member || any_label(text, child.below))
    })
}
