//! What the Go types say about their fields, and how it gets into a model; for `cargo xtask schemas` only.

use std::collections::BTreeMap;

use crate::model::{Flags, Model, Node, NodeId, UNTYPED};

/// Facts by definition and field, e.g. `io.k8s.api.core.v1.PodSpec` and `securityContext`.
pub type GoFields = BTreeMap<(String, String), GoFieldFacts>;

/// What a Go type says about one of its fields.
#[derive(Clone, Debug)]
pub struct GoFieldFacts {
    /// The field is a pointer.
    pub is_pointer: bool,
    /// `omitempty`: no value, an empty list or map, false, 0 and "" are not written.
    pub omit_empty: bool,
    /// `omitzero`: a struct without any value is not written.
    pub omit_zero: bool,
    /// The type without the pointer, with the real names of packages: `[]v1.Container`.
    pub type_name: String,
}

/// Nodes of loaded documents belong to one field each, so they can carry what is known about it.
pub(super) fn mark_go_fields(model: &mut Model, fields: &GoFields) {
    for ((definition, field), facts) in fields {
        // Go types that no document publishes have no table either.
        let Some(id) = model.definition_called(definition) else { continue };
        let root = *model.node(model.definitions[id as usize].node);
        let Some(place) = model.find_field(&root, field) else { continue };
        let node = model.fields[place].node;
        let flags = &mut model.nodes[node as usize].flags;
        let known = [
            (facts.is_pointer, Flags::POINTER),
            // The rarer case has the flag: it costs nothing elsewhere.
            (!facts.omit_empty, Flags::KEEP_EMPTY),
            (facts.omit_zero, Flags::OMIT_ZERO),
        ];
        known.into_iter().filter(|(is_so, _)| *is_so).for_each(|(_, flag)| flags.set(flag));
        name_type(model, node, &facts.type_name);
    }
}

/// Notes the names of Go types that the definition of a value does not tell.
fn name_type(model: &mut Model, node: NodeId, type_name: &str) {
    let Node { items, additional, refers_to, .. } = *model.node(node);
    // A reference already names its type.
    if refers_to != UNTYPED {
        return;
    }
    if let Some(item) = type_name.strip_prefix("[]") {
        if items != UNTYPED {
            name_type(model, items, item);
        }
    } else if let Some((_, value)) = type_name.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
        if additional != UNTYPED {
            name_type(model, additional, value);
        }
    // Types of the language, such as `string`, are what the schema says anyway.
    } else if type_name.contains('.') {
        let name = model.intern(type_name);
        model.nodes[node as usize].go_type = name;
    }
}
