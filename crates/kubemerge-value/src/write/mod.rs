//! The ways out: bytes as given, segments that copy nothing, canonical bytes, a [`serde_json::Value`].

mod canonical;
mod given;
mod map_writer;
mod size;
mod to_value;

pub use canonical::to_canonical;
pub use given::{Segments, segments, to_bytes, write_given};
pub use map_writer::{MapWriter, PlainName};
pub use to_value::to_value;
