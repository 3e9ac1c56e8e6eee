//! Rules in `x-kubernetes-validations`, evaluated by the `cel` crate with the functions of kube-cel.
//!
//! [`rule`] compiles a rule, [`node`] keeps the rules of a schema in its shape, [`evaluate`] walks an object and the
//! one that it replaces through them, [`values`] turns JSON into values of CEL as the schema types them, [`checker`]
//! finds wrong types in the rules of a definition.

mod checker;
mod environment;
mod evaluate;
mod names;
mod node;
mod rule;
mod source;
mod values;

pub(crate) use evaluate::check;
pub(crate) use node::{RuleNode, with_metadata};
pub(crate) use rule::{RuleScope, compile_errors};

#[cfg(test)]
mod tests;
