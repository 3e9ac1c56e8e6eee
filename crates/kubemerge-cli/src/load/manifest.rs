//! Objects in the user's files: their text, their value and which object they are.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use kubemerge::Error;
use kubemerge_inspect::LintObject;
use kubemerge_value::{Document, Kind, Node};
use kubemerge_yaml as yaml;

use super::list::{self, Object, Part};
use crate::input::{Source, par_map};
use crate::report::{Excerpt, Notice, Result, sanitize};

/// An object of a file: a document, or an item of a list.
pub(crate) struct Manifest<'s> {
    pub(crate) source: &'s Source,
    pub(crate) document: Arc<yaml::YamlDocument<'s>>,
    pub(crate) part: Part,
    /// Its value as JSON.
    pub(crate) json: Vec<u8>,
    pub(crate) identity: Identity,
}

/// Which object a document, or the target of a patch, is. Empty where it is not given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl Identity {
    /// The identity in a node.
    pub(crate) fn of(node: Node<'_>) -> Identity {
        let text = |node: Option<Node<'_>>| {
            node.and_then(Node::as_str).map(|text| text.text().into_owned()).unwrap_or_default()
        };
        let metadata = node.get("metadata");
        let in_metadata = |name: &str| text(metadata.and_then(|metadata| metadata.get(name)));
        Identity {
            api_version: text(node.get("apiVersion")),
            kind: text(node.get("kind")),
            namespace: in_metadata("namespace"),
            name: in_metadata("name"),
        }
    }

    /// The API group and the version; the group of the core is empty.
    pub(crate) fn group_and_version(&self) -> (&str, &str) {
        self.api_version.split_once('/').unwrap_or(("", &self.api_version))
    }

    /// Whether its data must not be shown.
    pub(crate) fn is_secret(&self) -> bool {
        self.kind == "Secret" && self.api_version == "v1"
    }

    pub(super) fn is_in_group(&self, group: &str) -> bool {
        self.group() == Some(group)
    }

    /// The API group, if there is an apiVersion; that of the core is empty.
    fn group(&self) -> Option<&str> {
        let version = Some(self.api_version.as_str()).filter(|version| !version.is_empty())?;
        Some(version.split_once('/').map_or("", |(group, _)| group))
    }

    /// Group, kind, namespace and name, by which an API server tells objects apart.
    pub(crate) fn key(&self) -> (&str, &str, &str, &str) {
        (self.group().unwrap_or_default(), &self.kind, &self.namespace, &self.name)
    }

    /// The first field in which two objects differ. A field that one of them does not have is no difference,
    /// and neither is the version of a group.
    pub(crate) fn difference(&self, other: &Identity) -> Option<&'static str> {
        // A configuration without a namespace matches the live object, which always has one.
        let differs = |one: &str, other: &str| !one.is_empty() && !other.is_empty() && one != other;
        let groups = self.group().zip(other.group());
        match () {
            () if differs(&self.kind, &other.kind) => Some("kind"),
            () if groups.is_some_and(|(one, other)| one != other) => Some("apiVersion"),
            () if differs(&self.name, &other.name) => Some("metadata.name"),
            () if differs(&self.namespace, &other.namespace) => Some("metadata.namespace"),
            () => None,
        }
    }

    /// `Service/dns in default (v1)`, as far as it is given.
    pub(crate) fn in_full(&self) -> String {
        match self.api_version.as_str() {
            "" => self.to_string(),
            version => format!("{self} ({})", sanitize(version)),
        }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or = |text: &str, other: &str| sanitize(if text.is_empty() { other } else { text }).into_owned();
        write!(f, "{}/{}", or(&self.kind, "object"), or(&self.name, "(no name)"))?;
        if !self.namespace.is_empty() {
            write!(f, " in {}", sanitize(&self.namespace))?;
        }
        Ok(())
    }
}

impl<'s> Manifest<'s> {
    /// Every object of a text.
    pub(crate) fn all(source: &'s Source) -> Result<Vec<Manifest<'s>>> {
        let mut all = Vec::new();
        for document in source.documents()? {
            let document = Arc::new(document);
            for object in list::objects(source, &document)? {
                all.push(Manifest::new(source, Arc::clone(&document), object)?);
            }
        }
        Ok(all)
    }

    /// Every object of several texts.
    pub(crate) fn all_of(sources: &'s [Arc<Source>]) -> Result<Vec<Manifest<'s>>> {
        // In the order of the files, whichever thread read them.
        let objects = par_map(sources, Manifest::all).into_iter().collect::<Result<Vec<_>>>()?;
        Ok(objects.into_iter().flatten().collect())
    }

    /// Every object of the texts that a word means; at least one.
    pub(crate) fn some(word: &Path, sources: &'s [Arc<Source>]) -> Result<Vec<Manifest<'s>>> {
        let objects = Manifest::all_of(sources)?;
        if objects.is_empty() {
            Err(Notice::error(format!("{} contains no object", word.display())).into())
        } else {
            Ok(objects)
        }
    }

    /// Whether both are in the same document.
    // Compared by pointer: every object of a document shares it.
    pub(crate) fn is_beside(&self, other: &Manifest<'s>) -> bool {
        Arc::ptr_eq(&self.document, &other.document)
    }

    /// The lines around a path of the object.
    pub(crate) fn excerpt(&self, path: &str, label: impl Into<String>) -> Excerpt {
        self.source.excerpt(&self.document, &self.part.path(path), label)
    }

    /// The error that the object caused, with the place in its file.
    pub(crate) fn fault(&self, error: &Error) -> Notice {
        // Paths of errors start at the object, which may be an item of a list.
        let excerpt = self.excerpt(error.path(), self.part.path(error.path()));
        Notice::error(error.message()).code(error.kind().name()).at(excerpt).hint(error.hint())
    }

    pub(super) fn new(
        source: &'s Source,
        document: Arc<yaml::YamlDocument<'s>>,
        object: Object,
    ) -> Result<Manifest<'s>> {
        let Object { part, json, kind, identity } = object;
        // Everything that follows looks up fields.
        if kind != Kind::Map {
            let excerpt = source.excerpt(&document, &part.path(""), "");
            return Err(Notice::error("a manifest must be a map").at(excerpt).into());
        }
        Ok(Manifest { source, document, part, json, identity })
    }

    /// The value.
    pub(crate) fn value(&self) -> Result<Document<'_>> {
        checked(self.source, &self.json)
    }

    /// Whether both have the same value, in whatever layout and order.
    pub(crate) fn is_same(&self, other: &Manifest<'_>) -> bool {
        let value = |json: &[u8]| serde_json::from_slice::<serde_json::Value>(json).ok();
        value(&self.json).is_some_and(|one| value(&other.json) == Some(one))
    }

    /// The object as the linter takes it, given its value.
    pub(crate) fn lint_object<'a>(&'a self, value: &'a Document<'_>) -> LintObject<'a> {
        let item = match self.part {
            Part::Whole => None,
            Part::Item(at) => Some(at),
        };
        let Identity { api_version, kind, .. } = &self.identity;
        LintObject { item, api_version, kind, value: value.node() }
    }

    /// `examples/service.yaml: Service/dns`, and its number if it is an item.
    pub(crate) fn title(&self) -> String {
        self.titled(&self.identity.to_string())
    }

    /// As [`Manifest::title`], with its apiVersion, where objects may differ in that.
    pub(crate) fn full_title(&self) -> String {
        self.titled(&self.identity.in_full())
    }

    fn titled(&self, name: &str) -> String {
        let title = format!("{}: {name}", sanitize(&self.source.name));
        match self.part {
            Part::Whole => title,
            Part::Item(_) => format!("{title} ({})", self.part.path("")),
        }
    }
}

/// Checks JSON that was converted from YAML, which may be nested too deep.
pub(crate) fn checked<'j>(source: &Source, json: &'j [u8]) -> Result<Document<'j>> {
    Document::check(json).map_err(|error| Notice::error(format!("{}: {error}", source.name)).into())
}
