//! Hides the values of Secrets in everything that is shown to people. Results (YAML, JSON, patches, files) keep them.

use std::collections::HashMap;
use std::ops::Range;

use kubemerge_yaml::{self as yaml, DuplicateKeys, Place};

/// Whether values of Secrets are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Secrets {
    Masked,
    Shown,
}

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// A value of a Secret in a text.
struct SecretValue {
    /// Which value it is: document, object and key.
    name: String,
    range: Range<usize>,
}

/// The text with every byte of a value replaced by an asterisk, so that all positions stay.
pub(super) fn blacked_out(text: &str) -> String {
    // Most texts have no Secret, and a look for the word is cheaper than a second parse.
    if !text.contains("Secret") {
        return text.to_owned();
    }
    let mut bytes = text.as_bytes().to_vec();
    for value in secret_values(text).unwrap_or_else(|| all_values(text)) {
        let lines = bytes[value.range].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r' | b' '));
        lines.for_each(|byte| *byte = b'*');
    }
    // Only whole characters were replaced, each byte by one of ASCII.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Two versions of a text for a diff: values that differ stay different, as in `kubectl diff`.
pub(super) fn mask_pair(before: &str, after: &str) -> [String; 2] {
    if !before.contains("Secret") && !after.contains("Secret") {
        return [before.to_owned(), after.to_owned()];
    }
    let [old, new] = [before, after].map(|text| secret_values(text).unwrap_or_else(|| all_values(text)));
    let values = |text: &str, list: &[SecretValue]| -> HashMap<String, String> {
        list.iter().map(|one| (one.name.clone(), text[one.range.clone()].to_owned())).collect()
    };
    let (was, is) = (values(before, &old), values(after, &new));
    [masked(before, &old, &was, &is, "*** (before)"), masked(after, &new, &is, &was, "*** (after)")]
}

fn masked(
    text: &str,
    values: &[SecretValue],
    own: &HashMap<String, String>,
    other: &HashMap<String, String>,
    changed: &str,
) -> String {
    let mut result = text.to_owned();
    // From the end, so that earlier ranges stay valid.
    for value in values.iter().rev() {
        let differs = other.get(&value.name).is_some_and(|other| Some(other) != own.get(&value.name));
        let end = value.range.start + text[value.range.clone()].trim_end().len();
        result.replace_range(value.range.start..end, if differs { changed } else { "***" });
    }
    result
}

/// The values of all Secrets in a text, in its order; `None` if it cannot be read.
fn secret_values(text: &str) -> Option<Vec<SecretValue>> {
    let options = yaml::Options { duplicate_keys: DuplicateKeys::LastWins, ..yaml::Options::default() };
    let documents = yaml::parse(text.as_bytes(), &options).ok()?;
    let mut values = Vec::new();
    for (at, document) in documents.iter().enumerate() {
        let root = document.root();
        let items = field(root, "items").into_iter().flat_map(Place::elements);
        for (item, object) in [root].into_iter().chain(items).enumerate() {
            values.extend(values_of_object(text, object, &format!("{at}/{item}")));
        }
    }
    values.sort_by_key(|value| value.range.start);
    Some(values)
}

fn values_of_object(text: &str, object: Place<'_, '_>, name: &str) -> Vec<SecretValue> {
    let kind = field(object, "kind").map(|kind| &text[kind.range()]);
    if kind.map(|kind| kind.trim_matches(['"', '\''])) != Some("Secret") {
        return Vec::new();
    }
    let mut values = Vec::new();
    for map in ["data", "stringData"] {
        let entries = field(object, map).into_iter().flat_map(Place::entries);
        values.extend(entries.map(|(key, value)| SecretValue {
            name: format!("{name}/{map}/{}", key.key_text()),
            range: value.range(),
        }));
    }
    let annotations = field(object, "metadata").and_then(|metadata| field(metadata, "annotations"));
    let applied = annotations.and_then(|annotations| field(annotations, LAST_APPLIED));
    values.extend(applied.map(|value| SecretValue { name: format!("{name}/applied"), range: value.range() }));
    values
}

fn field<'d, 't>(map: Place<'d, 't>, name: &str) -> Option<Place<'d, 't>> {
    map.entries().find(|(key, _)| key.key_text() == name).map(|(_, value)| value)
}

/// In a text with a Secret that cannot be read, whatever follows a colon may be a value.
fn all_values(text: &str) -> Vec<SecretValue> {
    let mut start = 0;
    let mut values = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some(colon) = line.find(": ") {
            let range = start + colon + 2..start + line.trim_end().len().max(colon + 2);
            values.push(SecretValue { name: format!("{start}"), range });
        }
        start += line.len();
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_blacked_out_in_place() {
        let text = "kind: Secret\ndata:\n  a: c2VjcmV0\n  b: |\n    two\n    lines\n---\nkind: ConfigMap\ndata: {a: x}\n";
        let shown = blacked_out(text);
        assert_eq!(shown.len(), text.len());
        assert!(
            !shown.contains("c2VjcmV0") && !shown.contains("two") && shown.contains("data: {a: x}"),
            "{shown}"
        );
    }

    #[test]
    fn changed_values_stay_different() {
        let before = "kind: Secret\ndata: {a: b, c: d}\n";
        let after = "kind: Secret\ndata: {a: x, c: d, e: f}\n";
        let [before, after] = mask_pair(before, after);
        assert_eq!(before, "kind: Secret\ndata: {a: *** (before), c: ***}\n");
        assert_eq!(after, "kind: Secret\ndata: {a: *** (after), c: ***, e: ***}\n");
    }

    #[test]
    fn a_broken_text_shows_no_values() {
        let text = "kind: Secret\ndata: {a: b\n  password: x\n";
        assert!(!blacked_out(text).contains('x'));
    }
}
