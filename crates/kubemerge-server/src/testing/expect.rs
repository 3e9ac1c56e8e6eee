//! Assertions about the request log, in the words that tell faults whom to strike.

use http::Method;

use crate::{
    api::app::verb_of,
    protocol::{query::Query, target::Named},
    server::ApiServer,
    testing::{
        fault::{Incoming, On},
        log::Entry,
    },
};

impl Entry {
    /// Whether this request is meant.
    pub fn matches(&self, on: &On) -> bool {
        let Some(address) = &self.address else { return false };
        let Ok(method) = Method::try_from(self.method.as_str()) else { return false };
        let query = Query::parse(Some(&self.query));
        let address = Named::from(address);
        let verb = verb_of(&method, &address, &query).unwrap_or_default();
        on.covers(&Incoming { verb, address: &address, content_type: &self.content_type })
    }
}

impl ApiServer {
    /// The requests that are meant, oldest first.
    pub fn requests_to(&self, on: &On) -> Vec<Entry> {
        self.requests().into_iter().filter(|entry| entry.matches(on)).collect()
    }

    /// Asserts that the log holds exactly these requests for objects, in this order; discovery does not count.
    ///
    /// # Panics
    /// If it does not, with what was wanted and what is there.
    #[track_caller]
    pub fn assert_requests(&self, wanted: &[On]) {
        let found: Vec<Entry> = self.requests().into_iter().filter(|entry| entry.address.is_some()).collect();
        let fits =
            found.len() == wanted.len() && found.iter().zip(wanted).all(|(entry, on)| entry.matches(on));
        assert!(
            fits,
            "exactly these requests were wanted:{}\nbut the log holds:{}",
            lines(wanted),
            lines(&found)
        );
    }

    /// Asserts that the log holds these requests in this order, whatever was asked before, between and after.
    ///
    /// # Panics
    /// If it does not, with what was wanted and what is there.
    #[track_caller]
    pub fn assert_requests_among_others(&self, wanted: &[On]) {
        let found = self.requests();
        let mut rest = found.iter();
        let fits = wanted.iter().all(|on| rest.any(|entry| entry.matches(on)));
        assert!(fits, "these requests were wanted:{}\nbut the log holds:{}", lines(wanted), lines(&found));
    }
}

fn lines<T: ToString>(list: &[T]) -> String {
    if list.is_empty() {
        return " none".into();
    }
    list.iter().map(|one| format!("\n  {}", one.to_string())).collect()
}
