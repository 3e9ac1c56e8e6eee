//! The messages of Kubernetes: which number is which field, and when JSON has it. `cargo xtask protobuf` writes the
//! table from the Go types.
//!
//! A line has the name of a message, those after it its fields: ` number name type presence`. The name `-` is an
//! embedded message, whose fields are beside the others in JSON, and `[]` the items of a message that is a list in
//! JSON. Types of lists begin with `*`, those of maps with `%`.

use std::{collections::HashMap, sync::LazyLock};

const MESSAGES: &str = include_str!("messages.txt");

/// The name of the items of a message that is a list in JSON.
pub(super) const ITEMS: &str = "[]";

/// All messages, by full name.
pub(super) struct Table(HashMap<&'static str, Message>);

/// The fields of a message.
#[derive(Default)]
pub(super) struct Message {
    pub(super) fields: Vec<FieldRule>,
}

/// One field of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldRule {
    number: u32,
    /// As JSON spells it.
    pub(super) name: &'static str,
    pub(super) ty: FieldType,
    pub(super) presence: Presence,
}

/// How often a value occurs, and its type.
#[derive(Clone, Copy, Debug)]
pub(super) enum FieldType {
    One(ValueType),
    Many(ValueType),
    /// From strings to these.
    Map(ValueType),
    /// A message whose fields belong to the one around it.
    Embedded(&'static str),
    /// The items of a message that is a list in JSON.
    Items(ValueType),
}

/// The type of a single value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ValueType {
    Text,
    Bytes,
    Bool,
    Int32,
    Int64,
    Uint32,
    Uint64,
    Double,
    /// A message with JSON of its own.
    Own(OwnJson),
    /// Any other message, by its full name.
    Message(&'static str),
}

/// Messages whose JSON is not that of their fields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum OwnJson {
    Quantity,
    IntOrString,
    Time,
    MicroTime,
    Duration,
    /// A value that travels as JSON text.
    JsonText,
    SchemaOrBool,
    SchemaOrArray,
    SchemaOrStringArray,
}

/// When the JSON that Go writes has a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Presence {
    /// Unless it is empty: `omitempty`.
    NonEmpty,
    /// Unless it is the zero value of its type: `omitzero`.
    NonZero,
    /// Whether it was sent or not.
    Always,
    /// Where it was sent: a pointer.
    Pointer,
    /// As `Pointer`, but null where it was not sent.
    Nullable,
}

impl Table {
    /// The table, read when it is first needed.
    pub(super) fn get() -> &'static Table {
        static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(MESSAGES));
        &TABLE
    }

    fn read(text: &'static str) -> Table {
        let mut messages: HashMap<&'static str, Message> = HashMap::new();
        let mut name = "";
        for line in text.lines() {
            match line.strip_prefix(' ') {
                None => {
                    name = line;
                    messages.insert(name, Message::default());
                }
                Some(field) => {
                    if let (Some(message), Some(field)) = (messages.get_mut(name), FieldRule::read(field)) {
                        message.fields.push(field);
                    }
                }
            }
        }
        Table(messages)
    }

    pub(super) fn message(&self, name: &str) -> Option<&Message> {
        self.0.get(name)
    }
}

impl Message {
    pub(super) fn field(&self, number: u32) -> Option<&FieldRule> {
        self.fields.iter().find(|field| field.number == number)
    }

    /// Whether this is a list in JSON.
    pub(super) fn is_list(&self) -> bool {
        self.fields.first().is_some_and(|field| matches!(field.ty, FieldType::Items(_)))
    }
}

impl FieldRule {
    fn read(line: &'static str) -> Option<FieldRule> {
        let mut words = line.split(' ');
        let (number, name, ty) = (words.next()?.parse().ok()?, words.next()?, words.next()?);
        Some(FieldRule {
            number,
            name,
            ty: FieldType::read(name, ty),
            presence: Presence::read(words.next())?,
        })
    }
}

impl FieldType {
    fn read(name: &str, word: &'static str) -> FieldType {
        let (sign, rest) = word.split_at_checked(1).unwrap_or((word, ""));
        match (name, sign) {
            ("-", _) => FieldType::Embedded(word),
            (ITEMS, _) => FieldType::Items(ValueType::read(rest)),
            (_, "*") => FieldType::Many(ValueType::read(rest)),
            (_, "%") => FieldType::Map(ValueType::read(rest)),
            _ => FieldType::One(ValueType::read(word)),
        }
    }
}

impl ValueType {
    fn read(word: &'static str) -> ValueType {
        match word {
            "string" => ValueType::Text,
            "bytes" => ValueType::Bytes,
            "bool" => ValueType::Bool,
            "int32" => ValueType::Int32,
            "int64" => ValueType::Int64,
            "uint32" => ValueType::Uint32,
            "uint64" => ValueType::Uint64,
            "double" => ValueType::Double,
            _ => OwnJson::read(word).map_or(ValueType::Message(word), ValueType::Own),
        }
    }
}

impl OwnJson {
    fn read(word: &str) -> Option<OwnJson> {
        Some(match word {
            "Quantity" => OwnJson::Quantity,
            "IntOrString" => OwnJson::IntOrString,
            "Time" => OwnJson::Time,
            "MicroTime" => OwnJson::MicroTime,
            "Duration" => OwnJson::Duration,
            "FieldsV1" | "RawExtension" | "JSON" => OwnJson::JsonText,
            "SchemaOrBool" => OwnJson::SchemaOrBool,
            "SchemaOrArray" => OwnJson::SchemaOrArray,
            "SchemaOrStringArray" => OwnJson::SchemaOrStringArray,
            _ => return None,
        })
    }
}

impl Presence {
    fn read(word: Option<&str>) -> Option<Presence> {
        Some(match word {
            None => Presence::NonEmpty,
            Some("nonzero") => Presence::NonZero,
            Some("always") => Presence::Always,
            Some("pointer") => Presence::Pointer,
            Some("nullable") => Presence::Nullable,
            Some(_) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_understood_and_every_message_is_there() {
        let table = Table::get();
        let lines = MESSAGES.lines().filter(|line| line.starts_with(' ')).count();
        assert_eq!(table.0.values().map(|message| message.fields.len()).sum::<usize>(), lines);
        for field in table.0.values().flat_map(|message| &message.fields) {
            let (FieldType::One(ValueType::Message(name))
            | FieldType::Many(ValueType::Message(name))
            | FieldType::Map(ValueType::Message(name))
            | FieldType::Items(ValueType::Message(name))
            | FieldType::Embedded(name)) = field.ty
            else {
                continue;
            };
            assert!(table.message(name).is_some(), "{name}");
        }
    }
}
