//! The little of JSONPath that definitions use: `.spec.replicas`, `.status.conditions[?(@.type=="Ready")].status`,
//! `.spec.list[0]`, `.metadata.annotations.a\.b`.

use serde_json::Value;

/// The first value a path leads to; none if there is nothing, or if the path is not understood.
pub fn find(root: &Value, path: &str) -> Option<Value> {
    let mut found = vec![root];
    for step in steps(path)? {
        found = found.into_iter().flat_map(|value| step.from(value)).collect();
    }
    found.first().map(|value| (*value).clone()).filter(|value| !value.is_null())
}

/// The names of a path that holds nothing but names.
pub fn names(path: &str) -> Option<Vec<String>> {
    let steps = steps(path)?;
    steps
        .into_iter()
        .map(|step| match step {
            Step::Name(name) => Some(name),
            _ => None,
        })
        .collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Name(String),
    At(usize),
    All,
    /// Items whose value at a path equals a text.
    Where(Vec<String>, String),
}

impl Step {
    fn from<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        match self {
            Step::Name(name) => value.get(name).into_iter().collect(),
            Step::At(at) => value.get(at).into_iter().collect(),
            Step::All => value.as_array().into_iter().flatten().collect(),
            Step::Where(path, text) => {
                let items = value.as_array().into_iter().flatten();
                items.filter(|item| is_equal(item, path, text)).collect()
            }
        }
    }
}

fn is_equal(item: &Value, path: &[String], text: &str) -> bool {
    let found = path.iter().try_fold(item, |at, name| at.get(name));
    found.is_some_and(|value| value.as_str().map_or_else(|| *value == text, |own| own == text))
}

fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.trim_start_matches('$');
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let step;
        (step, rest) = match rest.as_bytes().first()? {
            // `..name` gives an empty step, which is left out.
            b'.' => name(rest.get(1..)?)?,
            b'[' => bracket(rest.get(1..)?)?,
            _ => name(rest)?,
        };
        steps.extend(step);
    }
    Some(steps)
}

/// A name up to the next dot or bracket; a backslash escapes.
fn name(text: &str) -> Option<(Option<Step>, &str)> {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => name.extend(chars.next().map(|(_, escaped)| escaped)),
            '.' | '[' => return Some(((!name.is_empty()).then_some(Step::Name(name)), text.get(at..)?)),
            c => name.push(c),
        }
    }
    Some(((!name.is_empty()).then_some(Step::Name(name)), ""))
}

fn bracket(text: &str) -> Option<(Option<Step>, &str)> {
    let (inside, rest) = match text.strip_prefix("?(") {
        Some(filter) => {
            let (inside, rest) = filter.split_once(")]")?;
            return Some((Some(condition(inside)?), rest));
        }
        None => text.split_once(']')?,
    };
    let step = match inside {
        "*" => Step::All,
        quoted if quoted.starts_with(['\'', '"']) => Step::Name(unquoted(quoted)?.to_string()),
        number => Step::At(number.parse().ok()?),
    };
    Some((Some(step), rest))
}

fn condition(text: &str) -> Option<Step> {
    let (path, value) = text.split_once("==")?;
    let path = names(path.trim().strip_prefix('@')?)?;
    let value = value.trim();
    Some(Step::Where(path, unquoted(value).unwrap_or(value).to_string()))
}

fn unquoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text.strip_prefix(quote)?.strip_suffix(quote)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_lead_to_values() {
        let object = json!({"spec": {"replicas": 3, "list": [{"a": 1}, {"a": 2}]}, "m": {"a.b": "dotted"},
            "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "X", "status": "False"}]}});
        for (path, value) in [
            (".spec.replicas", json!(3)),
            ("spec.replicas", json!(3)),
            ("$.spec.list[1].a", json!(2)),
            (".spec.list[*].a", json!(1)),
            (".m.a\\.b", json!("dotted")),
            (".m['a.b']", json!("dotted")),
            (".status.conditions[?(@.type==\"X\")].status", json!("False")),
            (".status.conditions[?(@.type=='Ready')].status", json!("True")),
        ] {
            assert_eq!(find(&object, path), Some(value), "{path}");
        }
        for nothing in
            [".spec.x", ".spec.list[9]", ".a[", "[?(x)]", ".status.conditions[?(@.type=='No')].status"]
        {
            assert_eq!(find(&object, nothing), None, "{nothing}");
        }
    }
}
