//! APIService.

use crate::columns::{AGE, Cell, KindColumn, NAME, control};
use crate::field::Field;
use crate::format::{dns1035_label, dns1123_subdomain, path_segment_name};
use crate::go_text::quoted;
use crate::meta::NameRule;
use crate::registry::{
    Context, DecodeRules, KindEntry, MetadataRule, Permission, Presentation, StorageFolder, Strategy,
    SubresourceRules, Times, ValidationRules, Written,
};
use crate::tree::{List, Map, Value};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "APIService",
    folder: StorageFolder::GroupAndPlural,
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        name: NameRule::PathSegment,
        unconditional_update: Permission::Denied,
        prepare_create,
        ..Strategy::WITH_STATUS
    },
    times: Times { changes: Some(set_condition_times), ..Times::NONE },
    validation: ValidationRules {
        metadata: MetadataRule::AnyFinalizers,
        object: validate,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        validate_update: |service, _| status(service.field("status")),
        ..SubresourceRules::STATUS_ALONE
    }],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Service", Cell::Computed(control::api_service)),
            KindColumn::string("Available", Cell::Computed(control::api_available)),
            AGE,
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

/// The first conditions, which have a null where the time belongs. Later only clients write them.
fn set_condition_times(service: &mut Map<'_>, written: &Written<'_>) {
    let status = service.map_mut("status").filter(|_| written.old.is_none());
    let conditions = status.into_iter().flat_map(|status| status.maps_mut("conditions"));
    for condition in conditions.filter(|condition| condition.str("lastTransitionTime").is_empty()) {
        condition.set_text("lastTransitionTime", written.now);
    }
}

const MAX_GROUP_PRIORITY: i64 = 20_000;
const MAX_VERSION_PRIORITY: i64 = 1_000;

fn defaults(service: &mut Map<'_>, _: Context) {
    if let Some(reference) = service.map_mut("spec").and_then(|spec| spec.map_mut("service")) {
        reference.set_if_absent("port", 443);
    }
}

/// What the API server serves itself is available at once.
fn prepare_create(service: &mut Map<'_>, _: Context) {
    if service.map("spec").is_some_and(|spec| spec.has("service")) {
        return;
    }
    let arena = service.arena();
    let mut condition = Map::new_in(arena);
    // The time is the server's to tell.
    condition.set("lastTransitionTime", Value::Null);
    condition.set("type", "Available");
    condition.set("status", "True");
    condition.set("reason", "Local");
    condition.set("message", "Local APIServices are always available");
    let mut conditions = List::new_in(arena);
    conditions.push(condition);
    service.ensure_map("status").set("conditions", conditions);
}

fn validate(service: Field<'_>) {
    let spec = service.field("spec");
    let (group, version) = (spec.field("group"), spec.field("version"));
    name(service.fields(["metadata", "name"]), format!("{}.{}", version.str(), group.str()));
    // Only the core group has no name.
    if group.is_empty() && version.str() != "v1" {
        group.required("only v1 may have an empty group and it better be legacy kube");
    }
    if !group.is_empty() {
        group.check(dns1123_subdomain);
    }
    version.check(dns1035_label);
    priority(spec.field("groupPriorityMinimum"), MAX_GROUP_PRIORITY);
    priority(spec.field("versionPriority"), MAX_VERSION_PRIORITY);
    if spec.field("service").is_set() {
        remote(spec);
    } else {
        local(spec);
    }
}

fn name(name: Field<'_>, required: String) {
    let is_segment = path_segment_name(name.str()).is_empty();
    // A missing or malformed name is reported with the metadata.
    if !name.is_empty() && is_segment && name.str() != required {
        name.invalid(format!("must be `spec.version+\".\"+spec.group`: {}", quoted(&required)));
    }
}

fn priority(priority: Field<'_>, max: i64) {
    if !(1..=max).contains(&priority.int()) {
        priority.invalid_as(priority.int(), format!("must be positive and less than {max}"));
    }
}

fn local(spec: Field<'_>) {
    let (bundle, insecure) = (spec.field("caBundle"), spec.field("insecureSkipTLSVerify"));
    if !bundle.is_empty() {
        // Messages show how long a bundle is instead of its bytes.
        let bytes = bundle.str().trim_end_matches('=').len() * 3 / 4;
        bundle.invalid_as(format!("{bytes} bytes").as_str(), "local APIServices may not have a caBundle");
    }
    if insecure.bool() {
        insecure.invalid("local APIServices may not have insecureSkipTLSVerify");
    }
}

fn remote(spec: Field<'_>) {
    let service = spec.field("service");
    service.field("namespace").require("");
    service.field("name").require("");
    let port = service.field("port");
    if !(1..=65535).contains(&port.int()) {
        port.invalid_as(port.int(), "port is not valid: must be between 1 and 65535, inclusive");
    }
    let insecure = spec.field("insecureSkipTLSVerify");
    // A bundle that is never used would look like a check.
    if insecure.bool() && !spec.field("caBundle").is_empty() {
        insecure.invalid("may not be true if caBundle is present");
    }
}

fn status(status: Field<'_>) {
    for condition in status.field("conditions").items() {
        condition.field("status").one_of(&["True", "False", "Unknown"]);
    }
}
