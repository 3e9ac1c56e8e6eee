//! Trees of built-in objects as the values that field managers compare, without printing and reading them.
//!
//! Lists and maps that the client gave empty have an owner, though they are stored as null: the values are those in the
//! text of [`Value::append_as_given`].

use bumpalo::collections::Vec;
use kubemerge_kinds::tree::{Arena, List, Map, Value};
use kubemerge_ssa::value::{Member, ParsedValue};
use kubemerge_value::deep;

/// A tree as a value.
pub(crate) fn object<'a>(tree: &Map<'a>, arena: &'a Arena) -> ParsedValue<'a> {
    let members = arena.alloc_slice_fill_copy(tree.len(), Member { name: "", value: ParsedValue::Null });
    for ((name, value), place) in tree.iter().zip(&mut *members) {
        *place = Member { name, value: parsed(value, arena) };
    }
    ParsedValue::Map(members)
}

/// Two versions of an object, which share the containers that are the same in both.
pub(crate) fn versions<'a>(old: &Map<'a>, new: &Map<'a>, arena: &'a Arena) -> TreeVersions<'a> {
    maps(old, new, arena)
}

/// A value of a tree.
fn parsed<'a>(value: &Value<'a>, arena: &'a Arena) -> ParsedValue<'a> {
    match value {
        Value::Omitted(omitted) if omitted.is_list => ParsedValue::List(&[]),
        Value::Omitted(_) => ParsedValue::Map(&[]),
        Value::Null => ParsedValue::Null,
        Value::Bool(truth) => ParsedValue::Bool(*truth),
        Value::Int(number) => ParsedValue::Int(*number),
        Value::Float(_) => number(value, arena),
        Value::Str(text) => ParsedValue::String(text),
        Value::List(list) => deep(|| {
            let items = list.iter().map(|item| parsed(item, arena));
            ParsedValue::List(arena.alloc_slice_fill_iter(items))
        }),
        Value::Map(map) => deep(|| object(map, arena)),
    }
}

/// A number as its text is read: one without a fraction is an integer there. Few kinds have such fields.
fn number<'a>(value: &Value<'_>, arena: &'a Arena) -> ParsedValue<'a> {
    let text = arena.alloc_str(&value.to_text());
    // What was printed is JSON.
    ParsedValue::parse(text.as_bytes(), arena).unwrap_or(ParsedValue::Null)
}

/// Two versions of a value.
pub(crate) struct TreeVersions<'a> {
    pub(crate) old: ParsedValue<'a>,
    pub(crate) new: ParsedValue<'a>,
    pub(crate) is_same: bool,
}

impl<'a> TreeVersions<'a> {
    /// A value that is the same in both.
    fn same(value: ParsedValue<'a>) -> Self {
        TreeVersions { old: value, new: value, is_same: true }
    }

    /// Two versions of a container; there is no old one if both are the same.
    fn of(old: Option<ParsedValue<'a>>, new: ParsedValue<'a>) -> Self {
        old.map_or(Self::same(new), |old| TreeVersions { old, new, is_same: false })
    }
}

fn pair<'a>(old: &Value<'a>, new: &Value<'a>, arena: &'a Arena) -> TreeVersions<'a> {
    match (old, new) {
        // Most values are strings that did not change.
        (Value::Str(old), Value::Str(new)) if old == new => TreeVersions::same(ParsedValue::String(new)),
        // Parts of the stored object that a patch left alone.
        (Value::Map(old), Value::Map(new)) if old.is_same_part(new) => TreeVersions::same(object(new, arena)),
        (Value::Map(old), Value::Map(new)) => deep(|| maps(old, new, arena)),
        (Value::List(old), Value::List(new)) => deep(|| lists(old, new, arena)),
        (old, new) => {
            let (old, new) = (parsed(old, arena), parsed(new, arena));
            TreeVersions { old, new, is_same: old == new }
        }
    }
}

/// The parts of the old version of a container, which are copied only if one of them differs from the new version.
struct OldParts<'a, T> {
    parts: Option<Vec<'a, T>>,
    arena: &'a Arena,
}

impl<'a, T: Copy> OldParts<'a, T> {
    fn new(arena: &'a Arena) -> Self {
        OldParts { parts: None, arena }
    }

    /// The next part, which differs; those before it are in both versions unless they were pushed.
    fn push(&mut self, part: T, before: &[T]) {
        let start = || {
            let mut parts = Vec::with_capacity_in(before.len() + 4, self.arena);
            parts.extend_from_slice_copy(before);
            parts
        };
        self.parts.get_or_insert_with(start).push(part);
    }

    /// The next part, which both versions have.
    fn push_same(&mut self, part: T) {
        if let Some(parts) = &mut self.parts {
            parts.push(part);
        }
    }

    /// Notes that the new version has a part more.
    fn differ(&mut self, before: &[T]) {
        if self.parts.is_none() {
            self.parts = Some(Vec::from_iter_in(before.iter().copied(), self.arena));
        }
    }

    fn finish(self) -> Option<&'a [T]> {
        self.parts.map(Vec::into_bump_slice)
    }
}

fn maps<'a>(old: &Map<'a>, new: &Map<'a>, arena: &'a Arena) -> TreeVersions<'a> {
    let member = |name: &'a str, value: &Value<'a>| Member { name, value: parsed(value, arena) };
    let mut news = Vec::with_capacity_in(new.len(), arena);
    let mut olds = OldParts::new(arena);
    let mut rest = old.iter();
    let mut next = rest.next();
    for (name, new) in new.iter() {
        // Both are sorted: a name that is smaller is missing on the other side.
        while let Some((old_name, old)) = next.filter(|(old_name, _)| *old_name < name) {
            olds.push(member(old_name, old), &news);
            next = rest.next();
        }
        match next.filter(|(old_name, _)| *old_name == name) {
            Some((_, old)) => {
                let versions = pair(old, new, arena);
                let old = Member { name, value: versions.old };
                if versions.is_same {
                    olds.push_same(old)
                } else {
                    olds.push(old, &news)
                }
                news.push(Member { name, value: versions.new });
                next = rest.next();
            }
            None => {
                olds.differ(&news);
                news.push(member(name, new));
            }
        }
    }
    next.into_iter().chain(rest).for_each(|(name, old)| olds.push(member(name, old), &news));
    TreeVersions::of(olds.finish().map(ParsedValue::Map), ParsedValue::Map(news.into_bump_slice()))
}

/// Items are paired by their places: where they moved, less is shared.
fn lists<'a>(old: &List<'a>, new: &List<'a>, arena: &'a Arena) -> TreeVersions<'a> {
    let mut news = Vec::with_capacity_in(new.len(), arena);
    let mut olds = OldParts::new(arena);
    for (old, new) in old.iter().zip(&new[..]) {
        let versions = pair(old, new, arena);
        if versions.is_same {
            olds.push_same(versions.old)
        } else {
            olds.push(versions.old, &news)
        }
        news.push(versions.new);
    }
    let both = news.len();
    old[both..].iter().for_each(|old| olds.push(parsed(old, arena), &news));
    if new.len() > both {
        olds.differ(&news);
        news.extend(new[both..].iter().map(|new| parsed(new, arena)));
    }
    TreeVersions::of(olds.finish().map(ParsedValue::List), ParsedValue::List(news.into_bump_slice()))
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use kubemerge_kinds::{tree::Omitted, typed::read_typed_form};
    use kubemerge_ssa::value::ValuePair;
    use kubemerge_value::Canonical;

    use super::*;

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
            // One of them is written without a fraction.
            3 => Value::Float([1.5, 1.0, 1e21, -0.5][rng.usize(..4)]),
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

    /// What readers of the text of a tree see.
    fn text<'a>(tree: &Map<'_>, arena: &'a Arena) -> &'a Canonical {
        let mut out = std::vec::Vec::new();
        Value::Map(tree.copy_in(arena)).append_as_given(&mut out);
        arena.alloc(Canonical::from_bytes(&out).unwrap())
    }

    /// The law of this file: values of trees are those of their texts, and trees are the same if their texts are.
    #[test]
    fn versions_of_trees_are_those_of_their_texts() {
        let seed = fastrand::u64(..);
        println!("seed {seed}");
        let mut rng = Rng::with_seed(seed);
        for _ in 0..20_000 {
            let arena = Arena::new();
            let old = tree(&mut rng, &arena, 3);
            let new = if rng.u8(..8) == 0 { old.copy_in(&arena) } else { tree(&mut rng, &arena, 3) };
            let (old_text, new_text) = (text(&old, &arena), text(&new, &arena));
            let wanted = ValuePair::from_canonical(old_text, new_text, &arena);
            let found = versions(&old, &new, &arena);
            assert_eq!((found.old, found.new), (wanted.old, wanted.new));
            assert_eq!(found.is_same, old_text.as_bytes() == new_text.as_bytes());
            assert_eq!(object(&new, &arena), wanted.new);
        }
    }

    #[test]
    fn parts_that_did_not_change_are_shared() {
        let arena = Arena::new();
        let read = |text| match read_typed_form(&arena, text) {
            Value::Map(map) => map,
            other => panic!("{other:?} is no map"),
        };
        let old = read(r#"{"a":{"b":[{"k":"x","v":1},{"k":"y","v":2}]}}"#);
        let new = read(r#"{"a":{"b":[{"k":"x","v":1},{"k":"y","v":3}]}}"#);
        let versions = versions(&old, &new, &arena);
        let first = |value: ParsedValue<'_>| {
            value.at(&["a", "b"]).and_then(ParsedValue::items).unwrap()[0].members().unwrap().as_ptr()
                as usize
        };
        assert_eq!(first(versions.old), first(versions.new));
    }
}
