//! Messages to JSON: the object that Go would have read from the message, as Go writes it.
//!
//! Fields get their JSON names, embedded messages are beside the fields around them, and zeros are written or left
//! out as the tags of the Go types say, whether they were sent or not.

use base64::{Engine, engine::general_purpose::STANDARD};
use kubemerge_value::MAX_VALUE_DEPTH;
use serde_json::{Map, Value, json};

use super::{
    own_json,
    table::{FieldRule, FieldType, ITEMS, Message, OwnJson, Presence, Table, ValueType},
    wire::{self, Payload, WireField},
};

/// Bounds what a body turns into: a few bytes may be a message whose JSON has many zeros.
const MAX_VALUES: usize = 1 << 20;

/// Up to here every whole number is a float of its own.
const MAX_EXACT_INTEGER: u64 = 1 << 53;

/// The schemas of definitions.
const SCHEMA: ValueType =
    ValueType::Message("k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");

/// Reads one body.
pub(super) struct BodyReader {
    table: &'static Table,
    values: usize,
}

impl BodyReader {
    pub(super) fn new(table: &'static Table) -> BodyReader {
        BodyReader { table, values: 0 }
    }

    /// Reads a message into a map, which has fields already if the message came in parts.
    pub(super) fn message(
        &mut self,
        bytes: &[u8],
        message: &'static Message,
        into: &mut Map<String, Value>,
        depth: usize,
    ) -> Result<(), String> {
        // JSON that is deeper is refused; this keeps the recursion as shallow.
        if depth > MAX_VALUE_DEPTH {
            return Err(format!("messages are nested deeper than {MAX_VALUE_DEPTH} levels"));
        }
        self.count()?;
        for field in wire::fields(bytes) {
            let WireField { number, payload } = field?;
            // Newer clients may know fields that the table does not.
            if let Some(rule) = message.field(number) {
                self.field(payload, rule, into, depth)?;
            }
        }
        self.complete(message, into, depth)
    }

    fn field(
        &mut self,
        payload: Payload<'_>,
        rule: &FieldRule,
        into: &mut Map<String, Value>,
        depth: usize,
    ) -> Result<(), String> {
        let name = rule.name;
        match rule.ty {
            FieldType::Embedded(inner) => {
                let inner = self.known(inner)?;
                self.message(payload.bytes()?, inner, into, depth + 1)?;
            }
            FieldType::One(ty) => {
                let earlier = into.remove(name);
                let value = self.value(payload, ty, earlier, depth)?;
                into.insert(name.into(), value);
            }
            // A repeated field may come in several parts, which belong to one list.
            FieldType::Many(ty) | FieldType::Items(ty) => {
                let mut list = into.remove(name).unwrap_or_default();
                if !list.is_array() {
                    list = json!([]);
                }
                let items = list.as_array_mut().ok_or("a repeated field that is no list")?;
                for payload in payload.unpacked(ty)? {
                    items.push(self.value(payload, ty, None, depth)?);
                }
                into.insert(name.into(), list);
            }
            FieldType::Map(ty) => {
                let (key, value) = self.entry(payload.bytes()?, ty, depth)?;
                let map = into.entry(name).or_insert_with(|| json!({}));
                if !map.is_object() {
                    *map = json!({});
                }
                map.as_object_mut().ok_or("a map field that is no map")?.insert(key, value);
            }
        }
        Ok(())
    }

    /// Adds the zeros that Go writes, and removes those that it does not.
    fn complete(
        &mut self,
        message: &'static Message,
        into: &mut Map<String, Value>,
        depth: usize,
    ) -> Result<(), String> {
        for rule in &message.fields {
            if let FieldType::Embedded(inner) = rule.ty {
                let inner = self.known(inner)?;
                self.complete(inner, into, depth + 1)?;
                continue;
            }
            let value = into.get(rule.name);
            match (rule.presence, value) {
                (Presence::NonEmpty, Some(value)) if is_empty(value) => {
                    into.remove(rule.name);
                }
                (Presence::NonZero, Some(_)) => {
                    let zero = self.zero_field(rule.ty, depth)?;
                    if into.get(rule.name) == Some(&zero) {
                        into.remove(rule.name);
                    }
                }
                (Presence::Always, None) => {
                    let zero = self.zero_field(rule.ty, depth)?;
                    into.insert(rule.name.into(), zero);
                }
                (Presence::Nullable, None) => {
                    into.insert(rule.name.into(), Value::Null);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The JSON of a field that was not sent.
    fn zero_field(&mut self, ty: FieldType, depth: usize) -> Result<Value, String> {
        match ty {
            // Go has no list, no map and no bytes here.
            FieldType::One(ValueType::Bytes) => self.count().map(|()| Value::Null),
            FieldType::One(ty) => self.zero(ty, depth),
            _ => self.count().map(|()| Value::Null),
        }
    }

    fn zero(&mut self, ty: ValueType, depth: usize) -> Result<Value, String> {
        match ty {
            ValueType::Own(_) | ValueType::Message(_) => self.value(Payload::Bytes(&[]), ty, None, depth),
            ValueType::Text | ValueType::Bytes => Ok(json!("")),
            ValueType::Bool => Ok(json!(false)),
            _ => Ok(json!(0)),
        }
    }

    /// One value. Of a message, an earlier part may be there, which it is added to.
    fn value(
        &mut self,
        payload: Payload<'_>,
        ty: ValueType,
        earlier: Option<Value>,
        depth: usize,
    ) -> Result<Value, String> {
        self.count()?;
        Ok(match ty {
            ValueType::Text => payload.text()?.into(),
            ValueType::Bytes => STANDARD.encode(payload.bytes()?).into(),
            ValueType::Bool => json!(payload.varint()? != 0),
            ValueType::Int32 => json!(payload.varint()? as i32),
            ValueType::Int64 => json!(payload.varint()? as i64),
            ValueType::Uint32 => json!(payload.varint()? as u32),
            ValueType::Uint64 => json!(payload.varint()?),
            ValueType::Double => number(payload.double()?)?,
            ValueType::Own(OwnJson::SchemaOrBool) => self.schema_or_bool(payload.bytes()?, depth)?,
            ValueType::Own(own @ (OwnJson::SchemaOrArray | OwnJson::SchemaOrStringArray)) => {
                self.schema_or_list(payload.bytes()?, own, depth)?
            }
            ValueType::Own(own) => own_json::read(payload.bytes()?, own)?,
            ValueType::Message(name) => self.inner_message(payload.bytes()?, name, earlier, depth)?,
        })
    }

    fn inner_message(
        &mut self,
        bytes: &[u8],
        name: &'static str,
        earlier: Option<Value>,
        depth: usize,
    ) -> Result<Value, String> {
        let message = self.known(name)?;
        let mut inner = match earlier {
            Some(Value::Object(earlier)) => earlier,
            Some(items @ Value::Array(_)) => Map::from_iter([(ITEMS.into(), items)]),
            _ => Map::new(),
        };
        self.message(bytes, message, &mut inner, depth + 1)?;
        if message.is_list() {
            // Its items are the only field; a list without items is null in Go.
            return Ok(inner.remove(ITEMS).unwrap_or_default());
        }
        Ok(Value::Object(inner))
    }

    /// A schema, else whether there may be more.
    fn schema_or_bool(&mut self, bytes: &[u8], depth: usize) -> Result<Value, String> {
        let (mut allows, mut schema) = (false, None);
        for field in wire::fields(bytes) {
            match field? {
                WireField { number: 1, payload } => allows = payload.varint()? != 0,
                WireField { number: 2, payload } => {
                    schema = Some(self.value(payload, SCHEMA, schema, depth)?);
                }
                _ => {}
            }
        }
        Ok(schema.unwrap_or(Value::Bool(allows)))
    }

    /// A list of schemas or strings, else a schema.
    fn schema_or_list(&mut self, bytes: &[u8], own: OwnJson, depth: usize) -> Result<Value, String> {
        let items = if own == OwnJson::SchemaOrArray { SCHEMA } else { ValueType::Text };
        let (mut list, mut schema) = (Vec::new(), None);
        for field in wire::fields(bytes) {
            match field? {
                WireField { number: 1, payload } => {
                    schema = Some(self.value(payload, SCHEMA, schema, depth)?);
                }
                WireField { number: 2, payload } => list.push(self.value(payload, items, None, depth)?),
                _ => {}
            }
        }
        Ok(if list.is_empty() { schema.unwrap_or_default() } else { list.into() })
    }

    /// A key and a value of a map.
    fn entry(&mut self, bytes: &[u8], ty: ValueType, depth: usize) -> Result<(String, Value), String> {
        let (mut key, mut value) = (String::new(), None);
        for field in wire::fields(bytes) {
            match field? {
                WireField { number: 1, payload } => key = payload.text()?,
                WireField { number: 2, payload } => value = Some(self.value(payload, ty, None, depth)?),
                _ => {}
            }
        }
        // Protobuf may leave zeros out, also in entries of a map.
        let value = value.map_or_else(|| self.zero(ty, depth), Ok)?;
        Ok((key, value))
    }

    fn known(&self, name: &str) -> Result<&'static Message, String> {
        self.table.message(name).ok_or_else(|| format!("an unknown message {name}"))
    }

    fn count(&mut self) -> Result<(), String> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(format!("the body has more than {MAX_VALUES} values"));
        }
        Ok(())
    }
}

/// Go writes whole numbers without a fraction.
fn number(value: f64) -> Result<Value, String> {
    let whole = value as i64;
    if whole as f64 == value && whole.unsigned_abs() <= MAX_EXACT_INTEGER {
        return Ok(json!(whole));
    }
    serde_json::Number::from_f64(value).map(Value::Number).ok_or_else(|| format!("{value} is no JSON number"))
}

/// What `omitempty` leaves out.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
    }
}
