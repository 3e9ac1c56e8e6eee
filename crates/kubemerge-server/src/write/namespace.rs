//! Namespaces: objects are only created in those that exist and are not being deleted.

use kubemerge_kinds::namespaces::{NamespaceState, refuse_deletion, terminating_texts};
use kubemerge_ssa::managed_fields::{FieldsV1, ManagedFields, ManagedFieldsEntry, Operation, Time};
use serde_json::json;

use crate::{
    catalog::Resource,
    protocol::status::{Cause, Outcome, Qualified, forbidden, not_found},
    store::Ownership,
    write::{commit::transaction::Transaction, identity::new_record, settings::MissingNamespaces, track},
};

const NAMESPACES: Qualified<'static> = Qualified { group: "", name: "namespaces" };

/// The key of a namespace.
pub(super) fn key(name: &str) -> String {
    ["/namespaces/", name].concat()
}

/// Whether an object may be created in the namespace.
pub(crate) fn check_open(
    transaction: &Transaction<'_>,
    resource: &Resource,
    namespace: &str,
    name: &str,
) -> Outcome<()> {
    match state(transaction, namespace) {
        NamespaceState::Open => Ok(()),
        NamespaceState::Missing if transaction.settings.missing_namespaces == MissingNamespaces::Created => {
            create(transaction, namespace);
            Ok(())
        }
        NamespaceState::Missing => Err(not_found(NAMESPACES, namespace)),
        NamespaceState::Terminating => {
            let (text, message) = terminating_texts(namespace);
            let field = "metadata.namespace".into();
            let cause = Cause { reason: "NamespaceTerminating", message, field };
            Err(forbidden(resource.qualified(), name, &text).causes(vec![cause]))
        }
    }
}

fn state(transaction: &Transaction<'_>, namespace: &str) -> NamespaceState {
    match transaction.cluster.store.get(&key(namespace)) {
        None => NamespaceState::Missing,
        // Only the record's offsets are read: every creation comes here.
        Some(stored) if stored.record.is_terminating() => NamespaceState::Terminating,
        Some(_) => NamespaceState::Open,
    }
}

/// Creates a namespace past the API; one that exists is left alone.
pub(crate) fn create(transaction: &Transaction<'_>, name: &str) {
    let index = transaction.index();
    let Some(resource) = index.find("", "v1", "namespaces") else { return };
    let wanted = json!({"apiVersion": "v1", "kind": "Namespace",
        "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
        "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}});
    let record = new_record(transaction.cluster, resource, &wanted, named_by_server(transaction));
    // Losing this race means that the namespace is there, which is all that is wanted.
    drop(transaction.create(resource, &key(name), record));
}

/// The server owns the label with the name of a namespace that it creates.
fn named_by_server(transaction: &Transaction<'_>) -> Ownership {
    let label = r#"{"f:metadata":{"f:labels":{".":{},"f:kubernetes.io/metadata.name":{}}}}"#;
    let entry = ManagedFieldsEntry {
        manager: track::SERVER.into(),
        operation: Operation::Update,
        api_version: "v1".into(),
        subresource: "".into(),
        time: Some(Time(transaction.cluster.clock.now().seconds())),
        fields: FieldsV1::trusted(label.into()),
    };
    Ownership::new(ManagedFields::from_entries([entry]))
}

/// Refuses to delete the namespaces that every cluster needs.
pub(crate) fn check_deletable(name: &str) -> Outcome<()> {
    match refuse_deletion(name) {
        Some(why) => Err(forbidden(NAMESPACES, name, why)),
        None => Ok(()),
    }
}
