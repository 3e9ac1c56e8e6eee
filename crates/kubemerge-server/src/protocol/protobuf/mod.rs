//! Protobuf bodies, which newer kubectl sends for objects it makes itself.
//!
//! A body is an envelope with the object's type and its message. Messages are read with the table of field
//! numbers (`table`) and written as the JSON that the same object would have been sent as: parts that Go
//! embeds are lifted up, and zeros that Go would leave out are left out, both as the schema has it.

mod scalar;
mod table;
mod wire;

use kubemerge::Canonical;
use kubemerge_schema::{Schema, Type};
use serde_json::{Map, Value, json};
use table::{FieldType, Message, Table};
use wire::{Field, Payload};

use crate::protocol::{
    group_version::api_version,
    json::canonical,
    status::{Outcome, bad_request},
};

const MAGIC: &[u8] = b"k8s\0";
const MAX_MESSAGE_DEPTH: usize = 64;

/// The JSON of a body.
pub(crate) fn to_canonical(body: &[u8], schema: &Schema) -> Outcome<Canonical> {
    let value = decode(body, schema).map_err(|why| bad_request(format!("protobuf: {why}")))?;
    canonical(&value)
}

fn decode(body: &[u8], schema: &Schema) -> Result<Value, String> {
    let body =
        body.strip_prefix(MAGIC).ok_or("the body does not begin with the four bytes of the envelope")?;
    let (mut version, mut kind, mut raw) = (String::new(), String::new(), &[][..]);
    for field in wire::fields(body) {
        match field? {
            Field { number: 1, payload: Payload::Bytes(bytes) } => {
                for field in wire::fields(bytes) {
                    match field? {
                        Field { number: 1, payload } => version = payload.text()?,
                        Field { number: 2, payload } => kind = payload.text()?,
                        _ => {}
                    }
                }
            }
            Field { number: 2, payload: Payload::Bytes(bytes) } => raw = bytes,
            _ => {}
        }
    }
    let table = Table::get();
    let ty = schema.type_of(&version, &kind);
    let message = message_of(table, ty, &version, &kind)
        .ok_or_else(|| format!("nothing is known about the messages of {kind} in {version}"))?;
    let mut object = Map::new();
    Reader { table }.message(raw, message, ty, &mut object, 0)?;
    object.insert("apiVersion".into(), version.into());
    object.insert("kind".into(), kind.into());
    Ok(Value::Object(object))
}

/// The message of a kind: named as its definition is, but for the order of the domain.
fn message_of(
    table: &'static Table,
    ty: Option<Type<'_>>,
    version: &str,
    kind: &str,
) -> Option<&'static Message> {
    // The tables name definitions as OpenAPI does; protobuf packages are spelled k8s.io instead of io.k8s, and have no
    // hyphens.
    let by_definition = ty.and_then(|ty| ty.definition_name()).and_then(|name| name.strip_prefix("io.k8s."));
    let package = |name: &str| format!("k8s.io.{}", name.replace('-', "_"));
    if let Some(found) = by_definition.and_then(|name| table.message(&package(name))) {
        return Some(found);
    }
    // Options objects travel in the version of the request.
    let meta = format!("k8s.io.apimachinery.pkg.apis.meta.v1.{kind}");
    let known = matches!(kind, "DeleteOptions") || version == api_version("meta.k8s.io", "v1");
    known.then(|| table.message(&meta)).flatten()
}

/// The schemas of definitions.
const SCHEMA: &str = "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

/// What a schema may be replaced by.
#[derive(Clone, Copy)]
enum SchemaChoice {
    Bool,
    Schemas,
    Strings,
}

impl SchemaChoice {
    fn of(kind: &str) -> Option<SchemaChoice> {
        match kind.strip_prefix(SCHEMA)? {
            "OrBool" => Some(SchemaChoice::Bool),
            "OrArray" => Some(SchemaChoice::Schemas),
            "OrStringArray" => Some(SchemaChoice::Strings),
            _ => None,
        }
    }
}

struct Reader {
    table: &'static Table,
}

impl Reader {
    /// Reads a message into a map.
    fn message(
        &self,
        bytes: &[u8],
        message: &Message,
        ty: Option<Type<'_>>,
        into: &mut Map<String, Value>,
        depth: usize,
    ) -> Result<(), String> {
        if depth > MAX_MESSAGE_DEPTH {
            return Err(format!("messages are nested deeper than {MAX_MESSAGE_DEPTH} levels"));
        }
        for field in wire::fields(bytes) {
            let Field { number, payload } = field?;
            // Newer clients may know fields that the table does not.
            let Some((name, kind)) = message.field(number) else { continue };
            let field_type = ty.and_then(|ty| ty.field(name)).map(|field| field.ty);
            match kind {
                FieldType::One(kind) if field_type.is_none() && ty.is_some() && self.is_embedded(kind) => {
                    // Embedded in Go: its fields are beside the others in JSON.
                    let inner = self.table.message(kind).ok_or("an unknown message")?;
                    self.message(payload.bytes()?, inner, ty, into, depth + 1)?;
                }
                FieldType::One(kind) => {
                    // The schema inside of a choice has the type of the schema around it.
                    let inner = if SchemaChoice::of(kind).is_some() { ty } else { field_type };
                    let value = self.value(payload, kind, inner, depth)?;
                    if keeps(&value, field_type) {
                        into.insert(name.to_string(), value);
                    }
                }
                FieldType::Many(kind) => {
                    let items = field_type.and_then(|ty| ty.items());
                    // A repeated field may come in several parts, which belong to one list.
                    let list = into.entry(name).or_insert_with(|| json!([]));
                    for payload in payload.unpacked(kind)? {
                        let value = self.value(payload, kind, items, depth)?;
                        list.as_array_mut().ok_or("a list that is none")?.push(value);
                    }
                }
                FieldType::Map(kind) => {
                    let items = field_type.and_then(|ty| ty.additional_properties());
                    let (key, value) = self.entry(payload.bytes()?, kind, items, depth)?;
                    into.entry(name).or_insert_with(|| json!({}))[key] = value;
                }
            }
        }
        Ok(())
    }

    /// Whether a message may be one that Go embeds; schemas never are.
    fn is_embedded(&self, kind: &str) -> bool {
        self.table.message(kind).is_some() && !scalar::is_special(kind) && !kind.starts_with(SCHEMA)
    }

    fn value(
        &self,
        payload: Payload<'_>,
        kind: &str,
        ty: Option<Type<'_>>,
        depth: usize,
    ) -> Result<Value, String> {
        if let Some(value) = scalar::read(payload, kind)? {
            return Ok(value);
        }
        if let Some(choice) = SchemaChoice::of(kind) {
            return self.schema_choice(payload.bytes()?, choice, ty, depth);
        }
        let message = self.table.message(kind).ok_or_else(|| format!("an unknown type {kind}"))?;
        let mut inner = Map::new();
        self.message(payload.bytes()?, message, ty, &mut inner, depth + 1)?;
        Ok(Value::Object(inner))
    }

    /// A schema, or what else is allowed in its place. Schemas are field 1, but field 2 beside a boolean.
    fn schema_choice(
        &self,
        bytes: &[u8],
        choice: SchemaChoice,
        ty: Option<Type<'_>>,
        depth: usize,
    ) -> Result<Value, String> {
        let (mut allows, mut list) = (false, None);
        for field in wire::fields(bytes) {
            match (choice, field?) {
                (SchemaChoice::Bool, Field { number: 1, payload }) => allows = payload.number()? != 0,
                (SchemaChoice::Bool, Field { number: 2, payload })
                | (SchemaChoice::Schemas | SchemaChoice::Strings, Field { number: 1, payload }) => {
                    return self.value(payload, SCHEMA, ty, depth + 1);
                }
                (SchemaChoice::Schemas, Field { number: 2, payload }) => {
                    let schema = self.value(payload, SCHEMA, ty, depth + 1)?;
                    list.get_or_insert_with(Vec::new).push(schema);
                }
                (SchemaChoice::Strings, Field { number: 2, payload }) => {
                    list.get_or_insert_with(Vec::new).push(payload.text()?.into());
                }
                _ => {}
            }
        }
        Ok(match choice {
            SchemaChoice::Bool => json!(allows),
            SchemaChoice::Schemas | SchemaChoice::Strings => list.into(),
        })
    }

    /// A key and a value of a map.
    fn entry(
        &self,
        bytes: &[u8],
        kind: &str,
        ty: Option<Type<'_>>,
        depth: usize,
    ) -> Result<(String, Value), String> {
        let (mut key, mut value) = (String::new(), None);
        for field in wire::fields(bytes) {
            match field? {
                Field { number: 1, payload } => key = payload.text()?,
                Field { number: 2, payload } => value = Some(self.value(payload, kind, ty, depth)?),
                _ => {}
            }
        }
        // Protobuf leaves zero values out, also in entries of a map.
        Ok((key, value.unwrap_or_else(|| scalar::zero(kind))))
    }
}

/// Go leaves out what is empty, unless the field is a pointer.
fn keeps(value: &Value, ty: Option<Type<'_>>) -> bool {
    let empty = match value {
        Value::Null => return false,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
    };
    !empty || ty.is_some_and(Type::is_pointer)
}

#[cfg(test)]
mod tests {
    use kubemerge_schema::Dialect;

    use super::*;

    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, bytes.len() as u8][..], bytes].concat()
    }

    fn envelope(version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
        let types = [field(1, version.as_bytes()), field(2, kind.as_bytes())].concat();
        [MAGIC.to_vec(), field(1, &types), field(2, raw), field(3, b""), field(4, b"")].concat()
    }

    fn decoded(version: &str, kind: &str, raw: &[u8]) -> Result<Value, String> {
        let schema = Schema::builtin("1.37", Dialect::Upstream).unwrap();
        decode(&envelope(version, kind, raw), &schema)
    }

    #[test]
    fn a_config_map_is_read() {
        let metadata = [field(1, b"name"), field(2, b""), field(8, b"")].concat();
        let data = [field(1, b"k"), field(2, b"v")].concat();
        let raw =
            [field(1, &metadata), field(2, &data), field(3, &[field(1, b"b"), field(2, b"\xff")].concat())]
                .concat();
        assert_eq!(
            decoded("v1", "ConfigMap", &raw).unwrap(),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "name"},
                "data": {"k": "v"}, "binaryData": {"b": "/w=="}})
        );
    }

    #[test]
    fn embedded_parts_are_lifted_and_pointers_keep_zero() {
        // spec { volumes { name, volumeSource { emptyDir {} } } }, as Pod
        let source = field(2, b"");
        let volume = [field(1, b"v"), field(2, &source)].concat();
        let pod = decoded("v1", "Pod", &field(2, &field(1, &volume))).unwrap();
        assert_eq!(pod["spec"]["volumes"], json!([{"name": "v", "emptyDir": {}}]));
        // spec { replicas: 0, minReadySeconds: 0, paused: false }, as Deployment
        let spec = [1 << 3, 0, 5 << 3, 0, 7 << 3, 0];
        let deployment = decoded("apps/v1", "Deployment", &field(2, &spec)).unwrap();
        assert_eq!(deployment["spec"], json!({"replicas": 0}));
    }

    /// The bodies are from Kubernetes' own encoder.
    #[test]
    fn definitions_and_api_services_are_read() {
        use base64::{Engine, engine::general_purpose::STANDARD};
        let schema = Schema::builtin("1.37", Dialect::Upstream).unwrap();
        let read = |text: &str| {
            let text: String = text.split_whitespace().collect();
            decode(&STANDARD.decode(text).unwrap(), &schema).unwrap()
        };
        let wanted: Value = serde_json::from_str(include_str!("definition.json")).unwrap();
        let mut found = read(include_str!("definition.base64"));
        // Kubernetes sends the empty status, too.
        found.as_object_mut().unwrap().remove("status");
        assert_eq!(found, wanted);
        let service = read(include_str!("api_service.base64"));
        assert_eq!(service["spec"]["service"], json!({"namespace": "n", "name": "s", "port": 443}));
        assert_eq!(service["spec"]["caBundle"], "YQ==");
    }

    #[test]
    fn broken_bodies_are_errors() {
        let schema = Schema::builtin("1.37", Dialect::Upstream).unwrap();
        for bad in [
            &b""[..],
            b"{}",
            b"k8s\0\xff",
            b"k8s\0\x0a\x7f",
            b"k8s\0\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        ] {
            assert!(decode(bad, &schema).is_err(), "{bad:?}");
        }
        assert!(decoded("v1", "Nothing", b"").is_err());
    }
}
