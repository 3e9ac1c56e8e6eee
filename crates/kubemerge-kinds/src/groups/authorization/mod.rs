//! The group `authorization.k8s.io`: reviews, which are answered and never stored.

mod review;
mod rules_review;

use crate::registry::KindEntry;

pub(crate) const KINDS: &[KindEntry] = &[
    review::SUBJECT_ACCESS_REVIEW,
    review::SELF_SUBJECT_ACCESS_REVIEW,
    review::LOCAL_SUBJECT_ACCESS_REVIEW,
    rules_review::KIND,
];
