//! Turns what a command found into text.

mod facts;
mod notices;
mod table;

pub(crate) use facts::facts;
pub(crate) use notices::drawn;
pub(crate) use table::Table;
