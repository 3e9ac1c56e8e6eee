//! Validation of pod specs.

use crate::field::Field;

/// Validates a pod spec; `metadata` is that of the Pod, none for templates.
pub(crate) fn validate(spec: Field<'_>, metadata: Option<Field<'_>>) {
    let _ = metadata;
    spec.field("containers").require("");
}
