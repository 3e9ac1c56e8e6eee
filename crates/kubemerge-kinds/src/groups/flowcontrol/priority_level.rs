//! PriorityLevelConfiguration.

use super::status::{CATCH_ALL, EXEMPT, status};
use crate::columns::{AGE, Cell, KindColumn, NAME};
use crate::field::Field;
use crate::registry::{
    Context, DecodeRules, GenerationRule, KindEntry, Presentation, Strategy, SubresourceRules,
    ValidationRules, keep_whole_metadata,
};
use crate::tree::Map;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "PriorityLevelConfiguration",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy { generation: GenerationRule::Field("spec"), ..Strategy::WITH_STATUS },
    validation: ValidationRules {
        object: |level| {
            annotations(level.fields(["metadata", "annotations"]));
            spec(level);
            status(level.field("status"));
        },
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules {
        prepare_update: keep_whole_metadata,
        validate_update: |level, _| status(level.field("status")),
        ..SubresourceRules::STATUS_ALONE
    }],
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Type", Cell::Text("/spec/type")),
            KindColumn::string(
                "NominalConcurrencyShares",
                Cell::NumberOr("/spec/limited/nominalConcurrencyShares", "<none>"),
            ),
            KindColumn::string(
                "Queues",
                Cell::NumberOr("/spec/limited/limitResponse/queuing/queues", "<none>"),
            ),
            KindColumn::string(
                "HandSize",
                Cell::NumberOr("/spec/limited/limitResponse/queuing/handSize", "<none>"),
            ),
            KindColumn::string(
                "QueueLengthLimit",
                Cell::NumberOr("/spec/limited/limitResponse/queuing/queueLengthLimit", "<none>"),
            ),
            AGE,
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

const MAX_QUEUES: i64 = 10_000_000;
/// How many bits of a hash choose the queues of a flow.
const MAX_HASH_BITS: f64 = 60.0;
/// It told a zero from an absent number in version v1beta3; conversion alone may use it.
const ZERO_ANNOTATION: &str = "flowcontrol.k8s.io/concurrency-shares-defaults-to-zero";
const CATCH_ALL_SPEC: &str = r#"{"limited":{"lendablePercent":0,"limitResponse":{"type":"Reject"},"nominalConcurrencyShares":5},"type":"Limited"}"#;

fn defaults(level: &mut Map<'_>, _: Context) {
    let spec = level.ensure_map("spec");
    for (name, shares) in [("exempt", 0), ("limited", 30)] {
        if let Some(part) = spec.map_mut(name) {
            part.set_if_absent("nominalConcurrencyShares", shares);
            part.set_if_absent("lendablePercent", 0);
        }
    }
    let response = spec.map_mut("limited").and_then(|limited| limited.map_mut("limitResponse"));
    if let Some(queuing) = response.and_then(|response| response.map_mut("queuing")) {
        queuing.set_default("handSize", 8);
        queuing.set_default("queues", 64);
        queuing.set_default("queueLengthLimit", 50);
    }
}

fn annotations(annotations: Field<'_>) {
    if annotations.key(ZERO_ANNOTATION).is_set() {
        annotations.forbidden(format!("annotation '{ZERO_ANNOTATION}' is forbidden"));
    }
}

fn spec(level: Field<'_>) {
    let (name, spec) = (level.fields(["metadata", "name"]).str(), level.field("spec"));
    let (kind, limited, exempt) = (spec.field("type"), spec.field("limited"), spec.field("exempt"));
    // Only the level that every server creates for itself is without limits.
    if (name == EXEMPT) != (kind.str() == "Exempt") {
        kind.invalid("must be 'Exempt' if and only if `name` is 'exempt'");
    }
    match kind.str() {
        // The declared rule comes after those about the parts.
        "" => {}
        "Exempt" if exempt.is_set() => shares(exempt),
        "Exempt" => {}
        "Limited" if limited.is_set() => {
            self::limited(limited);
        }
        "Limited" => limited.declared().required(""),
        _ => kind.not_supported(&["Exempt", "Limited"]),
    }
    for (part, owner) in [(limited, "Limited"), (exempt, "Exempt")] {
        if part.is_set() && kind.str() != owner {
            part.declared().forbidden("");
        }
    }
    kind.declared().require("");
    if limited.is_set() {
        response_shape(limited.field("limitResponse").declared());
    }
    fixed_spec(name, spec);
}

/// The objects that every server creates for itself do not change, except for how exempt requests lend.
fn fixed_spec(name: &str, spec: Field<'_>) {
    let message = match name {
        EXEMPT if spec.field("type").str() != "Exempt" || spec.field("limited").is_set() => {
            format!("spec of '{name}' except the 'spec.exempt' field must equal the fixed value")
        }
        CATCH_ALL if spec.map().is_none_or(|spec| spec.to_text() != CATCH_ALL_SPEC) => {
            format!("spec of '{name}' must equal the fixed value")
        }
        _ => return,
    };
    spec.invalid_struct("flowcontrol.PriorityLevelConfigurationSpec", message);
}

fn shares(part: Field<'_>) {
    let (shares, lendable) = (part.field("nominalConcurrencyShares"), part.field("lendablePercent"));
    if shares.int() < 0 {
        shares.invalid("must be a non-negative integer");
    }
    if !(0..=100).contains(&lendable.int()) {
        lendable.invalid("must be between 0 and 100, inclusive");
    }
}

fn limited(limited: Field<'_>) {
    shares(limited);
    let borrowing = limited.field("borrowingLimitPercent");
    if borrowing.int() < 0 {
        borrowing.invalid("if specified, must be a non-negative integer");
    }
    let response = limited.field("limitResponse");
    let (kind, queuing) = (response.field("type"), response.field("queuing"));
    match kind.str() {
        "" | "Reject" => {}
        "Queue" if queuing.is_set() => self::queuing(queuing),
        "Queue" => {}
        _ => kind.not_supported(&["Queue", "Reject"]),
    }
}

/// Declared rules: what goes with the type of a response, whatever the type of the level is.
fn response_shape(response: Field<'_>) {
    let (kind, queuing) = (response.field("type"), response.field("queuing"));
    match (kind.str() == "Queue", queuing.is_set()) {
        (true, false) => queuing.required(""),
        (false, true) => queuing.forbidden(""),
        _ => {}
    }
    kind.require("");
}

fn queuing(queuing: Field<'_>) {
    let [limit, queues, hand] = ["queueLengthLimit", "queues", "handSize"].map(|name| queuing.field(name));
    for field in [limit, queues, hand].into_iter().filter(|field| field.int() <= 0) {
        field.invalid_as(field.int(), "must be positive");
    }
    if queues.int() > MAX_QUEUES {
        queues.invalid(format!("must not be greater than {MAX_QUEUES}"));
    }
    let (deck, size) = (queues.int(), hand.int());
    // Reported above; the logarithm needs a hand.
    if size <= 0 {
        return;
    }
    if size > deck {
        hand.invalid(format!("should not be greater than queues ({deck})"));
    } else if ((deck as f64).log2() * size as f64).ceil() > MAX_HASH_BITS {
        hand.invalid(format!(
            "required entropy bits of deckSize {deck} and handSize {size} should not be greater than {MAX_HASH_BITS}"
        ));
    }
}
