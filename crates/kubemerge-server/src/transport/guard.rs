//! Whose requests are answered. A server on loopback is reachable for every page in a browser on the same machine:
//! through a name that its owner points at loopback (DNS rebinding), or by posting to the address itself.

use std::net::IpAddr;

use http::{HeaderMap, Version, header, request::Parts};

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

    /// What is wrong with the hosts of a request, in the words of Go's HTTP library.
    pub(super) fn malformed(parts: &Parts) -> Option<&'static str> {
        match parts.headers.get_all(header::HOST).iter().count() {
            // HTTP/2 has the host in the URI, and HTTP/1.0 need not have any.
            0 if parts.version == Version::HTTP_11 => Some("missing required Host header"),
            0 | 1 => None,
            _ => Some("too many Host headers"),
        }
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
    fn a_host_that_is_no_text_and_one_in_the_path_are_looked_at() {
        let code = |request: http::request::Builder| {
            let (parts, ()) = request.body(()).unwrap().into_parts();
            Guard::new(Vec::new()).check(&parts).err().map_or(200, |failure| failure.code())
        };
        let no_text = http::HeaderValue::from_bytes(b"localhost\xff").unwrap();
        assert_eq!(code(http::Request::get("/api").header(header::HOST, no_text)), 403);
        assert_eq!(
            code(http::Request::get("http://evil.example/api").header(header::HOST, "localhost")),
            403
        );
        assert_eq!(
            code(http::Request::get("http://localhost/api").header(header::HOST, "evil.example")),
            200
        );
        let own = http::Request::get("/api").header(header::HOST, "LocalHost:1");
        assert_eq!(code(own.header(header::ORIGIN, "http://localHOST:1")), 200);
    }

    #[test]
    fn http_1_1_has_one_host() {
        let problem = |version: Version, hosts: &[&str]| {
            let request = http::Request::builder().uri("/api").version(version);
            let request = hosts.iter().fold(request, |request, host| request.header(header::HOST, *host));
            Guard::malformed(&request.body(()).unwrap().into_parts().0)
        };
        assert_eq!(problem(Version::HTTP_11, &[]), Some("missing required Host header"));
        assert_eq!(problem(Version::HTTP_11, &["localhost", "evil.example"]), Some("too many Host headers"));
        assert_eq!(problem(Version::HTTP_2, &["localhost", "localhost"]), Some("too many Host headers"));
        for (version, hosts) in
            [(Version::HTTP_11, &["localhost"][..]), (Version::HTTP_10, &[]), (Version::HTTP_2, &[])]
        {
            assert_eq!(problem(version, hosts), None, "{version:?}");
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
