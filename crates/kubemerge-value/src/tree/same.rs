//! When two values are the same. There are two answers, so that no `==` exists: each caller says which one it means.

use crate::deep;

use super::{Map, Value, ValueRef};

/// When two numbers are the same.
#[derive(Clone, Copy)]
enum Numbers {
    /// If they were read alike: an integer is not a float.
    AsRead,
    /// If they are written alike: `7` and `7.0`.
    AsWritten,
}

impl ValueRef<'_> {
    /// Whether Go finds no difference in what it has read: a list or map that it omits is as good as absent or null, and
    /// `7`, which is an integer, is not `7.0`, which is a float.
    pub fn same_in_go(self, other: ValueRef<'_>) -> bool {
        self.same(other, Numbers::AsRead)
    }

    /// Whether both are stored as the same JSON, where `7.0` is `7`.
    pub fn same_json(self, other: ValueRef<'_>) -> bool {
        self.same(other, Numbers::AsWritten)
    }

    fn same(self, other: ValueRef<'_>, numbers: Numbers) -> bool {
        match (self, other, numbers) {
            (ValueRef::Null, ValueRef::Null, _) => true,
            (ValueRef::Bool(one), ValueRef::Bool(other), _) => one == other,
            (ValueRef::Int(one), ValueRef::Int(other), _) => one == other,
            (ValueRef::Float(one), ValueRef::Float(other), _) => one == other,
            (ValueRef::Int(int), ValueRef::Float(float), Numbers::AsWritten)
            | (ValueRef::Float(float), ValueRef::Int(int), Numbers::AsWritten) => is_written_as(float, int),
            (ValueRef::Str(one), ValueRef::Str(other), _) => one == other,
            (ValueRef::List(one), ValueRef::List(other), _) => {
                std::ptr::eq(one, other) || deep(|| same_items(one, other, numbers))
            }
            (ValueRef::Map(one), ValueRef::Map(other), _) => {
                one.is_same_part(other) || deep(|| same_fields(one, other, numbers))
            }
            _ => false,
        }
    }
}

/// Whether a float is written as an integer is. Its digits decide: those of large floats are rounded.
fn is_written_as(float: f64, int: i64) -> bool {
    format!("{float}").parse() == Ok(int)
}

fn same_items(one: &[Value<'_>], other: &[Value<'_>], numbers: Numbers) -> bool {
    let mut pairs = one.iter().zip(other);
    one.len() == other.len()
        && pairs.all(|(one, other)| ValueRef::from(one).same(ValueRef::from(other), numbers))
}

fn same_fields(one: &Map<'_>, other: &Map<'_>, numbers: Numbers) -> bool {
    let mut others = other.iter();
    let mut is_same = |(name, value): (&str, &Value<'_>)| {
        others.next().is_some_and(|(other_name, other)| {
            name == other_name && ValueRef::from(value).same(ValueRef::from(other), numbers)
        })
    };
    one.iter().all(&mut is_same) && others.next().is_none()
}

impl Value<'_> {
    /// Whether both are the same in Go; see [`ValueRef::same_in_go`].
    pub fn same_in_go(&self, other: &Value<'_>) -> bool {
        ValueRef::from(self).same_in_go(other.into())
    }

    /// Whether a client gave a list or map without items here or anywhere inside, which some comparisons of Go tell from
    /// none.
    pub fn has_given_empty(&self) -> bool {
        match self {
            Value::Omitted(_) => true,
            Value::List(items) => deep(|| items.iter().any(Value::has_given_empty)),
            Value::Map(map) => deep(|| map.fields().iter().any(|(_, value)| value.has_given_empty())),
            _ => false,
        }
    }

    /// Whether both are stored as the same JSON; see [`ValueRef::same_json`].
    pub fn same_json(&self, other: &Value<'_>) -> bool {
        ValueRef::from(self).same_json(other.into())
    }
}

impl Map<'_> {
    /// Whether both are the same in Go; see [`ValueRef::same_in_go`].
    pub fn same_in_go(&self, other: &Map<'_>) -> bool {
        ValueRef::from(self).same_in_go(other.into())
    }

    /// Whether both have the same value in a field, or neither has one; see [`ValueRef::same_in_go`].
    pub fn same_field_in_go(&self, other: &Map<'_>, name: &str) -> bool {
        both_or_neither(self.get(name), other.get(name), Value::same_in_go)
    }

    /// Whether both store the same JSON in a field, or neither has one; see [`ValueRef::same_json`].
    pub fn same_field_json(&self, other: &Map<'_>, name: &str) -> bool {
        both_or_neither(self.get(name), other.get(name), Value::same_json)
    }

    /// Whether both are stored as the same JSON; see [`ValueRef::same_json`].
    pub fn same_json(&self, other: &Map<'_>) -> bool {
        ValueRef::from(self).same_json(other.into())
    }
}

/// Whether two values that may be absent are the same: both are absent, or neither is and they compare as the same.
pub fn both_or_neither<T>(one: Option<&T>, other: Option<&T>, same: fn(&T, &T) -> bool) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => same(one, other),
        (one, other) => one.is_none() && other.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use crate::tree::{Arena, read_typed_form};

    /// By `same_in_go` and `same_json`.
    fn same(one: &str, other: &str) -> [bool; 2] {
        let arena = Arena::new();
        let (one, other) = (read_typed_form(&arena, one), read_typed_form(&arena, other));
        [one.same_in_go(&other), one.same_json(&other)]
    }

    #[test]
    fn numbers_are_compared_as_they_are_read_or_written() {
        assert_eq!(same(r#"{"a":[7]}"#, r#"{"a":[7.0]}"#), [false, true]);
        assert_eq!(same("7.0", "70e-1"), [true; 2]);
        assert_eq!(same("0", "-0.0"), [false, true]);
        // This float is written as 1152921504606847000.
        assert_eq!(same("1152921504606846976", "1152921504606846976.0"), [false; 2]);
        assert_eq!(same("9223372036854775807", "9223372036854775808"), [false; 2]);
    }

    #[test]
    fn nothing_is_not_an_empty_map() {
        assert_eq!(same(r#"{"a":null}"#, r#"{"a":{}}"#), [false; 2]);
        assert_eq!(same(r#"{"a":null}"#, "{}"), [false; 2]);
        assert_eq!(same(r#"{"a":[],"b":{}}"#, r#"{"b":{},"a":[]}"#), [true; 2]);
        assert_eq!(same("[1,2]", "[1]"), [false; 2]);
    }
}
