//! Rules about `x-kubernetes-unions`: a list of maps, each with a discriminator and the fields it selects; and about
//! `x-kubernetes-union`, which may be one such map.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::collect::{Check, type_of};
use crate::document::DocumentPath;

const UNION: &str = "x-kubernetes-union";
const UNIONS: [&str; 2] = [UNION, "x-kubernetes-unions"];
const DISCRIMINATOR: &str = "discriminator";
const FIELDS: &str = "fields-to-discriminateBy";

type JsonMap = Map<String, Value>;

pub(super) fn check<'v>(check: &mut Check<'v>, map: &'v JsonMap, path: &DocumentPath<'_>) {
    let mut fields =
        Fields { properties: map.get("properties").and_then(Value::as_object), used: HashSet::new() };
    for keyword in UNIONS {
        let path = path.keyword(keyword);
        match map.get(keyword) {
            None => {}
            Some(Value::Array(unions)) => {
                for (index, union) in unions.iter().enumerate() {
                    fields.check_value(check, union, &path.index(index));
                }
            }
            Some(union @ Value::Object(_)) if keyword == UNION => fields.check_value(check, union, &path),
            Some(_) => check.broken("extension-value", &path, "must be a list of maps"),
        }
    }
}

/// The fields of the object, and those that unions have named so far.
struct Fields<'v> {
    properties: Option<&'v JsonMap>,
    used: HashSet<&'v str>,
}

impl<'v> Fields<'v> {
    fn check_value(&mut self, check: &mut Check<'v>, union: &'v Value, path: &DocumentPath<'_>) {
        match union {
            Value::Object(union) => self.check_union(check, union, path),
            _ => check.broken("extension-value", path, "must be a map"),
        }
    }

    fn check_union(&mut self, check: &mut Check<'v>, union: &'v JsonMap, path: &DocumentPath<'_>) {
        let discriminator = union.get(DISCRIMINATOR);
        match discriminator {
            Some(Value::String(name)) => {
                self.check_field(check, name, path);
                self.check_discriminator(check, name, path);
            }
            Some(_) => check.broken("extension-value", &path.keyword(DISCRIMINATOR), "must be a string"),
            None => {}
        }
        match union.get(FIELDS) {
            Some(Value::Object(members)) => self.check_members(check, members, path),
            Some(_) => check.broken("extension-value", &path.keyword(FIELDS), "must be a map of strings"),
            None => {}
        }
        let is_empty = union.get(FIELDS).is_none_or(|fields| fields.as_object().is_some_and(Map::is_empty));
        if is_empty {
            let message = match discriminator {
                Some(_) => "must name the fields that the discriminator selects",
                None => "must name the fields of the union",
            };
            check.broken("union-without-fields", &path.keyword(FIELDS), message);
        }
        for name in union.keys().filter(|name| ![DISCRIMINATOR, FIELDS].contains(&name.as_str())) {
            let message = format!("unknown; a union has {DISCRIMINATOR} and {FIELDS}");
            check.broken("extension-value", &path.keyword(name), message);
        }
    }

    /// The values of a discriminator are names, so it is a string.
    fn check_discriminator(&self, check: &mut Check<'v>, name: &str, path: &DocumentPath<'_>) {
        let property = self.properties.and_then(|properties| properties.get(name)).and_then(Value::as_object);
        let word = property.map_or("", |property| type_of(check.resolve(property)));
        if !matches!(word, "" | "string") {
            let message = format!("{name:?} must be a string, not {word}");
            check.broken("union-discriminator-type", &path.keyword(DISCRIMINATOR), message);
        }
    }

    fn check_members(&mut self, check: &mut Check<'_>, members: &'v JsonMap, path: &DocumentPath<'_>) {
        let mut values = HashSet::new();
        for (name, value) in members {
            self.check_field(check, name, path);
            let at = path.keyword(FIELDS);
            match value.as_str() {
                None => check.broken("extension-value", &at.key(name), "must be a string"),
                // The value could not tell which of the two is meant.
                Some(value) if !values.insert(value) => {
                    let message = format!("Multiple fields have the same discriminated name: {value}");
                    check.broken("union-value-repeated", &at.key(name), message);
                }
                Some(_) => {}
            }
        }
    }

    /// A field of a union is declared, and belongs to one union only.
    fn check_field(&mut self, check: &mut Check<'_>, name: &'v str, path: &DocumentPath<'_>) {
        if !self.properties.is_some_and(|properties| properties.contains_key(name)) {
            check.broken("union-field-unknown", path, format!("{name:?} is not a declared property"));
        }
        if !self.used.insert(name) {
            let message = format!("{name} field appears multiple times in unions");
            check.broken("union-field-repeated", path, message);
        }
    }
}
