//! Compares two answers and names what differs, so that equal causes can be counted.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::connection::Answer;

/// The result of one comparison. Bodies are normalised already.
pub(crate) struct Compared {
    pub(crate) same_status: bool,
    /// Both answered with success.
    pub(crate) both_accept: bool,
    pub(crate) same_body: bool,
    /// Whether the causes are the same; none unless both answered 422.
    pub(crate) same_causes: Option<bool>,
    pub(crate) real_accepts: bool,
    pub(crate) real_is_invalid: bool,
    /// One line per difference, the same for the same cause.
    pub(crate) reasons: BTreeSet<String>,
}

impl Compared {
    /// A difference that no answer shows.
    pub(crate) fn only(reason: String) -> Compared {
        Compared {
            same_status: true,
            both_accept: true,
            same_body: false,
            same_causes: None,
            real_accepts: true,
            real_is_invalid: false,
            reasons: BTreeSet::from([reason]),
        }
    }
}

/// Differences of one body that are named; the rest only counts.
const MAX_REASONS: usize = 6;

/// Compares statuses, then bodies or causes.
pub(crate) fn compare(real: &Answer, real_body: &Value, ours: &Answer, our_body: &Value) -> Compared {
    let accepts = |answer: &Answer| answer.status < 300;
    let mut compared = Compared {
        same_status: real.status == ours.status,
        both_accept: accepts(real) && accepts(ours),
        same_body: real_body == our_body,
        same_causes: None,
        real_accepts: accepts(real),
        real_is_invalid: real.status == 422,
        reasons: BTreeSet::new(),
    };
    let reasons = &mut compared.reasons;
    if !compared.same_status {
        reasons.extend(status_reasons(real.status, real_body, ours.status, our_body));
    } else if real.status == 422 {
        let (real_causes, our_causes) = (causes(real_body), causes(our_body));
        compared.same_causes = Some(real_causes == our_causes);
        reasons.extend(
            real_causes.difference(&our_causes).map(|cause| format!("cause missing: {}", general(cause))),
        );
        reasons.extend(
            our_causes.difference(&real_causes).map(|cause| format!("cause extra: {}", general(cause))),
        );
    } else if !compared.same_body {
        differing_paths(real_body, our_body, &mut String::new(), reasons);
    }
    if compared.same_status {
        let reasons = &mut compared.reasons;
        reasons.extend(header_reasons(real, ours));
    }
    compared
}

/// Warnings and the media type; they do not count as part of the body.
fn header_reasons(real: &Answer, ours: &Answer) -> Vec<String> {
    let missing = real.warnings.iter().filter(|text| !ours.warnings.contains(text));
    let extra = ours.warnings.iter().filter(|text| !real.warnings.contains(text));
    let mut reasons: Vec<String> =
        missing.map(|text| format!("warning missing: {}", general(&plain(text)))).collect();
    reasons.extend(extra.map(|text| format!("warning extra: {}", general(&plain(text)))));
    if real.content_type != ours.content_type {
        reasons.push(format!("content type {} there, {} here", real.content_type, ours.content_type));
    }
    reasons
}

/// The text of a Warning header without its quotes.
fn plain(warning: &str) -> String {
    let text = warning.strip_prefix("299 - \"").and_then(|text| text.strip_suffix('"')).unwrap_or(warning);
    text.replace("\\\"", "\"")
}

/// The causes of a Status, as text. A Status without causes has its message.
pub(crate) fn causes(body: &Value) -> BTreeSet<String> {
    let listed = body["details"]["causes"].as_array().cloned().unwrap_or_default();
    let text = |cause: &Value, field: &str| cause[field].as_str().unwrap_or_default().to_string();
    if listed.is_empty() {
        return BTreeSet::from([text(body, "message")]);
    }
    listed
        .iter()
        .map(|cause| {
            format!("{} {}: {}", text(cause, "reason"), text(cause, "field"), text(cause, "message"))
        })
        .collect()
}

fn status_reasons(real: u16, real_body: &Value, ours: u16, our_body: &Value) -> Vec<String> {
    let refusal = if real >= 300 { real_body } else { our_body };
    let why = causes(refusal).into_iter().take(MAX_REASONS);
    why.map(|cause| format!("status {real} there, {ours} here: {}", general(&cause))).collect()
}

/// A cause without the values of this one request: indices, numbers and quoted texts are left out.
fn general(cause: &str) -> String {
    let mut general = String::new();
    let mut characters = cause.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                while characters.next().is_some_and(|next| next != '"') {}
                general.push_str("\"…\"");
            }
            digit if digit.is_ascii_digit() => {
                while characters.next_if(char::is_ascii_digit).is_some() {}
                general.push('N');
            }
            other => general.push(other),
        }
    }
    // Long enough to tell causes apart, short enough for a table.
    general.chars().take(220).collect()
}

fn differing_paths(real: &Value, ours: &Value, path: &mut String, reasons: &mut BTreeSet<String>) {
    if real == ours || reasons.len() >= MAX_REASONS {
        return;
    }
    match (real, ours) {
        (Value::Object(there), Value::Object(here)) => {
            let keys: BTreeSet<&String> = there.keys().chain(here.keys()).collect();
            for key in keys {
                let length = path.len();
                path.push('.');
                path.push_str(key);
                match (there.get(key), here.get(key)) {
                    (Some(there), Some(here)) => differing_paths(there, here, path, reasons),
                    (Some(_), None) => drop(reasons.insert(format!("body {path}: missing here"))),
                    _ => drop(reasons.insert(format!("body {path}: only here"))),
                }
                path.truncate(length);
            }
        }
        (Value::Array(there), Value::Array(here)) => {
            if there.len() != here.len() {
                reasons.insert(format!("body {path}[]: another length"));
            }
            let length = path.len();
            // Items count as one place: the same fault in ten of them is one cause.
            path.push_str("[]");
            there.iter().zip(here).for_each(|(there, here)| differing_paths(there, here, path, reasons));
            path.truncate(length);
        }
        _ => drop(reasons.insert(format!("body {path}: another value"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(status: u16) -> Answer {
        Answer { status, content_type: String::new(), warnings: Vec::new(), body: bytes::Bytes::new() }
    }

    #[test]
    fn equal_answers_have_no_reasons() {
        let body = json!({"a": [1, {"b": null}]});
        let compared = compare(&answer(200), &body, &answer(200), &body);
        assert!(compared.same_body && compared.reasons.is_empty());
    }

    #[test]
    fn indices_and_values_are_left_out_of_reasons() {
        let invalid = |field: &str| json!({"details": {"causes": [{"reason": "R", "field": field, "message": "no \"x\" in 12"}]}});
        let (first, second) = (invalid("spec[0].a"), invalid("spec[7].a"));
        let compared = compare(&answer(422), &first, &answer(422), &second);
        let reasons: Vec<_> = compared.reasons.into_iter().collect();
        assert_eq!(
            reasons,
            ["cause extra: R spec[N].a: no \"…\" in N", "cause missing: R spec[N].a: no \"…\" in N"]
        );
    }

    #[test]
    fn a_missing_member_is_named_by_its_path() {
        let compared = compare(&answer(200), &json!({"a": [{"b": 1}]}), &answer(200), &json!({"a": [{}]}));
        assert_eq!(compared.reasons.into_iter().collect::<Vec<_>>(), ["body .a[].b: missing here"]);
    }
}
