//! Turns what a command found into text.

mod facts;
mod notices;
mod object;
mod table;

pub(crate) use facts::facts;
pub(crate) use notices::drawn;
pub(crate) use object::{pretty_json, unified_diff, yaml};
pub(crate) use table::Table;
