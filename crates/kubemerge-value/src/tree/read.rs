//! Values of any form, kept as they are.

use super::{Arena, KnownParts, List, Map, Value};
use crate::{Node, NumberText, PullReader, Start, deep};

/// Reads the text of a value as it is. The text must be well-formed JSON.
pub fn read_typed_form<'a>(arena: &'a Arena, text: &'a str) -> Value<'a> {
    read(&mut PullReader::new(text, arena))
}

/// The same; also whether any map has a name twice.
pub fn read_finding_repeats<'a>(arena: &'a Arena, text: &'a str) -> (Value<'a>, bool) {
    let mut json = PullReader::new(text, arena);
    let mut reader = TreeReader::new(&mut json);
    let value = reader.value();
    (value, reader.has_repeats)
}

/// The same as [`read_typed_form`]; all maps and lists of the tree can be shared, and are noted.
pub fn read_noting<'a>(arena: &'a Arena, text: &'a str, parts: &mut KnownParts<'a>) -> Value<'a> {
    TreeReader { noted: Some(parts), ..TreeReader::new(&mut PullReader::new(text, arena)) }.value()
}

/// The same for a value that is not text throughout, such as the result of a patch. Pieces of a text that was read before
/// are not read again.
pub fn read_node<'a>(arena: &'a Arena, node: Node<'a>, known: Option<&KnownParts<'a>>) -> Value<'a> {
    TreeReader { known, ..TreeReader::new(&mut PullReader::of_node(node, arena)) }.value()
}

/// Reads a value without a schema; a number is an integer if it can be.
pub fn read<'a>(reader: &mut PullReader<'a>) -> Value<'a> {
    TreeReader::new(reader).value()
}

/// A number, which is an integer if it can be.
pub fn number<'a>(number: NumberText<'_>) -> Value<'a> {
    number.int().map_or_else(|| Value::Float(number.float()), Value::Int)
}

struct TreeReader<'r, 'a> {
    json: &'r mut PullReader<'a>,
    /// Parts that were read before.
    known: Option<&'r KnownParts<'a>>,
    /// Where to note what is read.
    noted: Option<&'r mut KnownParts<'a>>,
    /// Whether a map had a name twice.
    has_repeats: bool,
}

impl<'r, 'a> TreeReader<'r, 'a> {
    fn new(json: &'r mut PullReader<'a>) -> Self {
        TreeReader { json, known: None, noted: None, has_repeats: false }
    }

    fn value(&mut self) -> Value<'a> {
        let start = self.json.start();
        match start {
            Start::Map | Start::List => self.container(start),
            Start::Str => Value::Str(self.json.string()),
            Start::Number => number(self.json.number()),
            Start::True | Start::False => {
                self.json.word();
                Value::Bool(start == Start::True)
            }
            Start::Null => {
                self.json.word();
                Value::Null
            }
        }
    }

    fn container(&mut self, start: Start) -> Value<'a> {
        if let Some(known) = self.known.and_then(|known| known.read(self.json)) {
            return known;
        }
        let begun = self.noted.as_mut().map(|noted| (noted.begin(self.json.address()), self.json.here()));
        let value = deep(|| match start {
            Start::Map => Value::Map(self.map()),
            _ => Value::List(self.list()),
        });
        let (Some(noted), Some((part, start))) = (&mut self.noted, begun) else { return value };
        let value = value.freeze();
        noted.end(part, self.json.here() - start, &value);
        value
    }

    fn map(&mut self) -> Map<'a> {
        let mut map = Map::new_in(self.json.arena());
        let mut level = self.json.open_map();
        while let Some(name) = self.json.name(&mut level) {
            map.push_unsorted(name, self.value());
        }
        // Text of clients may have names in any order and twice.
        if !level.is_sorted() {
            let given = map.fields().len();
            map.sort();
            self.has_repeats |= map.fields().len() < given;
        }
        map
    }

    fn list(&mut self) -> List<'a> {
        let mut list = List::new_in(self.json.arena());
        let mut level = self.json.open_list();
        while self.json.item(&mut level) {
            list.push(self.value());
        }
        list
    }
}
