//! Finds a declared field by the type that declares it and its name: a hash table over the fields of all types.
//!
//! Every walk over a value asks this for every member of every map, so that it decides how fast they are.

use kubemerge_value::part::{item_at, item_at_mut};

use crate::model::{Model, NodeId, Span, UNTYPED, start_of};

/// Names up to this length are known by their first and last eight bytes.
const WORD_BYTES: usize = 16;

#[derive(Debug)]
pub(super) struct FieldIndex {
    /// A power of two of slots, at most half of them taken: a search ends at the first free one.
    slots: Vec<Slot>,
    shift: u32,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The first bytes of the name, as a number.
    start: u64,
    /// The last bytes of a name of more than eight bytes, as a number.
    end: u64,
    /// The first field of the type, which tells types apart.
    first_field: u32,
    /// The place of the field; [`UNTYPED`] in a free slot.
    field: u32,
    /// The node of the field.
    node: NodeId,
    /// The length of the name.
    len: u32,
}

const FREE: Slot = Slot { start: 0, end: 0, first_field: 0, field: UNTYPED, node: UNTYPED, len: 0 };

impl FieldIndex {
    /// An index of the fields of these maps, which are stretches of the fields of the model. Maps that share their fields
    /// are listed once.
    pub(super) fn new(model: &Model, mut maps: Vec<Span>) -> FieldIndex {
        maps.sort_by_key(|fields| fields.start);
        maps.dedup_by_key(|fields| fields.start);
        let bits = (model.fields.len().max(1) * 2).next_power_of_two().ilog2();
        let mut index = FieldIndex { slots: vec![FREE; 1 << bits], shift: u64::BITS - bits };
        for map in maps {
            for field in map.start..map.start + map.len {
                index.insert(model, map.start, field);
            }
        }
        index
    }

    fn insert(&mut self, model: &Model, first_field: u32, place: u32) {
        let field = model.field(place as usize);
        let (name, start) = (model.text(field.name), field.start);
        let mut at = self.slot_of(first_field, start);
        while item_at(&self.slots, at).field != UNTYPED {
            at = (at + 1) & (self.slots.len() - 1);
        }
        let len = name.len() as u32;
        let end = end_of(name);
        *item_at_mut(&mut self.slots, at) =
            Slot { start, end, first_field, field: place, node: field.node, len };
    }

    /// The node of a field.
    #[inline]
    pub(super) fn find(&self, model: &Model, first_field: u32, name: &str) -> Option<NodeId> {
        let (start, end) = (start_of(name), end_of(name));
        let mut at = self.slot_of(first_field, start);
        loop {
            let slot = item_at(&self.slots, at);
            if slot.field == UNTYPED {
                return None;
            }
            let is_alike = slot.start == start
                && slot.end == end
                && slot.first_field == first_field
                && slot.len as usize == name.len();
            if is_alike
                && (name.len() <= WORD_BYTES || model.text(model.field(slot.field as usize).name) == name)
            {
                return Some(slot.node);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    #[inline]
    fn slot_of(&self, first_field: u32, start: u64) -> usize {
        // Odd constants with bits all over: names that begin alike must not end up side by side.
        let mixed = start ^ u64::from(first_field).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        (mixed >> self.shift) as usize
    }
}

/// The last eight bytes of a text as a number; zero for shorter ones, which are known by their start.
#[inline]
fn end_of(text: &str) -> u64 {
    text.as_bytes().last_chunk().map_or(0, |end| u64::from_be_bytes(*end))
}
