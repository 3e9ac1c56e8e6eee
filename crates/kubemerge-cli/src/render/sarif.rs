//! Findings in SARIF 2.1.0, the form that code hosts show beside the lines of a change.

use kubemerge_inspect::{FindingSeverity, RULES};
use serde_json::{Value, json};

use crate::report::{Excerpt, Notice, Severity};

/// A SARIF log with one run.
pub(crate) fn sarif(notices: &[Notice]) -> Value {
    let mut codes: Vec<&str> = notices.iter().filter_map(|notice| notice.code).collect();
    codes.sort_unstable();
    codes.dedup();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "kubemerge",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": codes.iter().map(|code| rule(code)).collect::<Vec<_>>(),
            }},
            // SARIF's default is UTF-16 units.
            "columnKind": "unicodeCodePoints",
            "results": notices.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

/// A rule that was found. Codes of refused patches are those of errors and have no rule.
fn rule(code: &str) -> Value {
    // Errors of the merge have codes that are no rules.
    let Some(rule) = RULES.iter().find(|rule| rule.code == code) else { return json!({"id": code}) };
    let level = match rule.severity {
        FindingSeverity::Warning => "warning",
        FindingSeverity::Error => "error",
    };
    json!({
        "id": code,
        "shortDescription": {"text": rule.summary},
        "helpUri": help_uri(code),
        "defaultConfiguration": {"level": level},
    })
}

/// The page of the Kubernetes documentation about the subject of a rule.
fn help_uri(code: &str) -> &'static str {
    match code {
        "unknown-kind" | "removed-api" | "deprecated-api" => {
            "https://kubernetes.io/docs/reference/using-api/deprecation-guide/"
        }
        "unknown-field" | "wrong-type" => {
            "https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation"
        }
        "no-schema" | "custom-resource" => {
            "https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/custom-resources/"
        }
        "yaml-trap" | "broken-yaml" => "https://yaml.org/type/",
        _ => "https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/",
    }
}

fn result(notice: &Notice) -> Value {
    let level = match notice.severity {
        Severity::Warning => "warning",
        Severity::Note => "note",
        Severity::Error => "error",
    };
    let related: Vec<Value> = notice.excerpts.iter().flat_map(related_locations).collect();
    let mut result = json!({
        "ruleId": notice.code.unwrap_or_default(),
        "level": level,
        "message": {"text": notice.sentence()},
        "locations": notice.excerpts.iter().map(location).collect::<Vec<_>>(),
    });
    if !related.is_empty() {
        result["relatedLocations"] = Value::Array(related);
    }
    result
}

/// A file name as a URI reference: SARIF allows no spaces, and no angle brackets as in `<stdin>`.
fn uri(name: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
            char::from(byte).to_string()
        }
        // Viewers on every system expect slashes.
        b'\\' if cfg!(windows) => "/".to_owned(),
        byte => format!("%{byte:02X}"),
    };
    name.bytes().map(encode).collect()
}

fn location(excerpt: &Excerpt) -> Value {
    let start = excerpt.position();
    json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(excerpt.name())},
        "region": {
            "startLine": start.line,
            "startColumn": start.column,
            // SARIF counts to the column after the last character.
            "endColumn": excerpt.end_column(),
        },
    }})
}

fn related_locations(excerpt: &Excerpt) -> Vec<Value> {
    let related = excerpt.related();
    related
        .map(|(line, column, label)| {
            json!({
                "physicalLocation": {
                    "artifactLocation": {"uri": uri(excerpt.name())},
                    "region": {"startLine": line, "startColumn": column},
                },
                "message": {"text": label},
            })
        })
        .collect()
}
