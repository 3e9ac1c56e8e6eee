//! CertificateSigningRequest.

use std::collections::BTreeSet;

use super::content::{certificates_problem, decoded, request_problem};
use super::signing_request_update::{
    approval_changes, changes, keep_all_but_certificate, keep_all_but_conditions, status_changes,
};
use crate::columns::{AGE, Cell, KindColumn, NAME, control};
use crate::field::Field;
use crate::format::Problems;
use crate::groups::core_v1::pod_spec::signer_name;
use crate::meta::NameRule;
use crate::object::user::User;
use crate::registry::{
    KindEntry, OnUpdate, Presentation, SelectableField, SelectableFields, Strategy, SubresourceRules, Times,
    ValidationRules, Written, reset_fields::SPEC_AND_STATUS,
};
use crate::tree::{Arena, List, Map, Value};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "CertificateSigningRequest",
    strategy: Strategy {
        name: NameRule::Custom(|_| Problems::new()),
        resets: SPEC_AND_STATUS,
        record_user: Some(add_user),
        ..Strategy::DEFAULT
    },
    times: Times { changes: Some(set_condition_times), ..Times::NONE },
    validation: ValidationRules {
        object: |request| validate(request, request.absent()),
        update: |request, old| {
            validate(request, old);
            changes(request, old);
        },
        on_update: OnUpdate::ValidateMetadata,
        ..ValidationRules::DEFAULT
    },
    subresources: &[
        SubresourceRules {
            resets: &[&["spec"], &["status", "conditions"]],
            prepare_update: keep_all_but_certificate,
            validate_update: |request, old| {
                validate(request, old);
                status_changes(request, old);
            },
            ..SubresourceRules::STATUS
        },
        SubresourceRules {
            name: "approval",
            resets: &[&["spec"], &["status", "certificate"]],
            prepare_update: keep_all_but_conditions,
            validate_update: |request, old| {
                validate(request, old);
                approval_changes(request, old);
            },
            ..SubresourceRules::OTHER
        },
    ],
    presentation: Presentation {
        columns: &[
            NAME,
            AGE,
            KindColumn::string("SignerName", Cell::TextOr("/spec/signerName", "<none>")),
            KindColumn::string("Requestor", Cell::Text("/spec/username")),
            KindColumn::string("RequestedDuration", Cell::Computed(control::requested_duration)),
            KindColumn::string("Condition", Cell::Computed(control::request_condition)),
        ],
        selectable: SelectableFields::listed(&[SelectableField::at("spec.signerName")]),
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

/// The conditions that a subresource writes, unless the client says when. One that was there keeps its time.
fn set_condition_times(request: &mut Map<'_>, written: &Written<'_>) {
    if written.subresource.is_none() {
        return;
    }
    let before = written.old.and_then(|old| old.map("status"));
    let since = |condition: &Map<'_>| {
        let is_same =
            |known: &&Map<'_>| ["type", "status"].iter().all(|name| known.str(name) == condition.str(name));
        let known = before.into_iter().flat_map(|status| status.maps("conditions")).find(is_same);
        known.map(|known| known.str("lastTransitionTime")).filter(|time| !time.is_empty())
    };
    for condition in request.map_mut("status").into_iter().flat_map(|status| status.maps_mut("conditions")) {
        if condition.str("lastUpdateTime").is_empty() {
            condition.set_text("lastUpdateTime", written.now);
        }
        if condition.str("lastTransitionTime").is_empty() {
            let time = since(condition).unwrap_or(written.now);
            condition.set_text("lastTransitionTime", time);
        }
    }
}

const MIN_EXPIRATION_SECONDS: i64 = 600;
const LEGACY_SIGNER: &str = "kubernetes.io/legacy-unknown";
const USAGES: [&str; 23] = [
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];
/// Conditions that are true if they are there.
const TRUE_CONDITIONS: [&str; 3] = ["Approved", "Denied", "Failed"];

/// Kubernetes writes down who asks.
fn add_user(request: &mut Map<'_>, user: &User) {
    let spec = request.ensure_map("spec");
    for name in ["uid", "groups", "extra"] {
        spec.remove(name);
    }
    let arena = spec.arena();
    spec.set_text("username", &user.name);
    if !user.uid.is_empty() {
        spec.set_text("uid", &user.uid);
    }
    if !user.groups.is_empty() {
        spec.set("groups", texts(arena, &user.groups));
    }
    for (key, values) in &user.extra {
        spec.ensure_map("extra").set(arena.alloc_str(key), texts(arena, values));
    }
}

fn texts<'a>(arena: &'a Arena, values: &[String]) -> List<'a> {
    let mut list = List::new_in(arena);
    values.iter().for_each(|value| list.push(Value::Str(arena.alloc_str(value))));
    list
}

/// Validates a request; what a stored one has already is tolerated.
fn validate(request: Field<'_>, old: Field<'_>) {
    let spec = request.field("spec");
    if let Some(problem) = request_problem(spec.field("request").str()) {
        spec.field("request").invalid(problem);
    }
    usages(spec.field("usages"), old.fields(["spec", "usages"]));
    let signer = spec.field("signerName");
    // Version v1beta1 set it for clients that named no signer.
    if signer.str() == LEGACY_SIGNER && old.fields(["spec", "signerName"]).str() != LEGACY_SIGNER {
        signer.invalid("the legacy signerName is not allowed via this API version");
    } else {
        signer_name(signer);
    }
    let expiration = spec.field("expirationSeconds");
    if expiration.is_set() && expiration.int() < MIN_EXPIRATION_SECONDS {
        expiration.invalid("may not specify a duration less than 600 seconds (10 minutes)");
    }
    let path = ["status", "conditions"];
    conditions(request.fields(path), old.fields(path));
    let path = ["status", "certificate"];
    certificate(request.fields(path), old.fields(path));
}

fn usages(usages: Field<'_>, old: Field<'_>) {
    usages.require("");
    let is_known = |usage: Field<'_>| USAGES.contains(&usage.str());
    // A stored request with unknown usages may keep and extend them.
    if old.items().all(is_known) {
        usages.items().filter(|usage| !is_known(*usage)).for_each(|usage| usage.not_supported(&USAGES));
    }
    if repeated(old).next().is_none() {
        repeated(usages).for_each(Field::duplicate);
    }
}

fn repeated(list: Field<'_>) -> impl Iterator<Item = Field<'_>> {
    let mut seen = BTreeSet::new();
    list.items().filter(move |item| !seen.insert(item.str()))
}

fn conditions(conditions: Field<'_>, old: Field<'_>) {
    let has = |list: Field<'_>, kind: &str| list.items().any(|one| one.field("type").str() == kind);
    let had_untyped = has(old, "");
    let mut seen = BTreeSet::new();
    let has_repeated = !old.items().all(|one| seen.insert(one.field("type").str()));
    let mut seen = BTreeSet::new();
    for condition in conditions.items() {
        let (kind, status) = (condition.field("type"), condition.field("status"));
        if !had_untyped {
            kind.require("");
        }
        if !status.require("") {
            let is_plain = TRUE_CONDITIONS.contains(&kind.str());
            status.one_of(if is_plain { &["True"] } else { &["False", "True", "Unknown"] });
        }
        if !seen.insert(kind.str()) && !has_repeated {
            kind.duplicate();
        }
    }
    let has_both = |list| has(list, "Approved") && has(list, "Denied");
    if has_both(conditions) && !has_both(old) {
        let text = "must specify at most one of: `conditions[{\"type\": \"Approved\"}]`, \
                    `conditions[{\"type\": \"Denied\"}]`";
        let value = "{conditions[{\"type\": \"Approved\"}], conditions[{\"type\": \"Denied\"}]}";
        conditions.invalid_as(value, text);
    }
}

fn certificate(certificate: Field<'_>, old: Field<'_>) {
    // Certificates are parsed when they are set, not at every later write.
    let is_stored = certificate.str() == old.str() && old.is_set();
    let problem = |field: Field<'_>| certificates_problem(&decoded(field.str()));
    if is_stored || problem(old).is_some() {
        return;
    }
    if let Some(problem) = problem(certificate) {
        // Upstream keeps the bytes out of the message.
        certificate.invalid_as("<certificate data>", problem);
    }
}
