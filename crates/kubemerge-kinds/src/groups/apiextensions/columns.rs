//! What a version of a definition says besides its schema: subresources, table columns, selectable fields.

use serde_json::Value;

use crate::custom::field_path::{ArrayNotation, valid_field_path};
use crate::field::Field;

const COLUMN_TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS: [&str; 8] =
    ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
const MAX_SELECTABLE_FIELDS: usize = 8;

/// Validates `additionalPrinterColumns`.
pub(super) fn columns(columns: Field<'_>) {
    columns.items().for_each(column);
}

fn column(column: Field<'_>) {
    column.field("name").require("");
    let (kind, format) = (column.field("type"), column.field("format"));
    let detail = format!("must be one of {}", COLUMN_TYPES.join(","));
    if !kind.require(&detail) && !COLUMN_TYPES.contains(&kind.str()) {
        kind.invalid(detail);
    }
    if !format.is_empty() && !COLUMN_FORMATS.contains(&format.str()) {
        format.invalid(format!("must be one of {}", COLUMN_FORMATS.join(",")));
    }
    // Upstream writes the Go name of this field.
    let path = column.field("jsonPath").renamed("JSONPath");
    if !path.require("") {
        simple_path(path);
    }
}

/// Reports a path that does not start with a dot; returns whether it did.
fn simple_path(path: Field<'_>) -> bool {
    let is_simple = path.str().starts_with('.');
    if !is_simple {
        path.invalid("must be a simple json path starting with .");
    }
    is_simple
}

/// Validates `subresources`.
pub(super) fn subresources(subresources: Field<'_>) {
    let scale = subresources.field("scale");
    if !scale.is_set() {
        return;
    }
    for (name, parts, detail) in [
        ("specReplicasPath", &[".spec."][..], "should be a json path under .spec"),
        ("statusReplicasPath", &[".status."], "should be a json path under .status"),
        ("labelSelectorPath", &[".spec.", ".status."], "should be a json path under either .spec or .status"),
    ] {
        let path = scale.field(name);
        if path.is_empty() {
            // Only autoscalers need the selector.
            if name != "labelSelectorPath" {
                path.required("");
            }
        } else if simple_path(path) && !parts.iter().any(|part| path.str().starts_with(part)) {
            path.invalid(detail);
        }
    }
}

/// Validates `selectableFields` of a version with this schema.
pub(super) fn selectable_fields(fields: Field<'_>, schema: &Value) {
    let mut known = Vec::new();
    for selectable in fields.items() {
        let path = selectable.field("jsonPath");
        if path.require("") {
            continue;
        }
        match valid_field_path(path.str(), schema, ArrayNotation::Refused) {
            Err(why) => path.invalid(format!("is an invalid path: {why}")),
            Ok(found) => {
                // Names and namespaces can be selected in every resource.
                if found.root == "metadata" {
                    path.invalid("must not point to fields in metadata");
                }
                let kind = found.schema.and_then(|schema| schema.get("type")).and_then(Value::as_str);
                if !matches!(kind, Some("string" | "boolean" | "integer")) {
                    let text = "must point to a field of type string, boolean or integer. Enum string fields and \
                                strings with formats are allowed.";
                    path.invalid(text);
                }
                if known.contains(&found.text) {
                    path.duplicate();
                } else {
                    known.push(found.text);
                }
            }
        }
    }
    // Repeated paths are not counted.
    if known.len() > MAX_SELECTABLE_FIELDS {
        fields.too_many(known.len(), MAX_SELECTABLE_FIELDS);
    }
}
