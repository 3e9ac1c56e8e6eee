//! Hides the values of Secrets in explanations.

use serde_json::Value;

use super::step::{Action, MergeStep};

/// What is shown in place of a value.
const MASK: &str = "***";

/// Replaces the values of `data`, `stringData` and the last applied configuration of a Secret.
pub fn mask_secrets(steps: &mut [MergeStep]) {
    for step in steps {
        let field = step.path.split(['.', '[']).next().unwrap_or_default();
        let is_secret =
            matches!(field, "data" | "stringData") || step.path.contains("last-applied-configuration");
        if is_secret {
            let (before, after) = match step.action {
                // Two masks, so that a change is still seen.
                Action::Set => ("*** (before)", "*** (after)"),
                _ => (MASK, MASK),
            };
            step.from = step.from.take().map(|value| masked(value, before));
            step.to = step.to.take().map(|value| masked(value, after));
        }
    }
}

/// A map keeps its keys: which keys a Secret has is no secret.
fn masked(value: Value, mask: &str) -> Value {
    match value {
        Value::Object(map) => map.into_iter().map(|(key, _)| (key, Value::String(mask.to_owned()))).collect(),
        _ => Value::String(mask.to_owned()),
    }
}
