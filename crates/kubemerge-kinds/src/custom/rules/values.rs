//! Trees as values of CEL: the schema says which texts are times and which numbers are floats.

use std::{collections::HashMap, sync::Arc};

use base64::Engine;
use kubemerge_cel::evaluate::{Conversion, Key, Map as CelMap, Value as CelValue, converted};
use kubemerge_value::deep;

use super::{
    super::structural::{Additional, Structural},
    names::escape,
};
use crate::tree::{Value, ValueRef};

/// The value of an expression's variable.
pub(super) fn value_of(value: ValueRef<'_>, schema: &Structural) -> CelValue {
    match value {
        ValueRef::Null => CelValue::Null,
        ValueRef::Bool(truth) => CelValue::Bool(truth),
        // `1` of type number is a double: comparing it with `1.0` must work.
        ValueRef::Int(number) if schema.only_type() == Some("number") => CelValue::Float(number as f64),
        ValueRef::Int(number) => CelValue::Int(number),
        ValueRef::Float(number) => CelValue::Float(number),
        ValueRef::Str(text) => text_value(text, schema),
        ValueRef::List(list) => {
            let any = Structural::default();
            let items = schema.items.as_deref().unwrap_or(&any);
            let item = |item: &Value<'_>| value_of(item.into(), items);
            CelValue::List(Arc::new(deep(|| list.iter().map(item).collect())))
        }
        ValueRef::Map(map) => {
            let members = map.iter().filter_map(|(name, value)| member(name, value, schema));
            CelValue::Map(CelMap { map: Arc::new(deep(|| members.collect::<HashMap<_, _>>())) })
        }
    }
}

fn text_value(text: &str, schema: &Structural) -> CelValue {
    let plain = || CelValue::String(Arc::new(text.to_string()));
    match schema.format.as_deref().filter(|_| schema.only_type() == Some("string")) {
        Some("byte") => {
            let decoded = base64::engine::general_purpose::STANDARD.decode(text);
            // Texts that do not have their format are reported by the schema; rules still see them.
            decoded.map_or_else(|_| plain(), |bytes| CelValue::Bytes(Arc::new(bytes)))
        }
        Some("date-time") => converted(Conversion::Timestamp, text).unwrap_or_else(plain),
        Some("date") => converted(Conversion::Timestamp, &format!("{text}T00:00:00Z")).unwrap_or_else(plain),
        Some("duration") => converted(Conversion::Duration, text).unwrap_or_else(plain),
        _ => plain(),
    }
}

/// A member of a map: keys of free maps are data, names of fields are escaped.
fn member(name: &str, value: &Value<'_>, schema: &Structural) -> Option<(Key, CelValue)> {
    let value = ValueRef::from(value);
    let key = |name: String| Key::String(Arc::new(name));
    match (schema.properties.get(name), &schema.additional) {
        // A field that is null though it may not be is as good as absent.
        (Some(property), _) if value.is_null() && !property.nullable => None,
        (Some(property), _) => Some((key(escape(name)?), value_of(value, property))),
        (None, Additional::Schema(values)) => Some((key(name.to_string()), value_of(value, values))),
        (None, Additional::Allowed | Additional::Refused) => {
            Some((key(name.to_string()), value_of(value, &Structural::default())))
        }
        (None, Additional::Unset) => Some((key(escape(name)?), value_of(value, &Structural::default()))),
    }
}
