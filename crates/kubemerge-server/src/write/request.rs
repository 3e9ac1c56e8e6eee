//! A request that writes: what all steps of a write share.

use std::borrow::Cow;

use kubemerge_kinds::tree::{Arena, KnownParts, Map};
use kubemerge_value::Canonical;

use crate::{
    catalog::request_context::RequestContext,
    kind::{Kind, Reading},
    object::{draft::metadata_text, kept::Kept},
    protocol::query::WriteOptions,
    store::{Ownership, Stored, metadata_field::Field},
    write::{commit::transaction::Transaction, part::Part},
};

/// How much memory the tree of an object takes for each byte of its text, roughly.
const TREE_BYTES_PER_TEXT_BYTE: usize = 8;
/// No more is asked for beforehand, however long a body is.
const MAX_FIRST_CHUNK_BYTES: usize = 64 * 1024;

/// What lives until a request that writes is answered; trees borrow from it.
pub(crate) struct WriteScope<'r> {
    transaction: &'r Transaction<'r>,
    call: &'r RequestContext<'r>,
    caller: Caller<'r>,
    arena: Arena,
    kept: KeptTexts,
}

/// Facts about who sent a request.
pub(crate) struct Caller<'c> {
    /// The field manager that the request names, or its client.
    pub(crate) manager: Cow<'c, str>,
}

/// Texts that trees borrow from.
#[derive(Default)]
pub(crate) struct KeptTexts {
    /// The stored objects that were read to change them.
    pub(crate) stored: Kept<Stored>,
    /// Texts that were patched and are not stored as they are.
    pub(crate) patched: Kept<Canonical>,
}

impl<'r> WriteScope<'r> {
    /// For a write whose body, or whose stored object, has this size: one allocation is enough for most.
    pub(crate) fn new(
        transaction: &'r Transaction<'r>,
        call: &'r RequestContext<'r>,
        text_bytes: usize,
    ) -> Self {
        let arena = Arena::with_capacity((text_bytes * TREE_BYTES_PER_TEXT_BYTE).min(MAX_FIRST_CHUNK_BYTES));
        let caller = Caller { manager: call.manager() };
        WriteScope { transaction, call, caller, arena, kept: KeptTexts::default() }
    }

    pub(crate) fn write(&self, options: WriteOptions, part: Part, reading: Reading) -> Write<'_> {
        let WriteScope { transaction, call, caller, arena, kept } = self;
        let kind = Kind::of(call.cluster, call.resource);
        Write { transaction, call, caller, kind, options, part, reading, arena, kept }
    }
}

/// A request that writes.
#[derive(Clone, Copy)]
pub(crate) struct Write<'w> {
    pub(crate) transaction: &'w Transaction<'w>,
    pub(crate) call: &'w RequestContext<'w>,
    pub(crate) caller: &'w Caller<'w>,
    pub(crate) kind: Kind<'w>,
    pub(crate) options: WriteOptions,
    pub(crate) part: Part,
    /// How the object of the request is read.
    pub(crate) reading: Reading,
    /// Where trees live.
    pub(crate) arena: &'w Arena,
    pub(crate) kept: &'w KeptTexts,
}

impl<'w> Write<'w> {
    /// The subresource whose rules apply, if it is one.
    pub(crate) fn subresource(self) -> Option<&'w str> {
        if self.part == Part::Main { None } else { self.call.subresource() }
    }
}

/// The stored object that a write changes.
#[derive(Clone, Copy)]
pub(crate) struct Old<'w> {
    pub(crate) stored: &'w Stored,
    /// The same as a tree in the version of the resource, as it is decoded today.
    pub(crate) tree: &'w Map<'w>,
    /// Which parts of the tree the pieces of its text are, for a write that patches it.
    pub(crate) known: Option<&'w KnownParts<'w>>,
}

impl<'w> Old<'w> {
    pub(crate) fn ownership(self) -> &'w Ownership {
        self.stored.record.ownership()
    }

    pub(crate) fn uid(self) -> &'w str {
        metadata_text(self.tree, Field::Uid)
    }
}
