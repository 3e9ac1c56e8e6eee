//! Definitions in groups of the Kubernetes community need an approval, or a note that it is missing.

use crate::{
    custom::approval::{ANNOTATION, Approval, is_protected},
    field::Field,
};

pub(super) fn validate_approval(definition: Field<'_>, old: Option<Field<'_>>) {
    let place = annotation(definition);
    let found = Approval::of(place.str());
    // What was stored without an approval may stay so.
    if !is_protected(definition.fields(["spec", "group"]).str())
        || old.is_some_and(|old| Approval::of(annotation(old).str()) == found)
    {
        return;
    }
    match found {
        Approval::Approved | Approval::Bypassed => {}
        Approval::Missing => place.required(found.message("")),
        Approval::Invalid => place.invalid(found.message(place.str())),
    }
}

fn annotation(definition: Field<'_>) -> Field<'_> {
    definition.fields(["metadata", "annotations"]).key(ANNOTATION)
}
