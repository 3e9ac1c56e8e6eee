//! From what a request names to the handler that answers it.

use std::cell::RefCell;

use bytes::Bytes;
use http::{Method, request::Parts};
use kubemerge_kinds::{User, field_error::quoted, format::path_segment_name, typed::duration_problem};

use crate::{
    api::{
        create, delete, discovery, get, health, list, metrics, openapi, openid, patch,
        state::Api,
        subresource::{self, review},
        update, watch,
    },
    catalog::{Index, Resource, request_context::RequestContext},
    protocol::{
        media,
        query::Query,
        reply::Reply,
        status::{Failure, Outcome, bad_request, method_not_allowed, no_such_method, no_such_path},
        target::{Named, Target},
        verb::Verb,
    },
    write::{commit::transaction::Transaction, part::Part},
};

/// A request for objects.
#[derive(Clone, Copy)]
pub(super) struct Request<'r> {
    pub(super) parts: &'r Parts,
    pub(super) body: &'r Bytes,
    pub(super) query: &'r Query,
    pub(super) address: &'r Named<'r>,
    pub(super) user: &'r User,
}

/// Answers a request for objects.
pub(super) fn objects(api: &Api, transaction: &Transaction<'_>, request: Request<'_>) -> Outcome<Reply> {
    let Request { parts, body, query, address, user } = request;
    check_names(address)?;
    let index = transaction.index();
    let Some(resource) = index.find(&address.group, &address.version, &address.resource) else {
        return not_served(&index, &address.group);
    };
    let verb = Verb::of(&parts.method, address, query);
    if is_misplaced(resource, address, verb) {
        return Ok(health::page_not_found());
    }
    // Upstream: the paths of built-in kinds have no HEAD; the handler of custom resources takes it for GET.
    if parts.method == Method::HEAD && resource.custom().is_none() {
        return Err(no_such_method());
    }
    let verb = check_scope(resource, address, verb, &parts.method)?;
    check_timeout(query, verb)?;
    let call = RequestContext {
        cluster: &api.cluster,
        resource,
        address,
        query,
        headers: &parts.headers,
        body,
        user,
        form: media::form(&parts.headers, query.get("includeObject"))?,
        warnings: RefCell::default(),
    };
    if let Some(text) = deprecation(resource, &api.settings.version) {
        call.warn(text);
    }
    let reply = perform(api, transaction, &call, verb);
    if let Some(text) = resource.custom().and_then(|version| version.deprecation.as_ref()) {
        call.warn(text.clone());
    }
    let warnings = call.warnings.take();
    if warnings.is_empty() {
        return reply;
    }
    // A refusal has the warnings that came before it.
    Ok(reply.unwrap_or_else(|failure| Reply::failure(&failure)).warn(&warnings))
}

/// Upstream: only groups of built-in kinds refuse in the form of a Status what they do not serve; all else is for Go's
/// router to refuse.
fn not_served(index: &Index, group: &str) -> Outcome<Reply> {
    if is_built_in(index, group) { Err(no_such_path()) } else { Ok(health::page_not_found()) }
}

/// Whether a group has built-in kinds.
fn is_built_in(index: &Index, group: &str) -> bool {
    index.group(group).is_some_and(|group| {
        group.versions.iter().any(|(_, kinds)| kinds.values().any(|resource| resource.custom().is_none()))
    })
}

/// The group that a path is in, whatever follows; no group has the name of another path.
fn group_of(path: &str) -> &str {
    let mut parts = path.trim_start_matches('/').split('/');
    match parts.next() {
        Some("api") => "",
        Some("apis") => parts.next().unwrap_or(path),
        _ => path,
    }
}

/// What the API server says about the built-in kinds that it serves for older clients.
fn deprecation(resource: &Resource, version: &str) -> Option<&'static str> {
    // A version without a minor number is no release, and nothing is deprecated in it.
    let minor: u32 = version.split('.').nth(1).and_then(|minor| minor.parse().ok()).unwrap_or_default();
    match (resource.group.as_str(), resource.kind.as_str()) {
        ("", "Endpoints") if minor >= 33 => {
            Some("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice")
        }
        ("", "ComponentStatus") => Some("v1 ComponentStatus is deprecated in v1.19+"),
        _ => None,
    }
}

/// Requests here take no time, but the time that a client gives them must be one.
fn check_timeout(query: &Query, verb: Verb) -> Outcome<()> {
    let timeout = query.get("timeout").filter(|_| verb != Verb::Watch);
    match timeout.and_then(duration_problem) {
        Some(why) => Err(bad_request(format!("invalid timeout specified in the request URL - {why}"))),
        None => Ok(()),
    }
}

/// Names with escaped slashes and the like must not become part of a key.
fn check_names(address: &Named<'_>) -> Outcome<()> {
    for (part, given) in [("Name", &address.name), ("Namespace", &address.namespace)] {
        let Some(given) = given else { continue };
        let problems = path_segment_name(given);
        if !problems.is_empty() {
            let why = problems.join(";");
            return Err(bad_request(format!("{part} parameter invalid: {}: {why}", quoted(given))));
        }
    }
    Ok(())
}

/// Upstream: custom resources are for Go's router to refuse where a namespace lacks or is one too many.
fn is_misplaced(resource: &Resource, address: &Named<'_>, verb: Option<Verb>) -> bool {
    let is_across = matches!(verb, Some(Verb::List | Verb::Watch)) && address.name.is_none();
    let fits = match (resource.is_namespaced(), address.namespace.is_some()) {
        (true, false) => is_across,
        (is_namespaced, has_namespace) => is_namespaced == has_namespace,
    };
    resource.custom().is_some() && !fits
}

/// The verb, if the path has a namespace exactly where the resource and the verb want one.
fn check_scope(
    resource: &Resource,
    address: &Named<'_>,
    verb: Option<Verb>,
    method: &Method,
) -> Outcome<Verb> {
    if address.namespace.is_some() && !resource.is_namespaced() {
        return Err(no_such_path());
    }
    let verb = verb.ok_or_else(|| not_allowed(resource, &method.as_str().to_lowercase()))?;
    if !resource.is_namespaced() || address.namespace.is_some() {
        return Ok(verb);
    }
    match verb {
        _ if address.name.is_some() => Err(no_such_path()),
        // Only these two work on all namespaces.
        Verb::List | Verb::Watch => Ok(verb),
        _ => Err(not_allowed(resource, verb.name())),
    }
}

/// Upstream: the paths of built-in kinds have their methods, and the handler of custom resources knows verbs.
fn not_allowed(resource: &Resource, verb: &str) -> Failure {
    match resource.custom() {
        Some(_) => method_not_allowed(resource.qualified(), verb),
        None => no_such_method(),
    }
}

/// An unknown subresource. Upstream: of a custom resource the object is said to be missing.
fn no_subresource(call: &RequestContext<'_>) -> Failure {
    if call.resource.custom().is_some() { call.not_found() } else { no_such_path() }
}

fn perform(
    api: &Api,
    transaction: &Transaction<'_>,
    call: &RequestContext<'_>,
    verb: Verb,
) -> Outcome<Reply> {
    if let Some(name) = call.subresource() {
        // An unknown subresource is 404, a known one with another verb 405.
        let known = call.resource.subresource(name).ok_or_else(|| no_subresource(call))?;
        if !known.allows(verb) {
            return Err(no_such_method());
        }
        return subresource::handle(api, transaction, call, verb);
    }
    if !call.resource.allows(verb) {
        return Err(not_allowed(call.resource, verb.name()));
    }
    match verb {
        Verb::Get => get::handle(call),
        Verb::List => list::handle(call),
        Verb::Watch => watch::handle(api, call),
        Verb::Create => review(api, transaction, call).unwrap_or_else(|| create::handle(transaction, call)),
        Verb::Update => update::handle(transaction, call, Part::Main),
        Verb::Patch => patch::handle(transaction, call, api.settings.custom_strategic_merge, Part::Main),
        Verb::Delete => delete::handle(transaction, call),
        Verb::DeleteCollection => delete::handle_collection(transaction, call),
    }
}

/// Whether a document can be asked for with HEAD. Upstream: some paths have their methods, others answer to any.
fn has_head(index: &Index, target: &Target<'_>) -> bool {
    match target {
        Target::CoreVersions | Target::Version | Target::OpenIdConfiguration | Target::OpenIdKeys => false,
        Target::Resources { group, version } => {
            !is_built_in(index, group) || index.version(group, version).is_none()
        }
        _ => true,
    }
}

/// Answers a request for one of the server's own documents.
pub(super) fn document(api: &Api, target: &Target<'_>, parts: &Parts, query: &Query) -> Outcome<Reply> {
    let (index, headers, version) = (api.cluster.catalog.index(), &parts.headers, &api.settings.version);
    if parts.method != Method::GET && parts.method != Method::HEAD {
        let is_served = match target {
            Target::Resources { group, version } => index.version(group, version).is_some(),
            Target::Version => true,
            _ => false,
        };
        return Err(if is_served { no_such_method() } else { no_such_path() });
    }
    if parts.method == Method::HEAD && !has_head(&index, target) {
        return Err(no_such_method());
    }
    match target {
        Target::Root => Ok(discovery::root(&index)),
        Target::CoreVersions => Ok(discovery::core(&index, headers)),
        Target::Groups => Ok(discovery::groups(&index, headers)),
        Target::Group(name) => discovery::group(&index, name).map_or_else(|| not_served(&index, name), Ok),
        Target::Resources { group, version } => {
            discovery::resources(&index, group, version).map_or_else(|| not_served(&index, group), Ok)
        }
        Target::Version => Ok(discovery::version(version)),
        Target::OpenIdConfiguration => Ok(openid::configuration(headers)),
        Target::OpenIdKeys => Ok(openid::keys()),
        Target::Metrics => Ok(metrics::answer(api)),
        Target::Health(path) => Ok(health::check(path, query, api.cluster.store.health())),
        Target::OpenApiV2 => Ok(openapi::v2(&api.open_api, &api.cluster, version, headers)),
        Target::OpenApiV3Index => Ok(openapi::v3_index(&api.cluster, version)),
        Target::OpenApiV3(path) => Ok(openapi::v3(&api.cluster, version, path, query.get("hash"))),
        Target::Objects(_) | Target::Nowhere => not_served(&index, group_of(parts.uri.path())),
    }
}
