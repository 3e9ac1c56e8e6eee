//! Label and field selectors: parsed once per request, asked once per object.

mod index;
mod selection;

pub(crate) use index::FieldIndex;
pub(crate) use selection::Selection;
