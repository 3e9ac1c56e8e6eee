//! [`Patch`]: the four types of patch in one type, with the content types that distinguish them.

use crate::{
    error::{Error, ErrorKind},
    object::{Object, Source, object_of, read_object, serialized},
    server_side_apply::Applier,
};
use kubemerge_strategic::MergeErrorKind;
use kubemerge_value::{Kind, Node};
use serde::Serialize;

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
#[derive(Clone)]
pub enum Patch<'a> {
    /// A strategic merge patch: fields merge as the schema says.
    Strategic(Source<'a>),
    /// A JSON merge patch (RFC 7386): maps merge, null removes, everything else is replaced.
    Merge(Source<'a>),
    /// A JSON patch (RFC 6902): a list of operations.
    Json(Source<'a>),
    /// A server-side apply: what a manager wants of the object. Fields that it wanted before and no longer wants go.
    Apply {
        /// The configuration, with `apiVersion` and `kind`.
        config: Source<'a>,
        /// The manager, and whether it takes fields from others.
        applier: Applier<'a>,
    },
}

/// The types of patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PatchType {
    /// A strategic merge patch.
    Strategic,
    /// A JSON merge patch (RFC 7386).
    Merge,
    /// A JSON patch (RFC 6902).
    Json,
    /// A server-side apply.
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
    pub fn strategic<O: Object + ?Sized>(body: &'a O) -> Result<Self, Error> {
        read_object(body).map(Patch::Strategic)
    }

    /// Reads a JSON merge patch.
    ///
    /// # Errors
    /// If it is no JSON object.
    pub fn merge<O: Object + ?Sized>(body: &'a O) -> Result<Self, Error> {
        if body.is_absent() {
            return Source::empty().map(Patch::Merge);
        }
        merge_of(body.read()?)
    }

    /// Reads a JSON patch. Its operations are looked at when it is applied.
    ///
    /// # Errors
    /// If it is not JSON.
    pub fn json<O: Object + ?Sized>(body: &'a O) -> Result<Self, Error> {
        body.read().map(Patch::Json)
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
    pub fn apply<O: Object + ?Sized>(config: &'a O, applier: Applier<'a>) -> Result<Self, Error> {
        Ok(Patch::Apply { config: read_object(config)?, applier })
    }

    /// Reads a patch of this type. A configuration that is read so has no manager, without which it does not apply.
    ///
    /// # Errors
    /// As [`Patch::strategic`], [`Patch::merge`], [`Patch::json`] and [`Patch::apply`].
    pub fn new<O: Object + ?Sized>(patch_type: PatchType, body: &'a O) -> Result<Self, Error> {
        match patch_type {
            PatchType::Strategic => Patch::strategic(body),
            PatchType::Merge => Patch::merge(body),
            PatchType::Json => Patch::json(body),
            PatchType::Apply => Patch::apply(body, Applier::new("")),
        }
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
    pub fn from_content_type<O: Object + ?Sized>(content_type: &str, body: &'a O) -> Result<Self, Error> {
        match PatchType::from_content_type(content_type) {
            Some(patch_type) => Patch::new(patch_type, body),
            None => Err(unknown_content_type(content_type)),
        }
    }

    /// Keeps a patch that was made.
    pub(crate) fn owned(patch_type: PatchType, patch: Node<'_>) -> Result<Self, Error> {
        Patch::of(patch_type, Source::own(&kubemerge_value::to_bytes(patch))?)
    }

    fn of(patch_type: PatchType, source: Source<'a>) -> Result<Self, Error> {
        match patch_type {
            PatchType::Strategic => object_of(source).map(Patch::Strategic),
            PatchType::Merge => merge_of(source),
            PatchType::Json => Ok(Patch::Json(source)),
            PatchType::Apply => Ok(Patch::Apply { config: object_of(source)?, applier: Applier::new("") }),
        }
    }

    /// Which type of patch it is.
    #[must_use]
    pub fn patch_type(&self) -> PatchType {
        match self {
            Patch::Strategic(_) => PatchType::Strategic,
            Patch::Merge(_) => PatchType::Merge,
            Patch::Json(_) => PatchType::Json,
            Patch::Apply { .. } => PatchType::Apply,
        }
    }

    /// The content type that tells an API server which type of patch it is.
    #[must_use]
    pub fn content_type(&self) -> &'static str {
        self.patch_type().content_type()
    }

    /// What the patch says.
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
        match self {
            Patch::Strategic(source) | Patch::Merge(source) | Patch::Json(source) => source,
            Patch::Apply { config, .. } => config,
        }
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

fn merge_of(source: Source<'_>) -> Result<Patch<'_>, Error> {
    let found = match source.node().kind() {
        Kind::Map => return Ok(Patch::Merge(source)),
        Kind::Null => return Source::empty().map(Patch::Merge),
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
