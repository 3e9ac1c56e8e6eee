//! One column of a table, of a built-in kind or of a custom resource.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::cell::Cell;
use super::column::{KindColumn, age};
use crate::{custom::jsonpath, timestamp::Timestamp};

/// One column: how it is announced, and where its cells come from.
#[derive(Clone, Debug)]
pub struct TableColumn {
    /// The title; empty if there is only a cell.
    pub name: Cow<'static, str>,
    /// The type of its cells, such as `integer`.
    pub kind: Cow<'static, str>,
    /// The format of its cells.
    pub format: Cow<'static, str>,
    /// What it shows.
    pub description: Cow<'static, str>,
    /// 0 for columns that are always shown.
    pub priority: i64,
    /// Where its cells are found.
    pub source: CellSource,
}

/// Where the cells of a column are found.
#[derive(Clone, Debug)]
pub enum CellSource {
    /// At a JSONPath of a definition.
    JsonPath(String),
    /// As the entry of a built-in kind says.
    BuiltIn(Cell),
}

impl TableColumn {
    /// The name of a custom resource.
    pub fn name() -> TableColumn {
        TableColumn {
            name: "Name".into(),
            kind: "string".into(),
            format: "name".into(),
            description: "Name must be unique within a namespace.".into(),
            priority: 0,
            source: CellSource::JsonPath(".metadata.name".into()),
        }
    }

    /// The age of a custom resource.
    pub fn age() -> TableColumn {
        TableColumn {
            name: "Age".into(),
            kind: "date".into(),
            format: "".into(),
            description: "How long ago the object was created.".into(),
            priority: 0,
            source: CellSource::JsonPath(".metadata.creationTimestamp".into()),
        }
    }

    /// Its definition in a `Table`.
    pub fn to_value(&self) -> Value {
        json!({"name": self.name, "type": self.kind, "format": self.format, "description": self.description,
            "priority": self.priority})
    }

    /// The cell of an object.
    pub fn cell(&self, object: &Value, now: Timestamp) -> Value {
        match &self.source {
            CellSource::BuiltIn(cell) => cell.value(object, now),
            CellSource::JsonPath(path) => {
                jsonpath::find(object, path).map_or(Value::Null, |found| self.typed(found, now))
            }
        }
    }

    /// What was found, if it is of the type that the definition names.
    fn typed(&self, found: Value, now: Timestamp) -> Value {
        match &*self.kind {
            "date" => json!(age_of(&found, now)),
            "integer" => found.as_i64().map_or(Value::Null, Value::from),
            "number" => found.as_f64().map_or(Value::Null, Value::from),
            "boolean" => found.as_bool().map_or(Value::Null, Value::from),
            _ => match found {
                Value::String(text) => Value::String(text),
                other => Value::String(other.to_string()),
            },
        }
    }
}

impl From<&KindColumn> for TableColumn {
    fn from(column: &KindColumn) -> TableColumn {
        TableColumn {
            name: column.name.into(),
            kind: column.kind.into(),
            format: column.format.into(),
            description: "".into(),
            priority: column.priority,
            source: CellSource::BuiltIn(column.cell),
        }
    }
}

fn age_of(value: &Value, now: Timestamp) -> String {
    match value.as_str().map(Timestamp::parse) {
        Some(Some(then)) => age(now.since(then)),
        _ => "<invalid>".into(),
    }
}
