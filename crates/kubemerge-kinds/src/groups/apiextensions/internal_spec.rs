//! The spec in the form in which Kubernetes validates it.
//!
//! What all versions have in common is moved to the spec, so errors about it have a path there.

use crate::field::Field;
use crate::tree::{Arena, List, Map, Value};

/// Fields of versions that move to the spec, and what they are called there.
const SHARED: [(&str, &str); 4] = [
    ("subresources", "subresources"),
    ("schema", "validation"),
    ("additionalPrinterColumns", "additionalPrinterColumns"),
    ("selectableFields", "selectableFields"),
];

/// The spec in its internal form.
pub(super) fn internal_spec<'a>(arena: &'a Arena, spec: Field<'_>) -> Map<'a> {
    let mut internal = spec.map().map_or_else(|| Map::new_in(arena), |map| map.copy_in(arena));
    if let Some(conversion) = internal.map_mut("conversion") {
        flatten_webhook(conversion);
    }
    // An empty list stays as it is: messages show it.
    if internal.list("versions").is_empty() {
        return internal;
    }
    let Some(Value::List(mut versions)) = internal.remove("versions") else { return internal };
    if let Some(first) = versions.maps().next() {
        // The field `version` of version v1beta1 is the first of the list.
        internal.set("version", first.str("name"));
    }
    for (name, shared_name) in SHARED {
        if let Some(value) = take_shared(arena, &mut versions, name) {
            internal.set(shared_name, value);
        }
    }
    internal.set("versions", versions);
    internal
}

/// Takes a field out of all versions if it is the same in all of them.
fn take_shared<'a>(arena: &'a Arena, versions: &mut List<'a>, name: &str) -> Option<Value<'a>> {
    let first = versions.maps().next()?;
    // Upstream keeps per-version fields only where versions differ.
    if !versions.maps().all(|version| version.same_field_in_go(first, name)) {
        return None;
    }
    let shared = first.get(name).map(|value| value.copy_in(arena));
    versions.maps_mut().for_each(|version| _ = version.remove(name));
    shared
}

fn flatten_webhook(conversion: &mut Map<'_>) {
    let Some(Value::Map(mut webhook)) = conversion.remove("webhook") else { return };
    if let Some(config) = webhook.remove("clientConfig") {
        conversion.set("webhookClientConfig", config);
    }
    if let Some(versions) = webhook.remove("conversionReviewVersions") {
        conversion.set("conversionReviewVersions", versions);
    }
}
