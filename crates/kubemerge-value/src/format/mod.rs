//! Formats of strings that many kinds share, with the exact texts of Kubernetes.
//!
//! A check answers what is wrong, nothing if all is well. Every text of the API ends up in an error message of
//! some client, so each is exact.

mod address;
mod dns;
mod key;
mod number;
mod open_api;
mod path;
mod url;
mod word;

pub use address::{
    Cidr, canonical_ip, cidr, cidr_contains, endpoint_ip, ip, is_ipv4, is_ipv6, parse_cidr, parse_ip,
    strict_cidr, strict_ip, strict_legacy_cidr, strict_legacy_ip,
};
pub use dns::{
    dns1035_label, dns1123_label, dns1123_subdomain, dns1123_subdomain_caseless,
    dns1123_subdomain_with_underscore, is_dns1123_label, is_dns1123_subdomain, long_name, short_name,
    wildcard_dns1123_subdomain,
};
pub use key::{config_map_key, label_value, qualified_name};
pub use number::{decimal_integer, percent};
pub use open_api::{is_date, is_date_time, is_uuid};
pub use path::{path_segment_name, path_segment_prefix};
pub use url::{Url, UrlError, parse_url};
pub use word::{c_identifier, env_var_name, http_header_name, port_name, relaxed_env_var_name};

/// What is wrong with a string; usually nothing, which costs no allocation.
pub type Problems = Vec<String>;

/// The text for a string that is too long.
pub fn max_len(length: usize) -> String {
    format!("must be no more than {length} characters")
}

/// The text for a part of a label that is too long.
pub fn max_bytes(length: usize) -> String {
    format!("must be no more than {length} bytes")
}

/// The text for a string that does not match a regular expression.
pub fn regex_error(message: &str, regex: &str, examples: &[&str]) -> String {
    if examples.is_empty() {
        return format!("{message} (regex used for validation is '{regex}')");
    }
    let examples: Vec<String> = examples.iter().map(|example| format!("'{example}', ")).collect();
    format!("{message} (e.g. {}regex used for validation is '{regex}')", examples.join(" or "))
}

/// Whether a string is not empty, starts and ends with `edge` and has only `inner` between.
fn is_word(text: &str, edge: fn(u8) -> bool, inner: fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    match bytes {
        [] => false,
        [first, .., last] => edge(*first) && edge(*last) && bytes.iter().all(|byte| inner(*byte)),
        [only] => edge(*only),
    }
}
