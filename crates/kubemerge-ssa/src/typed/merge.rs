//! Merges a configuration into a live value. Merging removes nothing.
//!
//! Parts that the configuration does not change are those of the live value, so that later comparisons
//! stop at them.

use std::cmp::Ordering;

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_schema::{ListForm, ListItems, MapEntries, MapForm, TypeRef};
use kubemerge_value::deep;

use super::error::Problems;
use super::{Form, form_of, member_type, merge_list};
use crate::fieldpath::{Element, PathStack};
use crate::value::{Arena, Member, Value};

/// The live value with the configuration merged into it.
///
/// # Errors
/// If an item has no identity, or the configuration lists one twice.
pub fn merge<'a>(
    ty: TypeRef<'a>,
    live: Value<'a>,
    config: Value<'a>,
    arena: &'a Arena,
) -> Result<Value<'a>, Problems> {
    let mut walk = MergeWalk { arena, path: PathStack::new(), problems: Problems::default() };
    let merged = walk.pair(ty, Some(live), Some(config));
    walk.problems.or(merged.unwrap_or(Value::Null))
}

pub(super) struct MergeWalk<'a> {
    pub(super) arena: &'a Arena,
    pub(super) path: PathStack<'a>,
    pub(super) problems: Problems,
}

impl<'a> MergeWalk<'a> {
    /// Merges two values, of which one may be absent. The form of the configuration decides.
    pub(super) fn pair(
        &mut self,
        ty: TypeRef<'a>,
        live: Option<Value<'a>>,
        config: Option<Value<'a>>,
    ) -> Option<Value<'a>> {
        if config.is_none() {
            // A value without a partner comes out as it is.
            return live;
        }
        match form_of(ty, config.or(live)) {
            Form::Map(map) => {
                let (left, right) = (live.and_then(Value::members), config.and_then(Value::members));
                let (left, right) = (left.unwrap_or_default(), right.unwrap_or_default());
                if map.entries == MapEntries::Atomic || (left.is_empty() && right.is_empty()) {
                    return leaf(live, config);
                }
                deep(|| self.maps(map, left, right))
            }
            Form::List(list) => {
                let (left, right) = (live.and_then(Value::items), config.and_then(Value::items));
                let (left, right) = (left.unwrap_or_default(), right.unwrap_or_default());
                if matches!(list.items, ListItems::Atomic) || (left.is_empty() && right.is_empty()) {
                    return leaf(live, config);
                }
                deep(|| self.lists(list, left, right))
            }
            Form::Scalar(_) => leaf(live, config),
            Form::Nothing => None,
        }
    }

    fn maps(
        &mut self,
        map: MapForm<'a>,
        live: &'a [Member<'a>],
        config: &'a [Member<'a>],
    ) -> Option<Value<'a>> {
        let mut merged = ArenaVec::with_capacity_in(live.len().max(config.len()), self.arena);
        let (mut left, mut right) = (live.iter().peekable(), config.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(live), Some(config)) => live.name.cmp(config.name),
            };
            let live = left.next_if(|_| order.is_le());
            let config = right.next_if(|_| order.is_ge());
            let Some(member) = live.or(config) else { break };
            let ty = member_type(map, member.name);
            let value = ty.and_then(|ty| self.member(ty, live.copied(), config.copied()));
            merged.extend(value.map(|value| Member { name: member.name, value }));
        }
        if is_unchanged_map(live, &merged) {
            return Some(Value::Map(live));
        }
        // A map without entries is absent.
        (!merged.is_empty()).then(|| Value::Map(merged.into_bump_slice()))
    }

    fn member(
        &mut self,
        ty: TypeRef<'a>,
        live: Option<Member<'a>>,
        config: Option<Member<'a>>,
    ) -> Option<Value<'a>> {
        let name = live.or(config)?.name;
        self.path.push(Element::Name(name));
        let value = self.pair(ty, live.map(|live| live.value), config.map(|config| config.value));
        self.path.pop();
        value
    }

    fn lists(
        &mut self,
        list: ListForm<'a>,
        live: &'a [Value<'a>],
        config: &'a [Value<'a>],
    ) -> Option<Value<'a>> {
        let merged = merge_list::merged_items(self, list, live, config);
        let is_same = |(live, merged): (&Value<'a>, &Value<'a>)| is_kept(*live, *merged);
        if live.len() == merged.len() && live.iter().zip(&merged).all(is_same) {
            return Some(Value::List(live));
        }
        (!merged.is_empty()).then(|| Value::List(merged.into_bump_slice()))
    }
}

/// The configuration where it says something, null included; else the live value.
fn leaf<'a>(live: Option<Value<'a>>, config: Option<Value<'a>>) -> Option<Value<'a>> {
    match (live, config) {
        (Some(live), Some(config)) if live.is_identical(config) => Some(live),
        (live, config) => config.or(live),
    }
}

fn is_unchanged_map(live: &[Member<'_>], merged: &[Member<'_>]) -> bool {
    let is_same = |(live, merged): (&Member<'_>, &Member<'_>)| {
        live.name == merged.name && is_kept(live.value, merged.value)
    };
    !live.is_empty() && live.len() == merged.len() && live.iter().zip(merged).all(is_same)
}

/// Whether a merged value is the live one. Containers are shared, so only scalars are looked at.
fn is_kept(live: Value<'_>, merged: Value<'_>) -> bool {
    match live {
        Value::Map([]) | Value::List([]) => merged.is_identical(live),
        Value::Map(_) | Value::List(_) => live.is_same_part(merged),
        scalar => scalar.is_identical(merged),
    }
}
