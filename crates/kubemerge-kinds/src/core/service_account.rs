//! ServiceAccount.

use crate::registry::Rules;
use crate::tree::Map;

pub(super) const RULES: Rules = Rules {
    kind: "ServiceAccount",
    prepare_create: |account, _| keep_names_of_secrets(account),
    prepare_update: |account, _, _| keep_names_of_secrets(account),
    ..Rules::NAMESPACED
};

/// Only the name of a reference to a Secret means anything.
fn keep_names_of_secrets(account: &mut Map<'_>) {
    for secret in account.maps_mut("secrets") {
        secret.retain(|name, _| name == "name");
    }
}
