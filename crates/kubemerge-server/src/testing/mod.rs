//! What tests ask for besides the API: faults, the request log, expectations.

mod expect;
pub(crate) mod fault;
pub(crate) mod log;
pub(crate) mod owners;

use std::sync::Arc;

pub(crate) use expect::{assert_requests, assert_requests_among_others};
use fault::{Faults, WatchFaults};
use log::Log;

use crate::{
    api::hooks::{Answered, Hooks, IncomingRequest, Interference, WatchHooks},
    protocol::{entropy::Entropy, target::Named},
};

/// Faults and the request log of a server.
pub(crate) struct TestHooks {
    pub(crate) faults: Arc<Faults>,
    pub(crate) log: Log,
    entropy: Arc<Entropy>,
}

impl TestHooks {
    pub(crate) fn new(log: Log, entropy: Arc<Entropy>) -> Self {
        TestHooks { faults: Arc::default(), log, entropy }
    }
}

impl Hooks for TestHooks {
    fn is_idle(&self) -> bool {
        self.faults.is_empty()
    }

    fn before(&self, request: &IncomingRequest<'_>) -> Interference {
        self.faults.interfere(request, &self.entropy)
    }

    fn after(&self, answered: Answered) {
        self.log.add(answered);
    }

    fn watch(&self, address: &Named<'_>) -> Box<dyn WatchHooks> {
        Box::new(WatchFaults::new(self.faults.clone(), self.entropy.clone(), address))
    }
}
