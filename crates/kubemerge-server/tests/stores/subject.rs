//! The stores under test, and what the tests write into them.

use std::path::PathBuf;

use kubemerge_server::store::{MemoryStore, Ownership, Record, Store, StoreError};
use kubemerge_value::Canonical;

/// A store under test; its folder is removed at the end.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) store: Option<Box<dyn Store>>,
    folder: Option<PathBuf>,
}

impl Subject {
    pub(crate) fn store(&self) -> &dyn Store {
        self.store.as_deref().unwrap()
    }

    /// Ends the store and opens it again, if it is one that is kept.
    #[cfg(feature = "file-store")]
    pub(crate) fn restart(&mut self) {
        if let Some(folder) = &self.folder {
            self.store = None;
            self.store = Some(Box::new(kubemerge_server::store::FileStore::open(folder).unwrap()));
        }
    }

    #[cfg(not(feature = "file-store"))]
    pub(crate) fn restart(&mut self) {}
}

impl Drop for Subject {
    fn drop(&mut self) {
        self.store = None;
        if let Some(folder) = &self.folder {
            drop(std::fs::remove_dir_all(folder));
        }
    }
}

/// Every store, empty.
pub(crate) fn subjects(test: &str) -> Vec<Subject> {
    let memory = Subject { name: "memory", store: Some(Box::new(MemoryStore::default())), folder: None };
    #[cfg(feature = "file-store")]
    {
        let folder = std::env::temp_dir().join(format!("kubemerge-{test}-{}", std::process::id()));
        let store = kubemerge_server::store::FileStore::open(&folder).unwrap();
        vec![memory, Subject { name: "file", store: Some(Box::new(store)), folder: Some(folder) }]
    }
    #[cfg(not(feature = "file-store"))]
    {
        _ = test;
        vec![memory]
    }
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
