//! The kinds that the real server serves, with valid objects of each.

use std::{collections::BTreeMap, path::Path, time::Duration};

use kubemerge_test_support::recording::normal::Identity;
use serde_json::Value;

use super::exchange::{Call, Server, json};

/// A resource of the real server's discovery, with its subresources.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) plural: String,
    pub(crate) namespaced: bool,
    pub(crate) verbs: Vec<String>,
    pub(crate) subresources: Vec<Subresource>,
    /// Valid objects: minimal, complete, then those of manifests.
    pub(crate) objects: Vec<Value>,
}

/// A subresource: its name, the kind that it takes, its verbs.
#[derive(Clone, Debug)]
pub(crate) struct Subresource {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) verbs: Vec<String>,
}

impl Kind {
    /// `apps/v1/Deployment`, as `--only` names it.
    pub(crate) fn label(&self) -> String {
        format!("{}/{}", self.api_version, self.kind)
    }

    /// Where objects are created.
    pub(crate) fn collection(&self) -> String {
        let root = if self.api_version.contains('/') { "/apis" } else { "/api" };
        let namespace = if self.namespaced { "/namespaces/default" } else { "" };
        format!("{root}/{}{namespace}/{}", self.api_version, self.plural)
    }

    pub(crate) fn can(&self, verb: &str) -> bool {
        self.verbs.iter().any(|known| known == verb)
    }
}

/// Kinds whose new objects a controller inside kube-apiserver changes, and how long that may take.
const CHANGED_BY_SERVER: [&str; 4] = ["CustomResourceDefinition", "APIService", "ServiceCIDR", "FlowSchema"];
const SERVER_CONTROLLER_DELAY: Duration = Duration::from_secs(2);

/// Whether a controller inside kube-apiserver changes new objects of a kind.
pub(crate) fn is_changed_by_server(kind: &str) -> bool {
    CHANGED_BY_SERVER.contains(&kind)
}

/// Waits until kube-apiserver itself leaves a new object alone.
pub(crate) fn wait_for_controllers(kind: &str) {
    if is_changed_by_server(kind) {
        std::thread::sleep(SERVER_CONTROLLER_DELAY);
    }
}

/// Reads discovery of a server and the objects of `conformance/api/objects`.
pub(crate) fn served(server: &mut impl Server, manifests: Option<&Path>) -> Result<Vec<Kind>, String> {
    let mut objects = read_objects(&kubemerge_test_support::root().join("conformance/api/objects"))?;
    if let Some(folder) = manifests {
        for (label, more) in read_objects(folder)? {
            if let Some(known) = objects.get_mut(&label) {
                known.extend(more);
            }
        }
    }
    let mut kinds = Vec::new();
    for version in group_versions(server)? {
        let root = if version.contains('/') { "/apis" } else { "/api" };
        // The group of an APIService without a backend is listed, but not there.
        let Ok(list) = fetch(server, &format!("{root}/{version}")) else { continue };
        for mut kind in kinds_of(&version, &list) {
            if let Some(found) = objects.remove(&kind.label()) {
                kind.objects = found;
                kinds.push(kind);
            }
        }
    }
    Ok(kinds)
}

/// All group-versions of a server, `v1` first.
pub(crate) fn group_versions(server: &mut impl Server) -> Result<Vec<String>, String> {
    let groups = fetch(server, "/apis")?;
    let versions = groups["groups"].as_array().into_iter().flatten();
    let names = versions.flat_map(|group| group["versions"].as_array().cloned().unwrap_or_default());
    let named = names.filter_map(|version| version["groupVersion"].as_str().map(str::to_string));
    Ok(std::iter::once("v1".to_string()).chain(named).collect())
}

/// GET of a path that must exist.
pub(crate) fn fetch(server: &mut impl Server, path: &str) -> Result<Value, String> {
    let answer = server.send(&Call::get(path), &Identity::default())?;
    if answer.status == 200 { Ok(json(&answer)) } else { Err(format!("GET {path}: {}", answer.status)) }
}

fn kinds_of(api_version: &str, list: &Value) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    let mut resources: Vec<&Value> = list["resources"].as_array().into_iter().flatten().collect();
    // A resource comes before its subresources.
    resources.sort_by_key(|resource| resource["name"].as_str().unwrap_or_default().to_string());
    for resource in resources {
        let text = |field: &str| resource[field].as_str().unwrap_or_default().to_string();
        let verbs = resource["verbs"].as_array().into_iter().flatten();
        let verbs = verbs.filter_map(|verb| verb.as_str().map(str::to_string)).collect();
        let name = text("name");
        match name.split_once('/') {
            None => kinds.push(Kind {
                api_version: api_version.to_string(),
                kind: text("kind"),
                plural: name,
                namespaced: resource["namespaced"].as_bool().unwrap_or_default(),
                verbs,
                subresources: Vec::new(),
                objects: Vec::new(),
            }),
            Some((parent, name)) => {
                let subresource = Subresource { name: name.to_string(), kind: text("kind"), verbs };
                let parent = kinds.iter_mut().find(|kind| kind.plural == parent);
                parent.into_iter().for_each(|kind| kind.subresources.push(subresource.clone()));
            }
        }
    }
    kinds
}

/// Objects by `apiVersion/kind`, from all YAML and JSON files under a folder.
fn read_objects(folder: &Path) -> Result<BTreeMap<String, Vec<Value>>, String> {
    let mut objects: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some("yaml" | "yml" | "json") => files.push(path),
                _ => {}
            }
        }
    }
    // The order of a folder's entries is not fixed, and a seed must repeat a run.
    files.sort();
    for file in files {
        for object in documents(&file)? {
            let label = format!(
                "{}/{}",
                object["apiVersion"].as_str().unwrap_or_default(),
                object["kind"].as_str().unwrap_or_default()
            );
            objects.entry(label).or_default().push(object);
        }
    }
    Ok(objects)
}

/// The documents of a file. Manifests of strangers may be templates, which are no YAML: they have none.
pub(crate) fn documents(file: &Path) -> Result<Vec<Value>, String> {
    let text = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let Ok(documents) = kubemerge_yaml::parse(&text, &kubemerge_yaml::Options::default()) else {
        return Ok(Vec::new());
    };
    let json = documents.iter().filter_map(|document| document.to_json().ok());
    Ok(json.filter_map(|json| serde_json::from_slice(&json).ok()).collect())
}
