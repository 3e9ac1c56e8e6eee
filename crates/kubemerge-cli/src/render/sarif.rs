//! Findings in SARIF 2.1.0, the form that code hosts show beside the lines of a change.

use serde_json::{Value, json};

use crate::report::{Notice, Severity};

/// A SARIF log with one run.
pub(crate) fn sarif(notices: &[Notice]) -> Value {
    let mut codes: Vec<&str> = notices.iter().filter_map(|notice| notice.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules: Vec<Value> = codes.iter().map(|code| json!({"id": code})).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "kubemerge",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "results": notices.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

fn result(notice: &Notice) -> Value {
    let level = match notice.severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    json!({
        "ruleId": notice.code.unwrap_or_default(),
        "level": level,
        "message": {"text": notice.sentence()},
        "locations": notice.excerpts.iter().map(|excerpt| {
            let position = excerpt.position();
            json!({"physicalLocation": {
                "artifactLocation": {"uri": excerpt.name()},
                "region": {"startLine": position.line, "startColumn": position.column},
            }})
        }).collect::<Vec<_>>(),
    })
}
