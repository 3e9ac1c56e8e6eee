//! Addresses and ports that requests in progress have chosen and that no stored object shows yet.

use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Something that only one Service may have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reserved {
    Address(String),
    NodePort(i64),
}

impl Reserved {
    /// The name under which processes that share a store reserve it.
    pub(crate) fn claim(&self) -> String {
        match self {
            Reserved::Address(address) => format!("address/{address}"),
            Reserved::NodePort(port) => format!("node-port/{port}"),
        }
    }
}

/// What is reserved.
#[derive(Debug, Default)]
pub(crate) struct Reservations(Mutex<BTreeSet<Reserved>>);

impl Reservations {
    fn held(&self) -> MutexGuard<'_, BTreeSet<Reserved>> {
        // A set is never left half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves one thing, unless another request has it.
    pub(crate) fn take(&self, wanted: Reserved) -> bool {
        self.held().insert(wanted)
    }

    pub(crate) fn release(&self, taken: &[Reserved]) {
        let mut held = self.held();
        taken.iter().for_each(|one| {
            held.remove(one);
        });
    }
}
