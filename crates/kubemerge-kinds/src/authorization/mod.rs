//! The group `authorization.k8s.io`: reviews, which are answered and never stored.

mod review;

use crate::registry::Rules;

pub(crate) const RULES: &[Rules] =
    &[review::SUBJECT_ACCESS_REVIEW, review::SELF_SUBJECT_ACCESS_REVIEW, review::LOCAL_SUBJECT_ACCESS_REVIEW];
