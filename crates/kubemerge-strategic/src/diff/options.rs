//! Which parts of a patch upstream's generator writes.

/// Whether a generator writes a part of the patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Emission {
    /// It is written.
    #[default]
    Emit,
    /// It is left out.
    Omit,
}

impl Emission {
    pub(crate) fn is_on(self) -> bool {
        self == Emission::Emit
    }
}

/// What a patch of the `upstream` dialect says. The `spec` dialect knows no such choice and writes what is
/// needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiffOptions {
    /// The lists that order other lists.
    pub element_order: Emission,
    /// Additions and changes.
    pub changes: Emission,
    /// Removals.
    pub deletions: Emission,
}

impl DiffOptions {
    pub(crate) const DELTA: Self =
        DiffOptions { element_order: Emission::Emit, changes: Emission::Emit, deletions: Emission::Omit };
    pub(crate) const DELETIONS: Self =
        DiffOptions { element_order: Emission::Emit, changes: Emission::Omit, deletions: Emission::Emit };
    pub(crate) const UNORDERED: Self =
        DiffOptions { element_order: Emission::Omit, changes: Emission::Emit, deletions: Emission::Emit };
}
