//! What one side of the conformance protocol said, and when two sides agree.
//!
//! Objects agree whatever the order of their members, ints and floats are distinct, errors agree
//! by kind. Messages and paths count only where a corpus case names them.

use serde_json::{Map, Number, Value};

/// An error reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// One of the kinds of docs/protocol.md.
    pub kind: String,
    /// The place in the document.
    pub path: Option<String>,
    /// Its text.
    pub message: Option<String>,
    /// Kubernetes crashed where we answer with this error.
    pub panic: bool,
}

/// A reply without its id.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The value that came out.
    Result(Value),
    /// The error that came out.
    Error(Fault),
}

impl Verdict {
    /// Reads a reply, or an expectation of the corpus, which looks the same.
    pub fn read(text: &str) -> Result<Verdict, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        Verdict::of(&value).ok_or_else(|| format!("neither result nor error: {text}"))
    }

    /// Takes a decoded reply apart.
    pub fn of(reply: &Value) -> Option<Verdict> {
        if let Some(result) = reply.get("result") {
            return Some(Verdict::Result(exact(result.clone())));
        }
        let error = reply.get("error")?;
        let text = |key: &str| error.get(key).and_then(Value::as_str).map(str::to_string);
        let crashed = error.get("panic") == Some(&Value::Bool(true)) || error.get("upstream").is_some();
        Some(Verdict::Error(Fault {
            kind: text("kind")?,
            path: text("path"),
            message: text("message"),
            panic: crashed,
        }))
    }

    /// Whether an answer is as good as this one: equal results, or errors of one kind.
    pub fn agrees(&self, answer: &Verdict) -> bool {
        match (self, answer) {
            (Verdict::Result(wanted), Verdict::Result(given)) => wanted == given,
            (Verdict::Error(wanted), Verdict::Error(given)) => wanted.kind == given.kind,
            _ => false,
        }
    }

    /// Whether an answer also has the path and the message that a corpus case names.
    pub fn agrees_to_the_letter(&self, answer: &Verdict) -> bool {
        let named = |wanted: &Option<String>, given: &Option<String>| wanted.is_none() || wanted == given;
        match (self, answer) {
            (Verdict::Error(wanted), Verdict::Error(given)) => {
                wanted.kind == given.kind
                    && named(&wanted.path, &given.path)
                    && (wanted.panic || named(&wanted.message, &given.message))
            }
            _ => self.agrees(answer),
        }
    }
}

/// Reads numbers as the protocol does: what no 64-bit integer holds is a float, `-0` is the int 0.
fn exact(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(exact_number(number)),
        Value::Array(elements) => elements.into_iter().map(exact).collect(),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(key, value)| (key, exact(value))).collect::<Map<_, _>>())
        }
        other => other,
    }
}

fn exact_number(number: Number) -> Number {
    match (number.as_i64(), number.as_f64()) {
        (Some(_), _) => number,
        (None, Some(0.0)) => Number::from(0),
        (None, float) => float.and_then(Number::from_f64).unwrap_or(number),
    }
}

/// Whether a document holds what canonical bytes cannot: Go prints the float 2.0 as `2`, an int.
pub fn has_integral_float(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64() && number.as_f64().is_some_and(|float| float.fract() == 0.0),
        Value::Array(items) => items.iter().any(has_integral_float),
        Value::Object(members) => members.values().any(has_integral_float),
        _ => false,
    }
}

/// Writes JSON on one line with a blank after `:` and `,`, as the corpus has it.
pub fn on_one_line(value: &Value) -> String {
    match value {
        Value::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(on_one_line).collect();
            format!("[{}]", elements.join(", "))
        }
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), on_one_line(value)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        scalar => scalar.to_string(),
    }
}
