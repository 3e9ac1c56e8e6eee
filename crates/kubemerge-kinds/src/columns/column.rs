//! One column of a table, and ages as kubectl prints them.

use serde_json::{Value, json};

use crate::{custom::jsonpath, timestamp::Timestamp};

/// One column: how it is announced, and where its cells come from.
#[derive(Clone, Debug)]
pub struct TableColumn {
    /// The title.
    pub name: String,
    /// The type of its cells, such as `integer`.
    pub kind: String,
    /// The format of its cells.
    pub format: String,
    /// What it shows.
    pub description: String,
    /// 0 for columns that are always shown.
    pub priority: i64,
    /// Where its cells are found: a JSONPath, or the name of a computed cell.
    pub path: String,
}

impl TableColumn {
    /// A column without a description.
    pub fn new(name: &str, kind: &str, format: &str, path: &str) -> TableColumn {
        let [name, kind, format, path] = [name, kind, format, path].map(str::to_string);
        TableColumn { name, kind, format, description: String::new(), priority: 0, path }
    }

    /// The name of the object.
    pub fn name() -> TableColumn {
        let mut column = TableColumn::new("Name", "string", "name", ".metadata.name");
        column.description = "Name must be unique within a namespace.".into();
        column
    }

    /// The age of the object.
    pub fn age() -> TableColumn {
        let mut column = TableColumn::new("Age", "date", "", ".metadata.creationTimestamp");
        column.description = "How long ago the object was created.".into();
        column
    }

    /// Its definition in a `Table`.
    pub fn to_value(&self) -> Value {
        json!({"name": self.name, "type": self.kind, "format": self.format, "description": self.description,
            "priority": self.priority})
    }

    /// The cell of an object.
    pub fn cell(&self, object: &Value, now: Timestamp) -> Value {
        let Some(found) = jsonpath::find(object, &self.path) else { return Value::Null };
        match self.kind.as_str() {
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

fn age_of(value: &Value, now: Timestamp) -> String {
    match value.as_str().map(Timestamp::parse) {
        Some(Some(then)) => age(now.since(then)),
        _ => "<invalid>".into(),
    }
}

/// A span of time in at most two units, as kubectl prints it.
pub(crate) fn age(seconds: i64) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    const YEAR: i64 = 365 * DAY;
    let pair = |big: i64, big_unit: &str, small: i64, small_unit: &str| {
        let rest = seconds % big / small;
        if rest == 0 {
            format!("{}{big_unit}", seconds / big)
        } else {
            format!("{}{big_unit}{rest}{small_unit}", seconds / big)
        }
    };
    match seconds {
        ..-1 => "<invalid>".into(),
        // Clocks of two machines may differ by a second.
        -1 => "0s".into(),
        // Two minutes are still shown in seconds, and likewise at each step below.
        0..120 => format!("{seconds}s"),
        _ if seconds < 10 * MINUTE => pair(MINUTE, "m", 1, "s"),
        _ if seconds < 3 * HOUR => format!("{}m", seconds / MINUTE),
        _ if seconds < 8 * HOUR => pair(HOUR, "h", MINUTE, "m"),
        _ if seconds < 2 * DAY => format!("{}h", seconds / HOUR),
        _ if seconds < 8 * DAY => pair(DAY, "d", HOUR, "h"),
        _ if seconds < 2 * YEAR => format!("{}d", seconds / DAY),
        _ if seconds < 8 * YEAR => pair(YEAR, "y", DAY, "d"),
        _ => format!("{}y", seconds / YEAR),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_at_most_two_units() {
        let cases = [
            (0, "0s"),
            (97, "97s"),
            (330, "5m30s"),
            (300, "5m"),
            (7_200, "120m"),
            (12_000, "3h20m"),
            (100_000, "27h"),
            (270_000, "3d3h"),
            (86_400 * 10, "10d"),
            (86_400 * (3 * 365 + 20), "3y20d"),
            (86_400 * 365 * 9, "9y"),
            (-5, "<invalid>"),
        ];
        for (seconds, text) in cases {
            assert_eq!(age(seconds), text);
        }
    }
}
