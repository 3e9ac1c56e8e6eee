//! Selectors of devices in CEL.

use super::names::is_within;
use crate::field::Field;
use kubemerge_cel::{CelType, Environment, compile};

const MAX_SELECTORS: usize = 32;
const MAX_EXPRESSION_BYTES: usize = 10 * 1024;

/// Validates a list of selectors.
pub(super) fn selectors(selectors: Field<'_>) {
    if is_within(selectors, MAX_SELECTORS) {
        selectors.items().for_each(selector);
    }
}

/// Validates a list of selectors whose expressions are stored already.
pub(super) fn stored_selectors(selectors: Field<'_>) {
    if is_within(selectors, MAX_SELECTORS) {
        selectors
            .items()
            .map(|one| one.field("cel"))
            .filter(|cel| !cel.is_set())
            .for_each(|cel| cel.required(""));
    }
}

fn selector(selector: Field<'_>) {
    let cel = selector.field("cel");
    if !cel.is_set() {
        return cel.required("");
    }
    let expression = cel.field("expression");
    if expression.str().len() > MAX_EXPRESSION_BYTES {
        return expression.too_long(MAX_EXPRESSION_BYTES);
    }
    match compile(expression.str(), &Environment::of_devices()) {
        // Attributes are typed when devices are known, so the result may be known only then.
        Ok(CelType::Bool | CelType::Dyn) => {}
        Ok(found) => {
            expression.invalid(format!("must evaluate to bool or the unknown type, not {found}"));
        }
        Err(problem) => expression.invalid(problem),
    }
}
