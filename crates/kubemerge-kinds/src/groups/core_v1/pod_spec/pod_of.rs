//! What a pod spec belongs to: some rules are for Pods only, as a template has no name yet.

use crate::field::Field;

/// What a pod spec belongs to.
#[derive(Clone, Copy)]
pub(crate) enum PodOf<'t> {
    /// A Pod with this metadata.
    Pod(Field<'t>),
    /// A template.
    Template,
}

impl<'t> PodOf<'t> {
    /// The name of the Pod; empty for templates, and for pods whose name is yet to be generated.
    pub(super) fn name(self) -> &'t str {
        match self {
            PodOf::Pod(metadata) => metadata.field("name").str(),
            PodOf::Template => "",
        }
    }
}
