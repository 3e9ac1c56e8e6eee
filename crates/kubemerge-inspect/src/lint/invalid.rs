//! What the API server itself would say about an object: its typed form and its validation.

use kubemerge_kinds::{Refusal, admit};
use kubemerge_schema::Schema;
use kubemerge_value::to_bytes;
use kubemerge_yaml::YamlDocument;

use super::collect::{Draft, Findings};
use super::converge;
use super::rule::{INVALID_FIELD, WRONG_TYPE, YAML_TRAP};
use super::subject::LintObject;
use crate::finding::Location;

/// Adds the field errors of the API server. Kinds without rules have only their types checked.
pub(super) fn check(
    schema: &Schema,
    document: &YamlDocument<'_>,
    object: &LintObject<'_>,
    findings: &mut Findings,
) {
    let json = to_bytes(object.value);
    let Ok(text) = std::str::from_utf8(&json) else { return };
    match admit(schema, text) {
        Err(Refusal::Invalid(errors)) => {
            for error in errors {
                let message = format!("{}: {}", error.field, error.message());
                findings.add(Draft::new(INVALID_FIELD, message), || {
                    Location::of(document, &object.path(&error.field))
                });
            }
        }
        // The decoder names no place and stops at the first mistake, so it is asked last.
        Err(Refusal::Decode(error)) if !findings.has(WRONG_TYPE) && !findings.has(YAML_TRAP) => {
            findings.add(Draft::new(WRONG_TYPE, error.message()), || {
                Location::of(document, &object.path("kind"))
            });
        }
        Ok(stored) => converge::compare(document, object, text, &stored, findings),
        _ => {}
    }
}
