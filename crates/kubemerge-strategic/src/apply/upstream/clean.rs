//! Upstream's two clean-ups of a value that finds nothing to merge with.
//!
//! Nulls of maps are dropped, and every map that holds `$patch` disappears. Nothing else is cleaned.

use crate::apply::Mode;
use crate::directive::PATCH;
use kubemerge_value::{Arena, Kind, ListView, MapEdit, Node, Pick, deep};

/// The value to store; `None` if nothing is left.
pub(in crate::apply) fn clean<'a>(value: Node<'a>, mode: Mode, arena: &'a Arena) -> Option<Node<'a>> {
    let cleaner = Cleaner { mode, arena };
    match cleaner.value(value) {
        Cleaned::Same => Some(value),
        Cleaned::Other(value) => Some(value),
        Cleaned::Gone => None,
    }
}

enum Cleaned<'a> {
    Same,
    Other(Node<'a>),
    Gone,
}

struct Cleaner<'a> {
    mode: Mode,
    arena: &'a Arena,
}

impl<'a> Cleaner<'a> {
    fn value(&self, value: Node<'a>) -> Cleaned<'a> {
        match value.kind() {
            Kind::Map => deep(|| self.map(value)),
            Kind::List => deep(|| self.list(value)),
            _ => Cleaned::Same,
        }
    }

    fn map(&self, map: Node<'a>) -> Cleaned<'a> {
        let entries = map.entries(self.arena);
        // Upstream drops a map with a directive that finds nothing to act on.
        if entries.iter().any(|entry| entry.key.is(PATCH) && self.counts(entry.value)) {
            return Cleaned::Gone;
        }
        let mut edit: Option<MapEdit<'a>> = None;
        for entry in entries {
            let cleaned = self.member(entry.value);
            if matches!(cleaned, Cleaned::Same) {
                continue;
            }
            // Expanded: members are visited in the order of the map, not sorted.
            let edit = edit.get_or_insert_with(|| MapEdit::expanded(map, self.arena));
            edit.seek(entry.key);
            match cleaned {
                Cleaned::Other(value) => edit.replace(value),
                _ => edit.remove(),
            }
        }
        edit.map_or(Cleaned::Same, |edit| Cleaned::Other(edit.finish()))
    }

    /// A `$patch` of null is dropped as a null before it counts as a directive.
    fn counts(&self, directive: Node<'a>) -> bool {
        // Upstream removes nulls before it looks for directives, but only when applying.
        self.mode == Mode::Combine || !directive.is_null()
    }

    fn member(&self, value: Node<'a>) -> Cleaned<'a> {
        if self.mode == Mode::Apply && value.is_null() { Cleaned::Gone } else { self.value(value) }
    }

    fn list(&self, list: Node<'a>) -> Cleaned<'a> {
        let view = ListView::new(list, self.arena);
        let mut same = true;
        let mut picks = Vec::with_capacity(view.items().len());
        for (at, item) in view.items().iter().enumerate() {
            match self.value(*item) {
                Cleaned::Same => picks.push(Pick::Keep(at)),
                Cleaned::Other(value) => picks.push(Pick::Put(value)),
                Cleaned::Gone => {}
            }
            // A list of the same items is returned as it is, so that its text is copied and not rebuilt.
            same &= matches!(picks.last(), Some(Pick::Keep(last)) if *last == at);
        }
        if same { Cleaned::Same } else { Cleaned::Other(view.pick(&picks, self.arena)) }
    }
}
