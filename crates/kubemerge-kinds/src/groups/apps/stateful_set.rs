//! StatefulSet.

use std::collections::BTreeSet;

use super::rolling_update::{at_most_100_percent, int_or_percent, number};
use super::stateful_set_defaults::defaults;
use super::workload::{
    SELECTOR, SelectorTexts, at_most, collision_count, counters, matches_template, prepare_template,
    required_selector, runs_forever,
};
use crate::columns::{AGE, CONTAINERS, Cell, IMAGES, KindColumn, NAME, workload};
use crate::field::{Field, Report};
use crate::format::dns1123_label;
use crate::groups::core_v1::pod_spec::pod_annotations;
use crate::groups::core_v1::pod_spec::template_warnings;
use crate::groups::core_v1::{
    claim_spec::{self, ApiGroups},
    pod_template,
};
use crate::meta::{NameRule, annotations, labels};
use crate::registry::{
    DecodeRules, GenerationRule, KindEntry, OnUpdate, Presentation, Strategy, SubresourceRules,
    ValidationRules,
};
use crate::tree::{Arena, List, Map, Value};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "StatefulSet",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        name: NameRule::Label,
        generation: GenerationRule::Field("spec"),
        prepare_create: prepare_template,
        prepare_update: |set, _, context| prepare_template(set, context),
        ..Strategy::WITH_STATUS
    },
    validation: ValidationRules {
        object: |set| validate_spec(set.field("spec"), Checked::Everything),
        update: validate_update,
        on_update: OnUpdate::ValidateChanges,
        warnings: template_warnings,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        validate_update: |set, old| {
            status(set.field("status"));
            collision_count(set.field("status"), old.field("status"));
        },
        ..SubresourceRules::STATUS
    }],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Ready", Cell::Computed(workload::ready_replicas)),
            AGE,
            CONTAINERS,
            IMAGES,
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

/// What is validated of a spec.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Checked {
    /// A new object.
    Everything,
    /// An update: not what cannot change.
    Mutable,
    /// An update of an object whose stored spec is invalid: not the pod template either.
    MutableWithoutTemplate,
}

fn validate_update(set: Field<'_>, old: Field<'_>) {
    let (spec, stored) = (set.field("spec"), old.field("spec"));
    // An object that is invalid under newer rules could not be scaled or deleted by its owner otherwise.
    let checked = if is_valid(old) { Checked::Mutable } else { Checked::MutableWithoutTemplate };
    validate_spec(spec, checked);
    spec.field("selector").check_immutable_struct(stored.field("selector"), SELECTOR);
    claims_unchanged(spec.field("volumeClaimTemplates"), stored.field("volumeClaimTemplates"));
    spec.field("serviceName").check_immutable(stored.field("serviceName"));
    spec.field("podManagementPolicy").check_immutable(stored.field("podManagementPolicy"));
}

fn claims_unchanged(claims: Field<'_>, old: Field<'_>) {
    if claims.same_as(old) {
        return;
    }
    if !claims.is_set() {
        // Upstream prints null for no claims at all.
        return claims.invalid_as(claims.bad_value(), "field is immutable");
    }
    let arena = Arena::new();
    let mut printed = List::new_in(&arena);
    for claim in claims.items().filter_map(Field::map) {
        let mut claim = claim.copy_in(&arena);
        // Internal types have them only outside of the object.
        claim.remove("apiVersion");
        claim.remove("kind");
        printed.push(claim);
    }
    let printed = claims.with_copy_of(&Value::List(printed));
    printed.invalid_struct("[]core.PersistentVolumeClaim", "field is immutable");
}

fn is_valid(old: Field<'_>) -> bool {
    let report = Report::new(old.minor());
    if let Some(old) = old.map() {
        validate_spec(Field::root(old, &report).field("spec"), Checked::Mutable);
    }
    report.into_errors().is_empty()
}

fn validate_spec(spec: Field<'_>, checked: Checked) {
    let policy = spec.field("podManagementPolicy");
    if !policy.require("") && !["OrderedReady", "Parallel"].contains(&policy.str()) {
        policy.invalid("must be 'OrderedReady' or 'Parallel'");
    }
    update_strategy(spec.field("updateStrategy"));
    let retention = spec.field("persistentVolumeClaimRetentionPolicy");
    for name in ["whenDeleted", "whenScaled"] {
        retention.field(name).one_of(&["Retain", "Delete"]);
    }
    if checked == Checked::Everything {
        let claims = spec.field("volumeClaimTemplates").items();
        claims.for_each(|claim| claim_spec::validate(claim.field("spec"), ApiGroups::Valid));
    }
    counters(spec, &["replicas", "minReadySeconds"]);
    let start = spec.fields(["ordinals", "start"]);
    start.check_not_negative();
    if checked == Checked::Everything && !spec.field("serviceName").is_empty() {
        spec.field("serviceName").check(dns1123_label);
    }
    selector_and_template(spec, checked);
    runs_forever(spec.field("template"), "StatefulSet");
}

fn update_strategy(strategy: Field<'_>) {
    let update = strategy.field("rollingUpdate");
    match strategy.field("type").str() {
        "" => strategy.required(""),
        "OnDelete" if update.is_set() => update.invalid_struct(
            "*apps.RollingUpdateStatefulSetStrategy",
            "only allowed for updateStrategy 'RollingUpdate'",
        ),
        "OnDelete" => {}
        "RollingUpdate" if update.is_set() => rolling_update(update),
        "RollingUpdate" => {}
        _ => {
            strategy
                .invalid_struct("apps.StatefulSetUpdateStrategy", "must be 'RollingUpdate' or 'OnDelete'");
        }
    }
}

fn rolling_update(update: Field<'_>) {
    update.field("partition").check_not_negative();
    let unavailable = update.field("maxUnavailable");
    if unavailable.is_set() {
        int_or_percent(unavailable);
        if number(unavailable) == 0 {
            unavailable.invalid("cannot be 0");
        }
        at_most_100_percent(unavailable);
    }
}

fn selector_and_template(spec: Field<'_>, checked: Checked) {
    let texts = SelectorTexts { empty: "empty selector is invalid for statefulset", invalid: "" };
    let selector = spec.field("selector");
    // Upstream stops here and does not look at the template.
    if !required_selector(selector, &texts) {
        return;
    }
    let template = template_of_pods(spec);
    matches_template(selector, template);
    if checked != Checked::MutableWithoutTemplate {
        pod_template::validate(template);
    }
    // Upstream validates these once more.
    let metadata = template.field("metadata");
    labels(metadata.field("labels").reported_at(template.field("labels")));
    let notes = metadata.field("annotations").reported_at(template.field("annotations"));
    annotations(notes);
    pod_annotations(notes, template.field("spec"));
}

/// The template with what the controller writes into pods: their volumes, and names in place of given ones.
fn template_of_pods(spec: Field<'_>) -> Field<'_> {
    let template = spec.field("template");
    let claims: BTreeSet<&str> = spec
        .field("volumeClaimTemplates")
        .items()
        .map(|claim| claim.fields(["metadata", "name"]).str())
        .collect();
    let pod = template.field("spec");
    // The controller sets both for every pod, so that what the template says is not validated.
    let is_named = !pod.field("hostname").is_empty() || !pod.field("subdomain").is_empty();
    let Some(map) = template.map().filter(|_| is_named || !claims.is_empty()) else { return template };
    let arena = Arena::new();
    let mut copy = map.copy_in(&arena);
    let pod = copy.ensure_map("spec");
    pod.remove("hostname");
    pod.remove("subdomain");
    if !claims.is_empty() {
        let volumes = claim_volumes(&arena, &claims, pod);
        pod.set("volumes", volumes);
    }
    template.with_copy_of(&Value::Map(copy))
}

/// Volumes of the claims, then those of the pod with other names. Kubernetes' order of the claims is random.
fn claim_volumes<'a>(arena: &'a Arena, claims: &BTreeSet<&str>, pod: &Map<'a>) -> List<'a> {
    let mut volumes = List::new_in(arena);
    for name in claims {
        let mut claim = Map::new_in(arena);
        claim.set_text("claimName", name);
        let mut volume = Map::new_in(arena);
        volume.set_text("name", name);
        volume.set("persistentVolumeClaim", claim);
        volumes.push(volume);
    }
    for volume in pod.maps("volumes").filter(|volume| !claims.contains(volume.str("name"))) {
        volumes.push(volume.copy_in(arena));
    }
    volumes
}

fn status(status: Field<'_>) {
    counters(
        status,
        &[
            "replicas",
            "readyReplicas",
            "currentReplicas",
            "updatedReplicas",
            "availableReplicas",
            "observedGeneration",
            "collisionCount",
        ],
    );
    let counted = &["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
    at_most(status, counted, "replicas", "cannot be greater than status.replicas");
    at_most(status, &["availableReplicas"], "readyReplicas", "cannot be greater than status.readyReplicas");
}
