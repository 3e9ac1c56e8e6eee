//! Compares the operations of a JSON patch with the schema of the objects it is for.

use kubemerge_schema::{Shape, Type};
use kubemerge_value::{Arena, Kind, Node, Path};
use kubemerge_yaml::YamlDocument;

use super::collect::Findings;
use super::walk::{LintWalk, Role, Types};

/// The members of an operation that lead to a place in the object.
const POINTERS: [&str; 2] = ["path", "from"];

/// Finds places that the schema does not have, and what is wrong in the values that are put there.
pub(super) fn walk(ty: Type<'_>, document: &YamlDocument<'_>, patch: Node<'_>, findings: &mut Findings) {
    let arena = Arena::new();
    let mut walk = LintWalk { document, role: Role::Manifest, arena: &arena, findings };
    for (at, operation) in patch.elements(&arena).iter().enumerate() {
        let path = Path::ROOT.index(at);
        for name in POINTERS {
            let Some(pointer) = text(*operation, name) else { continue };
            let place = place(&mut walk, ty, &pointer, &path.field(name.into()));
            if let (Some(place), "path", Some(value)) = (place, name, operation.get("value")) {
                walk_value(&mut walk, place, value, &path.field("value".into()));
            }
        }
    }
}

/// The type at a JSON pointer; an unknown field on the way is a finding.
fn place<'s>(walk: &mut LintWalk<'_>, ty: Type<'s>, pointer: &str, path: &Path<'_>) -> Option<Type<'s>> {
    let mut ty = ty;
    for token in tokens(pointer) {
        ty = match ty.shape() {
            Shape::List => ty.items().unwrap_or(ty.schema().untyped()),
            _ => walk.field(ty, &token, path)?,
        };
    }
    Some(ty)
}

fn walk_value<'w>(walk: &mut LintWalk<'w>, ty: Type<'_>, value: Node<'w>, path: &Path<'_>) {
    walk.check_value(ty, value, path);
    match value.kind() {
        Kind::Map => walk.map(Types { upstream: ty, spec: ty }, value, path),
        Kind::List => {
            let item = ty.items().unwrap_or(ty.schema().untyped());
            for (at, value) in value.elements(walk.arena).iter().enumerate() {
                // Lists of lists are free JSON, which no schema describes further.
                if value.kind() != Kind::List {
                    walk_value(walk, item, *value, &path.index(at));
                }
            }
        }
        _ => {}
    }
}

/// The path in a JSON patch of the operation that set a field of the result.
pub(super) fn operation_of(patch: Node<'_>, field: &str) -> String {
    let arena = Arena::new();
    let operations = patch.elements(&arena).iter().enumerate();
    let near = operations.filter_map(|(at, operation)| {
        let set = field_path(&text(*operation, "path")?);
        // An operation on a field may break one below it, or miss one around it.
        (field.starts_with(&set) || set.starts_with(field)).then_some((set.len(), at))
    });
    // Of operations that are equally near the last one counts.
    near.max().map_or(String::new(), |(_, at)| format!("[{at}].path"))
}

/// A JSON pointer as a field path, up to the end of a list, whose position is not known.
fn field_path(pointer: &str) -> String {
    let mut path = String::new();
    for token in tokens(pointer).take_while(|token| token != "-") {
        match token.bytes().all(|byte| byte.is_ascii_digit()) {
            true => path.push_str(&format!("[{token}]")),
            false if path.is_empty() => path.push_str(&token),
            false => path.push_str(&format!(".{token}")),
        }
    }
    path
}

fn tokens(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"))
}

fn text(operation: Node<'_>, name: &str) -> Option<String> {
    operation.get(name).and_then(Node::as_str).map(|text| text.text().into_owned())
}
