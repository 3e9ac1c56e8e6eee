//! [`admit`] and [`admit_update`]: what the API server would store of an object.

use crate::error::Error;
use crate::object::{Object, read_object};
use kubemerge_kinds::Refusal;
use kubemerge_schema::Schema;
use kubemerge_value::{Document, to_bytes};

/// What the API server would store of a new object, or why it would refuse it: an object of a built-in kind, of a custom
/// resource whose definition the schema has, or of a kind of an OpenAPI document.
///
/// The rules are those of the version that the schema is of. The result has the form of the object; it has no uid,
/// no times and no addresses, which only a server can give. Rules in CEL of definitions are evaluated with the feature
/// `cel` of `kubemerge-kinds`, and left out without it.
///
/// ```
/// use kubemerge::{Dialect, Schema, admit};
///
/// let schema = Schema::builtin("1.37", Dialect::Upstream)?;
/// let service = r#"{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": [{}]}}"#;
/// let refusal = admit(&schema, service).unwrap_err();
/// assert_eq!(refusal.field_errors()[0].field, "spec.ports[0].port");
///
/// let service = service.replace("{}", r#"{"port": 80}"#);
/// let stored = admit(&schema, &service)?;
/// assert!(stored.contains(r#""targetPort":80"#) && stored.contains(r#""type":"ClusterIP""#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the object is malformed, its kind is unknown, it does not fit its type, or fields are invalid: then with all
/// field errors, in Kubernetes' words.
pub fn admit<O: Object + ?Sized>(schema: &Schema, object: &O) -> Result<O::Output, Refusal> {
    let stored = kubemerge_kinds::admit(schema, &text(object)?)?;
    write::<O>(&stored)
}

/// What the API server would store of an object that replaces another one, or why it would refuse it. The result has
/// the form of the new object.
///
/// ```
/// use kubemerge::{Dialect, Schema, admit_update};
///
/// let schema = Schema::builtin("1.37", Dialect::Upstream)?;
/// let old = r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "1"}, "immutable": true}"#;
/// let new = old.replace('1', "2").replace("v2", "v1");
/// let refusal = admit_update(&schema, old, new.as_str()).unwrap_err();
/// assert!(refusal.to_string().contains("field is immutable when `immutable` is set"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`admit`]; a change of what may not change is an invalid field, too.
pub fn admit_update<O: Object + ?Sized, N: Object + ?Sized>(
    schema: &Schema,
    old: &O,
    new: &N,
) -> Result<N::Output, Refusal> {
    let stored = kubemerge_kinds::admit_update(schema, &text(old)?, &text(new)?)?;
    write::<N>(&stored)
}

fn text<O: Object + ?Sized>(object: &O) -> Result<String, Refusal> {
    let source = read_object(object).map_err(malformed)?;
    // Documents are checked to be UTF-8 when they are read.
    String::from_utf8(to_bytes(source.node())).map_err(|error| Refusal::Malformed(error.to_string()))
}

fn write<O: Object + ?Sized>(stored: &str) -> Result<O::Output, Refusal> {
    let document = Document::check(stored.as_bytes()).map_err(|error| malformed(error.into()))?;
    O::write(document.node()).map_err(malformed)
}

fn malformed(error: Error) -> Refusal {
    Refusal::Malformed(error.message().to_owned())
}
