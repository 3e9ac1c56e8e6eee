//! What errors of merges have in common: the document at fault, places, merge keys, message and cure.
//!
//! `error` and the façade's error have a kind and this beside it; nothing here knows kinds.

use kubemerge_value::Side;
use std::fmt;

/// What an error says besides its kind. Errors of this crate and of `kubemerge` read it as their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorDetails {
    /// The document at fault.
    pub side: Side,
    /// Where it is in the patch.
    pub patch_path: Option<String>,
    /// Where it is in the live object.
    pub live_path: Option<String>,
    /// The merge keys that an item lacks.
    pub merge_keys: Vec<String>,
    /// What is wrong.
    pub message: String,
    /// What can be done about it.
    pub hint: Option<String>,
}

impl ErrorDetails {
    /// A fault at a field path of one document.
    pub fn at(side: Side, path: String, message: impl Into<String>) -> ErrorDetails {
        let (patch_path, live_path) = match side {
            Side::Patch => (Some(path), None),
            Side::Live => (None, Some(path)),
        };
        ErrorDetails {
            side,
            patch_path,
            live_path,
            merge_keys: Vec::new(),
            message: message.into(),
            hint: None,
        }
    }

    /// The document at fault.
    #[must_use]
    pub fn side(&self) -> Side {
        self.side
    }

    /// Where it is in the document at fault: a field path as Kubernetes writes it, or the operation of a JSON patch, as in
    /// `[3]`. Empty for the whole.
    #[must_use]
    pub fn path(&self) -> &str {
        let path = match self.side {
            Side::Patch => self.patch_path(),
            Side::Live => self.live_path(),
        };
        path.unwrap_or_default()
    }

    /// Where it is in the patch; `None` below a list item that only the live object has.
    #[must_use]
    pub fn patch_path(&self) -> Option<&str> {
        self.patch_path.as_deref()
    }

    /// Where it is in the live object; `None` below a list item that only the patch has, or for which no item of the live
    /// list was found yet, and for faults that are not about a live object.
    #[must_use]
    pub fn live_path(&self) -> Option<&str> {
        self.live_path.as_deref()
    }

    /// The merge keys that a list item lacks or has no usable value for; empty for all other faults.
    #[must_use]
    pub fn merge_keys(&self) -> &[String] {
        &self.merge_keys
    }

    /// What is wrong: Kubernetes' text alone, where it has one.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What can be done about it, where something can.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

/// `path: message (hint)`.
impl fmt::Display for ErrorDetails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path().is_empty() {
            write!(f, "{}: ", self.path())?;
        }
        f.write_str(&self.message)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, " ({hint})"))
    }
}
