//! A quick check for objects of a built-in kind that need no change.
//!
//! Most objects hold only fields that their kind has, with values of the right types, and no default is missing
//! in them. A pattern is the kind's schema and its defaults, compiled for one walk that finds this out. The walk
//! changes and reports nothing: where it answers [`Verdict::NeedsFullCheck`],
//! [`unknown_fields`](crate::unknown_fields) and [`defaults`](crate::defaults) decide.

mod compile;
mod name_prefix;
mod read;

use std::borrow::Cow;

use compile::Compiler;
use kubemerge_schema::Type;
use kubemerge_value::{Kind, Reader, SharedValue};
use name_prefix::name_prefix_u64;
pub use read::{ReadField, TypeMeta, ValidatedText};

use crate::{
    defaults::{DefaultAt, DefaultTree},
    octets,
    unknown_fields::fits,
};

/// The pattern of one kind.
#[derive(Debug)]
pub struct Pattern {
    shapes: Vec<FieldShape>,
    /// The fields below the object itself.
    fields: Vec<Member>,
}

/// An index into [`Pattern::shapes`].
type ShapeId = usize;

/// The values that a field may have.
#[derive(Clone, Debug)]
enum FieldShape {
    /// Anything: it is kept as it is.
    Free,
    Scalar(Kinds, Check),
    Map(MapShape),
    List(ShapeId),
    /// This walk cannot check the value.
    Unchecked,
}

#[derive(Clone, Debug)]
struct MapShape {
    /// Sorted by name.
    members: Vec<Member>,
    /// The shape of members of any other name, if they are allowed.
    others: Option<ShapeId>,
}

#[derive(Clone, Debug)]
struct Member {
    /// The first bytes of the name: they decide most comparisons.
    prefix: u64,
    name: Box<str>,
    default: Default,
    shape: ShapeId,
}

impl Member {
    /// Whether a name with the same prefix is the member's name.
    fn is_named(&self, name: &[u8]) -> bool {
        // The prefix holds eight bytes, so shorter names are decided by it.
        self.name.len() == name.len() && (name.len() <= 8 || self.name.as_bytes()[8..] == name[8..])
    }
}

/// Where defaults are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Default {
    /// A member gets this value if it has none.
    Value,
    /// Something below it does.
    Below,
    None,
}

impl Default {
    fn of(wanted: Option<&DefaultAt>) -> Default {
        match wanted {
            Some(DefaultAt::Value(_)) => Default::Value,
            Some(DefaultAt::InMap(_) | DefaultAt::InItems(_)) => Default::Below,
            None => Default::None,
        }
    }
}

/// Kinds of values, one bit each.
#[derive(Clone, Copy, Debug)]
struct Kinds(u8);

impl Kinds {
    fn that_fit(ty: Type<'_>) -> Kinds {
        let all = [Kind::Null, Kind::Bool, Kind::Int, Kind::Float, Kind::String, Kind::List, Kind::Map];
        let fitting = all.into_iter().filter(|kind| fits(*kind, ty));
        Kinds(fitting.map(|kind| 1 << kind as u8).sum())
    }

    fn have(self, kind: Kind) -> bool {
        self.0 & 1 << kind as u8 != 0
    }
}

/// The format of a scalar.
#[derive(Clone, Copy, Debug)]
enum Check {
    Nothing,
    Int32,
    Bytes,
}

impl Check {
    fn of(ty: Type<'_>) -> Check {
        match ty.format() {
            Some("int32") => Check::Int32,
            Some("byte") => Check::Bytes,
            _ => Check::Nothing,
        }
    }
}

impl Pattern {
    /// The pattern of a type and its defaults.
    pub fn new(ty: Type<'_>, defaults: Option<&DefaultTree>) -> Pattern {
        let mut compiler = Compiler::default();
        let fields = compiler.members(ty, defaults);
        Pattern { shapes: compiler.shapes, fields }
    }

    /// Checks a field of an object.
    pub fn check_field(&self, name: &str, text: &SharedValue) -> Verdict {
        let Some(field) = self.fields.iter().find(|field| *field.name == *name) else {
            return Verdict::NeedsFullCheck;
        };
        let mut walk = self.walk(text.as_bytes());
        match walk.value(field.shape).is_some() && walk.reader.is_finished() {
            false => Verdict::NeedsFullCheck,
            // Nothing to change, but the step that fills in defaults is still needed.
            true if walk.missing => Verdict::Valid,
            true => Verdict::Complete,
        }
    }

    fn walk<'w>(&'w self, text: &'w [u8]) -> Walk<'w> {
        Walk { shapes: &self.shapes, reader: Reader::new(text), missing: false }
    }

    /// Whether there are defaults below a field.
    pub fn has_defaults(&self, name: &str) -> bool {
        self.fields.iter().any(|field| *field.name == *name && field.default == Default::Below)
    }
}

/// The result of checking a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All fields are known, all types are right, and no value has to be rewritten.
    Valid,
    /// The same, and no default is missing.
    Complete,
    /// The walk found something that it cannot decide.
    NeedsFullCheck,
}

/// A walk through a value. A step that answers `None` found something that it cannot decide.
struct Walk<'w> {
    shapes: &'w [FieldShape],
    reader: Reader<'w>,
    /// Whether a default is missing.
    missing: bool,
}

impl<'w> Walk<'w> {
    /// Goes through the next value.
    fn value(&mut self, shape: ShapeId) -> Option<()> {
        match &self.shapes[shape] {
            FieldShape::Free => self.reader.pass(),
            FieldShape::Scalar(kinds, check) => self.scalar(*kinds, *check),
            FieldShape::Map(map) => self.members(map),
            FieldShape::List(items) => self.items(*items),
            FieldShape::Unchecked => None,
        }
    }

    fn scalar(&mut self, kinds: Kinds, check: Check) -> Option<()> {
        let (kind, fits) = match (self.reader.next_byte(), check) {
            (b'"', Check::Bytes) => (Kind::String, is_base64(self.reader.string()?)),
            (b'"', _) => (Kind::String, self.reader.string().is_some()),
            (b't' | b'f', _) => (Kind::Bool, self.reader.word().is_some()),
            (b'0'..=b'9' | b'-', check) => (Kind::Int, is_small_int(self.reader.number()?, check)),
            // Nulls, maps and lists: the full check decides.
            _ => return None,
        };
        (fits && kinds.have(kind)).then_some(())
    }

    /// Goes through the members of a map and the names it may have side by side, since both are sorted.
    fn members(&mut self, map: &'w MapShape) -> Option<()> {
        self.reader.open_map()?;
        let mut rest = &map.members[..];
        while let Some(name) = self.reader.name()? {
            // An unknown name ends the walk: it has to be reported or dropped.
            let shape = self.step(&mut rest, name).or(map.others)?;
            self.value(shape)?;
        }
        self.pass_members(rest);
        Some(())
    }

    /// Members that are not there.
    fn pass_members(&mut self, passed: &[Member]) {
        self.missing |= passed.iter().any(|member| member.default == Default::Value);
    }

    /// Steps up to the member of a name; those that are passed are not there.
    fn step(&mut self, rest: &mut &'w [Member], name: &[u8]) -> Option<ShapeId> {
        let prefix = name_prefix_u64(name);
        while let [member, after @ ..] = *rest {
            if member.prefix == prefix && member.is_named(name) {
                *rest = after;
                return Some(member.shape);
            }
            // Past the place where the name would be: it is unknown, and nothing was skipped.
            if member.prefix > prefix || member.prefix == prefix && member.name.as_bytes() > name {
                return None;
            }
            self.missing |= member.default == Default::Value;
            *rest = after;
        }
        None
    }

    fn items(&mut self, shape: ShapeId) -> Option<()> {
        self.reader.open_list()?;
        while self.reader.item()? {
            self.value(shape)?;
        }
        Some(())
    }
}

/// Whether a text is base64 as Go writes it.
fn is_base64(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| matches!(octets::canonical(text), Some(Cow::Borrowed(_))))
}

/// Whether a number is an integer with so few digits that it cannot be out of range.
fn is_small_int(word: &[u8], check: Check) -> bool {
    // 9 and 18 digits always fit; longer numbers go to the full check.
    let max_digits = if let Check::Int32 = check { 9 } else { 18 };
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    digits.len() <= max_digits && digits.iter().all(u8::is_ascii_digit)
}
