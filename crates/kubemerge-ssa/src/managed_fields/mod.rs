//! `metadata.managedFields` and everything Kubernetes does around the updater.
//!
//! [`update`] and [`apply`] are the two entries: they choose the entries that count, run the updater, strip
//! fields that have no owners, stamp times and cap the number of entries. All of them are plain functions over
//! [`ManagedFields`]; no clock is read, times are arguments.

mod apply;
mod cap;
mod codec;
mod conflict;
mod create;
mod endpoint;
mod entry;
mod extract;
mod find;
mod last_applied;
mod manager_name;
mod migrate;
mod owners;
mod plan;
mod scale;
mod time;
mod update;

pub use apply::{Applied, ApplyError, Conflicting, apply};
pub use codec::{ManagedFields, ManagedFieldsError, Requested};
pub use conflict::{Conflicts, ManagerConflict};
pub use create::create;
pub use endpoint::{Endpoint, Live, Writer};
pub use entry::{FieldsV1, ManagedFieldsEntry, ManagerId, Operation};
pub use extract::extract_applied;
pub use manager_name::{MAX_MANAGER_BYTES, is_printable, manager_problems};
pub use migrate::{find_owners, migrate_to_apply};
pub use owners::{OwnedField, append_name};
pub use plan::{Effect, PlannedField, plan};
pub use scale::ScaleMapping;
pub use time::Time;
pub use update::{LiveForm, TrackError, chosen_for_update, update};
