//! Unions in objects: those that are not valid, and whether a kind has unions that Kubernetes ignores.

use std::collections::HashSet;

use kubemerge_schema::{Origin, Type};
use kubemerge_value::Arena;
use kubemerge_yaml::YamlDocument;

use super::collect::{Draft, Findings};
use super::rule::INVALID_UNION;
use super::subject::LintObject;
use crate::finding::Location;
use crate::unions;

/// Adds the unions of an object that are not valid.
pub(super) fn check(
    ty: Type<'_>,
    document: &YamlDocument<'_>,
    object: &LintObject<'_>,
    findings: &mut Findings,
) {
    for finding in unions::findings(ty, object.value, &Arena::new()) {
        let field = unions::field(&finding);
        let message = match finding.path.to_string() {
            path if path.is_empty() => finding.violation.to_string(),
            path => format!("{path}: {}", finding.violation),
        };
        findings.add(Draft::new(INVALID_UNION, message), || Location::of(document, &object.path(&field)));
    }
}

/// Whether a type, or one below it, declares unions. Kubernetes checks those of its own kinds in code.
pub(super) fn has_unions(ty: Type<'_>) -> bool {
    if ty.origin() == Some(Origin::BuiltIn) {
        return false;
    }
    let (mut waiting, mut known) = (vec![ty], HashSet::new());
    while let Some(ty) = waiting.pop() {
        // Types may contain themselves.
        if !ty.description().is_some_and(|number| known.insert(number)) {
            continue;
        }
        if !ty.unions().is_empty() {
            return true;
        }
        waiting.extend(ty.fields().map(|field| field.ty));
        waiting.extend(ty.items().into_iter().chain(ty.additional_properties()));
    }
    false
}
