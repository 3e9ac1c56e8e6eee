//! A request that writes: what all steps of a write share.

use kubemerge_kinds::tree::Arena;

use crate::{
    catalog::call::Call,
    object::Object,
    protocol::query::WriteOptions,
    store::Stored,
    write::{part::Part, transaction::Transaction},
};

/// How much memory the tree of an object takes for each byte of its text, roughly.
const TREE_BYTES_PER_TEXT_BYTE: usize = 8;
/// No more is asked for beforehand, however long a body is.
const MAX_FIRST_CHUNK_BYTES: usize = 64 * 1024;

/// A request that writes.
#[derive(Clone, Copy)]
pub(crate) struct Write<'w> {
    pub(crate) transaction: &'w Transaction<'w>,
    pub(crate) call: &'w Call<'w>,
    pub(crate) options: WriteOptions,
    pub(crate) part: Part,
    /// Where trees live until the request is answered.
    pub(crate) arena: &'w Arena,
}

/// The memory for a write whose body, or whose stored object, has this size: one allocation is enough for most.
pub(crate) fn arena(text_bytes: usize) -> Arena {
    Arena::with_capacity((text_bytes * TREE_BYTES_PER_TEXT_BYTE).min(MAX_FIRST_CHUNK_BYTES))
}

/// The stored object that a write changes.
#[derive(Clone, Copy)]
pub(crate) struct Old<'o> {
    pub(crate) stored: &'o Stored,
    /// The same in parts, with the defaults of today.
    pub(crate) object: &'o Object,
}
