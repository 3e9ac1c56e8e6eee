//! Objects of one template have the same owners of the same fields: they share one copy of them. Most of them share all
//! that is stored besides their metadata as well.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use kubemerge_ssa::managed_fields::{FieldsV1, ManagedFields, ManagedFieldsEntry, Time};

use crate::{
    catalog::Resource,
    store::{Ownership, Record},
};

/// All that the owners of a new object depend on, as texts: who creates it where, what it has besides its metadata, and
/// the shape of its metadata. It is the same for objects of one template.
pub(crate) type Content<'c> = [&'c [u8]];

/// How many texts of updates are remembered for a kind: a few managers take turns over its objects.
const MAX_TEXTS: usize = 8;

/// How many kinds are remembered: more than are ever in use at once, so that kinds whose definition is gone are forgotten.
const MAX_KINDS: usize = 500;

/// The object of a kind that was created last, and the sets that updates of its objects have left.
#[derive(Default)]
struct Template {
    ownership: Ownership,
    content: Vec<Box<[u8]>>,
    /// What was stored, if other objects with the same content are stored with the same content.
    stored: Option<Record>,
    texts: VecDeque<FieldsV1>,
}

/// The object of each kind that was created last. One is enough: a controller creates its objects one after the other.
#[derive(Default)]
pub(crate) struct SharedOwners(Mutex<HashMap<String, Template>>);

impl SharedOwners {
    /// The owners of the object of the kind that was created last.
    pub(crate) fn last(&self, resource: &Resource) -> Ownership {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.get(&resource.kind).map(|template| template.ownership.clone()).unwrap_or_default()
    }

    /// Whether the object that was created last had this text around its metadata, and shares what was stored.
    pub(crate) fn has_text(&self, resource: &Resource, text: [&[u8]; 2]) -> bool {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.get(&resource.kind).is_some_and(|template| template.stored.is_some() && template.has_text(text))
    }

    /// What is stored of new objects with this content, if they share it.
    pub(crate) fn stored(&self, resource: &Resource, content: &Content<'_>) -> Option<Record> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.get(&resource.kind).filter(|template| template.has_content(content))?.stored.clone()
    }

    /// Notes what is stored of new objects with this text around their metadata, unless another one was created meanwhile.
    pub(crate) fn set_stored(&self, resource: &Resource, text: [&[u8]; 2], record: &Record) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let template = last.get_mut(&resource.kind).filter(|template| template.has_text(text));
        if let Some(template) = template {
            template.stored = Some(record.clone());
        }
    }

    /// The owners of a new object with the content of the one before; `None` if it has other content.
    pub(crate) fn of_content(
        &self,
        resource: &Resource,
        content: &Content<'_>,
        now: Time,
    ) -> Option<Ownership> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let template = last.get_mut(&resource.kind).filter(|template| template.has_content(content))?;
        let ownership = &mut template.ownership;
        let entries = ownership.entries().entries();
        if entries.iter().any(|entry| entry.time != Some(now)) {
            let entry = |entry: &ManagedFieldsEntry| ManagedFieldsEntry { time: Some(now), ..entry.clone() };
            *ownership = Ownership::new(ManagedFields::from_entries(entries.iter().map(entry)));
        }
        Some(ownership.clone())
    }

    /// The owners of a new object, shared with the one before if only times differ.
    pub(crate) fn share(
        &self,
        resource: &Resource,
        managed: ManagedFields,
        content: &Content<'_>,
    ) -> Ownership {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = last.get(&resource.kind).map(|template| &template.ownership);
        let ownership = match before {
            Some(before) if *before.entries() == managed => before.clone(),
            Some(before) if before.entries().is_same_without_times(&managed) => {
                Ownership::new(retimed(before, &managed))
            }
            _ => Ownership::new(managed),
        };
        let template = template_of(&mut last, resource);
        if !template.has_content(content) {
            template.content = content.iter().map(|part| Box::from(*part)).collect();
            template.stored = None;
        }
        template.ownership = ownership.clone();
        ownership
    }

    /// The owners of an object after a write. Objects of one template are written in the same way, so that the sets which
    /// a write leaves are shared with the object before.
    pub(crate) fn share_texts(
        &self,
        resource: &Resource,
        live: &Ownership,
        managed: ManagedFields,
    ) -> Ownership {
        let known = live.entries().entries();
        let is_new = |entry: &ManagedFieldsEntry| {
            !known.iter().any(|known| known.fields.is_shared_with(&entry.fields))
        };
        if !managed.entries().iter().any(is_new) {
            return Ownership::new(managed);
        }
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let template = template_of(&mut last, resource);
        let entries = managed.entries().iter().map(|entry| match is_new(entry) {
            true => ManagedFieldsEntry { fields: template.shared_text(&entry.fields), ..entry.clone() },
            false => entry.clone(),
        });
        Ownership::new(ManagedFields::from_entries(entries))
    }
}

/// The template of a kind. All of them are forgotten when there are too many: each is known again after one object.
fn template_of<'t>(all: &'t mut HashMap<String, Template>, resource: &Resource) -> &'t mut Template {
    if all.len() >= MAX_KINDS && !all.contains_key(&resource.kind) {
        all.clear();
    }
    all.entry(resource.kind.clone()).or_default()
}

impl Template {
    /// Objects without known content have none.
    fn has_content(&self, content: &Content<'_>) -> bool {
        !content.is_empty() && self.content.iter().map(|part| &**part).eq(content.iter().copied())
    }

    /// The text around the metadata comes right before the shape of the metadata.
    fn has_text(&self, text: [&[u8]; 2]) -> bool {
        let [.., before, after, _] = &self.content[..] else { return false };
        [&**before, &**after] == text
    }

    /// The text that is the same and known already; otherwise it is known from now on.
    fn shared_text(&mut self, fields: &FieldsV1) -> FieldsV1 {
        if let Some(known) = self.texts.iter().find(|known| known.as_str() == fields.as_str()) {
            return known.clone();
        }
        if self.texts.len() == MAX_TEXTS {
            self.texts.pop_front();
        }
        self.texts.push_back(fields.clone());
        fields.clone()
    }
}

/// The same entries at other times: their texts are shared.
fn retimed(before: &Ownership, managed: &ManagedFields) -> ManagedFields {
    let pairs = before.entries().entries().iter().zip(managed.entries());
    ManagedFields::from_entries(
        pairs.map(|(before, new)| ManagedFieldsEntry { time: new.time, ..before.clone() }),
    )
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

    /// Creates a pod with so many environment variables and reports its status.
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
