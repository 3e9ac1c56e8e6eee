//! What metadata must look like: types when it is decoded, and what may not change.

use kubemerge_value::{Arena, Kind, PullReader, SharedValue, Start};

use crate::{
    protocol::status::{Outcome, bad_request},
    store::metadata_field::{Field, Shape},
};

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
        kind.go_name(),
        field.name()
    )))
}

/// Whether a list holds strings only, and a map strings and nulls only.
fn all_text(value: &SharedValue, nulls: &mut Nulls) -> bool {
    let arena = Arena::new();
    let mut reader = PullReader::of_bytes(value.as_bytes(), &arena);
    match reader.start() {
        Start::List => all_items_text(&mut reader),
        _ => all_members_text(&mut reader, nulls),
    }
}

fn all_items_text(reader: &mut PullReader<'_>) -> bool {
    let mut list = reader.open_list();
    while reader.item(&mut list) {
        if reader.start() != Start::Str {
            return false;
        }
        reader.string();
    }
    true
}

fn all_members_text(reader: &mut PullReader<'_>, nulls: &mut Nulls) -> bool {
    let mut map = reader.open_map();
    while reader.name(&mut map).is_some() {
        match reader.start() {
            Start::Str => _ = reader.string(),
            // Nulls in maps become empty strings; in lists they are refused.
            Start::Null => {
                *nulls = Nulls::Some;
                reader.word();
            }
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::object::Object;

    #[test]
    fn wrong_types_are_refused_when_decoded() {
        let failure = Object::from_value(&json!({"metadata": {"labels": 5}})).unwrap_err();
        assert_eq!(
            failure.message(),
            "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string"
        );
    }
}
