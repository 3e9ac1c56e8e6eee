//! CronJob.

use super::cron_schedule::check_schedule;
use super::job_spec::{self, prepare, shared_defaults};
use super::time_zone::check_time_zone;
use crate::columns::{AGE, CONTAINERS, Cell, IMAGES, KindColumn, NAME, workload};
use crate::field::Field;
use crate::groups::core_v1::pod_spec::{self, is_counted};
use crate::registry::{
    Context, DecodeRules, GenerationRule, KindEntry, OnUpdate, Presentation, Strategy, SubresourceRules,
    ValidationRules,
};
use crate::tree::Map;

/// Jobs get a suffix of 11 characters, and their names are labels.
const MAX_NAME: usize = 52;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "CronJob",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        generation: GenerationRule::Field("spec"),
        prepare_create: prepare_job,
        prepare_update: |cron_job, _, context| prepare_job(cron_job, context),
        ..Strategy::WITH_STATUS
    },
    validation: ValidationRules {
        object: |cron_job| {
            let spec = cron_job.field("spec");
            schedule(spec, "");
            check_time_zone(spec.field("timeZone"));
            validate_spec(spec);
            let name = cron_job.fields(["metadata", "name"]);
            if name.str().len() > MAX_NAME {
                name.invalid("must be no more than 52 characters");
            }
        },
        update: |cron_job, old| {
            let (spec, stored) = (cron_job.field("spec"), old.field("spec"));
            schedule(spec, stored.field("schedule").str());
            // The database of zones may have been newer when the object was stored.
            if !spec.field("timeZone").same_as(stored.field("timeZone")) {
                check_time_zone(spec.field("timeZone"));
            }
            validate_spec(spec);
        },
        on_update: OnUpdate::ValidateChanges,
        warnings,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules::STATUS],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Schedule", Cell::Text("/spec/schedule")),
            KindColumn::string("Timezone", Cell::TextOr("/spec/timeZone", "<none>")),
            KindColumn::boolean("Suspend", Cell::Computed(workload::suspend)),
            KindColumn::integer("Active", Cell::Count("/status/active")),
            KindColumn::string("Last Schedule", Cell::Age("/status/lastScheduleTime", "<none>")),
            AGE,
            CONTAINERS,
            IMAGES,
            KindColumn::string("Selector", Cell::Computed(workload::job_template_selector)).wide(),
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

fn warnings(cron_job: Field<'_>, old: Option<Field<'_>>) -> Vec<String> {
    let mut found = Vec::new();
    if is_counted(cron_job, old) {
        found = pod_spec::warnings(cron_job.fields(["spec", "jobTemplate", "spec", "template"]));
    }
    if cron_job.fields(["spec", "schedule"]).str().contains("TZ") {
        // Upstream: the path has one `spec` too many.
        found.push(
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see \
             https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
                .into(),
        );
    }
    found
}

fn job_spec_mut<'m, 'a>(cron_job: &'m mut Map<'a>) -> Option<&'m mut Map<'a>> {
    cron_job.map_mut("spec")?.map_mut("jobTemplate")?.map_mut("spec")
}

/// Jobs get their own defaults when they are created.
fn defaults(cron_job: &mut Map<'_>, context: Context) {
    if let Some(spec) = job_spec_mut(cron_job) {
        shared_defaults(spec, context);
    }
    let spec = cron_job.ensure_map("spec");
    spec.set_default("concurrencyPolicy", "Allow");
    spec.set_if_absent("suspend", false);
    spec.set_if_absent("successfulJobsHistoryLimit", 3);
    spec.set_if_absent("failedJobsHistoryLimit", 1);
}

fn prepare_job(cron_job: &mut Map<'_>, context: Context) {
    if let Some(spec) = job_spec_mut(cron_job) {
        prepare(spec, context);
    }
}

fn schedule(spec: Field<'_>, old: &str) {
    let schedule = spec.field("schedule");
    if schedule.declared().require("") {
        return;
    }
    if let Err(problem) = check_schedule(schedule.str()) {
        schedule.invalid(problem);
    }
    match (schedule.str().contains("TZ"), old.contains("TZ")) {
        (true, false) => schedule.invalid("cannot use TZ or CRON_TZ in schedule, use timeZone field instead"),
        // Schedules with a zone that were stored before that rule stay.
        (true, true) if spec.field("timeZone").is_set() => {
            schedule.invalid("cannot use both timeZone field and TZ or CRON_TZ in schedule");
        }
        _ => {}
    }
}

fn validate_spec(spec: Field<'_>) {
    for name in ["startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"] {
        spec.field(name).check_not_negative();
    }
    let policy = spec.field("concurrencyPolicy");
    if !policy.require("") {
        policy.one_of(&["Allow", "Forbid", "Replace"]);
    }
    let job = spec.fields(["jobTemplate", "spec"]);
    job_spec::validate(job);
    let (selector, manual) = (job.field("selector"), job.field("manualSelector"));
    // Each job gets a selector of its own.
    if selector.is_set() {
        selector.invalid_struct("*metav1.LabelSelector", "`selector` will be auto-generated");
    }
    if manual.bool() {
        manual.not_supported(&["nil", "false"]);
    }
}
