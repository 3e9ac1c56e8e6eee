//! Values that share one canonical document, their positions in it, and what changed between two versions.

mod changed_span;
mod span;
mod value;

pub use changed_span::ChangedSpan;
pub use span::ByteSpan;
pub use value::SharedValue;
