//! One path of a resource: what its operations have in common.

use kubemerge_kinds::strategy::DeleteAnswer;
use kubemerge_schema::Schema;

use super::words::{capital, group_words};
use crate::{
    catalog::{Resource, Subresource},
    protocol::{group_version::api_version, media},
};

/// The objects that a path is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathScope {
    /// All objects of a resource, in all namespaces.
    AllNamespaces,
    /// All objects, of one namespace if the resource has them.
    Collection,
    /// One object, or a part of it.
    Object,
    /// What a part of an object leads to, by a path of its own.
    Beyond,
}

/// A path of a resource.
#[derive(Clone, Copy)]
pub(super) struct Endpoint<'r> {
    pub(super) schema: &'r Schema,
    pub(super) resource: &'r Resource,
    pub(super) place: PathScope,
    pub(super) part: Option<&'r Subresource>,
}

impl<'r> Endpoint<'r> {
    pub(super) fn is_custom(&self) -> bool {
        self.resource.custom().is_some()
    }

    /// The name of the part of an object; empty for whole objects.
    pub(super) fn subresource(&self) -> &'r str {
        self.part.map_or("", |part| part.name.as_str())
    }

    /// Group, version and kind of what is sent and answered.
    pub(super) fn kind(&self) -> [&'r str; 3] {
        match self.part {
            // The scale of a custom resource goes by the name of its kind.
            Some(part) if !self.is_custom() => part.speaks.each_ref().map(String::as_str),
            _ => [&self.resource.group, &self.resource.version, &self.resource.kind],
        }
    }

    /// The definition of what is sent and answered.
    pub(super) fn definition(&self) -> String {
        let [group, version, kind] = match self.part {
            Some(part) if part.name == "scale" => ["autoscaling", "v1", "Scale"],
            _ => self.kind(),
        };
        if self.is_custom() && self.subresource() != "scale" {
            return custom_definition(self.resource);
        }
        let ty = self.schema.type_of(&api_version(group, version), kind);
        ty.and_then(|ty| ty.definition_name()).unwrap_or_default().to_string()
    }

    /// Whether a deletion is answered with the object.
    pub(super) fn returns_deleted(&self) -> bool {
        // The answer for a namespace is not what its document says.
        self.resource.strategy.delete_answer == DeleteAnswer::Object && self.resource.kind != "Namespace"
    }

    pub(super) fn patch_types(&self) -> Vec<&'static str> {
        let mut types = vec![media::APPLY_PATCH, media::JSON_PATCH, media::MERGE_PATCH];
        if !self.is_custom() {
            types.push(media::STRATEGIC_MERGE_PATCH);
        }
        types
    }

    /// `batch_v1`.
    pub(super) fn tag(&self) -> String {
        format!("{}_{}", group_words(&self.resource.group), self.resource.version)
    }

    /// `BatchV1`.
    pub(super) fn version_words(&self) -> String {
        capital(&group_words(&self.resource.group)) + &capital(&self.resource.version)
    }

    /// `NamespacedJobStatus`.
    pub(super) fn subject(&self) -> String {
        let namespaced = self.resource.is_namespaced() && self.place != PathScope::AllNamespaces;
        let namespaced = if namespaced { "Namespaced" } else { "" };
        format!("{namespaced}{}{}", self.resource.kind, capital(self.subresource()))
    }

    pub(super) fn suffix(&self) -> &'static str {
        match self.place {
            PathScope::AllNamespaces => "ForAllNamespaces",
            PathScope::Beyond => "WithPath",
            _ => "",
        }
    }

    /// The path, below a word that comes before the namespace: `watch/` for streams.
    pub(super) fn path(&self, prefix: &str) -> String {
        let Resource { group, version, plural, .. } = self.resource;
        let root = match group.as_str() {
            "" => format!("/api/{version}"),
            group => format!("/apis/{group}/{version}"),
        };
        let namespaced = self.resource.is_namespaced() && self.place != PathScope::AllNamespaces;
        let namespace = if namespaced { "namespaces/{namespace}/" } else { "" };
        let object = if self.names_object() { "/{name}" } else { "" };
        let part = self.part.map(|part| format!("/{}", part.name)).unwrap_or_default();
        let beyond = if self.place == PathScope::Beyond { "/{path}" } else { "" };
        format!("{root}/{prefix}{namespace}{plural}{object}{part}{beyond}")
    }

    fn names_object(&self) -> bool {
        matches!(self.place, PathScope::Object | PathScope::Beyond)
    }

    /// The parameters in the path.
    pub(super) fn path_parameters(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        if self.names_object() {
            names.push("name");
        }
        if self.resource.is_namespaced() && self.place != PathScope::AllNamespaces {
            names.push("namespace");
        }
        if self.place == PathScope::Beyond {
            names.push("path");
        }
        names
    }
}

/// The definition of a custom resource: its name begins with the reversed domain of the group.
pub(super) fn custom_definition(resource: &Resource) -> String {
    let mut parts: Vec<&str> = resource.group.split('.').rev().collect();
    parts.extend([resource.version.as_str(), resource.kind.as_str()]);
    parts.join(".")
}
