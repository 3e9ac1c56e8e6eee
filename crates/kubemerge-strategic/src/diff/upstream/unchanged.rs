//! Whether upstream's walk writes anything for a value that did not change.
//!
//! Mostly not; but maps that are replaced are always written, unsorted scalar lists are ordered anew, and
//! faults are faults. One look at the value tells, where the walk would look at both sides of everything.

use super::map::{Directives, Generator};
use crate::directive::PATCH;
use kubemerge_schema::{ListStrategy, LookupError, LookupErrorKind, MapStrategy, Type};
use kubemerge_value::{
    Entry, Kind, Node, deep,
    walk::{ItemFields, ItemKey, ItemScan},
};

impl<'a> Generator<'a> {
    /// Whether the walk surely writes nothing for an unchanged map.
    pub(super) fn emits_nothing_if_unchanged(&self, map: Node<'a>, ty: Type<'_>) -> bool {
        self.has_no_rules(ty) || deep(|| map.all_members_pass(|entry| self.member_emits_nothing(&entry, ty)))
    }

    /// Whether there is neither a rule nor a directive below.
    fn has_no_rules(&self, ty: Type<'_>) -> bool {
        self.directives == Directives::Absent && ty.is_plain()
    }

    /// Whether the walk surely writes nothing for an unchanged member.
    pub(super) fn member_emits_nothing(&self, entry: &Entry<'a>, ty: Type<'_>) -> bool {
        match entry.value.kind() {
            // Upstream reads directives in documents, so they cannot be skipped.
            _ if entry.key.is(PATCH) => false,
            Kind::Map => self.map_emits_nothing(entry, ty),
            Kind::List => self.list_emits_nothing(entry, ty),
            _ => true,
        }
    }

    fn map_emits_nothing(&self, entry: &Entry<'a>, ty: Type<'_>) -> bool {
        match ty.map_field(&entry.key.text()) {
            Ok(rule) => {
                rule.strategy == MapStrategy::Merge
                    && self.emits_nothing_if_unchanged(entry.value, rule.value)
            }
            // Upstream looks up only what changed, except for broken strategies.
            Err(error) => is_harmless_unless_changed(&error),
        }
    }

    fn list_emits_nothing(&self, entry: &Entry<'a>, ty: Type<'_>) -> bool {
        let rule = match ty.list_field(&entry.key.text()) {
            Ok(rule) => rule,
            Err(error) => return is_harmless_unless_changed(&error),
        };
        match rule.strategy {
            ListStrategy::Atomic => true,
            ListStrategy::Keyed([key]) => self.items_emit_nothing(entry.value, &key.name, rule.item),
            // Upstream writes order lists for merge lists even if nothing changed.
            _ => entry.value.is_empty(),
        }
    }

    fn items_emit_nothing(&self, list: Node<'a>, key: &str, ty: Type<'_>) -> bool {
        let has_no_rules = self.has_no_rules(ty);
        let mut items = ItemScan::new(list, ItemFields { key, mark: PATCH }, self.arena);
        while let Some(item) = items.next() {
            let emits_nothing_if_unchanged =
                || has_no_rules || self.emits_nothing_if_unchanged(items.node(&item), ty);
            // An item without a key is an error upstream.
            if !matches!(item.key, ItemKey::Scalar(_)) || !emits_nothing_if_unchanged() {
                return false;
            }
        }
        true
    }
}

/// A field that the schema does not know does no harm while it does not change.
pub(super) fn is_harmless_unless_changed(error: &LookupError) -> bool {
    matches!(error.kind, LookupErrorKind::UnknownField | LookupErrorKind::SchemaMismatch)
}
