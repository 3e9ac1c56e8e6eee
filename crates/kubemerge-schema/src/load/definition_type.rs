//! The type of the schemas in custom resource definitions, with the extensions that Kubernetes' own type lacks.

use crate::model::{Model, Node, Required, Shape};

/// The type of a schema in a definition.
const SCHEMA: &str = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

/// The extensions of the design documents that are about merges.
const EXTENSIONS: [(&str, Shape); 4] = [
    ("x-kubernetes-patch-merge-key", Shape::String),
    ("x-kubernetes-patch-strategy", Shape::String),
    ("x-kubernetes-union", Shape::Any),
    ("x-kubernetes-unions", Shape::Any),
];

/// Adds the extensions that are about merges to the type of schemas in definitions.
pub(crate) fn add_merge_rules(model: &mut Model) {
    let Some(definition) = model.find_definition(SCHEMA) else { return };
    let root = model.resolve(model.definition(definition).node);
    let node = *model.node(root);
    let mut fields = model.fields(&node).to_vec();
    for (name, shape) in EXTENSIONS {
        if model.find_field(&node, name).is_none() {
            let added = model.add_node(Node { shape, owner: node.owner, ..Node::new(node.column) });
            let name = model.intern(name);
            fields.push(model.field_entry(name, added, Required::No));
        }
    }
    let span = model.add_fields(fields);
    model.node_mut(root).fields = span;
}
