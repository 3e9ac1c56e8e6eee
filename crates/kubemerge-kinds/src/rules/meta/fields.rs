//! The fields of ObjectMeta: their names, in order, and the shapes of their values.

use kubemerge_value::part::item_at;
use kubemerge_value::{Str, write::QuotedName};

/// A field of ObjectMeta. The order is that of the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MetadataField {
    /// `annotations`.
    Annotations,
    /// `creationTimestamp`.
    CreationTimestamp,
    /// `deletionGracePeriodSeconds`.
    DeletionGracePeriodSeconds,
    /// `deletionTimestamp`.
    DeletionTimestamp,
    /// `finalizers`.
    Finalizers,
    /// `generateName`.
    GenerateName,
    /// `generation`.
    Generation,
    /// `labels`.
    Labels,
    /// `managedFields`.
    ManagedFields,
    /// `name`.
    Name,
    /// `namespace`.
    Namespace,
    /// `ownerReferences`.
    OwnerReferences,
    /// `resourceVersion`.
    ResourceVersion,
    /// `selfLink`.
    SelfLink,
    /// `uid`.
    Uid,
}

/// What a field holds.
#[derive(Clone, Copy)]
pub enum MetadataShape {
    /// A string.
    Text,
    /// An integer.
    Number,
    /// A list of strings.
    Texts,
    /// A map of strings.
    TextMap,
    /// A list of maps.
    List,
}

static FIELDS: [(MetadataField, QuotedName, MetadataShape); MetadataField::COUNT] = [
    (MetadataField::Annotations, QuotedName::new("\"annotations\":"), MetadataShape::TextMap),
    (MetadataField::CreationTimestamp, QuotedName::new("\"creationTimestamp\":"), MetadataShape::Text),
    (
        MetadataField::DeletionGracePeriodSeconds,
        QuotedName::new("\"deletionGracePeriodSeconds\":"),
        MetadataShape::Number,
    ),
    (MetadataField::DeletionTimestamp, QuotedName::new("\"deletionTimestamp\":"), MetadataShape::Text),
    (MetadataField::Finalizers, QuotedName::new("\"finalizers\":"), MetadataShape::Texts),
    (MetadataField::GenerateName, QuotedName::new("\"generateName\":"), MetadataShape::Text),
    (MetadataField::Generation, QuotedName::new("\"generation\":"), MetadataShape::Number),
    (MetadataField::Labels, QuotedName::new("\"labels\":"), MetadataShape::TextMap),
    (MetadataField::ManagedFields, QuotedName::new("\"managedFields\":"), MetadataShape::List),
    (MetadataField::Name, QuotedName::new("\"name\":"), MetadataShape::Text),
    (MetadataField::Namespace, QuotedName::new("\"namespace\":"), MetadataShape::Text),
    (MetadataField::OwnerReferences, QuotedName::new("\"ownerReferences\":"), MetadataShape::List),
    (MetadataField::ResourceVersion, QuotedName::new("\"resourceVersion\":"), MetadataShape::Text),
    (MetadataField::SelfLink, QuotedName::new("\"selfLink\":"), MetadataShape::Text),
    (MetadataField::Uid, QuotedName::new("\"uid\":"), MetadataShape::Text),
];

impl MetadataField {
    /// How many there are.
    pub const COUNT: usize = 15;

    /// All fields, in order.
    pub fn all() -> impl Iterator<Item = MetadataField> {
        FIELDS.iter().map(|(field, ..)| *field)
    }

    /// The field of a name, if ObjectMeta has it.
    pub fn named(name: Str<'_>) -> Option<MetadataField> {
        MetadataField::all().find(|field| name.is(field.name()))
    }

    /// The field of a name without escapes, if ObjectMeta has it.
    pub fn of_bytes(name: &[u8]) -> Option<MetadataField> {
        MetadataField::all().find(|field| field.name().as_bytes() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.plain_name().text()
    }

    /// The name as it is written.
    pub fn plain_name(self) -> QuotedName {
        item_at(&FIELDS, self as usize).1
    }

    /// What it holds.
    pub fn shape(self) -> MetadataShape {
        item_at(&FIELDS, self as usize).2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_in_its_place() {
        assert!(MetadataField::all().enumerate().all(|(at, field)| field as usize == at));
        assert!(MetadataField::all().is_sorted_by_key(MetadataField::name));
        assert_eq!(MetadataField::named(Str::plain("labels")), Some(MetadataField::Labels));
        assert_eq!(MetadataField::named(Str::plain("clusterName")), None);
    }
}
