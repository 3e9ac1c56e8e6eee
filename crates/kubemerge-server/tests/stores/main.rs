//! The contract of stores, held against every store: `contract` step by step, `linearizability` by histories of
//! concurrent clients, `watching` by watches that come and go.

mod contract;
mod history;
mod linearizability;
mod subject;
mod watching;
