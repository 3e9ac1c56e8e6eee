//! The cells of Events, in the words of either group.

use serde_json::Value;

use super::read::text;
use crate::{columns::column::age, timestamp::Timestamp};

/// A cell; none if the column is no Event's.
pub(super) fn cell(name: &str, event: &Value, now: Timestamp) -> Option<String> {
    let about = |member: &str| either(event, ["/involvedObject", "/regarding"], member);
    let ago = |moment: Option<Timestamp>| moment.map_or("<unknown>".into(), |then| age(now.since(then)));
    Some(match name {
        "event-object" => match about("/name") {
            name if name.is_empty() => about("/kind").to_lowercase(),
            name => format!("{}/{name}", about("/kind").to_lowercase()),
        },
        "event-subobject" => about("/fieldPath"),
        "event-message" => either(event, ["/message", "/note"], "").trim().to_string(),
        "event-source" => source(event),
        "last-seen" => {
            let places = ["/series/lastObservedTime", "/lastTimestamp", "/deprecatedLastTimestamp"];
            ago(moment(event, &places))
        }
        "first-seen" => ago(moment(event, &["/firstTimestamp", "/deprecatedFirstTimestamp"])),
        _ => return None,
    })
}

/// The text below the one of two places that is there.
fn either(event: &Value, places: [&str; 2], below: &str) -> String {
    let found = places.iter().find_map(|place| text(event, &format!("{place}{below}")));
    found.unwrap_or_default().to_string()
}

/// The first of several times; newer Events have only one of their own.
fn moment(event: &Value, places: &[&str]) -> Option<Timestamp> {
    places.iter().chain(&["/eventTime"]).find_map(|place| Timestamp::parse(text(event, place)?))
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

pub(super) fn count(event: &Value) -> i64 {
    let counts = ["/series/count", "/count", "/deprecatedCount"];
    counts.iter().find_map(|place| event.pointer(place)?.as_i64()).filter(|count| *count > 0).unwrap_or(1)
}
