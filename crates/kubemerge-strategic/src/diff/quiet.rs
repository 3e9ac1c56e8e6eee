//! Whether upstream's walk has anything to say about a value that did not change.
//!
//! Mostly not; but maps that are replaced are always written, unsorted scalar lists are ordered anew, and
//! faults are faults. One look at the value tells, where the walk would look at both sides of everything.

use super::map::{Directives, Generator};
use crate::directive::PATCH;
use kubemerge_schema::{ListStrategy, LookupError, LookupErrorKind, MapStrategy, Type};
use kubemerge_value::{Kind, Node, Str, deep};

impl<'a> Generator<'a> {
    /// Whether surely nothing is to be said about an unchanged map.
    pub(super) fn is_quiet(&self, map: Node<'a>, ty: Type<'_>) -> bool {
        // Neither a rule nor a directive below.
        if self.directives == Directives::Absent && ty.is_plain() {
            return true;
        }
        let quiet = |key: Str<'a>, value: Node<'a>| match value.kind() {
            _ if key.is(PATCH) => false,
            Kind::Map => self.is_quiet_map(key, value, ty),
            Kind::List => self.is_quiet_list(key, value, ty),
            _ => true,
        };
        map.entries(self.arena).iter().all(|entry| quiet(entry.key, entry.value))
    }

    fn is_quiet_map(&self, key: Str<'a>, value: Node<'a>, ty: Type<'_>) -> bool {
        match ty.map_field(&key.text()) {
            Ok(rule) => rule.strategy == MapStrategy::Merge && deep(|| self.is_quiet(value, rule.value)),
            Err(error) => is_forgiven(&error),
        }
    }

    /// Whether surely nothing is to be said about an unchanged list.
    pub(super) fn is_quiet_list(&self, key: Str<'a>, value: Node<'a>, ty: Type<'_>) -> bool {
        let rule = match ty.list_field(&key.text()) {
            Ok(rule) => rule,
            Err(error) => return is_forgiven(&error),
        };
        let is_quiet_item = |item: &Node<'a>, key: &str| {
            item.kind() == Kind::Map
                && item.get(key).is_some_and(|key| key.scalar().is_some())
                && deep(|| self.is_quiet(*item, rule.item))
        };
        match rule.strategy {
            ListStrategy::Atomic => true,
            ListStrategy::Keyed([key]) => {
                value.elements(self.arena).iter().all(|item| is_quiet_item(item, &key.name))
            }
            _ => value.is_empty(),
        }
    }
}

/// A field that the schema does not know does no harm while it does not change.
pub(super) fn is_forgiven(error: &LookupError) -> bool {
    matches!(error.kind, LookupErrorKind::UnknownField | LookupErrorKind::SchemaMismatch)
}
