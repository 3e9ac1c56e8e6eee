//! The versions of a built-in kind, as field managers see them.

use kubemerge_kinds::{BuiltinKind, custom, groups, registry::VersionConversion, tree::Map};
use kubemerge_schema::{Schema, Type, TypeRef};
use kubemerge_ssa::{
    ConversionError, SameForm, VersionConverter,
    value::{Arena, ParsedValue},
};

use crate::{catalog::Resource, protocol::group_version::split_api_version};

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

    fn conversion(&self, api_version: &str) -> Option<VersionConversion> {
        let (group, version) = split_api_version(api_version);
        groups::entry(group, version, &self.resource.kind).conversion
    }

    /// What Go writes of an object in its own version; what does not fit its type stays as it is.
    fn typed<'a>(&'a self, api_version: &str, text: &'a str, arena: &'a Arena) -> Map<'a> {
        let kind = BuiltinKind::find(self.schema, api_version, &self.resource.kind);
        let decoded = kind.and_then(|kind| kind.decode(arena, text).ok());
        decoded.map_or_else(|| custom::decode(arena, text), |decoded| decoded.object)
    }

    /// The object in a version with other fields; none if only `apiVersion` differs.
    fn with_other_fields(&self, object: ParsedValue<'_>, api_version: &str) -> Option<String> {
        let given = object.get("apiVersion")?.as_str()?;
        let (from, to) = (self.conversion(given), self.conversion(api_version));
        if from.is_some() == to.is_some() {
            return None;
        }
        let arena = Arena::new();
        let text = String::from_utf8(object.to_json()).ok()?;
        // Conversion is between Go types: an explicit null is gone after it.
        let mut other = self.typed(given, &text, &arena);
        from.into_iter().for_each(|from| (from.to_stored)(&mut other));
        to.into_iter().for_each(|to| (to.from_stored)(&mut other));
        other.set_text("apiVersion", api_version);
        let other = other.to_text();
        Some(self.typed(api_version, &other, &arena).to_text())
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

    fn unions(&self) -> Option<Type<'_>> {
        self.same.unions()
    }
}
