//! Assertions about the request log, with the same matchers that select faults.

use http::Method;

use crate::{
    api::hooks::IncomingRequest,
    protocol::{query::Query, target::Named, verb::Verb},
    testing::{fault::On, log::LoggedRequest},
};

impl LoggedRequest {
    /// Whether this request matches.
    pub fn matches(&self, on: &On) -> bool {
        let Some(address) = &self.address else { return false };
        let Ok(method) = Method::try_from(self.method.as_str()) else { return false };
        let query = Query::parse(Some(&self.query));
        let address = Named::from(address);
        let verb = Verb::of(&method, &address, &query);
        on.covers(&IncomingRequest { verb, address: &address, content_type: &self.content_type })
    }
}

/// Panics unless exactly these requests for objects were made, in this order; discovery does not count.
#[track_caller]
pub(crate) fn assert_requests(entries: Vec<LoggedRequest>, wanted: &[On]) {
    // Clients send discovery requests when they like.
    let found: Vec<LoggedRequest> = entries.into_iter().filter(|entry| entry.address.is_some()).collect();
    let fits = found.len() == wanted.len() && found.iter().zip(wanted).all(|(entry, on)| entry.matches(on));
    assert!(
        fits,
        "exactly these requests were wanted:{}\nbut the log holds:{}",
        lines(wanted),
        lines(&found)
    );
}

/// Panics unless these requests were made in this order, whatever else was requested.
#[track_caller]
pub(crate) fn assert_requests_among_others(entries: &[LoggedRequest], wanted: &[On]) {
    let mut rest = entries.iter();
    let fits = wanted.iter().all(|on| rest.any(|entry| entry.matches(on)));
    assert!(fits, "these requests were wanted:{}\nbut the log holds:{}", lines(wanted), lines(entries));
}

fn lines<T: ToString>(list: &[T]) -> String {
    if list.is_empty() {
        return " none".into();
    }
    list.iter().map(|one| format!("\n  {}", one.to_string())).collect()
}
