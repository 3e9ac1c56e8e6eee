//! Who owns the fields of an object, and assertions about it.

use kubemerge_ssa::{
    managed_fields::OwnedField,
    value::{Arena, ParsedValue},
};

use crate::store::Record;

/// The fields of an object that have owners.
#[derive(Clone, Debug, Default)]
pub struct FieldOwners {
    fields: Vec<OwnedField>,
}

impl FieldOwners {
    pub(crate) fn of_record(record: &Record) -> FieldOwners {
        let arena = Arena::new();
        let object = ParsedValue::from_canonical(record.canonical(), &arena);
        // The entries were written by the server itself, so that they can be read.
        FieldOwners { fields: record.ownership().entries().owned_fields(object).unwrap_or_default() }
    }

    /// All of them, in path order.
    pub fn fields(&self) -> &[OwnedField] {
        &self.fields
    }

    /// The names of the managers that own a field, such as `.spec.replicas` or
    /// `.spec.template.spec.containers[name="web"].image`.
    pub fn of(&self, path: &str) -> Vec<&str> {
        let owned = self.fields.iter().find(|field| field.path == path);
        owned.into_iter().flat_map(|field| &field.owners).map(|owner| &*owner.manager).collect()
    }

    /// The paths of the fields that a manager owns.
    pub fn of_manager(&self, manager: &str) -> Vec<&str> {
        let is_owned = |field: &&OwnedField| field.owners.iter().any(|owner| &*owner.manager == manager);
        self.fields.iter().filter(is_owned).map(|field| field.path.as_str()).collect()
    }

    /// Asserts that exactly these managers own a field.
    ///
    /// # Panics
    /// If others do, with all owned fields.
    #[track_caller]
    pub fn assert(&self, path: &str, managers: &[&str]) {
        let (mut found, mut wanted) = (self.of(path), managers.to_vec());
        found.sort_unstable();
        wanted.sort_unstable();
        assert!(
            found == wanted,
            "{path} is owned by {found:?}, not by {wanted:?}; owned fields:{}",
            self.lines()
        );
    }

    fn lines(&self) -> String {
        let line = |field: &OwnedField| {
            let owners: Vec<&str> = field.owners.iter().map(|owner| &*owner.manager).collect();
            format!("\n  {} {}", field.path, owners.join(", "))
        };
        self.fields.iter().map(line).collect()
    }
}
