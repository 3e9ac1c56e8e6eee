//! Follow-ups that another server on the same store may have left undone, because it was killed in the middle.
//!
//! What follows from a write can be told from the write alone, and every follow-up looks first whether there is anything
//! to do. So those of all writes in a part of the history are done again; most find nothing.

use crate::{
    catalog::{Index, Resource, split_key},
    protocol::status::Outcome,
    store::{Event, Record, Revision},
    write::{
        commit::{
            followup::{self, Followup},
            transaction::Transaction,
        },
        followups::collector::run_followups,
    },
};

/// Which writes to look at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Writes {
    /// Those after this revision, as far as the history goes back.
    pub(crate) after: Revision,
    /// None after this one: their servers may be at work.
    pub(crate) until: Revision,
}

/// Does what is left to do after some writes.
pub(crate) fn finish_followups(transaction: &Transaction<'_>, writes: Writes) -> Outcome<()> {
    let (store, index) = (&transaction.cluster.store, transaction.index());
    let after = writes.after.max(store.oldest());
    // The history may have been compacted meanwhile: then nothing is known of these writes any more.
    let events = store.events("", after, usize::MAX).map(|(events, _)| events).unwrap_or_default();
    for event in events.iter().filter(|event| event.revision <= writes.until) {
        of_event(&index, event).into_iter().for_each(|followup| transaction.enqueue(followup));
    }
    run_followups(transaction)
}

/// Does what is left to do for all objects that are being deleted, however long ago that began.
pub(crate) fn finish_deletions(transaction: &Transaction<'_>) -> Outcome<()> {
    let index = transaction.index();
    for (key, stored) in transaction.cluster.store.newest("") {
        if stored.record.is_terminating() {
            let found = of_termination(&index, &key, &stored.record);
            found.into_iter().for_each(|followup| transaction.enqueue(followup));
        }
    }
    run_followups(transaction)
}

fn of_termination(index: &Index, key: &str, record: &Record) -> Vec<Followup> {
    let of_resource = |resource: &Resource| followup::after_termination(resource, key, record);
    resource(index, key).map(of_resource).unwrap_or_default()
}

fn of_event(index: &Index, event: &Event) -> Vec<Followup> {
    match (&event.previous, &event.value) {
        (Some(removed), None) => match resource(index, &event.key) {
            Some(resource) => followup::after_removal(resource, &removed.record),
            // With its definition, which has removed its objects before.
            None => Vec::new(),
        },
        (_, Some(written)) if written.is_terminating() => of_termination(index, &event.key, written),
        (None, Some(created)) if !created.owners().is_empty() => {
            vec![Followup::CheckNewDependent { key: event.key.clone() }]
        }
        _ => Vec::new(),
    }
}

fn resource<'i>(index: &'i Index, key: &str) -> Option<&'i Resource> {
    let (group, plural) = split_key(key)?;
    index.preferred(group, plural).map(|resource| &**resource)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::ApiServer;

    fn map(name: &str, metadata: Value) -> Value {
        let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
        object["metadata"]["name"] = json!(name);
        object
    }

    #[test]
    fn what_a_killed_server_left_is_done() {
        let owner = json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": "u"}]);
        let objects = [
            map("owner", json!({"uid": "u", "namespace": "default"})),
            map("dependent", json!({"ownerReferences": owner, "namespace": "default"})),
            map("inside", json!({"namespace": "short"})),
            json!({"apiVersion": "v1", "kind": "Namespace",
                "metadata": {"name": "short", "deletionTimestamp": "2026-01-01T00:00:00Z"},
                "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Terminating"}}),
        ];
        let server = ApiServer::builder().deterministic().objects(objects).build().unwrap();
        let store = &server.cluster().store;
        // Without a transaction, as if the server had ended right after this write.
        let removed = store.get("/configmaps/default/owner").unwrap();
        store.delete("/configmaps/default/owner", removed.revision).unwrap();
        let settings = crate::write::settings::WriteSettings::default();
        let transaction = Transaction::new(server.cluster(), &settings);
        finish_followups(&transaction, Writes { after: 0, until: store.revision() }).unwrap();
        assert!(store.get("/configmaps/default/dependent").is_none());
        assert!(store.get("/configmaps/short/inside").is_none());
        assert!(store.get("/namespaces/short").is_none());
    }
}
