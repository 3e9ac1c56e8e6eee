//! Profiles of seccomp and AppArmor, and options of Windows.

use super::paths::descending_path;
use crate::field::{BadValue, Field};
use crate::format::dns1123_subdomain;

const PROFILES: [&str; 3] = ["Localhost", "RuntimeDefault", "Unconfined"];

pub(super) fn seccomp_profile(profile: Field<'_>) {
    if !profile.is_set() {
        return;
    }
    let (kind, local) = (profile.field("type"), profile.field("localhostProfile"));
    if kind.is_empty() {
        kind.required("type is required when seccompProfile is set");
    } else {
        kind.one_of(&PROFILES);
    }
    if kind.str() == "Localhost" {
        if local.is_set() {
            descending_path(local);
        } else {
            local.required("must be set when seccomp type is Localhost");
        }
    } else if local.is_set() {
        // Upstream prints the whole profile.
        let value = BadValue::internal("core.SeccompProfile", profile);
        local.invalid_as(value, "can only be set when seccomp type is Localhost");
    }
}

pub(super) fn app_armor_profile(profile: Field<'_>) {
    const MAX_PROFILE: usize = 4095;
    const MESSAGE: &str = "must be set when AppArmor type is Localhost";
    if !profile.is_set() {
        return;
    }
    let (kind, local) = (profile.field("type"), profile.field("localhostProfile"));
    match kind.str() {
        "Localhost" if !local.is_set() => local.required(MESSAGE),
        "Localhost" => {
            if local.str().trim() != local.str() {
                local.invalid("must not be padded with whitespace");
            // Only after the check of padding, so that blanks are reported once.
            } else if local.str().is_empty() {
                local.required(MESSAGE);
            }
            if local.str().len() > MAX_PROFILE {
                local.too_long(MAX_PROFILE);
            }
        }
        "RuntimeDefault" | "Unconfined" if local.is_set() => {
            local.invalid("can only be set when AppArmor type is Localhost");
        }
        "RuntimeDefault" | "Unconfined" => {}
        "" => kind.required("type is required when appArmorProfile is set"),
        _ => kind.not_supported(&PROFILES),
    }
}

pub(super) fn windows_options(options: Field<'_>) {
    const MAX_SPEC_KIB: usize = 64;
    if !options.is_set() {
        return;
    }
    let (name, spec, user) = (
        options.field("gmsaCredentialSpecName"),
        options.field("gmsaCredentialSpec"),
        options.field("runAsUserName"),
    );
    if name.is_set() {
        name.check(dns1123_subdomain);
    }
    // The object of type GMSACredentialSpec is copied in by a webhook, which writes something.
    if spec.is_set() && spec.str().is_empty() {
        spec.invalid("gmsaCredentialSpec cannot be an empty string");
    } else if spec.str().len() > MAX_SPEC_KIB * 1024 {
        spec.invalid(format!("gmsaCredentialSpec size must be under {MAX_SPEC_KIB} KiB"));
    }
    if user.is_set() {
        windows_user(user);
    }
}

fn windows_user(user: Field<'_>) {
    let parts: Vec<&str> = user.str().split('\\').collect();
    if user.str().is_empty() {
        user.invalid("runAsUserName cannot be an empty string");
    // Upstream stops at the first of these, before the parts of the name are checked.
    } else if user.str().chars().any(char::is_control) {
        user.invalid("runAsUserName cannot contain control characters");
    } else {
        match parts[..] {
            [name] => windows_account(user, name),
            [domain, name] => {
                windows_domain(user, domain);
                windows_account(user, name);
            }
            _ => user.invalid("runAsUserName cannot contain more than one backslash"),
        }
    }
}

fn windows_domain(user: Field<'_>, domain: &str) {
    const MAX_DOMAIN: usize = 256;
    const MAX_NETBIOS: usize = 15;
    // Limits of Windows: names of domains, of NetBIOS and of accounts.
    if domain.len() >= MAX_DOMAIN {
        user.invalid(format!("runAsUserName's Domain length must be under {MAX_DOMAIN} characters"));
    }
    let is_net_bios = (1..=MAX_NETBIOS).contains(&domain.len())
        && !domain.starts_with('.')
        && !domain.bytes().any(|byte| b"\\/:*?\"<>|".contains(&byte));
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    if !is_net_bios && !domain.split('.').all(is_label) {
        user.invalid("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
    }
}

fn windows_account(user: Field<'_>, name: &str) {
    const MAX_ACCOUNT: usize = 104;
    if name.is_empty() {
        user.invalid("runAsUserName's User cannot be empty");
    } else if name.len() > MAX_ACCOUNT {
        user.invalid(format!("runAsUserName's User length must not be longer than {MAX_ACCOUNT} characters"));
    }
    // Upstream goes on after a name that is too long and may report up to three problems.
    if !name.is_empty() && name.bytes().all(|byte| matches!(byte, b'.' | b' ')) {
        user.invalid("runAsUserName's User cannot contain only periods or spaces");
    }
    if name.bytes().any(|byte| b"\"/\\:;|=,+*?<>@[]".contains(&byte)) {
        user.invalid("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
    }
}
