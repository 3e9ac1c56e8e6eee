//! From the tree to JSON: aliases are expanded within a budget, `<<` is merged, later members override.
//!
//! The walk keeps its own stack, so depth costs memory and never the thread's stack.

use std::borrow::Cow;
use std::collections::HashMap;

use super::error::{YamlError, YamlErrorKind};
use super::tree::{ItemId, Value, YamlDocument};
use kubemerge_value::MAX_DEPTH;
use kubemerge_value::part::part_of;
use kubemerge_value::write::write_float;

/// A member of a map after merging and overriding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) key: ItemId,
    pub(crate) value: ItemId,
    /// Whether the member came through an alias.
    aliased: bool,
}

impl YamlDocument<'_> {
    /// The document as compact JSON, members in the order written, numbers as Go prints them.
    ///
    /// Fails only if aliases blow the document up or nest it too deeply.
    pub fn to_json(&self) -> Result<Vec<u8>, YamlError> {
        self.json_of(0)
    }

    /// One value of the document as JSON.
    pub(crate) fn json_of(&self, id: ItemId) -> Result<Vec<u8>, YamlError> {
        let out = Vec::with_capacity(self.range.len());
        let mut writer = Writer { document: self, out, frames: Vec::new(), budget: Budget::default() };
        writer.value(id, Origin::Written)?;
        writer.run()?;
        // The text of YAML is longer than its JSON, and both are kept.
        writer.out.shrink_to_fit();
        Ok(writer.out)
    }

    /// One value of a document that came from JSON, as JSON text.
    pub(crate) fn json_text_of(&self, id: ItemId) -> String {
        // Aliases could exceed the limit of an expansion, but JSON has none.
        self.json_of(id).ok().and_then(|json| String::from_utf8(json).ok()).unwrap_or_default()
    }

    /// The members of a map in effect.
    pub(crate) fn members(&self, map: ItemId) -> Result<Vec<Member>, YamlError> {
        self.members_within(map, &mut Budget::of(self))
    }

    /// The members of a map in effect, for walks over many maps.
    pub(crate) fn members_within(&self, map: ItemId, budget: &mut Budget) -> Result<Vec<Member>, YamlError> {
        self.merged_members(map, Origin::Written, budget)
    }

    fn merged_members(
        &self,
        map: ItemId,
        origin: Origin,
        budget: &mut Budget,
    ) -> Result<Vec<Member>, YamlError> {
        let mut members = Overriding { document: self, list: Vec::new(), places: HashMap::new() };
        let mut pending = vec![Pending { next: map + 1, end: self.item(map).next, origin }];
        while let Some(Pending { next: key, end, origin }) = pending.pop() {
            if key >= end {
                continue;
            }
            let value = self.item(key).next;
            budget.charge(self, key, origin)?;
            // The rest of this map is read after what it merges: later members override earlier ones.
            pending.push(Pending { next: self.item(value).next, end, origin });
            if self.item(key).mark.merge {
                self.push_merged(value, origin, &mut pending);
            } else {
                members.set(Member { key, value, aliased: origin == Origin::Aliased });
            }
        }
        Ok(members.list)
    }

    /// Queues the maps below `<<`: the first of a list must come last, because later members override.
    fn push_merged(&self, value: ItemId, origin: Origin, pending: &mut Vec<Pending>) {
        let mut push = |id: ItemId| {
            let target = self.resolve_alias(id);
            let origin = if target == id { origin } else { Origin::Aliased };
            pending.push(Pending { next: target + 1, end: self.item(target).next, origin });
        };
        match self.item(value).value {
            // A stack, so the last map of the list is read first and the first one wins.
            Value::List => self.children(value).for_each(push),
            _ => push(value),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Written,
    Aliased,
}

/// The rest of a map whose members are being collected.
struct Pending {
    next: ItemId,
    end: ItemId,
    origin: Origin,
}

/// Members by key; a later one takes the place of an earlier one.
struct Overriding<'d, 't> {
    document: &'d YamlDocument<'t>,
    list: Vec<Member>,
    places: HashMap<Cow<'d, str>, usize>,
}

impl Overriding<'_, '_> {
    fn set(&mut self, member: Member) {
        let place = *self.places.entry(self.document.key_text(member.key)).or_insert(self.list.len());
        match self.list.get_mut(place) {
            // An override keeps the place of the first.
            Some(earlier) => *earlier = member,
            None => self.list.push(member),
        }
    }
}

/// Limits how much of a document may come from aliases, by the rule of yaml.v2: nearly all of a small one,
/// a tenth of a very large one.
#[derive(Default)]
pub(crate) struct Budget {
    visited: usize,
    aliased: usize,
}

impl Budget {
    /// For a walk beside the one that writes: all items count as visited.
    pub(crate) fn of(document: &YamlDocument<'_>) -> Budget {
        Budget { visited: document.items.len(), aliased: 0 }
    }

    fn charge(&mut self, document: &YamlDocument<'_>, id: ItemId, origin: Origin) -> Result<(), YamlError> {
        self.visited += 1;
        self.aliased += usize::from(origin == Origin::Aliased);
        // yaml.v2's own numbers: small documents may alias freely, large ones only a little.
        if self.aliased <= 100 || self.visited <= 1000 || self.ratio() <= self.allowed() {
            return Ok(());
        }
        let position = document.position(document.item(id).start as usize);
        Err(YamlError::new(YamlErrorKind::Limit, position, "document contains excessive aliasing"))
    }

    fn ratio(&self) -> f64 {
        self.aliased as f64 / self.visited as f64
    }

    fn allowed(&self) -> f64 {
        // Up to here 99 % may come from aliases, from LARGE on 10 %.
        const SMALL: f64 = 400_000.0;
        const LARGE: f64 = 4_000_000.0;
        let share = ((self.visited as f64 - SMALL) / (LARGE - SMALL)).clamp(0.0, 1.0);
        0.99 - 0.89 * share
    }
}

/// A collection that is being written.
enum Frame {
    List { next: ItemId, end: ItemId, origin: Origin },
    Map { next: ItemId, end: ItemId, origin: Origin },
    Merged(std::vec::IntoIter<Member>),
}

struct Writer<'d, 't> {
    document: &'d YamlDocument<'t>,
    out: Vec<u8>,
    frames: Vec<Frame>,
    budget: Budget,
}

impl Writer<'_, '_> {
    fn run(&mut self) -> Result<(), YamlError> {
        while let Some(frame) = self.frames.last_mut() {
            match frame {
                Frame::List { next, end, origin } if *next < *end => {
                    let (element, origin) = (*next, *origin);
                    *next = self.document.item(element).next;
                    self.comma();
                    self.value(element, origin)?;
                }
                Frame::Map { next, end, origin } if *next < *end => {
                    let (key, origin) = (*next, *origin);
                    let value = self.document.item(key).next;
                    *next = self.document.item(value).next;
                    self.budget.charge(self.document, key, origin)?;
                    self.member(key, value, origin)?;
                }
                Frame::Merged(members) => match members.next() {
                    Some(Member { key, value, aliased }) => {
                        let origin = if aliased { Origin::Aliased } else { Origin::Written };
                        self.member(key, value, origin)?;
                    }
                    None => self.close(b'}'),
                },
                Frame::List { .. } => self.close(b']'),
                Frame::Map { .. } => self.close(b'}'),
            }
        }
        Ok(())
    }

    fn member(&mut self, key: ItemId, value: ItemId, origin: Origin) -> Result<(), YamlError> {
        self.comma();
        write_string(&mut self.out, &self.document.key_text(key));
        self.out.push(b':');
        self.value(value, origin)
    }

    fn value(&mut self, id: ItemId, origin: Origin) -> Result<(), YamlError> {
        self.budget.charge(self.document, id, origin)?;
        let target = self.document.resolve_alias(id);
        let origin = if target == id { origin } else { Origin::Aliased };
        // Twice, as yaml.v2 counts: once for the alias and once for its value.
        if target != id {
            self.budget.charge(self.document, id, origin)?;
        }
        let item = self.document.item(target);
        let (next, end) = (target + 1, item.next);
        match &item.value {
            Value::List => self.open(b'[', Frame::List { next, end, origin }, id),
            Value::Map if item.mark.overrides => {
                let members = self.document.merged_members(target, origin, &mut self.budget)?;
                self.open(b'{', Frame::Merged(members.into_iter()), id)
            }
            Value::Map => self.open(b'{', Frame::Map { next, end, origin }, id),
            scalar => {
                scalar.write_json(&mut self.out);
                Ok(())
            }
        }
    }

    fn open(&mut self, bracket: u8, frame: Frame, id: ItemId) -> Result<(), YamlError> {
        // Aliases can nest a document deeper than its text is.
        if self.frames.len() >= MAX_DEPTH {
            let position = self.document.position(self.document.item(id).start as usize);
            let message = format!("aliases nest the document more than {MAX_DEPTH} levels deep");
            return Err(YamlError::new(YamlErrorKind::Limit, position, message));
        }
        self.out.push(bracket);
        self.frames.push(frame);
        Ok(())
    }

    fn close(&mut self, bracket: u8) {
        self.out.push(bracket);
        self.frames.pop();
    }

    fn comma(&mut self) {
        if !matches!(self.out.last(), Some(b'[' | b'{') | None) {
            self.out.push(b',');
        }
    }
}

impl Value<'_> {
    /// A scalar in JSON.
    pub(crate) fn json_text(&self) -> String {
        let mut out = Vec::new();
        self.write_json(&mut out);
        // ASCII and pieces of strings.
        String::from_utf8(out).unwrap_or_default()
    }

    fn write_json(&self, out: &mut Vec<u8>) {
        match self {
            Value::Bool(true) => out.extend_from_slice(b"true"),
            Value::Bool(false) => out.extend_from_slice(b"false"),
            Value::Int(value) => out.extend_from_slice(value.to_string().as_bytes()),
            Value::UInt(value) => out.extend_from_slice(value.to_string().as_bytes()),
            // Go writes the sign; canonical text, which has one spelling for one value, does not.
            Value::Float(value) if *value == 0.0 && value.is_sign_negative() => out.extend_from_slice(b"-0"),
            Value::Float(value) => write_float(*value, out),
            Value::Literal(text) => out.extend_from_slice(text.as_bytes()),
            Value::String(text) => write_string(out, text),
            // Collections and aliases never get here: the writer walks them.
            Value::Null | Value::List | Value::Map | Value::Alias(_) => out.extend_from_slice(b"null"),
        }
    }
}

/// Writes a JSON string with the escapes JSON demands and no others.
pub(crate) fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut copied = 0;
    for (at, byte) in text.bytes().enumerate() {
        // Nearly every byte; the escapes below need not be looked at.
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        let hex = [b'\\', b'u', b'0', b'0', hex_digit(byte >> 4), hex_digit(byte & 15)];
        let escape: &[u8] = match byte {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            b'\t' => b"\\t",
            // Go escapes other control characters in this form.
            _ => &hex,
        };
        out.extend_from_slice(part_of(text.as_bytes(), copied..at));
        out.extend_from_slice(escape);
        copied = at + 1;
    }
    out.extend_from_slice(part_of(text.as_bytes(), copied..));
    out.push(b'"');
}

fn hex_digit(half: u8) -> u8 {
    if half < 10 { b'0' + half } else { b'a' + (half - 10) }
}
