//! Whose requests are answered. A server on loopback is reachable for every page in a browser on the same machine:
//! through a name that its owner points at loopback (DNS rebinding), or by posting to the address itself.

use std::net::IpAddr;

use http::{HeaderMap, header, request::Parts};

use crate::protocol::{
    reason::Reason,
    status::{Failure, Outcome},
};

/// The names that requests may be for.
#[derive(Debug)]
pub(super) struct Guard {
    allowed_hosts: Vec<String>,
}

impl Guard {
    pub(super) fn new(allowed_hosts: Vec<String>) -> Guard {
        Guard { allowed_hosts }
    }

    /// Refuses what a page of another site can send.
    pub(super) fn check(&self, parts: &Parts) -> Outcome<()> {
        // HTTP/2 has the host in the URI. Only programs leave it out altogether; browsers never do.
        let given = parts.uri.authority().map(|authority| authority.as_str());
        let Some(authority) = given.or_else(|| text_of(&parts.headers, header::HOST)) else { return Ok(()) };
        let host = host_of(authority);
        if !self.is_allowed(host) {
            return Err(forbidden(format!(
                "requests for host \"{host}\" are not answered: use an IP address or localhost, \
                 or allow the host (--allowed-host)"
            )));
        }
        match text_of(&parts.headers, header::ORIGIN) {
            Some(origin) if !is_same_origin(origin, authority) => {
                Err(forbidden(format!("requests from pages of \"{origin}\" are not answered")))
            }
            _ => Ok(()),
        }
    }

    fn is_allowed(&self, host: &str) -> bool {
        host.parse::<IpAddr>().is_ok()
            || host.eq_ignore_ascii_case("localhost")
            || self.allowed_hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(host))
    }
}

fn forbidden(message: String) -> Failure {
    Failure::new(403, Reason::Forbidden, message)
}

fn text_of(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    // A value that is no text is no name either: it is refused as one that is not known.
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}

/// The host of `host`, `host:port` or `[address]:port`.
fn host_of(authority: &str) -> &str {
    match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => authority.rsplit_once(':').map_or(authority, |(host, _)| host),
    }
}

fn is_same_origin(origin: &str, authority: &str) -> bool {
    origin.split_once("://").is_some_and(|(_, own)| own.eq_ignore_ascii_case(authority))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(host: &str, origin: Option<&str>) -> u16 {
        let mut request = http::Request::builder().uri("/api").header(header::HOST, host);
        if let Some(origin) = origin {
            request = request.header(header::ORIGIN, origin);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let guard = Guard::new(vec!["preview.example".into()]);
        guard.check(&parts).err().map_or(200, |failure| failure.code())
    }

    #[test]
    fn addresses_localhost_and_allowed_names_are_answered() {
        for host in
            ["127.0.0.1:80", "[::1]:80", "[::1]", "10.0.0.7", "localhost:1", "LOCALHOST", "Preview.Example"]
        {
            assert_eq!(code(host, None), 200, "{host}");
        }
    }

    #[test]
    fn other_names_are_refused() {
        for host in ["evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "", "[evil"] {
            assert_eq!(code(host, None), 403, "{host}");
        }
    }

    #[test]
    fn only_pages_of_the_server_itself_may_ask() {
        assert_eq!(code("127.0.0.1:80", Some("http://127.0.0.1:80")), 200);
        for origin in ["http://evil.example", "null", "http://127.0.0.1:81", "http://localhost:80"] {
            assert_eq!(code("127.0.0.1:80", Some(origin)), 403, "{origin}");
        }
    }
}
