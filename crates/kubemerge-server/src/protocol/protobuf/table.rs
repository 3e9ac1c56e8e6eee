//! The messages of Kubernetes: which number is which field. `cargo xtask protobuf` writes the table.

use std::{collections::HashMap, sync::LazyLock};

const MESSAGES: &str = include_str!("messages.txt");

/// All messages, by full name.
pub(super) struct Table(HashMap<&'static str, Message>);

/// The fields of a message.
pub(super) struct Message(Vec<(u32, &'static str, FieldType)>);

/// How often a value occurs, and its type.
#[derive(Clone, Copy, Debug)]
pub(super) enum FieldType {
    One(&'static str),
    Many(&'static str),
    /// From strings to these.
    Map(&'static str),
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
                    messages.insert(name, Message(Vec::new()));
                }
                Some(field) => {
                    if let (Some(message), Some(field)) = (messages.get_mut(name), Message::field_of(field)) {
                        message.0.push(field);
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
    fn field_of(line: &'static str) -> Option<(u32, &'static str, FieldType)> {
        let mut words = line.split(' ');
        let (number, name, kind) = (words.next()?.parse().ok()?, words.next()?, words.next()?);
        let kind = match (kind.strip_prefix('*'), kind.strip_prefix('%')) {
            (Some(kind), _) => FieldType::Many(kind),
            (_, Some(kind)) => FieldType::Map(kind),
            _ => FieldType::One(kind),
        };
        Some((number, name, kind))
    }

    pub(super) fn field(&self, number: u32) -> Option<(&'static str, FieldType)> {
        self.0.iter().find(|(own, ..)| *own == number).map(|(_, name, kind)| (*name, *kind))
    }
}
