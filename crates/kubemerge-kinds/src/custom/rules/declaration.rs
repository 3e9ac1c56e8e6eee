//! What a schema says about values: their types in expressions, and how large they may be.

use std::collections::{BTreeMap, BTreeSet};

use kubemerge_schema::{Additional, ValueType};

use super::names::escape;
use kubemerge_cel::{CelType, MaxSizes, ObjectTypes, SizeEstimate};

/// How many bytes a request may have.
const MAX_REQUEST_BYTES: i64 = 3 * 1024 * 1024;
/// The shortest texts of values, and the longest of those whose format limits them.
const MIN_STRING_BYTES: i64 = 2;
const MIN_BOOL_BYTES: i64 = 4;
const MIN_NUMBER_BYTES: i64 = 1;
const MIN_COLLECTION_BYTES: i64 = 2;
const MIN_DURATION_BYTES: i64 = 3;
const MIN_DATE_TIME_BYTES: i64 = 21;
const DATE_BYTES: i64 = 12;
const MAX_TIME_BYTES: i64 = 32;
/// How many bytes a character may take.
const MAX_CHAR_BYTES: i64 = 4;
/// What a key of a map takes at least, with quotes, a colon and a comma.
const MIN_KEY_BYTES: i64 = 6;

/// The values at a place.
#[derive(Debug)]
pub(super) struct Declaration {
    shape: Shape,
    /// How many characters, items or members there may be.
    max_elements: i64,
    /// How many bytes the smallest value takes.
    min_bytes: i64,
}

#[derive(Debug)]
enum Shape {
    Simple(CelType),
    List(Box<Declaration>),
    Map(Box<Declaration>),
    Object(BTreeMap<String, Declaration>),
}

impl Declaration {
    /// The declaration of a schema; none if expressions cannot see its values.
    pub(super) fn of(schema: ValueType<'_>) -> Option<Declaration> {
        if schema.types().len() > 1 {
            return Some(Declaration {
                shape: Shape::Simple(CelType::Dyn),
                max_elements: max_text(schema),
                min_bytes: MIN_NUMBER_BYTES,
            });
        }
        let simple = |of: CelType, min_bytes: i64, max_elements: i64| {
            Some(Declaration { shape: Shape::Simple(of), max_elements, min_bytes })
        };
        match (schema.only_type()?, schema.format()) {
            ("array", _) => Declaration::of_list(schema),
            ("object", _) => Declaration::of_object(schema),
            ("boolean", _) => simple(CelType::Bool, MIN_BOOL_BYTES, 0),
            ("number", _) => simple(CelType::Double, MIN_NUMBER_BYTES, 0),
            ("integer", _) => simple(CelType::Int, MIN_NUMBER_BYTES, 0),
            ("string", Some("byte")) => {
                let max = schema.checks().max_length.map_or(MAX_REQUEST_BYTES - 2, |max| max.max(0));
                simple(CelType::Bytes, MIN_STRING_BYTES, max)
            }
            ("string", Some("duration")) => simple(CelType::Duration, MIN_DURATION_BYTES, MAX_TIME_BYTES),
            ("string", Some("date")) => simple(CelType::Timestamp, DATE_BYTES, DATE_BYTES),
            ("string", Some("date-time")) => simple(CelType::Timestamp, MIN_DATE_TIME_BYTES, MAX_TIME_BYTES),
            ("string", _) => simple(CelType::String, MIN_STRING_BYTES, max_text(schema)),
            _ => None,
        }
    }

    fn of_list(schema: ValueType<'_>) -> Option<Declaration> {
        let item = Declaration::of(schema.items()?)?;
        let max = schema
            .checks()
            .max_items
            .map_or_else(|| (MAX_REQUEST_BYTES - 2) / (item.min_bytes + 1), |max| max.max(0));
        Some(Declaration {
            shape: Shape::List(Box::new(item)),
            max_elements: max,
            min_bytes: MIN_COLLECTION_BYTES,
        })
    }

    fn of_object(schema: ValueType<'_>) -> Option<Declaration> {
        if let Additional::Schema(values) = schema.additional() {
            let value = Declaration::of(values)?;
            let max = schema.checks().max_properties.map_or_else(
                || (MAX_REQUEST_BYTES - 2) / (value.min_bytes + MIN_KEY_BYTES),
                |max| max.max(0),
            );
            return Some(Declaration {
                shape: Shape::Map(Box::new(value)),
                max_elements: max,
                min_bytes: MIN_COLLECTION_BYTES,
            });
        }
        let required: BTreeSet<&str> = schema.required().collect();
        let mut fields = BTreeMap::new();
        let mut min_bytes = MIN_COLLECTION_BYTES;
        for (name, property) in schema.properties_in_rules() {
            let Some(field) = Declaration::of(property) else { continue };
            // Fields with a default need not be in the request.
            if required.contains(name) && property.default().is_none() {
                min_bytes += name.len() as i64 + field.min_bytes + 4;
            }
            if let Some(escaped) = escape(name) {
                fields.insert(escaped, field);
            }
        }
        Some(Declaration { shape: Shape::Object(fields), max_elements: 0, min_bytes })
    }

    /// How often such values can be in a request at most.
    pub(super) fn max_cardinality(&self) -> u64 {
        (MAX_REQUEST_BYTES / (self.min_bytes + 1)).unsigned_abs()
    }

    /// The type of the values; objects are named and get their fields in `objects`.
    pub(super) fn declare(&self, name: &str, objects: &mut ObjectTypes) -> CelType {
        match &self.shape {
            Shape::Simple(of) => of.clone(),
            Shape::List(item) => CelType::list(item.declare(&format!("{name}.@idx"), objects)),
            Shape::Map(value) => CelType::map(value.declare(&format!("{name}.@elem"), objects)),
            Shape::Object(fields) => {
                let fields = fields
                    .iter()
                    .map(|(field, of)| (field.clone(), of.declare(&format!("{name}.{field}"), objects)))
                    .collect();
                objects.insert(name.to_owned(), fields);
                CelType::named(name)
            }
        }
    }
}

impl MaxSizes for Declaration {
    fn size(&self, path: &[&str]) -> Option<SizeEstimate> {
        // The first name is the variable, `self` or `oldSelf`.
        let (_, steps) = path.split_first()?;
        let mut of = self;
        for step in steps {
            of = match (&of.shape, *step) {
                (Shape::List(item), "@items" | "@values") => item,
                (Shape::Map(value), "@items" | "@values") => value,
                // Upstream: nothing is known about the length of keys.
                (Shape::Map(_), "@keys") => return Some(SizeEstimate { min: 0, max: 0 }),
                (Shape::Object(fields), name) => fields.get(name)?,
                _ => return None,
            };
        }
        Some(SizeEstimate { min: 0, max: of.max_elements.unsigned_abs() })
    }
}

/// How long a text may be, as the schema limits it.
fn max_text(schema: ValueType<'_>) -> i64 {
    let longest = |options: &Vec<serde_json::Value>| {
        options.iter().filter_map(|option| option.as_str()).map(|text| text.len() as i64).max().unwrap_or(0)
    };
    match (schema.checks().max_length, &schema.checks().options) {
        (Some(max), _) => max.max(0).saturating_mul(MAX_CHAR_BYTES),
        (None, Some(options)) if schema.types().len() == 1 && !options.is_empty() => longest(options),
        _ => MAX_REQUEST_BYTES - 2,
    }
}
