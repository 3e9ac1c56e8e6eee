//! Default classes: the storage class of a claim and the class of an Ingress that name none.

use crate::tree::Map;

/// A class that is marked as the default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultClass {
    /// Its name.
    pub name: String,
    /// When it was created, as its metadata has it: the text of later times is greater.
    pub created: String,
}

/// The class that counts of several defaults: the newest, and of those the first by name.
pub fn newest_default(classes: impl IntoIterator<Item = DefaultClass>) -> Option<String> {
    let newer = |one: &DefaultClass, other: &DefaultClass| {
        one.created.cmp(&other.created).then_with(|| other.name.cmp(&one.name))
    };
    classes.into_iter().max_by(newer).map(|class| class.name)
}

/// Sets the storage class of a claim that asks for none; `default` is looked up only then.
pub fn set_claim_class(claim: &mut Map<'_>, default: impl FnOnce() -> Option<String>) {
    const OLD_CLASS: &str = "volume.beta.kubernetes.io/storage-class";
    // The annotation is older than the field and still names a class.
    if has_annotation(claim, OLD_CLASS) {
        return;
    }
    let spec = claim.ensure_map("spec");
    if !spec.has("storageClassName")
        && let Some(class) = default()
    {
        spec.set_text("storageClassName", &class);
    }
}

/// Sets the class of an Ingress that has none.
pub fn set_ingress_class(ingress: &mut Map<'_>, default: impl FnOnce() -> Option<String>) {
    const OLD_CLASS: &str = "kubernetes.io/ingress.class";
    // Controllers read this annotation before there were objects for classes.
    if has_annotation(ingress, OLD_CLASS) {
        return;
    }
    let spec = ingress.ensure_map("spec");
    if !spec.has("ingressClassName")
        && let Some(class) = default()
    {
        spec.set_text("ingressClassName", &class);
    }
}

fn has_annotation(object: &Map<'_>, name: &str) -> bool {
    let annotations = object.map("metadata").and_then(|metadata| metadata.map("annotations"));
    annotations.is_some_and(|annotations| annotations.has(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(name: &str, created: &str) -> DefaultClass {
        DefaultClass { name: name.into(), created: created.into() }
    }

    #[test]
    fn the_newest_default_counts_and_then_the_first_name() {
        let (old, new) = ("2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z");
        let classes = [class("a", old), class("c", new), class("b", new)];
        assert_eq!(newest_default(classes).as_deref(), Some("b"));
        assert_eq!(newest_default([]), None);
    }
}
