//! The stores under test, and what the tests write into them.

use kubemerge_server::store::{MemoryStore, Ownership, Record, Store, StoreError};
use kubemerge_value::Canonical;

/// A store under test.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) store: Option<Box<dyn Store>>,
    kept: Kept,
}

/// Where a store keeps its values. What is there is removed at the end.
enum Kept {
    Nowhere,
    #[cfg(feature = "file-store")]
    Folder(std::path::PathBuf),
    #[cfg(feature = "etcd")]
    Etcd(std::sync::Arc<crate::stores::etcd::Etcd>, String),
}

impl Kept {
    fn open(&self) -> Option<Box<dyn Store>> {
        match self {
            Kept::Nowhere => None,
            #[cfg(feature = "file-store")]
            Kept::Folder(folder) => Some(Box::new(kubemerge_server::store::FileStore::open(folder).unwrap())),
            #[cfg(feature = "etcd")]
            Kept::Etcd(etcd, prefix) => Some(Box::new(crate::stores::etcd::Stores::open(&**etcd, prefix))),
        }
    }
}

impl Subject {
    fn open(name: &'static str, kept: Kept) -> Subject {
        Subject { name, store: Some(kept.open().unwrap_or_else(|| Box::new(MemoryStore::default()))), kept }
    }

    pub(crate) fn store(&self) -> &dyn Store {
        self.store.as_deref().unwrap()
    }

    /// Ends the store and opens it again, if it is one that is kept.
    pub(crate) fn restart(&mut self) {
        if matches!(self.kept, Kept::Nowhere) {
            return;
        }
        self.store = None;
        self.store = self.kept.open();
    }

    /// Whether values that are adopted keep their revisions; those of etcd are its own.
    pub(crate) fn keeps_adopted_revisions(&self) -> bool {
        self.name != "etcd"
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        self.store = None;
        #[cfg(feature = "file-store")]
        if let Kept::Folder(folder) = &self.kept {
            drop(std::fs::remove_dir_all(folder));
        }
    }
}

/// Every store, empty.
pub(crate) fn subjects(test: &str) -> Vec<Subject> {
    #[allow(unused_mut, reason = "not changed without the features of other stores")]
    let mut kept = vec![("memory", Kept::Nowhere)];
    #[cfg(feature = "file-store")]
    {
        let folder = std::env::temp_dir().join(format!("kubemerge-{test}-{}", std::process::id()));
        kept.push(("file", Kept::Folder(folder)));
    }
    #[cfg(feature = "etcd")]
    kept.extend(
        crate::stores::etcd::shared(test)
            .map(|etcd| ("etcd", Kept::Etcd(etcd, crate::stores::etcd::prefix(test)))),
    );
    _ = test;
    kept.into_iter().map(|(name, kept)| Subject::open(name, kept)).collect()
}

/// Does something as one request does it.
pub(crate) fn request<T>(store: &dyn Store, run: impl FnOnce() -> T) -> Result<T, StoreError> {
    let ticket = store.begin().wait()?;
    let result = run();
    store.finish(ticket).wait().map(|()| result)
}

pub(crate) fn record(value: &str) -> Record {
    owned(value, &[])
}

pub(crate) fn owned(value: &str, owners: &[&str]) -> Record {
    let text = format!(r#"{{"apiVersion":"v1","kind":"K","metadata":{{"name":"n"}},"spec":"{value}"}}"#);
    let owners = owners.iter().map(|owner| (*owner).to_string()).collect();
    Record::new(Canonical::from_bytes(text.as_bytes()).unwrap(), owners, Ownership::default())
}
