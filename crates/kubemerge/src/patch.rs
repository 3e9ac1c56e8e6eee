//! [`Patch`]: the four types of patch in one type, with the content types that distinguish them.

use crate::{
    applier::Applier,
    error::{Error, ErrorKind},
    object::{Source, object_of, serialized},
    patch_body::PatchBody,
};
use kubemerge_strategic::MergeErrorKind;
use kubemerge_value::{Kind, Node};
use serde::{Deserialize, Serialize};

/// A patch that was read.
///
/// ```
/// use kubemerge::{Patch, PatchType};
///
/// let body = br#"{"spec": {"replicas": 3}}"#;
/// let patch = Patch::from_content_type("application/merge-patch+json", body)?;
/// assert_eq!(patch.patch_type(), PatchType::Merge);
/// assert_eq!(patch.content_type(), "application/merge-patch+json");
/// # Ok::<(), kubemerge::Error>(())
/// ```
///
/// A body that is given by reference is borrowed; one that is given by value is kept:
///
/// ```
/// use kubemerge::Patch;
/// use serde_json::json;
///
/// let patch: Patch<'static> = Patch::strategic(json!({"spec": {"replicas": 3}}))?;
/// assert_eq!(patch.to_string(), r#"{"spec":{"replicas":3}}"#);
/// # Ok::<(), kubemerge::Error>(())
/// ```
#[derive(Clone)]
pub struct Patch<'a> {
    pub(crate) instruction: Instruction<'a>,
}

/// What a patch says, by its type.
#[derive(Clone)]
pub(crate) enum Instruction<'a> {
    Strategic(Source<'a>),
    Merge(Source<'a>),
    Json(Source<'a>),
    Apply { config: Source<'a>, applier: Applier<'a> },
}

/// The types of patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PatchType {
    /// A strategic merge patch: fields merge as the schema says.
    Strategic,
    /// A JSON merge patch (RFC 7386): maps merge, null removes, everything else is replaced.
    Merge,
    /// A JSON patch (RFC 6902): a list of operations.
    Json,
    /// A server-side apply: what a manager wants of the object. Fields that it wanted before and no longer wants go.
    Apply,
}

impl PatchType {
    /// The content type that tells an API server which type of patch the body is.
    #[must_use]
    pub fn content_type(self) -> &'static str {
        match self {
            PatchType::Strategic => "application/strategic-merge-patch+json",
            PatchType::Merge => "application/merge-patch+json",
            PatchType::Json => "application/json-patch+json",
            PatchType::Apply => "application/apply-patch+yaml",
        }
    }

    /// The type of patch that a content type names; parameters such as a character set do not matter.
    #[must_use]
    pub fn from_content_type(content_type: &str) -> Option<PatchType> {
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        [PatchType::Strategic, PatchType::Merge, PatchType::Json, PatchType::Apply]
            .into_iter()
            .find(|patch_type| patch_type.content_type().eq_ignore_ascii_case(essence))
    }
}

impl<'a> Patch<'a> {
    /// Reads a strategic merge patch.
    ///
    /// # Errors
    /// If it is no JSON object.
    pub fn strategic(body: impl PatchBody<'a>) -> Result<Self, Error> {
        Ok(Instruction::Strategic(object_body(body)?).into())
    }

    /// Reads a JSON merge patch.
    ///
    /// # Errors
    /// If it is no JSON object.
    pub fn merge(body: impl PatchBody<'a>) -> Result<Self, Error> {
        let source = if body.is_absent() { Source::empty()? } else { body.into_source()? };
        Ok(Instruction::Merge(merge_source(source)?).into())
    }

    /// Reads a JSON patch. Its operations are looked at when it is applied.
    ///
    /// # Errors
    /// If it is not JSON.
    pub fn json(body: impl PatchBody<'a>) -> Result<Self, Error> {
        Ok(Instruction::Json(body.into_source()?).into())
    }

    /// Reads the configuration of a server-side apply.
    ///
    /// ```
    /// use kubemerge::{Applier, Dialect, Patch, Schema, apply};
    ///
    /// let schema = Schema::builtin("1.37", Dialect::Upstream)?;
    /// let config = r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "1"}}"#;
    /// let created = apply(&schema, "{}", &Patch::apply(config, Applier::new("me"))?)?;
    /// assert!(created.contains(r#""f:data":{"f:a":{}}"#));
    ///
    /// let other = config.replace("\"1\"", "\"2\"");
    /// let refused = apply(&schema, &created, &Patch::apply(&other, Applier::new("you"))?).unwrap_err();
    /// assert_eq!(refused.message(), r#"Apply failed with 1 conflict: conflict with "me": .data.a"#);
    /// assert!(refused.is_conflict() && refused.http_status() == 409);
    ///
    /// let forced = apply(&schema, &created, &Patch::apply(&other, Applier::new("you").forced())?)?;
    /// assert!(forced.contains(r#""data":{"a":"2"}"#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If it is no JSON object.
    pub fn apply(config: impl PatchBody<'a>, applier: Applier<'a>) -> Result<Self, Error> {
        Ok(Instruction::Apply { config: object_body(config)?, applier }.into())
    }

    /// Reads a patch of this type. A configuration that is read so has no manager, without which it does not apply:
    /// [`Patch::by`] names one.
    ///
    /// # Errors
    /// As [`Patch::strategic`], [`Patch::merge`], [`Patch::json`] and [`Patch::apply`].
    pub fn new(patch_type: PatchType, body: impl PatchBody<'a>) -> Result<Self, Error> {
        match patch_type {
            PatchType::Strategic => Patch::strategic(body),
            PatchType::Merge => Patch::merge(body),
            PatchType::Json => Patch::json(body),
            PatchType::Apply => Patch::apply(body, Applier::new("")),
        }
    }

    /// The same configuration of a server-side apply, by this manager; other patches have none and stay as they are.
    #[must_use]
    pub fn by(self, applier: Applier<'a>) -> Self {
        match self.instruction {
            Instruction::Apply { config, .. } => Instruction::Apply { config, applier }.into(),
            other => other.into(),
        }
    }

    /// The same patch, borrowing from nothing.
    ///
    /// # Errors
    /// If a value is nested too deep to be written.
    pub fn into_owned(self) -> Result<Patch<'static>, Error> {
        Ok(match self.instruction {
            Instruction::Strategic(source) => Instruction::Strategic(source.into_owned()?),
            Instruction::Merge(source) => Instruction::Merge(source.into_owned()?),
            Instruction::Json(source) => Instruction::Json(source.into_owned()?),
            Instruction::Apply { config, applier } => {
                Instruction::Apply { config: config.into_owned()?, applier: applier.into_owned() }
            }
        }
        .into())
    }

    /// Makes a patch of anything that serde can write.
    ///
    /// ```
    /// use kubemerge::{Patch, PatchType};
    /// use std::collections::BTreeMap;
    ///
    /// let patch = Patch::serialize(PatchType::Merge, &BTreeMap::from([("replicas", 3)]))?;
    /// assert_eq!(patch.to_bytes(), br#"{"replicas":3}"#);
    /// # Ok::<(), kubemerge::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it has no JSON form, or one that is no patch of this type.
    pub fn serialize(patch_type: PatchType, body: &impl Serialize) -> Result<Self, Error> {
        Patch::of(patch_type, serialized(body)?)
    }

    /// Reads a patch of the type that the content type names.
    ///
    /// # Errors
    /// If the content type is not of a patch, or the body is no such patch.
    pub fn from_content_type(content_type: &str, body: impl PatchBody<'a>) -> Result<Self, Error> {
        match PatchType::from_content_type(content_type) {
            Some(patch_type) => Patch::new(patch_type, body),
            None => Err(unknown_content_type(content_type)),
        }
    }

    /// Keeps a patch that was made.
    pub(crate) fn owned(patch_type: PatchType, patch: Node<'_>) -> Result<Self, Error> {
        Patch::of(patch_type, Source::own(&kubemerge_value::to_bytes(patch))?)
    }

    pub(crate) fn of(patch_type: PatchType, source: Source<'a>) -> Result<Self, Error> {
        Ok(match patch_type {
            PatchType::Strategic => Instruction::Strategic(object_of(source)?),
            PatchType::Merge => Instruction::Merge(merge_source(source)?),
            PatchType::Json => Instruction::Json(source),
            PatchType::Apply => Instruction::Apply { config: object_of(source)?, applier: Applier::new("") },
        }
        .into())
    }

    /// Which type of patch it is.
    #[must_use]
    pub fn patch_type(&self) -> PatchType {
        match self.instruction {
            Instruction::Strategic(_) => PatchType::Strategic,
            Instruction::Merge(_) => PatchType::Merge,
            Instruction::Json(_) => PatchType::Json,
            Instruction::Apply { .. } => PatchType::Apply,
        }
    }

    /// Who applies, if it is a server-side apply.
    #[must_use]
    pub fn applier(&self) -> Option<&Applier<'a>> {
        match &self.instruction {
            Instruction::Apply { applier, .. } => Some(applier),
            _ => None,
        }
    }

    /// The content type that tells an API server which type of patch it is.
    #[must_use]
    pub fn content_type(&self) -> &'static str {
        self.patch_type().content_type()
    }

    /// What the patch says, for the crates of kubemerge.
    #[doc(hidden)]
    #[must_use]
    pub fn node(&self) -> Node<'_> {
        self.source().node()
    }

    /// The patch as bytes, as it was given.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        kubemerge_value::to_bytes(self.node())
    }

    fn source(&self) -> &Source<'a> {
        match &self.instruction {
            Instruction::Strategic(source) | Instruction::Merge(source) | Instruction::Json(source) => source,
            Instruction::Apply { config, .. } => config,
        }
    }
}

impl<'a> From<Instruction<'a>> for Patch<'a> {
    fn from(instruction: Instruction<'a>) -> Self {
        Patch { instruction }
    }
}

/// The patch as text, as it was given.
impl std::fmt::Display for Patch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.to_bytes()))
    }
}

impl std::fmt::Debug for Patch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}({:?})", self.patch_type(), self.node())
    }
}

fn object_body<'a>(body: impl PatchBody<'a>) -> Result<Source<'a>, Error> {
    if body.is_absent() { Source::empty() } else { object_of(body.into_source()?) }
}

fn merge_source(source: Source<'_>) -> Result<Source<'_>, Error> {
    let found = match source.node().kind() {
        Kind::Map => return Ok(source),
        Kind::Null => return Source::empty(),
        kind => kind.go_name(),
    };
    let message = format!(
        "error decoding patch: json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
    );
    let kind = ErrorKind::Merge(MergeErrorKind::InvalidDocument);
    Err(Error::new(kind, "", message).with_hint("a merge patch is a JSON object"))
}

fn unknown_content_type(content_type: &str) -> Error {
    // In the order of the API server's message.
    let types = [PatchType::Json, PatchType::Merge, PatchType::Strategic, PatchType::Apply];
    let types = types.map(PatchType::content_type);
    let message = format!(
        "the body of the request was in an unknown format - accepted media types include: {}",
        types.join(", ")
    );
    Error::new(ErrorKind::UnknownContentType, "", message)
        .with_hint(format!("the type given is {content_type:?}"))
}
