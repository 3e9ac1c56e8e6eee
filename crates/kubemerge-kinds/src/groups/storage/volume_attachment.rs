//! VolumeAttachment.

use crate::columns::{AGE, Cell, KindColumn, NAME};
use crate::field::{BadValue, Field};
use crate::format::{dns1123_subdomain, dns1123_subdomain_caseless};
use crate::groups::core_v1::persistent_volume::spec_defaults;
use crate::groups::core_v1::persistent_volume_spec::{self, VolumeOf};
use crate::groups::core_v1::pod_spec::csi_driver_name;
use crate::registry::{
    DecodeRules, DeleteAnswer, KindEntry, OnUpdate, Permission, Presentation, Strategy, SubresourceRules,
    ValidationRules,
};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "VolumeAttachment",
    decode: DecodeRules {
        defaults: |attachment, _| {
            let source = attachment.map_mut("spec").and_then(|spec| spec.map_mut("source"));
            if let Some(spec) = source.and_then(|source| source.map_mut("inlineVolumeSpec")) {
                spec_defaults(spec);
            }
        },
        ..DecodeRules::DEFAULT
    },
    strategy: Strategy {
        unconditional_update: Permission::Denied,
        delete_answer: DeleteAnswer::Object,
        ..Strategy::WITH_STATUS
    },
    validation: ValidationRules {
        object: validate,
        new_only: |attachment| attacher(attachment.fields(["spec", "attacher"])),
        update: validate_update,
        on_update: OnUpdate::ValidateMetadata,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules { validate_update, ..SubresourceRules::STATUS_ALONE }],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Attacher", Cell::Text("/spec/attacher")).of_name(),
            KindColumn::string("PV", Cell::Text("/spec/source/persistentVolumeName")),
            KindColumn::string("Node", Cell::Text("/spec/nodeName")),
            KindColumn::boolean("Attached", Cell::Flag("/status/attached")),
            AGE,
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

fn validate(attachment: Field<'_>) {
    let spec = attachment.field("spec");
    source(spec.field("source"));
    spec.field("nodeName").check(dns1123_subdomain);
    let status = attachment.field("status");
    attachment_metadata(status.field("attachmentMetadata"));
    ["attachError", "detachError"].into_iter().for_each(|name| error(status.field(name)));
}

/// The name of a CSI driver. New attachments are checked by other code in Kubernetes, which words it differently.
fn attacher(attacher: Field<'_>) {
    const MAX_ATTACHER: usize = 63;
    if attacher.require("") {
        return;
    }
    if attacher.str().chars().count() > MAX_ATTACHER {
        attacher.too_many_characters(MAX_ATTACHER);
    }
    attacher.check(dns1123_subdomain_caseless);
}

fn source(source: Field<'_>) {
    const MESSAGE: &str = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    let (inline, name) = (source.field("inlineVolumeSpec"), source.field("persistentVolumeName"));
    match (inline.is_set(), name.is_set()) {
        (false, false) => source.required(MESSAGE),
        (true, true) => source.forbidden(MESSAGE),
        (false, true) => {
            name.require("must specify non empty persistentVolumeName");
        }
        (true, false) => persistent_volume_spec::validate(inline, VolumeOf::Inline),
    }
    if name.is_set() {
        name.check(dns1123_subdomain);
    }
}

fn attachment_metadata(metadata: Field<'_>) {
    const MAX_METADATA_BYTES: usize = 256 * 1024;
    let bytes: usize = metadata.entries().map(|(key, value)| key.len() + value.str().len()).sum();
    if bytes > MAX_METADATA_BYTES {
        metadata.too_long(MAX_METADATA_BYTES);
    }
}

fn error(error: Field<'_>) {
    const MAX_MESSAGE_BYTES: usize = 1024;
    let (message, code) = (error.field("message"), error.field("errorCode"));
    if message.str().len() > MAX_MESSAGE_BYTES {
        message.too_long(MAX_MESSAGE_BYTES);
    }
    if code.is_set() {
        code.check_range(0, i64::from(i32::MAX));
    }
}

fn validate_update(attachment: Field<'_>, old: Field<'_>) {
    let spec = attachment.field("spec");
    csi_driver_name(spec.field("attacher"));
    validate(attachment);
    if !spec.same_as(old.field("spec")) {
        spec.invalid_as(BadValue::null(), "field is immutable");
    }
}
