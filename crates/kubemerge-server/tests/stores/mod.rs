//! The contract of stores, held against every store: `contract` step by step, `linearizability` by histories of
//! concurrent clients, `watching` by watches that come and go. `opening`, `replicas` and `faults` are about etcd.

mod contract;
#[cfg(feature = "etcd")]
mod etcd;
#[cfg(feature = "etcd")]
mod faults;
mod linearizability;
#[cfg(feature = "etcd")]
mod opening;
#[cfg(feature = "etcd")]
mod proxy;
#[cfg(feature = "etcd")]
mod replicas;
mod subject;
mod watching;
