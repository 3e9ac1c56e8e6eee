//! Kinds that are not built in: what a custom resource definition or an OpenAPI document declares about their objects.
//!
//! [`DeclaredRules`] are the steps of the way of such an object, as [`BuiltinKind`](crate::BuiltinKind) has those of
//! built-in kinds: `metadata` and `read` decode, `by_parts` prepares, the schema in `custom/` prunes, fills in defaults
//! and validates. A schema keeps the rules of its kinds beside it ([`rules_of`]); a server compiles those of the
//! definitions that it stores.

mod by_parts;
pub mod metadata;
mod read;
mod rules;
mod rules_of;

pub use read::read_object;
pub use rules::{DeclaredRules, Form, Undecodable};
pub use rules_of::rules_of;

#[cfg(test)]
mod tests;
