//! One value of a patch into what live holds at that field, in the `spec` dialect.

use crate::{
    apply::{
        Merger,
        map::Outcome,
        unknown_word,
        value::{list_rule, map_rule},
    },
    directive::PatchWord,
    error::MergeError,
    observe::{MaybeObserver, MergeEvent, Removal, Replacement},
    unions::patch_with_unions,
};
use kubemerge_schema::{ItemStrategy, ListRule, ListStrategy, MapRule, MapStrategy, Type};
use kubemerge_value::{Kind, Node, Path, Str, deep};

impl<'a, O: MaybeObserver> Merger<'a, '_, O> {
    /// `spec`: the patch sets another member of the union.
    pub(in crate::apply) fn exclude(&mut self, live: Option<Node<'a>>, path: &Path<'_>) -> Outcome<'a> {
        if let Some(value) = live {
            self.observer.note(path, MergeEvent::Removed { value, cause: Removal::Union });
        }
        Outcome::Remove
    }

    /// `spec`: a value without order and delete list. What finds nothing to merge with is merged into an
    /// empty value of its kind.
    pub(in crate::apply) fn spec_value(
        &mut self,
        ty: Type<'_>,
        live: Option<Node<'a>>,
        field: Str<'a>,
        value: Node<'a>,
        path: &Path<'_>,
    ) -> Result<Outcome<'a>, MergeError> {
        match value.kind() {
            Kind::Map => {
                let base = live.filter(|live| live.kind() == Kind::Map);
                let rule = self.rule_of_map(ty, base, field, path)?;
                self.spec_map_by(&rule, live, value, path)
            }
            Kind::List => {
                let base = live.filter(|live| live.kind() == Kind::List);
                if base.is_none() {
                    self.note_set(live, value, path);
                }
                let rule = self.rule_of_list(ty, base, field, path)?;
                self.spec_list(&rule, base, Some(value), path).map(Outcome::Put)
            }
            _ => {
                self.note_set(live, value, path);
                Ok(Outcome::Put(value))
            }
        }
    }

    /// `spec`: a map whose rule is known, into whatever live holds.
    pub(in crate::apply) fn spec_map_by(
        &mut self,
        rule: &MapRule<'_>,
        live: Option<Node<'a>>,
        patch: Node<'a>,
        path: &Path<'_>,
    ) -> Result<Outcome<'a>, MergeError> {
        let patch = &patch_with_unions(patch, rule.unions(), path, self.arena)?;
        let base = live.filter(|live| live.kind() == Kind::Map);
        // The directive of the patch goes before the rule of the schema.
        let replacement = match (patch.patch.map(PatchWord::of), rule.strategy) {
            (Some(PatchWord::Unknown), _) => return Err(unknown_word(patch, path)),
            (Some(PatchWord::Delete), _) => {
                if let Some(value) = live {
                    self.observer.note(path, MergeEvent::Removed { value, cause: Removal::PatchDirective });
                }
                return Ok(Outcome::Remove);
            }
            (Some(PatchWord::Replace), _) => Some(Replacement::PatchDirective),
            (_, MapStrategy::Replace) => Some(Replacement::Rule),
            _ => None,
        };
        match (replacement, base) {
            (Some(cause), _) => self.observer.note(path, MergeEvent::MapReplaced { from: live, cause }),
            (None, None) => self.note_set(live, patch.node, path),
            (None, Some(_)) => {}
        }
        let base = base.filter(|_| replacement.is_none());
        deep(|| self.map(rule.value, base, patch, path)).map(Outcome::Put)
    }

    /// `spec`: below a field that live lacks, what the schema does not know is untyped.
    fn rule_of_map<'s>(
        &self,
        ty: Type<'s>,
        live: Option<Node<'a>>,
        field: Str<'a>,
        path: &Path<'_>,
    ) -> Result<MapRule<'s>, MergeError> {
        let untyped = ty.schema().untyped();
        match map_rule(ty, field, path) {
            // The schema need not know a field that the object does not have: it is added as it is.
            Err(_) if live.is_none() => Ok(MapRule {
                strategy: MapStrategy::Merge,
                retain_keys: false,
                has_unions: false,
                value: untyped,
            }),
            rule => rule,
        }
    }

    pub(in crate::apply) fn rule_of_list<'s>(
        &self,
        ty: Type<'s>,
        live: Option<Node<'a>>,
        field: Str<'a>,
        path: &Path<'_>,
    ) -> Result<ListRule<'s>, MergeError> {
        match list_rule(ty, field, path) {
            Err(_) if live.is_none() => Ok(ListRule {
                strategy: ListStrategy::Atomic,
                retain_keys: false,
                has_unions: false,
                item: ty.schema().untyped(),
                items: ItemStrategy::Merge,
            }),
            rule => rule,
        }
    }
}
