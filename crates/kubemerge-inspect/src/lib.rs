//! Lint and explain: what is wrong in manifests and patches, and what a patch does to each field.
//!
//! Everything is returned as data with byte ranges into the given texts; no file, terminal or environment is
//! used, so that the command, a browser or another language can show it. [`Linter`] finds mistakes,
//! [`explain()`] records the steps of a merge, [`differences`] compares the results of the two dialects,
//! [`refusal_of_change`] tells what the API server would refuse.

mod difference;
mod explain;
mod finding;
mod lint;
mod nearest;
mod object_diff;
mod place;
mod refusal;
mod short;

pub use difference::{DialectDifference, DialectOutcome, DialectResult, Loss, differences};
pub use explain::{Action, DialectSchemas, Explanation, MergeStep, explain, mask_secrets};
pub use finding::{Finding, FindingSeverity, Location};
pub use lint::{LintObject, LintPatch, Linter, RULES, Rule, is_ignored};
pub use nearest::nearest;
pub use object_diff::{FieldChange, object_diff};
pub use place::node_at;
pub use refusal::{RefusalCause, refusal_of_change, refusal_of_new, refusal_of_update};
pub use short::short;
