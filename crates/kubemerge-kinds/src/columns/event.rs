//! The cells of Events, in the words of either group.

use serde_json::{Value, json};

use super::cell::Cell;
use super::column::{KindColumn, NAME, age};
use super::read::{moment, text};
use crate::timestamp::Timestamp;

/// The columns of the Events of either group. There is neither Name in front nor Age at the end.
pub(crate) const COLUMNS: &[KindColumn] = &[
    KindColumn::string("Last Seen", Cell::ComputedAt(last_seen)),
    KindColumn::string("Type", Cell::Text("/type")),
    KindColumn::string("Reason", Cell::Text("/reason")),
    KindColumn::string("Object", Cell::Computed(object)),
    KindColumn::string("Subobject", Cell::Computed(subobject)).wide(),
    KindColumn::string("Source", Cell::Computed(source)).wide(),
    KindColumn::string("Message", Cell::Computed(message)),
    KindColumn::string("First Seen", Cell::ComputedAt(first_seen)).wide(),
    KindColumn::string("Count", Cell::ComputedValue(count)).wide(),
    NAME.wide(),
];

/// What the Event is about.
fn object(event: &Value) -> String {
    match about(event, "/name") {
        name if name.is_empty() => about(event, "/kind").to_lowercase(),
        name => format!("{}/{name}", about(event, "/kind").to_lowercase()),
    }
}

fn subobject(event: &Value) -> String {
    about(event, "/fieldPath")
}

fn message(event: &Value) -> String {
    either(event, ["/message", "/note"], "").trim().to_string()
}

fn last_seen(event: &Value, now: Timestamp) -> String {
    ago(first_moment(event, &["/series/lastObservedTime", "/lastTimestamp", "/deprecatedLastTimestamp"]), now)
}

fn first_seen(event: &Value, now: Timestamp) -> String {
    ago(first_moment(event, &["/firstTimestamp", "/deprecatedFirstTimestamp"]), now)
}

fn about(event: &Value, member: &str) -> String {
    either(event, ["/involvedObject", "/regarding"], member)
}

fn ago(moment: Option<Timestamp>, now: Timestamp) -> String {
    moment.map_or("<unknown>".into(), |then| age(now.since(then)))
}

/// The text below the one of two places that is there.
fn either(event: &Value, places: [&str; 2], below: &str) -> String {
    let found = places.iter().find_map(|place| text(event, &format!("{place}{below}")));
    found.unwrap_or_default().to_string()
}

/// The first of several times; newer Events have only one of their own.
fn first_moment(event: &Value, places: &[&str]) -> Option<Timestamp> {
    places.iter().chain(&["/eventTime"]).find_map(|place| moment(event, place))
}

fn source(event: &Value) -> String {
    let first = |places: [&str; 4]| {
        places.iter().find_map(|place| text(event, place)).unwrap_or_default().to_string()
    };
    let component = first([
        "/source/component",
        "/deprecatedSource/component",
        "/reportingComponent",
        "/reportingController",
    ]);
    match first(["/source/host", "/deprecatedSource/host", "/reportingInstance", "/reportingInstance"]) {
        instance if instance.is_empty() => component,
        instance => format!("{component}, {instance}"),
    }
}

fn count(event: &Value) -> Value {
    let counts = ["/series/count", "/count", "/deprecatedCount"];
    let found = counts.iter().find_map(|place| event.pointer(place)?.as_i64());
    json!(found.filter(|count| *count > 0).unwrap_or(1))
}
