//! The order of list items by identity, in time that grows with their number.
//!
//! Elements are compared by short integers that have the same order, so that sorting a long list does not read its texts
//! again and again. Items whose integers are equal are sorted once more by what follows in their texts.

use kubemerge_value::part::{item_at_mut, part_of};

use crate::fieldpath::Element;
use crate::value::ParsedValue;

/// From this length on, sorting by digits is faster than sorting by comparisons.
const MIN_RADIX: usize = 256;

/// How often items with equal integers are sorted by further bytes. Then elements are compared as a whole, which takes
/// time for texts with long parts in common, but never more than sorting by comparisons does.
const MAX_LEVELS: usize = 4;

/// An item in the order of identities.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    /// Its place before sorting.
    pub(super) place: u32,
    /// Whether the item before has the same identity.
    pub(super) is_repeated: bool,
    /// A number that sorts as the element does, as far as it goes.
    key: u64,
}

/// The items in the order of their elements. Those with one identity stay in the order of the list.
pub(super) fn in_order<'a>(count: usize, element: &dyn Fn(u32) -> Element<'a>) -> Vec<Placed> {
    let placed = |place| Placed { place, is_repeated: false, key: 0 };
    let mut items: Vec<Placed> = (0..count as u32).map(placed).collect();
    sort(&mut items, element, MAX_LEVELS);
    items
}

/// Whether no two items have one identity.
pub(super) fn are_unique<'a>(count: usize, element: &dyn Fn(u32) -> Element<'a>) -> bool {
    in_order(count, element).iter().all(|item| !item.is_repeated)
}

fn sort<'a>(items: &mut [Placed], element: &dyn Fn(u32) -> Element<'a>, levels: usize) {
    if items.len() < MIN_RADIX || levels == 0 {
        return sort_by_comparisons(items, element);
    }
    let rule = KeyRule::of(items, element);
    items.iter_mut().for_each(|item| item.key = rule.key(element(item.place)));
    sort_by_digits(items);
    for same in items.chunk_by_mut(|one, two| one.key == two.key).filter(|same| same.len() > 1) {
        let Some(first) = same.first() else { continue };
        if rule.is_whole(first.key) {
            same.iter_mut().skip(1).for_each(|item| item.is_repeated = true);
        } else {
            // Their integers have less in common than their texts: goes on after what these share.
            sort(same, element, levels - 1);
        }
    }
}

fn sort_by_comparisons<'a>(items: &mut [Placed], element: &dyn Fn(u32) -> Element<'a>) {
    let is_greater = |one: &Placed, two: &Placed| element(one.place).order(element(two.place)).is_gt();
    merge_sort(items, &mut items.to_vec(), &is_greater);
    let mut before = None;
    for item in items {
        if let Some(before) = before.replace(item.place) {
            item.is_repeated = element(before) == element(item.place);
        }
    }
}

/// A stable sort. That of the standard library may panic: large integers and floats are not in a total order, since
/// structured-merge-diff compares both as floats.
fn merge_sort(items: &mut [Placed], room: &mut [Placed], is_greater: &dyn Fn(&Placed, &Placed) -> bool) {
    if items.len() < 2 {
        return;
    }
    let middle = items.len() / 2;
    let ((left, right), (left_room, right_room)) = (items.split_at_mut(middle), room.split_at_mut(middle));
    merge_sort(left, left_room, is_greater);
    merge_sort(right, right_room, is_greater);
    // Halves that follow each other are sorted already, as most lists are.
    let (Some(last), Some(first)) = (left.last(), right.first()) else { return };
    if !is_greater(last, first) {
        return;
    }
    room.copy_from_slice(items);
    let (left, right) = room.split_at(middle);
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    for item in items {
        let takes_right = match (left.peek(), right.peek()) {
            (Some(left), Some(right)) => is_greater(left, right),
            (left, _) => left.is_none(),
        };
        let next = if takes_right { right.next() } else { left.next() };
        *item = *next.unwrap_or(item);
    }
}

/// Sorts by one byte of the keys after the other, the last one first.
fn sort_by_digits(items: &mut [Placed]) {
    let mut counts = [[0_u32; 256]; 8];
    for item in items.iter() {
        for (digit, counts) in item.key.to_le_bytes().into_iter().zip(&mut counts) {
            *item_at_mut(counts, usize::from(digit)) += 1;
        }
    }
    let mut room = items.to_vec();
    let (mut from, mut to) = (&mut *items, &mut room[..]);
    let mut is_in_room = false;
    for (place, counts) in counts.iter_mut().enumerate() {
        // A digit that is the same everywhere changes nothing.
        if counts.contains(&(from.len() as u32)) {
            continue;
        }
        let mut next = 0;
        for count in counts.iter_mut() {
            next += std::mem::replace(count, next);
        }
        for item in from.iter() {
            let digit = (item.key >> (8 * place)) as u8;
            let start = item_at_mut(counts, usize::from(digit));
            *item_at_mut(to, *start as usize) = *item;
            *start += 1;
        }
        std::mem::swap(&mut from, &mut to);
        is_in_room = !is_in_room;
    }
    if is_in_room {
        to.copy_from_slice(from);
    }
}

/// How elements become integers of the same order.
struct KeyRule {
    /// Which field of the keys decides: the first one that is not the same in all. Not used for values.
    field: usize,
    /// Whether nothing else differs.
    is_only: bool,
    form: KeyForm,
}

enum KeyForm {
    /// Nothing differs.
    Same,
    Int,
    /// Text, of which this many first bytes are the same in all.
    Text(usize),
    /// Values of several kinds, and elements of several forms: their keys are equal.
    Mixed,
}

impl KeyRule {
    fn of<'a>(items: &[Placed], element: &dyn Fn(u32) -> Element<'a>) -> KeyRule {
        let Some(first) = items.first() else {
            return KeyRule { field: 0, is_only: false, form: KeyForm::Mixed };
        };
        let elements = || items.iter().map(|item| element(item.place));
        let first = element(first.place);
        let mut differing = Differing::default();
        if !elements().all(|other| differing.add(first, other)) {
            return KeyRule { field: 0, is_only: false, form: KeyForm::Mixed };
        }
        let Differing { field, is_only } = differing;
        let form = match field {
            None => KeyForm::Same,
            Some(field) => elements()
                .try_fold(KeyForm::Same, |form, other| {
                    form.with(deciding(first, field)?, deciding(other, field)?)
                })
                .unwrap_or(KeyForm::Mixed),
        };
        KeyRule { field: field.unwrap_or_default(), is_only, form }
    }

    fn key(&self, element: Element<'_>) -> u64 {
        match (&self.form, deciding(element, self.field)) {
            // The sign becomes the first bit of an unsigned number.
            (KeyForm::Int, Some(ParsedValue::Int(int))) => int as u64 ^ (1 << 63),
            (KeyForm::Text(shared), Some(ParsedValue::String(text))) => {
                text_key(part_of(text.as_bytes(), *shared..))
            }
            _ => 0,
        }
    }

    /// Whether elements with this key are equal.
    fn is_whole(&self, key: u64) -> bool {
        let is_whole = match self.form {
            KeyForm::Same | KeyForm::Int => true,
            KeyForm::Text(_) => key & 0xff < 8,
            KeyForm::Mixed => false,
        };
        self.is_only && is_whole
    }
}

impl KeyForm {
    /// The form for one more value.
    fn with(self, first: ParsedValue<'_>, other: ParsedValue<'_>) -> Option<KeyForm> {
        match (self, first, other) {
            (KeyForm::Same | KeyForm::Int, ParsedValue::Int(_), ParsedValue::Int(_)) => Some(KeyForm::Int),
            (KeyForm::Same, ParsedValue::String(first), ParsedValue::String(other)) => {
                Some(KeyForm::Text(shared_len(first.as_bytes(), other.as_bytes())))
            }
            (KeyForm::Text(shared), ParsedValue::String(first), ParsedValue::String(other)) => {
                let first = part_of(first.as_bytes(), ..shared);
                Some(KeyForm::Text(shared_len(first, other.as_bytes())))
            }
            _ => None,
        }
    }
}

/// Seven bytes of a text, and its length up to eight, which orders a text and its beginning.
fn text_key(text: &[u8]) -> u64 {
    let mut key = [0; 8];
    key.iter_mut().zip(text).take(7).for_each(|(place, byte)| *place = *byte);
    key[7] = text.len().min(8) as u8;
    u64::from_be_bytes(key)
}

fn shared_len(one: &[u8], two: &[u8]) -> usize {
    if two.starts_with(one) {
        return one.len();
    }
    one.iter().zip(two).take_while(|(one, two)| one == two).count()
}

/// The value of an element that decides its order.
fn deciding(element: Element<'_>, field: usize) -> Option<ParsedValue<'_>> {
    match element {
        Element::Key(fields) => fields.get(field).map(|field| field.value),
        Element::Value(value) => Some(value),
        _ => None,
    }
}

/// Which fields of keys differ.
struct Differing {
    field: Option<usize>,
    is_only: bool,
}

impl Default for Differing {
    fn default() -> Self {
        Differing { field: None, is_only: true }
    }
}

impl Differing {
    /// Notes what differs; false if two elements are not of the same form.
    fn add(&mut self, first: Element<'_>, other: Element<'_>) -> bool {
        match (first, other) {
            (Element::Value(_), Element::Value(_)) => self.field = Some(0),
            (Element::Key(first), Element::Key(other)) if first.len() == other.len() => {
                for (place, (first, other)) in first.iter().zip(other).enumerate() {
                    // Names are those of the schema, so that most are one text in memory.
                    if !std::ptr::eq(first.name, other.name) && first.name != other.name {
                        return false;
                    }
                    if self.field != Some(place) && first.value != other.value {
                        // A field before the one that was found would decide first.
                        self.is_only = self.field.is_none();
                        self.field = Some(self.field.map_or(place, |field| field.min(place)));
                    }
                }
            }
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::iter::repeat_with;

    use super::*;
    use crate::fieldpath::KeyField;
    use crate::value::Arena;

    /// Texts of which many share long parts, and some are the beginning of others.
    fn text<'a>(random: &mut fastrand::Rng, arena: &'a Arena) -> ParsedValue<'a> {
        let group = ["", "item-", "item-of-a-long-name-", "a/item-of-another-long-name-", "item-\0"];
        let number = random.u32(..900);
        ParsedValue::String(match random.u8(..4) {
            0 => arena.alloc_str(group[random.usize(..group.len())]),
            1 => arena.alloc_str(&format!("{}{number:010}", group[random.usize(..group.len())])),
            2 => arena.alloc_str(&format!("item-of-a-long-name-{number}")),
            _ => arena.alloc_str(&"\0".repeat(number as usize % 9)),
        })
    }

    fn scalar<'a>(kind: u8, random: &mut fastrand::Rng, arena: &'a Arena) -> ParsedValue<'a> {
        match kind {
            0 => text(random, arena),
            1 => ParsedValue::Int(random.i64(-300..300)),
            2 => ParsedValue::Int(random.i64(..)),
            3 => ParsedValue::String("the same"),
            4 => ParsedValue::String(arena.alloc_str(&format!("VARIABLE_{:06}", random.u32(..5_000)))),
            5 => ParsedValue::Float(f64::from(random.i8(..)) / 2.0),
            _ => scalar(random.u8(..2), random, arena),
        }
    }

    /// Elements of one list: each field has values of one kind, or any; some keys may lack a field.
    fn elements<'a>(random: &mut fastrand::Rng, arena: &'a Arena) -> Vec<Element<'a>> {
        let kinds = [random.u8(..7), random.u8(..7), random.u8(..7)];
        let (fields, lacks) = (random.usize(..4), random.u8(..8) == 0);
        let count = random.usize(..2_000);
        let element = || {
            if fields == 0 {
                Element::Value(scalar(kinds[0], random, arena))
            } else {
                let fields = fields - usize::from(lacks && random.bool());
                let field = |place| KeyField {
                    name: ["a", "b", "c"][place],
                    value: scalar(kinds[place], random, arena),
                };
                Element::Key(arena.alloc_slice_fill_iter((0..fields).map(field)))
            }
        };
        repeat_with(element).take(count).collect()
    }

    #[test]
    fn order_is_that_of_sorting_by_comparisons() {
        for seed in 0..300 {
            let arena = Arena::new();
            let elements = elements(&mut fastrand::Rng::with_seed(seed), &arena);
            let mut expected: Vec<u32> = (0..elements.len() as u32).collect();
            expected.sort_by(|one, two| elements[*one as usize].order(elements[*two as usize]));
            let order = in_order(elements.len(), &|place| elements[place as usize]);
            let places: Vec<u32> = order.iter().map(|item| item.place).collect();
            assert_eq!(places, expected, "seed {seed}");
            let repeated: Vec<bool> = order.iter().map(|item| item.is_repeated).collect();
            let is_repeated =
                |at: usize| at > 0 && elements[expected[at - 1] as usize] == elements[expected[at] as usize];
            assert_eq!(repeated, (0..elements.len()).map(is_repeated).collect::<Vec<_>>(), "seed {seed}");
            let are_distinct = !repeated.contains(&true);
            assert_eq!(are_unique(elements.len(), &|place| elements[place as usize]), are_distinct);
        }
    }

    #[test]
    fn numbers_without_a_total_order_are_sorted_somehow() {
        let large = 9_007_199_254_740_992;
        let number = |place: u32| match place % 3 {
            0 => ParsedValue::Int(large + 1),
            1 => ParsedValue::Float(large as f64),
            _ => ParsedValue::Int(large),
        };
        let order = in_order(3_000, &|place| Element::Value(number(place * 7 % 3_000)));
        let mut places: Vec<u32> = order.iter().map(|item| item.place).collect();
        places.sort_unstable();
        assert_eq!(places, (0..3_000).collect::<Vec<_>>());
    }
}
