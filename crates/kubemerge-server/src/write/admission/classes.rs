//! Classes: defaults of claims and Ingresses, expansion of claims, the one default of priorities.

use kubemerge_kinds::{
    admission::{self, DefaultClass, newest_default},
    tree::Map,
    typed::Quantity,
};
use kubemerge_value::{Node, Scalar};

use super::{facts::all, refusal::refuse};
use crate::{
    protocol::status::Outcome,
    store::{Record, Stored, metadata_field::Field},
    write::request::Write,
};

const STORAGE_CLASSES: &str = "storage.k8s.io/storageclasses/";
const PRIORITY_CLASSES: &str = "scheduling.k8s.io/priorityclasses/";

pub(super) fn set_storage_class(write: Write<'_>, claim: &mut Map<'_>) {
    const MARKS: [&str; 2] =
        ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];
    admission::set_claim_class(claim, || newest_default(defaults(write, STORAGE_CLASSES, &MARKS)));
}

pub(super) fn set_ingress_class(write: Write<'_>, ingress: &mut Map<'_>) {
    const PREFIX: &str = "networking.k8s.io/ingressclasses/";
    const MARKS: [&str; 1] = ["ingressclass.kubernetes.io/is-default-class"];
    admission::set_ingress_class(ingress, || newest_default(defaults(write, PREFIX, &MARKS)));
}

/// The classes that an annotation marks as the default.
fn defaults(write: Write<'_>, prefix: &str, marks: &[&str]) -> Vec<DefaultClass> {
    let marked = |stored: Stored| {
        let record = &stored.record;
        let annotations = record.metadata(Field::Annotations)?;
        let is_true = |mark: Node<'_>| mark.as_str().is_some_and(|text| text.is("true"));
        let is_default = marks.iter().any(|mark| annotations.get(mark).is_some_and(is_true));
        is_default.then(|| DefaultClass {
            name: record.name().into_owned(),
            created: record.metadata_text(Field::CreationTimestamp).into_owned(),
        })
    };
    all(write, prefix).into_iter().filter_map(marked).collect()
}

/// A claim grows only while it is bound, and only if its class allows it.
pub(super) fn check_expansion(write: Write<'_>, claim: &Map<'_>, old: &Map<'_>) -> Outcome<()> {
    if Quantity::of(requested(claim)).compare(&Quantity::of(requested(old))).is_le() {
        return Ok(());
    }
    // By the stored status: a write to the claim does not change it.
    if old.map("status").is_none_or(|status| status.str("phase") != "Bound") {
        return Err(refuse(write, claim, "Only bound persistent volume claims can be expanded"));
    }
    let class =
        |claim: &Map<'_>| claim.map("spec").map_or("", |spec| spec.str("storageClassName")).to_owned();
    let is_same = !class(claim).is_empty() && class(claim) == class(old);
    if is_same && allows_expansion(write, &class(claim)) {
        return Ok(());
    }
    let why = "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must \
               support resize";
    Err(refuse(write, claim, why))
}

fn requested<'a>(claim: &Map<'a>) -> &'a str {
    let resources = claim.map("spec").and_then(|spec| spec.map("resources"));
    let storage = resources.and_then(|resources| resources.map("requests")).map(|map| map.str("storage"));
    storage.filter(|storage| !storage.is_empty()).unwrap_or("0")
}

fn allows_expansion(write: Write<'_>, class: &str) -> bool {
    let stored = write.call.cluster.store.get(&[STORAGE_CLASSES, class].concat());
    stored.is_some_and(|stored| is_true(&stored.record, "allowVolumeExpansion"))
}

/// Only one class may be the default.
pub(super) fn check_global_default(write: Write<'_>, class: &Map<'_>, old: Option<&Map<'_>>) -> Outcome<()> {
    if !class.bool("globalDefault") {
        return Ok(());
    }
    let Some(default) = default_priority_class(write) else { return Ok(()) };
    let name = default.name();
    let own = class.map("metadata").map_or("", |metadata| metadata.str("name"));
    // The default may be written again.
    if old.is_some() && name == own {
        return Ok(());
    }
    let why = format!("PriorityClass {name} is already marked as default. Only one default can exist");
    Err(refuse(write, class, &why))
}

/// The default priority class; of several, the one with the lowest value.
pub(super) fn default_priority_class(write: Write<'_>) -> Option<Record> {
    let classes = all(write, PRIORITY_CLASSES).into_iter().map(|stored| stored.record);
    let defaults = classes.filter(|class| is_true(class, "globalDefault"));
    defaults.min_by_key(|class| class.integer_at(&["value"]).unwrap_or_default())
}

pub(super) fn priority_class(write: Write<'_>, name: &str) -> Option<Record> {
    write.call.cluster.store.get(&[PRIORITY_CLASSES, name].concat()).map(|stored| stored.record)
}

fn is_true(record: &Record, field: &str) -> bool {
    record.node().get(field).and_then(Node::scalar) == Some(Scalar::Bool(true))
}
