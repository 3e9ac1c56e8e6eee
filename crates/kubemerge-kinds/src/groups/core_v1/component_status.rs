//! ComponentStatus, which is only read.

use crate::columns::{Cell, KindColumn, NAME, control};
use crate::registry::{Coverage, KindEntry, Presentation};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "ComponentStatus",
    coverage: Coverage::TypedForm,
    presentation: Presentation {
        columns: &[
            NAME,
            KindColumn::string("Status", Cell::Computed(control::component_status)),
            KindColumn::string("Message", Cell::Computed(control::component_message)),
            KindColumn::string("Error", Cell::Computed(control::component_error)),
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::CLUSTER
};
