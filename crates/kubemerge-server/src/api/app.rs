//! The pure handler: an HTTP request with its whole body in, a response out.
//!
//! It knows neither sockets nor any client library. Everything it needs (store, time, chance, schema) it was
//! given; everything it answers is a response, never an error.

use std::{cell::RefCell, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, Method, Response, request::Parts};
use kubemerge_kinds::{field_error::quoted, name_rules::check_path_segment};
use kubemerge_schema::Schema;

use crate::{
    api::{
        call::{self, Call},
        discovery, openapi,
        pod_logs::PodLogs,
        subresource, verb,
    },
    catalog::{Catalog, custom},
    protocol::{
        clock::Clock,
        entropy::Entropy,
        media,
        query::Query,
        reply::{Body, Reply},
        status::{Outcome, bad_request, method_not_allowed, no_such_path, too_large},
        target::{Named, Target},
    },
    read::selector::FieldIndex,
    store::Store,
    testing::{
        fault::{Faults, Incoming, Struck},
        log::{Answered, Log},
    },
    write::{
        ledger::{Changes, Ledger},
        strategy::Part,
    },
};

/// The largest body that is read.
pub(crate) const BODY_MOST: usize = 3 * 1024 * 1024;

/// Whether dependents go with their owners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GarbageCollection {
    /// Within the request that deletes the owner.
    #[default]
    Synchronous,
    /// Never.
    Off,
}

/// Whether strategic merge patches are accepted for custom resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CustomStrategicMerge {
    /// They are refused with 415, as Kubernetes does.
    #[default]
    Refused,
    /// They merge by the list keys of the resource's own schema.
    ByListKeys,
}

/// Everything that can be chosen about a server.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) version: String,
    pub(crate) garbage_collection: GarbageCollection,
    pub(crate) custom_strategic_merge: CustomStrategicMerge,
    pub(crate) create_namespaces: bool,
    pub(crate) pods_end_at_once: bool,
    pub(crate) bookmark_interval: Duration,
    pub(crate) watch_lifetime: Duration,
    pub(crate) token: Option<String>,
    pub(crate) field_indexes: Vec<FieldIndex>,
}

/// A server without wrappings.
pub(crate) struct App {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) catalog: Catalog,
    pub(crate) schema: Arc<Schema>,
    pub(crate) clock: Clock,
    pub(crate) entropy: Entropy,
    pub(crate) settings: Settings,
    pub(crate) faults: Arc<Faults>,
    pub(crate) log: Log,
    pub(crate) logs: PodLogs,
    pub(crate) bell: verb::watch::Bell,
}

impl App {
    /// Answers a request. Only injected delays and watches take time.
    pub(crate) async fn handle(self: &Arc<Self>, parts: Parts, body: Bytes) -> Response<Body> {
        let struck = self.strike(&parts);
        if let Some(delay) = struck.as_ref().map(|struck| struck.delay).filter(|delay| !delay.is_zero()) {
            // In a box: a future has room for all that it may ever wait for, and this is rare.
            Box::pin(tokio::time::sleep(delay)).await;
        }
        self.answer(parts, body, struck)
    }

    fn answer(self: &Arc<Self>, parts: Parts, body: Bytes, struck: Option<Box<Struck>>) -> Response<Body> {
        let target = Target::of(parts.uri.path());
        let query = Query::parse(parts.uri.query());
        let (reply, changes) = self.respond(&parts, &query, &target, (&body, struck));
        let code = reply.code;
        let reply = if media::wants_yaml(&parts.headers) {
            reply.yaml()
        } else if wants_indent(&query, &parts.headers) {
            reply.pretty()
        } else {
            reply
        };
        let reply = if parts.method == Method::HEAD { reply.without_body() } else { reply };
        drop(target);
        self.log.add(Answered { parts, body, code, changes });
        reply.into_response()
    }

    fn strike(&self, parts: &Parts) -> Option<Box<Struck>> {
        if self.faults.is_empty() {
            return None;
        }
        let Target::Objects(address) = Target::of(parts.uri.path()) else { return None };
        let verb = verb_of(&parts.method, &address, &Query::parse(parts.uri.query())).unwrap_or_default();
        let content_type = media::content_type(&parts.headers).unwrap_or_default();
        let incoming = Incoming { verb, address: &address, content_type };
        Some(Box::new(self.faults.strike(&incoming, &self.entropy)))
    }

    fn respond(
        self: &Arc<Self>,
        parts: &Parts,
        query: &Query,
        target: &Target<'_>,
        (body, struck): (&Bytes, Option<Box<Struck>>),
    ) -> (Reply, Changes) {
        let ledger = Ledger::new(self);
        let struck = struck.map(|struck| *struck).unwrap_or_default();
        let answered = match struck.failure {
            Some(failure) => Err(failure),
            None if body.len() > BODY_MOST => Err(too_large(format!("limit is {BODY_MOST}"))),
            None => self.check_token(&parts.headers).and_then(|()| {
                let reply = self.dispatch(&ledger, (parts, body), query, target)?;
                ledger.settle()?;
                Ok(reply)
            }),
        };
        let answered = match struck.lost_answer {
            Some(failure) => Err(failure),
            None => answered,
        };
        (answered.unwrap_or_else(|failure| Reply::failure(&failure)), ledger.changes())
    }

    fn check_token(&self, headers: &HeaderMap) -> Outcome<()> {
        let Some(token) = &self.settings.token else { return Ok(()) };
        let given = headers.get(http::header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        match given.and_then(|value| value.split_once(' ')) {
            Some((scheme, given))
                if scheme.eq_ignore_ascii_case("bearer") && same_secret(given.trim(), token) =>
            {
                Ok(())
            }
            _ => Err(crate::Failure::new(401, "Unauthorized", "Unauthorized")),
        }
    }

    fn dispatch(
        self: &Arc<Self>,
        ledger: &Ledger<'_>,
        (parts, body): (&Parts, &Bytes),
        query: &Query,
        target: &Target<'_>,
    ) -> Outcome<Reply> {
        let address = match target {
            Target::Objects(address) => address,
            _ if parts.method != Method::GET && parts.method != Method::HEAD => return Err(no_such_path()),
            other => return self.document(other, &parts.headers, query),
        };
        check_names(address)?;
        let index = ledger.index();
        let resource = index.find(&address.group, &address.version, &address.resource);
        let resource = resource.ok_or_else(no_such_path)?;
        if address.namespace.is_some() && !resource.is_namespaced() {
            return Err(no_such_path());
        }
        let verb = verb_of(&parts.method, address, query)
            .ok_or_else(|| method_not_allowed(resource.qualified(), &parts.method.as_str().to_lowercase()))?;
        if resource.is_namespaced() && address.namespace.is_none() {
            match verb {
                "list" | "watch" if address.name.is_none() => {}
                _ if address.name.is_some() => return Err(no_such_path()),
                _ => return Err(method_not_allowed(resource.qualified(), verb)),
            }
        }
        let call = Call {
            ledger,
            resource,
            address,
            query,
            headers: &parts.headers,
            body,
            form: call::form(&parts.headers, query)?,
            warnings: RefCell::default(),
        };
        let reply = self.perform(&call, verb)?;
        custom::warn_of_deprecation(&call);
        let warnings = call.warnings.take();
        Ok(if warnings.is_empty() { reply } else { reply.warn(&warnings) })
    }

    fn perform(self: &Arc<Self>, call: &Call<'_>, verb: &str) -> Outcome<Reply> {
        if let Some(name) = call.subresource() {
            let known = call.resource.subresource(name).ok_or_else(no_such_path)?;
            let allowed = known.verbs.iter().any(|one| one == verb);
            if !allowed {
                return Err(method_not_allowed(call.resource.qualified(), verb));
            }
            return subresource::handle(call, verb);
        }
        if !call.resource.allows(verb) {
            return Err(method_not_allowed(call.resource.qualified(), verb));
        }
        match verb {
            "get" => verb::get::handle(call),
            "list" => verb::list::handle(call),
            "watch" => verb::watch::handle(call, self),
            "create" => subresource::review(call).unwrap_or_else(|| verb::create::handle(call)),
            "update" => verb::update::handle(call, Part::Main),
            "patch" => verb::patch::handle(call, Part::Main),
            "delete" => verb::delete::handle(call),
            _ => verb::delete::handle_collection(call),
        }
    }

    fn document(&self, target: &Target<'_>, headers: &HeaderMap, query: &Query) -> Outcome<Reply> {
        let index = self.catalog.index();
        match target {
            Target::Root => Ok(discovery::root(&index)),
            Target::CoreVersions => Ok(discovery::core(&index, headers)),
            Target::Groups => Ok(discovery::groups(&index, headers)),
            Target::Group(name) => discovery::group(&index, name),
            Target::Resources { group, version } => discovery::resources(&index, group, version),
            Target::Version => Ok(discovery::version(&self.settings.version)),
            Target::Health => Ok(Reply::bytes(200, "text/plain; charset=utf-8", "ok")),
            Target::OpenApiV2 => Ok(openapi::v2(self, headers)),
            Target::OpenApiV3Index => Ok(openapi::v3_index(self)),
            Target::OpenApiV3(path) => openapi::v3(self, path, query.get("hash")),
            Target::Objects(_) | Target::Nowhere => Err(no_such_path()),
        }
    }

    /// Serves the custom resources of all stored definitions.
    pub(crate) fn serve_definitions(&self) {
        self.catalog.set_custom(|| crate::write::definition::served(self));
    }
}

/// Escaped slashes and the like never become part of a key.
fn check_names(address: &Named<'_>) -> Outcome<()> {
    for (part, given) in [("Name", &address.name), ("Namespace", &address.namespace)] {
        let Some(given) = given else { continue };
        check_path_segment(given)
            .map_err(|why| bad_request(format!("{part} parameter invalid: {}: {why}", quoted(given))))?;
    }
    Ok(())
}

/// The verb of a request, in the words of the API.
pub(crate) fn verb_of(method: &Method, address: &Named<'_>, query: &Query) -> Option<&'static str> {
    let named = address.name.is_some();
    match *method {
        Method::GET | Method::HEAD if address.subresource.is_some() => Some("get"),
        Method::GET | Method::HEAD if query.flag("watch") => Some("watch"),
        Method::GET | Method::HEAD if named => Some("get"),
        Method::GET | Method::HEAD => Some("list"),
        Method::POST if !named || address.subresource.is_some() => Some("create"),
        Method::PUT if named => Some("update"),
        Method::PATCH if named => Some("patch"),
        Method::DELETE if named => Some("delete"),
        Method::DELETE => Some("deletecollection"),
        _ => None,
    }
}

/// People with browsers and curl get indented JSON.
fn wants_indent(query: &Query, headers: &HeaderMap) -> bool {
    if let Some(pretty) = query.get("pretty") {
        return !matches!(pretty, "false" | "0");
    }
    let agent =
        headers.get(http::header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    ["curl", "Wget", "Mozilla/5.0"].iter().any(|known| agent.starts_with(known))
}

/// Compares without telling by its duration how much was right.
fn same_secret(given: &str, secret: &str) -> bool {
    let differing = given.bytes().zip(secret.bytes()).fold(0, |seen, (a, b)| seen | (a ^ b));
    given.len() == secret.len() && differing == 0
}
