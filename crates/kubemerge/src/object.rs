//! What documents and patches are read from, and written back as: bytes, canonical bytes, values, own types.

use crate::error::{Error, ErrorKind};
use kubemerge_value::{
    Canonical, Document, Kind, MAX_DEPTH, MAX_VALUE_DEPTH, Node, to_bytes, to_canonical, to_value,
};
use kubemerge_yaml as yaml;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::borrow::Cow;

/// A JSON document in one of the forms that every verb takes. The result has the same form.
///
/// | given | result | notes |
/// |---|---|---|
/// | bytes (`[u8]`, `[u8; N]`, `Vec<u8>`) | `Vec<u8>` | checked first; what is untouched comes out as it was given |
/// | text (`str`, `String`, `Cow<str>`) | `String` | the same |
/// | [`Canonical`] | [`Canonical`] | trusted, therefore fastest |
/// | [`Value`] | [`Value`] | at most [`MAX_VALUE_DEPTH`] levels deep |
/// | [`Typed`] | the type itself | for anything serde can read and write |
/// | [`Yaml`] | `String`, in YAML | one document, read as kubectl reads it; comments are lost |
///
/// No bytes at all and the value `null` mean the empty object.
pub trait Object: sealed::Sealed {
    /// What a verb gives back.
    type Output;

    /// Reads the document, whatever kind of value it is.
    #[doc(hidden)]
    fn read(&self) -> Result<Source<'_>, Error>;

    /// Whether there is nothing to read.
    #[doc(hidden)]
    fn is_absent(&self) -> bool {
        false
    }

    /// Writes a result.
    #[doc(hidden)]
    fn write(node: Node<'_>) -> Result<Self::Output, Error>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for [u8] {}
    impl<const N: usize> Sealed for [u8; N] {}
    impl Sealed for Vec<u8> {}
    impl Sealed for str {}
    impl Sealed for String {}
    impl Sealed for std::borrow::Cow<'_, str> {}
    impl Sealed for super::Canonical {}
    impl Sealed for super::Value {}
    impl<T> Sealed for super::Typed<'_, T> {}
    impl Sealed for super::Yaml<'_> {}
}

/// An object of any type that serde can read and write, such as the structs of k8s-openapi.
///
/// ```
/// use kubemerge::{RuleSource, Patch, Typed, apply};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct Scale {
///     replicas: u32,
/// }
///
/// let patch = Patch::merge(r#"{"replicas": 3}"#)?;
/// let scaled = apply(RuleSource::None, &Typed(&Scale { replicas: 1 }), &patch)?;
/// assert_eq!(scaled.replicas, 3);
/// # Ok::<(), kubemerge::Error>(())
/// ```
pub struct Typed<'t, T>(pub &'t T);

/// A document in YAML, as kubectl reads it: `yes` is a boolean, `0644` is 420.
///
/// ```
/// use kubemerge::{Patch, RuleSource, Yaml, apply};
///
/// let patch = Patch::merge(&Yaml("spec:\n  replicas: 3\n"))?;
/// let scaled = apply(RuleSource::None, &Yaml("kind: Scale\nspec:\n  replicas: 1\n"), &patch)?;
/// assert_eq!(scaled, "kind: Scale\nspec:\n  replicas: 3\n");
/// # Ok::<(), kubemerge::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Yaml<'y>(pub &'y str);

/// A document that was read.
#[derive(Clone)]
pub struct Source<'a>(Form<'a>);

#[derive(Clone)]
enum Form<'a> {
    Checked(Document<'a>),
    Owned { canonical: Canonical, depth: usize },
    Borrowed { node: Node<'a>, depth: usize },
}

impl<'a> Source<'a> {
    /// The empty object.
    pub(crate) fn empty() -> Result<Self, Error> {
        Source::check(b"{}")
    }

    fn check(bytes: &'a [u8]) -> Result<Self, Error> {
        Ok(Source(Form::Checked(Document::check(bytes)?)))
    }

    /// Keeps a copy of bytes that have no other owner.
    pub(crate) fn own(bytes: &[u8]) -> Result<Self, Error> {
        let document = Document::check(bytes)?;
        let depth = document.depth();
        Ok(Source(Form::Owned { canonical: to_canonical(document.node()), depth }))
    }

    /// The value.
    #[must_use]
    pub fn node(&self) -> Node<'_> {
        match &self.0 {
            Form::Checked(document) => document.node(),
            Form::Owned { canonical, .. } => canonical.node(),
            Form::Borrowed { node, .. } => *node,
        }
    }

    /// The same document, borrowing from nothing.
    pub(crate) fn into_owned(self) -> Result<Source<'static>, Error> {
        Ok(match self.0 {
            Form::Owned { canonical, depth } => Source(Form::Owned { canonical, depth }),
            Form::Checked(document) => Source::own(document.as_bytes())?,
            Form::Borrowed { node, .. } => Source::own(&to_bytes(node))?,
        })
    }

    /// How deep the value is nested at most.
    pub(crate) fn depth(&self) -> usize {
        match &self.0 {
            Form::Checked(document) => document.depth(),
            Form::Owned { depth, .. } | Form::Borrowed { depth, .. } => *depth,
        }
    }
}

/// Reads a document; an absent one means the empty object.
pub(crate) fn read_object<O: Object + ?Sized>(object: &O) -> Result<Source<'_>, Error> {
    if object.is_absent() {
        return Source::empty();
    }
    object_of(object.read()?)
}

/// Takes `null` for the empty object, and refuses what is no object.
pub(crate) fn object_of(source: Source<'_>) -> Result<Source<'_>, Error> {
    match source.node().kind() {
        Kind::Map => Ok(source),
        // Go decodes null into an empty object.
        Kind::Null => Source::empty(),
        _ => Err(Error::invalid_document("a document is a JSON object")),
    }
}

impl Object for [u8] {
    type Output = Vec<u8>;

    fn read(&self) -> Result<Source<'_>, Error> {
        Source::check(self)
    }

    fn is_absent(&self) -> bool {
        self.iter().all(u8::is_ascii_whitespace)
    }

    fn write(node: Node<'_>) -> Result<Vec<u8>, Error> {
        Ok(to_bytes(node))
    }
}

impl<const N: usize> Object for [u8; N] {
    type Output = Vec<u8>;

    fn read(&self) -> Result<Source<'_>, Error> {
        self.as_slice().read()
    }

    fn is_absent(&self) -> bool {
        self.as_slice().is_absent()
    }

    fn write(node: Node<'_>) -> Result<Vec<u8>, Error> {
        <[u8]>::write(node)
    }
}

impl Object for Vec<u8> {
    type Output = Vec<u8>;

    fn read(&self) -> Result<Source<'_>, Error> {
        self.as_slice().read()
    }

    fn is_absent(&self) -> bool {
        self.as_slice().is_absent()
    }

    fn write(node: Node<'_>) -> Result<Vec<u8>, Error> {
        <[u8]>::write(node)
    }
}

impl Object for str {
    type Output = String;

    fn read(&self) -> Result<Source<'_>, Error> {
        self.as_bytes().read()
    }

    fn is_absent(&self) -> bool {
        self.as_bytes().is_absent()
    }

    fn write(node: Node<'_>) -> Result<String, Error> {
        String::from_utf8(to_bytes(node)).map_err(|error| Error::invalid_document(error.to_string()))
    }
}

impl Object for String {
    type Output = String;

    fn read(&self) -> Result<Source<'_>, Error> {
        self.as_str().read()
    }

    fn is_absent(&self) -> bool {
        self.as_str().is_absent()
    }

    fn write(node: Node<'_>) -> Result<String, Error> {
        str::write(node)
    }
}

impl Object for Cow<'_, str> {
    type Output = String;

    fn read(&self) -> Result<Source<'_>, Error> {
        (**self).read()
    }

    fn is_absent(&self) -> bool {
        (**self).is_absent()
    }

    fn write(node: Node<'_>) -> Result<String, Error> {
        str::write(node)
    }
}

impl Object for Canonical {
    type Output = Canonical;

    fn read(&self) -> Result<Source<'_>, Error> {
        // How deep canonical text is was not kept; the bound is safe.
        Ok(Source(Form::Borrowed { node: self.node(), depth: MAX_DEPTH }))
    }

    fn write(node: Node<'_>) -> Result<Canonical, Error> {
        Ok(to_canonical(node))
    }
}

impl Object for Value {
    type Output = Value;

    fn read(&self) -> Result<Source<'_>, Error> {
        Ok(Source(Form::Borrowed { node: Node::from_value(self)?, depth: MAX_VALUE_DEPTH }))
    }

    fn write(node: Node<'_>) -> Result<Value, Error> {
        let too_deep = format!("a `Value` may be nested {MAX_VALUE_DEPTH} levels deep: use bytes");
        to_value(node).map_err(|_| Error::invalid_document(too_deep))
    }
}

impl<T: Serialize + DeserializeOwned> Object for Typed<'_, T> {
    type Output = T;

    fn read(&self) -> Result<Source<'_>, Error> {
        serialized(self.0)
    }

    fn write(node: Node<'_>) -> Result<T, Error> {
        serde_json::from_slice(to_canonical(node).as_bytes()).map_err(|error| typed(&error))
    }
}

impl Object for Yaml<'_> {
    type Output = String;

    fn read(&self) -> Result<Source<'_>, Error> {
        let options = yaml::Options::default();
        let documents = yaml::parse(self.0.as_bytes(), &options).map_err(|error| malformed_yaml(&error))?;
        match documents.as_slice() {
            [] => Source::empty(),
            [document] => Source::own(&document.to_json().map_err(|error| malformed_yaml(&error))?),
            several => Err(Error::invalid_document(format!("the text has {} documents", several.len()))),
        }
    }

    fn write(node: Node<'_>) -> Result<String, Error> {
        Ok(yaml::write(node, &yaml::WriteOptions::default()))
    }
}

fn malformed_yaml(error: &yaml::YamlError) -> Error {
    Error::invalid_document(error.to_string())
}

/// The JSON form of anything that has one.
pub(crate) fn serialized<'a>(object: &impl Serialize) -> Result<Source<'a>, Error> {
    let bytes = serde_json::to_vec(object).map_err(|error| typed(&error))?;
    Source::own(&bytes)
}

fn typed(error: &serde_json::Error) -> Error {
    Error::new(ErrorKind::TypedObject, "", error.to_string())
}
