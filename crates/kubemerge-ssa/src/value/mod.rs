//! Parsed values: what the typed operations walk.
//!
//! A [`ParsedValue`] is a small `Copy` tree in an [`Arena`]. Maps are sorted by name, so that two maps, or a map
//! and the fields of a type, are compared in one pass, and field sets come out in order. Absent, null and
//! empty are three different things: absent is `None` of an `Option<ParsedValue>`.

mod display;
mod order;
mod parse;
mod read;
mod same_text;
mod write;

pub(crate) use display::write_float_v;
pub(crate) use kubemerge_value::write::go_quoted;
pub use parse::ValuePair;
pub use read::ReadError;
pub(crate) use write::write_label_value;

pub use kubemerge_value::Arena;

/// A value of a document.
#[derive(Clone, Copy, Debug)]
pub enum ParsedValue<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A 64-bit integer.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A string.
    String(&'a str),
    /// A list.
    List(&'a [ParsedValue<'a>]),
    /// A map, sorted by name, each name once.
    Map(&'a [Member<'a>]),
}

/// A member of a map.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its value.
    pub value: ParsedValue<'a>,
}

impl<'a> ParsedValue<'a> {
    /// Whether the value is `null`.
    pub fn is_null(self) -> bool {
        matches!(self, ParsedValue::Null)
    }

    /// Whether the value is neither null nor a list nor a map.
    pub fn is_scalar(self) -> bool {
        matches!(
            self,
            ParsedValue::Bool(_) | ParsedValue::Int(_) | ParsedValue::Float(_) | ParsedValue::String(_)
        )
    }

    /// The members of a map; `None` for other values.
    pub fn members(self) -> Option<&'a [Member<'a>]> {
        match self {
            ParsedValue::Map(members) => Some(members),
            _ => None,
        }
    }

    /// The items of a list; `None` for other values.
    pub fn items(self) -> Option<&'a [ParsedValue<'a>]> {
        match self {
            ParsedValue::List(items) => Some(items),
            _ => None,
        }
    }

    /// The text of a string; `None` for other values.
    pub fn as_str(self) -> Option<&'a str> {
        match self {
            ParsedValue::String(text) => Some(text),
            _ => None,
        }
    }

    /// The member of a map with this name.
    pub fn get(self, name: &str) -> Option<ParsedValue<'a>> {
        let members = self.members()?;
        let found = members.binary_search_by(|member| member.name.cmp(name)).ok()?;
        Some(members[found].value)
    }

    /// The value at the end of these names.
    pub fn at(self, names: &[&str]) -> Option<ParsedValue<'a>> {
        names.iter().try_fold(self, |value, name| value.get(name))
    }

    /// Whether both are the same part of one tree, which proves them equal without a look inside.
    pub(crate) fn is_same_part(self, other: ParsedValue<'_>) -> bool {
        match (self, other) {
            (ParsedValue::Map(one), ParsedValue::Map(two)) => {
                // The same slice in memory; equal content elsewhere does not count.
                one.as_ptr().cast::<u8>() == two.as_ptr().cast() && one.len() == two.len()
            }
            (ParsedValue::List(one), ParsedValue::List(two)) => {
                one.as_ptr().cast::<u8>() == two.as_ptr().cast() && one.len() == two.len()
            }
            _ => false,
        }
    }

    /// The map with one member set to another value, added if it is not there.
    pub fn with_member(self, name: &'a str, value: ParsedValue<'a>, arena: &'a Arena) -> ParsedValue<'a> {
        let mut members = bumpalo::collections::Vec::new_in(arena);
        members.extend_from_slice(self.members().unwrap_or_default());
        match members.binary_search_by(|member| member.name.cmp(name)) {
            Ok(found) => members[found].value = value,
            Err(place) => members.insert(place, Member { name, value }),
        }
        ParsedValue::Map(members.into_bump_slice())
    }

    /// The map without one member.
    pub fn without_member(self, name: &str, arena: &'a Arena) -> ParsedValue<'a> {
        match self.members() {
            Some(members) if self.get(name).is_some() => {
                let others = members.iter().filter(|member| member.name != name).copied();
                let kept = bumpalo::collections::Vec::from_iter_in(others, arena);
                ParsedValue::Map(kept.into_bump_slice())
            }
            _ => self,
        }
    }
}
