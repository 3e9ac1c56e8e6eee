//! Namespace.

use crate::columns::{AGE, Cell, KindColumn, NAME};
use crate::field::Field;
use crate::format::qualified_name;
use crate::meta::{NameRule, is_standard_finalizer};
use crate::registry::{
    Context, DecodeRules, DeleteAnswer, Deletion, KindEntry, Presentation, SelectableField, SelectableFields,
    Strategy, SubresourceRules, ValidationRules, keep_field, reset_fields::ONLY_STATUS,
};
use crate::tree::{List, Map, Value};

/// The label that holds the name.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";
/// The finalizer that keeps a namespace until its content is deleted.
const FINALIZER: &str = "kubernetes";

pub(super) const KIND: KindEntry = KindEntry {
    kind: "Namespace",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        name: NameRule::Label,
        named: label_with_name,
        deletion: Deletion::AfterContent,
        delete_answer: DeleteAnswer::Object,
        loaded: set_first_state,
        prepare_create: |namespace, _| set_first_state(namespace),
        // Upstream keeps the spec as well, but its field managers do not know.
        prepare_update: |namespace, old, _| keep_field(namespace, old, "spec"),
        ..Strategy::WITH_STATUS
    },
    validation: ValidationRules {
        object: |namespace| {
            let finalizers = namespace.fields(["spec", "finalizers"]);
            // Upstream reports them at the path of the list.
            finalizers.items().for_each(|one| finalizer(one.reported_at(finalizers)));
        },
        ..ValidationRules::DEFAULT
    },
    subresources: &[
        SubresourceRules { validate_update: phase, ..SubresourceRules::STATUS },
        SubresourceRules {
            name: "finalize",
            resets: ONLY_STATUS,
            validate_update: |namespace, _| {
                namespace.fields(["spec", "finalizers"]).items().for_each(finalizer);
            },
            ..SubresourceRules::OTHER
        },
    ],
    presentation: Presentation {
        columns: &[NAME, KindColumn::string("Status", Cell::Text("/status/phase")), AGE],
        selectable: SelectableFields::listed(&[SelectableField::at("status.phase")]).without_namespace(),
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

fn defaults(namespace: &mut Map<'_>, _: Context) {
    label_with_name(namespace);
    namespace.ensure_map("status").set_default("phase", "Active");
}

/// Every namespace has its name as a label; clients cannot change that.
fn label_with_name(namespace: &mut Map<'_>) {
    let metadata = namespace.ensure_map("metadata");
    let name = metadata.str("name");
    if !name.is_empty() {
        metadata.ensure_map("labels").set(NAME_LABEL, name);
    }
}

fn set_first_state(namespace: &mut Map<'_>) {
    namespace.ensure_map("status").set("phase", "Active");
    let arena = namespace.arena();
    let spec = namespace.ensure_map("spec");
    if spec.list("finalizers").iter().any(|one| one.as_str() == Some(FINALIZER)) {
        return;
    }
    if let Some(finalizers) = spec.list_mut("finalizers") {
        finalizers.push(FINALIZER);
    } else {
        let mut finalizers = List::new_in(arena);
        finalizers.push(FINALIZER);
        spec.set("finalizers", Value::List(finalizers));
    }
}

fn finalizer(finalizer: Field<'_>) {
    finalizer.check(qualified_name);
    if !is_standard_finalizer(finalizer.str()) {
        finalizer.invalid("name is neither a standard finalizer name nor is it fully qualified");
    }
}

fn phase(namespace: Field<'_>, _: Field<'_>) {
    let is_deleted = namespace.fields(["metadata", "deletionTimestamp"]).is_set();
    // Upstream writes this field with a capital letter.
    let phase = namespace.fields(["status", "phase"]).renamed("Phase");
    match (is_deleted, phase.str()) {
        (false, "Active") | (true, "Terminating") => {}
        (false, _) => phase.invalid("may only be 'Active' if `deletionTimestamp` is empty"),
        (true, _) => phase.invalid("may only be 'Terminating' if `deletionTimestamp` is not empty"),
    }
}
