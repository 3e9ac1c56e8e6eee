//! Objects that a test applies in the middle: server-side apply through the handler, without the test's own hooks.

use bytes::Bytes;
use http::{Request, header::CONTENT_TYPE};
use serde_json::Value;

use crate::{
    api::state::Api,
    catalog::Resource,
    given::{self, BuildError, Given},
    load,
    protocol::{
        media,
        status::{Outcome, bad_request, internal},
    },
};

/// The field manager of what is applied.
const MANAGER: &str = "apply-yaml";

/// Applies the objects of a text in their order, and answers them.
pub(crate) fn apply_yaml(api: &Api, text: &str) -> Result<Vec<Value>, BuildError> {
    let objects = given::of_yaml(text).map_err(BuildError::new)?;
    let apply = |given: &Given| {
        apply(api, &given.value).map_err(|failure| BuildError::about(given, failure.message()))
    };
    objects.iter().map(apply).collect()
}

fn apply(api: &Api, object: &Value) -> Outcome<Value> {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let resource = load::resource(&api.cluster, text("/apiVersion"), text("/kind"))?;
    let (namespace, name) = (text("/metadata/namespace"), text("/metadata/name"));
    if name.is_empty() {
        return Err(bad_request("metadata.name is missing"));
    }
    let uri = format!("{}?fieldManager={MANAGER}&force=true", path(&resource, namespace, name));
    let request = Request::patch(uri).header(CONTENT_TYPE, media::APPLY_PATCH).body(());
    let (parts, ()) = request.map_err(|error| bad_request(format!("bad name: {error}")))?.into_parts();
    let reply = api.carry_out_unseen(&parts, &Bytes::from(object.to_string()))?;
    reply.json_value().ok_or_else(|| internal("the answer to an apply is not an object"))
}

fn path(resource: &Resource, namespace: &str, name: &str) -> String {
    let Resource { group, version, plural, .. } = resource;
    let root = if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
    if resource.is_namespaced() {
        // As kubectl does with a manifest without a namespace.
        let namespace = if namespace.is_empty() { "default" } else { namespace };
        format!("{root}/namespaces/{namespace}/{plural}/{name}")
    } else {
        format!("{root}/{plural}/{name}")
    }
}
