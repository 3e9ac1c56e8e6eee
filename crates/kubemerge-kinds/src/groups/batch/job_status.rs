//! Updates of the status of a Job: counters, conditions and times agree with each other.
//!
//! Most rules hold only when an update changes what they are about, so that Jobs that were stored before a rule
//! can still be updated.

use std::collections::BTreeSet;

use super::indexes;
use super::job_spec::is_indexed;
use crate::field::Field;

/// From this minor version on, other controllers may write the status, and all of it is checked.
const CHECKED_SINCE: u32 = 32;

/// Whether a condition has a status.
pub(super) fn has_condition(status: Field<'_>, kind: &str, value: &str) -> bool {
    status
        .field("conditions")
        .items()
        .any(|one| one.field("type").str() == kind && one.field("status").str() == value)
}

/// The conditions that are true, and what the update changes.
struct ConditionChange<'t> {
    spec: Field<'t>,
    status: Field<'t>,
    old: Field<'t>,
}

impl ConditionChange<'_> {
    fn is(&self, condition: &str) -> bool {
        has_condition(self.status, condition, "True")
    }

    fn was(&self, condition: &str) -> bool {
        has_condition(self.old, condition, "True")
    }

    /// Whether a condition became true or is no longer true.
    fn turns(&self, condition: &str) -> bool {
        self.is(condition) != self.was(condition)
    }

    fn is_finished(&self) -> bool {
        self.is("Complete") || self.is("Failed")
    }

    fn turns_finished(&self) -> bool {
        self.is_finished() != (self.was("Complete") || self.was("Failed"))
    }

    fn changes(&self, name: &'static str) -> bool {
        !self.status.field(name).same_as(self.old.field(name))
    }

    fn refuse(&self, message: &str) {
        self.status.field("conditions").invalid_omitted(message);
    }
}

/// Validates an update of the status.
pub(super) fn validate_update(job: Field<'_>, old: Field<'_>) {
    let change =
        ConditionChange { spec: job.field("spec"), status: job.field("status"), old: old.field("status") };
    for name in ["active", "succeeded", "failed", "ready", "terminating"] {
        change.status.field(name).check_not_negative();
    }
    // These two checks are older than the gate JobManagedBy and run in every version.
    uncounted(change.status.field("uncountedTerminatedPods"));
    if job.since(CHECKED_SINCE) {
        conditions(&change);
        times(&change);
        finished(&change);
        completed_and_failed(&change);
        decreasing(&change);
    }
    success_criteria(&change);
}

fn uncounted(pods: Field<'_>) {
    let mut seen = BTreeSet::new();
    for uid in ["succeeded", "failed"].into_iter().flat_map(|list| pods.field(list).items()) {
        if uid.is_empty() {
            uid.invalid("must not be empty");
        } else if !seen.insert(uid.str()) {
            uid.duplicate();
        }
    }
}

fn conditions(change: &ConditionChange<'_>) {
    let is_complete = change.is("Complete");
    if (change.turns("Complete") || change.turns("Failed")) && is_complete && change.is("Failed") {
        change.refuse("cannot set Complete=True and Failed=true conditions");
    }
    let turns_target = change.turns("Complete") || change.turns("FailureTarget");
    if turns_target && is_complete && change.is("FailureTarget") {
        change.refuse("cannot set Complete=True and FailureTarget=true conditions");
    }
    let turns_failed = change.turns("Failed") || change.changes("failedIndexes");
    // Pods are removed between the two conditions, so that both are seen in this order.
    if turns_failed && change.is("Failed") && !change.is("FailureTarget") {
        change.refuse("cannot set Failed=True condition without the FailureTarget=true condition");
    }
    let turns_met = change.turns("Complete") || change.turns("SuccessCriteriaMet");
    if turns_met && is_complete && !change.is("SuccessCriteriaMet") {
        change.refuse("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
    }
    for condition in ["Failed", "Complete", "FailureTarget"] {
        if change.was(condition) && !change.is(condition) {
            change.refuse(&format!("cannot disable the terminal {condition}=True condition"));
        }
    }
}

fn times(change: &ConditionChange<'_>) {
    let (start, end) = (change.status.field("startTime"), change.status.field("completionTime"));
    if change.turns("Complete") || change.changes("completionTime") {
        match (end.is_set(), change.is("Complete")) {
            (true, false) => {
                end.invalid("cannot set completionTime when there is no Complete=True condition");
            }
            (false, true) => end.required("completionTime is required for Complete jobs"),
            _ => {}
        }
    }
    let is_changed = change.changes("startTime") || change.changes("completionTime");
    // Times are in UTC and of one length: they sort as texts.
    if is_changed && start.is_set() && end.is_set() && end.str() < start.str() {
        end.invalid("must be equal to or after `startTime`");
    }
    let old_end = change.old.field("completionTime");
    if end.is_set() && old_end.is_set() && !end.same_as(old_end) {
        end.invalid("field is immutable");
    }
    // A job that continues starts anew.
    let is_resuming = change.was("Suspended") && has_condition(change.status, "Suspended", "False");
    let was_started = change.old.field("startTime").is_set();
    if was_started && change.changes("startTime") && !is_resuming && !change.spec.field("suspend").bool() {
        start.invalid("field is immutable for unsuspended job once set");
    }
}

fn finished(change: &ConditionChange<'_>) {
    let status = change.status;
    if change.is_finished() {
        for (name, message) in [
            ("active", "active>0 is invalid for finished job"),
            ("terminating", "terminating>0 is invalid for finished job"),
        ] {
            let is_new = change.turns_finished() || change.changes(name);
            if is_new && status.field(name).int() > 0 {
                status.field(name).invalid(message);
            }
        }
        let pods = status.field("uncountedTerminatedPods");
        let has_pods = !pods.field("failed").is_empty() || !pods.field("succeeded").is_empty();
        if has_pods && (change.turns_finished() || change.changes("uncountedTerminatedPods")) {
            pods.invalid_struct("*batch.UncountedTerminatedPods", "must be empty for finished job");
        }
        never_started(change);
    }
    let ready = status.field("ready");
    let is_new = change.changes("ready") || change.changes("active");
    if is_new && ready.is_set() && ready.int() > status.field("active").int() {
        ready.invalid("cannot set more ready pods than active");
    }
}

/// Suspended Jobs with nothing to do may finish without a start.
fn never_started(change: &ConditionChange<'_>) {
    let start = change.status.field("startTime");
    let is_idle =
        change.spec.field("suspend").bool() && change.spec.field("completions").opt_int() == Some(0);
    if !start.is_set() && !is_idle && (change.turns_finished() || change.changes("startTime")) {
        start.required("startTime is required for finished job");
    }
}

fn completed_and_failed(change: &ConditionChange<'_>) {
    let (completed, failed) = (change.status.field("completedIndexes"), change.status.field("failedIndexes"));
    let completions = change.spec.field("completions").opt_int();
    let has_limit = change.spec.field("backoffLimitPerIndex").is_set();
    if change.changes("completedIndexes") {
        indexes_format(completed, completions);
        if !completed.is_empty() && !is_indexed(change.spec) {
            completed.invalid("cannot set non-empty completedIndexes when non-indexed completion mode");
        }
    }
    if change.changes("failedIndexes") && failed.is_set() {
        if has_limit {
            indexes_format(failed, completions);
        } else {
            failed.invalid("cannot set non-null failedIndexes when backoffLimitPerIndex is null");
        }
    }
    let is_changed = change.changes("completedIndexes") || change.changes("failedIndexes");
    if let (true, Some(completions)) = (is_changed, completions)
        && let Some(index) = indexes::first_overlap(completed.str(), failed.str(), completions)
    {
        failed.invalid(format!("failedIndexes and completedIndexes overlap at index: {index}"));
    }
}

fn indexes_format(field: Field<'_>, completions: Option<i64>) {
    // Without completions the job has no indexes.
    let Some(completions) = completions else { return };
    if let Err(problem) = indexes::count(field.str(), completions) {
        let path = field.path();
        let name = path.rsplit('.').next().unwrap_or_default();
        field.invalid(format!("error parsing {name}: {problem}"));
    }
}

fn decreasing(change: &ConditionChange<'_>) {
    let (status, old, spec) = (change.status, change.old, change.spec);
    if status.field("failed").int() < old.field("failed").int() {
        status.field("failed").invalid_as(status.field("failed").int(), "cannot decrease the failed counter");
    }
    // Indexed Jobs may scale down.
    let may_scale = is_indexed(spec) && spec.field("completions").same_as(spec.field("parallelism"));
    let succeeded = status.field("succeeded");
    if !may_scale && succeeded.int() < old.field("succeeded").int() {
        succeeded.invalid_as(succeeded.int(), "cannot decrease the succeeded counter");
    }
}

fn success_criteria(change: &ConditionChange<'_>) {
    let (is_met, was_met) = (change.is("SuccessCriteriaMet"), change.was("SuccessCriteriaMet"));
    if is_met && change.is("Failed") {
        change.refuse("cannot set SuccessCriteriaMet=True and Failed=true conditions");
    }
    if is_met && change.is("FailureTarget") {
        change.refuse("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
    }
    if change.spec.field("successPolicy").is_set() && !is_met && change.is("Complete") {
        change.refuse("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
    }
    if was_met && !is_met {
        change.refuse("cannot disable the SuccessCriteriaMet=True condition");
    }
    if change.was("Complete") && !was_met && is_met {
        change.refuse("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
    }
}
