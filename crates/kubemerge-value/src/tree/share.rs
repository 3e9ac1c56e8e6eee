//! Two versions of an object, which share what is the same in both.

use super::{List, Map, Value};
use crate::deep;

impl<'a> Map<'a> {
    /// Makes the parts that are the same as in an older version those of that version, so that from then on addresses
    /// tell what changed. Returns whether all of it is the same, in every respect: `7` is not `7.0`, and an empty list that
    /// a client gave is not an absent one.
    pub fn share_unchanged(&mut self, old: &'a Map<'a>) -> bool {
        if self.is_same_part(old) {
            return true;
        }
        let mut is_same = self.fields().len() == old.fields().len();
        let mut olds = old.fields().iter().peekable();
        for (name, value) in self.fields_mut() {
            // Both are sorted: a name that is smaller is missing here.
            while olds.next_if(|(old, _)| *old < *name).is_some() {}
            is_same &= match olds.next_if(|(old, _)| *old == *name) {
                Some((_, old)) => value.share_unchanged(old),
                None => false,
            };
        }
        if is_same {
            *self = old.share();
        }
        is_same
    }
}

impl<'a> List<'a> {
    /// The same for a list. Items are paired by their places: where they moved, less is shared.
    fn share_unchanged(&mut self, old: &'a List<'a>) -> bool {
        if self.is_same_part(old) {
            return true;
        }
        let mut is_same = self.len() == old.len();
        for (value, old) in self.iter_mut().zip(old.iter()) {
            is_same &= value.share_unchanged(old);
        }
        if is_same {
            *self = old.share();
        }
        is_same
    }
}

impl<'a> Value<'a> {
    fn share_unchanged(&mut self, old: &'a Value<'a>) -> bool {
        match (self, old) {
            // Most values are strings that did not change.
            (Value::Str(new), Value::Str(old)) => new == old,
            (Value::Map(new), Value::Map(old)) => deep(|| new.share_unchanged(old)),
            (Value::List(new), Value::List(old)) => deep(|| new.share_unchanged(old)),
            (Value::Null, Value::Null) => true,
            (Value::Bool(new), Value::Bool(old)) => new == old,
            (Value::Int(new), Value::Int(old)) => new == old,
            (Value::Float(new), Value::Float(old)) => new.to_bits() == old.to_bits(),
            (Value::Omitted(new), Value::Omitted(old)) => new == old,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use crate::tree::{Arena, List, Map, Omitted, Value, read_typed_form};

    /// A random tree with few names, so that two of them have something in common.
    fn tree<'a>(rng: &mut Rng, arena: &'a Arena, depth: u8) -> Map<'a> {
        let mut map = Map::new_in(arena);
        for _ in 0..rng.u8(..4) {
            let name = ["a", "b", "c\"<", "ä", "z"][rng.usize(..5)];
            map.set(name, value(rng, arena, depth));
        }
        map
    }

    fn value<'a>(rng: &mut Rng, arena: &'a Arena, depth: u8) -> Value<'a> {
        match rng.u8(..if depth == 0 { 7 } else { 12 }) {
            0 => Value::Null,
            1 => Value::Bool(rng.bool()),
            2 => Value::Int(rng.i64(-2..2)),
            3 => Value::Float([1.5, 1.0, 1e21, -0.0][rng.usize(..4)]),
            4 => Value::Str(["", "x", "\n<\u{2028}"][rng.usize(..3)]),
            5 | 6 => Value::Omitted(Omitted { is_list: rng.bool(), is_null: rng.bool() }),
            7 | 8 => {
                let mut list = List::new_in(arena);
                (0..rng.u8(..3)).for_each(|_| list.push(value(rng, arena, depth - 1)));
                Value::List(list)
            }
            _ => Value::Map(tree(rng, arena, depth - 1)),
        }
    }

    /// Everything that a tree has in it.
    fn all(tree: &Map<'_>) -> String {
        let mut text = format!("{:?}", Value::Map(tree.copy_in(&Arena::new())));
        // Bits that stay when a field is removed, and arenas.
        for part in ["names: ", "chunk_footer: "] {
            while let Some(at) = text.find(part) {
                let end = text[at..].find([',', ' ', '}']).map_or(text.len(), |end| at + end + 1);
                text.replace_range(at..end.max(at + part.len()), "");
            }
        }
        text
    }

    /// The law of this file: sharing changes nothing, and what is changed later changes for one tree only.
    #[test]
    fn shared_parts_are_what_they_were() {
        let mut rng = Rng::with_seed(1);
        for _ in 0..5_000 {
            let arena = Arena::new();
            let old = &*arena.alloc(tree(&mut rng, &arena, 3));
            let mut new = if rng.u8(..8) == 0 { old.copy_in(&arena) } else { tree(&mut rng, &arena, 3) };
            let (old_text, new_text) = (all(old), all(&new));
            let is_same = new.share_unchanged(old);
            assert_eq!((all(old), all(&new)), (old_text.clone(), new_text.clone()));
            assert_eq!(is_same, old_text == new_text);
            assert_eq!(
                is_same,
                new.is_same_part(old) || (new.fields().is_empty() && old.fields().is_empty())
            );
            change_all(&mut Value::Map(new));
            assert_eq!(all(old), old_text);
        }
    }

    fn change_all(value: &mut Value<'_>) {
        match value {
            Value::Map(map) => {
                map.iter_mut().for_each(|(_, value)| change_all(value));
                map.set("new", 1);
            }
            Value::List(list) => {
                list.iter_mut().for_each(change_all);
                list.push(1);
            }
            scalar => *scalar = Value::Str("changed"),
        }
    }

    #[test]
    fn parts_that_did_not_change_are_shared() {
        let arena = Arena::new();
        let read = |text| match read_typed_form(&arena, text) {
            Value::Map(map) => map,
            other => panic!("{other:?} is no map"),
        };
        let old = &*arena.alloc(read(r#"{"a":{"b":[{"k":"x","v":1},{"k":"y","v":2}]}}"#));
        let mut new = read(r#"{"a":{"b":[{"k":"x","v":1},{"k":"y","v":3}]}}"#);
        assert!(!new.share_unchanged(old));
        let items = |map: &Map<'_>| {
            map.map("a").unwrap().maps("b").map(|item| item.fields().as_ptr() as usize).collect::<Vec<_>>()
        };
        assert_eq!(items(old)[0], items(&new)[0]);
        assert_ne!(items(old)[1], items(&new)[1]);
    }
}
