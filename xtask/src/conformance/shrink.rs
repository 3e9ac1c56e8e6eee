//! Makes a case that differs as small as it can be.

use serde_json::Value;

use super::trial::{Court, Trial};

/// Enough for cases of the size that the generators make.
const MOST_ATTEMPTS: usize = 3000;

/// Takes out whatever can go while the case still differs.
pub(crate) fn shrink<'a>(trial: &Trial<'a>, court: &mut Court) -> Result<Trial<'a>, String> {
    let mut smallest = trial.clone();
    let mut attempts = 0;
    let mut smaller_found = true;
    while smaller_found && attempts < MOST_ATTEMPTS {
        smaller_found = false;
        let inputs = Value::Object(smallest.inputs.clone());
        for candidate in smaller(&inputs) {
            let (Value::Object(members), true) = (candidate, attempts < MOST_ATTEMPTS) else { break };
            attempts += 1;
            let candidate = Trial { inputs: members, ..smallest.clone() };
            if court.differs(&candidate)? {
                smallest = candidate;
                smaller_found = true;
                break;
            }
        }
    }
    Ok(smallest)
}

/// Every value with one thing less, biggest losses first.
pub(crate) fn smaller(value: &Value) -> Vec<Value> {
    let mut candidates = Vec::new();
    match value {
        Value::Object(members) => {
            for key in members.keys() {
                let mut fewer = members.clone();
                fewer.remove(key);
                candidates.push(Value::Object(fewer));
            }
            for (key, member) in members {
                for replacement in smaller(member) {
                    let mut changed = members.clone();
                    changed.insert(key.clone(), replacement);
                    candidates.push(Value::Object(changed));
                }
            }
        }
        Value::Array(items) => {
            for at in 0..items.len() {
                let mut fewer = items.clone();
                fewer.remove(at);
                candidates.push(Value::Array(fewer));
            }
            for (at, item) in items.iter().enumerate() {
                for replacement in smaller(item) {
                    let mut changed = items.clone();
                    changed[at] = replacement;
                    candidates.push(Value::Array(changed));
                }
            }
        }
        _ => {}
    }
    candidates
}
