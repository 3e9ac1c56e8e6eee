//! Event of the core group, and what both groups with events check.

use crate::columns;
use crate::field::Field;
use crate::format::qualified_name;
use crate::registry::{
    KindEntry, MetadataRule, OnUpdate, Permission, Presentation, Propagation, SelectableField,
    SelectableFields, Strategy, ValidationRules,
};

const MAX_WORD: usize = 128;
const MAX_MESSAGE: usize = 1024;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "Event",
    strategy: Strategy {
        create_on_update: Permission::Granted,
        default_propagation: Propagation::Unsupported,
        ..Strategy::DEFAULT
    },
    validation: ValidationRules {
        metadata: MetadataRule::Generic,
        object: |event| {
            validate(EventFields {
                event,
                involved: event.field("involvedObject"),
                controller: event.field("reportingComponent"),
                message: event.field("message"),
            });
        },
        on_update: OnUpdate::ValidateObject,
        ..ValidationRules::DEFAULT
    },
    presentation: Presentation {
        columns: columns::event::COLUMNS,
        selectable: SelectableFields::listed(&[
            SelectableField::at("reason"),
            SelectableField::at("reportingComponent"),
            SelectableField::at("type"),
            SelectableField::named("source", "source.component"),
            SelectableField::at("involvedObject.kind"),
            SelectableField::at("involvedObject.namespace"),
            SelectableField::at("involvedObject.name"),
            SelectableField::at("involvedObject.uid"),
            SelectableField::at("involvedObject.apiVersion"),
            SelectableField::at("involvedObject.resourceVersion"),
            SelectableField::at("involvedObject.fieldPath"),
        ]),
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

/// The fields of an event that the two groups name differently.
pub(crate) struct EventFields<'t> {
    pub(crate) event: Field<'t>,
    pub(crate) involved: Field<'t>,
    pub(crate) controller: Field<'t>,
    pub(crate) message: Field<'t>,
}

/// What holds for every event. Those without a time are from clients that only know the fields of the core group.
pub(crate) fn validate(fields: EventFields<'_>) {
    let EventFields { event, involved, controller, message } = fields;
    let namespace = event.fields(["metadata", "namespace"]).str();
    let involved = involved.field("namespace");
    let has_time = event.field("eventTime").is_set();
    let matches = match (has_time, involved.str()) {
        // Events about objects without a namespace are kept in one of these.
        (true, "") => matches!(namespace, "default" | "kube-system"),
        (true, _) => true,
        // Older clients have the default namespace only.
        (false, "") => matches!(namespace, "" | "default"),
        (false, involved) => namespace == involved,
    };
    if !matches {
        involved.invalid("does not match event.namespace");
    }
    if !has_time {
        return;
    }
    controller.require("");
    controller.check(qualified_name);
    let words = ["reportingInstance", "action", "reason"].map(|name| event.field(name));
    for word in words {
        word.require("");
        max_length(word, MAX_WORD);
    }
    max_length(message, MAX_MESSAGE);
}

fn max_length(text: Field<'_>, max: usize) {
    if text.str().len() > max {
        // Upstream leaves the text, which may be large, out of the message.
        text.invalid_as("", format!("can have at most {max} characters"));
    }
}
