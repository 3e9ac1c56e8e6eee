//! ServiceCIDR: a range of addresses for Services.

use crate::columns::{AGE, Cell, KindColumn, NAME};
use crate::field::{BadValue, Field};
use crate::format::{parse_cidr, strict_cidr};
use crate::registry::{KindEntry, OnUpdate, Presentation, Strategy, SubresourceRules, ValidationRules};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "ServiceCIDR",
    strategy: Strategy::WITH_STATUS,
    validation: ValidationRules {
        object: validate,
        update: validate_update,
        on_update: OnUpdate::ValidateChanges,
        ..ValidationRules::DEFAULT
    },
    subresources: &[SubresourceRules::STATUS_ALONE],
    presentation: Presentation {
        columns: &[NAME, KindColumn::string("CIDRs", Cell::Joined("/spec/cidrs")), AGE],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};

/// One range for each family of addresses.
const MAX_RANGES: usize = 2;

fn validate(object: Field<'_>) {
    let ranges = object.fields(["spec", "cidrs"]);
    if ranges.require("at least one CIDR required") {
        return;
    }
    if ranges.len() > MAX_RANGES {
        let texts = ranges.bad_value();
        // Upstream prints the internal struct, with Go's names.
        let internal_spec = format!(r#"{{"CIDRs":{}}}"#, texts.as_str());
        return ranges.invalid_as(BadValue::verbatim(internal_spec), "may only hold up to 2 values");
    }
    ranges.items().for_each(|range| {
        range.check(strict_cidr);
    });
    let families: Vec<bool> = ranges
        .items()
        .filter_map(|range| parse_cidr(range.str()))
        .map(|range| range.address.is_ipv4())
        .collect();
    if matches!(families[..], [one, other] if one == other) {
        ranges.invalid(
            "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64",
        );
    }
}

/// A second range may be added; otherwise ranges stay as they are.
fn validate_update(object: Field<'_>, old: Field<'_>) {
    let (ranges, stored) = (object.fields(["spec", "cidrs"]), old.fields(["spec", "cidrs"]));
    match (stored.len(), ranges.len()) {
        // A cluster may get a second family later.
        (1, 2) => {
            ranges.index(0).check_immutable(stored.index(0));
            validate(object);
        }
        (before, after) if before == after => {
            for (range, stored) in ranges.items().zip(stored.items()) {
                range.check_immutable(stored);
            }
        }
        _ if ranges.is_empty() => ranges.invalid_as(ranges.bad_value(), "field is immutable"),
        _ => ranges.invalid("field is immutable"),
    }
}
