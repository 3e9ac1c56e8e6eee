//! What metadata must look like: types when it is decoded, and what may not change.

use crate::{
    protocol::status::{Outcome, bad_request},
    store::metadata_field::{Field, Shape},
};
use kubemerge_value::{Kind, Reader, SharedValue};

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
