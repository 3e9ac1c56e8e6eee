//! The kinds of the group `authentication.k8s.io`.

mod self_subject_review;
mod token_request;
mod token_review;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] = &[self_subject_review::KIND, token_request::KIND, token_review::KIND];
