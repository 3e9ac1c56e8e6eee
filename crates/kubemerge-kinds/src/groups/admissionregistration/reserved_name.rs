//! Names that clients may not use.

use crate::field::Field;

/// Names with this suffix belong to configurations that the API server reads from files, since 1.37.
const STATIC_SUFFIX: &str = ".static.k8s.io";

/// Reports a name that is reserved.
pub(super) fn reserved_name(object: Field<'_>) {
    let name = object.fields(["metadata", "name"]);
    if object.since(37) && name.str().ends_with(STATIC_SUFFIX) {
        name.invalid(format!(
            "names ending with \"{STATIC_SUFFIX}\" are reserved for static manifest-based configurations and cannot \
             be managed via the API"
        ));
    }
}
