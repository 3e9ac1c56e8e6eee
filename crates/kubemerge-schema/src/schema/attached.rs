//! Room beside a schema for what crates above compile from it, so that a schema is all that callers hand around.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Values by their type.
#[derive(Default)]
pub(crate) struct Attachments(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Attachments {
    /// The value of a type, made the first time.
    pub(crate) fn get<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        // Of that type: it is the key.
        Arc::clone(known).downcast().unwrap_or_default()
    }
}

impl fmt::Debug for Attachments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attachments").finish_non_exhaustive()
    }
}
