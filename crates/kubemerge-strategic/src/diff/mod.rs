//! The generators of patches, one for each dialect. A generator only looks; it changes no document.

mod options;
pub(crate) mod spec;
pub(crate) mod upstream;

pub use options::{DiffOptions, Emission};
