//! What tests ask for besides the API: faults, interceptors, the request log, expectations, objects to wait for.

pub(crate) mod difference;
mod expect;
pub(crate) mod fault;
pub(crate) mod intercept;
pub(crate) mod log;
pub(crate) mod owners;

use std::sync::Arc;

use bytes::Bytes;
pub(crate) use expect::{assert_requests, assert_requests_among_others};
use fault::{Faults, WatchFaults};
use http::request::Parts;
use intercept::Interceptors;
use log::Log;

use crate::{
    api::hooks::{Answered, Hooks, IncomingRequest, Interference, WatchHooks},
    protocol::{entropy::Entropy, reply::Reply, status::Outcome, target::Named},
};

/// Faults, interceptors and the request log of a server.
pub(crate) struct TestHooks {
    pub(crate) faults: Arc<Faults>,
    pub(crate) interceptors: Interceptors,
    pub(crate) log: Log,
    entropy: Arc<Entropy>,
}

impl TestHooks {
    pub(crate) fn new(log: Log, entropy: Arc<Entropy>) -> Self {
        TestHooks { faults: Arc::default(), interceptors: Interceptors::default(), log, entropy }
    }
}

impl Hooks for TestHooks {
    fn is_idle(&self) -> bool {
        self.faults.is_empty() && self.interceptors.is_empty()
    }

    fn before(&self, request: &IncomingRequest<'_>) -> Interference {
        self.faults.interfere(request, &self.entropy)
    }

    fn intercept(&self, parts: &mut Parts, body: &mut Bytes) -> Option<Outcome<Reply>> {
        self.interceptors.intercept(parts, body)
    }

    fn rewrite(&self, parts: &Parts, body: &Bytes, reply: Reply) -> Reply {
        self.interceptors.rewrite(parts, body, reply)
    }

    fn after(&self, answered: Answered) {
        self.log.add(answered);
    }

    fn watch(&self, address: &Named<'_>) -> Box<dyn WatchHooks> {
        Box::new(WatchFaults::new(self.faults.clone(), self.entropy.clone(), address))
    }
}
