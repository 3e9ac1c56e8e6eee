//! What metadata must look like: types when it is decoded, values when it is written.

use std::{borrow::Cow, collections::BTreeSet};

use kubemerge_kinds::{
    field_error::{FieldError, quoted},
    name_rules::{self as name, ObjectNameRule},
    unknown_fields::json_name,
};
use kubemerge_value::{Kind, Reader, SharedValue, Str};
use serde_json::{Value, json};

use super::{Metadata, OwnerReference};
use crate::{
    protocol::status::{Outcome, bad_request},
    store::metadata_field::{Field, Shape},
};

/// All annotations together, keys and values.
const MAX_ANNOTATION_BYTES: usize = 256 * 1024;

/// Whether a map of strings has nulls in it, which are read as empty strings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Nulls {
    Some,
    None,
}

/// Refuses a value whose type cannot be decoded; answers whether it has nulls.
pub(super) fn shape(field: Field, value: &SharedValue) -> Outcome<Nulls> {
    let kind = value.node().kind();
    let mut nulls = Nulls::None;
    let (fits, wanted) = match field.shape() {
        Shape::Text => (kind == Kind::String, "string"),
        Shape::Number => (kind == Kind::Int, "int64"),
        Shape::Texts => (kind == Kind::List && all_text(value, &mut nulls), "[]string"),
        Shape::TextMap => (kind == Kind::Map && all_text(value, &mut nulls), "map[string]string"),
        Shape::List if field == Field::OwnerReferences => (kind == Kind::List, "[]v1.OwnerReference"),
        Shape::List => (kind == Kind::List, "[]v1.ManagedFieldsEntry"),
    };
    // A null is read as absent, whatever the type of the field.
    if fits || kind == Kind::Null {
        return Ok(nulls);
    }
    Err(bad_request(format!(
        "json: cannot unmarshal {} into Go struct field ObjectMeta.{} of type {wanted}",
        json_name(kind),
        field.name()
    )))
}

/// Whether a list holds strings only, and a map strings and nulls only.
fn all_text(value: &SharedValue, nulls: &mut Nulls) -> bool {
    let mut reader = value.reader();
    let all = match value.node().kind() {
        Kind::List => all_items_text(&mut reader, nulls),
        _ => all_members_text(&mut reader, nulls),
    };
    all.is_some()
}

/// `None` at the first item that is no string.
fn all_items_text(reader: &mut Reader<'_>, nulls: &mut Nulls) -> Option<()> {
    reader.open_list()?;
    while reader.item()? {
        if reader.next_kind()? == Kind::Null {
            *nulls = Nulls::Some;
        }
        reader.string()?;
    }
    Some(())
}

/// `None` at the first value that is neither a string nor null.
fn all_members_text(reader: &mut Reader<'_>, nulls: &mut Nulls) -> Option<()> {
    reader.open_map()?;
    while reader.name()?.is_some() {
        match reader.next_kind()? {
            // Nulls in maps become empty strings; in lists they are refused.
            Kind::Null => {
                *nulls = Nulls::Some;
                reader.pass()?;
            }
            _ => _ = reader.string()?,
        }
    }
    Some(())
}

/// The complaints about metadata that is about to be written.
pub(crate) fn values(metadata: &Metadata, rule: ObjectNameRule) -> Vec<FieldError> {
    let mut errors = Vec::new();
    check_generate_name(metadata.generate_name(), rule, &mut errors);
    check_name(metadata.name(), rule, &mut errors);
    check_namespace(metadata.namespace(), &mut errors);
    check_labels(metadata, &mut errors);
    check_annotations(metadata, &mut errors);
    check_owners(metadata, &mut errors);
    check_finalizers(metadata, &mut errors);
    errors
}

/// What a name begins with may end in a dash, because something follows.
fn check_generate_name(given: &str, rule: ObjectNameRule, errors: &mut Vec<FieldError>) {
    if given.is_empty() {
        return;
    }
    let closed = match given.strip_suffix('-') {
        // Upstream: the dash is masked by a letter, because a random suffix follows it.
        Some(rest) if !rest.is_empty() => format!("{rest}a"),
        _ => given.to_string(),
    };
    if let Err(why) = rule.check(&closed) {
        errors.push(FieldError::invalid("metadata.generateName", &json!(given), &why));
    }
}

fn check_name(given: &str, rule: ObjectNameRule, errors: &mut Vec<FieldError>) {
    if given.is_empty() {
        errors.push(FieldError::required("metadata.name", "name or generateName is required"));
    } else if let Err(why) = rule.check(given) {
        errors.push(FieldError::invalid("metadata.name", &json!(given), &why));
    }
}

fn check_namespace(given: &str, errors: &mut Vec<FieldError>) {
    if !given.is_empty()
        && let Err(why) = name::check_label(given)
    {
        errors.push(FieldError::invalid("metadata.namespace", &json!(given), &why));
    }
}

/// The names and strings of a map.
fn pairs(metadata: &Metadata, field: Field) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
    let mut reader = metadata.shared(field).map(SharedValue::reader);
    if let Some(reader) = &mut reader {
        // Where it is no map there are no pairs: the first name is refused.
        reader.open_map();
    }
    std::iter::from_fn(move || {
        let reader = reader.as_mut()?;
        let name = Str::given(reader.name()??).text();
        Some((name, reader.scalar_node()?.as_str().map(Str::text).unwrap_or_default()))
    })
}

fn check_labels(metadata: &Metadata, errors: &mut Vec<FieldError>) {
    for (key, value) in pairs(metadata, Field::Labels) {
        if let Err(why) = name::check_qualified(&key) {
            errors.push(FieldError::invalid("metadata.labels", &json!(key), &why));
        }
        if let Err(why) = name::check_label_value(&value) {
            errors.push(FieldError::invalid("metadata.labels", &json!(value), &why));
        }
    }
}

fn check_annotations(metadata: &Metadata, errors: &mut Vec<FieldError>) {
    let mut total = 0;
    for (key, value) in pairs(metadata, Field::Annotations) {
        // Upstream: keys of annotations are compared in lower case, those of labels are not.
        if let Err(why) = name::check_qualified(&key.to_ascii_lowercase()) {
            errors.push(FieldError::invalid("metadata.annotations", &json!(key), &why));
        }
        total += key.len() + value.len();
    }
    // The limit is for all annotations together, so that it is checked after the loop.
    if total > MAX_ANNOTATION_BYTES {
        errors.push(FieldError::too_long("metadata.annotations", MAX_ANNOTATION_BYTES));
    }
}

fn check_owners(metadata: &Metadata, errors: &mut Vec<FieldError>) {
    if !metadata.has(Field::OwnerReferences) {
        return;
    }
    for (at, owner) in metadata.owner_references().iter().enumerate() {
        let field = format!("metadata.ownerReferences[{at}]");
        check_owner(owner, &field, errors);
        // Upstream: an Event is deleted after an hour, so that it must not own anything.
        if is_event(owner) {
            let value = metadata.list(Field::OwnerReferences).get(at).cloned().unwrap_or_default();
            let why =
                format!("/{}, Kind={} is disallowed from being an owner", owner.api_version, owner.kind);
            errors.push(FieldError::invalid(field, &value, &why));
        }
    }
    // Only after the references themselves: Kubernetes reports them in this order.
    check_one_controller(metadata, errors);
}

fn check_owner(owner: &OwnerReference, field: &str, errors: &mut Vec<FieldError>) {
    let parts = [
        ("apiVersion", &owner.api_version),
        ("kind", &owner.kind),
        ("name", &owner.name),
        ("uid", &owner.uid),
    ];
    for (part, _) in parts.iter().filter(|(_, value)| value.is_empty()) {
        errors.push(FieldError::required(format!("{field}.{part}"), "must not be empty"));
    }
    let version = owner.api_version.split_once('/').map_or(&*owner.api_version, |(_, version)| version);
    if !owner.api_version.is_empty() && (version.is_empty() || version.contains('/')) {
        let why = "must be <group>/<version> or <version>";
        errors.push(FieldError::invalid(format!("{field}.apiVersion"), &json!(owner.api_version), why));
    }
}

/// Events own nothing: they are gone too soon.
fn is_event(owner: &OwnerReference) -> bool {
    owner.kind == "Event" && owner.api_version == "v1"
}

fn check_one_controller(metadata: &Metadata, errors: &mut Vec<FieldError>) {
    let list = metadata.list(Field::OwnerReferences);
    let mut controllers =
        list.iter().filter(|one| one.get("controller").and_then(Value::as_bool) == Some(true));
    // Upstream: only the first two are named, however many there are.
    let (Some(first), Some(second)) = (controllers.next(), controllers.next()) else { return };
    let text = |one: &Value, key: &str| one.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
    let name = |one: &Value| format!("{}/{}", text(one, "kind"), text(one, "name"));
    let why = format!(
        "Only one reference can have Controller set to true. Found \"true\" in references for {} and {}",
        name(first),
        name(second)
    );
    errors.push(FieldError::invalid("metadata.ownerReferences", &json!(list), &why));
}

fn check_finalizers(metadata: &Metadata, errors: &mut Vec<FieldError>) {
    if !metadata.has(Field::Finalizers) {
        return;
    }
    let finalizers = metadata.finalizers();
    for finalizer in &finalizers {
        if let Err(why) = name::check_qualified(finalizer) {
            errors.push(FieldError::invalid("metadata.finalizers", &json!(finalizer), &why));
        }
    }
    let has = |name: &str| finalizers.iter().any(|one| one == name);
    // The garbage collector would wait for dependents and leave them at the same time.
    if has("orphan") && has("foregroundDeletion") {
        let why = "finalizer orphan and foregroundDeletion cannot be both set";
        errors.push(FieldError::invalid("metadata.finalizers", &json!(finalizers), why));
    }
}

/// The complaints about metadata that replaces older metadata.
pub(crate) fn change(old: &Metadata, new: &Metadata) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let fixed = [
        Field::Name,
        Field::Namespace,
        Field::Uid,
        Field::CreationTimestamp,
        Field::DeletionTimestamp,
        Field::DeletionGracePeriodSeconds,
    ];
    for field in fixed {
        if !old.same(new, field) {
            let value = new.get(field).unwrap_or(json!(""));
            let place = format!("metadata.{}", field.name());
            errors.push(FieldError::invalid(place, &value, "field is immutable"));
        }
    }
    if old.is_terminating() {
        let (before, after) = (old.finalizers().into_iter().collect::<BTreeSet<_>>(), new.finalizers());
        let added: Vec<&String> = after.iter().filter(|one| !before.contains(*one)).collect();
        if !added.is_empty() {
            let list: Vec<String> = added.iter().map(|one| quoted(one)).collect();
            let why = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                list.join(", ")
            );
            errors.push(FieldError::forbidden("metadata.finalizers", &why));
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Object;

    fn metadata(value: Value) -> Metadata {
        Object::from_value(&json!({"metadata": value})).unwrap().metadata
    }

    fn complaints(value: Value) -> Vec<String> {
        values(&metadata(value), ObjectNameRule::Subdomain).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn good_metadata_has_no_complaints() {
        assert!(
            complaints(json!({"name": "a.b", "namespace": "n", "labels": {"x/y": "z", "e": ""},
            "annotations": {"A/b": "any thing"}, "finalizers": ["x.io/y"],
            "ownerReferences": [{"apiVersion": "v1", "kind": "K", "name": "n", "uid": "u"}]}))
            .is_empty()
        );
    }

    #[test]
    fn bad_metadata_is_named() {
        assert_eq!(
            complaints(json!({})),
            ["metadata.name: Required value: name or generateName is required"]
        );
        assert!(
            complaints(json!({"name": "Bad_Name!"}))[0]
                .starts_with("metadata.name: Invalid value: \"Bad_Name!\"")
        );
        assert_eq!(complaints(json!({"name": "a", "labels": {"-": "_"}})).len(), 2);
        assert_eq!(complaints(json!({"name": "a", "ownerReferences": [{"name": "x"}]})).len(), 3);
        let two = json!([
            {"apiVersion": "v1", "kind": "K", "name": "n", "uid": "u", "controller": true},
            {"apiVersion": "v1", "kind": "K", "name": "m", "uid": "w", "controller": true},
        ]);
        assert!(complaints(json!({"name": "a", "ownerReferences": two}))[0].contains("Only one reference"));
        assert_eq!(complaints(json!({"name": "a", "finalizers": ["orphan", "foregroundDeletion"]})).len(), 1);
        assert_eq!(complaints(json!({"name": "a", "annotations": {"a": "x".repeat(256 * 1024)}})).len(), 1);
    }

    #[test]
    fn wrong_types_are_refused_when_decoded() {
        let failure = Object::from_value(&json!({"metadata": {"labels": 5}})).unwrap_err();
        assert_eq!(
            failure.message(),
            "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string"
        );
    }

    #[test]
    fn server_owned_metadata_cannot_change() {
        let old = metadata(json!({"name": "a", "uid": "u", "deletionTimestamp": "t", "finalizers": ["x/y"]}));
        let new = metadata(
            json!({"name": "a", "uid": "w", "deletionTimestamp": "t", "finalizers": ["x/y", "x/z"]}),
        );
        let found: Vec<String> = change(&old, &new).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0], "metadata.uid: Invalid value: \"w\": field is immutable");
        assert!(found[1].ends_with("found new finalizers []string{\"x/z\"}"));
    }
}
