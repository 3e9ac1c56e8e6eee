//! StorageClass.

use std::collections::{BTreeMap, BTreeSet};

use super::parameters::{self, Least, check_driver};
use crate::columns::{AGE, Cell, KindColumn, NAME};
use crate::field::{BadValue, Field};
use crate::field_error::MAX_COMPLAINTS;
use crate::format::qualified_name;
use crate::registry::{
    Context, DecodeRules, DeleteAnswer, KindEntry, Presentation, Strategy, ValidationRules,
};
use crate::tree::Map;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "StorageClass",
    decode: DecodeRules {
        defaults: |class: &mut Map<'_>, _: Context| {
            class.set_if_absent("reclaimPolicy", "Delete");
            class.set_if_absent("volumeBindingMode", "Immediate");
        },
        ..DecodeRules::DEFAULT
    },
    strategy: Strategy { delete_answer: DeleteAnswer::Object, ..Strategy::DEFAULT },
    validation: ValidationRules {
        object: validate,
        update: |class, old| {
            for name in ["provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"] {
                if !class.field(name).same_as(old.field(name)) {
                    class.field(name).declared().invalid_as(BadValue::null(), "field is immutable");
                }
            }
        },
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Provisioner", Cell::Text("/provisioner")),
            KindColumn::string("ReclaimPolicy", Cell::TextOr("/reclaimPolicy", "Delete")),
            KindColumn::string("VolumeBindingMode", Cell::TextOr("/volumeBindingMode", "Immediate")),
            KindColumn::string("AllowVolumeExpansion", Cell::Flag("/allowVolumeExpansion")),
            AGE,
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

fn validate(class: Field<'_>) {
    let provisioner = class.field("provisioner");
    if !provisioner.declared().require("") {
        check_driver(provisioner);
    }
    parameters::validate(class.field("parameters"), Least::None);
    let policy = class.field("reclaimPolicy");
    if !policy.is_empty() {
        policy.one_of(&["Delete", "Retain"]);
    }
    class.field("volumeBindingMode").one_of(&["Immediate", "WaitForFirstConsumer"]);
    topologies(class.field("allowedTopologies"));
}

/// The labels that a term selects: values by key.
type Term<'t> = BTreeMap<&'t str, BTreeSet<&'t str>>;

fn topologies(topologies: Field<'_>) {
    let mut known: BTreeMap<Term<'_>, usize> = BTreeMap::new();
    for term in topologies.items() {
        let expressions = term.field("matchLabelExpressions");
        let labels = labels(expressions);
        // Upstream starts with as many empty terms as there are terms.
        let empty = if labels.is_empty() { topologies.len() } else { 0 };
        let same = known.entry(labels).or_default();
        // One error for each term that is the same; more of them than are reported need not be counted.
        (0..(*same + empty).min(MAX_COMPLAINTS)).for_each(|_| expressions.duplicate_as(""));
        *same += 1;
    }
}

fn labels(expressions: Field<'_>) -> Term<'_> {
    let mut labels = Term::new();
    for expression in expressions.items() {
        let (key, list) = (expression.field("key"), expression.field("values"));
        list.require("");
        let mut values = BTreeSet::new();
        for value in list.items() {
            if !values.insert(value.str()) {
                value.duplicate();
            }
        }
        key.check(qualified_name);
        if labels.insert(key.str(), values).is_some() {
            key.duplicate();
        }
    }
    labels
}
