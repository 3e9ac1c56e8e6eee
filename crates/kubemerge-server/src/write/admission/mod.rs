//! Admission: what the plugins that kube-apiserver runs by default change in objects, and what they refuse.
//!
//! The functions of `kubemerge_kinds::admission` do the work; here are the facts they need, read from the store.

mod classes;
mod facts;
pub(crate) mod plugins;
mod pods;
mod refusal;

pub(crate) use pods::add_topology_labels;

use kubemerge_kinds::{
    admission::{add_default_tolerations, add_not_ready_taint, check_subject, keep_priority},
    tree::{List, Map, Value},
};

use self::refusal::refuse;
use crate::{
    protocol::status::Outcome,
    write::{request::Write, storage_protection},
};

/// Changes an object of a built-in kind before its rules are applied.
pub(crate) fn mutate(write: Write<'_>, object: &mut Map<'_>, old: Option<&Map<'_>>) -> Outcome<()> {
    let resource = write.call.resource;
    match (resource.group.as_str(), resource.kind.as_str()) {
        ("", "Pod") => {
            match old {
                None => {
                    plugins::admit_pod(write, object)?;
                    pods::set_priority(write, object)?;
                }
                Some(old) => keep_priority(object, old),
            }
            // On updates as well: a client may have sent a list without them.
            add_default_tolerations(object);
            if old.is_none() {
                pods::place(write, object)?;
            }
        }
        ("", "Node") if old.is_none() => add_not_ready_taint(object),
        ("", "PersistentVolumeClaim") if old.is_none() => classes::set_storage_class(write, object),
        ("networking.k8s.io", "Ingress") if old.is_none() => classes::set_ingress_class(write, object),
        _ => {}
    }
    if let Some(finalizer) = storage_protection::finalizer(resource).filter(|_| old.is_none()) {
        protect(object, finalizer);
    }
    Ok(())
}

/// Refuses an object of a built-in kind that is valid in itself.
pub(crate) fn validate(write: Write<'_>, object: &Map<'_>, old: Option<&Map<'_>>) -> Outcome<()> {
    let resource = write.call.resource;
    match (resource.group.as_str(), resource.kind.as_str(), old) {
        ("", "Pod", None) => pods::check_overhead(write, object)?,
        ("", "PersistentVolumeClaim", Some(old)) => classes::check_expansion(write, object, old)?,
        ("certificates.k8s.io", "CertificateSigningRequest", None) => {
            check_subject(object).map_or(Ok(()), |why| Err(refuse(write, object, &why)))?;
        }
        ("scheduling.k8s.io", "PriorityClass", _) => classes::check_global_default(write, object, old)?,
        _ => {}
    }
    // Last, so that nothing is charged to a quota that another plugin refuses.
    plugins::validate(write, object, old)
}

/// Adds the finalizer that keeps an object while it is in use.
fn protect(object: &mut Map<'_>, finalizer: &'static str) {
    let metadata = object.ensure_map("metadata");
    if metadata.list("finalizers").iter().any(|one| one.as_str() == Some(finalizer)) {
        return;
    }
    if metadata.list_mut("finalizers").is_none() {
        metadata.set("finalizers", List::new_in(metadata.arena()));
    }
    if let Some(list) = metadata.list_mut("finalizers") {
        list.push(Value::Str(finalizer));
    }
}
