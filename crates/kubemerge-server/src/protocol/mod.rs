//! The words of the API: verbs, paths, queries, media types, replies and statuses; time and randomness as arguments.

pub(crate) mod address_range;
pub(crate) mod clock;
pub(crate) mod entropy;
pub(crate) mod group_version;
pub(crate) mod json;
pub(crate) mod manager;
pub(crate) mod media;
pub(crate) mod peer;
pub(crate) mod protobuf;
pub(crate) mod query;
pub(crate) mod reason;
pub(crate) mod reply;
pub(crate) mod status;
pub(crate) mod target;
pub(crate) mod verb;
pub(crate) mod written;
pub(crate) mod yaml_documents;
