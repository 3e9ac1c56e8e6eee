//! ServiceAccount.

use crate::columns::{AGE, NAME};
use crate::registry::{DeleteAnswer, KindEntry, Presentation, Strategy};
use crate::tree::Map;

pub(super) const KIND: KindEntry = KindEntry {
    kind: "ServiceAccount",
    strategy: Strategy {
        delete_answer: DeleteAnswer::Object,
        prepare_create: |account, _| keep_names_of_secrets(account),
        prepare_update: |account, _, _| keep_names_of_secrets(account),
        ..Strategy::DEFAULT
    },
    presentation: Presentation { columns: &[NAME, AGE], ..Presentation::DEFAULT },
    ..KindEntry::NAMESPACED
};

/// Only the name of a reference to a Secret means anything.
fn keep_names_of_secrets(account: &mut Map<'_>) {
    for secret in account.maps_mut("secrets") {
        secret.retain(|name, _| name == "name");
    }
}
