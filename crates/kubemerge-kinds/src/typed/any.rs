//! Values of any form, kept as they are.

use kubemerge_value::deep;

use super::scan::{Scanner, Start};
use crate::tree::{Arena, List, Map, Value};

/// Reads the text of a value that is in its typed form already. The text must be well-formed JSON.
pub fn read_typed_form<'a>(arena: &'a Arena, text: &'a str) -> Value<'a> {
    read(&mut Scanner::new(text), arena)
}

/// Reads a value without a schema; a number is an integer if it can be.
pub(super) fn read<'a>(scanner: &mut Scanner<'a>, arena: &'a Arena) -> Value<'a> {
    match scanner.start() {
        Start::Map => deep(|| Value::Map(read_map(scanner, arena))),
        Start::List => deep(|| Value::List(read_list(scanner, arena))),
        Start::Str => Value::Str(scanner.string(arena)),
        Start::Number => number(scanner.literal()),
        Start::True => {
            scanner.literal();
            Value::Bool(true)
        }
        Start::False => {
            scanner.literal();
            Value::Bool(false)
        }
        Start::Null => {
            scanner.literal();
            Value::Null
        }
    }
}

pub(super) fn number<'a>(literal: &str) -> Value<'a> {
    match literal.parse() {
        Ok(number) => Value::Int(number),
        // The scanner has checked the grammar: what is no int64 has a fraction, an exponent or too many digits.
        Err(_) => Value::Float(literal.parse().unwrap_or_default()),
    }
}

fn read_map<'a>(scanner: &mut Scanner<'a>, arena: &'a Arena) -> Map<'a> {
    let mut map = Map::new_in(arena);
    scanner.open();
    while scanner.next_part() {
        let name = scanner.name(arena);
        map.push_unsorted(name, read(scanner, arena));
    }
    // Text of clients may have names in any order and twice.
    map.sort();
    map
}

fn read_list<'a>(scanner: &mut Scanner<'a>, arena: &'a Arena) -> List<'a> {
    let mut list = List::new_in(arena);
    scanner.open();
    while scanner.next_part() {
        list.push(read(scanner, arena));
    }
    list
}
