//! What objects of a built-in kind look like when there is nothing to do about them.
//!
//! Most objects hold only fields that their kind has, with values of the right types, and no default is missing
//! in them. A pattern is the kind's schema and its defaults, compiled for one walk that finds this out. The walk
//! changes and reports nothing: where it is not sure, [`fields`](crate::fields) and
//! [`defaults`](crate::defaults) look closer and have the last word.

mod change;
mod compile;
#[cfg(test)]
mod law;

use std::borrow::Cow;

use compile::Compiler;
use kubemerge_schema::Type;
use kubemerge_value::{Cursor, Excerpt, Kind};

use crate::{
    defaults::{Tree, Wanted},
    fields::fits,
    octets,
};

/// The pattern of one kind.
#[derive(Debug)]
pub(crate) struct Pattern {
    wants: Vec<Want>,
    /// The fields below the object itself.
    fields: Vec<Member>,
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

/// The first eight bytes of a name as a number that sorts as the name does.
fn start_of(name: &[u8]) -> u64 {
    if let Some(start) = name.first_chunk() {
        return u64::from_be_bytes(*start);
    }
    match (name.first_chunk(), name.last_chunk()) {
        // Both halves of a name that is not much longer than one of them; where they overlap they agree.
        (Some(first), Some(last)) => {
            let (first, last) = (u32::from_be_bytes(*first), u32::from_be_bytes(*last));
            u64::from(first) << 32 | u64::from(last) << (8 * (8 - name.len()))
        }
        _ => name.iter().zip([56, 48, 40]).map(|(byte, place)| u64::from(*byte) << place).sum(),
    }
}

impl Pattern {
    /// The pattern of a type and its defaults.
    pub(crate) fn new(ty: Type<'_>, defaults: Option<&Tree>) -> Pattern {
        let mut compiler = Compiler::default();
        let fields = compiler.members(ty, defaults);
        Pattern { wants: compiler.wants, fields }
    }

    /// What a walk through a field of an object finds. Where an older text is given, which was as it should be
    /// and complete, only what differs from it is looked at.
    pub(crate) fn judge(&self, name: &str, text: &Excerpt, old: Option<&Excerpt>) -> Verdict {
        let Some(field) = self.fields.iter().find(|field| *field.name == *name) else {
            return Verdict::Unsure;
        };
        let mut walk = Walk { wants: &self.wants, cursor: text.cursor(), missing: false };
        let sure = match old {
            Some(old) if old == text => true,
            Some(old) => walk.changed(old.cursor(), field.want),
            None => walk.value(field.want),
        };
        match sure {
            false => Verdict::Unsure,
            true if walk.missing => Verdict::Settled,
            true => Verdict::Complete,
        }
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

struct Walk<'w> {
    wants: &'w [Want],
    cursor: Cursor<'w>,
    /// Whether a default is missing.
    missing: bool,
}

impl<'w> Walk<'w> {
    /// Goes through the next value; false if it is not sure that it is as it should be.
    fn value(&mut self, want: Place) -> bool {
        match &self.wants[want] {
            Want::Free => {
                self.cursor.pass();
                true
            }
            Want::Scalar(kinds, check) => self.scalar(*kinds, *check),
            Want::Map(map) => self.cursor.take(b'{') && self.members(map),
            Want::List(items) => self.cursor.take(b'[') && self.items(*items),
            Want::Unsure => false,
        }
    }

    fn scalar(&mut self, kinds: Kinds, check: Check) -> bool {
        match (self.cursor.next_byte(), check) {
            (b'"', Check::Bytes) => self.cursor.string().is_some_and(is_base64),
            (b'"', _) => {
                self.cursor.pass();
                kinds.have(Kind::String)
            }
            (b't' | b'f', _) => {
                self.cursor.word();
                kinds.have(Kind::Bool)
            }
            (b'0'..=b'9' | b'-', check) => is_small_int(self.cursor.word(), check) && kinds.have(Kind::Int),
            _ => false,
        }
    }

    /// Goes through the members of a map and the names it may have side by side, since both are sorted.
    fn members(&mut self, map: &'w MapWant) -> bool {
        let mut rest = &map.members[..];
        while !self.cursor.take(b'}') {
            self.cursor.take(b',');
            let Some(name) = self.cursor.name() else { return false };
            let Some(want) = self.step(&mut rest, name).or(map.others) else { return false };
            if !self.value(want) {
                return false;
            }
        }
        self.pass_members(rest);
        true
    }

    /// Members that are not there.
    fn pass_members(&mut self, passed: &[Member]) {
        self.missing |= passed.iter().any(|member| member.default == Default::Value);
    }

    /// Steps up to the member of a name; those that are passed are not there.
    fn step(&mut self, rest: &mut &'w [Member], name: &[u8]) -> Option<Place> {
        let start = start_of(name);
        while let [member, behind @ ..] = *rest {
            if member.start == start && member.name.as_bytes() == name {
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

    fn items(&mut self, want: Place) -> bool {
        while !self.cursor.take(b']') {
            self.cursor.take(b',');
            if !self.value(want) {
                return false;
            }
        }
        true
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
