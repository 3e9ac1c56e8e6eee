//! Merges a configuration into a live value. Merging removes nothing.
//!
//! Parts that the configuration does not change are those of the live value, so that later comparisons
//! stop at them.

use std::cmp::Ordering;

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_schema::{ListForm, ListItems, MapEntries, MapForm, TypeRef};
use kubemerge_value::{deep, tree::TreeField};

use super::error::ValidationErrors;
use super::{Form, form_of, member_type, merge_list};
use crate::fieldpath::{Element, PathStack};
use crate::value::{Arena, Items, Member, Members, ParsedValue};

/// The live value with the configuration merged into it.
///
/// # Errors
/// If an item has no identity, or the configuration lists one twice.
pub fn merge<'a>(
    ty: TypeRef<'a>,
    live: ParsedValue<'a>,
    config: ParsedValue<'a>,
    arena: &'a Arena,
) -> Result<ParsedValue<'a>, ValidationErrors> {
    let mut walk = MergeWalk { arena, path: PathStack::new(), problems: ValidationErrors::default() };
    let merged = walk.pair(ty, Some(live), Some(config));
    walk.problems.or(merged.unwrap_or(ParsedValue::Null))
}

pub(super) struct MergeWalk<'a> {
    pub(super) arena: &'a Arena,
    pub(super) path: PathStack<'a>,
    pub(super) problems: ValidationErrors,
}

impl<'a> MergeWalk<'a> {
    /// Merges two values, of which one may be absent. The form of the configuration decides.
    pub(super) fn pair(
        &mut self,
        ty: TypeRef<'a>,
        live: Option<ParsedValue<'a>>,
        config: Option<ParsedValue<'a>>,
    ) -> Option<ParsedValue<'a>> {
        // A value without a partner comes out as it is.
        if config.is_none() || live.is_none() {
            return config.or(live);
        }
        match form_of(ty, config.or(live)) {
            Form::Map(map) => {
                let (left, right) =
                    (live.and_then(ParsedValue::members), config.and_then(ParsedValue::members));
                let (left, right) = (left.unwrap_or_default(), right.unwrap_or_default());
                if map.entries == MapEntries::Atomic || (left.is_empty() && right.is_empty()) {
                    // An empty map in the configuration replaces null, and an atomic one is taken whole.
                    return leaf(live, config);
                }
                deep(|| self.maps(map, left, right))
            }
            Form::List(list) => {
                let (left, right) = (live.and_then(ParsedValue::items), config.and_then(ParsedValue::items));
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

    fn maps(&mut self, map: MapForm<'a>, live: Members<'a>, config: Members<'a>) -> Option<ParsedValue<'a>> {
        // As long as nothing differs, the merged map is the beginning of the live one.
        let mut merged: Option<ArenaVec<'a, TreeField<'a>>> = None;
        let (mut left, mut right) = (live.iter().peekable(), config.iter().peekable());
        let mut kept = 0;
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some(live), Some(config)) => live.name.cmp(config.name),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let live_member = left.next_if(|_| order.is_le());
            let config_member = right.next_if(|_| order.is_ge());
            let result = self.member(map, live_member, config_member);
            let is_live = match (live_member, result) {
                (Some(live), Some(result)) => is_kept(live.value, result.value),
                _ => false,
            };
            if !is_live && merged.is_none() {
                // The first difference: copy what was the same so far.
                let room = live.fields().len() + config.fields().len();
                let mut begun = ArenaVec::with_capacity_in(room, self.arena);
                let same = live.iter().take(kept);
                begun.extend(same.map(|member| member.value.named(member.name, self.arena)));
                merged = Some(begun);
            }
            if let Some(merged) = &mut merged {
                merged.extend(result.map(|member| member.value.named(member.name, self.arena)));
            }
            kept += 1;
        }
        match merged {
            None => Some(ParsedValue::Map(live)),
            // A map without entries is absent.
            Some(merged) => (!merged.is_empty()).then(|| ParsedValue::map_of(merged)),
        }
    }

    #[inline]
    fn member(
        &mut self,
        map: MapForm<'a>,
        live: Option<Member<'a>>,
        config: Option<Member<'a>>,
    ) -> Option<Member<'a>> {
        let Some(config) = config else { return live };
        if let Some(live) = live
            && config.value.is_scalar()
            && live.value.is_identical(config.value)
        {
            // Equal scalars merge to themselves, whatever their type.
            return Some(live);
        }
        let ty = member_type(map, config.name)?;
        self.path.push(Element::Name(config.name));
        let value = self.pair(ty, live.map(|live| live.value), Some(config.value));
        self.path.pop();
        value.map(|value| Member { name: config.name, value })
    }

    fn lists(&mut self, list: ListForm<'a>, live: Items<'a>, config: Items<'a>) -> Option<ParsedValue<'a>> {
        let merged = merge_list::merged_items(self, list, live, config);
        let is_same = |(live, merged): (ParsedValue<'a>, &ParsedValue<'a>)| is_kept(live, *merged);
        if live.len() == merged.len() && live.iter().zip(&merged).all(is_same) {
            return Some(ParsedValue::List(live));
        }
        let items =
            || ArenaVec::from_iter_in(merged.iter().map(|item| item.to_value(self.arena)), self.arena);
        (!merged.is_empty()).then(|| ParsedValue::list_of(items()))
    }
}

/// The configuration where it says something, null included; else the live value.
fn leaf<'a>(live: Option<ParsedValue<'a>>, config: Option<ParsedValue<'a>>) -> Option<ParsedValue<'a>> {
    match (live, config) {
        // The live value is kept, so that callers see that nothing changed.
        (Some(live), Some(config)) if live.is_identical(config) => Some(live),
        (live, config) => config.or(live),
    }
}

/// Whether a merged value is the live one. Containers are shared, so only scalars are looked at.
fn is_kept(live: ParsedValue<'_>, merged: ParsedValue<'_>) -> bool {
    match live {
        // Empty slices have no address of their own.
        ParsedValue::Map(members) if members.is_empty() => merged.is_identical(live),
        ParsedValue::List(items) if items.is_empty() => merged.is_identical(live),
        ParsedValue::Map(_) | ParsedValue::List(_) => live.is_same_part(merged),
        scalar => scalar.is_identical(merged),
    }
}
