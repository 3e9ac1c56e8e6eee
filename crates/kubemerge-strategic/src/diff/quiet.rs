//! Whether upstream's walk has anything to say about a value that did not change.
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
    /// Whether surely nothing is to be said about an unchanged map.
    pub(super) fn is_quiet(&self, map: Node<'a>, ty: Type<'_>) -> bool {
        self.is_silent(ty) || deep(|| map.all_members_pass(|entry| self.is_quiet_member(&entry, ty)))
    }

    /// Whether neither a rule nor a directive stands below.
    fn is_silent(&self, ty: Type<'_>) -> bool {
        self.directives == Directives::Absent && ty.is_plain()
    }

    /// Whether surely nothing is to be said about an unchanged member.
    pub(super) fn is_quiet_member(&self, entry: &Entry<'a>, ty: Type<'_>) -> bool {
        match entry.value.kind() {
            _ if entry.key.is(PATCH) => false,
            Kind::Map => self.is_quiet_map(entry, ty),
            Kind::List => self.is_quiet_list(entry, ty),
            _ => true,
        }
    }

    fn is_quiet_map(&self, entry: &Entry<'a>, ty: Type<'_>) -> bool {
        match ty.map_field(&entry.key.text()) {
            Ok(rule) => rule.strategy == MapStrategy::Merge && self.is_quiet(entry.value, rule.value),
            Err(error) => is_forgiven(&error),
        }
    }

    fn is_quiet_list(&self, entry: &Entry<'a>, ty: Type<'_>) -> bool {
        let rule = match ty.list_field(&entry.key.text()) {
            Ok(rule) => rule,
            Err(error) => return is_forgiven(&error),
        };
        match rule.strategy {
            ListStrategy::Atomic => true,
            ListStrategy::Keyed([key]) => self.are_quiet_items(entry.value, &key.name, rule.item),
            _ => entry.value.is_empty(),
        }
    }

    fn are_quiet_items(&self, list: Node<'a>, key: &str, ty: Type<'_>) -> bool {
        let is_silent = self.is_silent(ty);
        let mut items = ItemScan::new(list, ItemFields { key, mark: PATCH }, self.arena);
        while let Some(item) = items.next() {
            let is_quiet = || is_silent || self.is_quiet(items.node(&item), ty);
            if !matches!(item.key, ItemKey::Scalar(_)) || !is_quiet() {
                return false;
            }
        }
        true
    }
}

/// A field that the schema does not know does no harm while it does not change.
pub(super) fn is_forgiven(error: &LookupError) -> bool {
    matches!(error.kind, LookupErrorKind::UnknownField | LookupErrorKind::SchemaMismatch)
}
