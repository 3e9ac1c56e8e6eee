//! The ways out: bytes as given, segments that copy nothing, canonical bytes, a [`serde_json::Value`], texts for people.

mod canonical;
mod given;
mod indented;
mod map_writer;
mod size;
mod to_value;

pub use crate::{
    go_quoted::{go_quoted, is_printable},
    number::{write_canonical as write_number, write_float, write_int},
    string::{write_escaped, write_escaped_part},
};
pub use canonical::to_canonical;
pub use given::{Segments, segments, to_bytes};
pub use indented::indented;
pub use map_writer::{MapWriter, QuotedName};
pub use to_value::to_value;
