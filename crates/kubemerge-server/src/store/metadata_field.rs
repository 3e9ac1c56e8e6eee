//! The fields of ObjectMeta, by the name that the server has for them.

pub(crate) use kubemerge_kinds::meta::fields::MetadataField as Field;
