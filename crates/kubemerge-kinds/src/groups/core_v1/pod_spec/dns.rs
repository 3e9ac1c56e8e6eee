//! Name resolution of pods: DNS configuration, host names and aliases.

use crate::field::Field;
use crate::format::{dns1123_subdomain, dns1123_subdomain_with_underscore, strict_legacy_ip};

const MAX_NAMESERVERS: usize = 3;
const MAX_SEARCHES: usize = 32;
const MAX_SEARCH_CHARS: usize = 2048;
const MAX_HOSTNAME: usize = 64;

pub(super) fn dns_config(spec: Field<'_>) {
    let config = spec.field("dnsConfig");
    let (servers, searches) = (config.field("nameservers"), config.field("searches"));
    // With this policy the kubelet writes nothing of its own into resolv.conf.
    if spec.field("dnsPolicy").str() == "None" {
        if !config.is_set() {
            return config.required("must provide `dnsConfig` when `dnsPolicy` is None");
        }
        if servers.is_empty() {
            return servers.required("must provide at least one DNS nameserver when `dnsPolicy` is None");
        }
    }
    if servers.len() > MAX_NAMESERVERS {
        servers.invalid(format!("must not have more than {MAX_NAMESERVERS} nameservers"));
    }
    servers.items().for_each(|server| {
        server.check(strict_legacy_ip);
    });
    search_paths(searches);
    for option in config.field("options").items() {
        if option.field("name").is_empty() {
            option.required("must not be empty");
        }
    }
}

fn search_paths(searches: Field<'_>) {
    if searches.len() > MAX_SEARCHES {
        searches.invalid(format!("must not have more than {MAX_SEARCHES} search paths"));
    }
    // resolv.conf has them on one line with spaces between, which is what the limit is about.
    let joined: usize = searches.items().map(|search| search.str().len() + 1).sum();
    if joined.saturating_sub(1) > MAX_SEARCH_CHARS {
        searches.invalid(format!(
            "must not have more than {MAX_SEARCH_CHARS} characters (including spaces) in the search list"
        ));
    }
    // A single dot searches the root, and a dot at the end marks a full name.
    for search in searches.items().filter(|search| search.str() != ".") {
        let name = search.str().strip_suffix('.').unwrap_or(search.str());
        let problems = dns1123_subdomain_with_underscore(name);
        problems.into_iter().for_each(|problem| search.invalid_as(name, problem));
    }
}

pub(super) fn host_aliases(aliases: Field<'_>) {
    for alias in aliases.items() {
        alias.field("ip").check(strict_legacy_ip);
        alias.field("hostnames").items().for_each(|name| {
            name.check(dns1123_subdomain);
        });
    }
}

pub(super) fn hostname_override(spec: Field<'_>) {
    let name = spec.field("hostnameOverride");
    if !name.is_set() {
        return;
    }
    if spec.field("setHostnameAsFQDN").bool() {
        name.forbidden("may not be specified when setHostnameAsFQDN is true");
    }
    if spec.field("hostNetwork").bool() {
        name.forbidden("may not be specified when hostNetwork is true");
    }
    // The limit of Linux, shorter than that of a DNS name.
    if name.str().len() > MAX_HOSTNAME {
        name.too_long(MAX_HOSTNAME);
    }
    name.check(dns1123_subdomain);
}
