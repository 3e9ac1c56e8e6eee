//! Fields that a kind does not have: dropped, with a warning or a refusal as the request wants it.
//!
//! Built-in kinds are walked with the schema's cursor, custom ones are pruned by their own schema. Objects
//! without surprises are only looked at, never rewritten.

use std::borrow::Cow;

use kubemerge_kinds::{
    custom::{prune, structural::Structural},
    field_error::{COMPLAINTS_MOST, FieldError, quoted},
    octets,
    place::Place,
};
use kubemerge_schema::{Shape, Type};
use kubemerge_value::{Excerpt, Kind, Node, Scalar, Token, Tokens};
use serde_json::{Map, Value};

use crate::{
    api::call::Call,
    object::{
        Object,
        members::Name,
        pattern::{Older, Verdict},
    },
    protocol::{
        query::FieldValidation,
        status::{Failure, Outcome, Qualified, bad_request, invalid},
    },
    write::decode::Source,
};

/// Takes out what the kind does not have and reports it as the request wants, behind what there is to complain
/// about already.
pub(crate) fn settle(
    call: &Call<'_>,
    object: &mut Object,
    (validation, mut complaints): (FieldValidation, Vec<String>),
    source: Source<'_>,
) -> Outcome<()> {
    let mut unknown = unknown_metadata(object);
    match call.resource.custom() {
        Some(version) => {
            if let Some(schema) = &version.schema {
                unknown.extend(prune_custom(object, schema)?);
            }
        }
        None => unknown.extend(settle_built_in(call, object, source)?),
    }
    unknown.sort();
    let room = COMPLAINTS_MOST.saturating_sub(complaints.len());
    complaints.extend(unknown.iter().take(room).map(|path| format!("unknown field {}", quoted(path))));
    report(call, complaints, validation, source, object)
}

/// Reports complaints about the fields of an object as the request wants.
pub(crate) fn report(
    call: &Call<'_>,
    complaints: Vec<String>,
    validation: FieldValidation,
    source: Source<'_>,
    object: &Object,
) -> Outcome<()> {
    match validation {
        _ if complaints.is_empty() => Ok(()),
        FieldValidation::Ignore => Ok(()),
        FieldValidation::Warn => {
            complaints.into_iter().for_each(|complaint| call.warn(complaint));
            Ok(())
        }
        FieldValidation::Strict => {
            let text = format!("strict decoding error: {}", complaints.join(", "));
            Err(undecodable(call, &text, source, &object.to_value().to_string()))
        }
    }
}

/// An object that cannot be decoded: 400 for a body, 422 for the result of a patch.
pub(crate) fn undecodable(call: &Call<'_>, text: &str, source: Source<'_>, object: &str) -> Failure {
    match source {
        Source::Body => {
            let (kind, version) = (&call.resource.kind, &call.resource.version);
            bad_request(format!(
                "{kind} in version {} cannot be handled as a {kind}: {text}",
                quoted(version)
            ))
        }
        Source::Patch(_) => {
            let error = FieldError::invalid("patch", &Value::from(object), text);
            invalid(Qualified { group: "", name: "" }, "", &[error])
        }
    }
}

fn unknown_metadata(object: &mut Object) -> Vec<String> {
    let unknown = object.metadata.unknown().map(|name| format!("metadata.{name}")).collect();
    object.metadata.drop_unknown();
    unknown
}

/// Takes out what a schema does not declare; answers the paths.
pub(crate) fn prune_custom(object: &mut Object, schema: &Structural) -> Outcome<Vec<String>> {
    let Value::Object(mut tree) = object.to_value() else { return Ok(Vec::new()) };
    let removed = prune::prune(&mut tree, schema);
    let mut tree = Value::Object(tree);
    prune::drop_nulls(&mut tree, schema);
    replace_fields(object, &tree)?;
    Ok(removed)
}

fn replace_fields(object: &mut Object, tree: &Value) -> Outcome<()> {
    object.retain_fields(|name| tree.get(name).is_some());
    for name in object.names() {
        if let Some(value) = tree.get(&*name) {
            object.set(&name, value)?;
        }
    }
    Ok(())
}

fn settle_built_in(call: &Call<'_>, object: &mut Object, source: Source<'_>) -> Outcome<Vec<String>> {
    let Some(pattern) = call.resource.pattern(&call.app().schema) else { return Ok(Vec::new()) };
    let old = source.old().filter(|old| old.conforms_to(pattern));
    let (mut unknown, mut strangers) = (Vec::new(), Vec::new());
    let mut conforming = Some(pattern);
    for name in object.names() {
        let Some(text) = object.text(&name) else { continue };
        let older = old.and_then(|old| old.text(&name)).map(|old| Older::than(text, old));
        match pattern.judge(&name, text, older) {
            Verdict::Complete if pattern.has_defaults(&name) => object.set_complete(&name),
            Verdict::Complete | Verdict::Settled => {}
            Verdict::Unsure => {
                conforming = None;
                match field_type(call, &name) {
                    Some(ty) => settle_field(call, object, (&name, ty, source), &mut unknown)?,
                    None => strangers.push(name),
                }
            }
        }
    }
    object.set_conforming(conforming.cloned());
    drop_fields(object, &strangers);
    unknown.extend(strangers.into_iter().map(Cow::into_owned));
    Ok(unknown)
}

/// The type of a top-level field, if the kind has it.
fn field_type<'c>(call: &Call<'c>, name: &str) -> Option<Type<'c>> {
    let ty = call.app().schema.type_of(&call.resource.api_version, &call.resource.kind)?;
    ty.field(name).map(|field| field.ty)
}

/// Drops fields, all at once since there may be very many; their names are sorted.
fn drop_fields(object: &mut Object, names: &[Name]) {
    if !names.is_empty() {
        object.retain_fields(|field| names.binary_search_by(|name| (**name).cmp(field)).is_err());
    }
}

/// Looks closer at a field and puts it right.
fn settle_field(
    call: &Call<'_>,
    object: &mut Object,
    (name, ty, source): (&str, Type<'_>, Source<'_>),
    unknown: &mut Vec<String>,
) -> Outcome<()> {
    let Some(text) = object.text(name) else { return Ok(()) };
    let found = survey(text, ty, name);
    if let Some(text) = found.mismatch {
        return Err(undecodable(call, &text, source, &object.to_value().to_string()));
    }
    if found.surprises {
        rewrite(object, name, ty, unknown)?;
    }
    Ok(())
}

/// What a look at a field found.
#[derive(Default)]
pub(crate) struct Survey {
    /// There are unknown fields, nulls, or bytes that are written in another way.
    pub(crate) surprises: bool,
    /// A value that cannot be decoded.
    pub(crate) mismatch: Option<String>,
}

pub(crate) fn survey(text: &Excerpt, ty: Type<'_>, name: &str) -> Survey {
    let mut survey = Survey::default();
    look(&mut text.tokens(), ty, &Place::Field(&Place::Root, name), &mut survey);
    survey
}

/// Looks at the next value, up to the first one that cannot be decoded.
fn look(tokens: &mut Tokens<'_>, ty: Type<'_>, place: &Place<'_>, survey: &mut Survey) {
    let Some(token) = tokens.next() else { return };
    if let Token::Scalar(node) = token
        && fits(node.kind(), ty)
    {
        return look_at_scalar(node, ty, place, survey);
    }
    if is_free(ty) {
        return tokens.pass_rest(token);
    }
    let kind = match token {
        Token::MapStart => Kind::Map,
        Token::ListStart => Kind::List,
        Token::Scalar(node) => node.kind(),
        Token::Name(_) | Token::MapEnd | Token::ListEnd => return,
    };
    if kind == Kind::Null {
        survey.surprises = true;
    } else if !fits(kind, ty) {
        let (found, wanted) = (json_name(kind), ty.shape().word());
        survey.mismatch =
            Some(format!("json: cannot unmarshal {found} into Go struct field {place} of type {wanted}"));
    } else if kind == Kind::Map {
        look_at_members(tokens, ty, place, survey);
    } else if kind == Kind::List {
        look_at_items(tokens, ty, place, survey);
    }
}

fn look_at_members(tokens: &mut Tokens<'_>, ty: Type<'_>, place: &Place<'_>, survey: &mut Survey) {
    while let Some(Token::Name(name)) = tokens.next() {
        let name = name.text();
        match member(ty, &name) {
            Some(ty) => look(tokens, ty, &Place::Field(place, &name), survey),
            None => {
                survey.surprises = true;
                tokens.pass();
            }
        }
        if survey.mismatch.is_some() {
            return;
        }
    }
}

fn look_at_items(tokens: &mut Tokens<'_>, ty: Type<'_>, place: &Place<'_>, survey: &mut Survey) {
    let Some(items) = ty.items() else { return tokens.pass_rest(Token::ListStart) };
    for at in 0.. {
        let mut ahead = tokens.clone();
        match ahead.next() {
            None | Some(Token::ListEnd) => {
                *tokens = ahead;
                return;
            }
            Some(Token::Scalar(node)) if node.is_null() => {
                survey.surprises |= !is_free(items);
                *tokens = ahead;
            }
            Some(_) => look(tokens, items, &Place::Item(place, at), survey),
        }
        if survey.mismatch.is_some() {
            return;
        }
    }
}

/// Whether nothing is known about the values here, so that everything is kept.
pub(crate) fn is_free(ty: Type<'_>) -> bool {
    ty.is_untyped()
        || ty.preserves_unknown_fields()
        || ty.is_int_or_string()
        || match ty.shape() {
            Shape::Any => true,
            Shape::Object => ty.fields().next().is_none() && ty.additional_properties().is_none(),
            _ => false,
        }
}

fn member<'s>(ty: Type<'s>, name: &str) -> Option<Type<'s>> {
    ty.field(name).map(|field| field.ty).or_else(|| ty.additional_properties())
}

pub(crate) fn fits(kind: Kind, ty: Type<'_>) -> bool {
    match ty.shape() {
        Shape::Any => kind != Kind::Null,
        Shape::Object => kind == Kind::Map,
        Shape::List => kind == Kind::List,
        Shape::Boolean => kind == Kind::Bool,
        Shape::Integer => kind == Kind::Int,
        Shape::Number => matches!(kind, Kind::Int | Kind::Float),
        Shape::String if matches!(kind, Kind::Int | Kind::Float) => {
            ty.format() == Some("int-or-string")
                || ty.definition_name().is_some_and(|name| name.ends_with(".Quantity"))
        }
        Shape::String => kind == Kind::String,
    }
}

/// Looks at a scalar of the right type.
fn look_at_scalar(node: Node<'_>, ty: Type<'_>, place: &Place<'_>, survey: &mut Survey) {
    match ty.format() {
        Some("int32") if node.kind() == Kind::Int && !is_int32(node) => {
            let text = format!("json: cannot unmarshal number into Go struct field {place} of type int32");
            survey.mismatch = Some(text);
        }
        Some("byte") => {
            let Some(text) = node.as_str() else { return };
            match octets::canonical(&text.text()) {
                None => survey.mismatch = Some(format!("illegal base64 data in {place}")),
                Some(written) => survey.surprises |= matches!(written, Cow::Owned(_)),
            }
        }
        _ => {}
    }
}

fn is_int32(node: Node<'_>) -> bool {
    node.scalar().is_some_and(|scalar| matches!(scalar, Scalar::Int(value) if i32::try_from(value).is_ok()))
}

/// What Go calls a JSON value.
pub(crate) fn json_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "bool",
        Kind::Int | Kind::Float => "number",
        Kind::String => "string",
        Kind::List => "array",
        Kind::Map => "object",
    }
}

/// Writes a field again as the kind has it: without unknown fields and nulls, with bytes in their usual form.
/// A null in a list, or in a map with names of any sort, is there: it stands for nothing of its type.
fn rewrite(object: &mut Object, name: &str, ty: Type<'_>, unknown: &mut Vec<String>) -> Outcome<()> {
    let mut value = object.get(name).unwrap_or_default();
    if value.is_null() {
        object.remove(name);
        return Ok(());
    }
    clean(&mut value, ty, &Place::Field(&Place::Root, name), unknown);
    object.set(name, &value)
}

fn clean(value: &mut Value, ty: Type<'_>, place: &Place<'_>, unknown: &mut Vec<String>) {
    if is_free(ty) {
        return;
    }
    match value {
        Value::Object(map) => clean_map(map, ty, place, unknown),
        Value::Array(list) => {
            let Some(items) = ty.items() else { return };
            for (at, item) in list.iter_mut().enumerate() {
                fill_null(item, items);
                clean(item, items, &Place::Item(place, at), unknown);
            }
        }
        Value::String(text) if ty.format() == Some("byte") => {
            if let Some(Cow::Owned(written)) = octets::canonical(text) {
                *text = written;
            }
        }
        _ => {}
    }
}

fn clean_map(map: &mut Map<String, Value>, ty: Type<'_>, place: &Place<'_>, unknown: &mut Vec<String>) {
    map.retain(|name, value| {
        let place = Place::Field(place, name);
        let Some(inner) = member(ty, name) else {
            place.note(unknown);
            return false;
        };
        if value.is_null() && !is_free(inner) && ty.field(name).is_some() {
            return false;
        }
        fill_null(value, inner);
        clean(value, inner, &place, unknown);
        true
    });
}

/// Puts what Go has for nothing in the place of a null.
fn fill_null(value: &mut Value, ty: Type<'_>) {
    if !value.is_null() || is_free(ty) {
        return;
    }
    *value = match ty.shape() {
        Shape::Any => Value::Null,
        Shape::Object => Value::Object(Map::new()),
        Shape::List => Value::Array(Vec::new()),
        Shape::Boolean => false.into(),
        Shape::Integer | Shape::Number => 0.into(),
        Shape::String => "".into(),
    };
}
