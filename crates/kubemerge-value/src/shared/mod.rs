//! Values that share one canonical document, and their positions in it.

mod span;
mod value;

pub use span::ByteSpan;
pub use value::SharedValue;
