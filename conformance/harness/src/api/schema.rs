//! The real server's OpenAPI v2 document, as far as mutations need it.

use serde_json::Value;

/// A step from an object to one of its members.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

/// A place in an OpenAPI document.
#[derive(Clone, Copy)]
pub(crate) struct Schema<'d> {
    document: &'d Value,
    node: &'d Value,
}

impl<'d> Schema<'d> {
    /// The definition of a kind.
    pub(crate) fn of_kind(document: &'d Value, api_version: &str, kind: &str) -> Option<Schema<'d>> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let is_wanted = |definition: &&Value| {
            let names = definition["x-kubernetes-group-version-kind"].as_array();
            names.is_some_and(|names| {
                // DeleteOptions and the like belong to every group; they are no kinds of a resource.
                names.len() == 1
                    && names
                        .iter()
                        .any(|gvk| gvk["group"] == group && gvk["version"] == version && gvk["kind"] == kind)
            })
        };
        let node = document["definitions"].as_object()?.values().find(is_wanted)?;
        Some(Schema { document, node })
    }

    /// A schema without a document around it, such as that of a definition.
    pub(crate) fn standalone(node: &'d Value) -> Schema<'d> {
        Schema { document: &Value::Null, node }
    }

    fn resolve(self, node: &'d Value) -> Schema<'d> {
        let name = node["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/definitions/"));
        Schema {
            document: self.document,
            node: name.map_or(node, |name| &self.document["definitions"][name]),
        }
    }

    /// The schema of the value at a path.
    pub(crate) fn at(self, path: &[Step]) -> Option<Schema<'d>> {
        path.iter().try_fold(self, |schema, step| match step {
            Step::Key(key) => schema.property(key).or_else(|| schema.values()),
            Step::Index(_) => schema.element(),
        })
    }

    pub(crate) fn property(self, name: &str) -> Option<Schema<'d>> {
        self.node["properties"].get(name).map(|node| self.resolve(node))
    }

    /// Names of the properties, without what the server writes itself.
    pub(crate) fn properties(self) -> Vec<String> {
        let hidden =
            ["apiVersion", "kind", "metadata", "managedFields", "uid", "resourceVersion", "selfLink"];
        let names = self.node["properties"].as_object().into_iter().flat_map(|properties| properties.keys());
        names.filter(|name| !hidden.contains(&name.as_str())).cloned().collect()
    }

    pub(crate) fn requires(self, name: &str) -> bool {
        self.node["required"].as_array().is_some_and(|required| required.iter().any(|known| known == name))
    }

    pub(crate) fn element(self) -> Option<Schema<'d>> {
        self.node.get("items").map(|node| self.resolve(node))
    }

    /// The schema of the values of a map.
    pub(crate) fn values(self) -> Option<Schema<'d>> {
        self.node.get("additionalProperties").filter(|node| node.is_object()).map(|node| self.resolve(node))
    }

    pub(crate) fn kind(self) -> &'d str {
        let fallback = if self.node.get("properties").is_some() { "object" } else { "string" };
        self.node["type"].as_str().unwrap_or(fallback)
    }

    /// The format of a text; quantities have none in the document.
    pub(crate) fn format(self) -> &'d str {
        let described = self.node["description"].as_str().unwrap_or_default();
        // The document has no other sign of it.
        if described.starts_with("Quantity is a fixed-point") {
            return "quantity";
        }
        if self.node["x-kubernetes-int-or-string"] == true {
            return "int-or-string";
        }
        self.node["format"].as_str().unwrap_or_default()
    }

    /// Values of an enumeration.
    pub(crate) fn choices(self) -> Vec<String> {
        let values = self.node["enum"].as_array().into_iter().flatten();
        values.filter_map(|value| value.as_str().map(str::to_string)).collect()
    }
}
