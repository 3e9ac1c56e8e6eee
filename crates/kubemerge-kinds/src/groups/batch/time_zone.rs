//! Names of time zones.

use crate::field::{BadValue, Field};

/// The names of the IANA database, one to a line, sorted.
const NAMES: &str = include_str!("time_zones.txt");
const MAX_PART: usize = 14;

/// Whether a time zone exists. Names are case-sensitive.
pub(super) fn is_time_zone(name: &str) -> bool {
    matches!(name, "UTC" | "Local") || !name.is_empty() && NAMES.lines().any(|known| known == name)
}

/// Validates a time zone, if there is one.
pub(super) fn check_time_zone(zone: Field<'_>) {
    if !zone.is_set() {
        return;
    }
    let name = zone.str();
    if name.is_empty() {
        return zone.invalid_as(BadValue::from(""), "timeZone must be nil or non-empty string");
    }
    if !name.split('/').all(is_part) {
        return zone.invalid(format!("unknown time zone {name}"));
    }
    // Go reads it as the zone of the server, which the user does not know.
    if name.eq_ignore_ascii_case("Local") {
        zone.invalid("timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
    }
    // Go opens a file of this name and refuses to leave its folder.
    if name.contains("..") {
        zone.invalid("time: invalid location name");
    } else if !is_time_zone(name) {
        zone.invalid(format!("unknown time zone {name}"));
    }
}

fn is_part(part: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-_+".contains(&byte);
    !matches!(part, "" | "." | "..")
        && !part.starts_with('-')
        && part.len() <= MAX_PART
        && part.bytes().all(is_allowed)
}
