//! Values in sentences.

use kubemerge_value::Node;

/// The longest value that is shown in full.
// Half a line, which leaves room for the rest of the message.
const MAX_SHORT_VALUE: usize = 60;

/// The JSON of a value, cut where it is long.
#[must_use]
pub fn short(node: Node<'_>) -> String {
    short_text(&format!("{node:?}"))
}

pub(crate) fn short_text(text: &str) -> String {
    if text.chars().count() <= MAX_SHORT_VALUE {
        return text.to_owned();
    }
    text.chars().take(MAX_SHORT_VALUE).chain("…".chars()).collect()
}
