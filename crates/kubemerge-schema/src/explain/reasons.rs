//! The metadata that decides how a field merges, one fact each.

use super::explanation::Merge;
use crate::compile::Dialect;
use crate::model::{Flags, ListType, Model, Node, NodeId, Origin, is_atomic, merge_key_names};
use crate::schema::{Schema, Type};

/// The facts that decided, the deciding one first.
pub(super) fn because(schema: &Schema, property: NodeId, merge: &Merge<'_>) -> Vec<String> {
    let model = schema.model();
    let facts = Facts { model, property, dialect: schema.dialect() };
    match merge {
        Merge::Scalar => vec!["scalars have no rule".to_owned()],
        Merge::Untyped => vec!["the schema does not describe the value".to_owned()],
        Merge::Invalid => vec![facts.strategy()],
        // Before the others: the metadata is there, and users wonder why it has no effect.
        Merge::Map(_) | Merge::List { .. } if facts.drops_strategy() => {
            vec!["patch metadata of a custom resource definition is dropped by the API server".to_owned()]
        }
        Merge::Map(_) => facts.of_map(),
        Merge::List { .. } => facts.of_list(),
    }
}

/// What unions do to a merge.
#[derive(Clone, Copy)]
pub(super) enum UnionRule {
    Clear,
    /// The dialect does not know them.
    Unknown,
    /// The patch says what to keep.
    RetainKeys,
}

impl UnionRule {
    pub(super) fn of(schema: &Schema, clears: bool) -> UnionRule {
        match schema.dialect() {
            Dialect::Spec if clears => UnionRule::Clear,
            Dialect::Spec => UnionRule::RetainKeys,
            Dialect::Upstream | Dialect::Kustomize => UnionRule::Unknown,
        }
    }
}

/// A fact for every union of a value, or of the items of a list.
pub(super) fn of_unions(ty: Type<'_>, rule: UnionRule) -> Vec<String> {
    let of_value = ty.unions().iter();
    of_value
        .chain(ty.items().into_iter().flat_map(|item| item.unions().iter()))
        .map(|union| {
            let members: Vec<&str> = union.members().map(|member| member.field).collect();
            let by = union.discriminator().map(|name| format!(" by {name}")).unwrap_or_default();
            let fact = format!("x-kubernetes-unions: {}{by}", members.join(", "));
            match rule {
                UnionRule::Clear => fact,
                UnionRule::Unknown => format!("ignored: {fact}"),
                UnionRule::RetainKeys => format!("ignored: {fact} (retainKeys clears)"),
            }
        })
        .collect()
}

/// The metadata of a property, as facts in words.
struct Facts<'m> {
    model: &'m Model,
    property: NodeId,
    dialect: Dialect,
}

impl Facts<'_> {
    fn node(&self) -> &Node {
        self.model.node(self.property)
    }

    fn has_strategy(&self) -> bool {
        self.node().strategy.is_given()
    }

    fn drops_strategy(&self) -> bool {
        let owner = self.model.definitions.get(self.node().owner as usize);
        let is_custom = owner.is_some_and(|owner| owner.origin == Origin::CustomResource);
        is_custom && self.has_strategy() && self.dialect == Dialect::Upstream
    }

    fn strategy(&self) -> String {
        format!("x-kubernetes-patch-strategy: {}", self.model.text(self.node().strategy))
    }

    fn list_map_keys(&self) -> String {
        let keys: Vec<&str> =
            self.model.list_map_keys(self.node()).iter().map(|key| self.model.text(*key)).collect();
        format!("x-kubernetes-list-map-keys: {}", keys.join(","))
    }

    fn of_map(&self) -> Vec<String> {
        if self.has_strategy() {
            return vec![self.strategy()];
        }
        let atomic = is_atomic(self.model, self.node());
        match (atomic, self.dialect) {
            (true, Dialect::Spec) => vec!["x-kubernetes-map-type: atomic".to_owned()],
            // Map types are for server-side apply; strategic merge patch does not read them.
            (true, Dialect::Upstream | Dialect::Kustomize) => vec![
                "no x-kubernetes-patch-strategy".to_owned(),
                "ignored: x-kubernetes-map-type: atomic".to_owned(),
            ],
            (false, _) => vec!["no metadata says otherwise".to_owned()],
        }
    }

    fn of_list(&self) -> Vec<String> {
        match (self.has_strategy(), self.dialect) {
            (true, _) => self.of_patched_list(),
            (false, Dialect::Spec) => self.of_typed_list(),
            (false, Dialect::Upstream | Dialect::Kustomize) => {
                let mut facts = vec!["no x-kubernetes-patch-strategy".to_owned()];
                if let Some(word) = self.node().list_type.word().filter(|word| *word != "atomic") {
                    facts.push(format!("ignored: x-kubernetes-list-type: {word}"));
                }
                facts
            }
        }
    }

    fn of_patched_list(&self) -> Vec<String> {
        let node = self.node();
        let mut facts = vec![self.strategy()];
        let key = self.model.text(node.merge_key);
        if self.dialect == Dialect::Kustomize && !self.model.list_map_keys(node).is_empty() {
            facts.push(self.list_map_keys());
            return facts;
        }
        if !key.is_empty() {
            let source =
                if node.flags.has(Flags::OVERLAID) { "overlay keys" } else { "x-kubernetes-patch-merge-key" };
            facts.push(format!("{source}: {key}"));
        }
        let count = self.model.list_map_keys(node).len();
        // The spec dialect takes all list-map-keys if they contain the merge key.
        let widened = count > merge_key_names(key).count();
        if self.dialect == Dialect::Spec && widened && !node.flags.has(Flags::OVERLAID) {
            facts.push(format!("{} (they hold the merge key, so all of them count)", self.list_map_keys()));
        } else if self.dialect == Dialect::Upstream && widened {
            facts.push(format!("ignored: {}", self.list_map_keys()));
        }
        facts
    }

    fn of_typed_list(&self) -> Vec<String> {
        let Some(word) = self.node().list_type.word() else {
            return vec!["no x-kubernetes-patch-strategy and no x-kubernetes-list-type".to_owned()];
        };
        let mut facts = vec![format!("x-kubernetes-list-type: {word}")];
        if self.node().list_type == ListType::Map {
            facts.push(self.list_map_keys());
        }
        facts
    }
}
