//! Adapts a manager's set to a schema that has changed since the set was written.
//!
//! A container that became atomic is owned as a whole by those who owned something in it. The opposite
//! change is not handled: the manager keeps only the path of the container.

use kubemerge_schema::{ListItems, MapEntries, MapForm, TypeRef};
use kubemerge_value::deep;

use super::{Form, first_form};
use crate::fieldpath::{Element, FieldSet, PathStack, SetBuilder, SetNode};
use crate::value::Arena;

/// The set as the schema of today would have it; `None` if it is that already.
pub fn reconcile<'a>(ty: TypeRef<'_>, set: &FieldSet<'a>, arena: &'a Arena) -> Option<FieldSet<'a>> {
    let mut walk = ReconcileWalk { path: PathStack::new(), atomic: SetBuilder::new(arena) };
    walk.node(ty, *set, Owned::Partly);
    let atomic = walk.atomic.finish();
    // Ownership of parts becomes ownership of the whole.
    (!atomic.is_empty()).then(|| set.recursive_difference(&atomic, arena).union(&atomic, arena))
}

/// How a manager owns a container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owned {
    /// The path of the container is in the set, and nothing below it.
    Wholly,
    /// Anything else.
    Partly,
}

struct ReconcileWalk<'a> {
    path: PathStack<'a>,
    /// Paths that became atomic.
    atomic: SetBuilder<'a>,
}

impl<'a> ReconcileWalk<'a> {
    fn node(&mut self, ty: TypeRef<'_>, below: FieldSet<'a>, owned: Owned) {
        match first_form(ty) {
            Form::List(list) if matches!(list.items, ListItems::Atomic) => {
                if owned == Owned::Partly {
                    self.atomic.insert(&self.path);
                }
            }
            Form::List(list) => self.children(below, |_| Some(list.element)),
            // Nothing is known of such a map, so nothing can have become atomic.
            Form::Map(map) if is_deduced(map) => {}
            Form::Map(map) if map.entries == MapEntries::Atomic => {
                if owned == Owned::Partly && !below.is_empty() {
                    self.atomic.insert(&self.path);
                }
            }
            Form::Map(map) => self.children(below, |element| match element {
                Element::Name(name) => map.field(name).or(map.element),
                _ => map.element,
            }),
            Form::Scalar(_) | Form::Nothing => {}
        }
    }

    fn children<'t>(&mut self, set: FieldSet<'a>, type_of: impl Fn(Element<'a>) -> Option<TypeRef<'t>>) {
        for child in set.nodes {
            // Fields that the schema does not know stay as they are.
            if let Some(ty) = type_of(child.element) {
                self.path.push(child.element);
                deep(|| self.node(ty, child.below, owned(child)));
                self.path.pop();
            }
        }
    }
}

fn owned(child: &SetNode<'_>) -> Owned {
    if child.is_member && child.below.is_empty() { Owned::Wholly } else { Owned::Partly }
}

/// Maps that declare nothing and take anything do not change their topology.
fn is_deduced(map: MapForm<'_>) -> bool {
    map.has_no_fields() && map.element.is_some_and(TypeRef::is_deduced)
}
