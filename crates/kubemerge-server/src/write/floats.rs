//! Numbers that a request wrote as floats: `7.0`.
//!
//! What is stored is canonical, where `7.0` is `7`. The API server validates what it has read, and there a float is not
//! an integer: a schema may accept one and refuse the other.

use bytes::Bytes;
use serde_json::{Number, Value};

/// Turns integers of an object back into the floats that the body of its request has in their place.
pub(super) fn restore(object: &mut Value, body: &Bytes) {
    // Few bodies have a number that could be such a float: a dot, or an exponent.
    let is_candidate = |pair: &[u8]| pair[0].is_ascii_digit() && matches!(pair[1], b'.' | b'e' | b'E');
    if !body.windows(2).any(is_candidate) {
        return;
    }
    match serde_json::from_slice(body) {
        Ok(Value::Array(operations)) => {
            for operation in operations {
                let path = operation.get("path").and_then(Value::as_str).unwrap_or_default();
                if let (Some(place), Some(value)) = (object.pointer_mut(path), operation.get("value")) {
                    restore_value(place, value);
                }
            }
        }
        Ok(body) => restore_value(object, &body),
        // YAML and protobuf bodies have no floats to tell from integers.
        Err(_) => {}
    }
}

fn restore_value(value: &mut Value, given: &Value) {
    match (value, given) {
        (Value::Object(map), Value::Object(given)) => {
            for (name, given) in given {
                map.get_mut(name).into_iter().for_each(|value| restore_value(value, given));
            }
        }
        (Value::Array(list), Value::Array(given)) => {
            list.iter_mut().zip(given).for_each(|(value, given)| restore_value(value, given));
        }
        (value @ Value::Number(_), Value::Number(given)) if given.is_f64() => {
            let float = given.as_f64().filter(|float| value.as_f64() == Some(*float));
            if let Some(number) = float.and_then(Number::from_f64) {
                *value = Value::Number(number);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn floats_of_the_body_are_floats_again() {
        let restored = |body: &'static str| {
            let mut object = json!({"spec": {"a": 7, "b": [1, 2], "c": 7}});
            restore(&mut object, &Bytes::from_static(body.as_bytes()));
            object["spec"].to_string()
        };
        assert_eq!(restored(r#"{"spec":{"a":7.0,"b":[1,2e0],"c":7}}"#), r#"{"a":7.0,"b":[1,2.0],"c":7}"#);
        assert_eq!(
            restored(r#"[{"op":"add","path":"/spec/c","value":7.0}]"#),
            r#"{"a":7,"b":[1,2],"c":7.0}"#
        );
        assert_eq!(restored(r#"{"spec":{"a":8.0}}"#), r#"{"a":7,"b":[1,2],"c":7}"#);
    }
}
