//! Values of Kubernetes documents: bytes to nodes and back.

pub mod yaml;
