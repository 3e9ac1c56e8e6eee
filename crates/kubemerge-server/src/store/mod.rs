//! The store below the handler: the contract, the stores that keep it, and the form of what they hold.

#[cfg(any(feature = "etcd", feature = "file-store"))]
mod codec;
mod contract;
#[cfg(feature = "etcd")]
mod etcd;
mod facts;
mod failure;
#[cfg(feature = "file-store")]
mod file;
mod layout;
mod memory;
pub(crate) mod metadata_field;
mod objects;
mod ownership;
mod record;
#[cfg(any(feature = "etcd", feature = "file-store"))]
mod restoring;
mod state;
mod step;
mod writer;

pub use contract::{
    Event, Expect, OutOfRange, Page, Range, RequestTicket, Signal, Store, StoreSize, WriteError,
};
#[cfg(feature = "etcd")]
pub use etcd::{EtcdOptions, EtcdStore};
pub(crate) use facts::OwnerReference;
pub(crate) use failure::store_failure;
#[cfg(feature = "file-store")]
pub use file::{FileStore, HistoryLimits};
pub use memory::MemoryStore;
pub use ownership::Ownership;
pub(crate) use record::StoredForm;
pub use record::{Head, ManagedFieldsView, Record, RecordForm, Revision, Stored};
pub use step::{StoreError, StoreStep};
pub(crate) use writer::RecordWriter;
