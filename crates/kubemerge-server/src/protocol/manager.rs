//! The name of the field manager of a write.

use std::borrow::Cow;

use http::{HeaderMap, header::USER_AGENT};

use crate::protocol::query::Query;

pub(crate) use kubemerge_ssa::managed_fields::MAX_MANAGER_BYTES;

/// The manager that a request names, or the first word of its User-Agent.
pub(crate) fn of_request<'r>(query: &'r Query, headers: &HeaderMap) -> Cow<'r, str> {
    if let Some(manager) = query.get("fieldManager") {
        return Cow::Borrowed(manager);
    }
    let agent = headers.get(USER_AGENT).map(|value| String::from_utf8_lossy(value.as_bytes()));
    Cow::Owned(of_user_agent(&agent.unwrap_or_default()))
}

/// A User-Agent up to its first slash, without characters that cannot be printed.
fn of_user_agent(agent: &str) -> String {
    let mut manager = String::new();
    let name = agent.split('/').next().unwrap_or_default();
    for printable in name.chars().filter(|one| is_printable(*one)) {
        if manager.len() + printable.len_utf8() > MAX_MANAGER_BYTES {
            break;
        }
        manager.push(printable);
    }
    manager
}

/// Whether Go counts a character as printable.
pub(crate) use kubemerge_ssa::managed_fields::is_printable;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_is_the_manager_of_a_request_that_names_none() {
        assert_eq!(of_user_agent("kubectl/v1.37.1 (linux/amd64)"), "kubectl");
        assert_eq!(of_user_agent("my\u{1}tool"), "mytool");
        assert_eq!(of_user_agent(&"ä".repeat(100)).len(), 128);
        assert_eq!(of_user_agent(""), "");
    }
}
