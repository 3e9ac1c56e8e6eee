//! Objects that are written alike have the same owners of the same fields: they share one copy of the texts.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use kubemerge_ssa::managed_fields::{FieldsV1, ManagedFields, ManagedFieldsEntry};

use crate::{catalog::Resource, store::Ownership};

/// How many texts are remembered for a kind: a few managers take turns over its objects.
const MAX_TEXTS: usize = 8;

/// How many kinds are remembered: more than are ever in use at once, so that kinds whose definition is gone are forgotten.
const MAX_KINDS: usize = 500;

/// The sets that the newest writes to objects of each kind have left.
#[derive(Default)]
pub(crate) struct SharedOwners(Mutex<HashMap<String, VecDeque<FieldsV1>>>);

impl SharedOwners {
    /// The owners of an object after a write; `live` are those before, whose texts are shared already.
    pub(crate) fn share(&self, resource: &Resource, live: &Ownership, managed: ManagedFields) -> Ownership {
        let known = live.entries().entries();
        let is_new = |entry: &ManagedFieldsEntry| {
            !known.iter().any(|known| known.fields.is_shared_with(&entry.fields))
        };
        if !managed.entries().iter().any(is_new) {
            return Ownership::new(managed);
        }
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let texts = texts_of(&mut all, resource);
        let entries = managed.entries().iter().map(|entry| {
            if is_new(entry) {
                ManagedFieldsEntry { fields: shared_text(texts, &entry.fields), ..entry.clone() }
            } else {
                entry.clone()
            }
        });
        Ownership::new(ManagedFields::from_entries(entries))
    }
}

/// The texts of a kind. All of them are forgotten when there are too many kinds: each is known again after one write.
fn texts_of<'t>(
    all: &'t mut HashMap<String, VecDeque<FieldsV1>>,
    resource: &Resource,
) -> &'t mut VecDeque<FieldsV1> {
    if all.len() >= MAX_KINDS && !all.contains_key(&resource.kind) {
        all.clear();
    }
    all.entry(resource.kind.clone()).or_default()
}

/// The text that is the same and known already; otherwise it is known from now on.
fn shared_text(texts: &mut VecDeque<FieldsV1>, fields: &FieldsV1) -> FieldsV1 {
    if let Some(known) = texts.iter().find(|known| known.as_str() == fields.as_str()) {
        return known.clone();
    }
    if texts.len() == MAX_TEXTS {
        texts.pop_front();
    }
    texts.push_back(fields.clone());
    fields.clone()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::{Method, Request};
    use serde_json::{Value, json};

    use crate::{ApiServer, store::Ownership};

    const PODS: &str = "/api/v1/namespaces/default/pods";

    async fn send(server: &ApiServer, method: Method, path: &str, body: Value) {
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        let request = request.body(Bytes::from(body.to_string())).expect("a request");
        let status = server.handle(request).await.status();
        assert!(status.is_success(), "{path}: {status}");
    }

    /// Creates a pod with `variables` environment variables and reports its status.
    async fn pod(server: &ApiServer, name: &str, variables: usize) -> Ownership {
        let variables: Vec<Value> =
            (0..variables).map(|number| json!({"name": format!("V{number}"), "value": "x"})).collect();
        let container = json!({"name": "main", "image": "nginx:1", "env": variables});
        let pod = json!({"metadata": {"name": name, "labels": {"app": "web"}}, "spec": {"containers": [container]}});
        send(server, Method::POST, PODS, pod.clone()).await;
        let mut pod = pod;
        let container =
            json!({"name": "main", "image": "nginx:1", "imageID": name, "ready": true, "restartCount": 0});
        pod["status"] = json!({"phase": "Running", "podIP": "10.1.1.1", "containerStatuses": [container]});
        send(server, Method::PUT, &format!("{PODS}/{name}/status"), pod).await;
        let key = format!("/pods/default/{name}");
        let stored = server.cluster().store.newest("").into_iter().find(|(known, _)| known.ends_with(&key));
        stored.expect("the pod is stored").1.record.ownership().clone()
    }

    #[tokio::test]
    async fn objects_of_one_template_share_their_sets_however_large() {
        let server = ApiServer::builder().build().expect("a server");
        for variables in [1, 400] {
            let first = pod(&server, &format!("a{variables}"), variables).await;
            let second = pod(&server, &format!("b{variables}"), variables).await;
            let pairs: Vec<_> = first.entries().entries().iter().zip(second.entries().entries()).collect();
            assert_eq!(pairs.len(), 2, "one entry for the pod, one for its status");
            for (one, two) in pairs {
                assert!(one.fields.is_shared_with(&two.fields), "{}", two.fields.as_str());
            }
        }
    }
}
