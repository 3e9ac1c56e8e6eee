//! `anyOf`, `oneOf`, `allOf` and `not`.

use std::cell::Cell;

use kubemerge_schema::ValueType;

use super::{Found, Place};
use crate::{field_error::quoted, tree::ValueRef};

/// How deep alternatives may be in each other without going into the value, and how often they are looked at for one
/// object. Types of documents may contain themselves, so that a small document has alternatives without end; what is left
/// then is accepted. Those of definitions end with the definition.
const MAX_NESTED: u8 = 128;
const MAX_LOOKS: u32 = 200_000;

/// How often alternatives may still be looked at.
pub(super) struct Alternatives(Cell<u32>);

impl Default for Alternatives {
    fn default() -> Alternatives {
        Alternatives(Cell::new(MAX_LOOKS))
    }
}

impl Place<'_, '_> {
    /// Validates what the alternatives of a schema say about a value.
    pub(super) fn check_alternatives(self, value: ValueRef<'_>, schema: ValueType<'_>) -> Found {
        let mut found = Found { matches: 1, ..Found::default() };
        let (any_of, one_of, all_of, not) =
            (schema.any_of(), schema.one_of(), schema.all_of(), schema.none_of());
        if any_of.len() + one_of.len() + all_of.len() == 0 && not.is_none() {
            return found;
        }
        let mut nested = self.nested;
        if schema.is_of_document() {
            let left = &self.alternatives.0;
            if nested == MAX_NESTED || left.get() == 0 {
                return found;
            }
            left.set(left.get() - 1);
            nested += 1;
        }
        // Upstream: nothing below an alternative is compared with old values.
        let place = Place { correlated: None, nested, ..self };
        let run = |schema: ValueType<'_>| place.check(value, schema);
        if any_of.len() > 0 {
            place.any_of(any_of.map(run), &mut found);
        }
        if one_of.len() > 0 {
            place.one_of(one_of.map(run), &mut found);
        }
        if all_of.len() > 0 {
            place.all_of(all_of.map(run), &mut found);
        }
        if not.is_some_and(|schema| run(schema).is_valid()) {
            found.add(self.placeless(format!("{} must not validate the schema (not)", self.quoted())));
        }
        found
    }

    fn quoted(self) -> String {
        quoted(&self.path.to_string())
    }

    fn any_of(self, results: impl Iterator<Item = Found>, found: &mut Found) {
        let mut best: Option<Found> = None;
        for result in results {
            if result.is_valid() {
                return found.merge(result);
            }
            if best.as_ref().is_none_or(|best| result.matches > best.matches) {
                best = Some(result);
            }
        }
        found.add(self.placeless(format!("{} must validate at least one schema (anyOf)", self.quoted())));
        best.into_iter().for_each(|best| found.merge(best));
    }

    fn one_of(self, results: impl Iterator<Item = Found>, found: &mut Found) {
        let (mut valid, mut first, mut best) = (0, None, None::<Found>);
        for result in results {
            if result.is_valid() {
                valid += 1;
                best = None;
                first.get_or_insert(result);
            } else if valid == 0 && best.as_ref().is_none_or(|best| result.matches > best.matches) {
                best = Some(result);
            }
        }
        if valid == 1 {
            return first.into_iter().for_each(|first| found.merge(first));
        }
        let detail = match valid {
            0 => "Found none valid".to_string(),
            count => format!("Found {count} valid alternatives"),
        };
        let path = self.quoted();
        found.add(self.placeless(format!("{path} must validate one and only one schema (oneOf). {detail}")));
        best.into_iter().for_each(|best| found.merge(best));
    }

    fn all_of(self, results: impl ExactSizeIterator<Item = Found>, found: &mut Found) {
        let (count, mut valid) = (results.len(), 0);
        for result in results {
            valid += usize::from(result.is_valid());
            found.merge(result);
        }
        if valid != count {
            let detail = if valid == 0 { ". None validated" } else { "" };
            let path = self.quoted();
            found.add(self.placeless(format!("{path} must validate all the schemas (allOf){detail}")));
        }
    }
}
