//! Tells in data and in words how fields merge, why, and what changed between two schemas.

mod changes;
mod explanation;
mod field;
mod reasons;
mod sentence;

pub use changes::{RuleChange, changes};
pub use explanation::{FieldExplanation, Merge};
pub use field::ExplainError;
