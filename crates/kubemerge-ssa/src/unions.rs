//! Unions in parsed values: fields of an object of which at most one is set (`x-kubernetes-unions`).
//!
//! Off unless a type is given ([`VersionConverter::unions`](crate::VersionConverter::unions)): no released API server
//! enforces unions. The rules and the walk are those of the schema ([`kubemerge_schema::unions`]); this file lets them
//! read parsed values, and carries out what they decide.

use std::borrow::Cow;

use kubemerge_schema::Type;
use kubemerge_schema::unions::{
    self, UnionChange, UnionEdit, UnionStep, UnionTree, UnionTreeKind, UnionWriteError,
};

use kubemerge_value::deep;

use crate::typed::{ValidationError, ValidationErrors};
use crate::value::{Arena, ParsedValue};

pub use kubemerge_schema::unions::Discriminator;

/// Checks every union of an object.
///
/// A discriminator that selects a member requires it and forbids the others; without one, at most one member
/// may be set; one that selects nothing forbids all members.
#[must_use]
pub fn check_unions(ty: Type<'_>, value: ParsedValue<'_>) -> Vec<ValidationError> {
    let findings = unions::check_unions(ty, value).into_iter();
    findings.map(|one| problem(&one.path.to_string(), one.violation.to_string())).collect()
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
    let edits = unions::normalize_update(ty, Some(old), new, mode).map_err(errors)?;
    Ok(edits.iter().fold(new, |value, one| edited(value, &one.path.0, one, arena)))
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
    let edits = unions::normalize_apply(ty, config, merged, mode).map_err(errors)?;
    Ok(edits.iter().fold(merged, |value, one| edited(value, &one.path.0, one, arena)))
}

/// The same for what an apply does: discriminators are deduced, and nothing changes without a type that has unions.
/// Kubernetes applies without unions.
pub(crate) fn normalized<'a>(
    ty: Option<Type<'a>>,
    config: ParsedValue<'a>,
    merged: ParsedValue<'a>,
    arena: &'a Arena,
) -> Result<ParsedValue<'a>, ValidationErrors> {
    match ty {
        Some(ty) => normalize_apply(ty, config, merged, Discriminator::Deduce, arena),
        None => Ok(merged),
    }
}

/// The value with one change, at the place that the steps lead to.
fn edited<'a>(
    value: ParsedValue<'a>,
    steps: &[UnionStep],
    edit: &UnionEdit<'a>,
    arena: &'a Arena,
) -> ParsedValue<'a> {
    let Some((step, rest)) = steps.split_first() else {
        return match edit.change {
            UnionChange::Clear(field) => value.without_member(field, arena),
            UnionChange::Select { field, value: name } => {
                value.with_member(field, ParsedValue::String(name), arena)
            }
        };
    };
    match step {
        UnionStep::Field(name) => {
            match value.members().and_then(|all| all.iter().find(|one| one.name == name)) {
                Some(member) => {
                    let inner = deep(|| edited(member.value, rest, edit, arena));
                    value.with_member(member.name, inner, arena)
                }
                None => value,
            }
        }
        UnionStep::Item(place) => {
            let items = value.items().unwrap_or_default().iter().enumerate();
            let items = items
                .map(|(at, item)| if at == *place { deep(|| edited(item, rest, edit, arena)) } else { item });
            let items = items.map(|item| item.to_value(arena));
            ParsedValue::list_of(bumpalo::collections::Vec::from_iter_in(items, arena))
        }
    }
}

fn errors(errors: Vec<UnionWriteError<'_>>) -> ValidationErrors {
    ValidationErrors(
        errors.into_iter().map(|one| problem(&one.path.to_string(), one.fault.to_string())).collect(),
    )
}

/// Validation errors begin their paths with a dot.
fn problem(path: &str, message: String) -> ValidationError {
    let dot = if path.is_empty() || path.starts_with('[') { "" } else { "." };
    ValidationError { path: format!("{dot}{path}"), message }
}

impl<'a> UnionTree<'a> for ParsedValue<'a> {
    fn kind(self) -> UnionTreeKind {
        match self {
            ParsedValue::Map(_) => UnionTreeKind::Map,
            ParsedValue::List(_) => UnionTreeKind::List,
            _ if self.is_null() => UnionTreeKind::Null,
            _ => UnionTreeKind::Scalar,
        }
    }

    fn text(self) -> Option<Cow<'a, str>> {
        self.as_str().map(Cow::Borrowed)
    }

    fn scalar(self) -> Option<String> {
        self.is_scalar().then(|| String::from_utf8_lossy(&self.to_json()).into_owned())
    }

    fn members(self) -> Vec<(Cow<'a, str>, Self)> {
        let members = ParsedValue::members(self).unwrap_or_default().iter();
        members.map(|member| (Cow::Borrowed(member.name), member.value)).collect()
    }

    fn items(self) -> Vec<Self> {
        ParsedValue::items(self).unwrap_or_default().iter().collect()
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
