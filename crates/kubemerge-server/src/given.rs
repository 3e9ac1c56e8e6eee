//! Objects that a server is given, where each was found, and why one could not be loaded.

use std::{fmt, sync::Arc};

use serde_json::Value;

use crate::protocol::yaml_documents;

/// An object to begin with.
pub(crate) struct Given {
    pub(crate) value: Value,
    /// Where it was found, such as the name of a file.
    pub(crate) source: Option<Arc<str>>,
}

impl fmt::Display for Given {
    /// `ConfigMap default/a in maps.yaml`, as far as the object says so itself.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |pointer: &str| self.value.pointer(pointer).and_then(Value::as_str);
        f.write_str(text("/kind").unwrap_or("an object without kind"))?;
        match (text("/metadata/namespace"), text("/metadata/name")) {
            (Some(namespace), Some(name)) => write!(f, " {namespace}/{name}")?,
            (None, Some(name)) => write!(f, " {name}")?,
            (_, None) => f.write_str(" without name")?,
        }
        self.source.as_ref().map_or(Ok(()), |source| write!(f, " in {source}"))
    }
}

/// The objects of a YAML text, each with its line.
pub(crate) fn of_yaml(text: &str) -> Result<Vec<Given>, String> {
    let objects = yaml_documents::located(text)?.into_iter();
    Ok(objects
        .map(|one| Given { value: one.value, source: Some(format!("line {}", one.line).into()) })
        .collect())
}

/// Why a server could not be built, or objects could not be loaded.
#[derive(Debug)]
pub struct BuildError {
    object: Option<String>,
    message: String,
}

impl BuildError {
    pub(crate) fn new(message: impl fmt::Display) -> Self {
        BuildError { object: None, message: message.to_string() }
    }

    pub(crate) fn about(given: &Given, message: impl Into<String>) -> Self {
        BuildError { object: Some(given.to_string()), message: message.into() }
    }

    /// The object that cannot be loaded, such as `ConfigMap default/a in maps.yaml:3`; none if the error is not about an object.
    pub fn object(&self) -> Option<&str> {
        self.object.as_deref()
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(object) = &self.object {
            write!(f, "{object}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for BuildError {}
