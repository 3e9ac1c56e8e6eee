//! The typed form of an object: what Go writes after it has read it into the struct of its kind.
//!
//! One walk over the text, guided by the Go types of the schema, finds everything that Kubernetes' decoder
//! finds: unknown and duplicate fields, values of another type, canonical quantities and times. It leaves out
//! what `omitempty` leaves out and adds what Go always writes, so the typed form of a typed form is itself.

pub(crate) mod base64;
mod converter;
pub(crate) mod duration;
mod embedded;
mod error;
pub(crate) mod field_order;
mod scalar;
mod time;

pub use converter::convert;
pub use duration::{duration_problem, duration_text};
pub use error::{DecodeError, StrictError};
pub use kubemerge_value::quantity::Quantity;
pub use kubemerge_value::tree::{read_node, read_typed_form};

use kubemerge_schema::{Alternative, GoField, GoKind, GoTypes, GoValue, Schema, StructId};
use kubemerge_value::{Node, PullReader, Start, TextForm, deep};

use crate::tree::{self, Arena, KnownParts, List, Map, Omitted, Value};
use error::DecodeStep;

/// An object in its typed form.
#[derive(Debug)]
pub struct Decoded<'a> {
    /// The object.
    pub object: Map<'a>,
    /// Unknown and duplicate fields, for strict field validation.
    pub strict: Vec<StrictError>,
}

/// How many complaints of the strict decoder are kept.
const MAX_STRICT_ERRORS: usize = 100;

/// Reads the text of an object into the struct of its kind. The text must be well-formed JSON.
pub fn decode<'a>(
    arena: &'a Arena,
    schema: &'a Schema,
    root: StructId,
    text: &'a str,
) -> Result<Decoded<'a>, DecodeError> {
    let mut decoder = Decoder::new(PullReader::new(text, arena), schema.go_types(), root);
    let object = decoder.read_object()?;
    Ok(Decoded { object, strict: decoder.strict })
}

/// The same for an object that is not text throughout, such as the result of a patch: it is not written for it. Pieces of a
/// text that has the typed form and was read before are not read again.
pub fn decode_node<'a>(
    arena: &'a Arena,
    schema: &'a Schema,
    root: StructId,
    node: Node<'a>,
    known: Option<&'a KnownParts<'a>>,
) -> Result<Decoded<'a>, DecodeError> {
    let mut decoder = Decoder::new(PullReader::of_node(node, arena), schema.go_types(), root);
    decoder.known = known;
    let object = decoder.read_object()?;
    // A patch may nest values deeper than documents may be.
    match decoder.reader.finish() {
        TextForm::NotJson => Err(DecodeError::new("exceeded max depth")),
        _ => Ok(Decoded { object, strict: decoder.strict }),
    }
}

struct Decoder<'a> {
    arena: &'a Arena,
    types: GoTypes<'a>,
    root: StructId,
    reader: PullReader<'a>,
    path: Vec<DecodeStep<'a>>,
    /// The struct whose field was entered last.
    within: Option<StructId>,
    /// The first value of a wrong type: reading goes on, since a later value may be an error of its own.
    mismatch: Option<DecodeError>,
    strict: Vec<StrictError>,
    /// Whether complaints of the strict decoder are dropped.
    is_lenient: bool,
    /// Parts that were read before.
    known: Option<&'a KnownParts<'a>>,
}

impl<'a> Decoder<'a> {
    fn new(reader: PullReader<'a>, types: GoTypes<'a>, root: StructId) -> Self {
        Decoder {
            arena: reader.arena(),
            types,
            root,
            reader,
            path: Vec::with_capacity(16),
            within: None,
            mismatch: None,
            strict: Vec::new(),
            is_lenient: false,
            known: None,
        }
    }

    fn read_object(&mut self) -> Result<Map<'a>, DecodeError> {
        let mut is_zero = true;
        let object = match self.reader.start() {
            Start::Map => self.read_struct(self.root, &mut is_zero)?,
            other => {
                self.save_mismatch(other.go_name(), &self.struct_type(self.root));
                Map::new_in(self.arena)
            }
        };
        self.mismatch.take().map_or(Ok(object), Err)
    }

    fn read_struct(&mut self, id: StructId, is_zero: &mut bool) -> Result<Map<'a>, DecodeError> {
        deep(|| self.read_members(id, is_zero))
    }

    fn read_members(&mut self, id: StructId, is_zero: &mut bool) -> Result<Map<'a>, DecodeError> {
        let fields = self.types.of(id);
        let mut members = Members::new(self.arena);
        let (mut seen, mut next) = (Places::default(), 0);
        let around = self.within;
        let mut level = self.reader.open_map();
        while let Some(name) = self.reader.name(&mut level) {
            let Some(place) = fields.find_from(name, next) else {
                // Not an error by itself: the level of field validation decides.
                self.save_strict(StrictError::unknown(&self.path, name));
                self.reader.pass();
                continue;
            };
            next = place + 1;
            let GoField { name, value: ty } = fields.field(place);
            if seen.insert(place) {
                self.save_strict(StrictError::duplicate(&self.path, name));
            }
            self.within = Some(id);
            self.path.push(DecodeStep::Field(name));
            let value = self.read_field(ty, is_zero)?;
            self.path.pop();
            self.within = around;
            // Of a field that is given twice, Go merges both values; the last one is what scalars get.
            if let Some(value) = value {
                members.put(place, name, value);
            }
        }
        for place in fields.always_written().iter().map(|place| usize::from(*place)) {
            if !members.places.contains(place) {
                let GoField { name, value } = fields.field(place);
                members.put(place, name, zero_field(self.arena, self.types, value));
            }
        }
        Ok(members.map)
    }

    /// The value of a field as it is written; `None` if it is left out.
    fn read_field(&mut self, ty: GoValue, is_zero: &mut bool) -> Result<Option<Value<'a>>, DecodeError> {
        let start = self.reader.start();
        // Null leaves a field as it was, which is unset.
        if start == Start::Null && (ty.is_pointer || !reads_null(ty.kind)) {
            self.reader.word();
            return Ok(None);
        }
        if ty.is_pointer
            && let Some(known) = self.known(start)
        {
            *is_zero = false;
            return Ok(Some(known));
        }
        let mut is_own_zero = true;
        let value = self.read(ty, start, &mut is_own_zero)?;
        if ty.is_pointer {
            *is_zero = false;
            // A struct or list that is neither is written as null and lost when it is read again.
            let is_lost = matches!((ty.kind, &value), (GoKind::StructOr(..), Value::Null));
            return Ok((!is_lost).then_some(value));
        }
        *is_zero &= is_own_zero;
        let is_omitted = match ty.kind {
            GoKind::Struct(_)
            | GoKind::Time
            | GoKind::MicroTime
            | GoKind::Duration
            | GoKind::Quantity
            | GoKind::IntOrString => ty.omits_zero && is_own_zero,
            GoKind::Any => false,
            _ => !ty.keeps_empty && value.is_empty() || ty.omits_zero && is_own_zero,
        };
        // Stored objects are protobuf, which has no empty lists and maps.
        if let (GoKind::List(_) | GoKind::Map(_), Value::List(_) | Value::Map(_)) = (ty.kind, &value)
            && value.is_empty()
        {
            let is_list = matches!(value, Value::List(_));
            // Messages print the empty list that was given, so it is remembered.
            return Ok(Some(Value::Omitted(Omitted { is_list, is_null: ty.keeps_empty })));
        }
        Ok((!is_omitted).then_some(value))
    }

    fn read(&mut self, ty: GoValue, start: Start, is_zero: &mut bool) -> Result<Value<'a>, DecodeError> {
        let value = match (ty.kind, start) {
            (GoKind::Struct(id), Start::Map) => return Ok(Value::Map(self.read_struct(id, is_zero)?)),
            (GoKind::List(item), Start::List) => {
                *is_zero = false;
                if let Some(known) = self.known(start) {
                    return Ok(known);
                }
                return Ok(Value::List(self.read_list(self.types.value(item))?));
            }
            (GoKind::Map(item), Start::Map) => {
                *is_zero = false;
                if let Some(known) = self.known(start) {
                    return Ok(known);
                }
                return Ok(Value::Map(self.read_map(self.types.value(item))?));
            }
            (GoKind::StructOr(other, id), _) => return self.read_alternative(other, id, start),
            (GoKind::Any, _) => {
                *is_zero = false;
                return Ok(tree::read(&mut self.reader));
            }
            (GoKind::Struct(_) | GoKind::List(_) | GoKind::Map(_), Start::Null) => {
                self.reader.word();
                zero(self.arena, self.types, ty)
            }
            (GoKind::Struct(_) | GoKind::List(_) | GoKind::Map(_), _) => {
                self.mismatch(ty, start.go_name());
                zero(self.arena, self.types, ty)
            }
            _ => self.read_scalar(ty, start)?,
        };
        *is_zero = value.is_empty();
        Ok(value)
    }

    /// A struct, or what may be in its place.
    fn read_alternative(
        &mut self,
        other: Alternative,
        id: StructId,
        start: Start,
    ) -> Result<Value<'a>, DecodeError> {
        let item = |kind| GoValue::plain(kind);
        // Upstream: a decoder of its own reads such values, which is never strict.
        let around = std::mem::replace(&mut self.is_lenient, true);
        let value = match (start, other) {
            (Start::Map, _) => Value::Map(self.read_struct(id, &mut true)?),
            (Start::List, Alternative::Structs) => Value::List(self.read_list(item(GoKind::Struct(id)))?),
            (Start::List, Alternative::Strings) => Value::List(self.read_list(item(GoKind::String))?),
            (Start::True | Start::False, Alternative::Bool) => {
                self.reader.word();
                Value::Bool(start == Start::True)
            }
            (_, Alternative::Bool) => return Err(DecodeError::new("boolean or JSON schema expected")),
            _ => {
                self.reader.pass();
                Value::Null
            }
        };
        self.is_lenient = around;
        let is_empty_list = value.as_list().is_some_and(|list| list.is_empty());
        Ok(if is_empty_list { Value::Null } else { value })
    }

    fn read_list(&mut self, item: GoValue) -> Result<List<'a>, DecodeError> {
        let mut list = List::new_in(self.arena);
        let mut level = self.reader.open_list();
        while self.reader.item(&mut level) {
            self.path.push(DecodeStep::Index(list.len()));
            let start = self.reader.start();
            match self.known(start) {
                Some(known) => list.push(known),
                None => list.push(self.read(item, start, &mut true)?),
            }
            self.path.pop();
        }
        Ok(list)
    }

    fn read_map(&mut self, item: GoValue) -> Result<Map<'a>, DecodeError> {
        // Labels and annotations: few objects have more.
        let mut map = Map::with_capacity_in(4, self.arena);
        let mut level = self.reader.open_map();
        while let Some(name) = self.reader.name(&mut level) {
            self.path.push(DecodeStep::Key(name));
            let start = self.reader.start();
            let value = match self.read(item, start, &mut true)? {
                // Conversion between versions makes an empty slice of nil.
                Value::Null if item.kind == GoKind::Bytes => Value::Str(""),
                value => value,
            };
            self.path.pop();
            map.push_unsorted(name, value);
        }
        if !level.is_sorted() {
            for name in repeated_names(&map) {
                self.save_strict(StrictError::duplicate(&self.path, name));
            }
            map.sort();
        }
        Ok(map)
    }

    /// The next value, if it is a map or list that was read before. Whether a struct is zero is for its fields to say, so
    /// that those which may be left out are not asked for.
    fn known(&mut self, start: Start) -> Option<Value<'a>> {
        let known = self.known.filter(|_| matches!(start, Start::Map | Start::List))?;
        known.read(&mut self.reader)
    }

    fn save_strict(&mut self, error: StrictError) {
        if !self.is_lenient && self.strict.len() < MAX_STRICT_ERRORS && !self.strict.contains(&error) {
            self.strict.push(error);
        }
    }
}

/// The members of a struct while it is read: by the places of its fields, which are sorted by name.
struct Members<'a> {
    map: Map<'a>,
    places: Places,
    /// One more than the greatest place so far.
    end: usize,
}

impl<'a> Members<'a> {
    fn new(arena: &'a Arena) -> Members<'a> {
        Members { map: Map::with_capacity_in(8, arena), places: Places::default(), end: 0 }
    }

    fn put(&mut self, place: usize, name: &'a str, value: Value<'a>) {
        // Most texts are sorted: a field comes after all others.
        if place >= self.end {
            self.end = place + 1;
            self.map.push_last(name, value);
        } else {
            self.map.set(name, value);
        }
        self.places.insert(place);
    }
}

/// Types that decide themselves what null means.
fn reads_null(kind: GoKind) -> bool {
    matches!(kind, GoKind::Duration | GoKind::Any | GoKind::StructOr(..))
}

/// Names that a map has more than once, each time after the first.
fn repeated_names<'a>(map: &Map<'a>) -> Vec<&'a str> {
    let mut seen = std::collections::HashSet::new();
    map.iter().map(|(name, _)| name).filter(|name| !seen.insert(*name)).collect()
}

/// A set of places of fields.
#[derive(Default)]
struct Places {
    /// One bit for each of the first 64 places.
    first: u64,
    rest: Vec<usize>,
}

impl Places {
    fn contains(&self, place: usize) -> bool {
        if place < 64 { self.first >> place & 1 == 1 } else { self.rest.contains(&place) }
    }

    /// Adds a place; returns whether it was there before.
    fn insert(&mut self, place: usize) -> bool {
        let is_known = self.contains(place);
        if place < 64 {
            self.first |= 1 << place;
        } else if !is_known {
            self.rest.push(place);
        }
        is_known
    }
}

/// What Go writes of a field that holds nothing.
fn zero_field<'a>(arena: &'a Arena, types: GoTypes<'a>, ty: GoValue) -> Value<'a> {
    if ty.is_pointer { Value::Null } else { zero(arena, types, ty) }
}

/// What Go writes of a value that was never set.
pub(crate) fn zero<'a>(arena: &'a Arena, types: GoTypes<'a>, ty: GoValue) -> Value<'a> {
    match ty.kind {
        GoKind::Bool => Value::Bool(false),
        GoKind::Int32 | GoKind::Int64 | GoKind::Float64 | GoKind::IntOrString => Value::Int(0),
        GoKind::String => Value::Str(""),
        GoKind::Duration => Value::Str("0s"),
        GoKind::Quantity => Value::Str("0"),
        GoKind::Struct(id) => Value::Map(zero_struct(arena, types, id)),
        GoKind::Bytes | GoKind::Time | GoKind::MicroTime | GoKind::List(_) | GoKind::Map(_) | GoKind::Any => {
            Value::Null
        }
        GoKind::StructOr(Alternative::Bool, _) => Value::Bool(false),
        GoKind::StructOr(..) => Value::Null,
    }
}

/// What Go writes of a struct without any value. Structs that hold themselves do so through pointers or lists.
pub(crate) fn zero_struct<'a>(arena: &'a Arena, types: GoTypes<'a>, id: StructId) -> Map<'a> {
    let mut map = Map::new_in(arena);
    for field in types.of(id).fields() {
        if field.value.is_always_written() {
            map.push_unsorted(field.name, zero_field(arena, types, field.value));
        }
    }
    map
}
