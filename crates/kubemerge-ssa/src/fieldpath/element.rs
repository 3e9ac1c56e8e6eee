//! One step of a path: a field name, the key or value of a list item, or an index.

use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};

use crate::value::ParsedValue;

/// One step of a path. Names sort before keys, keys before values, values before indexes.
#[derive(Clone, Copy, Debug)]
pub enum Element<'a> {
    /// A field of a map.
    Name(&'a str),
    /// An item of a keyed list: its key fields, sorted by name.
    Key(&'a [KeyField<'a>]),
    /// An item of a set.
    Value(ParsedValue<'a>),
    /// An item by position.
    Index(i64),
}

/// A field of a key, and its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyField<'a> {
    /// The name of the field.
    pub name: &'a str,
    /// Its value.
    pub value: ParsedValue<'a>,
}

impl Element<'_> {
    fn rank(self) -> u8 {
        match self {
            Element::Name(_) => 0,
            Element::Key(_) => 1,
            Element::Value(_) => 2,
            Element::Index(_) => 3,
        }
    }

    /// The order of elements.
    #[inline]
    #[must_use]
    pub fn order(self, other: Element<'_>) -> Ordering {
        match (self, other) {
            // Nearly all elements; a call for each would take longer than the comparison.
            (Element::Name(one), Element::Name(two)) => order_of_texts(one, two),
            _ => self.order_beside_names(other),
        }
    }

    fn order_beside_names(self, other: Element<'_>) -> Ordering {
        match (self, other) {
            (Element::Key(one), Element::Key(two)) => order_of_keys(one, two),
            (Element::Value(one), Element::Value(two)) => one.order(two),
            (Element::Index(one), Element::Index(two)) => one.cmp(&two),
            // The order of structured-merge-diff, which `fieldsV1` of built-in kinds is written in.
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

/// The order of texts: that of their bytes, of which the first eight mostly decide.
#[inline]
fn order_of_texts(one: &str, two: &str) -> Ordering {
    let (one, two) = (one.as_bytes(), two.as_bytes());
    match (one.split_first_chunk::<8>(), two.split_first_chunk::<8>()) {
        (Some((one, after_one)), Some((two, after_two))) => {
            let order = u64::from_be_bytes(*one).cmp(&u64::from_be_bytes(*two));
            order.then_with(|| after_one.cmp(after_two))
        }
        _ => one.cmp(two),
    }
}

fn order_of_keys(one: &[KeyField<'_>], two: &[KeyField<'_>]) -> Ordering {
    let order = |(one, two): (&KeyField<'_>, &KeyField<'_>)| {
        order_of_texts(one.name, two.name).then_with(|| match (one.value, two.value) {
            (ParsedValue::String(one), ParsedValue::String(two)) => order_of_texts(one, two),
            (one, two) => one.order(two),
        })
    };
    let differing = one.iter().zip(two).map(order).find(|order| order.is_ne());
    differing.unwrap_or_else(|| one.len().cmp(&two.len()))
}

impl PartialEq for Element<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.order(*other).is_eq()
    }
}

impl Display for Element<'_> {
    /// The text of messages: `.name`, `[k="v"]`, `[="v"]`, `[3]`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Element::Name(name) => write!(f, ".{name}"),
            Element::Key(fields) => {
                f.write_str("[")?;
                for (place, field) in fields.iter().enumerate() {
                    let comma = if place > 0 { "," } else { "" };
                    write!(f, "{comma}{}={}", field.name, field.value)?;
                }
                f.write_str("]")
            }
            Element::Value(value) => write!(f, "[={value}]"),
            Element::Index(index) => write!(f, "[{index}]"),
        }
    }
}

/// A path, for messages.
#[derive(Clone, Copy, Debug)]
pub struct FieldPath<'p, 'a>(pub &'p [Element<'a>]);

impl Display for FieldPath<'_, '_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|element| element.fmt(f))
    }
}
