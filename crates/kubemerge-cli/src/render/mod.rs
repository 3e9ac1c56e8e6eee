//! Turns what a command found into text.

mod facts;
mod finding;
mod github;
mod notices;
mod object;
mod sarif;
mod table;

pub(crate) use facts::facts;
pub(crate) use finding::finding_notice;
pub(crate) use github::github;
pub(crate) use notices::render_notices;
pub(crate) use object::{addition, object, pretty_json, unified_diff, yaml};
pub(crate) use sarif::sarif;
pub(crate) use table::Table;
