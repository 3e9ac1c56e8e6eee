//! URLs, read and written as Go's `net/url` does it.

use crate::error::CelError;
use std::collections::BTreeMap;

use kubemerge_value::write::go_quoted as quoted;

use super::address::parse_address;
use super::answer::Answer;
use crate::value::{CelMap, CelValue, Key};

/// A URL.
#[derive(Clone, Debug, Default)]
pub struct CelUrl {
    scheme: String,
    /// What follows the scheme, if that is no path.
    opaque: String,
    /// Before `@`, as it is written.
    user: Option<String>,
    host: Vec<u8>,
    path: Vec<u8>,
    /// The path as it was written, where that is not how it is written by default.
    raw_path: String,
    omits_host: bool,
    has_question_mark: bool,
    query: String,
    fragment: Vec<u8>,
    raw_fragment: String,
    text: String,
}

/// The part of a URL that is escaped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Host,
    Zone,
    User,
    Path,
    Query,
    Fragment,
}

pub(super) fn apply<'v>(function: &str, arguments: &[CelValue<'v>]) -> Option<Answer<'v>> {
    if let [CelValue::String(text)] = arguments {
        return Some(match function {
            "url" => match request_uri_problem(text)
                .map_or_else(|| CelUrl::parse(text), |problem| Err(problem.into()))
            {
                Ok(url) => Ok(CelValue::Url(url.into())),
                Err(problem) => {
                    Err(format!("URL parse error during conversion from string: {problem}").into())
                }
            },
            "isURL" => Ok(CelValue::Bool(request_uri_problem(text).is_none())),
            _ => return None,
        });
    }
    let [CelValue::Url(url)] = arguments else { return None };
    let text = |bytes: &[u8]| Ok(CelValue::text(String::from_utf8_lossy(bytes)));
    Some(match function {
        "getScheme" => Ok(CelValue::text(url.scheme.as_str())),
        "getHost" => text(&url.host),
        "getHostname" => text(url.host_and_port().0),
        "getPort" => text(url.host_and_port().1),
        "getEscapedPath" => Ok(CelValue::text(url.escaped_path())),
        "getQuery" => Ok(url.query_values()),
        _ => return None,
    })
}

/// Why a text is no URI of a request, in Go's words.
pub(super) fn request_uri_problem(text: &str) -> Option<String> {
    parse(text, true).err().map(|problem| format!("parse {}: {problem}", quoted(text)))
}

impl CelUrl {
    fn parse(text: &str) -> Result<CelUrl, CelError> {
        let (body, fragment) = text.split_once('#').unwrap_or((text, ""));
        let mut url = parse(body, false).map_err(|problem| format!("parse {}: {problem}", quoted(body)))?;
        url.fragment = unescape(fragment, Part::Fragment)
            .map_err(|problem| format!("parse {}: {problem}", quoted(text)))?;
        if escape(&url.fragment, Part::Fragment) != fragment {
            url.raw_fragment = fragment.to_owned();
        }
        url.text = url.written();
        Ok(url)
    }

    /// The URL as Go writes it.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    fn set_path(&mut self, path: &str) -> Result<(), CelError> {
        self.path = unescape(path, Part::Path)?;
        if escape(&self.path, Part::Path) != path {
            self.raw_path = path.to_owned();
        }
        Ok(())
    }

    fn escaped_path(&self) -> String {
        escaped(&self.path, &self.raw_path, Part::Path)
    }

    fn host_and_port(&self) -> (&[u8], &[u8]) {
        let colon = self.host.iter().rposition(|byte| *byte == b':');
        let (host, port) = match colon.map(|colon| self.host.split_at(colon)) {
            Some((host, [_, port @ ..])) if port.iter().all(u8::is_ascii_digit) => (host, port),
            _ => (&self.host[..], &[][..]),
        };
        match host {
            [b'[', inner @ .., b']'] => (inner, port),
            _ => (host, port),
        }
    }

    fn query_values<'v>(&self) -> CelValue<'v> {
        let mut found: BTreeMap<Key, Vec<CelValue<'v>>> = BTreeMap::new();
        for pair in self.query.split('&') {
            if pair.is_empty() || pair.contains(';') {
                continue;
            }
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if let (Ok(name), Ok(value)) = (unescape(name, Part::Query), unescape(value, Part::Query)) {
                let name = Key::String(String::from_utf8_lossy(&name).into());
                found.entry(name).or_default().push(CelValue::text(String::from_utf8_lossy(&value)));
            }
        }
        CelValue::Map(CelMap::of(
            found.into_iter().map(|(name, values)| (name, CelValue::list(values))).collect(),
        ))
    }

    fn written(&self) -> String {
        let mut text = String::new();
        if !self.scheme.is_empty() {
            text.push_str(&self.scheme);
            text.push(':');
        }
        if self.opaque.is_empty() {
            self.write_authority_and_path(&mut text);
        } else {
            text.push_str(&self.opaque);
        }
        if self.has_question_mark || !self.query.is_empty() {
            text.push('?');
            text.push_str(&self.query);
        }
        if !self.fragment.is_empty() {
            text.push('#');
            text.push_str(&escaped(&self.fragment, &self.raw_fragment, Part::Fragment));
        }
        text
    }

    fn write_authority_and_path(&self, text: &mut String) {
        let has_authority = !self.host.is_empty() || self.user.is_some();
        let omits = self.omits_host && !has_authority;
        if (!self.scheme.is_empty() || has_authority) && !omits {
            if has_authority || !self.path.is_empty() {
                text.push_str("//");
            }
            if let Some(user) = &self.user {
                text.push_str(user);
                text.push('@');
            }
            text.push_str(&escape(&self.host, Part::Host));
        }
        let path = self.escaped_path();
        if !path.is_empty() && !path.starts_with('/') && !self.host.is_empty() {
            text.push('/');
        }
        if text.is_empty() && path.split('/').next().is_some_and(|segment| segment.contains(':')) {
            text.push_str("./");
        }
        text.push_str(&path);
    }
}

fn parse(text: &str, is_request: bool) -> Result<CelUrl, CelError> {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err("net/url: invalid control character in URL".into());
    }
    if text.is_empty() && is_request {
        return Err("empty url".into());
    }
    let mut url = CelUrl::default();
    if text == "*" {
        url.path = b"*".to_vec();
        return Ok(url);
    }
    let (scheme, rest) = split_scheme(text)?;
    url.scheme = scheme.to_ascii_lowercase();
    let mut rest = match rest.split_once('?') {
        Some((before, "")) => {
            url.has_question_mark = true;
            before
        }
        Some((before, query)) => {
            url.query = query.to_owned();
            before
        }
        None => rest,
    };
    if !rest.starts_with('/') {
        if !scheme.is_empty() {
            url.opaque = rest.to_owned();
            return Ok(url);
        }
        if is_request {
            return Err("invalid URI for request".into());
        }
        if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
            return Err("first path segment in URL cannot contain colon".into());
        }
    }
    let may_have_authority = !scheme.is_empty() || (!is_request && !rest.starts_with("///"));
    match rest.strip_prefix("//").filter(|_| may_have_authority) {
        Some(after) => {
            let end = after.find('/').unwrap_or(after.len());
            let (authority, path) = after.split_at(end);
            rest = path;
            read_authority(&mut url, authority)?;
        }
        None => url.omits_host = !scheme.is_empty() && rest.starts_with('/'),
    }
    url.set_path(rest)?;
    Ok(url)
}

fn split_scheme(text: &str) -> Result<(&str, &str), CelError> {
    let is_of_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let end = text.bytes().position(|byte| !is_of_scheme(byte)).unwrap_or(text.len());
    match text.split_at_checked(end) {
        Some(("", rest)) if rest.starts_with(':') => Err("missing protocol scheme".into()),
        Some((scheme, rest)) if scheme.starts_with(|first: char| first.is_ascii_alphabetic()) => {
            Ok(rest.strip_prefix(':').map_or(("", text), |rest| (scheme, rest)))
        }
        _ => Ok(("", text)),
    }
}

fn read_authority(url: &mut CelUrl, authority: &str) -> Result<(), CelError> {
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    url.host = read_host(&url.scheme, host)?;
    let Some(user) = user else { return Ok(()) };
    let is_of_user = |char: char| char.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(char);
    if !user.chars().all(is_of_user) {
        return Err("net/url: invalid userinfo".into());
    }
    let rewritten = |part: &str| unescape(part, Part::User).map(|part| escape(&part, Part::User));
    url.user = Some(match user.split_once(':') {
        Some((name, password)) => format!("{}:{}", rewritten(name)?, rewritten(password)?),
        None => rewritten(user)?,
    });
    Ok(())
}

fn read_host(scheme: &str, host: &str) -> Result<Vec<u8>, CelError> {
    match host.rfind('[') {
        Some(0) => return read_bracketed(host),
        Some(_) => return Err("invalid IP-literal".into()),
        None => {}
    }
    // HTTP hosts have one colon at most; other schemes may list several hosts.
    let colon = if matches!(scheme, "http" | "https") { host.find(':') } else { host.rfind(':') };
    if let Some(port) = colon.and_then(|colon| host.get(colon..)) {
        check_port(port)?;
    }
    unescape(host, Part::Host)
}

fn read_bracketed(host: &str) -> Result<Vec<u8>, CelError> {
    let Some((inner, port)) = host.strip_prefix('[').and_then(|rest| rest.rsplit_once(']')) else {
        return Err("missing ']' in host".into());
    };
    check_port(port)?;
    let zone = inner.find("%25").unwrap_or(inner.len());
    let (address, zone) = inner.split_at(zone);
    let mut name = unescape(address, Part::Host)?;
    name.extend(unescape(zone, Part::Zone)?);
    let text = String::from_utf8_lossy(&name);
    let (address, _) = parse_address(&text).map_err(|problem| format!("invalid host: {problem}"))?;
    if address.is_ipv4() {
        return Err("invalid IP-literal".into());
    }
    Ok([b"[", &name[..], b"]", port.as_bytes()].concat())
}

fn check_port(port: &str) -> Result<(), CelError> {
    let is_fine = match port.strip_prefix(':') {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_digit()),
        None => port.is_empty(),
    };
    if is_fine { Ok(()) } else { Err(format!("invalid port {} after host", quoted(port)).into()) }
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

fn unescape(text: &str, part: Part) -> Result<Vec<u8>, CelError> {
    let mut found = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'%' => {
                let escape = |length: usize| {
                    let digits = after.get(..length.min(after.len())).unwrap_or_default();
                    let shown = format!("%{}", String::from_utf8_lossy(digits));
                    Err(format!("invalid URL escape {}", quoted(&shown)).into())
                };
                let [high, low, next @ ..] = after else { return escape(2) };
                let (Some(high), Some(low)) = (hex_digit(*high), hex_digit(*low)) else { return escape(2) };
                let byte = high << 4 | low;
                let is_percent = byte == b'%';
                let is_allowed = match part {
                    Part::Host => high >= 8 || is_percent,
                    Part::Zone => is_percent || byte == b' ' || !is_escaped(byte, Part::Host),
                    _ => true,
                };
                if !is_allowed {
                    return escape(2);
                }
                found.push(byte);
                rest = next;
            }
            b'+' if part == Part::Query => found.push(b' '),
            byte => {
                if matches!(part, Part::Host | Part::Zone) && byte.is_ascii() && is_escaped(*byte, part) {
                    let shown = quoted(&char::from(*byte).to_string());
                    return Err(format!("invalid character {shown} in host name").into());
                }
                found.push(*byte);
            }
        }
    }
    Ok(found)
}

fn is_escaped(byte: u8, part: Part) -> bool {
    if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
        return false;
    }
    let plain: &[u8] = match part {
        Part::Host | Part::Zone => b"!$&'()*+,;=:[]<>\"",
        Part::User => b"$&+,;=",
        Part::Path => b"$&+,/:;=@",
        Part::Query => b"",
        Part::Fragment => b"$&+,/:;=?@!()*",
    };
    !plain.contains(&byte)
}

fn escape(bytes: &[u8], part: Part) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        if is_escaped(*byte, part) {
            text.push_str(&format!("%{byte:02X}"));
        } else {
            text.push(char::from(*byte));
        }
    }
    text
}

/// A part as it was written, if that means the same.
fn escaped(bytes: &[u8], raw: &str, part: Part) -> String {
    let may_stay = |byte: u8| b"!$&'()*+,;=:@[]%".contains(&byte) || !is_escaped(byte, part);
    if !raw.is_empty() && raw.bytes().all(may_stay) {
        return raw.to_owned();
    }
    if bytes == b"*" { "*".to_owned() } else { escape(bytes, part) }
}
