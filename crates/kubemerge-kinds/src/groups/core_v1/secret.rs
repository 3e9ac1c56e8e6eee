//! Secret.

use ::base64::Engine;
use ::base64::engine::general_purpose::STANDARD;

use crate::columns::{AGE, Cell, KindColumn, NAME, control};
use crate::field::Field;
use crate::registry::{
    Context, DecodeRules, KindEntry, Presentation, SelectableField, SelectableFields, Strategy,
    ValidationRules,
};
use crate::text::go_json;
use crate::tree::{Map, Value};
use crate::typed::base64;

/// What all values of an object may measure together.
const MAX_DATA_BYTES: usize = 1024 * 1024;
/// The account that a token is for.
const ACCOUNT_NAME: &str = "kubernetes.io/service-account.name";

pub(super) const KIND: KindEntry = KindEntry {
    kind: "Secret",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        prepare_update: |secret, old, _| {
            let kind = old.str("type");
            // Clients that leave the type out mean that it stays.
            if secret.str("type").is_empty() && !kind.is_empty() {
                secret.set_text("type", kind);
            }
        },
        ..Strategy::DEFAULT
    },
    validation: ValidationRules { object: validate, update: validate_update, ..ValidationRules::DEFAULT },
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Type", Cell::Text("/type")),
            KindColumn::string("Data", Cell::ComputedValue(control::secret_count)),
            AGE,
        ],
        selectable: SelectableFields::listed(&[SelectableField::at("type")]),
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};

fn defaults(secret: &mut Map<'_>, _: Context) {
    secret.set_default("type", "Opaque");
    // Texts are stored with the data, which they overwrite.
    let Some(Value::Map(texts)) = secret.remove("stringData") else { return };
    let data = secret.ensure_map("data");
    for (key, text) in texts.iter() {
        data.set_text(key, &STANDARD.encode(text.as_str().unwrap_or_default()));
    }
}

fn validate(secret: Field<'_>) {
    let data = secret.field("data");
    let mut bytes = 0;
    for (key, value) in data.entries() {
        value.report_key_problems(key);
        bytes += base64::decoded_len(value.str());
    }
    if bytes > MAX_DATA_BYTES {
        data.too_long(MAX_DATA_BYTES);
    }
    match secret.field("type").str() {
        "kubernetes.io/service-account-token" => {
            secret.fields(["metadata", "annotations"]).key(ACCOUNT_NAME).require("");
        }
        "kubernetes.io/dockercfg" => json(data.key(".dockercfg")),
        "kubernetes.io/dockerconfigjson" => json(data.key(".dockerconfigjson")),
        "kubernetes.io/basic-auth" => basic_auth(data),
        "kubernetes.io/ssh-auth" => {
            data.key("ssh-privatekey").require("");
        }
        // Upstream accepts empty values here.
        "kubernetes.io/tls" => ["tls.crt", "tls.key"].into_iter().for_each(|key| required(data.key(key))),
        _ => {}
    }
}

/// The key must be given; its value may be empty.
fn required(value: Field<'_>) {
    if !value.is_set() {
        value.required("");
    }
}

/// One of both is enough.
fn basic_auth(data: Field<'_>) {
    let keys = ["username", "password"].map(|key| data.key(key));
    if keys.iter().all(|key| !key.is_set()) {
        keys.into_iter().for_each(required);
    }
}

fn json(value: Field<'_>) {
    if !value.is_set() {
        return value.required("");
    }
    // The decoder of the typed form refuses base64 that is not valid.
    let bytes = STANDARD.decode(value.str()).unwrap_or_default();
    if let Some(problem) = go_json::map_problem(&bytes) {
        // Messages end up in logs.
        value.invalid_as("<secret contents redacted>", problem);
    }
}

fn validate_update(secret: Field<'_>, old: Field<'_>) {
    secret.field("type").check_immutable(old.field("type"));
    if !old.field("immutable").bool() {
        return;
    }
    let (immutable, data) = (secret.field("immutable"), secret.field("data"));
    if !immutable.bool() {
        immutable.forbidden("field is immutable when `immutable` is set");
    }
    if !data.same_as(old.field("data")) {
        data.forbidden("field is immutable when `immutable` is set");
    }
}
