//! Where programs and running servers have their files.

use std::path::PathBuf;

/// Port of the first server; etcd uses the two ports after it.
pub(crate) const DEFAULT_PORT: u16 = 16443;

/// `target/apiserver`, or the directory that `KUBEMERGE_APISERVER_DIR` names.
pub(super) fn directory() -> PathBuf {
    std::env::var_os("KUBEMERGE_APISERVER_DIR")
        .map_or_else(|| kubemerge_test_support::root().join("target/apiserver"), PathBuf::from)
}
