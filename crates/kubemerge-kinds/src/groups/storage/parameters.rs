//! Drivers and their parameters, in classes of volumes.

use crate::field::Field;
use crate::format::qualified_name;

const MAX_PARAMETERS: usize = 512;
const MAX_PARAMETER_BYTES: usize = 256 * 1024;

/// How many parameters there are at least.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Least {
    /// There may be none.
    None,
    /// There must be one.
    One,
}

pub(super) fn validate(parameters: Field<'_>, least: Least) {
    if parameters.len() > MAX_PARAMETERS {
        return parameters.too_long(MAX_PARAMETERS);
    }
    let mut bytes = 0;
    for (key, value) in parameters.entries() {
        if key.is_empty() {
            parameters.invalid_as(key, "field can not be empty.");
        }
        bytes += key.len() + value.str().len();
    }
    if bytes > MAX_PARAMETER_BYTES {
        parameters.too_long(MAX_PARAMETER_BYTES);
    }
    if least == Least::One {
        parameters.require("must contain at least one key/value pair");
    }
}

/// The name of a driver, in any case of letters; messages show it in lower case.
pub(super) fn driver(name: Field<'_>) {
    if !name.require("") {
        check_driver(name);
    }
}

/// The same for a name that is given.
pub(super) fn check_driver(name: Field<'_>) {
    let lower = name.str().to_lowercase();
    for problem in qualified_name(&lower) {
        name.invalid_as(lower.as_str(), problem);
    }
}
