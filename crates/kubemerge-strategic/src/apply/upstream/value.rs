//! One value of a patch into what live holds at that field, as Kubernetes merges it.

use super::clean::clean;
use crate::{
    apply::{
        Merger,
        map::Outcome,
        value::{list_rule, map_rule},
    },
    directive::MapPatch,
    error::MergeError,
    observe::{MaybeObserver, MergeEvent, Removal, Replacement},
};
use kubemerge_schema::{ListRule, ListStrategy, MapRule, MapStrategy, Type};
use kubemerge_value::{Entry, Kind, Node, Path, Str, deep};

impl<'a, O: MaybeObserver> Merger<'a, '_, O> {
    /// Upstream: a value that is not null.
    pub(in crate::apply) fn upstream_value(
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
    pub(in crate::apply) fn upstream_map_by(
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
    pub(in crate::apply) fn delete_from(
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
}
