//! `successPolicy` of indexed Jobs.

use super::indexes::count;
use crate::field::Field;

const MAX_RULES: usize = 20;
const MAX_INDEXES_BYTES: usize = 64 * 1024;

/// Validates the policy of an indexed Job.
pub(super) fn success_policy(spec: Field<'_>) {
    let rules = spec.fields(["successPolicy", "rules"]);
    if rules.is_empty() {
        rules.required("at least one rules must be specified when the successPolicy is specified");
    }
    if rules.len() > MAX_RULES {
        rules.too_many(rules.len(), MAX_RULES);
    }
    rules.items().for_each(|rule| self::rule(rule, spec.field("completions").int()));
}

fn rule(rule: Field<'_>, completions: i64) {
    let (succeeded, indexes) = (rule.field("succeededCount"), rule.field("succeededIndexes"));
    if !succeeded.is_set() && !indexes.is_set() {
        rule.required("at least one of succeededCount or succeededIndexes must be specified");
    }
    if indexes.str().len() > MAX_INDEXES_BYTES {
        indexes.too_long(MAX_INDEXES_BYTES);
    }
    let total = count(indexes.str(), completions);
    if let Err(problem) = &total {
        indexes.invalid(format!("error parsing succeededIndexes: {problem}"));
    }
    succeeded.check_not_negative();
    if succeeded.int() > completions {
        let message =
            format!("must be less than or equal to {completions} (the number of specified completions)");
        succeeded.invalid(message);
    }
    // Indexes that cannot be read count as none, as upstream's zero does.
    let total = total.unwrap_or_default();
    if indexes.is_set() && succeeded.int() > total {
        succeeded.invalid(format!(
            "must be less than or equal to {total} (the number of indexes in the specified succeededIndexes field)"
        ));
    }
}
