//! Lint and explain: what is wrong in manifests and patches, and what a patch does to each field.
//!
//! Everything is returned as data with byte ranges into the given texts; no file, terminal or environment is
//! used, so that the command, a browser or another language can show it. [`Linter`] finds mistakes,
//! [`explain()`] records the steps of a merge, [`differences`] compares the results of the two dialects,
//! [`refusal_of_change`] tells what the API server would refuse.
//!
//! ```
//! use kubemerge_inspect::refusal_of_new;
//! use kubemerge_schema::{Dialect, Schema};
//!
//! let schema = Schema::builtin("1.37", Dialect::Upstream)?;
//! let service = br#"{
//!   "apiVersion": "v1", "kind": "Service", "metadata": {"name": "dns", "namespace": "default"},
//!   "spec": {"ports": [{"name": "a", "port": 53}, {"name": "a", "port": 54}]}
//! }"#;
//! let causes = refusal_of_new(&schema, service);
//! assert_eq!(causes[0].field, "spec.ports[1].name");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(
    not(test),
    deny(
        clippy::disallowed_methods,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::print_stderr,
        clippy::print_stdout,
        clippy::string_slice,
        clippy::unwrap_used
    )
)]
#![forbid(unsafe_code)]
#![warn(clippy::must_use_candidate)]

mod difference;
mod explain;
mod finding;
mod lint;
mod nearest;
mod object_diff;
mod place;
mod refusal;
mod short;
mod unions;

pub use difference::{DialectDifference, DialectOutcome, DialectResult, differences};
pub use explain::{Action, DialectSchemas, Explanation, MergeStep, explain, mask_secrets};
pub use finding::{Finding, FindingSeverity, Location};
pub use lint::{
    KustomizeOutcome, KustomizeRules, KustomizeTrial, LintObject, LintPatch, Linter, RULES, Rule, is_ignored,
};
pub use nearest::nearest;
pub use object_diff::{FieldChange, object_diff};
pub use place::node_at;
pub use refusal::{RefusalCause, refusal_of_change, refusal_of_new, refusal_of_update};
pub use short::short;
