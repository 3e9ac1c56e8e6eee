//! Compiles a model to rules, in one dialect: how each field merges.

mod go_types;
mod plain;
mod rules;
mod strategy;

pub(crate) use go_types::GoFacts;
pub use go_types::{Alternative, GoKind, GoValue, StructId, ValueId};
pub(crate) use plain::PlainTypes;
pub(crate) use rules::{ListForm, Rule, Rules, compile};
pub use strategy::{Dialect, ItemStrategy, ListStrategy, MapStrategy, MergeKey};
