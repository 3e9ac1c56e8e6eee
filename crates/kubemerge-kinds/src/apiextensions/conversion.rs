//! How objects are converted between the versions of a definition: not at all, or by a webhook.

use super::definition::is_established;
use crate::field::Field;
use crate::format::{dns1035_label, dns1123_subdomain};

const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];
const URL_FORM: &str = "; desired format: https://host[/path]";

pub(super) fn validate(conversion: Field<'_>, old: Option<Field<'_>>) {
    if !conversion.is_set() {
        return;
    }
    let strategy = conversion.field("strategy");
    if !strategy.require("") {
        strategy.one_of(&["None", "Webhook"]);
    }
    let (config, versions) =
        (conversion.field("webhookClientConfig"), conversion.field("conversionReviewVersions"));
    if strategy.str() == "Webhook" {
        client_config(config, old);
        return review_versions(versions);
    }
    let detail = "should not be set when strategy is not set to Webhook";
    if config.is_set() {
        config.forbidden(detail);
    }
    if !versions.is_empty() {
        versions.forbidden(detail);
    }
}

fn client_config(config: Field<'_>, old: Option<Field<'_>>) {
    if !config.is_set() {
        return config.required("required when strategy is set to Webhook");
    }
    let (url, service) = (config.field("url"), config.field("service"));
    match (url.is_set(), service.is_set()) {
        (true, false) => webhook_url(url),
        (false, true) => webhook_service(service),
        _ => config.required("exactly one of url or service is required"),
    }
    let bundle = config.field("caBundle");
    if !bundle.is_empty() && !old.is_none_or(may_have_any_bundle) && !is_bundle(bundle.str()) {
        bundle.invalid("unable to load root certificates: unable to parse bytes as PEM block");
    }
}

/// Certificates are checked once the resources are served, unless the stored ones are no better.
fn may_have_any_bundle(old: Field<'_>) -> bool {
    let bundle = old.fields(["spec", "conversion", "webhook", "clientConfig", "caBundle"]);
    !is_established(old) || !bundle.is_empty() && !is_bundle(bundle.str())
}

fn is_bundle(base64: &str) -> bool {
    use base64::Engine;
    let decoded = base64::engine::general_purpose::STANDARD.decode(base64).unwrap_or_default();
    let text = String::from_utf8_lossy(&decoded);
    text.contains("-----BEGIN CERTIFICATE-----") && text.contains("-----END CERTIFICATE-----")
}

fn webhook_url(url: Field<'_>) {
    let text = url.str();
    let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
    if scheme != "https" {
        url.invalid_as(scheme, format!("'https' is the only allowed URL scheme{URL_FORM}"));
    }
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let authority = if scheme.is_empty() { "" } else { rest.split('/').next().unwrap_or_default() };
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    if host.is_empty() {
        url.invalid_as("", format!("host must be specified{URL_FORM}"));
    }
    for (part, detail) in [
        (user, "user information is not permitted in the URL"),
        (fragment, "fragments are not permitted in the URL"),
        (query, "query parameters are not permitted in the URL"),
    ] {
        if !part.is_empty() {
            url.invalid_as(part, detail);
        }
    }
}

fn webhook_service(service: Field<'_>) {
    // Upstream: the names of both fields are mixed up.
    for (given, reported) in [("namespace", "name"), ("name", "namespace")] {
        if service.field(given).is_empty() {
            service.field(reported).required("");
        }
    }
    let port = service.field("port");
    if !(1..=65535).contains(&port.int()) {
        port.invalid_as(port.int(), "port is not valid: must be between 1 and 65535, inclusive");
    }
    let path = service.field("path");
    if !matches!(path.str(), "" | "/") {
        service_path(path);
    }
}

fn service_path(path: Field<'_>) {
    let text = path.str();
    if text == "//" {
        return path.invalid("segment[0] may not be empty");
    }
    if !text.starts_with('/') {
        path.invalid("must start with a '/'");
    }
    // Upstream: the first byte is dropped whatever it is.
    let rest = text.get(1..).unwrap_or_default();
    for (at, step) in rest.strip_suffix('/').unwrap_or(rest).split('/').enumerate() {
        if step.is_empty() {
            path.invalid(format!("segment[{at}] may not be empty"));
            continue;
        }
        dns1123_subdomain(step)
            .into_iter()
            .for_each(|problem| path.invalid(format!("segment[{at}]: {problem}")));
    }
}

fn review_versions(versions: Field<'_>) {
    if versions.require("") {
        return;
    }
    let mut seen = Vec::new();
    for version in versions.items() {
        if seen.contains(&version.str()) {
            version.invalid("duplicate version");
            continue;
        }
        seen.push(version.str());
        version.check(dns1035_label);
    }
    if !seen.iter().any(|version| REVIEW_VERSIONS.contains(version)) {
        versions.invalid(format!("must include at least one of {}", REVIEW_VERSIONS.join(", ")));
    }
}
