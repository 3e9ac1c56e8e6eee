//! Unions: fields of an object of which at most one is set (`x-kubernetes-unions`).
//!
//! Off unless called: no released API server enforces unions. [`check_unions`] validates as the design of the
//! extension describes it; [`normalize_update`] and [`normalize_apply`] clear members that a write left behind.

use std::borrow::Cow;

use kubemerge_schema::{FieldUnion, Type};
use kubemerge_value::deep;

use crate::typed::{ValidationError, ValidationErrors};
use crate::value::{Arena, ParsedValue};

/// Whether a write that sets a member also sets the discriminator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discriminator {
    /// It stays as the writer left it.
    Keep,
    /// It follows the member that is set.
    Deduce,
}

/// Checks every union of an object.
///
/// A discriminator that selects a member requires it and forbids the others; without one, at most one member
/// may be set; one that selects nothing forbids all members.
pub fn check_unions(ty: Type<'_>, value: ParsedValue<'_>) -> Vec<ValidationError> {
    let mut problems = Vec::new();
    check(ty, value, String::new(), &mut problems);
    problems
}

fn check(ty: Type<'_>, value: ParsedValue<'_>, path: String, problems: &mut Vec<ValidationError>) {
    if value.members().is_some() {
        for union in ty.unions() {
            problems
                .extend(problem(union, value).map(|message| ValidationError { path: path.clone(), message }));
        }
    }
    for (step, ty, child) in children(ty, value) {
        deep(|| check(ty, child, format!("{path}{step}"), problems));
    }
}

fn problem(union: FieldUnion<'_>, map: ParsedValue<'_>) -> Option<String> {
    let set = set_members(union, map);
    let selected = discriminator(union, map);
    let wanted =
        union.members().find(|member| member.discriminator_value == selected).map(|member| member.field);
    let name = union.discriminator().unwrap_or_default();
    match (selected, wanted) {
        // Without a discriminator at most one field may be set.
        ("", _) if set.len() > 1 => {
            Some(format!("at most one of the fields of a union may be set, found {}", set.join(", ")))
        }
        ("", _) => None,
        (_, Some(wanted)) if set != [wanted] => {
            Some(format!("{name} is {selected:?}: {wanted} must be set alone, found {}", listed(&set)))
        }
        (_, None) if !set.is_empty() => Some(format!(
            "{name} is {selected:?}: no field of the union may be set, found {}",
            set.join(", ")
        )),
        _ => None,
    }
}

fn listed(set: &[&str]) -> String {
    if set.is_empty() { "none".to_owned() } else { set.join(", ") }
}

/// The members of a union that are present and not null.
fn set_members<'s>(union: FieldUnion<'s>, map: ParsedValue<'_>) -> Vec<&'s str> {
    let is_set = |field: &&str| map.get(field).is_some_and(|value| !value.is_null());
    union.members().map(|member| member.field).filter(is_set).collect()
}

/// The value of the discriminator; empty if it is no string.
fn discriminator<'v>(union: FieldUnion<'_>, map: ParsedValue<'v>) -> &'v str {
    union.discriminator().and_then(|name| map.get(name)).and_then(ParsedValue::as_str).unwrap_or_default()
}

/// The values below a value, each with the step to it and its type.
fn children<'s, 'a>(ty: Type<'s>, value: ParsedValue<'a>) -> Vec<(String, Type<'s>, ParsedValue<'a>)> {
    match value {
        ParsedValue::Map(members) => {
            let child = |member: &crate::value::Member<'a>| {
                let declared = ty.field(member.name).map(|field| field.ty);
                let ty = declared.or_else(|| ty.additional_properties())?;
                Some((format!(".{}", member.name), ty, member.value))
            };
            members.iter().filter_map(child).collect()
        }
        ParsedValue::List(items) => {
            let Some(ty) = ty.items() else { return Vec::new() };
            items.iter().enumerate().map(|(place, item)| (format!("[{place}]"), ty, *item)).collect()
        }
        _ => Vec::new(),
    }
}

/// The object of an update with its unions normalised: a discriminator that changed clears the other members.
///
/// # Errors
/// If discriminator and member changed and do not match, or several members are set without a change of the
/// discriminator.
pub fn normalize_update<'a>(
    ty: Type<'a>,
    old: ParsedValue<'a>,
    new: ParsedValue<'a>,
    mode: Discriminator,
    arena: &'a Arena,
) -> Result<ParsedValue<'a>, ValidationErrors> {
    let rule = |union: FieldUnion<'a>, old: ParsedValue<'a>, new: ParsedValue<'a>| {
        let (was, is) = (set_members(union, old), set_members(union, new));
        let added: Vec<&str> = is.iter().copied().filter(|field| !was.contains(field)).collect();
        let selected = discriminator(union, new);
        // A changed discriminator decides what stays.
        if selected != discriminator(union, old) && !selected.is_empty() {
            let value_of = |field: &str| union.members().find(|one| one.field == field);
            return match added[..] {
                // Only the discriminator changed: fields that it does not select are left over.
                [] => Ok(cleared(union, new, selected, arena)),
                [one] if value_of(one).is_some_and(|member| member.discriminator_value == selected) => {
                    Ok(cleared(union, new, selected, arena))
                }
                [_] => Err("discriminator and field changed don't match".to_owned()),
                _ => Err(format!("multiple new fields added: {}", added.join(", "))),
            };
        }
        match is[..] {
            [] => Ok(new),
            // A client that does not know the discriminator set the field alone.
            [one] => Ok(deduced(union, new, one, mode, arena)),
            _ => Err(format!("multiple fields set without discriminator change: {}", is.join(", "))),
        }
    };
    Walk { arena, rule: &rule }.pair(ty, Some(old), new, "")
}

/// A merged object with its unions normalised: the member that the configuration sets clears the others.
///
/// # Errors
/// If the configuration sets several members of a union, or one that its discriminator does not select.
pub fn normalize_apply<'a>(
    ty: Type<'a>,
    config: ParsedValue<'a>,
    merged: ParsedValue<'a>,
    mode: Discriminator,
    arena: &'a Arena,
) -> Result<ParsedValue<'a>, ValidationErrors> {
    let rule = |union: FieldUnion<'a>, config: ParsedValue<'a>, merged: ParsedValue<'a>| {
        let set = set_members(union, config);
        let [one] = set[..] else {
            return match set.len() {
                0 => Ok(merged),
                _ => Err(format!(
                    "more than one discriminated field set in the configuration: {}",
                    set.join(", ")
                )),
            };
        };
        let member = union.members().find(|member| member.field == one);
        let value = member.map_or("", |member| member.discriminator_value);
        let selected = discriminator(union, config);
        if !selected.is_empty() && selected != value {
            return Err(format!("discriminator is {selected:?}, but {one} is set"));
        }
        let kept = without_others(union, merged, one, arena);
        Ok(deduced(union, kept, one, mode, arena))
    };
    Walk { arena, rule: &rule }.pair(ty, Some(config), merged, "")
}

/// The map without the members that the discriminator does not select.
fn cleared<'a>(
    union: FieldUnion<'a>,
    map: ParsedValue<'a>,
    selected: &str,
    arena: &'a Arena,
) -> ParsedValue<'a> {
    let member = union.members().find(|member| member.discriminator_value == selected);
    // A value that selects no member may still be the name of a field.
    without_others(union, map, member.map_or(selected, |member| member.field), arena)
}

fn without_others<'a>(
    union: FieldUnion<'a>,
    map: ParsedValue<'a>,
    kept: &str,
    arena: &'a Arena,
) -> ParsedValue<'a> {
    let others = union.members().filter(|member| member.field != kept);
    others.fold(map, |map, member| map.without_member(member.field, arena))
}

fn deduced<'a>(
    union: FieldUnion<'a>,
    map: ParsedValue<'a>,
    field: &str,
    mode: Discriminator,
    arena: &'a Arena,
) -> ParsedValue<'a> {
    let member = union.members().find(|member| member.field == field);
    match (union.discriminator(), member) {
        (Some(name), Some(member)) if mode == Discriminator::Deduce => {
            map.with_member(name, ParsedValue::String(member.discriminator_value), arena)
        }
        _ => map,
    }
}

/// A rule for one union: the guiding map (old object, or configuration) and the map to normalise.
type Rule<'r, 'a> =
    dyn Fn(FieldUnion<'a>, ParsedValue<'a>, ParsedValue<'a>) -> Result<ParsedValue<'a>, String> + 'r;

struct Walk<'r, 'a> {
    arena: &'a Arena,
    rule: &'r Rule<'r, 'a>,
}

impl<'a> Walk<'_, 'a> {
    /// Normalises what is below first, then the map itself. A guide that has no such map guides nothing.
    fn pair(
        &self,
        ty: Type<'a>,
        guide: Option<ParsedValue<'a>>,
        value: ParsedValue<'a>,
        path: &str,
    ) -> Result<ParsedValue<'a>, ValidationErrors> {
        let mut result = value;
        match value {
            ParsedValue::Map(members) => {
                for member in members {
                    let declared = ty.field(member.name).map(|field| field.ty);
                    let Some(ty) = declared.or_else(|| ty.additional_properties()) else { continue };
                    let below = guide.and_then(|guide| guide.get(member.name));
                    let path = format!("{path}.{}", member.name);
                    let normal = deep(|| self.pair(ty, below, member.value, &path))?;
                    // Copies the map only if something below changed.
                    if !normal.is_same_part(member.value) && normal.members().is_some() {
                        result = result.with_member(member.name, normal, self.arena);
                    }
                }
                for union in ty.unions() {
                    let guide = guide.unwrap_or(ParsedValue::Null);
                    result = (self.rule)(union, guide, result).map_err(|message| {
                        ValidationErrors(vec![ValidationError { path: path.to_owned(), message }])
                    })?;
                }
            }
            ParsedValue::List(items) => {
                let keys: Vec<Cow<'a, str>> = ty.list_map_keys().map(Cow::Borrowed).collect();
                // Items can be paired by keys only.
                let (Some(element), false) = (ty.items(), keys.is_empty()) else { return Ok(value) };
                let mut normal = bumpalo::collections::Vec::with_capacity_in(items.len(), self.arena);
                for (place, item) in items.iter().enumerate() {
                    let is_same =
                        |other: &&ParsedValue<'a>| keys.iter().all(|key| other.get(key) == item.get(key));
                    let partner =
                        guide.and_then(ParsedValue::items).unwrap_or_default().iter().find(is_same).copied();
                    normal.push(deep(|| self.pair(element, partner, *item, &format!("{path}[{place}]")))?);
                }
                result = ParsedValue::List(normal.into_bump_slice());
            }
            _ => {}
        }
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use kubemerge_schema::{Dialect, Schema, SchemaBuilder};
    use serde_json::json;

    use super::*;

    fn schema() -> Schema {
        let document = json!({"components": {"schemas": {"Subject": {"type": "object",
            "x-kubernetes-unions": [{"discriminator": "account",
                "fields-to-discriminateBy": {"group": "Group", "user": "User"}}],
            "properties": {"account": {"type": "string"}, "group": {"type": "string"}, "user": {"type": "string"}},
        }}}});
        SchemaBuilder::new().openapi_v3(&document).unwrap().compile(Dialect::Upstream).unwrap()
    }

    fn updated(old: &str, new: &str, mode: Discriminator) -> Result<String, String> {
        let (schema, arena) = (schema(), Arena::new());
        let ty = schema.definition("Subject").unwrap();
        let parse = |text: &str| ParsedValue::parse(arena.alloc_str(text).as_bytes(), &arena).unwrap();
        let result = normalize_update(ty, parse(old), parse(new), mode, &arena);
        result.map(|value| String::from_utf8(value.to_json()).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_discriminator_that_changes_clears_the_other_member() {
        let old = r#"{"account":"User","user":"u"}"#;
        let new = r#"{"account":"Group","group":"g","user":"u"}"#;
        assert_eq!(updated(old, new, Discriminator::Keep).unwrap(), r#"{"account":"Group","group":"g"}"#);
        let wrong = r#"{"account":"User","group":"g"}"#;
        assert!(updated("{}", wrong, Discriminator::Keep).is_err());
        assert!(updated(old, r#"{"account":"User","user":"u","group":"g"}"#, Discriminator::Keep).is_err());
    }

    #[test]
    fn a_discriminator_can_be_deduced() {
        let result = updated("{}", r#"{"user":"u"}"#, Discriminator::Deduce).unwrap();
        assert_eq!(result, r#"{"account":"User","user":"u"}"#);
        assert_eq!(updated("{}", r#"{"user":"u"}"#, Discriminator::Keep).unwrap(), r#"{"user":"u"}"#);
    }

    #[test]
    fn an_apply_keeps_the_member_of_the_configuration() {
        let (schema, arena) = (schema(), Arena::new());
        let ty = schema.definition("Subject").unwrap();
        let config = ParsedValue::parse(br#"{"group":"g"}"#, &arena).unwrap();
        let merged = ParsedValue::parse(br#"{"account":"User","group":"g","user":"u"}"#, &arena).unwrap();
        let result = normalize_apply(ty, config, merged, Discriminator::Deduce, &arena).unwrap();
        assert_eq!(result.to_json(), br#"{"account":"Group","group":"g"}"#);
        assert!(check_unions(ty, result).is_empty(), "what is normalised is valid");
    }

    #[test]
    fn problems_name_what_is_missing() {
        let (schema, arena) = (schema(), Arena::new());
        let ty = schema.definition("Subject").unwrap();
        let check =
            |text: &'static str| check_unions(ty, ParsedValue::parse(text.as_bytes(), &arena).unwrap());
        assert!(check(r#"{"account":"User","user":"u"}"#).is_empty());
        assert_eq!(
            check(r#"{"account":"User"}"#)[0].message,
            r#"account is "User": user must be set alone, found none"#
        );
        assert_eq!(check(r#"{"user":"u","group":"g"}"#).len(), 1);
        assert_eq!(check(r#"{"account":"Robot","user":"u"}"#).len(), 1);
    }
}
