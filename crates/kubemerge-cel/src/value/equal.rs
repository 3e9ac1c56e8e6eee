//! What `==` answers.

use crate::error::CelError;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use kubemerge_value::deep;

use super::containers::{map_key, set_key};
use super::order::compare_numbers;
use super::{CelList, CelMap, CelMapView, CelValue, ListKind};
use crate::library::QuantityOrigin;

const NO_OVERLOAD: &str = "no such overload";

impl<'v> CelValue<'v> {
    /// Whether two values are equal, as the operator `==` has it: null is equal to null and to nothing else.
    pub(crate) fn equals(&self, other: &CelValue<'v>) -> Result<bool, CelError> {
        match (self, other) {
            (CelValue::Null, CelValue::Null) => Ok(true),
            (CelValue::Null, _) | (_, CelValue::Null) => Ok(false),
            _ => self.is_same(other),
        }
    }

    /// Whether two values are the same. Kubernetes' own types know only values of their type.
    pub(crate) fn is_same(&self, other: &CelValue<'v>) -> Result<bool, CelError> {
        Ok(match (self, other) {
            (CelValue::Null, other) => matches!(other, CelValue::Null),
            (CelValue::Bool(one), CelValue::Bool(other)) => one == other,
            (CelValue::String(one), CelValue::String(other)) => **one == **other,
            (CelValue::Bytes(one), CelValue::Bytes(other)) => one == other,
            (CelValue::Timestamp(one), CelValue::Timestamp(other)) => one.cmp(other) == Ordering::Equal,
            (CelValue::Duration(one), CelValue::Duration(other)) => one == other,
            (CelValue::Type(one), CelValue::Type(other)) => one == other,
            (CelValue::Int(_) | CelValue::Uint(_) | CelValue::Double(_), _) => {
                compare_numbers(self, other) == Some(Ordering::Equal)
            }
            (CelValue::List(one), CelValue::List(other)) => return deep(|| same_lists(one, other)),
            (CelValue::List(list), _) => return other_type(list.is_strict()),
            (CelValue::Map(one), CelValue::Map(other)) => return deep(|| same_maps(one, other)),
            (CelValue::Map(map), _) => return other_type(map.is_strict()),
            (CelValue::Optional(Some(one)), CelValue::Optional(Some(other))) => {
                return deep(|| one.is_same(other));
            }
            (CelValue::Optional(one), CelValue::Optional(other)) => one.is_none() && other.is_none(),
            (CelValue::Quantity(one, _), CelValue::Quantity(other, QuantityOrigin::Read)) => {
                one.compare(other) == Ordering::Equal
            }
            (CelValue::Ip(one), CelValue::Ip(other)) => one == other,
            (CelValue::Cidr(one), CelValue::Cidr(other)) => one == other,
            (CelValue::Url(one), CelValue::Url(other)) => one.text() == other.text(),
            (CelValue::Semver(one), CelValue::Semver(other)) => one.compare(other) == Ordering::Equal,
            (CelValue::Format(one), CelValue::Format(other)) => one == other,
            (
                CelValue::Quantity(..)
                | CelValue::Ip(_)
                | CelValue::Cidr(_)
                | CelValue::Url(_)
                | CelValue::Semver(_)
                | CelValue::Format(_),
                _,
            ) => return Err(NO_OVERLOAD.into()),
            _ => false,
        })
    }
}

/// Lists and maps with a schema know no values of other types.
fn other_type(is_strict: bool) -> Result<bool, CelError> {
    if is_strict { Err(NO_OVERLOAD.into()) } else { Ok(false) }
}

fn same_lists<'v>(one: &CelList<'v>, other: &CelList<'v>) -> Result<bool, CelError> {
    if one.len() != other.len() {
        return Ok(false);
    }
    match one.kind() {
        ListKind::Atomic => {}
        ListKind::Set => return same_sets(one, other),
        ListKind::Map(names) => return same_items_by_key(one, other, &names),
    }
    for (one_item, other_item) in one.iter().zip(other.iter()) {
        let is_same = if one.is_strict() {
            one_item.is_same(&other_item)?
        } else {
            // Upstream: items that cannot be compared are no difference.
            one_item.equals(&other_item).unwrap_or(true)
        };
        if !is_same {
            return Ok(false);
        }
    }
    Ok(true)
}

fn same_sets<'v>(one: &CelList<'v>, other: &CelList<'v>) -> Result<bool, CelError> {
    let mut items = BTreeSet::new();
    for item in one.iter() {
        items.insert(set_key(&item)?);
    }
    let mut seen = BTreeSet::new();
    for item in other.iter() {
        let key = set_key(&item)?;
        if !items.contains(&key) {
            return Ok(false);
        }
        seen.insert(key);
    }
    Ok(seen.len() == items.len())
}

fn same_items_by_key<'v>(one: &CelList<'v>, other: &CelList<'v>, names: &[&str]) -> Result<bool, CelError> {
    let items: BTreeMap<_, CelValue<'v>> = one.iter().map(|item| (map_key(&item, names), item)).collect();
    let mut seen = BTreeSet::new();
    for item in other.iter() {
        let key = map_key(&item, names);
        let Some(found) = items.get(&key) else { return Ok(false) };
        if !found.is_same(&item)? {
            return Ok(false);
        }
        seen.insert(key);
    }
    Ok(seen.len() == items.len())
}

fn same_maps<'v>(one: &CelMap<'v>, other: &CelMap<'v>) -> Result<bool, CelError> {
    if one.len() != other.len() {
        return Ok(false);
    }
    if let Some(view) = one.as_view().filter(|_| one.is_strict()) {
        return same_view(view, other);
    }
    for (key, value) in one.members() {
        let Some(found) = other.find(&key)? else { return Ok(false) };
        // Upstream: members that cannot be compared are no difference.
        if !value.equals(&found).unwrap_or(true) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn same_view<'v>(one: &(dyn CelMapView<'v> + 'v), other: &CelMap<'v>) -> Result<bool, CelError> {
    for name in one.names() {
        match (one.get(&name), other.get_name(&name)) {
            (None, None) => {}
            (Some(value), Some(found)) => {
                if !value.is_same(&found)? {
                    return Ok(false);
                }
            }
            _ => return Ok(false),
        }
    }
    let undeclared = one.undeclared();
    if undeclared.is_empty() {
        return Ok(true);
    }
    let Some(other) = other.as_view() else { return Err(NO_OVERLOAD.into()) };
    let others: BTreeMap<&str, CelValue<'v>> = other.undeclared().into_iter().collect();
    for (name, value) in undeclared {
        // Upstream: a member that only one of them has is no difference.
        if let Some(found) = others.get(name)
            && !value.equals(found)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}
