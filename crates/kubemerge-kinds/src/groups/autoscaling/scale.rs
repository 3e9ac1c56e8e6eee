//! Scale: what `/scale` answers; no object of its own.

use crate::columns::{AGE, Cell, KindColumn};
use crate::registry::{KindEntry, Presentation};

pub(super) const KIND: KindEntry = KindEntry {
    kind: "Scale",
    presentation: Presentation {
        columns: &[
            KindColumn::string("Name", Cell::Text("/metadata/name")),
            KindColumn::integer("Desired", Cell::Number("/spec/replicas")),
            KindColumn::integer("Available", Cell::Number("/status/replicas")),
            AGE,
        ],
        ..Presentation::DEFAULT
    },
    ..KindEntry::NAMESPACED
};
