//! The words of the API: paths, queries, media types, replies and statuses; time and randomness as arguments.

pub(crate) mod clock;
pub(crate) mod entropy;
pub(crate) mod fixture;
pub(crate) mod media;
pub(crate) mod protobuf;
pub(crate) mod query;
pub(crate) mod reply;
pub(crate) mod status;
pub(crate) mod target;
