//! Protobuf bodies, which newer kubectl sends for objects it makes itself.
//!
//! A body is an envelope with the object's type and its message. Messages are read (`reader`) with the table of
//! field numbers and JSON names (`table`) and written as the JSON that the same object would have been sent as.

mod own_json;
mod reader;
mod table;
mod wire;

use kubemerge::Canonical;
use kubemerge_schema::{Schema, Type};
use reader::BodyReader;
use serde_json::{Map, Value};
use table::{Message, Table};
use wire::WireField;

use crate::protocol::{
    group_version::api_version,
    json::canonical,
    status::{Outcome, bad_request},
};

const MAGIC: &[u8] = b"k8s\0";

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
            WireField { number: 1, payload } => {
                for field in wire::fields(payload.bytes()?) {
                    match field? {
                        WireField { number: 1, payload } => version = payload.text()?,
                        WireField { number: 2, payload } => kind = payload.text()?,
                        _ => {}
                    }
                }
            }
            WireField { number: 2, payload } => raw = payload.bytes()?,
            _ => {}
        }
    }
    let table = Table::get();
    let ty = schema.type_of(&version, &kind);
    let message = message_of(table, ty, &version, &kind)
        .ok_or_else(|| format!("nothing is known about the messages of {kind} in {version}"))?;
    let mut object = Map::new();
    BodyReader::new(table).message(raw, message, &mut object, 0)?;
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

#[cfg(test)]
mod tests {
    use base64::{Engine, engine::general_purpose::STANDARD};
    use kubemerge_schema::{Dialect, builtin};
    use serde_json::json;

    use super::*;

    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, bytes.len() as u8][..], bytes].concat()
    }

    fn envelope(version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
        let types = [field(1, version.as_bytes()), field(2, kind.as_bytes())].concat();
        let raw = [&[0x12][..], &length(raw.len()), raw].concat();
        [MAGIC.to_vec(), field(1, &types), raw, field(3, b""), field(4, b"")].concat()
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
        let template = json!({"metadata": {}, "spec": {"containers": null}});
        let spec = json!({"replicas": 0, "selector": null, "strategy": {}, "template": template});
        assert_eq!(deployment["spec"], spec);
    }

    /// Bodies of Kubernetes' own encoder, and the JSON of what it decodes from them; `cargo xtask protobuf` records them.
    const BODIES: &str = include_str!("bodies.txt");

    /// An object that Kubernetes encoded both ways.
    struct Recorded {
        version: &'static str,
        kind: &'static str,
        filling: &'static str,
        protobuf: Vec<u8>,
        json: Value,
    }

    fn recorded() -> Vec<Recorded> {
        let lines: Vec<&str> = BODIES.lines().collect();
        let read = |lines: &[&'static str]| {
            let words: Vec<&str> = lines[0].split(' ').collect();
            let protobuf = STANDARD.decode(lines[1]).unwrap();
            let json = serde_json::from_str(lines[2]).unwrap();
            Recorded { version: words[0], kind: words[1], filling: words[2], protobuf, json }
        };
        lines.chunks(3).map(read).collect()
    }

    /// The schemas of all releases, newest first.
    fn schemas() -> Vec<Schema> {
        let releases = builtin::releases().into_iter().rev();
        releases.map(|release| Schema::builtin(release.version, Dialect::Upstream).unwrap()).collect()
    }

    impl Recorded {
        /// The body as the newest release that serves the kind reads it.
        fn decode(&self, protobuf: &[u8], schemas: &[Schema]) -> Result<Value, String> {
            let serves = |schema: &&Schema| schema.type_of(self.version, self.kind).is_some();
            decode(protobuf, schemas.iter().find(serves).unwrap_or(&schemas[0]))
        }

        fn assert(&self, found: &Result<Value, String>) {
            assert_eq!(found.as_ref(), Ok(&self.json), "{} {} {}", self.version, self.kind, self.filling);
        }
    }

    #[test]
    fn every_field_of_every_kind_is_read_as_its_json() {
        let schemas = schemas();
        for body in recorded() {
            body.assert(&body.decode(&body.protobuf, &schemas));
        }
    }

    #[test]
    fn every_kind_of_the_newest_release_is_recorded() {
        let recorded = recorded();
        let schema = &schemas()[0];
        for kind in schema.kinds() {
            let version = api_version(kind.group, kind.version);
            let is_object = schema.type_of(&version, kind.kind).is_some_and(|ty| {
                ty.field("metadata").is_some() && ty.field("items").is_none() && kind.kind != "Status"
            });
            let known = recorded.iter().any(|body| body.version == version && body.kind == kind.kind);
            assert!(known || !is_object, "{version} {}", kind.kind);
        }
    }

    /// What a client does not send is zero in Go, and unknown fields are nothing.
    #[test]
    fn absent_fields_are_zeros_and_unknown_ones_are_ignored() {
        let schemas = schemas();
        // Number 1,000, once of each wire type.
        let unknown = [
            &[0xc0, 0x3e, 1][..],
            &[0xc1, 0x3e, 1, 2, 3, 4, 5, 6, 7, 8],
            &[0xc2, 0x3e, 1, 0xff],
            &[0xc3, 0x3e, 0x0a, 1, 0xff, 0xc4, 0x3e],
            &[0xc5, 0x3e, 1, 2, 3, 4],
        ]
        .concat();
        for body in recorded().into_iter().filter(|body| body.filling == "empty") {
            body.assert(&body.decode(&envelope(body.version, body.kind, b""), &schemas));
            body.assert(&body.decode(&envelope(body.version, body.kind, &unknown), &schemas));
        }
    }

    /// Every bit that flips and every end too early is read or refused, but is no panic.
    #[test]
    fn damaged_bodies_do_not_panic() {
        let schemas = schemas();
        for body in recorded().into_iter().filter(|body| body.filling == "full") {
            for at in (0..body.protobuf.len()).step_by(31) {
                let _ = body.decode(&body.protobuf[..at], &schemas);
                let mut damaged = body.protobuf.clone();
                damaged[at] ^= 1 << (at % 8);
                let _ = body.decode(&damaged, &schemas);
            }
        }
    }

    #[test]
    fn parts_of_a_message_are_merged() {
        // spec { replicas: 3 } spec { paused: true }
        let raw = [field(2, &[1 << 3, 3]), field(2, &[7 << 3, 1])].concat();
        let deployment = decoded("apps/v1", "Deployment", &raw).unwrap();
        assert_eq!(deployment["spec"]["replicas"], 3);
        assert_eq!(deployment["spec"]["paused"], true);
    }

    #[test]
    fn bodies_that_are_too_deep_or_too_large_are_errors() {
        // A schema in a schema, as `not`.
        let mut schema = Vec::new();
        for _ in 0..200 {
            schema = [&[0xe2, 1][..], &length(schema.len()), &schema].concat();
        }
        // spec { versions { schema { openAPIV3Schema } } }
        for number in [1, 4, 7, 2] {
            schema = [&[number << 3 | 2][..], &length(schema.len()), &schema].concat();
        }
        let deep = decoded("apiextensions.k8s.io/v1", "CustomResourceDefinition", &schema);
        assert!(deep.is_err_and(|why| why.contains("deeper")));
        // Containers without a name.
        let containers: Vec<u8> = [0x12, 0].repeat(1 << 20);
        let spec = [&[0x12][..], &length(containers.len()), &containers].concat();
        assert!(decoded("v1", "Pod", &spec).is_err_and(|why| why.contains("more than")));
    }

    fn length(mut number: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while number > 127 {
            bytes.push(number as u8 | 128);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes
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
