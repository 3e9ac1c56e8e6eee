//! [`Type`], the cursor that walks a compiled schema.

use super::Schema;
use crate::compile::Dialect;
use crate::model::{
    DefinitionId, Flags, Model, Node, NodeId, Origin, Shape, StrategicPatch, UNTYPED, split_api_version,
};

/// A place in a compiled schema: what is known about the value there.
///
/// A cursor is small and `Copy`; walking an object passes it along.
#[derive(Clone, Copy)]
pub struct Type<'s> {
    pub(crate) schema: &'s Schema,
    pub(crate) node: NodeId,
}

impl Schema {
    /// The type of a kind, e.g. `apps/v1` and `Deployment`.
    #[doc(hidden)]
    pub fn type_of(&self, api_version: &str, kind: &str) -> Option<Type<'_>> {
        let (group, version) = split_api_version(api_version);
        let definition = self.definition_of_kind([kind, group, version])?;
        Some(self.root_of(definition))
    }

    /// The type of a definition, by its full name or by its last part where that is unique.
    #[doc(hidden)]
    pub fn definition(&self, name: &str) -> Option<Type<'_>> {
        let definition = self.model().find_definition(name)?;
        Some(self.root_of(definition))
    }

    /// The type of a value without a schema.
    #[doc(hidden)]
    pub fn untyped(&self) -> Type<'_> {
        Type { schema: self, node: UNTYPED }
    }

    fn root_of(&self, definition: DefinitionId) -> Type<'_> {
        Type { schema: self, node: self.model().definition(definition).node }
    }
}

impl<'s> Type<'s> {
    /// The compiled schema that the cursor walks.
    pub fn schema(self) -> &'s Schema {
        self.schema
    }

    /// Whether nothing is known: maps merge, lists are replaced, everything below is untyped too.
    pub fn is_untyped(self) -> bool {
        self.node == UNTYPED
    }

    /// Whether maps merge and lists are replaced, however deep, as if no field below had a rule of its own.
    /// The first call for a schema looks at all of its types.
    pub fn is_plain(self) -> bool {
        self.schema.plain_types().has(self.node)
    }

    /// The name of the definition that describes the value, where it has one.
    pub fn definition_name(self) -> Option<&'s str> {
        let model = self.model();
        let named = self.definition()?;
        Some(model.text(model.definition(named).name))
    }

    /// Where the definition of this type came from.
    pub fn origin(self) -> Option<Origin> {
        let definition = self.definition()?;
        Some(self.model().definition(definition).origin)
    }

    /// Whether this is the root of a custom resource.
    pub fn is_custom_resource(self) -> bool {
        self.has_flag(Flags::CUSTOM_RESOURCE)
    }

    /// Whether objects of this type take strategic merge patches. In `upstream` custom resources do not, nor kinds whose
    /// document leaves these patches out of what PATCH consumes; the other dialects merge all.
    pub fn strategic_patch(self) -> StrategicPatch {
        let is_refused = self.is_custom_resource() || self.has_flag(Flags::NO_STRATEGIC_PATCH);
        match self.schema.dialect() {
            Dialect::Upstream if is_refused => StrategicPatch::Refused,
            Dialect::Upstream | Dialect::Spec | Dialect::Kustomize => StrategicPatch::Accepted,
        }
    }

    fn has_flag(self, flag: Flags) -> bool {
        self.resolved().is_some_and(|node| node.flags.has(flag))
    }

    /// What kind of value the schema wants.
    pub fn shape(self) -> Shape {
        self.resolved().map_or(Shape::Any, |node| node.shape)
    }

    pub(crate) fn model(self) -> &'s Model {
        self.schema.model()
    }

    /// The node that describes the value, after references.
    pub(crate) fn resolved(self) -> Option<&'s Node> {
        let model = self.model();
        (!self.is_untyped()).then(|| model.node(model.resolve(self.node)))
    }

    pub(crate) fn at(self, node: NodeId) -> Type<'s> {
        Type { node, ..self }
    }

    fn definition(self) -> Option<u32> {
        let model = self.model();
        let id = (!self.is_untyped()).then(|| model.resolve(self.node))?;
        let owner = model.node(id).owner;
        // Inline schemas belong to a definition without being it.
        model.definitions.get(owner as usize).filter(|entry| entry.node == id).map(|_| owner)
    }
}

impl std::fmt::Debug for Type<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Type({} #{})", self.definition_name().unwrap_or("inline"), self.node)
    }
}
