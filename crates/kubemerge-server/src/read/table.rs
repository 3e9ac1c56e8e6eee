//! Objects as tables, the way kubectl asks for them.

use serde_json::{Value, json};

use crate::{
    api::call::Call,
    catalog::Resource,
    custom::jsonpath,
    protocol::{
        clock::Timestamp,
        media::{Include, MetaVersion},
    },
    read::present::Shown,
};

/// One column: how it is announced, and where its cells come from.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) format: String,
    pub(crate) description: String,
    pub(crate) priority: i64,
    pub(crate) path: String,
}

impl Column {
    pub(crate) fn new(name: &str, kind: &str, format: &str, path: &str) -> Column {
        let [name, kind, format, path] = [name, kind, format, path].map(str::to_string);
        Column { name, kind, format, description: String::new(), priority: 0, path }
    }

    pub(crate) fn name() -> Column {
        let mut column = Column::new("Name", "string", "name", ".metadata.name");
        column.description = "Name must be unique within a namespace.".into();
        column
    }

    pub(crate) fn age() -> Column {
        let mut column = Column::new("Age", "date", "", ".metadata.creationTimestamp");
        column.description = "How long ago the object was created.".into();
        column
    }

    fn to_value(&self) -> Value {
        // The clients print dates as they come: as ages.
        let kind = if self.kind == "date" { "string" } else { &self.kind };
        json!({"name": self.name, "type": kind, "format": self.format, "description": self.description,
            "priority": self.priority})
    }

    fn cell(&self, object: &Value, now: Timestamp) -> Value {
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

fn columns(resource: &Resource) -> Vec<Column> {
    match resource.custom() {
        Some(version) => version.columns.clone(),
        None => crate::read::columns::of(resource),
    }
}

/// The table of a list.
pub(crate) fn of_many(call: &Call<'_>, items: &[Shown<'_>], version: MetaVersion, include: Include) -> Value {
    let now = call.app().clock.now();
    let columns = columns(call.resource);
    let rows: Vec<Value> =
        items.iter().map(|item| one_row(call.resource, &columns, *item, (version, include), now)).collect();
    empty(version, &columns, rows, json!({}))
}

/// The table of one object.
pub(crate) fn of_one(call: &Call<'_>, shown: Shown<'_>, version: MetaVersion, include: Include) -> Value {
    row(call.resource, shown, version, include, call.app().clock.now())
}

/// A table with one row, and the object's own resourceVersion.
pub(crate) fn row(
    resource: &Resource,
    shown: Shown<'_>,
    version: MetaVersion,
    include: Include,
    now: Timestamp,
) -> Value {
    let columns = columns(resource);
    let row = one_row(resource, &columns, shown, (version, include), now);
    let revision = shown.revision.map(|revision| revision.to_string()).unwrap_or_default();
    empty(version, &columns, vec![row], json!({"resourceVersion": revision}))
}

/// The table of a bookmark: its metadata travels in the row.
pub(crate) fn bookmark(resource: &Resource, version: MetaVersion, metadata: &Value) -> Value {
    let columns = columns(resource);
    let cells = vec![Value::Null; columns.len()];
    let object =
        json!({"kind": "PartialObjectMetadata", "apiVersion": version.api_version(), "metadata": metadata});
    let revision = metadata["resourceVersion"].clone();
    empty(
        version,
        &columns,
        vec![json!({"cells": cells, "object": object})],
        json!({"resourceVersion": revision}),
    )
}

fn empty(version: MetaVersion, columns: &[Column], rows: Vec<Value>, metadata: Value) -> Value {
    let columns: Vec<Value> = columns.iter().map(Column::to_value).collect();
    json!({"kind": "Table", "apiVersion": version.api_version(), "metadata": metadata,
        "columnDefinitions": columns, "rows": rows})
}

fn one_row(
    resource: &Resource,
    columns: &[Column],
    shown: Shown<'_>,
    (version, include): (MetaVersion, Include),
    now: Timestamp,
) -> Value {
    let object = shown.tree(resource);
    let cells: Vec<Value> = columns
        .iter()
        .map(|column| match crate::read::columns::computed(&column.path, &object, now) {
            Some(cell) => cell,
            None => column.cell(&object, now),
        })
        .collect();
    match include {
        Include::None => json!({"cells": cells, "object": null}),
        Include::Object => json!({"cells": cells, "object": object}),
        Include::Metadata => json!({"cells": cells, "object": shown.partial(version)}),
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
        -1 => "0s".into(),
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
