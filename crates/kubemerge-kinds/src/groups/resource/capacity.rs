//! Capacities of devices, and how much of one may be asked for.

use std::cmp::Ordering;

use super::names::is_within;
use crate::field::Field;

const MAX_OPTIONS: usize = 10;

/// Validates a capacity of a device that several claims share, or not.
pub(super) fn capacity(capacity: Field<'_>, is_shared: bool) {
    let policy = capacity.field("requestPolicy");
    if !policy.is_set() {
        return;
    }
    if !is_shared {
        return policy.forbidden("allowMultipleAllocations must be true");
    }
    let (values, range) = (policy.field("validValues"), policy.field("validRange"));
    let default = policy.field("default");
    match (!values.is_empty(), range.is_set()) {
        (true, true) => policy.forbidden(
            "exactly one policy can be specified, cannot specify \"validValues\" and \"validRange\" at the same time",
        ),
        (true, false) if !default.is_set() => default.required("required when validValues is defined"),
        (true, false) => options(values, default, capacity.field("value")),
        (false, true) if !default.is_set() => default.required("required when validRange is defined"),
        (false, true) => self::range(range, default, capacity.field("value")),
        (false, false) => {}
    }
}

fn compare(one: Field<'_>, other: Field<'_>) -> Ordering {
    one.quantity().compare(&other.quantity())
}

fn text(quantity: Field<'_>) -> String {
    quantity.quantity().canonical_text()
}

fn options(values: Field<'_>, default: Field<'_>, most: Field<'_>) {
    let items: Vec<Field<'_>> = values.items().collect();
    // Upstream checks the order first, before it knows whether there are too many.
    for (option, next) in items.iter().zip(items.iter().skip(1)) {
        if compare(*option, *next) == Ordering::Greater {
            next.invalid_as(text(*next).as_str(), "values must be sorted in ascending order");
        }
    }
    let mut has_default = false;
    if is_within(values, MAX_OPTIONS) {
        for (at, option) in items.iter().enumerate() {
            if compare(*option, most) == Ordering::Greater {
                let message = format!("option is larger than capacity value: {}", text(most));
                option.invalid_as(text(*option).as_str(), message);
            }
            has_default |= compare(*option, default) == Ordering::Equal;
            if items.iter().take(at).any(|other| compare(*other, *option) == Ordering::Equal) {
                option.duplicate_as(decimal(*option).as_str());
            }
        }
    }
    if !has_default {
        values
            .invalid_as(text(default).as_str(), "default value is not valid according to the requestPolicy");
    }
}

/// A quantity as a plain decimal number.
fn decimal(quantity: Field<'_>) -> String {
    let quantity = quantity.quantity();
    if quantity.is_whole() { quantity.value().to_string() } else { quantity.canonical_text() }
}

fn range(range: Field<'_>, default: Field<'_>, most: Field<'_>) {
    let [min, max, step] = ["min", "max", "step"].map(|name| range.field(name));
    if !min.is_set() {
        return min.required("required when validRange is defined");
    }
    // Upstream: the path goes through the range, although the default is beside it.
    let place = range.field("default");
    if compare(min, most) == Ordering::Greater {
        min.invalid_as(text(min).as_str(), format!("min is larger than capacity value: {}", text(most)));
    }
    if compare(default, min) == Ordering::Less {
        place.invalid_as(text(default).as_str(), format!("default is less than min: {}", text(min)));
    }
    if max.is_set() {
        if compare(min, max) == Ordering::Greater {
            // Upstream prints the minimum at the place of the maximum.
            max.invalid_as(text(min).as_str(), format!("min is larger than max: {}", text(max)));
        }
        if compare(max, most) == Ordering::Greater {
            max.invalid_as(text(max).as_str(), format!("max is larger than capacity value: {}", text(most)));
        }
        if compare(default, max) == Ordering::Greater {
            place.invalid_as(text(default).as_str(), format!("default is more than max: {}", text(max)));
        }
    }
    if !step.is_set() {
        return;
    }
    if step.quantity().sign() <= 0 {
        return step.invalid_as(text(step).as_str(), "must be greater than zero");
    }
    first_step(min, step, most);
    let bounds = [(place, default), (min, min), (max, max), (step, step)];
    let negative: Vec<_> = bounds.into_iter().filter(|(_, bound)| bound.quantity().sign() < 0).collect();
    let is_whole = bounds.iter().all(|(_, bound)| bound.quantity().is_whole());
    // Upstream computes with integers where it can, and refuses negative ones only there.
    if is_whole && !negative.is_empty() {
        for (place, bound) in negative {
            place.invalid_as(text(bound).as_str(), "must be greater than or equal to 0");
        }
        return;
    }
    for value in [default, max].into_iter().filter(|value| value.is_set()) {
        on_step(value, min, step);
    }
}

/// Reports a first step that leads past the capacity.
fn first_step(min: Field<'_>, step: Field<'_>, most: Field<'_>) {
    let sum = min.quantity().plus(&step.quantity());
    if sum.compare(&most.quantity()) == Ordering::Greater {
        let sum = sum.canonical_text();
        let message = format!("one step {sum} is larger than capacity value: {}", text(most));
        step.invalid_as(text(step).as_str(), message);
    }
}

/// Whether a value is a whole number of steps from the least one; fractions count in thousandths.
fn on_step(value: Field<'_>, min: Field<'_>, step: Field<'_>) {
    let milli = |field: Field<'_>| i128::from(field.quantity().milli_value());
    let size = milli(step);
    if size != 0 && (milli(value) - milli(min)) % size != 0 {
        let message =
            format!("value is not a multiple of a given step ({}) from ({})", text(step), text(min));
        step.invalid_as(text(value).as_str(), message);
    }
}
