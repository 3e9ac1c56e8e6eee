//! `cargo xtask schemas [FOLDER]`: writes the built-in tables of `kubemerge-schema` anew.
//!
//! The documents come from the Go module `k8s.io/kubernetes`, one release at a time, through
//! `go mod download`. With a FOLDER they come from `FOLDER/<minor>/{openapi-spec,discovery}` instead.
//! What no document has about the Go types comes from the modules that declare them.

mod field_order;
mod go_fields;
mod internal_types;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use kubemerge_schema::builtin::encode::{GoFields, ReleaseDocuments, TableWriter};
use kubemerge_test_support::{go_module::download, root};
use serde_json::{Map, Value, json};

use super::releases;

pub(crate) const HELP: &str = "\
Generate the built-in tables of kubemerge-schema (needs Go unless FOLDER is given)

usage: cargo xtask schemas [FOLDER | --internal]

Downloads the OpenAPI and discovery documents of each release with `go mod download` and writes strings.txt
and tables.bin. With FOLDER, reads FOLDER/<minor>/openapi-spec and FOLDER/<minor>/discovery instead.
With --internal, writes only the table of internal types, which kubemerge-kinds has.
";

/// The release whose types kustomize has built in, without its alpha versions. Oldest of all, so it comes last.
const KUSTOMIZE: &str = "1.21.2";

const INTERNAL_TYPES: &str = "crates/kubemerge-kinds/src/rules/field/internal_types.txt";
const FIELD_ORDER: &str = "crates/kubemerge-kinds/src/object/typed/field_order.txt";
const TABLES: &str = "crates/kubemerge-schema/src/builtin";

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    match write_tables(arguments.first().map(Path::new)) {
        Ok(summary) => {
            println!("{summary}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("xtask schemas: {error}");
            ExitCode::from(2)
        }
    }
}

/// Writes all tables; from the documents in a folder if there is one.
pub(super) fn write_tables(folder: Option<&Path>) -> Result<String, Box<dyn Error>> {
    if folder == Some(Path::new("--internal")) {
        write_internal_types()?;
        return Ok("internal types".to_owned());
    }
    let mut writer = TableWriter::new();
    let mut names = KnownNames::default();
    let releases = releases::read()?;
    for patch in &releases {
        eprintln!("reading Kubernetes {patch}");
        let mut release = read_release(patch, &documents_of(patch, folder)?)?;
        // Newest first, so that older releases find the names that they lack.
        release.resource_lists.iter_mut().for_each(|list| names.complete(list));
        writer.add(&release)?;
    }
    eprintln!("reading Kubernetes {KUSTOMIZE} for kustomize");
    writer.add(&read_kustomize_release(&documents_of(KUSTOMIZE, folder)?)?)?;
    write_internal_types()?;
    let files = writer.finish();
    fs::write(root().join(TABLES).join("strings.txt"), &files.strings)?;
    fs::write(root().join(TABLES).join("tables.bin"), &files.tables)?;
    Ok(format!("{} releases, {} bytes", releases.len(), files.strings.len() + files.tables.len()))
}

/// The internal types of the newest release, for the rules of its kinds, and the order of the fields of its types.
fn write_internal_types() -> Result<(), Box<dyn Error>> {
    let newest = &releases::newest()?;
    let kubernetes = download(&format!("k8s.io/kubernetes@v{newest}"))?;
    let modules = internal_types::Modules {
        kubernetes,
        api: download_nearest("api", newest)?,
        machinery: download_nearest("apimachinery", newest)?,
        extensions: download_nearest("apiextensions-apiserver", newest)?,
    };
    fs::write(root().join(INTERNAL_TYPES), internal_types::table(&modules)?)?;
    let internal_types::Modules { api, machinery, extensions, .. } = modules;
    let aggregator = download_nearest("kube-aggregator", newest)?;
    let modules = field_order::Modules { api, machinery, extensions, aggregator };
    fs::write(root().join(FIELD_ORDER), field_order::table(&modules)?)?;
    Ok(())
}

/// `1.37` of `1.37.1`.
fn minor(patch: &str) -> &str {
    patch.rsplit_once('.').map_or(patch, |(minor, _)| minor)
}

/// The folder that holds `openapi-spec` and, from 1.28 on, `discovery`.
fn documents_of(patch: &str, folder: Option<&Path>) -> Result<PathBuf, Box<dyn Error>> {
    if let Some(folder) = folder {
        return Ok(folder.join(minor(patch)));
    }
    Ok(download(&format!("k8s.io/kubernetes@v{patch}"))?.join("api"))
}

/// What the Go types of a release say about their fields.
fn read_go_fields(patch: &str) -> Result<GoFields, Box<dyn Error>> {
    let mut found = GoFields::new();
    for module in go_fields::MODULES {
        let folder = download_nearest(module, patch)?;
        go_fields::scan(&folder, &format!("io.k8s.{module}"), &mut found)?;
    }
    Ok(found)
}

/// A module that declares types, in the release or in the nearest earlier patch release that is served.
pub(super) fn download_nearest(module: &str, patch: &str) -> Result<PathBuf, Box<dyn Error>> {
    let (_, version) = patch.split_once('.').unwrap_or_default();
    let (minor, newest) = version.split_once('.').unwrap_or_default();
    let mut result = Err("there is no patch release".into());
    // The modules of a release are published later than it, some never.
    for number in (0..=newest.parse::<u32>()?).rev() {
        result = download(&format!("k8s.io/{module}@v0.{minor}.{number}"));
        if result.is_ok() {
            break;
        }
    }
    result
}

fn read_release(patch: &str, documents: &Path) -> Result<ReleaseDocuments, Box<dyn Error>> {
    let openapi = documents.join("openapi-spec");
    let openapi_v2 = read_json(&openapi.join("swagger.json"))?;
    let resource_lists = read_resource_lists(&documents.join("discovery"), &openapi_v2)?;
    Ok(ReleaseDocuments {
        version: minor(patch).to_owned(),
        patch: patch.to_owned(),
        openapi_v3: read_folder(&openapi.join("v3"))?,
        openapi_v2,
        resource_lists,
        go_fields: read_go_fields(patch)?,
    })
}

/// The document that kustomize has built in: a server that serves no alpha versions published it.
fn read_kustomize_release(documents: &Path) -> Result<ReleaseDocuments, Box<dyn Error>> {
    let mut openapi_v2 = read_json(&documents.join("openapi-spec/swagger.json"))?;
    if let Some(definitions) = openapi_v2["definitions"].as_object_mut() {
        // Ephemeral containers were an alpha feature of a stable group.
        definitions.retain(|name, _| !name.contains("alpha") && !name.ends_with(".EphemeralContainers"));
    }
    Ok(ReleaseDocuments {
        version: minor(KUSTOMIZE).to_owned(),
        patch: KUSTOMIZE.to_owned(),
        openapi_v3: Vec::new(),
        openapi_v2,
        resource_lists: Vec::new(),
        go_fields: read_go_fields(KUSTOMIZE)?,
    })
}

/// What discovery says; what the paths say of groups that the release has no discovery files for.
fn read_resource_lists(discovery: &Path, openapi_v2: &Value) -> Result<Vec<Value>, Box<dyn Error>> {
    let documents = if discovery.is_dir() { read_folder(discovery)? } else { Vec::new() };
    let mut lists: Vec<Value> =
        documents.into_iter().filter(|document| document["kind"] == "APIResourceList").collect();
    for list in resource_lists_from_paths(openapi_v2) {
        // Discovery is better: it has short names and categories.
        if lists.iter().all(|known| known["groupVersion"] != list["groupVersion"]) {
            lists.push(list);
        }
    }
    Ok(lists)
}

fn read_folder(folder: &Path) -> Result<Vec<Value>, Box<dyn Error>> {
    let entries: Result<Vec<_>, _> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut paths = entries?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    // The order of a folder is not fixed, and the tables must be the same each time.
    paths.sort();
    paths.iter().map(|path| read_json(path)).collect()
}

fn read_json(path: &Path) -> Result<Value, Box<dyn Error>> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_slice(&bytes).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// The resources of one group and version: name (`pods`, `pods/log`) to discovery entry.
type Resources = BTreeMap<String, Map<String, Value>>;

/// Derives what discovery would say from the paths of an OpenAPI v2 document.
fn resource_lists_from_paths(openapi_v2: &Value) -> Vec<Value> {
    let mut groups: BTreeMap<String, Resources> = BTreeMap::new();
    for (path, operations) in openapi_v2["paths"].as_object().into_iter().flatten() {
        if let Some(address) = Address::parse(path) {
            let resources = groups.entry(address.group_version.clone()).or_default();
            add_operations(resources.entry(address.resource.clone()).or_default(), &address, operations);
        }
    }
    groups.into_iter().map(|(group_version, resources)| resource_list(&group_version, resources)).collect()
}

/// What a path addresses.
struct Address {
    group_version: String,
    /// `pods`, or `pods/log`.
    resource: String,
    is_namespaced: bool,
    is_watch: bool,
}

impl Address {
    fn parse(path: &str) -> Option<Address> {
        let mut parts = path.trim_matches('/').split('/');
        let group_version = match parts.next()? {
            "api" => parts.next()?.to_owned(),
            "apis" => format!("{}/{}", parts.next()?, parts.next()?),
            _ => return None,
        };
        let mut rest: Vec<&str> = parts.collect();
        // The old form of watches, `/watch/…`, names the same resources.
        let is_watch = rest.first() == Some(&"watch");
        if is_watch {
            rest.remove(0);
        }
        let is_namespaced = rest.len() > 2 && rest[1] == "{namespace}";
        if is_namespaced {
            rest.drain(..2);
        }
        let resource = match rest.as_slice() {
            [plural] | [plural, "{name}"] => (*plural).to_owned(),
            [plural, "{name}", subresource, ..] => format!("{plural}/{subresource}"),
            _ => return None,
        };
        Some(Address { group_version, resource, is_namespaced, is_watch })
    }
}

fn add_operations(entry: &mut Map<String, Value>, address: &Address, operations: &Value) {
    if address.is_namespaced {
        entry.insert("namespaced".into(), true.into());
    }
    for (method, operation) in operations.as_object().into_iter().flatten() {
        let Some(action) = operation["x-kubernetes-action"].as_str() else { continue };
        let kind = &operation["x-kubernetes-group-version-kind"];
        // Paths of watches name the kind of an event.
        if !address.is_watch {
            entry.insert("speaks".into(), kind.clone());
        }
        let verbs = entry.entry("verbs").or_insert_with(|| json!([]));
        let verb = json!(verb(action, method));
        if let Some(verbs) = verbs.as_array_mut().filter(|verbs| !verbs.contains(&verb)) {
            verbs.push(verb);
            verbs.sort_by_key(|verb| verb.to_string());
        }
    }
}

fn verb<'a>(action: &'a str, method: &'a str) -> &'a str {
    match (action, method) {
        ("post", _) | ("connect", "post") => "create",
        ("put", _) | ("connect", "put") => "update",
        ("watchlist", _) => "watch",
        // Proxies and the like have the method as their verb.
        ("connect", method) => method,
        (action, _) => action,
    }
}

fn resource_list(group_version: &str, resources: Resources) -> Value {
    let entries: Vec<Value> = resources
        .into_iter()
        .filter_map(|(name, entry)| discovery_entry(group_version, name, entry))
        .collect();
    json!({"kind": "APIResourceList", "groupVersion": group_version, "resources": entries})
}

/// Connect verbs such as `options` and `head` are not part of discovery.
fn discovery_entry(group_version: &str, name: String, mut entry: Map<String, Value>) -> Option<Value> {
    let speaks = entry.remove("speaks")?;
    let home = match speaks["group"].as_str() {
        Some("") | None => speaks["version"].as_str().unwrap_or_default().to_owned(),
        Some(group) => format!("{group}/{}", speaks["version"].as_str().unwrap_or_default()),
    };
    // Discovery names them only where they differ.
    if home != group_version {
        entry.insert("group".into(), speaks["group"].clone());
        entry.insert("version".into(), speaks["version"].clone());
    }
    if let Some(verbs) = entry.get_mut("verbs").and_then(Value::as_array_mut) {
        verbs.retain(|verb| verb != "options" && verb != "head");
    }
    entry.insert("kind".into(), speaks["kind"].clone());
    entry.insert("name".into(), name.into());
    Some(Value::Object(entry))
}

/// Names of resources that releases without discovery files do not tell: those of the next newer release.
#[derive(Default)]
struct KnownNames {
    /// The discovery entry by group and plural.
    entries: BTreeMap<(String, String), Value>,
}

impl KnownNames {
    fn complete(&mut self, list: &mut Value) {
        let group_version = list["groupVersion"].as_str().unwrap_or_default();
        let group = group_version.rsplit_once('/').map_or(String::new(), |(group, _)| group.to_owned());
        for resource in list["resources"].as_array_mut().into_iter().flatten() {
            let place = (group.clone(), resource["name"].as_str().unwrap_or_default().to_owned());
            // Those from paths lack it; discovery files always have it.
            if resource.get("singularName").is_none() {
                complete(resource, self.entries.get(&place));
            }
            self.entries.insert(place, resource.clone());
        }
    }
}

fn complete(resource: &mut Value, known: Option<&Value>) {
    let is_subresource = resource["name"].as_str().is_some_and(|name| name.contains('/'));
    let singular = resource["kind"].as_str().unwrap_or_default().to_lowercase();
    resource["singularName"] = if is_subresource { "".into() } else { singular.into() };
    for fact in ["shortNames", "categories"] {
        if let Some(value) = known.and_then(|known| known.get(fact)) {
            resource[fact] = value.clone();
        }
    }
}
