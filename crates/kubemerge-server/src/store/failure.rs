//! What clients are told when a store fails.

use super::StoreError;
use crate::protocol::{
    reason::Reason,
    status::{Failure, unclassified},
};

/// The store cannot be read or written now, and a write may have happened or not; or it does not take the object.
pub(crate) fn store_failure(error: &StoreError) -> Failure {
    // Upstream: an error of etcd that has no API status.
    if error.is_too_large() {
        return unclassified(error.to_string());
    }
    let text = format!("the store is not available: {error}");
    Failure::new(503, Reason::ServiceUnavailable, text).retry_after(1)
}
