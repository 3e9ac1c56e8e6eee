//! One value of a patch into what live holds at that field.

use super::{Merger, Mode, clean::clean, elements::expected_list, map::Outcome, unknown_word};
use crate::{
    directive::{MapPatch, PatchWord},
    error::MergeError,
    observe::{MaybeObserver, MergeEvent, Removal, Replacement},
    unions::patch_with_unions,
};
use kubemerge_schema::{ItemStrategy, ListRule, ListStrategy, MapRule, MapStrategy, Type};
use kubemerge_value::{Entry, Kind, Node, Path, Str, deep};

impl<'a, O: MaybeObserver> Merger<'a, '_, O> {
    /// Upstream: a value that is not null.
    pub(super) fn upstream_value(
        &mut self,
        ty: Type<'_>,
        live: Option<Node<'a>>,
        field: Str<'a>,
        value: Node<'a>,
        path: &Path<'_>,
    ) -> Result<Outcome<'a>, MergeError> {
        // Upstream: values of different types are not merged, the patch wins.
        match live.filter(|live| live.kind() == value.kind()) {
            Some(live) => self.merge(ty, live, field, value, path),
            None => Ok(self.take(live, value, path)),
        }
    }

    /// A null in the patch removes the field; laid over another patch it is a value.
    pub(super) fn remove(&mut self, live: Option<Node<'a>>, path: &Path<'_>) -> Outcome<'a> {
        if let Some(value) = live {
            self.observer.note(path, MergeEvent::Removed { value, cause: Removal::Null });
        }
        match self.mode {
            Mode::Apply => Outcome::Remove,
            // In a patch the null must stay: it removes when the patch is applied.
            Mode::Combine => Outcome::Put(Node::NULL),
        }
    }

    /// `spec`: the patch sets another member of the union.
    pub(super) fn exclude(&mut self, live: Option<Node<'a>>, path: &Path<'_>) -> Outcome<'a> {
        if let Some(value) = live {
            self.observer.note(path, MergeEvent::Removed { value, cause: Removal::Union });
        }
        Outcome::Remove
    }

    /// Upstream: live lacks the field or holds another type; the value is stored, cleaned a little.
    fn take(&mut self, live: Option<Node<'a>>, value: Node<'a>, path: &Path<'_>) -> Outcome<'a> {
        let Some(value) = clean(value, self.mode, self.arena) else {
            if let Some(value) = live {
                self.observer.note(path, MergeEvent::Removed { value, cause: Removal::PatchDirective });
            }
            return Outcome::Remove;
        };
        self.note_set(live, value, path);
        Outcome::Put(value)
    }

    fn note_set(&mut self, live: Option<Node<'a>>, value: Node<'a>, path: &Path<'_>) {
        self.observer.note(
            path,
            match live {
                Some(from) => MergeEvent::Set { from, to: value },
                None => MergeEvent::Added { value },
            },
        );
    }

    /// Upstream: both sides hold a value of one type.
    fn merge(
        &mut self,
        ty: Type<'_>,
        live: Node<'a>,
        field: Str<'a>,
        value: Node<'a>,
        path: &Path<'_>,
    ) -> Result<Outcome<'a>, MergeError> {
        match value.kind() {
            Kind::Map => self.upstream_map_by(&map_rule(ty, field, path)?, live, value, path),
            Kind::List => {
                let rule = list_rule(ty, field, path)?;
                self.list(&rule, live, value, path).map(Outcome::Put)
            }
            _ => {
                self.note_set(Some(live), value, path);
                Ok(Outcome::Put(value))
            }
        }
    }

    /// Upstream: both sides hold a map, and its rule is known.
    pub(super) fn upstream_map_by(
        &mut self,
        rule: &MapRule<'_>,
        live: Node<'a>,
        value: Node<'a>,
        path: &Path<'_>,
    ) -> Result<Outcome<'a>, MergeError> {
        if rule.strategy == MapStrategy::Replace {
            self.observer.note(path, MergeEvent::MapReplaced { from: Some(live), cause: Replacement::Rule });
            return Ok(Outcome::Put(value));
        }
        let patch = MapPatch::parse(value, self.arena);
        deep(|| self.map(rule.value, Some(live), &patch, path)).map(Outcome::Put)
    }

    fn list(
        &mut self,
        rule: &ListRule<'_>,
        live: Node<'a>,
        patch: Node<'a>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        if rule.strategy == ListStrategy::Atomic {
            self.observer.note(path, MergeEvent::ListReplaced { from: Some(live), cause: Replacement::Rule });
            return Ok(patch);
        }
        self.merge_list(rule, live, patch, path)
    }

    /// Upstream: a delete list, under whatever rule the field has.
    pub(super) fn delete_from(
        &mut self,
        ty: Type<'_>,
        live: Option<Node<'a>>,
        field: Str<'a>,
        delete: Entry<'a>,
        path: &Path<'_>,
    ) -> Result<Outcome<'a>, MergeError> {
        let kind = delete.value.kind();
        if kind == Kind::Null {
            return Ok(self.remove(live, path));
        }
        // Nothing to delete from.
        let Some(live) = live.filter(|live| live.kind() == kind) else { return Ok(Outcome::Keep) };
        if kind != Kind::List {
            // Upstream: a delete list that is no list merges like any other value
            // (apply/delete-list.yaml, `directive value is a scalar`).
            return self.merge(ty, live, field, delete.value, path);
        }
        let rule = list_rule(ty, field, path)?;
        self.delete_list(&rule, live, delete.value, path).map(Outcome::Put)
    }

    /// `spec`: a value without order and delete list. What finds nothing to merge with is merged into an
    /// empty value of its kind.
    pub(super) fn spec_value(
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
    pub(super) fn spec_map_by(
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

    pub(super) fn rule_of_list<'s>(
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

pub(super) fn map_rule<'s>(ty: Type<'s>, field: Str<'_>, path: &Path<'_>) -> Result<MapRule<'s>, MergeError> {
    ty.map_field(&field.text()).map_err(|error| MergeError::from_lookup(error, path))
}

pub(super) fn list_rule<'s>(
    ty: Type<'s>,
    field: Str<'_>,
    path: &Path<'_>,
) -> Result<ListRule<'s>, MergeError> {
    ty.list_field(&field.text()).map_err(|error| MergeError::from_lookup(error, path))
}

/// The list beside an order list: absent, or a list.
pub(super) fn list_or_absent<'a>(
    value: Option<Node<'a>>,
    path: &Path<'_>,
) -> Result<Option<Node<'a>>, MergeError> {
    match value {
        Some(value) if value.kind() != Kind::List => Err(expected_list(value, path)),
        other => Ok(other),
    }
}
