//! Loads custom resource definitions: a type for every served version, and its REST resource.
//!
//! What the API server adds before it publishes such a type is added here too: `apiVersion`, `kind` and
//! `metadata` at the root, and at every embedded resource.

use serde_json::Value;

use super::openapi_v3;
use super::reader::{AllOf, SchemaReader, Syntax};
use crate::check::{self, Severity};
use crate::document::{DocumentPath, crd_schema, crd_versions, object, refuse_depth};
use crate::error::{LoadError, LoadErrorKind};
use crate::model::{
    Column, DefinitionEntry, DefinitionId, FieldEntry, Flags, KindEntry, Model, Name, Node, NodeId, Origin,
    Required, ResourceEntry, Shape, StrategicPatch, SubresourceEntry, UNTYPED, ValueFacts,
};

const SYNTAX: Syntax = Syntax { column: Column::V3, prefix: "#/", all_of: AllOf::Restricts };

/// Adds the types and the resources of a custom resource definition.
pub(crate) fn load(model: &mut Model, document: &Value) -> Result<(), LoadError> {
    let names = Names::read(document)?;
    let served: Vec<(usize, &Value)> = crd_versions(document)
        .iter()
        .enumerate()
        // No client can patch in a version that is not served.
        .filter(|(_, version)| version.get("served") == Some(&Value::Bool(true)))
        .collect();
    if served.is_empty() {
        return Err(LoadError::malformed("spec.versions", "no version is served"));
    }
    // The API server would refuse the definition, so answers from it would be about nothing.
    refuse_broken_rules(document)?;
    let object_meta = ensure_object_meta(model)?;
    for (index, version) in served {
        load_version(model, &names, index, version, object_meta)?;
    }
    model.keep_definition(document);
    Ok(())
}

fn refuse_broken_rules(document: &Value) -> Result<(), LoadError> {
    let findings = check::custom_resource_definition(document);
    let mut errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    let Some(first) = errors.next() else { return Ok(()) };
    let more = match errors.count() {
        0 => String::new(),
        count => format!("; {count} more"),
    };
    let message = format!("{} [{}{more}]", first.message, first.rule);
    Err(LoadError::new(LoadErrorKind::BrokenRule, &first.path, message))
}

/// What the definition says about all versions.
struct Names<'v> {
    group: &'v str,
    kind: &'v str,
    list_kind: Option<&'v str>,
    plural: &'v str,
    singular: String,
    is_namespaced: bool,
    short_names: Vec<&'v str>,
    categories: Vec<&'v str>,
}

impl<'v> Names<'v> {
    fn read(document: &'v Value) -> Result<Names<'v>, LoadError> {
        let api_version = document.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        if api_version != "apiextensions.k8s.io/v1" {
            let message = format!("expected apiextensions.k8s.io/v1, found {api_version:?}");
            return Err(LoadError::malformed("apiVersion", message));
        }
        let kind = text(document, &["spec", "names", "kind"])?;
        let name = |name: &str| document.get("spec")?.get("names")?.get(name);
        let list = |list: &str| {
            let words = name(list).and_then(Value::as_array).into_iter().flatten();
            words.filter_map(Value::as_str).collect()
        };
        Ok(Names {
            group: text(document, &["spec", "group"])?,
            kind,
            list_kind: name("listKind").and_then(Value::as_str),
            plural: text(document, &["spec", "names", "plural"])?,
            singular: name("singular")
                .and_then(Value::as_str)
                // The API server's own default.
                .map_or(kind.to_lowercase(), str::to_owned),
            is_namespaced: text(document, &["spec", "scope"])? == "Namespaced",
            short_names: list("shortNames"),
            categories: list("categories"),
        })
    }

    /// As the API server names the type: the group backwards, then version and kind.
    fn definition(&self, version: &str) -> String {
        // The name that the API server publishes: com.example.v1.Widget for example.com/v1.
        let mut parts: Vec<&str> = self.group.split('.').rev().collect();
        parts.extend([version, self.kind]);
        parts.join(".")
    }
}

fn text<'v>(document: &'v Value, path: &[&str]) -> Result<&'v str, LoadError> {
    let value = path.iter().try_fold(document, |value, step| value.get(step));
    let missing = || LoadError::malformed(path.join("."), "expected a string");
    value.and_then(Value::as_str).ok_or_else(missing)
}

fn load_version(
    model: &mut Model,
    names: &Names<'_>,
    index: usize,
    version: &Value,
    object_meta: DefinitionId,
) -> Result<(), LoadError> {
    let root = DocumentPath::root("spec");
    let place = root.keyword("versions");
    let place = place.index(index);
    let Some(name) = version.get("name").and_then(Value::as_str) else {
        return Err(LoadError::malformed(place.keyword("name").to_string(), "expected a string"));
    };
    let place = place.keyword("schema");
    let place = place.keyword("openAPIV3Schema");
    let Some(schema) = crd_schema(version) else {
        let message = format!("version {name} has no schema");
        return Err(LoadError::new(LoadErrorKind::MissingSchema, place.to_string(), message));
    };
    object(schema, &place)?;
    let definition = model.intern(&names.definition(name));
    let first_node = model.nodes.len() as NodeId;
    let entry = DefinitionEntry { name: definition, node: UNTYPED, origin: Origin::CustomResource };
    let id = model.add_definition(entry);
    let node = SchemaReader::new(model, SYNTAX).definition(id, schema, place)?;
    model.definition_mut(id).node = node;
    // Before names are implied: they are for whole objects.
    model.node_mut(node).flags.set(Flags::CUSTOM_RESOURCE);
    // Embedded resources may be at any depth, so every new node is looked at.
    for whole_object in first_node..model.nodes.len() as NodeId {
        show_names_to_rules(model, whole_object);
        imply_names(model, whole_object, object_meta);
    }
    add_kind(model, names, name, id);
    add_resource(model, names, name, version);
    Ok(())
}

/// Reads the schema of a version alone, for its values: without what is implied for merges and owners.
pub(crate) fn load_schema(model: &mut Model, schema: &Value) -> Result<NodeId, LoadError> {
    refuse_depth(schema)?;
    let node = SchemaReader::new(model, SYNTAX).definition(
        UNTYPED,
        schema,
        DocumentPath::root("openAPIV3Schema"),
    )?;
    if let Some(problem) = model.patterns.problem() {
        return Err(LoadError::new(LoadErrorKind::BrokenRule, "", problem));
    }
    model.node_mut(node).flags.set(Flags::CUSTOM_RESOURCE);
    for whole_object in 0..model.nodes.len() as NodeId {
        show_names_to_rules(model, whole_object);
    }
    Ok(node)
}

/// ObjectMeta, of the loaded documents or as Kubernetes 1.37 has it.
fn ensure_object_meta(model: &mut Model) -> Result<DefinitionId, LoadError> {
    const NAME: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    // The type of the cluster's version, if its documents were loaded first.
    if let Some(known) = model.find_definition(NAME) {
        return Ok(known);
    }
    let first = model.definitions.len();
    let document: Value = serde_json::from_str(include_str!("object_meta.json"))
        .map_err(|error| LoadError::malformed(NAME, error.to_string()))?;
    openapi_v3::load(model, &document)?;
    // Not from the user's documents, so listings do not show them as such.
    model.definitions.iter_mut().skip(first).for_each(|definition| definition.origin = Origin::BuiltIn);
    let name = model.intern(NAME);
    Ok(model.definition_named(name).unwrap_or(UNTYPED))
}

/// Notes which fields of a whole object were written, and which its rules see: its type and, of its metadata, the names.
fn show_names_to_rules(model: &mut Model, id: NodeId) {
    let node = *model.node(id);
    if !is_whole_object(&node) {
        return;
    }
    let own = Node { owner: node.owner, ..Node::new(Column::V3) };
    let string = model.add_node(Node { shape: Shape::String, ..own });
    let mut field = |name: &str, node: NodeId| {
        let name = model.intern(name);
        model.field_entry(name, node, Required::No)
    };
    let names = ["name", "generateName"].map(|name| field(name, string));
    let types = ["apiVersion", "kind"].map(|name| field(name, string));
    let names = model.add_fields(names.into());
    let metadata = model.add_node(Node { shape: Shape::Object, fields: names, ..own });
    let name = model.intern("metadata");
    let metadata = model.field_entry(name, metadata, Required::No);
    let mut seen: Vec<FieldEntry> = model.fields(&node).to_vec();
    seen.retain(|field| !matches!(model.text(field.name), "apiVersion" | "kind" | "metadata"));
    seen.extend(types);
    seen.push(metadata);
    let in_rules = Some(model.add_fields(seen));
    let facts = model.value_facts(&node).cloned().unwrap_or_default();
    let values = model.add_value_facts(ValueFacts { written: Some(node.fields), in_rules, ..facts });
    model.node_mut(id).values = values;
}

fn is_whole_object(node: &Node) -> bool {
    node.flags.has(Flags::CUSTOM_RESOURCE) || node.flags.has(Flags::EMBEDDED_RESOURCE)
}

/// Gives a whole object its `apiVersion`, `kind` and `metadata`, unless it describes them itself.
fn imply_names(model: &mut Model, id: NodeId, object_meta: DefinitionId) {
    let node = *model.node(id);
    if !is_whole_object(&node) {
        return;
    }
    let mut fields: Vec<FieldEntry> = model.fields(&node).to_vec();
    let own = Node { owner: node.owner, ..Node::new(Column::V3) };
    for name in ["apiVersion", "kind"] {
        if model.find_field(&node, name).is_none() {
            let string = model.add_node(Node { shape: Shape::String, ..own });
            let name = model.intern(name);
            fields.push(model.field_entry(name, string, Required::No));
        }
    }
    let metadata = model.find_field(&node, "metadata").map(|place| *model.field(place));
    // A schema may restrict names in metadata; labels and owner references have their own rules all the same.
    if !metadata.is_some_and(|metadata| describes_more_than_names(model, metadata.node)) {
        let name = model.intern("metadata");
        let reference = model.add_node(Node { refers_to: object_meta, ..own });
        fields.retain(|field| field.name != name);
        fields.push(model.field_entry(name, reference, Required::No));
    }
    let span = model.add_fields(fields);
    let node = model.node_mut(id);
    node.fields = span;
    // A schema without properties has some now, so unknown names are refused.
    node.flags.set(Flags::HAS_PROPERTIES);
}

fn describes_more_than_names(model: &Model, metadata: NodeId) -> bool {
    let fields = model.fields(model.node(metadata));
    fields.iter().any(|field| !matches!(model.text(field.name), "name" | "generateName"))
}

fn add_kind(model: &mut Model, names: &Names<'_>, version: &str, definition: DefinitionId) {
    let [group, version, kind] = [names.group, version, names.kind].map(|part| model.intern(part));
    model.kinds.push(KindEntry { group, version, kind, definition });
}

// In the order in which the API server lists them.
const VERBS: [&str; 8] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const PART_VERBS: [&str; 3] = ["get", "patch", "update"];

fn add_resource(model: &mut Model, names: &Names<'_>, version: &str, entry: &Value) {
    let mut all = |words: &[&str]| -> Vec<Name> { words.iter().map(|word| model.intern(word)).collect() };
    let (verbs, part_verbs) = (all(&VERBS), all(&PART_VERBS));
    let (short_names, categories) = (all(&names.short_names), all(&names.categories));
    let [group, version, kind] = [names.group, version, names.kind].map(|part| model.intern(part));
    let has = |part: &str| entry.get("subresources").is_some_and(|parts| parts.get(part).is_some());
    let mut subresources = Vec::new();
    if has("status") {
        let name = model.intern("status");
        subresources.push(SubresourceEntry { name, group, version, kind, verbs: part_verbs.clone() });
    }
    if has("scale") {
        let [name, group, version, kind] =
            // Scale is an object of another group.
            ["scale", "autoscaling", "v1", "Scale"].map(|part| model.intern(part));
        subresources.push(SubresourceEntry { name, group, version, kind, verbs: part_verbs });
    }
    let (plural, singular) = (model.intern(names.plural), model.intern(&names.singular));
    let list_kind = names.list_kind.map_or(Name::NONE, |kind| model.intern(kind));
    let namespaced = names.is_namespaced;
    model.resources.push(ResourceEntry {
        group,
        version,
        kind,
        list_kind,
        plural,
        singular,
        namespaced,
        verbs,
        short_names,
        categories,
        subresources,
        strategic_patch: StrategicPatch::Refused,
    });
}
