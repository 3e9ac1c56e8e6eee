//! What a request is counted by in the metrics.

use http::request::Parts;

use crate::{
    api::{metrics::RequestLabels, state::Api},
    protocol::{query::Query, target::Target, verb::Verb},
};

/// The labels of a request; empty ones if it is not about objects that are served.
pub(super) fn labels(api: &Api, parts: &Parts) -> RequestLabels {
    let Target::Objects(address) = Target::of(parts.uri.path()) else { return RequestLabels::default() };
    let index = api.cluster.catalog.index();
    if index.find(&address.group, &address.version, &address.resource).is_none() {
        return RequestLabels::default();
    }
    let verb = Verb::of(&parts.method, &address, &Query::parse(parts.uri.query()));
    RequestLabels {
        group: address.group.to_string(),
        resource: address.resource.to_string(),
        verb: verb.map_or("", reported),
    }
}

/// Upstream: a creation is a POST and an update a PUT in metrics.
fn reported(verb: Verb) -> &'static str {
    match verb {
        Verb::Get => "GET",
        Verb::List => "LIST",
        Verb::Watch => "WATCH",
        Verb::Create => "POST",
        Verb::Update => "PUT",
        Verb::Patch => "PATCH",
        Verb::Delete => "DELETE",
        Verb::DeleteCollection => "DELETECOLLECTION",
    }
}
