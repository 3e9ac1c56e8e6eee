//! Order and equality of values as structured-merge-diff has them: `1` equals `1.0`.
//!
//! Kinds are ordered numbers, strings, booleans, lists, maps, null.

use std::cmp::Ordering;

use kubemerge_value::{
    deep,
    tree::{TreeField, Value},
};

use super::{Items, Member, Members, ParsedValue};

impl PartialEq for ParsedValue<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (*self, *other) {
            (ParsedValue::Null, ParsedValue::Null) => true,
            (ParsedValue::Bool(one), ParsedValue::Bool(two)) => one == two,
            (ParsedValue::Int(one), ParsedValue::Int(two)) => one == two,
            (ParsedValue::String(one), ParsedValue::String(two)) => one == two,
            (ParsedValue::List(one), ParsedValue::List(two)) => {
                self.is_same_part(*other) || are_same_items(one.values(), two.values())
            }
            (ParsedValue::Map(one), ParsedValue::Map(two)) => {
                self.is_same_part(*other) || deep(|| same_members(one, two))
            }
            // Integers and floats are one kind of number.
            _ => match (self.number(), other.number()) {
                (Some(one), Some(two)) => one == two,
                _ => false,
            },
        }
    }
}

/// Whether two lists have the same items. Upstream: lists of typed objects are compared by `reflect.DeepEqual`, which
/// tells a list or map without items, which nothing else sees, from none.
fn are_same_items(one: &[Value<'_>], two: &[Value<'_>]) -> bool {
    one.len() == two.len() && deep(|| one.iter().zip(two).all(|(one, two)| is_same_item(one, two)))
}

fn is_same_item(one: &Value<'_>, two: &Value<'_>) -> bool {
    match (one, two) {
        (Value::Omitted(one), Value::Omitted(two)) => one == two,
        (Value::Omitted(_), _) | (_, Value::Omitted(_)) => false,
        (Value::List(one), Value::List(two)) => are_same_items(one, two),
        (Value::Map(one), Value::Map(two)) => {
            let (one, two) = (one.fields(), two.fields());
            let is_same = |((name, one), (other, two)): (&TreeField<'_>, &TreeField<'_>)| {
                name == other && is_same_item(one, two)
            };
            one.len() == two.len() && deep(|| one.iter().zip(two).all(is_same))
        }
        (one, two) => ParsedValue::of(one) == ParsedValue::of(two),
    }
}

/// Whether two maps have the same names, and values that are the same.
fn are_same(
    one: Members<'_>,
    two: Members<'_>,
    is_same: impl Fn(ParsedValue<'_>, ParsedValue<'_>) -> bool,
) -> bool {
    let mut others = two.iter();
    let mut has_same = |one: Member<'_>| {
        others.next().is_some_and(|two| one.name == two.name && is_same(one.value, two.value))
    };
    one.iter().all(&mut has_same) && others.next().is_none()
}

fn same_members(one: Members<'_>, two: Members<'_>) -> bool {
    are_same(one, two, |one, two| one == two)
}

impl ParsedValue<'_> {
    /// Whether both are written alike: unlike equality, `1` and `1.0` differ.
    pub(crate) fn is_identical(self, other: ParsedValue<'_>) -> bool {
        match (self, other) {
            (ParsedValue::Null, ParsedValue::Null) => true,
            (ParsedValue::Bool(one), ParsedValue::Bool(two)) => one == two,
            (ParsedValue::Int(one), ParsedValue::Int(two)) => one == two,
            // 0.0 and -0.0 are written differently.
            (ParsedValue::Float(one), ParsedValue::Float(two)) => one.to_bits() == two.to_bits(),
            (ParsedValue::String(one), ParsedValue::String(two)) => {
                one.len() == two.len() && (std::ptr::eq(one.as_ptr(), two.as_ptr()) || one == two)
            }
            (ParsedValue::List(one), ParsedValue::List(two)) => {
                let same = || {
                    one.len() == two.len()
                        && one.iter().zip(two.iter()).all(|(one, two)| one.is_identical(two))
                };
                self.is_same_part(other) || deep(same)
            }
            (ParsedValue::Map(one), ParsedValue::Map(two)) => {
                self.is_same_part(other) || deep(|| are_same(one, two, |one, two| one.is_identical(two)))
            }
            _ => false,
        }
    }

    fn number(self) -> Option<f64> {
        match self {
            ParsedValue::Int(int) => Some(int as f64),
            ParsedValue::Float(float) => Some(float),
            _ => None,
        }
    }

    pub(crate) const fn rank(self) -> u8 {
        match self {
            // The order of kinds in structured-merge-diff.
            ParsedValue::Int(_) | ParsedValue::Float(_) => 0,
            ParsedValue::String(_) => 1,
            ParsedValue::Bool(_) => 2,
            ParsedValue::List(_) => 3,
            ParsedValue::Map(_) => 4,
            ParsedValue::Null => 5,
        }
    }

    /// The order of values.
    #[must_use]
    pub fn order(self, other: ParsedValue<'_>) -> Ordering {
        match (self, other) {
            (ParsedValue::Int(one), ParsedValue::Int(two)) => one.cmp(&two),
            (ParsedValue::String(one), ParsedValue::String(two)) => one.cmp(two),
            (ParsedValue::Bool(one), ParsedValue::Bool(two)) => one.cmp(&two),
            (ParsedValue::List(one), ParsedValue::List(two)) => deep(|| order_of_lists(one, two)),
            (ParsedValue::Map(one), ParsedValue::Map(two)) => deep(|| order_of_maps(one, two)),
            _ => match (self.number(), other.number()) {
                (Some(one), Some(two)) => one.partial_cmp(&two).unwrap_or(Ordering::Equal),
                _ => self.rank().cmp(&other.rank()),
            },
        }
    }
}

fn order_of_lists(one: Items<'_>, two: Items<'_>) -> Ordering {
    let differing = one.iter().zip(two.iter()).map(|(one, two)| one.order(two)).find(|order| order.is_ne());
    differing.unwrap_or_else(|| one.len().cmp(&two.len()))
}

/// Walks both maps by name. A map that ends first is less; one that lacks a name of the other is greater.
fn order_of_maps(one: Members<'_>, two: Members<'_>) -> Ordering {
    let (mut lefts, mut rights) = (one.iter(), two.iter());
    loop {
        let (left, right) = match (lefts.next(), rights.next()) {
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
}
