//! Rules in `x-kubernetes-validations`.
//!
//! `declaration` turns a schema into types and sizes, `compile` finds what is wrong with the rules of a definition
//! and what they cost, `node` keeps the rules of a schema in its shape, `walk` goes over an object and the one that
//! it replaces, `rule` evaluates one rule, `values` turns trees into values of CEL as the schema types them.
//! Expressions themselves are in `kubemerge-cel`. Without the feature `cel` rules are
//! checked but cannot be enforced, so objects with rules are refused.

pub(crate) mod compile;
mod declaration;
mod enforced;
mod names;
#[cfg(feature = "cel")]
mod node;
#[cfg(feature = "cel")]
mod rule;
#[cfg(feature = "cel")]
mod values;
#[cfg(feature = "cel")]
mod walk;

pub use enforced::CelRules;
pub(crate) use enforced::default_errors;

#[cfg(all(test, feature = "cel"))]
mod tests;
