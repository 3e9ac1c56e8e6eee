//! YAML 1.1 traps: scalars that are read differently from how they look, where the schema has another type.

use std::collections::HashMap;

use kubemerge_schema::{Shape, Type};
use kubemerge_value::deep;
use kubemerge_yaml::{self as yaml, Place, Role, Trap, TrapKind};

use super::collect::{Draft, Findings};
use super::rule::YAML_TRAP;
use crate::finding::{FindingSeverity, Location};

/// The scalars of a document that are probably not meant as they are read, given the types of its objects.
pub(super) fn traps(
    document: &yaml::YamlDocument<'_>,
    objects: &[(Place<'_, '_>, Type<'_>)],
    findings: &mut Findings,
) {
    // Most documents; saves a walk.
    if document.traps().is_empty() {
        return;
    }
    let mut shapes = HashMap::new();
    objects.iter().for_each(|(root, ty)| collect(*root, *ty, &mut shapes));
    for trap in document.traps() {
        if let Some(draft) = finding(document.text(), trap, shapes.get(&trap.range.start).copied()) {
            findings.add(draft, || Location { range: trap.range.clone(), label: String::new() });
        }
    }
}

/// What the schema wants at the places of scalars.
fn collect(place: Place<'_, '_>, ty: Type<'_>, shapes: &mut HashMap<usize, Shape>) {
    let shape = if ty.is_int_or_string() { Shape::Any } else { ty.shape() };
    // Traps know only their place in the text, so types are looked up by it.
    shapes.insert(place.range().start, shape);
    for (key, value) in place.entries() {
        let name = key.key_text();
        let field = ty.field(&name).map(|field| field.ty).or_else(|| ty.additional_properties());
        if let Some(field) = field {
            deep(|| collect(value, field, shapes));
        }
    }
    if let Some(items) = ty.items() {
        place.elements().for_each(|element| deep(|| collect(element, items, shapes)));
    }
}

fn finding(text: &str, trap: &Trap, wanted: Option<Shape>) -> Option<Draft> {
    let is_meant = match (trap.kind, wanted) {
        // Digits are lost whatever the schema says.
        (TrapKind::HugeInteger | TrapKind::LateMerge, _) => false,
        (TrapKind::BoolWord, Some(Shape::Boolean)) => true,
        // A number is wanted, so 0644 for a file mode is meant.
        (kind, Some(Shape::Integer | Shape::Number)) => kind != TrapKind::BoolWord,
        _ => false,
    };
    if is_meant {
        return None;
    }
    let text = text.get(trap.range.clone()).unwrap_or_default();
    let mut draft = Draft::new(YAML_TRAP, words(trap, text));
    if trap.kind == TrapKind::LateMerge {
        draft.help = Some("put `<<` before the other keys".to_owned());
    }
    if wanted == Some(Shape::String) && trap.role == Role::Value {
        draft.severity = FindingSeverity::Error;
        draft.reason =
            Some("the schema wants a string here, so the API server refuses the object".to_owned());
    }
    Some(draft)
}

fn words(trap: &Trap, text: &str) -> String {
    let what = match trap.role {
        Role::Key => "the key ",
        Role::Value => "",
    };
    match trap.kind {
        TrapKind::LateMerge => "`<<` after other keys overrides them".to_owned(),
        TrapKind::BoolWord => format!("{what}{text} is read as the boolean {}", trap.read_as),
        TrapKind::Octal => format!("{what}{text} is read as an octal number: {}", trap.read_as),
        TrapKind::HugeInteger => {
            format!("{what}{text} does not fit an integer and loses digits: {}", trap.read_as)
        }
        _ => format!("{what}{text} is read as the number {}", trap.read_as),
    }
}
