//! Documents of the user's files: their text, their value and which object they are.

use std::fmt;

use kubemerge::Error;
use kubemerge_value::{Document, Kind, Node, yaml};

use crate::failure::Result;
use crate::input::Source;
use crate::notice::Notice;

/// A document of a file.
pub(crate) struct Manifest<'s> {
    pub(crate) source: &'s Source,
    pub(crate) document: yaml::Document<'s>,
    /// Its value as JSON.
    pub(crate) json: Vec<u8>,
    pub(crate) identity: Identity,
}

/// Which object a document, or the target of a patch, is. Empty where it does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl Identity {
    /// What the node says about itself.
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
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or = |text: &str, other: &str| if text.is_empty() { other.to_owned() } else { text.to_owned() };
        write!(f, "{}/{}", or(&self.kind, "object"), or(&self.name, "(no name)"))?;
        if !self.namespace.is_empty() {
            write!(f, " in {}", self.namespace)?;
        }
        Ok(())
    }
}

impl<'s> Manifest<'s> {
    /// Every document of a text.
    pub(crate) fn all(source: &'s Source) -> Result<Vec<Manifest<'s>>> {
        source.documents()?.into_iter().map(|document| Manifest::new(source, document)).collect()
    }

    /// The one document of a text.
    pub(crate) fn only(source: &'s Source) -> Result<Manifest<'s>> {
        let mut all = Manifest::all(source)?;
        match (all.pop(), all.is_empty()) {
            (Some(one), true) => Ok(one),
            (None, _) => Err(Notice::error(format!("{} holds no document", source.name)).into()),
            (Some(_), false) => {
                let notice = Notice::error(format!("{} holds several documents", source.name));
                Err(notice.cure("give a file with one document").into())
            }
        }
    }

    /// Why nothing can be made of the object, with the place in its file.
    pub(crate) fn fault(&self, error: &Error) -> Notice {
        let excerpt = self.source.excerpt(&self.document, error.path(), error.path());
        let notice = Notice::error(error.message()).code(error.kind().name()).at(excerpt);
        match error.hint() {
            Some(hint) => notice.cure(hint),
            None => notice,
        }
    }

    fn new(source: &'s Source, document: yaml::Document<'s>) -> Result<Manifest<'s>> {
        let json = source.json(&document)?;
        let identity = {
            let checked = checked(source, &json)?;
            if checked.node().kind() != Kind::Map {
                let excerpt = source.excerpt(&document, "", "");
                return Err(Notice::error("a manifest is a map").at(excerpt).into());
            }
            Identity::of(checked.node())
        };
        Ok(Manifest { source, document, json, identity })
    }

    /// The value.
    pub(crate) fn value(&self) -> Result<Document<'_>> {
        checked(self.source, &self.json)
    }

    /// `examples/service.yaml: Service/dns`.
    pub(crate) fn title(&self) -> String {
        format!("{}: {}", self.source.name, self.identity)
    }
}

/// Checks JSON that was made of YAML, which may be nested too deep.
pub(crate) fn checked<'j>(source: &Source, json: &'j [u8]) -> Result<Document<'j>> {
    Document::check(json).map_err(|error| Notice::error(format!("{}: {error}", source.name)).into())
}
