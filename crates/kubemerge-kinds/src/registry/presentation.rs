//! What reads show of a kind: columns of tables, and the fields that selectors may name.

use super::hook::RowCondition;
use super::strategy::Permission;
use crate::columns::{CREATED_AT, KindColumn, NAME};

/// What reads show and select.
#[derive(Clone, Copy, Debug)]
pub struct Presentation {
    /// The columns of its tables.
    pub columns: &'static [KindColumn],
    /// The condition of a row in its tables.
    pub row_condition: RowCondition,
    /// The fields that field selectors may name.
    pub selectable: SelectableFields,
}

/// The fields of a built-in kind that a field selector may name, beside `metadata.name` and `metadata.namespace`.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct SelectableFields {
    /// The fields.
    pub fields: &'static [SelectableField],
    /// Whether `metadata.namespace` may be named.
    pub namespace: Permission,
    /// How an unknown field is refused.
    pub refusal: SelectorRefusal,
}

/// One field that a field selector may name.
#[derive(Clone, Copy, Debug)]
pub struct SelectableField {
    /// The name in selectors.
    pub label: &'static str,
    /// The path in the object as it is stored.
    pub path: &'static str,
}

/// The fields that a field selector may name, of any kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selectable {
    /// The label in selectors and the path in the object as it is stored.
    pub fields: Vec<(String, String)>,
    /// Whether `metadata.namespace` may be named.
    pub namespace: Permission,
    /// How an unknown field is refused.
    pub refusal: SelectorRefusal,
}

/// The words in which an unknown field is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectorRefusal {
    /// For kinds without a list of their own.
    Generic,
    /// For kinds with a list of their own.
    Listed,
    /// For Job.
    Job,
}

impl Presentation {
    /// Name and time of creation.
    pub const DEFAULT: Presentation = Presentation {
        columns: &[NAME, CREATED_AT],
        row_condition: |_| None,
        selectable: SelectableFields {
            fields: &[],
            namespace: Permission::Granted,
            refusal: SelectorRefusal::Generic,
        },
    };
}

impl SelectableFields {
    /// A list of fields.
    pub const fn listed(fields: &'static [SelectableField]) -> SelectableFields {
        SelectableFields { fields, namespace: Permission::Granted, refusal: SelectorRefusal::Listed }
    }

    /// The same fields for a kind whose objects are in no namespace. Upstream still accepts the field for most of those.
    pub const fn without_namespace(self) -> SelectableFields {
        SelectableFields { namespace: Permission::Denied, ..self }
    }
}

impl SelectableField {
    /// A field with the name that it has in the object.
    pub const fn at(path: &'static str) -> SelectableField {
        SelectableField { label: path, path }
    }

    /// A field with another name in selectors.
    pub const fn named(label: &'static str, path: &'static str) -> SelectableField {
        SelectableField { label, path }
    }
}

impl Selectable {
    /// The fields that the definition of a custom resource lists.
    pub fn custom(fields: Vec<(String, String)>) -> Selectable {
        Selectable { fields, namespace: Permission::Granted, refusal: SelectorRefusal::Listed }
    }
}

impl From<SelectableFields> for Selectable {
    fn from(fields: SelectableFields) -> Selectable {
        let SelectableFields { fields, namespace, refusal } = fields;
        let fields = fields.iter().map(|field| (field.label.to_string(), field.path.to_string())).collect();
        Selectable { fields, namespace, refusal }
    }
}
