//! The verbs, one file each.

pub(crate) mod create;
pub(crate) mod delete;
mod delete_options;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod patch;
pub(crate) mod update;
pub(crate) mod watch;
