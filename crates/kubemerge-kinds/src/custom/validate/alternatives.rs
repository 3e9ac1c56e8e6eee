//! `anyOf`, `oneOf`, `allOf` and `not`.

use super::{Checks, Found, Place, Structural};
use crate::{field_error::quoted, tree::ValueRef};

impl Place<'_, '_> {
    /// Validates what the alternatives of a schema say about a value.
    pub(super) fn check_alternatives(self, value: ValueRef<'_>, checks: &Checks) -> Found {
        // Upstream: nothing below an alternative is compared with old values.
        let place = Place { correlated: None, ..self };
        let run = |schema: &Structural| place.check(value, schema);
        let mut found = Found::default();
        if !checks.any_of.is_empty() {
            place.any_of(checks, run, &mut found);
        }
        if !checks.one_of.is_empty() {
            place.one_of(checks, run, &mut found);
        }
        if !checks.all_of.is_empty() {
            place.all_of(checks, run, &mut found);
        }
        if checks.not.as_deref().is_some_and(|schema| run(schema).is_valid()) {
            found.add(self.placeless(format!("{} must not validate the schema (not)", self.quoted())));
        }
        found.matches += 1;
        found
    }

    fn quoted(self) -> String {
        quoted(&self.path.to_string())
    }

    fn any_of(self, checks: &Checks, run: impl Fn(&Structural) -> Found, found: &mut Found) {
        let mut best: Option<Found> = None;
        for schema in &checks.any_of {
            let result = run(schema);
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

    fn one_of(self, checks: &Checks, run: impl Fn(&Structural) -> Found, found: &mut Found) {
        let (mut valid, mut first, mut best) = (0, None, None::<Found>);
        for schema in &checks.one_of {
            let result = run(schema);
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

    fn all_of(self, checks: &Checks, run: impl Fn(&Structural) -> Found, found: &mut Found) {
        let mut valid = 0;
        for schema in &checks.all_of {
            let result = run(schema);
            valid += usize::from(result.is_valid());
            found.merge(result);
        }
        if valid != checks.all_of.len() {
            let detail = if valid == 0 { ". None validated" } else { "" };
            let path = self.quoted();
            found.add(self.placeless(format!("{path} must validate all the schemas (allOf){detail}")));
        }
    }
}
