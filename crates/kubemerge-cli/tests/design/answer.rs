//! Compares what was answered with what an entry expects.

use crate::design::entry::Answer;
use kubemerge_yaml::Options;
use serde_json::Value;

/// What a command or a server answered.
pub(crate) struct Given {
    /// Exit code or status.
    pub(crate) code: i32,
    /// Stdout, or the body.
    pub(crate) result: String,
    /// Stderr, or the header.
    pub(crate) notes: String,
}

impl Answer {
    /// What differs; the code must be this one.
    pub(crate) fn complaints(&self, code: i32, given: &Given) -> Vec<String> {
        let mut complaints = Vec::new();
        if given.code != code {
            complaints.push(format!("wanted {code}, got {}", given.code));
        }
        if let Some(wanted) = &self.result {
            complaints.extend(self.different("", wanted, given));
        }
        for (pointer, wanted) in &self.at {
            complaints.extend(self.different(pointer, wanted, given));
        }
        let contains = |text: &String| given.result.contains(&**text) || given.notes.contains(&**text);
        complaints
            .extend(self.has.iter().filter(|text| !contains(text)).map(|text| format!("lacks {text:?}")));
        complaints
            .extend(self.lacks.iter().filter(|text| contains(text)).map(|text| format!("has {text:?}")));
        if !complaints.is_empty() {
            complaints.push(format!("all of it:\n{}{}", given.result, given.notes));
        }
        complaints
    }

    /// Whether an answer says anything at all.
    pub(crate) fn says_something(&self) -> bool {
        let Answer { exit, status, result, at, has, lacks } = self;
        let code = exit.is_some() || status.is_some();
        code || result.is_some() || !at.is_empty() || !has.is_empty() || !lacks.is_empty()
    }

    fn different(&self, pointer: &str, wanted: &Value, given: &Given) -> Option<String> {
        let value = match value(&given.result) {
            Ok(value) => value,
            Err(fault) => return Some(format!("the result is no YAML: {fault}")),
        };
        let got = value.pointer(pointer).unwrap_or(&Value::Null);
        (got != wanted).then(|| format!("at {pointer:?}\n  wanted {wanted}\n  got    {got}"))
    }
}

/// A text as a value: null without documents, and a list of several.
fn value(text: &str) -> Result<Value, String> {
    let documents =
        kubemerge_yaml::parse(text.as_bytes(), &Options::default()).map_err(|fault| fault.to_string())?;
    let mut values = Vec::new();
    for document in documents {
        let json = document.to_json().map_err(|fault| fault.to_string())?;
        values.push(serde_json::from_slice(&json).map_err(|fault| fault.to_string())?);
    }
    Ok(match values.len() {
        0 | 1 => values.pop().unwrap_or_default(),
        _ => Value::Array(values),
    })
}

#[test]
fn differences_are_found() {
    let answer = |text: &str| -> Answer { serde_json::from_str(text).unwrap() };
    let given = Given { code: 0, result: "a: [1]\n".into(), notes: "warning: none\n".into() };
    for right in
        [r#"{"result": {"a": [1]}}"#, r#"{"at": {"/a/0": 1, "/b": null}}"#, r#"{"has": ["warning"]}"#]
    {
        assert_eq!(answer(right).complaints(0, &given), Vec::<String>::new());
    }
    let wrong = [
        r#"{"result": {"a": [1.0]}}"#,
        r#"{"at": {"/a": null}}"#,
        r#"{"has": ["error"]}"#,
        r#"{"lacks": ["none"]}"#,
    ];
    for wrong in wrong {
        assert_eq!(answer(wrong).complaints(0, &given).len(), 2, "{wrong}");
    }
    assert_eq!(answer(r#"{"exit": 1}"#).complaints(1, &given).len(), 2);
    assert!(!answer("{}").says_something());
}
