//! Protobuf bodies (first form).

use kubemerge_value::Canonical;

use crate::{
    media::{JSON, YAML},
    status::{Outcome, unsupported_media_type},
};

pub(crate) fn to_canonical(_: &[u8]) -> Outcome<Canonical> {
    Err(unsupported_media_type(&[JSON, YAML]))
}
