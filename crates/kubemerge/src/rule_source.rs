//! [`RuleSource`]: what tells a strategic merge how the fields of an object merge.

use crate::error::{Error, ErrorKind};
use kubemerge_schema::{Dialect, Schema, StrategicPatch, Type};
use kubemerge_strategic::MergeErrorKind;
use kubemerge_value::{Node, Str};

/// Where the rules of a strategic merge come from. JSON patch and JSON merge patch need none.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum RuleSource<'s> {
    /// A schema; the type is found by the `apiVersion` and `kind` of the object.
    Schema(&'s Schema),
    /// The type of a kind in a schema, for objects and patches that do not name it.
    Kind {
        /// The schema.
        schema: &'s Schema,
        /// The version, such as `apps/v1`.
        api_version: &'s str,
        /// The kind.
        kind: &'s str,
    },
    /// A type of a schema, for the crates of kubemerge.
    #[doc(hidden)]
    Type(Type<'s>),
    /// Nothing: strategic merge is refused.
    None,
}

impl<'s> From<&'s Schema> for RuleSource<'s> {
    fn from(schema: &'s Schema) -> Self {
        RuleSource::Schema(schema)
    }
}

impl<'s> From<Type<'s>> for RuleSource<'s> {
    fn from(ty: Type<'s>) -> Self {
        RuleSource::Type(ty)
    }
}

impl<'s> RuleSource<'s> {
    /// The type of an object, for the crates of kubemerge.
    ///
    /// # Errors
    /// If there is no schema, or the schema does not know the type.
    #[doc(hidden)]
    pub fn type_of(self, object: Node<'_>) -> Result<Type<'s>, Error> {
        match self {
            RuleSource::Type(ty) => Ok(ty),
            RuleSource::Schema(schema) => type_in(schema, object),
            RuleSource::Kind { schema, api_version, kind } => type_of_kind(schema, api_version, kind),
            RuleSource::None => {
                Err(unsupported("strategic merge needs a schema: give one, or use a merge patch"))
            }
        }
    }

    /// The schema of the rules; `None` without rules.
    pub(crate) fn schema(self) -> Option<&'s Schema> {
        match self {
            RuleSource::Schema(schema) | RuleSource::Kind { schema, .. } => Some(schema),
            RuleSource::Type(ty) => Some(ty.schema()),
            RuleSource::None => None,
        }
    }

    pub(crate) fn dialect(self) -> Dialect {
        match self {
            RuleSource::Schema(schema) | RuleSource::Kind { schema, .. } => schema.dialect(),
            RuleSource::Type(ty) => ty.schema().dialect(),
            // Without a schema only patches that need none are left, and those are as Kubernetes has them.
            RuleSource::None => Dialect::Upstream,
        }
    }
}

fn type_in<'s>(schema: &'s Schema, object: Node<'_>) -> Result<Type<'s>, Error> {
    let text = |name| object.get(name).and_then(Node::as_str).map(Str::text);
    let (Some(api_version), Some(kind)) = (text("apiVersion"), text("kind")) else {
        let hint = "the object has no apiVersion and kind: add them, or name the type";
        return Err(unsupported(hint));
    };
    type_of_kind(schema, &api_version, &kind)
}

fn type_of_kind<'s>(schema: &'s Schema, api_version: &str, kind: &str) -> Result<Type<'s>, Error> {
    match schema.type_of(api_version, kind) {
        // Kubernetes merges custom resources by JSON merge patch only.
        Some(ty) if ty.strategic_patch() == StrategicPatch::Refused => {
            let hint = format!(
                "{kind} of {api_version} is a custom resource: use a merge patch, or the dialect `spec`"
            );
            Err(unsupported(&hint).with_status(415))
        }
        Some(ty) => Ok(ty),
        // kustomize merges objects of any kind: maps by name, lists as a whole.
        None if schema.dialect() == Dialect::Kustomize => Ok(schema.untyped()),
        None => Err(unsupported(&format!(
            "the schema has no {kind} of {api_version}: load its OpenAPI document or its custom resource \
             definition, or use a merge patch"
        ))),
    }
}

fn unsupported(hint: &str) -> Error {
    let kind = ErrorKind::Merge(MergeErrorKind::UnsupportedType);
    Error::new(kind, "", "strategic merge patch format is not supported").with_hint(hint)
}
