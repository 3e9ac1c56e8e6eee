//! What objects of a built-in kind look like when there is nothing to do about them.
//!
//! Most objects hold only fields that their kind has, with values of the right types, and no default is missing
//! in them. A pattern is the kind's schema and its defaults, compiled for one walk that finds this out. The walk
//! changes and reports nothing: where it is not sure, [`fields`](crate::write::fields) and
//! [`defaults`](crate::write::defaults) look closer and have the last word.

mod change;
mod compile;
mod intake;
#[cfg(test)]
mod law;
mod memory;

use std::borrow::Cow;

pub(crate) use change::Older;
use change::{Comparison, Progress};
use compile::Compiler;
pub(crate) use intake::Sound;
use kubemerge_schema::Type;
use kubemerge_value::{Excerpt, Kind, Reader};
use memory::Memory;

use crate::{
    store::beginning::start_of,
    write::{
        defaults::{Tree, Wanted},
        fields::fits,
    },
};
use kubemerge_kinds::octets;

/// The pattern of one kind.
#[derive(Debug)]
pub(crate) struct Pattern {
    wants: Vec<Want>,
    /// The fields below the object itself.
    fields: Vec<Member>,
    memory: Memory,
}

/// A place in [`Pattern::wants`].
type Place = usize;

/// What may stand somewhere.
#[derive(Clone, Debug)]
enum Want {
    /// Anything: it is kept as it is.
    Free,
    Scalar(Kinds, Check),
    Map(MapWant),
    List(Place),
    /// Nothing that this walk could judge.
    Unsure,
}

#[derive(Clone, Debug)]
struct MapWant {
    /// Sorted by name.
    members: Vec<Member>,
    /// What members of other names are, where there may be any.
    others: Option<Place>,
}

#[derive(Clone, Debug)]
struct Member {
    /// The first bytes of the name: they settle most comparisons.
    start: u64,
    name: Box<str>,
    default: Default,
    want: Place,
}

impl Member {
    /// Whether a name that starts like the member's is the member's.
    fn is_named(&self, name: &[u8]) -> bool {
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
    fn of(wanted: Option<&Wanted>) -> Default {
        match wanted {
            Some(Wanted::Value(_)) => Default::Value,
            Some(Wanted::InMap(_) | Wanted::InItems(_)) => Default::Below,
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

/// What else a scalar must be.
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
    pub(crate) fn new(ty: Type<'_>, defaults: Option<&Tree>) -> Pattern {
        let mut compiler = Compiler::default();
        let fields = compiler.members(ty, defaults);
        Pattern { wants: compiler.wants, fields, memory: Memory::default() }
    }

    /// What a walk through a field of an object finds. Where an older text is given, which was as it should be
    /// and complete, only what differs from it is looked at.
    pub(crate) fn judge(&self, name: &str, text: &Excerpt, old: Option<Older<'_>>) -> Verdict {
        let Some(field) = self.fields.iter().find(|field| *field.name == *name) else {
            return Verdict::Unsure;
        };
        let mut walk = self.walk(text.as_bytes());
        let whole = match old {
            Some(old) if old.text == text => return Verdict::Complete,
            Some(old) => match Comparison::new(&mut walk, old).value(field.want) {
                Some(Progress::ToTheSame) => true,
                Some(Progress::Behind) => walk.reader.is_finished(),
                None => false,
            },
            None => walk.value(field.want).is_some() && walk.reader.is_finished(),
        };
        match whole {
            false => Verdict::Unsure,
            true if walk.missing => Verdict::Settled,
            true => Verdict::Complete,
        }
    }

    fn walk<'w>(&'w self, text: &'w [u8]) -> Walk<'w> {
        Walk { wants: &self.wants, reader: Reader::new(text), missing: false }
    }

    /// Whether a field is sure to be as it should be, and complete.
    pub(crate) fn accepts(&self, name: &str, text: &Excerpt) -> bool {
        self.judge(name, text, None) == Verdict::Complete
    }

    /// Whether there are defaults below a field.
    pub(crate) fn has_defaults(&self, name: &str) -> bool {
        self.fields.iter().any(|field| *field.name == *name && field.default == Default::Below)
    }
}

/// What a walk finds out about a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// All fields are known, all types right, nothing is to be written in another way.
    Settled,
    /// The same, and no default is missing.
    Complete,
    /// Perhaps not; somebody must look closer.
    Unsure,
}

/// A walk through a value. Where a step answers nothing it is not sure that all is as it should be.
struct Walk<'w> {
    wants: &'w [Want],
    reader: Reader<'w>,
    /// Whether a default is missing.
    missing: bool,
}

impl<'w> Walk<'w> {
    /// Goes through the next value.
    fn value(&mut self, want: Place) -> Option<()> {
        match &self.wants[want] {
            Want::Free => self.reader.pass(),
            Want::Scalar(kinds, check) => self.scalar(*kinds, *check),
            Want::Map(map) => self.members(map),
            Want::List(items) => self.items(*items),
            Want::Unsure => None,
        }
    }

    fn scalar(&mut self, kinds: Kinds, check: Check) -> Option<()> {
        let (kind, fits) = match (self.reader.next_byte(), check) {
            (b'"', Check::Bytes) => (Kind::String, is_base64(self.reader.string()?)),
            (b'"', _) => (Kind::String, self.reader.string().is_some()),
            (b't' | b'f', _) => (Kind::Bool, self.reader.word().is_some()),
            (b'0'..=b'9' | b'-', check) => (Kind::Int, is_small_int(self.reader.number()?, check)),
            _ => return None,
        };
        (fits && kinds.have(kind)).then_some(())
    }

    /// Goes through the members of a map and the names it may have side by side, since both are sorted.
    fn members(&mut self, map: &'w MapWant) -> Option<()> {
        self.reader.open_map()?;
        let mut rest = &map.members[..];
        while let Some(name) = self.reader.name()? {
            let want = self.step(&mut rest, name).or(map.others)?;
            self.value(want)?;
        }
        self.pass_members(rest);
        Some(())
    }

    /// Members that are not there.
    fn pass_members(&mut self, passed: &[Member]) {
        self.missing |= passed.iter().any(|member| member.default == Default::Value);
    }

    /// Steps up to the member of a name; those that are passed are not there.
    fn step(&mut self, rest: &mut &'w [Member], name: &[u8]) -> Option<Place> {
        let start = start_of(name);
        while let [member, behind @ ..] = *rest {
            if member.start == start && member.is_named(name) {
                *rest = behind;
                return Some(member.want);
            }
            if member.start > start || member.start == start && member.name.as_bytes() > name {
                return None;
            }
            self.missing |= member.default == Default::Value;
            *rest = behind;
        }
        None
    }

    fn items(&mut self, want: Place) -> Option<()> {
        self.reader.open_list()?;
        while self.reader.item()? {
            self.value(want)?;
        }
        Some(())
    }
}

/// Whether a text is bytes as Go writes them.
fn is_base64(text: &[u8]) -> bool {
    let text = std::str::from_utf8(text).unwrap_or_default();
    matches!(octets::canonical(text), Some(Cow::Borrowed(_)))
}

/// Whether a number is surely an integer of the size that is asked for.
fn is_small_int(word: &[u8], check: Check) -> bool {
    let most = if let Check::Int32 = check { 9 } else { 18 };
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    digits.len() <= most && digits.iter().all(u8::is_ascii_digit)
}
