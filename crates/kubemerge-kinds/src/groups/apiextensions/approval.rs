//! Groups of the Kubernetes community need an approval, or a note that it is missing.

use crate::field::Field;

const ANNOTATION: &str = "api-approved.kubernetes.io";
const SEE: &str = "see https://github.com/kubernetes/enhancements/pull/1111";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Approval {
    Invalid,
    Approved,
    Bypassed,
    Missing,
}

pub(super) fn validate_approval(definition: Field<'_>, old: Option<Field<'_>>) {
    let group = definition.fields(["spec", "group"]).str();
    // Groups of the project itself, which reviews their APIs.
    let is_protected = ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|domain| group == *domain || group.ends_with(&format!(".{domain}")));
    let annotation = |definition: Field<'_>| {
        approval(definition.fields(["metadata", "annotations"]).key(ANNOTATION).str())
    };
    let found = annotation(definition);
    // What was stored without an approval may stay so.
    if !is_protected || old.is_some_and(|old| annotation(old) == found) {
        return;
    }
    let place = definition.fields(["metadata", "annotations"]).key(ANNOTATION);
    match found {
        Approval::Approved | Approval::Bypassed => {}
        Approval::Missing => {
            place.required(format!("protected groups must have approval annotation {ANNOTATION:?}, {SEE}"))
        }
        Approval::Invalid => place.invalid(format!(
            "protected groups must have approval annotation {ANNOTATION:?} with either a URL or a reason starting with \
             \"unapproved\", {SEE}"
        )),
    }
}

fn approval(text: &str) -> Approval {
    match text {
        "" => Approval::Missing,
        // A reason for going without review, e.g. `unapproved, experimental-only`.
        _ if text.starts_with("unapproved") => Approval::Bypassed,
        _ if is_url(text) => Approval::Approved,
        _ => Approval::Invalid,
    }
}

/// Whether a text is a URL with a host.
fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    is_scheme && !host.is_empty() && !text.contains(|char: char| char.is_control() || char == ' ')
}
