//! Texts as Go prints them.

pub use kubemerge_value::write::go_quoted as quoted;
