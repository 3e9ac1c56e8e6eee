//! The resources of the schema: of the built-in tables and of the paths of OpenAPI documents.

use std::{collections::HashMap, sync::Arc};

use kubemerge_kinds::{
    declared::{self, DeclaredRules},
    groups,
    registry::{KindEntry, Scope},
};
use kubemerge_schema::{Resource as Facts, Schema};

use super::{
    index::version_order,
    resource::{BuiltIn, Origin, Resource, Subresource},
    served::ServedVersions,
};
use crate::protocol::group_version::api_version;

/// Every resource of the schema.
pub(super) fn resources(schema: &Schema, served: &ServedVersions) -> Vec<Resource> {
    let all =
        schema.resources().filter(|facts| served.include(facts.group(), facts.version(), facts.plural()));
    let all: Vec<Facts<'_>> = all.collect();
    let mut preferred: HashMap<(&str, &str), &str> = HashMap::new();
    for facts in &all {
        let best = preferred.entry((facts.group(), facts.plural())).or_insert(facts.version());
        // Objects are stored in the preferred version, so that all versions share one key.
        if version_order(facts.version(), best).is_lt() {
            *best = facts.version();
        }
    }
    let resource_of = |facts: &Facts<'_>| {
        let found = preferred.get(&(facts.group(), facts.plural())).copied();
        resource(schema, *facts, found.unwrap_or(facts.version()))
    };
    all.iter().map(resource_of).collect()
}

fn resource(schema: &Schema, facts: Facts<'_>, storage_version: &str) -> Resource {
    let (group, kind) = (facts.group(), facts.kind());
    let entry = groups::entry(group, facts.version(), kind);
    Resource {
        group: group.to_string(),
        version: facts.version().to_string(),
        api_version: api_version(group, facts.version()),
        kind: kind.to_string(),
        list_kind: format!("{kind}List"),
        plural: facts.plural().to_string(),
        singular: facts.singular().to_string(),
        short_names: facts.short_names().map(str::to_string).collect(),
        categories: facts.categories().map(str::to_string).collect(),
        scope: if facts.is_namespaced() { Scope::Namespaced } else { Scope::Cluster },
        verbs: facts.verbs().map(str::to_string).collect(),
        subresources: facts
            .subresources()
            .map(|sub| Subresource {
                name: sub.name().to_string(),
                speaks: [sub.group(), sub.version(), sub.kind()].map(str::to_string),
                verbs: sub.verbs().map(str::to_string).collect(),
            })
            .collect(),
        strategy: entry.strategy,
        selectable: entry.presentation.selectable.into(),
        strategic_patch: facts.strategic_patch(),
        origin: origin(schema, facts, entry),
        storage: entry.conversion.map_or_else(
            || api_version(group, storage_version),
            |conversion| conversion.stored_in.to_string(),
        ),
    }
}

fn origin(schema: &Schema, facts: Facts<'_>, entry: &'static KindEntry) -> Origin {
    let api_version = api_version(facts.group(), facts.version());
    if schema.is_built_in(&api_version, facts.kind()) {
        return Origin::BuiltIn(BuiltIn::of(entry));
    }
    let rules = declared::rules_of(schema, &api_version, facts.kind());
    Origin::Document(rules.unwrap_or_else(|| Arc::new(DeclaredRules::unknown())))
}
