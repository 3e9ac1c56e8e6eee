//! LimitRange.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::pod_spec::{container_resource_name, overcommits, resource_list, resource_name};
use crate::field::Field;
use crate::format::qualified_name;
use crate::registry::{Context, DecodeRules, KindEntry, MissingName, Permission, Strategy, ValidationRules};
use crate::tree::Map;
use crate::typed::Quantity;

/// From this value on, Kubernetes compares ratios without fractions.
const MAX_MILLI_VALUE: i64 = i64::MAX / 1000;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "LimitRange",
    decode: DecodeRules { defaults, ..DecodeRules::DEFAULT },
    strategy: Strategy {
        create_on_update: Permission::Granted,
        // Upstream: of all kinds, this one needs no name.
        missing_name: MissingName::Uid,
        prepare_create: |range, _| {
            let metadata = range.ensure_map("metadata");
            // Kubernetes makes up a name of its own; the uid is as good as any.
            if metadata.str("name").is_empty() {
                let uid = metadata.str("uid");
                metadata.set_default("name", uid);
            }
        },
        ..Strategy::DEFAULT
    },
    validation: ValidationRules { object: validate, ..ValidationRules::DEFAULT },
    ..KindEntry::NAMESPACED
};

fn defaults(range: &mut Map<'_>, _: Context) {
    let Some(spec) = range.map_mut("spec") else { return };
    for limit in spec.maps_mut("limits") {
        if limit.str("type") == "Container" {
            // Each step uses what the one before it filled in.
            copy_absent(limit, "max", "default");
            copy_absent(limit, "default", "defaultRequest");
            copy_absent(limit, "min", "defaultRequest");
        }
        for name in ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] {
            resource_list(limit, name);
        }
    }
}

fn copy_absent(limit: &mut Map<'_>, from: &str, to: &'static str) {
    let Some(source) = limit.map(from).map(|source| source.copy_in(limit.arena())) else { return };
    let target = limit.ensure_map(to);
    for (name, quantity) in source.iter() {
        target.set_if_absent(name, quantity.copy_in(source.arena()));
    }
}

fn validate(range: Field<'_>) {
    let mut types = BTreeSet::new();
    for limit in range.fields(["spec", "limits"]).items() {
        let kind = limit.field("type");
        limit_type(kind);
        if !types.insert(kind.str()) {
            // Upstream goes on with a limit of a repeated type and reports its other problems as well.
            kind.duplicate();
        }
        self::limit(limit, kind.str());
    }
}

fn limit_type(kind: Field<'_>) {
    let is_standard = matches!(kind.str(), "Pod" | "Container" | "PersistentVolumeClaim");
    if kind.check(qualified_name) && !kind.str().contains('/') && !is_standard {
        kind.invalid("must be a standard limit type or fully qualified");
    }
}

fn limit(limit: Field<'_>, kind: &str) {
    let mut lists = vec!["max", "min", "maxLimitRequestRatio"];
    if kind == "Pod" {
        for name in ["default", "defaultRequest"] {
            if !limit.field(name).is_empty() {
                limit.field(name).forbidden("may not be specified when `type` is 'Pod'");
            }
        }
    } else {
        lists.extend(["default", "defaultRequest"]);
    }
    let mut names = BTreeSet::new();
    for (name, quantity) in lists.iter().flat_map(|list| limit.field(list).entries()) {
        if matches!(kind, "Pod" | "Container") {
            container_resource_name(name, quantity);
        } else {
            resource_name(name, quantity);
        }
        names.insert(name);
    }
    let has_storage = |list| limit.field(list).key("storage").is_set();
    if kind == "PersistentVolumeClaim" && !has_storage("min") && !has_storage("max") {
        let text = "either minimum or maximum storage value is required, but neither was provided";
        // Upstream: a path that no object has, limits inside of a limit.
        limit.field("limits").required(text);
    }
    for name in names {
        let given = |list: &'static str| {
            let quantity = limit.field(list).key(name);
            (quantity.is_set() && lists.contains(&list)).then_some(quantity)
        };
        Bounds {
            min: given("min"),
            max: given("max"),
            default: given("default"),
            request: given("defaultRequest"),
            ratio: given("maxLimitRequestRatio"),
        }
        .check(name);
    }
}

/// What a limit says about one resource.
struct Bounds<'t> {
    min: Option<Field<'t>>,
    max: Option<Field<'t>>,
    default: Option<Field<'t>>,
    request: Option<Field<'t>>,
    ratio: Option<Field<'t>>,
}

impl Bounds<'_> {
    fn check(&self, name: &str) {
        let Bounds { min, max, default, request, .. } = *self;
        let orders = [
            (min, min, out_of_order(min, max, ["min", "max"])),
            (request, request, out_of_order(min, request, ["min", "default request"])),
            (request, request, out_of_order(request, max, ["default request", "max"])),
            (request, request, out_of_order(request, default, ["default request", "default limit"])),
            // Upstream prints the bound instead of the default in these two.
            (default, min, out_of_order(min, default, ["min", "default"])),
            (default, max, out_of_order(default, max, ["default", "max"])),
        ];
        for (at, printed, problem) in orders {
            if let (Some(at), Some(printed), Some(problem)) = (at, printed, problem) {
                at.invalid_as(printed.str(), problem);
            }
        }
        self.check_ratio();
        if let (Some(default), Some(request)) = (default, request)
            && !overcommits(name)
            && default.quantity().compare(&request.quantity()) != Ordering::Equal
        {
            let (one, other) = (default.quantity().canonical_text(), request.quantity().canonical_text());
            request
                .invalid(format!("default value {one} must equal to defaultRequest value {other} in {name}"));
        }
    }

    fn check_ratio(&self) {
        let Some(field) = self.ratio else { return };
        let ratio = field.quantity();
        let text = ratio.canonical_text();
        // A limit below its request is never valid.
        if ratio.cmp_int(1) == Ordering::Less {
            field.invalid(format!("ratio {text} is less than 1"));
        }
        let (Some(min), Some(max)) = (self.min, self.max) else { return };
        let most = largest_ratio(&ratio, &min.quantity(), &max.quantity());
        if most.given > most.possible {
            field.invalid(format!("ratio {text} is greater than max/min = {}", go_float(most.possible)));
        }
    }
}

/// What is wrong if the first quantity is greater than the second one.
fn out_of_order(small: Option<Field<'_>>, large: Option<Field<'_>>, names: [&str; 2]) -> Option<String> {
    let (small, large) = (small?.quantity(), large?.quantity());
    let [small_name, large_name] = names;
    (small.compare(&large) == Ordering::Greater).then(|| {
        let (small, large) = (small.canonical_text(), large.canonical_text());
        format!("{small_name} value {small} is greater than {large_name} value {large}")
    })
}

struct Ratio {
    given: f64,
    possible: f64,
}

fn largest_ratio(ratio: &Quantity<'_>, min: &Quantity<'_>, max: &Quantity<'_>) -> Ratio {
    if [ratio, min, max].iter().all(|quantity| quantity.value() < MAX_MILLI_VALUE) {
        // A minimum of zero gives infinity, which every ratio is below.
        let possible = max.milli_value() as f64 / min.milli_value() as f64;
        return Ratio { given: ratio.milli_value() as f64 / 1000.0, possible };
    }
    Ratio { given: ratio.value() as f64, possible: max.value() as f64 / min.value() as f64 }
}

/// A number as Go's `%f` prints it.
fn go_float(number: f64) -> String {
    match number {
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        number => format!("{number:.6}"),
    }
}
