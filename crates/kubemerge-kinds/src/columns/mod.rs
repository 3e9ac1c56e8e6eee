//! The columns of tables.
//!
//! A column says where its cells come from (`cell.rs`); the entry of a kind lists its columns ([`crate::registry`]). What
//! is computed for a cell is here, in a file for each family of kinds.

pub(crate) mod autoscaler;
mod cell;
mod column;
pub(crate) mod control;
pub(crate) mod event;
pub(crate) mod network;
pub(crate) mod pod;
mod read;
pub(crate) mod storage;
mod table_column;
pub(crate) mod workload;

pub use cell::Cell;
pub(crate) use column::{AGE, CONTAINERS, IMAGES, POD_SELECTOR};
pub use column::{CREATED_AT, KindColumn, NAME};
pub use read::selector_text;
pub use table_column::{CellSource, TableColumn};
