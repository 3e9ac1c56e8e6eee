//! Order and equality of values as structured-merge-diff has them: `1` equals `1.0`.
//!
//! Kinds are ordered numbers, strings, booleans, lists, maps, null.

use std::cmp::Ordering;

use kubemerge_value::deep;

use super::{Member, Value};

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (*self, *other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(one), Value::Bool(two)) => one == two,
            (Value::Int(one), Value::Int(two)) => one == two,
            (Value::String(one), Value::String(two)) => one == two,
            (Value::List(one), Value::List(two)) => {
                self.is_same_part(*other) || deep(|| one.len() == two.len() && one.iter().eq(two))
            }
            (Value::Map(one), Value::Map(two)) => {
                self.is_same_part(*other) || deep(|| same_members(one, two))
            }
            _ => match (self.number(), other.number()) {
                (Some(one), Some(two)) => one == two,
                _ => false,
            },
        }
    }
}

fn same_members(one: &[Member<'_>], two: &[Member<'_>]) -> bool {
    let same = |(one, two): (&Member<'_>, &Member<'_>)| one.name == two.name && one.value == two.value;
    one.len() == two.len() && one.iter().zip(two).all(same)
}

impl Value<'_> {
    /// Whether both are written alike: unlike equality, `1` and `1.0` differ.
    pub(crate) fn is_identical(self, other: Value<'_>) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(one), Value::Bool(two)) => one == two,
            (Value::Int(one), Value::Int(two)) => one == two,
            (Value::Float(one), Value::Float(two)) => one.to_bits() == two.to_bits(),
            (Value::String(one), Value::String(two)) => {
                one.len() == two.len() && (std::ptr::eq(one.as_ptr(), two.as_ptr()) || one == two)
            }
            (Value::List(one), Value::List(two)) => {
                let same =
                    || one.len() == two.len() && one.iter().zip(two).all(|(one, two)| one.is_identical(*two));
                self.is_same_part(other) || deep(same)
            }
            (Value::Map(one), Value::Map(two)) => {
                let same = |(one, two): (&Member<'_>, &Member<'_>)| {
                    one.name == two.name && one.value.is_identical(two.value)
                };
                self.is_same_part(other) || deep(|| one.len() == two.len() && one.iter().zip(two).all(same))
            }
            _ => false,
        }
    }

    fn number(self) -> Option<f64> {
        match self {
            Value::Int(int) => Some(int as f64),
            Value::Float(float) => Some(float),
            _ => None,
        }
    }

    fn rank(self) -> u8 {
        match self {
            Value::Int(_) | Value::Float(_) => 0,
            Value::String(_) => 1,
            Value::Bool(_) => 2,
            Value::List(_) => 3,
            Value::Map(_) => 4,
            Value::Null => 5,
        }
    }

    /// The order of values.
    pub fn order(self, other: Value<'_>) -> Ordering {
        match (self, other) {
            (Value::Int(one), Value::Int(two)) => one.cmp(&two),
            (Value::String(one), Value::String(two)) => one.cmp(two),
            (Value::Bool(one), Value::Bool(two)) => one.cmp(&two),
            (Value::List(one), Value::List(two)) => deep(|| order_of_lists(one, two)),
            (Value::Map(one), Value::Map(two)) => deep(|| order_of_maps(one, two)),
            _ => match (self.number(), other.number()) {
                (Some(one), Some(two)) => one.partial_cmp(&two).unwrap_or(Ordering::Equal),
                _ => self.rank().cmp(&other.rank()),
            },
        }
    }
}

fn order_of_lists(one: &[Value<'_>], two: &[Value<'_>]) -> Ordering {
    let differing = one.iter().zip(two).map(|(one, two)| one.order(*two)).find(|order| order.is_ne());
    differing.unwrap_or_else(|| one.len().cmp(&two.len()))
}

/// Walks both maps by name. A map that ends first is less; one that lacks a name of the other is greater.
fn order_of_maps(one: &[Member<'_>], two: &[Member<'_>]) -> Ordering {
    for place in 0.. {
        let (left, right) = match (one.get(place), two.get(place)) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(left), Some(right)) => (left, right),
        };
        // The smaller name is missing on the other side, which makes the other side greater.
        let order = left.name.cmp(right.name).then_with(|| left.value.order(right.value));
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}
