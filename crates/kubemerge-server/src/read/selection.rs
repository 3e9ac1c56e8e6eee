//! Both selectors of a request, bound to a resource: which of its objects are wanted.

use kubemerge_kinds::{
    field_selector::{FieldSelector, Term},
    label_selector::LabelSelector,
    registry::SelectorRefusal,
    strategy::Permission,
};
use kubemerge_value::{Kind, Node, Scalar};

use crate::{
    catalog::{
        Resource,
        field_index::{FieldIndex, FieldIndexes},
        request_context::RequestContext,
    },
    protocol::{
        json::tree,
        query::ListOptions,
        status::{Failure, Outcome, bad_request},
    },
    store::Record,
};

/// Which objects of a resource are wanted.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    labels: LabelSelector,
    fields: FieldSelector,
    /// For each field the selector names, where it is in the object.
    places: Vec<(String, SelectedField)>,
}

/// Where a field is.
#[derive(Clone, Debug)]
enum SelectedField {
    /// At the end of these names.
    Path(Vec<String>),
    /// Wherever an index finds it.
    Index(FieldIndex),
}

impl Selection {
    /// Binds the selectors of a request; a name in its path narrows them to one object.
    pub(crate) fn new(call: &RequestContext<'_>, options: &ListOptions) -> Outcome<Selection> {
        let (name, indexes) = (call.address.name.as_deref(), &call.cluster.field_indexes);
        let mut fields = options.fields.clone();
        if let Some(name) = name {
            // Upstream: a watch of one object may repeat its name in the selector, but not name another.
            if let Some(other) = fields.required("metadata.name").filter(|other| *other != name) {
                return Err(bad_request(format!(
                    "field metadata.name in the selector is {other:?} and does not match the requested name {name:?}"
                )));
            }
            fields = fields.and_name(name);
        }
        let places = fields
            .terms()
            .iter()
            .map(|term| place(call.resource, indexes, &term.field))
            .collect::<Outcome<_>>()?;
        Ok(Selection { labels: options.labels.clone(), fields, places })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// Whether an object is wanted; looks only at the fields the selectors name.
    pub(crate) fn matches(&self, record: &Record) -> bool {
        if self.is_empty() {
            return true;
        }
        let node = record.node();
        let labels = node.get("metadata").and_then(|metadata| metadata.get("labels"));
        let label = |key: &str| Some(labels?.get(key)?.as_str()?.text().into_owned());
        self.labels.matches(label) && self.fields.matches(|term| self.holds(node, term))
    }

    /// Whether the field of a term has its value.
    fn holds(&self, node: Node<'_>, term: &Term) -> bool {
        match self.places.iter().find(|(name, _)| *name == term.field).map(|(_, place)| place) {
            None => false,
            Some(SelectedField::Path(path)) => value(node, path, &term.field) == term.value,
            Some(SelectedField::Index(index)) => (index.read)(&tree(node)).contains(&term.value),
        }
    }
}

fn value(node: Node<'_>, path: &[String], field: &str) -> String {
    let found = path.iter().try_fold(node, |at, name| at.get(name));
    found.filter(|node| !node.is_null()).map_or_else(|| absent(field), text)
}

/// What a selector reads where the object has nothing: the zero value of the field's type.
fn absent(field: &str) -> String {
    match field {
        // Go has no absent booleans and numbers: selectors compare with their zero values.
        "spec.unschedulable" | "spec.hostNetwork" => "false".into(),
        "status.replicas" | "status.successful" => "0".into(),
        _ => String::new(),
    }
}

fn text(node: Node<'_>) -> String {
    match (node.kind(), node.scalar()) {
        (_, Some(Scalar::String(text))) => text.text().into_owned(),
        (_, Some(Scalar::Bool(value))) => value.to_string(),
        (_, Some(Scalar::Int(value))) => value.to_string(),
        (_, Some(Scalar::Float(value))) => value.to_string(),
        (Kind::List, _) => {
            let arena = kubemerge_value::Arena::new();
            let parts = kubemerge_value::to_canonical(node);
            let parts =
                parts.node().elements(&arena).iter().map(|one| one.get("ip").map(text)).collect::<Vec<_>>();
            parts.into_iter().flatten().collect::<Vec<_>>().join(",")
        }
        _ => String::new(),
    }
}

fn place(resource: &Resource, indexes: &FieldIndexes, field: &str) -> Outcome<(String, SelectedField)> {
    // Indexes come first, so that a test can replace a field of the kind.
    if let Some(index) = indexes.find(resource, field) {
        return Ok((field.to_string(), SelectedField::Index(index)));
    }
    let selectable = &resource.selectable;
    let namespace_allowed = resource.is_namespaced() || selectable.namespace == Permission::Granted;
    let path = match field {
        "metadata.name" => Some(field),
        "metadata.namespace" if namespace_allowed => Some(field),
        _ => selectable.fields.iter().find(|(label, _)| label == field).map(|(_, path)| path.as_str()),
    };
    let path = path.ok_or_else(|| refusal(resource, field))?;
    Ok((field.to_string(), SelectedField::Path(path.split('.').map(str::to_string).collect())))
}

fn refusal(resource: &Resource, field: &str) -> Failure {
    bad_request(match resource.selectable.refusal {
        SelectorRefusal::Generic => {
            format!("{field:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"")
        }
        SelectorRefusal::Listed => format!("field label not supported: {field}"),
        SelectorRefusal::Job => format!("field label {field:?} not supported for Job"),
    })
}
