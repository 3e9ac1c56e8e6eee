//! The versions of a built-in kind, as field managers see them.

use kubemerge_kinds::{BuiltinKind, autoscaler_to_v1, autoscaler_to_v2};
use kubemerge_schema::{Schema, TypeRef};
use kubemerge_ssa::{
    ConversionError, SameForm, VersionConverter,
    value::{Arena, ParsedValue},
};

use crate::catalog::Resource;

const OLD_AUTOSCALER: &str = "autoscaling/v1";

/// The versions of a built-in kind, which differ in `apiVersion` only for nearly all kinds.
pub(super) struct BuiltInVersions<'t> {
    pub(super) same: SameForm<'t>,
    pub(super) schema: &'t Schema,
    pub(super) resource: &'t Resource,
}

impl BuiltInVersions<'_> {
    /// Whether the endpoint knows the types of a version.
    ///
    /// Upstream: `/api` and `/apis` have tables of types of their own. Managers of an Event that wrote through the
    /// other one are forgotten (`conformance/api/core/event.yaml`).
    fn is_known(&self, api_version: &str) -> bool {
        let is_core = |api_version: &str| !api_version.contains('/');
        is_core(api_version) == is_core(&self.resource.api_version)
    }

    /// What Go writes of an object in its own version; what does not fit its type stays as it is.
    fn typed(&self, api_version: &str, object: String) -> String {
        let kind = BuiltinKind::find(self.schema, api_version, &self.resource.kind);
        let arena = Arena::new();
        let decoded = kind.and_then(|kind| kind.decode(&arena, &object).ok());
        decoded.map(|decoded| decoded.object.to_text()).unwrap_or(object)
    }

    /// The object in a version with other fields; none if only `apiVersion` differs.
    fn with_other_fields(&self, object: ParsedValue<'_>, api_version: &str) -> Option<String> {
        let given = object.get("apiVersion")?.as_str()?;
        if !has_other_fields(&self.resource.kind, given, api_version) {
            return None;
        }
        // Conversion is between Go types: an explicit null is gone after it.
        let typed = self.typed(given, String::from_utf8(object.to_json()).ok()?);
        let convert = if api_version == OLD_AUTOSCALER { autoscaler_to_v1 } else { autoscaler_to_v2 };
        let other = convert(&serde_json::from_str(&typed).ok()?);
        Some(self.typed(api_version, other.to_string()))
    }
}

impl VersionConverter for BuiltInVersions<'_> {
    fn type_of(&self, api_version: &str) -> Option<TypeRef<'_>> {
        self.same.type_of(api_version).filter(|_| self.is_known(api_version))
    }

    fn convert<'a>(
        &self,
        object: ParsedValue<'a>,
        api_version: &'a str,
        arena: &'a Arena,
    ) -> Result<ParsedValue<'a>, ConversionError> {
        if !self.is_known(api_version) {
            return Err(ConversionError::MissingVersion);
        }
        match self.with_other_fields(object, api_version) {
            None => self.same.convert(object, api_version, arena),
            Some(other) => ParsedValue::parse(arena.alloc_slice_copy(other.as_bytes()), arena)
                .map_err(|error| ConversionError::Failed(error.to_string())),
        }
    }
}

/// Whether two versions of a built-in kind differ in more than their name.
fn has_other_fields(kind: &str, one: &str, other: &str) -> bool {
    kind == "HorizontalPodAutoscaler" && (one == OLD_AUTOSCALER) != (other == OLD_AUTOSCALER)
}
