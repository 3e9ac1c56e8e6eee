//! Objects in other versions: managers own fields in the version they wrote.

use kubemerge_schema::{Schema, Type, TypeRef};

use crate::typed::{Duplicates, validate};
use crate::value::{Arena, ParsedValue};

/// Why an object does not exist in a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConversionError {
    /// There is no such version any more: its managers are forgotten.
    MissingVersion,
    /// The conversion failed: so does the operation.
    Failed(String),
}

/// The versions of a kind.
pub trait VersionConverter {
    /// The type of objects in a version; `None` if there is none.
    fn type_of(&self, api_version: &str) -> Option<TypeRef<'_>>;

    /// An object in another version.
    ///
    /// # Errors
    /// If there is no such version, or the object cannot be converted.
    fn convert<'a>(
        &self,
        object: ParsedValue<'a>,
        api_version: &'a str,
        arena: &'a Arena,
    ) -> Result<ParsedValue<'a>, ConversionError>;

    /// The type whose unions an apply clears, in the version of the request; `None` where unions have no effect, as in
    /// Kubernetes.
    fn unions(&self) -> Option<Type<'_>> {
        None
    }
}

/// A kind whose versions differ in `apiVersion` only, as custom resources without conversion.
#[derive(Debug)]
#[must_use]
pub struct SameForm<'t> {
    kind: &'t str,
    versions: Known<'t>,
    unions: Option<Type<'t>>,
}

#[derive(Debug)]
enum Known<'t> {
    /// Versions that the schema lacks are missing.
    InSchema(&'t Schema),
    /// Versions other than these are errors.
    Declared(&'t Schema, &'t [&'t str]),
    /// Every version exists, and none has a schema.
    Any,
}

impl<'t> SameForm<'t> {
    /// A built-in kind: versions that the schema lacks are missing.
    pub fn built_in(schema: &'t Schema, kind: &'t str) -> Self {
        SameForm { kind, versions: Known::InSchema(schema), unions: None }
    }

    /// A custom resource with these versions, e.g. `example.com/v1`. Any other version is an error.
    pub fn custom_resource(schema: &'t Schema, kind: &'t str, versions: &'t [&'t str]) -> Self {
        SameForm { kind, versions: Known::Declared(schema, versions), unions: None }
    }

    /// Objects without schema.
    pub fn schemaless() -> Self {
        SameForm { kind: "", versions: Known::Any, unions: None }
    }

    /// The same kind, whose applies clear what the unions of this type exclude.
    pub fn with_unions(self, unions: Option<Type<'t>>) -> Self {
        SameForm { unions, ..self }
    }
}

impl VersionConverter for SameForm<'_> {
    fn type_of(&self, api_version: &str) -> Option<TypeRef<'_>> {
        match self.versions {
            Known::Any => Some(TypeRef::deduced()),
            Known::InSchema(schema) | Known::Declared(schema, _) => {
                schema.ownership_of(api_version, self.kind)
            }
        }
    }

    fn convert<'a>(
        &self,
        object: ParsedValue<'a>,
        api_version: &'a str,
        arena: &'a Arena,
    ) -> Result<ParsedValue<'a>, ConversionError> {
        match self.versions {
            Known::InSchema(_) if self.type_of(api_version).is_none() => {
                return Err(ConversionError::MissingVersion);
            }
            Known::Declared(_, versions) if !versions.contains(&api_version) => {
                let message = format!("request to convert CR to an invalid group/version: {api_version}");
                return Err(ConversionError::Failed(message));
            }
            _ => {}
        }
        Ok(object.with_member("apiVersion", ParsedValue::String(api_version), arena))
    }

    fn unions(&self) -> Option<Type<'_>> {
        self.unions
    }
}

/// An object with its version and type.
#[derive(Clone, Copy)]
pub(crate) struct Typed<'a> {
    pub(crate) value: ParsedValue<'a>,
    pub(crate) ty: TypeRef<'a>,
    pub(crate) version: &'a str,
}

impl<'a> Typed<'a> {
    pub(crate) fn with(self, value: ParsedValue<'a>) -> Self {
        Typed { value, ..self }
    }

    /// The object in another version, validated there without duplicates.
    pub(crate) fn convert(
        self,
        version: &'a str,
        versions: &'a dyn VersionConverter,
        arena: &'a Arena,
    ) -> Result<Typed<'a>, ConversionError> {
        // Conversion is expensive, and nearly all managers use the stored version.
        if self.version == version {
            return Ok(self);
        }
        // A version that is malformed is not one that is gone.
        if version.matches('/').count() > 1 {
            return Err(ConversionError::Failed(format!("unexpected GroupVersion string: {version}")));
        }
        let value = versions.convert(self.value, version, arena)?;
        let ty = versions.type_of(version).ok_or(ConversionError::MissingVersion)?;
        // A converter is foreign code, so its result is checked.
        let valid = validate(ty, value, Duplicates::Refused, arena);
        valid.map_err(|problems| ConversionError::Failed(problems.to_string()))?;
        Ok(Typed { value, ty, version })
    }
}
