//! Values of any form, kept as they are.

use super::{Arena, List, Map, Value};
use crate::{Node, NumberText, PullReader, Start, deep};

/// Reads the text of a value as it is. The text must be well-formed JSON.
pub fn read_typed_form<'a>(arena: &'a Arena, text: &'a str) -> Value<'a> {
    read(&mut PullReader::new(text, arena))
}

/// The same for a value that is not text throughout, such as the result of a patch.
pub fn read_node<'a>(arena: &'a Arena, node: Node<'a>) -> Value<'a> {
    read(&mut PullReader::of_node(node, arena))
}

/// Reads a value without a schema; a number is an integer if it can be.
pub fn read<'a>(reader: &mut PullReader<'a>) -> Value<'a> {
    let start = reader.start();
    match start {
        Start::Map => deep(|| Value::Map(read_map(reader))),
        Start::List => deep(|| Value::List(read_list(reader))),
        Start::Str => Value::Str(reader.string()),
        Start::Number => number(reader.number()),
        Start::True | Start::False => {
            reader.word();
            Value::Bool(start == Start::True)
        }
        Start::Null => {
            reader.word();
            Value::Null
        }
    }
}

/// A number, which is an integer if it can be.
pub fn number<'a>(number: NumberText<'_>) -> Value<'a> {
    number.int().map_or_else(|| Value::Float(number.float()), Value::Int)
}

fn read_map<'a>(reader: &mut PullReader<'a>) -> Map<'a> {
    let mut map = Map::new_in(reader.arena());
    let mut level = reader.open_map();
    while let Some(name) = reader.name(&mut level) {
        map.push_unsorted(name, read(reader));
    }
    // Text of clients may have names in any order and twice.
    if !level.is_sorted() {
        map.sort();
    }
    map
}

fn read_list<'a>(reader: &mut PullReader<'a>) -> List<'a> {
    let mut list = List::new_in(reader.arena());
    let mut level = reader.open_list();
    while reader.item(&mut level) {
        list.push(read(reader));
    }
    list
}
