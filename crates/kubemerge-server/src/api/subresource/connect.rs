//! `exec`, `attach` and `portforward`: the handshake of a WebSocket that a test's handler serves.

use http::HeaderMap;

use super::{log, parent};
use crate::{
    api::{
        state::Api,
        streams::{PortSession, ProcessAccess, ProcessSession, StreamSession},
        websocket,
    },
    catalog::request_context::RequestContext,
    protocol::{
        reason::Reason,
        reply::Reply,
        status::{Failure, Outcome, bad_request},
    },
};

/// With signals that one direction has ended.
const V5: &str = "v5.channel.k8s.io";
const V4: &str = "v4.channel.k8s.io";

/// Answers with an upgrade to the session of a handler, or 501 if no test has registered one.
pub(crate) fn handle(api: &Api, call: &RequestContext<'_>) -> Outcome<Reply> {
    let pod = parent::parent(call)?;
    let key = (call.namespace().to_string(), call.name().to_string());
    let subresource = call.subresource().unwrap_or_default();
    let unhandled = || no_handler(call, subresource);
    let (session, protocols): (_, &[&str]) = if subresource == "portforward" {
        let handler = api.streams.ports(&key).ok_or_else(unhandled)?;
        (StreamSession::Ports(PortSession { handler, ports: ports(call)? }), &[V4])
    } else {
        let access = if subresource == "exec" { ProcessAccess::Exec } else { ProcessAccess::Attach };
        let handler = api.streams.process(access, &key).ok_or_else(unhandled)?;
        let session = ProcessSession {
            handler,
            container: log::container(call, &pod)?,
            command: call.query.all("command").map(str::to_string).collect(),
            tty: call.query.flag("tty"),
            stdin: call.query.flag("stdin"),
            stdout: call.query.flag("stdout"),
            stderr: call.query.flag("stderr"),
        };
        (StreamSession::Process(session), &[V5, V4])
    };
    Ok(handshake(call.headers, protocols)?.extension(session))
}

fn no_handler(call: &RequestContext<'_>, subresource: &str) -> Failure {
    let (namespace, name) = (call.namespace(), call.name());
    let text =
        format!("there is no handler for {subresource} of pod {namespace}/{name}: a test registers one");
    Failure::new(501, Reason::NotImplemented, text)
}

/// The ports in the query; each is named once.
fn ports(call: &RequestContext<'_>) -> Outcome<Vec<u16>> {
    let parse = |text: &str| {
        let port = text.parse().ok().filter(|port| *port > 0);
        port.ok_or_else(|| bad_request(format!("port {text:?} must be 1-65535")))
    };
    let lists = call.query.all("ports").flat_map(|list| list.split(','));
    let ports: Vec<u16> = lists.map(parse).collect::<Outcome<_>>()?;
    if ports.is_empty() {
        return Err(bad_request("query parameter \"ports\" is required"));
    }
    Ok(ports)
}

/// The answer that turns the connection into a WebSocket with one of the protocols.
fn handshake(headers: &HeaderMap, supported: &[&'static str]) -> Outcome<Reply> {
    let upgrade = websocket::wanted(headers);
    if upgrade.is_empty() {
        return Err(bad_request("Upgrade request required"));
    }
    // SPDY is what clients used before WebSockets, and fall back to.
    if !websocket::is_wanted(headers) {
        return Err(Failure::new(
            501,
            Reason::NotImplemented,
            format!("only WebSockets are served, not {upgrade}"),
        ));
    }
    let offered = websocket::offered(headers);
    let chosen = offered.iter().find_map(|one| supported.iter().find(|known| *known == one));
    let chosen = chosen
        .ok_or_else(|| bad_request(format!("unable to negotiate one of the protocols {supported:?}")))?;
    websocket::accept(headers, Some(chosen))
}
