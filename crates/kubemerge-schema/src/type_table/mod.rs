//! The types of server-side apply: which containers are atomic, granular, sets or keyed.
//!
//! A third compile target beside the two dialects of strategic merge patch. [`TypeTable::compile`] turns
//! the loaded model into a flat table; [`TypeRef`] is the cursor that walks it. A type allows up to three
//! forms (scalar, list, map); the value decides which one counts. References, and overrides of
//! `x-kubernetes-map-type` beside them, are resolved here, so that a walk follows numbers only.

mod compile;
mod field_index;

use serde_json::Value;

use field_index::FieldIndex;

use crate::model::NOWHERE;
use crate::schema::Schema;

/// The types of every kind of a schema.
#[derive(Debug)]
pub struct TypeTable {
    nodes: Vec<TypeNode>,
    fields: Vec<TypeField>,
    index: FieldIndex,
    lists: Vec<KeyedList>,
    kinds: Vec<KindType>,
    fingerprint: u64,
}

/// A place in a [`TypeTable`]: what is known about the value there.
#[derive(Clone, Copy)]
pub struct TypeRef<'t> {
    table: &'t TypeTable,
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
    table: &'t TypeTable,
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
    first_field: u32,
    field_count: u32,
}

#[derive(Debug, Hash)]
struct KeyedList {
    keys: Box<[ListKey]>,
}

#[derive(Debug, Hash)]
struct TypeField {
    name: Box<str>,
    node: u32,
}

#[derive(Debug, Hash)]
struct KindType {
    api_version: Box<str>,
    kind: Box<str>,
    node: u32,
}

/// The type of values below an atomic container of an object without schema.
// Fixed numbers, so that compiled nodes can name them and `is_deduced` is one comparison.
const UNTYPED_ATOMIC: u32 = 0;
/// The type of an object without schema: maps are granular, lists are atomic.
const UNTYPED_DEDUCED: u32 = 1;

impl TypeTable {
    /// Compiles the types of everything a schema has loaded.
    pub fn compile(schema: &Schema) -> TypeTable {
        compile::compile(schema)
    }

    /// A table with nothing but the type of objects without schema.
    pub fn schemaless() -> TypeTable {
        let nodes = vec![compile::untyped_atomic(), compile::untyped_deduced()];
        TypeTable {
            nodes,
            fields: Vec::new(),
            index: FieldIndex::new(&[], Vec::new()),
            lists: Vec::new(),
            kinds: Vec::new(),
            fingerprint: 0,
        }
    }

    /// The type of a kind, e.g. `apps/v1` and `Deployment`.
    pub fn type_of(&self, api_version: &str, kind: &str) -> Option<TypeRef<'_>> {
        let wanted = (kind, api_version);
        let found = self.kinds.binary_search_by(|one| (&*one.kind, &*one.api_version).cmp(&wanted)).ok()?;
        Some(TypeRef { table: self, node: self.kinds[found].node })
    }

    /// The type of an object without schema: maps are granular at every depth, lists are atomic.
    pub fn deduced(&self) -> TypeRef<'_> {
        TypeRef { table: self, node: UNTYPED_DEDUCED }
    }

    /// A hash of the content of the table.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
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
            ItemsNode::Keyed(keys) => ListItems::Keyed(&self.table.lists[keys as usize].keys),
        };
        Some(ListForm { items, element: self.at(list.element) })
    }

    /// The map form, if the type allows maps.
    #[inline]
    pub fn map(self) -> Option<MapForm<'t>> {
        let form = self.node().map?;
        let element = (form.element != NOWHERE).then(|| self.at(form.element));
        Some(MapForm { entries: form.entries, element, table: self.table, form })
    }

    /// Whether this is the type of objects without schema.
    pub fn is_deduced(self) -> bool {
        self.node == UNTYPED_DEDUCED
    }

    /// A number that tells this type apart from others, in this table and in tables of other content.
    pub fn fingerprint(self) -> u64 {
        // Types of one table differ in the node, equal tables of two schemas agree.
        self.table.fingerprint.rotate_left(20) ^ u64::from(self.node)
    }

    fn node(self) -> &'t TypeNode {
        &self.table.nodes[self.node as usize]
    }

    fn at(self, node: u32) -> TypeRef<'t> {
        TypeRef { node, ..self }
    }
}

impl PartialEq for TypeRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        // Tables are never copied, so the address identifies one.
        std::ptr::eq(self.table, other.table) && self.node == other.node
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
        if self.form.field_count == 0 {
            return None;
        }
        let TypeTable { index, fields, .. } = self.table;
        index.find(fields, self.form.first_field, name).map(|node| self.at(node))
    }

    /// The declared fields, sorted by name.
    pub fn fields(self) -> impl Iterator<Item = (&'t str, TypeRef<'t>)> {
        self.table.fields[self.field_range()].iter().map(move |field| (&*field.name, self.at(field.node)))
    }

    /// Whether no field is declared.
    pub fn has_no_fields(self) -> bool {
        self.form.field_count == 0
    }

    fn field_range(self) -> std::ops::Range<usize> {
        let first = self.form.first_field as usize;
        first..first + self.form.field_count as usize
    }

    fn at(self, node: u32) -> TypeRef<'t> {
        TypeRef { table: self.table, node }
    }
}
