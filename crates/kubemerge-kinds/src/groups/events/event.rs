//! Event of the group `events.k8s.io`.
//!
//! Kubernetes stores events as those of the core group: errors have the names of its fields.

use crate::columns;
use crate::field::{BadValue, Field};
use crate::groups::core_v1::event::{self, EventFields};
use crate::registry::{
    KindEntry, OnUpdate, Permission, Presentation, Propagation, RulesRead, SelectableField, SelectableFields,
    Strategy, ValidationRules, VersionConversion,
};
use crate::tree::Map;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "Event",
    // The Events of both groups are the same objects.
    conversion: Some(VersionConversion {
        stored_in: "v1",
        from_stored,
        to_stored,
        rules: RulesRead::ServedVersion,
    }),
    strategy: Strategy {
        create_on_update: Permission::Granted,
        default_propagation: Propagation::Unsupported,
        ..Strategy::DEFAULT
    },
    validation: ValidationRules {
        object: |event| {
            event::validate(EventFields {
                event,
                involved: event.field("regarding").renamed("involvedObject"),
                controller: event.field("reportingController"),
                message: event.field("note").renamed("message"),
            });
        },
        new_only: validate_create_only,
        update: validate_update,
        on_update: OnUpdate::ValidateObject,
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: columns::event::COLUMNS,
        selectable: SelectableFields::listed(&[
            SelectableField::at("reason"),
            SelectableField::at("type"),
            SelectableField::named("reportingController", "reportingComponent"),
            SelectableField::named("regarding.kind", "involvedObject.kind"),
            SelectableField::named("regarding.namespace", "involvedObject.namespace"),
            SelectableField::named("regarding.name", "involvedObject.name"),
            SelectableField::named("regarding.uid", "involvedObject.uid"),
            SelectableField::named("regarding.apiVersion", "involvedObject.apiVersion"),
            SelectableField::named("regarding.resourceVersion", "involvedObject.resourceVersion"),
            SelectableField::named("regarding.fieldPath", "involvedObject.fieldPath"),
        ]),
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

/// The fields of an Event as they are stored, and their names in this group.
const RENAMED: [(&str, &str); 7] = [
    ("count", "deprecatedCount"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("involvedObject", "regarding"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("message", "note"),
    ("reportingComponent", "reportingController"),
    ("source", "deprecatedSource"),
];

/// This group leaves out what is empty; the core group writes it.
fn from_stored(event: &mut Map<'_>) {
    RENAMED.iter().for_each(|(stored, served)| rename(event, stored, served));
    for name in ["reportingController", "reportingInstance"] {
        if event.str(name).is_empty() {
            event.remove(name);
        }
    }
}

fn to_stored(event: &mut Map<'_>) {
    RENAMED.iter().for_each(|(stored, served)| rename(event, served, stored));
    for name in ["reportingComponent", "reportingInstance"] {
        if !event.has(name) {
            event.set(name, "");
        }
    }
}

fn rename(event: &mut Map<'_>, from: &str, to: &'static str) {
    if let Some(value) = event.remove(from) {
        event.set(to, value);
    }
}

fn validate_create_only(event: Field<'_>) {
    series(event.field("series"));
    if !event.field("eventTime").is_set() {
        event.field("eventTime").required("");
    }
    let kind = event.field("type");
    if !matches!(kind.str(), "Normal" | "Warning") {
        // Upstream puts the value into the text and passes an empty one.
        kind.invalid_as("", format!("has invalid value: {}", kind.str()));
    }
    let unset = [
        ("deprecatedFirstTimestamp", "firstTimestamp"),
        ("deprecatedLastTimestamp", "lastTimestamp"),
        ("deprecatedCount", "count"),
    ];
    // Upstream reports the names that these fields have in the core group.
    for (name, reported) in unset {
        if !event.field(name).is_empty() {
            event.field(reported).invalid_as("", "needs to be unset");
        }
    }
    let source = event.field("deprecatedSource");
    if !source.field("component").is_empty() || !source.field("host").is_empty() {
        event.field("source").invalid_as("", "needs to be unset");
    }
}

fn series(series: Field<'_>) {
    if !series.is_set() {
        return;
    }
    let (count, time) = (series.field("count"), series.field("lastObservedTime"));
    // One event is no series.
    if count.int() < 2 {
        count.invalid_as("", "should be at least 2");
    }
    if !time.is_set() {
        time.required("");
    }
}

/// Only the series of an event changes.
fn validate_update(event: Field<'_>, old: Field<'_>) {
    if !event.field("series").same_as(old.field("series")) {
        series(event.field("series"));
    }
    let scalar = |name, reported| event.field(name).renamed(reported).check_immutable(old.field(name));
    let part = |name, reported, go_type| {
        event.field(name).renamed(reported).check_immutable_struct(old.field(name), go_type);
    };
    let time = |name, reported| time_kept(event.field(name).renamed(reported), old.field(name));
    part("regarding", "involvedObject", "core.ObjectReference");
    scalar("reason", "reason");
    scalar("note", "message");
    part("deprecatedSource", "source", "core.EventSource");
    time("deprecatedFirstTimestamp", "firstTimestamp");
    time("deprecatedLastTimestamp", "lastTimestamp");
    scalar("deprecatedCount", "count");
    // Upstream checks the reason twice.
    scalar("reason", "reason");
    scalar("type", "type");
    time("eventTime", "eventTime");
    scalar("action", "action");
    part("related", "related", "*core.ObjectReference");
    scalar("reportingController", "reportingController");
    scalar("reportingInstance", "reportingInstance");
}

fn time_kept<'t>(time: Field<'t>, old: Field<'t>) {
    if !time.same_as(old) {
        let bad_value = if time.is_set() { time.bad_value() } else { BadValue::null() };
        time.invalid_as(bad_value, "field is immutable");
    }
}
