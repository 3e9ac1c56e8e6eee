//! The documents of a request.

use kubemerge_value::Document;
use kubemerge_yaml::{self as yaml, Options, WriteOptions, YamlDocument};

use crate::failure::Failure;

/// One document, as text and as JSON.
pub(crate) struct TextDocument<'t> {
    /// Which text of the request it is.
    name: &'static str,
    pub(crate) yaml: YamlDocument<'t>,
    pub(crate) json: Vec<u8>,
}

impl<'t> TextDocument<'t> {
    /// Reads a text that must be one document.
    pub(crate) fn read(name: &'static str, text: &'t str) -> Result<TextDocument<'t>, Failure> {
        let mut documents = documents(text).map_err(|failure| failure.in_text(name))?;
        let document = match documents.len() {
            1 => documents.remove(0),
            0 => return Err(Failure::new("no-document", "the text has no document").in_text(name)),
            count => {
                let message = format!("the text has {count} documents, and one is needed");
                return Err(Failure::new("too-many-documents", message).in_text(name));
            }
        };
        TextDocument::of(name, document)
    }

    /// One document of a text that may have several.
    pub(crate) fn of(name: &'static str, yaml: YamlDocument<'t>) -> Result<TextDocument<'t>, Failure> {
        let json = yaml.to_json().map_err(|error| Failure::yaml(&error).in_text(name))?;
        Ok(TextDocument { name, yaml, json })
    }

    /// Its value.
    pub(crate) fn value(&self) -> Result<Document<'_>, Failure> {
        Document::check(&self.json)
            .map_err(|error| Failure::new("invalid-document", error.to_string()).in_text(self.name))
    }

    /// Its JSON. Reading YAML makes sure that it is UTF-8.
    pub(crate) fn json_text(&self) -> &str {
        std::str::from_utf8(&self.json).unwrap_or("null")
    }

    /// The text with another value: comments and layout stay where nothing changes.
    pub(crate) fn edited(&self, json: &[u8]) -> Result<String, Failure> {
        let edits =
            self.yaml.edits_to_json(json).map_err(|error| Failure::yaml(&error).in_text(self.name))?;
        Ok(yaml::apply_edits(self.yaml.text(), &edits))
    }

    /// Another value in the form of this text: JSON beside JSON, else YAML.
    pub(crate) fn alike(&self, json: &[u8]) -> Result<String, Failure> {
        if self.yaml.text().trim_start().starts_with('{') {
            Ok(String::from_utf8_lossy(json).into_owned())
        } else {
            yaml::write_json(json, &WriteOptions::default()).map_err(|error| Failure::yaml(&error))
        }
    }

    /// The apiVersion and kind; empty where they are missing.
    pub(crate) fn type_names(&self) -> Result<[String; 2], Failure> {
        let value = self.value()?;
        let text = |name: &str| {
            let field = value.node().get(name).and_then(|node| node.as_str());
            field.map(|text| text.text().into_owned()).unwrap_or_default()
        };
        Ok([text("apiVersion"), text("kind")])
    }
}

/// All documents of a text.
pub(crate) fn documents(text: &str) -> Result<Vec<YamlDocument<'_>>, Failure> {
    yaml::parse(text.as_bytes(), &Options::default()).map_err(|error| Failure::yaml(&error))
}
