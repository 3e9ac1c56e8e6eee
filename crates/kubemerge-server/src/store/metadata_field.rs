//! The fields of ObjectMeta: their names, in order, and the shapes of their values.

use kubemerge_value::{Str, write::QuotedName};

/// A field of ObjectMeta. The order is that of the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Field {
    Annotations,
    CreationTimestamp,
    DeletionGracePeriodSeconds,
    DeletionTimestamp,
    Finalizers,
    GenerateName,
    Generation,
    Labels,
    ManagedFields,
    Name,
    Namespace,
    OwnerReferences,
    ResourceVersion,
    SelfLink,
    Uid,
}

/// What a field holds.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    Text,
    Number,
    Texts,
    TextMap,
    List,
}

static FIELDS: [(Field, QuotedName, Shape); Field::COUNT] = [
    (Field::Annotations, QuotedName::new("\"annotations\":"), Shape::TextMap),
    (Field::CreationTimestamp, QuotedName::new("\"creationTimestamp\":"), Shape::Text),
    (Field::DeletionGracePeriodSeconds, QuotedName::new("\"deletionGracePeriodSeconds\":"), Shape::Number),
    (Field::DeletionTimestamp, QuotedName::new("\"deletionTimestamp\":"), Shape::Text),
    (Field::Finalizers, QuotedName::new("\"finalizers\":"), Shape::Texts),
    (Field::GenerateName, QuotedName::new("\"generateName\":"), Shape::Text),
    (Field::Generation, QuotedName::new("\"generation\":"), Shape::Number),
    (Field::Labels, QuotedName::new("\"labels\":"), Shape::TextMap),
    (Field::ManagedFields, QuotedName::new("\"managedFields\":"), Shape::List),
    (Field::Name, QuotedName::new("\"name\":"), Shape::Text),
    (Field::Namespace, QuotedName::new("\"namespace\":"), Shape::Text),
    (Field::OwnerReferences, QuotedName::new("\"ownerReferences\":"), Shape::List),
    (Field::ResourceVersion, QuotedName::new("\"resourceVersion\":"), Shape::Text),
    (Field::SelfLink, QuotedName::new("\"selfLink\":"), Shape::Text),
    (Field::Uid, QuotedName::new("\"uid\":"), Shape::Text),
];

impl Field {
    /// How many there are.
    pub(crate) const COUNT: usize = 15;

    /// All fields, in order.
    pub(crate) fn all() -> impl Iterator<Item = Field> {
        FIELDS.iter().map(|(field, ..)| *field)
    }

    /// The field of a name, if ObjectMeta has it.
    pub(crate) fn named(name: Str<'_>) -> Option<Field> {
        Field::all().find(|field| name.is(field.name()))
    }

    /// The field of a name without escapes, if ObjectMeta has it.
    pub(crate) fn of_bytes(name: &[u8]) -> Option<Field> {
        Field::all().find(|field| field.name().as_bytes() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        self.plain_name().text()
    }

    /// The name as it is written.
    pub(crate) fn plain_name(self) -> QuotedName {
        FIELDS[self as usize].1
    }

    pub(crate) fn shape(self) -> Shape {
        FIELDS[self as usize].2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_in_its_place() {
        assert!(Field::all().enumerate().all(|(at, field)| field as usize == at));
        assert!(Field::all().is_sorted_by_key(Field::name));
        assert_eq!(Field::named(Str::plain("labels")), Some(Field::Labels));
        assert_eq!(Field::named(Str::plain("clusterName")), None);
    }
}
