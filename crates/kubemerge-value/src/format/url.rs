//! URLs as Go's `net/url` reads them: which parts they have, and Go's words for what is wrong.

use std::borrow::Cow;
use std::fmt;
use std::net::Ipv6Addr;

use crate::write::go_quoted as quoted;

/// The parts of a URL that rules ask for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Url<'u> {
    /// The scheme, in lower case.
    pub scheme: String,
    /// What is before `@`.
    pub user: Option<&'u str>,
    /// Host and port.
    pub host: &'u str,
    /// What follows `?`.
    pub query: &'u str,
    /// What follows `#`.
    pub fragment: &'u str,
}

/// Why a text is no URL: the whole text that Go has for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlError(String);

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UrlError {}

/// Reads a URL.
pub fn parse_url(text: &str) -> Result<Url<'_>, UrlError> {
    let refuse = |text, problem| UrlError(format!("parse {}: {problem}", quoted(text)));
    let (body, fragment) = text.split_once('#').unwrap_or((text, ""));
    let mut url = parse(body).map_err(|problem| refuse(body, problem))?;
    check_escapes(fragment, Part::Other).map_err(|problem| refuse(text, problem))?;
    url.fragment = fragment;
    Ok(url)
}

fn parse(text: &str) -> Result<Url<'_>, Cow<'static, str>> {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err("net/url: invalid control character in URL".into());
    }
    let mut url = Url::default();
    if text == "*" {
        return Ok(url);
    }
    let (scheme, rest) = split_scheme(text)?;
    url.scheme = scheme.to_ascii_lowercase();
    let (mut rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    url.query = query;
    if !rest.starts_with('/') {
        if !scheme.is_empty() {
            return Ok(url);
        }
        if rest.split('/').next().is_some_and(|first| first.contains(':')) {
            return Err("first path segment in URL cannot contain colon".into());
        }
    }
    // Three slashes without a scheme are a path to Go.
    if let Some(after) = rest.strip_prefix("//").filter(|after| !scheme.is_empty() || !after.starts_with('/'))
    {
        let end = after.find('/').unwrap_or(after.len());
        let (authority, path) = after.split_at_checked(end).unwrap_or((after, ""));
        rest = path;
        read_authority(&mut url, authority)?;
    }
    check_escapes(rest, Part::Other)?;
    Ok(url)
}

fn split_scheme(text: &str) -> Result<(&str, &str), &'static str> {
    let is_of_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    match text.split_once(':') {
        Some(("", _)) => Err("missing protocol scheme"),
        Some((scheme, rest))
            if scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.bytes().all(is_of_scheme) =>
        {
            Ok((scheme, rest))
        }
        _ => Ok(("", text)),
    }
}

fn read_authority<'u>(url: &mut Url<'u>, authority: &'u str) -> Result<(), Cow<'static, str>> {
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    check_host(&url.scheme, host)?;
    url.host = host;
    let Some(user) = user else { return Ok(()) };
    let is_of_user = |char: char| char.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(char);
    if !user.chars().all(is_of_user) {
        return Err("net/url: invalid userinfo".into());
    }
    url.user = Some(user);
    check_escapes(user, Part::Other)
}

fn check_host(scheme: &str, host: &str) -> Result<(), Cow<'static, str>> {
    match host.rfind('[') {
        Some(0) => return check_bracketed(host),
        Some(_) => return Err("invalid IP-literal".into()),
        None => {}
    }
    // HTTP hosts have one colon at most; other schemes may list several hosts.
    let colon = if matches!(scheme, "http" | "https") { host.find(':') } else { host.rfind(':') };
    if let Some(port) = colon.and_then(|colon| host.get(colon..)) {
        check_port(port)?;
    }
    check_escapes(host, Part::Host)
}

fn check_bracketed(host: &str) -> Result<(), Cow<'static, str>> {
    let (address, port) = host.rsplit_once(']').ok_or("missing ']' in host")?;
    check_port(port)?;
    let address = address.strip_prefix('[').unwrap_or(address);
    // A zone may have any characters once it is unescaped.
    let (address, _zone) = address.split_once("%25").unwrap_or((address, ""));
    check_escapes(address, Part::Host)?;
    match address.parse::<Ipv6Addr>() {
        Ok(_) => Ok(()),
        Err(_) => Err(format!("invalid host: ParseAddr({}): unable to parse IP", quoted(address)).into()),
    }
}

fn check_port(port: &str) -> Result<(), Cow<'static, str>> {
    let is_fine = match port.strip_prefix(':') {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_digit()),
        None => port.is_empty(),
    };
    if is_fine { Ok(()) } else { Err(format!("invalid port {} after host", quoted(port)).into()) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Host,
    Other,
}

fn check_escapes(text: &str, part: Part) -> Result<(), Cow<'static, str>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'%' {
            let rest = bytes.get(at..).unwrap_or_default();
            let escape = rest.get(..3).unwrap_or(rest);
            // In hosts only bytes that are not ASCII may be escaped.
            let is_valid = match escape {
                [_, high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                    part != Part::Host || *high >= b'8' || escape == b"%25"
                }
                _ => false,
            };
            if !is_valid {
                let escape = String::from_utf8_lossy(escape);
                return Err(format!("invalid URL escape {}", quoted(&escape)).into());
            }
            at += 3;
            continue;
        }
        if part == Part::Host && byte.is_ascii() && !is_of_host(*byte) {
            let byte = quoted(&char::from(*byte).to_string());
            return Err(format!("invalid character {byte} in host name").into());
        }
        at += 1;
    }
    Ok(())
}

fn is_of_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::parse_url;

    #[test]
    fn parts() {
        let url = parse_url("HTTPS://me@host:1/a?b=c#d").unwrap();
        assert_eq!((url.scheme.as_str(), url.user, url.host), ("https", Some("me"), "host:1"));
        assert_eq!((url.query, url.fragment), ("b=c", "d"));
        assert_eq!(parse_url("a/b").unwrap().host, "");
    }

    #[test]
    fn problems() {
        let problem = |text| parse_url(text).unwrap_err().to_string();
        assert_eq!(problem(":x"), "parse \":x\": missing protocol scheme");
        assert_eq!(problem("1:2"), "parse \"1:2\": first path segment in URL cannot contain colon");
        assert_eq!(problem("https://a b"), "parse \"https://a b\": invalid character \" \" in host name");
        assert_eq!(problem("https://a:b"), "parse \"https://a:b\": invalid port \":b\" after host");
        assert_eq!(problem("https://a/%"), "parse \"https://a/%\": invalid URL escape \"%\"");
        assert_eq!(problem("https://[::1"), "parse \"https://[::1\": missing ']' in host");
    }
}
