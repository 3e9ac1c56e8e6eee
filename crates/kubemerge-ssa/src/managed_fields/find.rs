//! Finds list items by their keys and values, for many paths of one object.
//!
//! Long lists are indexed when an item of them is looked for, so that all items together are found in linear time.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::fieldpath::{Element, KeyField};
use crate::value::{Items, ParsedValue};

/// Lists up to this length are searched item by item.
const MAX_SEARCHED: usize = 16;

/// Keys with more fields than this are searched for item by item: an item may lack any of them.
const MAX_KEY_FIELDS: usize = 4;

/// Where a list is in memory, and the fields by which its items are known; none for a set.
type IndexedList = (usize, String);

/// Follows paths of objects whose lists it remembers.
#[derive(Default)]
pub(super) struct Finder {
    lists: RefCell<HashMap<IndexedList, HashMap<String, usize>>>,
}

impl Finder {
    /// The value at the end of a path. Items are found by the key fields they have.
    pub(super) fn value_at<'a>(
        &self,
        object: ParsedValue<'a>,
        path: &[Element<'_>],
    ) -> Option<ParsedValue<'a>> {
        path.iter().try_fold(object, |value, element| match *element {
            Element::Name(name) => value.get(name),
            item => {
                let items = value.items()?;
                items.get(self.position(items, item)?)
            }
        })
    }

    /// The first item of a list that a step leads to.
    pub(super) fn position(&self, items: Items<'_>, step: Element<'_>) -> Option<usize> {
        match step {
            Element::Name(_) => None,
            Element::Index(index) => usize::try_from(index).ok().filter(|index| *index < items.len()),
            Element::Key(fields) if items.len() <= MAX_SEARCHED || fields.len() > MAX_KEY_FIELDS => {
                items.iter().position(|item| has_key(item, fields))
            }
            Element::Value(wanted) if items.len() <= MAX_SEARCHED => {
                items.iter().position(|item| item == wanted)
            }
            Element::Key(fields) => self.indexed(items, fields, |index| {
                // An item may lack key fields, which have their defaults then.
                let given = (1..1_usize << fields.len()).map(|chosen| signature(fields, chosen));
                given.filter_map(|given| index.get(&given).copied()).min()
            }),
            Element::Value(wanted) => self.indexed(items, &[], |index| index.get(&text(wanted)).copied()),
        }
    }

    fn indexed<R>(
        &self,
        items: Items<'_>,
        fields: &[KeyField<'_>],
        look: impl FnOnce(&HashMap<String, usize>) -> R,
    ) -> R {
        let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
        let mut lists = self.lists.borrow_mut();
        look(lists.entry((items.address(), names.join(","))).or_insert_with(|| index(items, &names)))
    }
}

/// Whether an item has a key; fields that it lacks have their defaults, which are not known here.
fn has_key(item: ParsedValue<'_>, key: &[KeyField<'_>]) -> bool {
    let given = || key.iter().filter_map(|field| item.get(field.name).map(|value| (value, field.value)));
    given().count() > 0 && given().all(|(value, wanted)| value == wanted)
}

/// The first item with each key, or with each value where there are no names.
fn index(items: Items<'_>, names: &[&str]) -> HashMap<String, usize> {
    let mut index = HashMap::new();
    for (place, item) in items.iter().enumerate() {
        let found = match names {
            [] => text(item),
            _ => names.iter().filter_map(|name| Some(part(name, item.get(name)?))).collect(),
        };
        // An item without any key field is found by none.
        if !found.is_empty() {
            index.entry(found).or_insert(place);
        }
    }
    index
}

/// The text of the chosen fields of a key, one bit each.
fn signature(fields: &[KeyField<'_>], chosen: usize) -> String {
    let is_chosen = |(at, _): &(usize, &KeyField<'_>)| chosen & (1 << at) != 0;
    fields.iter().enumerate().filter(is_chosen).map(|(_, field)| part(field.name, field.value)).collect()
}

fn part(name: &str, value: ParsedValue<'_>) -> String {
    format!("{name}={};", text(value))
}

/// Canonical text: equal for equal values.
fn text(value: ParsedValue<'_>) -> String {
    String::from_utf8_lossy(&value.to_json()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Arena;

    /// Lists below and above the limit answer alike.
    #[test]
    fn items_of_short_and_long_lists_are_found() {
        for count in [3, 3 * MAX_SEARCHED] {
            let arena = Arena::new();
            let items: Vec<String> = (0..count).map(|at| format!(r#"{{"port":{at}}}"#)).collect();
            let last = count - 1;
            let json = format!(r#"[{},{{"port":{last},"protocol":"UDP"}}]"#, items.join(","));
            let items = ParsedValue::parse(json.as_bytes(), &arena).unwrap().items().unwrap();
            let find = |port: i64, protocol: &'static str| {
                let field = |name, value| KeyField { name, value };
                let key =
                    [field("port", ParsedValue::Int(port)), field("protocol", ParsedValue::String(protocol))];
                Finder::default().position(items, Element::Key(&key))
            };
            assert_eq!(find(1, "TCP"), Some(1), "the protocol has its default");
            assert_eq!(find(last as i64, "UDP"), Some(last), "the first that fits");
            assert_eq!(find(-1, "TCP"), None);
        }
    }
}
