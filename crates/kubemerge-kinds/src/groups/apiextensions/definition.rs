//! CustomResourceDefinition.

use super::warnings::warnings;
use super::{approval::validate_approval, internal_spec::internal_spec, spec};
use crate::columns::{CREATED_AT, Cell, KindColumn, NAME, control};
use crate::field::{BadValue, Field};
use crate::meta::{NameRule, generic_metadata};
use crate::registry::{
    Context, DecodeRules, GenerationRule, KindEntry, MayBeOff, MetadataRule, OnUpdate, Permission,
    Presentation, Scope, StorageFolder, Strategy, SubresourceRules, ValidationRules,
};
use crate::tree::{Arena, List, Map};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "CustomResourceDefinition",
    folder: StorageFolder::GroupAndPlural,
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        generation: GenerationRule::Field("spec"),
        unconditional_update: Permission::Denied,
        prepare_create,
        prepare_update,
        ..Strategy::WITH_STATUS
    },
    validation: ValidationRules {
        metadata: MetadataRule::Generic,
        object: validate,
        update: validate_update,
        on_update: OnUpdate::ValidateChanges,
        warnings,
        // What a definition serves depends on its rules.
        may_be_off: MayBeOff::No,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        prepare_update: |definition, _, _| default_stored_version(definition),
        validate_update: |definition, _| spec::names(definition.fields(["status", "acceptedNames"])),
        ..SubresourceRules::STATUS
    }],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Scope", Cell::Text("/spec/scope")),
            KindColumn::string("Versions", Cell::Computed(control::definition_versions)),
            CREATED_AT,
            KindColumn::string("Group", Cell::Text("/spec/group")).wide(),
            KindColumn::string("Kind", Cell::Text("/spec/names/kind")).wide(),
            KindColumn::string("ShortNames", Cell::Joined("/spec/names/shortNames")).wide(),
            KindColumn::boolean("Established", Cell::ComputedValue(control::established)).wide(),
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

fn defaults(definition: &mut Map<'_>, _: Context) {
    let spec = definition.ensure_map("spec");
    default_names(spec.ensure_map("names"));
    if !spec.has("conversion") {
        spec.ensure_map("conversion").set("strategy", "None");
    }
    drop_empty_webhook(spec);
    let webhook = spec.map_mut("conversion").and_then(|conversion| conversion.map_mut("webhook"));
    let config = webhook.and_then(|webhook| webhook.map_mut("clientConfig"));
    if let Some(service) = config.and_then(|config| config.map_mut("service")) {
        service.set_if_absent("port", 443);
    }
    default_stored_version(definition);
}

/// A definition without a status would otherwise be refused for having no stored version. Upstream: defaults are
/// filled in again when an object is read from the store, so that a status cannot be emptied.
fn default_stored_version(definition: &mut Map<'_>) {
    if definition.map("status").is_none_or(|status| status.list("storedVersions").is_empty()) {
        store_version(definition);
    }
}

/// A webhook without anything is lost on the way to Kubernetes' internal type and back.
fn drop_empty_webhook(spec: &mut Map<'_>) {
    let Some(conversion) = spec.map_mut("conversion") else { return };
    let is_empty = |webhook: &Map<'_>| {
        !webhook.has("clientConfig") && webhook.list("conversionReviewVersions").is_empty()
    };
    if conversion.map("webhook").is_some_and(is_empty) {
        conversion.remove("webhook");
    }
}

fn default_names(names: &mut Map<'_>) {
    let kind = names.str("kind");
    if names.str("singular").is_empty() && !kind.is_empty() {
        names.set_text("singular", &kind.to_lowercase());
    }
    if names.str("listKind").is_empty() && !kind.is_empty() {
        names.set_text("listKind", &format!("{kind}List"));
    }
}

fn storage_version<'a>(definition: &Map<'a>) -> Option<&'a str> {
    let mut versions = definition.map("spec")?.maps("versions");
    versions.find(|version| version.bool("storage")).map(|version| version.str("name"))
}

/// The version that objects are stored in is one that objects may be stored in.
fn store_version(definition: &mut Map<'_>) {
    let Some(name) = storage_version(definition) else { return };
    let status = definition.ensure_map("status");
    if status.list("storedVersions").iter().any(|stored| stored.as_str() == Some(name)) {
        return;
    }
    if let Some(stored) = status.list_mut("storedVersions") {
        stored.push(name);
    } else {
        let mut stored = List::new_in(status.arena());
        stored.push(name);
        status.set("storedVersions", stored);
    }
}

fn prepare_create(definition: &mut Map<'_>, _: Context) {
    store_version(definition);
}

fn prepare_update(definition: &mut Map<'_>, _: &Map<'_>, _: Context) {
    store_version(definition);
}

fn validate(definition: Field<'_>) {
    generic_metadata(definition.field("metadata"), Scope::Cluster, NameRule::Subdomain);
    let spec = definition.field("spec");
    let wanted = format!("{}.{}", spec.fields(["names", "plural"]).str(), spec.field("group").str());
    // Upstream compares a generated name's base too, which can never match.
    for name in ["name", "generateName"] {
        let name = definition.fields(["metadata", name]);
        if !name.is_empty() && name.str() != wanted {
            name.invalid("must be spec.names.plural+\".\"+spec.group");
        }
    }
    validate_rest(definition, None);
}

fn validate_update(definition: Field<'_>, old: Field<'_>) {
    validate_rest(definition, Some(old));
}

/// What objects are stored and found by.
fn kept(definition: Field<'_>, old: Field<'_>) {
    let (new, old_spec) = (definition.field("spec"), old.field("spec"));
    if is_established(old) {
        // Objects are stored by these.
        new.field("scope").check_immutable(old_spec.field("scope"));
        new.fields(["names", "kind"]).check_immutable(old_spec.fields(["names", "kind"]));
    }
    // These two are the name of the definition.
    new.field("group").check_immutable(old_spec.field("group"));
    new.fields(["names", "plural"]).check_immutable(old_spec.fields(["names", "plural"]));
}

fn validate_rest(definition: Field<'_>, old: Option<Field<'_>>) {
    let arena = Arena::new();
    let internal = internal_spec(&arena, definition.field("spec"));
    // Upstream validates its internal form, so that errors have the paths of that form.
    spec::validate(definition.field("spec").with_copy_of(&internal.into()), old);
    if let Some(old) = old {
        kept(definition, old);
    }
    spec::names(definition.fields(["status", "acceptedNames"]));
    stored_versions(definition);
    validate_approval(definition, old);
    let preserve = definition.fields(["spec", "preserveUnknownFields"]);
    let was_set = old.is_some_and(|old| old.fields(["spec", "preserveUnknownFields"]).bool());
    // Definitions of version v1beta1 may still have it.
    if preserve.bool() && !was_set {
        let text = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in \
                    spec.versions[*].schema instead";
        preserve.invalid(text);
    }
}

/// Whether the resources of a definition are served.
pub(super) fn is_established(definition: Field<'_>) -> bool {
    let mut conditions = definition.fields(["status", "conditions"]).items();
    let established = conditions.find(|condition| condition.field("type").str() == "Established");
    established.is_some_and(|condition| condition.field("status").str() == "True")
}

/// Versions that objects may be stored in must be there.
fn stored_versions(definition: Field<'_>) {
    let (stored, versions) =
        (definition.fields(["status", "storedVersions"]), definition.fields(["spec", "versions"]));
    if stored.is_empty() {
        return stored.invalid_as(BadValue::null(), "must have at least one stored version");
    }
    let mut missing: Vec<&str> = stored.items().map(Field::str).collect();
    for version in versions.items() {
        let name = version.field("name").str();
        // Upstream: of two versions with one name only the first is found.
        if version.field("storage").bool() && !missing.contains(&name) {
            stored.invalid(format!("must have the storage version {name}"));
        }
        missing.retain(|one| *one != name);
    }
    for one in stored.items() {
        let name = one.str();
        if !versions.items().any(|version| version.field("name").str() == name) {
            one.invalid(format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in \
                 spec.versions until a storage migration ensures no data remains persisted in {name} and removes \
                 {name} from status.storedVersions"
            ));
        }
    }
}
