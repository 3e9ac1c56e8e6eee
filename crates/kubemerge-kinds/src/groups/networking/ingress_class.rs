//! IngressClass.

use super::reference::declared_path_segment;
use crate::columns::{AGE, Cell, KindColumn, NAME, network};
use crate::field::Field;
use crate::format::{dns1123_label, dns1123_subdomain};
use crate::registry::{
    Context, DecodeRules, GenerationRule, KindEntry, OnUpdate, Presentation, Strategy, ValidationRules,
};
use crate::tree::Map;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "IngressClass",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy { generation: GenerationRule::Field("spec"), ..Strategy::DEFAULT },
    validation: ValidationRules {
        object: validate,
        update: |class, old| {
            controller_kept(class, old);
            validate(class);
        },
        on_update: OnUpdate::ValidateMetadata,
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Controller", Cell::Text("/spec/controller")),
            KindColumn::string("Parameters", Cell::Computed(network::class_parameters)),
            AGE,
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

const MAX_CONTROLLER_BYTES: usize = 250;

fn defaults(class: &mut Map<'_>, _: Context) {
    if let Some(parameters) = class.map_mut("spec").and_then(|spec| spec.map_mut("parameters")) {
        parameters.set_if_absent("scope", "Cluster");
    }
}

fn validate(class: Field<'_>) {
    let controller = class.fields(["spec", "controller"]);
    if controller.str().len() > MAX_CONTROLLER_BYTES {
        controller.too_long(MAX_CONTROLLER_BYTES);
    }
    domain_prefixed_path(controller);
    let parameters = class.fields(["spec", "parameters"]);
    if parameters.is_set() {
        self::parameters(parameters);
    }
}

/// `example.com/name`
fn domain_prefixed_path(field: Field<'_>) {
    if field.require("") {
        return;
    }
    let Some((host, path)) =
        field.str().split_once('/').filter(|(host, path)| !host.is_empty() && !path.is_empty())
    else {
        return field.invalid("must be a domain-prefixed path (such as \"acme.io/foo\")");
    };
    for problem in dns1123_subdomain(host) {
        field.invalid_as(host, problem);
    }
    if let Some(wrong) = path.chars().find(|character| !is_path_character(*character)) {
        field.invalid_as(path, format!("Invalid path character {wrong:?}"));
    }
}

fn is_path_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || "/:@!$&'()*+,;=-._~%".contains(character)
}

fn parameters(parameters: Field<'_>) {
    let group = parameters.field("apiGroup");
    if group.is_set() {
        group.check(dns1123_subdomain);
    }
    declared_path_segment(parameters.field("kind"));
    declared_path_segment(parameters.field("name"));
    let namespace = parameters.field("namespace");
    match parameters.field("scope").str() {
        "Namespace" if !namespace.is_set() => namespace.required("`parameters.scope` is set to 'Namespace'"),
        "Namespace" => {
            namespace.check(dns1123_label);
        }
        "Cluster" if namespace.is_set() => namespace.forbidden("`parameters.scope` is set to 'Cluster'"),
        "Cluster" => {}
        _ => parameters.field("scope").not_supported(&["Cluster", "Namespace"]),
    }
}

fn controller_kept(class: Field<'_>, old: Field<'_>) {
    // Ingresses of the class would move to another controller otherwise.
    class.fields(["spec", "controller"]).check_immutable(old.fields(["spec", "controller"]));
}
