//! Places in texts, by line and column, as editors count them.

use std::ops::Range;

use kubemerge_value::part::text_of;
use kubemerge_yaml::{Place, Position, YamlDocument};
use serde::Serialize;

/// A stretch of a text. Lines and columns start at 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextPlace {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) end_line: usize,
    pub(crate) end_column: usize,
}

impl TextPlace {
    pub(crate) fn at_point(line: usize, column: usize) -> TextPlace {
        TextPlace { line, column, end_line: line, end_column: column }
    }

    /// The place of a range of bytes.
    pub(crate) fn of(text: &str, range: &Range<usize>) -> TextPlace {
        let [start, end] = [range.start, range.end].map(|offset| Position::of(text, offset));
        TextPlace { line: start.line, column: start.column, end_line: end.line, end_column: end.column }
    }
}

/// The key or value at a path of positions, or the nearest one on the way.
pub(crate) fn place_of(document: &YamlDocument<'_>, path: &str) -> TextPlace {
    let location = document.locate_nearest(path);
    // The key is shorter, and readers look for it.
    TextPlace::of(document.text(), &location.key.unwrap_or(location.value).range())
}

/// As [`place_of`], for a path that names items of lists by their keys: `spec.ports[port=53].protocol`.
pub(crate) fn place_of_keys(document: &YamlDocument<'_>, path: &str) -> TextPlace {
    place_of(document, &with_positions(document, path))
}

/// The same path with positions in place of keys, as far as they are found.
fn with_positions(document: &YamlDocument<'_>, path: &str) -> String {
    let mut found = String::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('[') {
        found.push_str(before);
        let Some((inside, tail)) = after.split_once(']') else { break };
        let list = document.locate_nearest(&found).value;
        match list.elements().position(|item| has_keys(document, item, inside)) {
            Some(at) => found.push_str(&format!("[{at}]")),
            // A name in brackets, or an item that is gone: the path is kept as it is.
            None => found.push_str(&format!("[{inside}]")),
        }
        rest = tail;
    }
    found + rest
}

/// Whether an item has all of the keys in `port=53,protocol=TCP`.
fn has_keys(document: &YamlDocument<'_>, item: Place<'_, '_>, keys: &str) -> bool {
    let has = |pair: &str| {
        let Some((name, wanted)) = pair.split_once('=') else { return false };
        let value = item.entries().find(|(key, _)| key.key_text() == name).map(|(_, value)| value);
        value.is_some_and(|value| {
            text_of(document.text(), value.range()).trim_matches(['"', '\'']) == wanted.trim_matches('"')
        })
    };
    keys.split(',').all(has)
}
