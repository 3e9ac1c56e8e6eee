//! Names of drivers, pools, devices, requests and attributes, and lists of limited length.

use std::collections::BTreeSet;

use kubemerge_value::deep;

use crate::field::{BadValue, Field};
use crate::format::{c_identifier, dns1123_label, dns1123_subdomain, long_name, regex_error};
use crate::groups::core_v1::pod_spec::csi_driver_name;
use crate::tree::Value;

const MAX_DRIVER_CHARACTERS: usize = 63;
const MAX_DOMAIN_BYTES: usize = 63;
const MAX_IDENTIFIER_BYTES: usize = 32;
const MAX_POOL_BYTES: usize = 253;

/// The name of a driver, by the hand-written rule.
pub(super) fn driver_name(driver: Field<'_>) {
    csi_driver_name(driver);
}

/// The name of a driver, by the declarative rule.
pub(super) fn declared_driver_name(driver: Field<'_>) {
    if driver.require("") {
        return;
    }
    if driver.str().chars().count() > MAX_DRIVER_CHARACTERS {
        driver.too_many_characters(MAX_DRIVER_CHARACTERS);
    }
    if !dns1123_subdomain(&driver.str().to_ascii_lowercase()).is_empty() {
        let message = "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start \
                       and end with an alphanumeric character";
        let regex = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
        driver.invalid(regex_error(message, regex, &["Example.com"]));
    }
}

/// The name of a pool, by the hand-written rule.
pub(super) fn pool_name(pool: Field<'_>) {
    if pool.require("") {
        return;
    }
    if pool.str().len() > MAX_POOL_BYTES {
        pool.too_long(MAX_POOL_BYTES);
    }
    for part in pool.str().split('/') {
        dns1123_subdomain(part).into_iter().for_each(|problem| pool.invalid_as(part, problem));
    }
}

/// The name of a pool, by the declarative rule.
pub(super) fn declared_pool_name(pool: Field<'_>) {
    if pool.require("") {
        return;
    }
    if pool.str().len() > MAX_POOL_BYTES {
        pool.too_long(MAX_POOL_BYTES);
    }
    for (at, part) in pool.str().split('/').enumerate() {
        if part.is_empty() {
            pool.invalid(format!("segment {at}: must not be empty"));
            continue;
        }
        for problem in long_name(part) {
            pool.invalid_as(part, format!("segment {at}: {problem}"));
        }
    }
}

/// The name of a device class.
pub(super) fn class_name(class: Field<'_>) {
    if !class.require("") {
        class.check(dns1123_subdomain);
    }
}

/// `name` or `domain/name` of an attribute or capacity, reported at the place of the map that has it as a key.
pub(super) fn qualified_key(map: Field<'_>, name: &str) {
    match name.split('/').collect::<Vec<_>>()[..] {
        [name] => identifier(map, name),
        [domain, name] => {
            if domain.is_empty() {
                map.invalid_as("", "the domain must not be empty");
            } else {
                if domain.len() > MAX_DOMAIN_BYTES {
                    map.too_long(MAX_DOMAIN_BYTES);
                }
                let problems = dns1123_subdomain(&domain.to_lowercase());
                problems.into_iter().for_each(|problem| map.invalid_as(domain, problem));
            }
            if name.is_empty() {
                map.invalid_as("", "the name must not be empty");
            } else {
                identifier(map, name);
            }
        }
        // Upstream: more slashes are not looked at.
        _ => {}
    }
}

/// `domain/name` of an attribute.
pub(super) fn fully_qualified_name(field: Field<'_>) {
    let text = field.str();
    match text.split('/').collect::<Vec<_>>()[..] {
        [name] => {
            identifier(field, name);
            field.invalid("a fully qualified name must be a domain and a name separated by a slash");
        }
        [domain, name] => {
            if domain.is_empty() {
                field.invalid_as("", "prefix must not be empty");
            } else {
                if domain.len() > MAX_DOMAIN_BYTES {
                    field.too_long(MAX_DOMAIN_BYTES);
                }
                for problem in long_name(domain) {
                    field.invalid_as(domain, format!("prefix: {problem}"));
                }
            }
            if name.is_empty() {
                field.invalid_as("", "name must not be empty");
            } else {
                identifier(field, name);
            }
        }
        // Upstream: more slashes are not looked at.
        _ => {}
    }
}

fn identifier(field: Field<'_>, name: &str) {
    if name.len() > MAX_IDENTIFIER_BYTES {
        field.too_long(MAX_IDENTIFIER_BYTES);
    }
    c_identifier(name).into_iter().for_each(|problem| field.invalid_as(name, problem));
}

/// A uid in the normal form.
pub(super) fn uuid(uid: Field<'_>) {
    let is_valid = uid.str().len() == 36
        && uid.str().bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        });
    if !is_valid {
        uid.invalid("must be a lowercase UUID in 8-4-4-4-12 format");
    }
}

/// The requests of a claim: `name`, and `name/subrequest`.
pub(super) struct RequestNames<'t> {
    names: BTreeSet<(&'t str, Option<&'t str>)>,
}

impl<'t> RequestNames<'t> {
    /// Collects the names of the requests of a claim.
    pub(super) fn of(devices: Field<'t>) -> RequestNames<'t> {
        let mut names = BTreeSet::new();
        for request in devices.field("requests").items() {
            let name = request.field("name").str();
            names.insert((name, None));
            let parts = request.field("firstAvailable").items();
            names.extend(parts.map(|part| (name, Some(part.field("name").str()))));
        }
        RequestNames { names }
    }

    /// Validates a reference to a request.
    pub(super) fn reference(&self, field: Field<'_>) {
        let message = "must be the name of a request in the claim or the name of a request and a subrequest \
                       separated by '/'";
        let parts: Vec<&str> = field.str().split('/').collect();
        if parts.len() > 2 {
            return field.invalid(message);
        }
        for part in &parts {
            dns1123_label(part).into_iter().for_each(|problem| field.invalid_as(*part, problem));
        }
        let (request, subrequest) = match field.str().split_once('/') {
            Some((request, subrequest)) => (request, Some(subrequest)),
            None => (field.str(), None),
        };
        if !self.names.contains(&(request, subrequest)) {
            field.invalid(message);
        }
    }
}

/// Reports a list that is too long; its items are not validated then.
pub(super) fn is_within(list: Field<'_>, max: usize) -> bool {
    let is_within = list.len() <= max;
    if !is_within {
        list.too_many(list.len(), max);
    }
    is_within
}

/// Reports strings that are in a list more than once.
pub(super) fn unique_strings(list: Field<'_>) {
    let mut seen = BTreeSet::new();
    list.items().filter(|item| !seen.insert(item.str())).for_each(Field::duplicate);
}

/// Reports items whose key is in a list more than once; messages show the whole item.
pub(super) fn unique_by<const N: usize>(list: Field<'_>, keys: [&'static str; N]) {
    let mut seen = BTreeSet::new();
    for item in list.items() {
        if !seen.insert(keys.map(|key| item.field(key).str().to_owned())) {
            item.duplicate_as(item.value().map_or_else(BadValue::null, in_go_order));
        }
    }
}

/// Reports items whose name is in a list more than once; messages show the name.
pub(super) fn unique_names(list: Field<'_>) {
    let mut seen = BTreeSet::new();
    for item in list.items() {
        let name = item.field("name").str();
        if !seen.insert(name) {
            item.duplicate_as(BadValue::from(name));
        }
    }
}

/// The order of fields in Go's structs, for messages that show whole items.
const GO_ORDER: [&str; 21] = [
    "apiGroup",
    "resource",
    "name",
    "uid",
    "exactly",
    "firstAvailable",
    "deviceClassName",
    "selectors",
    "allocationMode",
    "count",
    "adminAccess",
    "key",
    "operator",
    "value",
    "effect",
    "tolerationSeconds",
    "tolerations",
    "capacity",
    "counterSet",
    "counters",
    "derivedAttributes",
];

/// A value as JSON with its fields in the order in which Go declares them.
fn in_go_order(value: &Value<'_>) -> BadValue {
    BadValue::verbatim(go_json(value))
}

fn go_json(value: &Value<'_>) -> String {
    match value {
        Value::Map(map) => {
            let mut members: Vec<(&str, &Value<'_>)> = map.iter().collect();
            // Names that are not in the table are keys of maps: those are sorted already.
            let place = |name: &str| GO_ORDER.iter().position(|known| *known == name);
            members.sort_by_key(|(name, _)| place(name).unwrap_or(GO_ORDER.len()));
            let members = members
                .into_iter()
                .map(|(name, value)| format!("{}:{}", Value::from(name).to_text(), deep(|| go_json(value))));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::List(list) => {
            let items: Vec<String> = list.iter().map(|item| deep(|| go_json(item))).collect();
            format!("[{}]", items.join(","))
        }
        scalar => scalar.to_text(),
    }
}
