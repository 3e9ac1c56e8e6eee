//! Stores in an etcd of the tests.

use std::time::Duration;

use kubemerge_server::store::{EtcdOptions, EtcdStore};
pub(crate) use kubemerge_test_support::etcd::{Etcd, prefix, shared, start, start_with};

/// An etcd as the home of stores.
pub(crate) trait Stores {
    /// Options of a store, which leaves compaction to others.
    fn options(&self, prefix: &str) -> EtcdOptions;

    /// Opens a store, as soon as etcd listens.
    fn open(&self, prefix: &str) -> EtcdStore {
        open(|| self.options(prefix))
    }
}

impl Stores for Etcd {
    fn options(&self, prefix: &str) -> EtcdOptions {
        EtcdOptions::new(&self.address(prefix)).unwrap().compaction_interval(Duration::ZERO)
    }
}

/// Opens a store, as soon as etcd listens.
pub(crate) fn open(options: impl Fn() -> EtcdOptions) -> EtcdStore {
    for _ in 0..100 {
        match EtcdStore::open(options()) {
            Ok(store) => return store,
            Err(error) if error.to_string().contains("cannot reach") => {}
            Err(error) => panic!("{error}"),
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("etcd does not listen");
}
