//! What the API server itself would say about an object: its typed form and its validation.

use kubemerge_kinds::custom::check::UNCHECKED;
use kubemerge_kinds::field::{FieldError, FieldErrorKind};
use kubemerge_kinds::{Admitted, Refusal, admit_with_warnings};
use kubemerge_schema::Schema;
use kubemerge_value::to_bytes;
use kubemerge_yaml::YamlDocument;

use super::collect::{Draft, Findings};
use super::converge;
use super::rule::{
    API_WARNING, DUPLICATE_ITEM, INVALID_FIELD, Rule, SHARED_MERGE_KEY, WRONG_TYPE, YAML_TRAP,
};
use super::subject::LintObject;
use crate::finding::Location;

/// What is said of a value of another type before the API server is asked.
const TOLD: [Rule; 2] = [WRONG_TYPE, YAML_TRAP];

/// Items of lists that share keys, of which the API server warns as well.
const ITEMS: [Rule; 2] = [DUPLICATE_ITEM, SHARED_MERGE_KEY];

/// The path of a field; Kubernetes names the whole object as Go prints none.
fn path(error: &FieldError) -> &str {
    match error.field.as_str() {
        "<nil>" => "",
        path => path,
    }
}

/// Adds the field errors of the API server. Kinds without rules have only their types checked.
pub(super) fn check(
    schema: &Schema,
    document: &YamlDocument<'_>,
    object: &LintObject<'_>,
    findings: &mut Findings,
) {
    let json = to_bytes(object.value);
    let Ok(text) = std::str::from_utf8(&json) else { return };
    match admit_with_warnings(schema, text) {
        Err(Refusal::Invalid(errors)) => {
            // That rules were left out is nothing to fix, and no place in the file.
            for error in errors.into_iter().filter(|error| error.detail != UNCHECKED) {
                let place = || Location::of(document, &object.path(path(&error)));
                // The schema of a custom resource says once more what its types have said.
                if error.kind == FieldErrorKind::TypeInvalid && findings.has_at(&TOLD, &place()) {
                    continue;
                }
                let message = match path(&error) {
                    "" => error.message(),
                    path => format!("{path}: {}", error.message()),
                };
                findings.add(Draft::new(INVALID_FIELD, message), place);
            }
        }
        // The decoder names no place and stops at the first mistake, so it is asked last.
        Err(Refusal::Decode(error)) if !findings.has(WRONG_TYPE) && !findings.has(YAML_TRAP) => {
            findings.add(Draft::new(WRONG_TYPE, error.message()), || {
                Location::of(document, &object.path("kind"))
            });
        }
        Ok(Admitted { object: stored, warnings }) => {
            converge::compare(document, object, text, &stored, findings);
            warnings.iter().for_each(|warning| advise(document, object, warning, findings));
        }
        _ => {}
    }
}

/// Adds a warning of the API server, at the field that it begins with.
fn advise(document: &YamlDocument<'_>, object: &LintObject<'_>, warning: &str, findings: &mut Findings) {
    let field = warning.split_once(": ").map_or("kind", |(field, _)| field);
    let place = || Location::of(document, &object.path(field));
    if !findings.has_at(&ITEMS, &place()) {
        findings.add(Draft::new(API_WARNING, warning), place);
    }
}
