//! Objects as tables, as kubectl requests them.

use kubemerge_kinds::{columns::TableColumn, timestamp::Timestamp};
use serde_json::{Value, json};

use crate::{
    catalog::request_context::RequestContext,
    kind::{Kind, shown::Shown},
    protocol::{
        json::{Members, tree},
        media::{Include, MetaVersion},
    },
};

/// The table of one object.
pub(crate) fn of_one(
    call: &RequestContext<'_>,
    shown: Shown<'_>,
    version: MetaVersion,
    include: Include,
) -> Value {
    row(Kind::of(call.cluster, call.resource), shown, version, include, call.cluster.clock.now())
}

/// A table with one row, and the object's own resourceVersion.
pub(crate) fn row(
    kind: Kind<'_>,
    shown: Shown<'_>,
    version: MetaVersion,
    include: Include,
    now: Timestamp,
) -> Value {
    let columns = kind.columns();
    let row = one_row(kind, &columns, shown, version, include, now);
    let revision = shown.revision.map(|revision| revision.to_string()).unwrap_or_default();
    empty(version, &columns, vec![row], json!({"resourceVersion": revision}))
}

/// The table of an object that is no stored one, such as a Scale.
pub(crate) fn of_value(
    columns: &[TableColumn],
    object: Value,
    version: MetaVersion,
    include: Include,
    now: Timestamp,
) -> Value {
    let cells: Vec<Value> = columns.iter().map(|column| column.cell(&object, now)).collect();
    let metadata = json!({"resourceVersion": object.member("metadata").member("resourceVersion")});
    let object = match include {
        Include::None => Value::Null,
        Include::Object => object,
        Include::Metadata => partial(&object, version),
    };
    empty(version, columns, vec![json!({"cells": cells, "object": object})], metadata)
}

/// The metadata of an object alone.
pub(crate) fn partial(object: &Value, version: MetaVersion) -> Value {
    json!({"kind": "PartialObjectMetadata", "apiVersion": version.api_version(), "metadata": object.member("metadata")})
}

/// The table of a bookmark: its metadata travels in the row.
pub(crate) fn bookmark(kind: Kind<'_>, version: MetaVersion, metadata: &Value) -> Value {
    let columns = kind.columns();
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

/// A table with these rows.
pub(super) fn empty(
    version: MetaVersion,
    columns: &[TableColumn],
    rows: Vec<Value>,
    metadata: Value,
) -> Value {
    let titled = columns.iter().filter(|column| !column.name.is_empty());
    let columns: Vec<Value> = titled.map(TableColumn::to_value).collect();
    json!({"kind": "Table", "apiVersion": version.api_version(), "metadata": metadata,
        "columnDefinitions": columns, "rows": rows})
}

/// The row of an object.
pub(super) fn one_row(
    kind: Kind<'_>,
    columns: &[TableColumn],
    shown: Shown<'_>,
    version: MetaVersion,
    include: Include,
    now: Timestamp,
) -> Value {
    let object = shown.tree(kind);
    // Upstream: cells are those of the internal form. Autoscalers of v1 keep the order of metrics only there.
    let printed = if kind.is_printed_as_stored() { &tree(shown.record.node()) } else { &object };
    let cells: Vec<Value> = columns.iter().map(|column| column.cell(printed, now)).collect();
    let mut row = json!({ "cells": cells });
    if let Some(condition) = kind.row_condition(&object) {
        row.set_member("conditions", json!([condition]));
    }
    let included = match include {
        // kubectl asks for no objects when it only prints the table.
        Include::None => Value::Null,
        Include::Object => object,
        Include::Metadata => shown.partial(version),
    };
    row.set_member("object", included);
    row
}
