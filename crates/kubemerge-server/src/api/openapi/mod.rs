//! OpenAPI documents, made from the schema's tables and from custom resource definitions.
//!
//! Version 3 has one document per group and version, version 2 one for everything. They say what clients ask
//! them for: the fields and types of each kind, how lists merge, and which operations take which options.

mod custom_schema;
mod definitions;
mod discovery_documents;
mod endpoint;
mod operation;
mod paths;
mod protobuf;
mod published;
mod syntax;
mod v2;
mod v2_cache;
mod words;

use std::hash::{DefaultHasher, Hash, Hasher};

use http::HeaderMap;
use serde_json::{Map, Value, json};

pub(crate) use v2_cache::V2Cache;
use v2_cache::V2Form;

use crate::protocol::json::Members;
use crate::{
    catalog::{Index, Resources, cluster::Cluster},
    protocol::{media, reply::Reply},
};

/// `/openapi/v3`: where the documents are.
pub(crate) fn v3_index(cluster: &Cluster, version: &str) -> Reply {
    let index = cluster.catalog.index();
    let mut paths = Map::new();
    for (path, resources) in group_versions(&index) {
        let url = format!("/openapi/v3/{path}?hash={}", hash(version, &path, resources));
        paths.insert(path, json!({"serverRelativeURL": url}));
    }
    for path in discovery_documents::paths(&index) {
        let url = format!("/openapi/v3/{path}?hash={}", hash(version, &path, &Resources::default()));
        paths.insert(path, json!({"serverRelativeURL": url}));
    }
    // Upstream: the type of the index is left to Go, which takes JSON for text.
    Reply::bytes(200, "text/plain; charset=utf-8", json!({"paths": paths}).to_string())
}

/// `/openapi/v3/<group version>`; a hash that is out of date leads to the present one.
pub(crate) fn v3(cluster: &Cluster, version: &str, path: &str, asked: Option<&str>) -> Reply {
    let index = cluster.catalog.index();
    let none = Resources::default();
    let of_discovery = discovery_documents::document(&index, path);
    let resources = match group_versions(&index).find(|(own, _)| own == path) {
        Some((_, resources)) => resources,
        None if of_discovery.is_some() => &none,
        // Upstream: this handler says nothing.
        None => return Reply::bytes(404, "", ""),
    };
    let current = hash(version, path, resources);
    // Clients cache documents by hash for ever, so that an old hash must not get a new document.
    if asked.is_some_and(|asked| asked != current) {
        let place = format!("/openapi/v3/{path}?hash={current}");
        return Reply::bytes(301, "", "").header("location", place);
    }
    let (paths, schemas) = of_discovery.unwrap_or_else(|| {
        let paths = Value::Object(paths::of_resources(&cluster.schema, resources));
        let schemas = definitions::of_resources(&cluster.schema, resources, &paths);
        (paths, Value::Object(schemas))
    });
    let is_custom = resources.values().next().is_some_and(|resource| resource.custom().is_some());
    // Upstream: the documents of definitions have names of their own and no security.
    let (info, mut components) = if is_custom {
        (json!({"title": "Kubernetes CRD Swagger", "version": "v0.1.0"}), json!({}))
    } else {
        (info(version), json!({"securitySchemes": security()}))
    };
    if schemas.as_object().is_some_and(|schemas| !schemas.is_empty()) {
        components.set_member("schemas", schemas);
    }
    let document = json!({"openapi": "3.0.0", "info": info, "paths": paths, "components": components});
    let reply = Reply::value(200, &document).header("etag", format!("\"{current}\""));
    match asked {
        Some(_) => reply
            // Only with a hash: an address without one shows what is served now.
            .header("cache-control", "public, immutable")
            .header("expires", "Fri, 31 Dec 2100 23:59:59 GMT"),
        None => reply,
    }
}

/// `/openapi/v2`: everything, as protobuf unless JSON is wanted. It is made once for each state of the catalog, and clients
/// that have it are told so.
pub(crate) fn v2(cache: &V2Cache, cluster: &Cluster, version: &str, headers: &HeaderMap) -> Reply {
    // Older kubectl asks for protobuf.
    let form = if wants_json(headers) { V2Form::Json } else { V2Form::Protobuf };
    let document = cache.document(cluster.catalog.index(), form, |index| {
        let document = v2_document(cluster, version, index);
        match form {
            V2Form::Json => document.to_string().into(),
            V2Form::Protobuf => protobuf::encode(&document).into(),
        }
    });
    document.reply(headers)
}

fn v2_document(cluster: &Cluster, version: &str, index: &Index) -> Value {
    let mut paths = Map::new();
    for (_, resources) in group_versions(index) {
        let of_version = paths::of_resources(&cluster.schema, resources);
        paths.extend(of_version.into_iter().map(|(path, item)| (path, v2::path_item(item))));
    }
    let paths = Value::Object(paths);
    json!({
        "swagger": "2.0",
        "info": info(version),
        "definitions": definitions::of_everything(&cluster.schema, index, &paths),
        "paths": paths,
        "securityDefinitions": security(),
        "security": [{"BearerToken": []}],
    })
}

fn wants_json(headers: &HeaderMap) -> bool {
    media::accept(headers).first().is_none_or(media::Clause::takes_json)
}

fn info(version: &str) -> Value {
    json!({"title": "Kubernetes", "version": version})
}

/// How clients prove who they are.
fn security() -> Value {
    json!({"BearerToken": {"type": "apiKey", "name": "authorization", "in": "header",
        "description": "Bearer Token authentication"}})
}

fn group_versions(index: &Index) -> impl Iterator<Item = (String, &Resources)> {
    index.groups().flat_map(|group| {
        group.versions.iter().map(|(version, resources)| {
            let path = match group.name.as_str() {
                "" => format!("api/{version}"),
                name => format!("apis/{name}/{version}"),
            };
            (path, resources)
        })
    })
}

/// Changes whenever the document does.
fn hash(version: &str, path: &str, resources: &Resources) -> String {
    let mut hasher = DefaultHasher::new();
    (version, path).hash(&mut hasher);
    for resource in resources.values() {
        resource.plural.hash(&mut hasher);
        if let Some(version) = resource.custom() {
            // Tables of built-in kinds do not change while the server runs.
            version.open_api.to_string().hash(&mut hasher);
        }
    }
    format!("{:016X}", hasher.finish())
}
