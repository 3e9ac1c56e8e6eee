//! How a webhook is reached: by URL, or as a Service.

use crate::field::Field;
use crate::format::{dns1123_subdomain, parse_url};

const URL_FORM: &str = "; desired format: https://host[/path]";

/// Validates `clientConfig`; webhooks that convert custom resources have the same rules.
pub(crate) fn webhook_client(config: Field<'_>) {
    let (url, service) = (config.field("url"), config.field("service"));
    match (url.is_set(), service.is_set()) {
        (true, false) => webhook_url(url),
        (false, true) => webhook_service(service),
        _ => config.required("exactly one of url or service is required"),
    }
}

fn webhook_url(field: Field<'_>) {
    let url = match parse_url(field.str()) {
        Ok(url) => url,
        // Upstream: a URL that cannot be parsed is reported as if it were missing.
        Err(problem) => return field.required(format!("url must be a valid URL: {problem}{URL_FORM}")),
    };
    if url.scheme != "https" {
        field.invalid_as(url.scheme.as_str(), format!("'https' is the only allowed URL scheme{URL_FORM}"));
    }
    if url.host.is_empty() {
        field.invalid_as("", format!("host must be specified{URL_FORM}"));
    }
    if let Some(user) = url.user {
        field.invalid_as(user, "user information is not permitted in the URL");
    }
    if !url.fragment.is_empty() {
        field.invalid_as(url.fragment, "fragments are not permitted in the URL");
    }
    if !url.query.is_empty() {
        field.invalid_as(url.query, "query parameters are not permitted in the URL");
    }
}

fn webhook_service(service: Field<'_>) {
    // Upstream: the two names are mixed up, so each error is at the place of the other.
    for (name, place) in [("namespace", "name"), ("name", "namespace")] {
        if service.field(name).is_empty() {
            service.field(place).required("");
        }
    }
    let port = service.field("port");
    if !(1..=65535).contains(&port.int()) {
        port.invalid_as(port.int(), "port is not valid: must be between 1 and 65535, inclusive");
    }
    if service.field("path").is_set() {
        service_path(service.field("path"));
    }
}

fn service_path(path: Field<'_>) {
    let text = path.str();
    match text {
        "" | "/" => return,
        // Cutting off both slashes would leave nothing to complain about.
        "//" => return path.invalid("segment[0] may not be empty"),
        _ if !text.starts_with('/') => path.invalid("must start with a '/'"),
        _ => {}
    }
    // Upstream: the first character is left out even if it is no slash.
    let mut rest = text.chars();
    rest.next();
    let rest = rest.as_str();
    let segments = rest.strip_suffix('/').unwrap_or(rest).split('/');
    for (at, segment) in segments.enumerate() {
        if segment.is_empty() {
            path.invalid(format!("segment[{at}] may not be empty"));
            continue;
        }
        for problem in dns1123_subdomain(segment) {
            path.invalid(format!("segment[{at}]: {problem}"));
        }
    }
}
