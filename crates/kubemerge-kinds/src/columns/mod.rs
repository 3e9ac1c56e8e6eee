//! The columns of built-in kinds in tables.
//!
//! `kinds.rs` lists them, `cell.rs` computes their cells with a file for each family of kinds.

mod autoscaler;
mod cell;
mod column;
mod control;
mod event;
mod kinds;
mod pod;
mod read;
mod storage;

pub use cell::computed;
pub use column::TableColumn;
use kinds::{CREATED_AT, EVENT, KINDS, NAME, Sketch};
pub use pod::row_condition;
pub use read::selector_text;

/// The columns of a built-in kind. Those without a title have only cells.
pub fn of(group: &str, kind: &str) -> Vec<TableColumn> {
    if kind == "Event" {
        return EVENT.iter().map(column).collect();
    }
    let own = KINDS.iter().find(|(of_group, of_kind, _)| *of_group == group && *of_kind == kind);
    let others = own.map_or(&[CREATED_AT][..], |(_, _, columns)| *columns);
    let mut columns: Vec<TableColumn> = [&NAME].into_iter().chain(others).map(column).collect();
    // Upstream: the name of this kind is a plain text.
    if kind == "StorageVersionMigration" {
        columns[0].format.clear();
    }
    columns
}

fn column(sketch: &Sketch) -> TableColumn {
    let mut column = TableColumn::new(sketch.name, sketch.kind, sketch.format, sketch.path);
    column.priority = sketch.priority;
    column
}
