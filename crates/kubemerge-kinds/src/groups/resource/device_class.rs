//! DeviceClass.

use super::config::configuration;
use super::names::is_within;
use super::selector::{selectors, stored_selectors};
use crate::columns::{AGE, NAME};
use crate::field::Field;
use crate::format::qualified_name;
use crate::meta::NameRule;
use crate::registry::{
    DeleteAnswer, GenerationRule, KindEntry, OnUpdate, Presentation, Strategy, ValidationRules,
};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "DeviceClass",
    strategy: Strategy {
        name: NameRule::LongName,
        generation: GenerationRule::Field("spec"),
        delete_answer: DeleteAnswer::Object,
        ..Strategy::DEFAULT
    },
    validation: ValidationRules {
        object: |class| {
            selectors(class.fields(["spec", "selectors"]));
            validate(class.field("spec"));
        },
        update: |class, old| {
            let path = ["spec", "selectors"];
            if class.fields(path).same_as(old.fields(path)) {
                // Expressions that were accepted once are not compiled again.
                stored_selectors(class.fields(path));
            } else {
                selectors(class.fields(path));
            }
            validate(class.field("spec"));
        },
        on_update: OnUpdate::ValidateMetadata,
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation { columns: &[NAME, AGE], ..Presentation::DEFAULT },
    ..KindEntry::CLUSTER
};

const MAX_CONFIGS: usize = 32;

fn validate(spec: Field<'_>) {
    if is_within(spec.field("config"), MAX_CONFIGS) {
        spec.field("config").items().for_each(configuration);
    }
    if spec.field("extendedResourceName").is_set() {
        extended_resource_name(spec.field("extendedResourceName"));
    }
}

fn extended_resource_name(name: Field<'_>) {
    if !name.str().contains('/') {
        name.invalid("a name must be a domain-prefixed path, such as 'example.com/my-prop'");
    } else if name.str().contains("kubernetes.io/") {
        name.invalid("must not have \"kubernetes.io/\" domain");
    }
    if name.str().starts_with("requests.") {
        name.invalid("must not have \"requests.\" prefix");
    }
    // As in a quota.
    name.report_problems(qualified_name(&format!("requests.{}", name.str())));
}
