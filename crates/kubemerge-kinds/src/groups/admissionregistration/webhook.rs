//! ValidatingWebhookConfiguration and MutatingWebhookConfiguration.

use std::collections::BTreeSet;

use super::client_config::webhook_client;
use super::expression::Params;
use super::match_condition::match_conditions;
use super::reserved_name::reserved_name;
use super::rule::{
    FAILURE_POLICIES, MATCH_POLICIES, REINVOCATION_POLICIES, default_matching, default_rules,
    rule_with_operations,
};
use crate::columns::{AGE, Cell, KindColumn, NAME};
use crate::field::{Field, Report};
use crate::format::{dns1035_label, dns1123_subdomain};
use crate::meta::{Selector, label_selector};
use crate::registry::{
    DecodeRules, GenerationRule, KindEntry, MetadataRule, OnUpdate, Permission, Presentation, Strategy,
    ValidationRules,
};
use crate::tree::Map;

pub(super) const VALIDATING: KindEntry = KindEntry {
    kind: "ValidatingWebhookConfiguration",
    decode: DecodeRules {
        defaults: |configuration, _| configuration.maps_mut("webhooks").for_each(default_hook),
        ..DecodeRules::DEFAULT
    },
    strategy: Strategy {
        generation: GenerationRule::FieldAsGiven("webhooks"),
        unconditional_update: Permission::Denied,
        ..Strategy::DEFAULT
    },
    validation: ValidationRules {
        metadata: MetadataRule::AnyFinalizers,
        object: |configuration| {
            hooks(configuration, Strictness::OF_NEW);
            reserved_name(configuration);
        },
        update: |configuration, old| hooks(configuration, Strictness::of_update(configuration, old)),
        on_update: OnUpdate::ValidateMetadata,
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: &[NAME, KindColumn::integer("Webhooks", Cell::Count("/webhooks")), AGE],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

pub(super) const MUTATING: KindEntry = KindEntry {
    kind: "MutatingWebhookConfiguration",
    decode: DecodeRules {
        defaults: |configuration, _| {
            for hook in configuration.maps_mut("webhooks") {
                default_hook(hook);
                hook.set_if_absent("reinvocationPolicy", "Never");
            }
        },
        ..VALIDATING.decode
    },
    ..VALIDATING
};

/// Versions of AdmissionReview that the API server speaks.
const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];
const SIDE_EFFECTS: [&str; 4] = ["None", "NoneOnDryRun", "Some", "Unknown"];
const NO_SIDE_EFFECTS: [&str; 2] = ["None", "NoneOnDryRun"];
/// In seconds.
const TIMEOUTS: std::ops::RangeInclusive<i64> = 1..=30;

fn default_hook(hook: &mut Map<'_>) {
    hook.set_if_absent("failurePolicy", "Fail");
    default_matching(hook);
    // Version v1; the older v1beta1 had 30 seconds.
    hook.set_if_absent("timeoutSeconds", 10);
    default_rules(hook, "rules");
    if let Some(service) = hook.map_mut("clientConfig").and_then(|config| config.map_mut("service")) {
        service.set_if_absent("port", 443);
    }
}

/// What is demanded of the webhooks: a stored configuration that breaks a newer rule may go on breaking it.
#[derive(Clone, Copy)]
struct Strictness {
    side_effects: &'static [&'static str],
    needs_known_version: bool,
    needs_unique_names: bool,
    selectors: Selector,
    checks_conditions: bool,
}

impl Strictness {
    const OF_NEW: Strictness = Strictness {
        side_effects: &NO_SIDE_EFFECTS,
        needs_known_version: true,
        needs_unique_names: true,
        selectors: Selector::Strict,
        checks_conditions: true,
    };

    fn of_update(new: Field<'_>, old: Field<'_>) -> Strictness {
        let (new, stored) = (new.field("webhooks"), old.field("webhooks"));
        let is_without_effects =
            stored.items().all(|hook| NO_SIDE_EFFECTS.contains(&hook.field("sideEffects").str()));
        let mut names = BTreeSet::new();
        let has_same_conditions = new.len() == stored.len()
            && new
                .items()
                .zip(stored.items())
                .all(|(hook, stored)| hook.field("matchConditions").same_as(stored.field("matchConditions")));
        Strictness {
            side_effects: if is_without_effects { &NO_SIDE_EFFECTS } else { &SIDE_EFFECTS },
            needs_known_version: stored.items().all(|hook| {
                let versions = hook.field("admissionReviewVersions");
                // No version at all is from before the field existed and proves nothing.
                versions.is_empty() || knows_version(versions)
            }),
            needs_unique_names: stored.items().all(|hook| names.insert(hook.field("name").str())),
            selectors: if stored.items().all(has_valid_selectors) {
                Selector::Strict
            } else {
                Selector::AnyValues
            },
            checks_conditions: !has_same_conditions,
        }
    }
}

fn knows_version(versions: Field<'_>) -> bool {
    versions.items().any(|version| REVIEW_VERSIONS.contains(&version.str()))
}

fn has_valid_selectors(hook: Field<'_>) -> bool {
    let report = Report::new(hook.minor());
    for name in ["namespaceSelector", "objectSelector"] {
        if let Some(selector) = hook.field(name).map() {
            label_selector(Field::root(selector, &report), Selector::Strict);
        }
    }
    report.is_empty()
}

fn hooks(configuration: Field<'_>, strictness: Strictness) {
    let mut names = BTreeSet::new();
    for hook in configuration.field("webhooks").items() {
        self::hook(hook, strictness);
        review_versions(hook.field("admissionReviewVersions"), strictness);
        let name = hook.field("name");
        if strictness.needs_unique_names && !name.is_empty() && !names.insert(name.str()) {
            name.duplicate();
        }
    }
}

fn hook(hook: Field<'_>, strictness: Strictness) {
    qualified_hook_name(hook.field("name"));
    hook.field("rules").items().for_each(rule_with_operations);
    one_of_if_set(hook.field("failurePolicy"), &FAILURE_POLICIES);
    one_of_if_set(hook.field("matchPolicy"), &MATCH_POLICIES);
    let effects = hook.field("sideEffects");
    if effects.is_set() {
        effects.one_of(strictness.side_effects);
    } else {
        effects.required(format!("must specify one of {}", strictness.side_effects.join(", ")));
    }
    let timeout = hook.field("timeoutSeconds");
    if timeout.is_set() && !TIMEOUTS.contains(&timeout.int()) {
        timeout.invalid("the timeout value must be between 1 and 30 seconds");
    }
    label_selector(hook.field("namespaceSelector"), strictness.selectors);
    label_selector(hook.field("objectSelector"), strictness.selectors);
    one_of_if_set(hook.field("reinvocationPolicy"), &REINVOCATION_POLICIES);
    webhook_client(hook.field("clientConfig"));
    // Expressions that were accepted once stay accepted, whatever a newer compiler says.
    if strictness.checks_conditions {
        match_conditions(hook.field("matchConditions"), Params::None);
    }
}

fn one_of_if_set(field: Field<'_>, values: &[&str]) {
    if field.is_set() {
        field.one_of(values);
    }
}

/// `name.example.com`
fn qualified_hook_name(name: Field<'_>) {
    const MIN_SEGMENTS: usize = 3;
    if name.require("") {
        return;
    }
    let problems = dns1123_subdomain(name.str());
    if !problems.is_empty() {
        name.invalid(problems.join(","));
    // A name of a group has two segments, and a webhook of it one more.
    } else if name.str().split('.').count() < MIN_SEGMENTS {
        name.invalid("should be a domain with at least three segments separated by dots");
    }
}

fn review_versions(versions: Field<'_>, strictness: Strictness) {
    if versions.is_empty() {
        return versions.required(format!("must specify one of {}", REVIEW_VERSIONS.join(", ")));
    }
    let mut seen = BTreeSet::new();
    for version in versions.items() {
        if seen.insert(version.str()) {
            version.check(dns1035_label);
        } else {
            version.invalid("duplicate version");
        }
    }
    if strictness.needs_known_version && !knows_version(versions) {
        versions.invalid(format!("must include at least one of {}", REVIEW_VERSIONS.join(", ")));
    }
}
