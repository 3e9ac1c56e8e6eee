//! The types of server-side apply: which containers are atomic, granular, sets or keyed.
//!
//! A column of the graph, beside the merge rules of a dialect and what Go knows; [`TypeRef`] is the cursor that
//! reads it. A type allows up to three forms (scalar, list, map); the value decides which one counts.
//! References, and overrides of `x-kubernetes-map-type` beside them, are resolved in the column, so that a walk
//! follows numbers only.

mod compile;
mod field_index;

use std::sync::{Arc, LazyLock};

use serde_json::Value;

use field_index::FieldIndex;
use kubemerge_value::part::item_at;

use crate::model::{DefinitionId, Model, Span, UNTYPED};

/// The column.
#[derive(Debug)]
pub(crate) struct Ownership {
    /// Whose fields these are.
    model: Arc<Model>,
    /// Those of the two types without schema, then one for every node of the model.
    nodes: Vec<TypeNode>,
    index: FieldIndex,
    lists: Vec<KeyedList>,
    fingerprint: u64,
}

/// A place in a schema: how the value there is owned.
#[derive(Clone, Copy)]
pub struct TypeRef<'t> {
    column: &'t Ownership,
    node: u32,
}

/// What scalars a type allows; null is one of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarType {
    /// An integer or a float.
    Numeric,
    /// A string.
    String,
    /// A boolean.
    Boolean,
    /// Any scalar.
    Untyped,
}

/// How the items of a list are owned.
#[derive(Clone, Copy, Debug)]
pub enum ListItems<'t> {
    /// The list is one value.
    Atomic,
    /// Each item is its own identity.
    Set,
    /// Items are identified by these fields.
    Keyed(&'t [ListKey]),
}

/// A field that identifies the items of a list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ListKey {
    /// The name of the field.
    pub name: Box<str>,
    /// The value of items that lack the field.
    pub default: Option<Value>,
}

/// How the entries of a map are owned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MapEntries {
    /// The map is one value.
    Atomic,
    /// Each entry is on its own.
    Granular,
}

/// The list form of a type.
#[derive(Clone, Copy)]
pub struct ListForm<'t> {
    /// How its items are owned.
    pub items: ListItems<'t>,
    /// The type of an item.
    pub element: TypeRef<'t>,
}

/// The map form of a type: declared fields and other keys.
#[derive(Clone, Copy)]
pub struct MapForm<'t> {
    /// How its entries are owned.
    pub entries: MapEntries,
    /// The type of undeclared keys; `None` if they are errors.
    pub element: Option<TypeRef<'t>>,
    column: &'t Ownership,
    form: MapNode,
}

#[derive(Clone, Copy, Debug, Default, Hash)]
struct TypeNode {
    scalar: Option<ScalarType>,
    list: Option<ListNode>,
    map: Option<MapNode>,
}

#[derive(Clone, Copy, Debug, Hash)]
struct ListNode {
    items: ItemsNode,
    element: u32,
}

#[derive(Clone, Copy, Debug, Hash)]
enum ItemsNode {
    Atomic,
    Set,
    Keyed(u32),
}

#[derive(Clone, Copy, Debug, Hash)]
struct MapNode {
    entries: MapEntries,
    element: u32,
    /// Stretch of the fields of the model.
    fields: Span,
}

#[derive(Debug, Hash)]
struct KeyedList {
    keys: Box<[ListKey]>,
}

/// The type of values below an atomic container of an object without schema.
// Fixed numbers, so that compiled nodes can name them and `is_deduced` is one comparison.
const UNTYPED_ATOMIC: u32 = 0;
/// The type of an object without schema: maps are granular, lists are atomic.
const UNTYPED_DEDUCED: u32 = 1;

/// The types of objects without schema.
static WITHOUT_SCHEMA: LazyLock<Ownership> = LazyLock::new(|| Ownership::of(&Arc::default()));

impl Ownership {
    /// Compiles the types of everything a model has.
    pub(crate) fn of(model: &Arc<Model>) -> Ownership {
        compile::compile(model)
    }

    /// The type of the objects of a definition.
    pub(crate) fn of_definition(&self, id: DefinitionId) -> TypeRef<'_> {
        TypeRef { column: self, node: compile::place(self.model.definition(id).node) }
    }
}

impl TypeRef<'static> {
    /// The type of an object without schema: maps are granular at every depth, lists are atomic.
    pub fn deduced() -> Self {
        TypeRef { column: &WITHOUT_SCHEMA, node: UNTYPED_DEDUCED }
    }
}

impl<'t> TypeRef<'t> {
    /// The scalars that the type allows.
    #[inline]
    pub fn scalar(self) -> Option<ScalarType> {
        self.node().scalar
    }

    /// The list form, if the type allows lists.
    #[inline]
    pub fn list(self) -> Option<ListForm<'t>> {
        let list = self.node().list?;
        let items = match list.items {
            ItemsNode::Atomic => ListItems::Atomic,
            ItemsNode::Set => ListItems::Set,
            ItemsNode::Keyed(keys) => ListItems::Keyed(&item_at(&self.column.lists, keys as usize).keys),
        };
        Some(ListForm { items, element: self.at(list.element) })
    }

    /// The map form, if the type allows maps.
    #[inline]
    pub fn map(self) -> Option<MapForm<'t>> {
        let form = self.node().map?;
        let element = (form.element != UNTYPED).then(|| self.at(form.element));
        Some(MapForm { entries: form.entries, element, column: self.column, form })
    }

    /// Whether this is the type of objects without schema.
    pub fn is_deduced(self) -> bool {
        self.node == UNTYPED_DEDUCED
    }

    /// A number that distinguishes this type from others, in this schema and in schemas of other content.
    pub fn fingerprint(self) -> u64 {
        // Types of one schema differ in the node, equal types of two schemas agree.
        self.column.fingerprint.rotate_left(20) ^ u64::from(self.node)
    }

    fn node(self) -> &'t TypeNode {
        item_at(&self.column.nodes, self.node as usize)
    }

    fn at(self, node: u32) -> TypeRef<'t> {
        TypeRef { node, ..self }
    }
}

impl PartialEq for TypeRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        // Columns are never copied, so the address identifies one.
        std::ptr::eq(self.column, other.column) && self.node == other.node
    }
}

impl std::fmt::Debug for TypeRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TypeRef(#{} {:?})", self.node, self.node())
    }
}

impl<'t> MapForm<'t> {
    /// The type of a declared field.
    #[inline]
    pub fn field(self, name: &str) -> Option<TypeRef<'t>> {
        // Maps without fields may have the first field of another type.
        if self.has_no_fields() {
            return None;
        }
        let Ownership { index, model, .. } = self.column;
        let node = index.find(model, self.form.fields.start, name)?;
        Some(TypeRef { column: self.column, node: compile::place(node) })
    }

    /// Whether no field is declared.
    pub fn has_no_fields(self) -> bool {
        self.form.fields.len == 0
    }
}
