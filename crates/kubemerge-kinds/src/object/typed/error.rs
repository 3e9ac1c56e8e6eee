//! What the decoder complains about, in the words of Kubernetes' decoder.

use std::fmt::{self, Write};

use kubemerge_schema::{GoKind, GoValue, StructId};

use super::{Decoder, embedded};

/// A step on the way to a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum DecodeStep<'a> {
    Field(&'a str),
    Key(&'a str),
    Index(usize),
}

/// A text that cannot be read into the struct of its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    message: String,
}

impl DecodeError {
    pub(crate) fn new(message: impl Into<String>) -> DecodeError {
        DecodeError { message: message.into() }
    }

    /// The message of Go's decoder.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for DecodeError {}

impl From<DecodeError> for String {
    fn from(error: DecodeError) -> String {
        error.message
    }
}

/// A field that only strict field validation refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrictError {
    /// `unknown field` or `duplicate field`.
    pub problem: &'static str,
    /// The path of the field.
    pub path: String,
}

impl StrictError {
    pub(super) fn unknown(path: &[DecodeStep<'_>], name: &str) -> StrictError {
        StrictError { problem: "unknown field", path: strict_path(path, name) }
    }

    pub(super) fn duplicate(path: &[DecodeStep<'_>], name: &str) -> StrictError {
        StrictError { problem: "duplicate field", path: strict_path(path, name) }
    }
}

impl fmt::Display for StrictError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.problem, crate::go_text::quoted(&self.path))
    }
}

fn strict_path(path: &[DecodeStep<'_>], name: &str) -> String {
    let mut text = String::new();
    for step in path.iter().chain([&DecodeStep::Field(name)]) {
        match step {
            DecodeStep::Field(name) | DecodeStep::Key(name) if text.is_empty() => text.push_str(name),
            DecodeStep::Field(name) | DecodeStep::Key(name) => {
                text.push('.');
                text.push_str(name);
            }
            DecodeStep::Index(index) => {
                // Writing to a string cannot fail.
                let _ = write!(text, "[{index}]");
            }
        }
    }
    text
}

impl Decoder<'_> {
    /// Notes a value of a wrong type and passes over it.
    pub(super) fn mismatch(&mut self, ty: GoValue, found: &str) {
        let type_name = self.types.type_name(ty).into_owned();
        self.save_mismatch(found, &type_name);
        self.reader.pass();
    }

    pub(super) fn save_mismatch(&mut self, found: &str, type_name: &str) {
        // Go reports the first.
        if self.mismatch.is_none() {
            self.mismatch = Some(self.mismatch_error(found, type_name));
        }
    }

    /// The error of a value of a wrong type, with the place where it is.
    pub(super) fn mismatch_error(&self, found: &str, type_name: &str) -> DecodeError {
        let place = match self.within {
            Some(within) => {
                format!("struct field {}.{}", self.types.of(within).name(), self.go_path())
            }
            None => "value".to_owned(),
        };
        DecodeError::new(format!("json: cannot unmarshal {found} into Go {place} of type {type_name}"))
    }

    /// The fields on the way to a value, with the names of embedded structs.
    fn go_path(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        let mut kind = GoKind::Struct(self.root);
        for step in &self.path {
            kind = match (step, kind) {
                (DecodeStep::Field(name), GoKind::Struct(id) | GoKind::StructOr(_, id)) => {
                    let fields = self.types.of(id);
                    let is_object = fields.named("metadata").is_some();
                    match *name {
                        // Both are fields of an embedded struct, which Go names in the path.
                        "apiVersion" | "kind" if is_object => names.push("TypeMeta"),
                        _ => names.extend(embedded::around(fields.name(), name)),
                    }
                    names.push(name);
                    fields.named(name).map_or(GoKind::Any, |field| field.value.kind)
                }
                (_, GoKind::List(item) | GoKind::Map(item)) => self.types.value(item).kind,
                (_, other) => other,
            };
        }
        names.join(".")
    }

    pub(super) fn struct_type(&self, id: StructId) -> String {
        self.types.of(id).type_name()
    }
}
