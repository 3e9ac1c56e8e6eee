//! Label and field selectors: parsed once per request, asked once per object.

mod field;
mod index;
mod label;
mod selection;

pub(crate) use field::FieldSelector;
pub(crate) use index::FieldIndex;
pub(crate) use label::LabelSelector;
pub(crate) use selection::Selection;
