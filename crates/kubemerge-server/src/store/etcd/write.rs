//! One write: a transaction of etcd that compares and swaps.

use etcd_client::{Compare, CompareOp, KeyValue, Txn, TxnOp};

use super::{
    connection::{CallError, found, signed, unsigned},
    roots::{Generation, damaged},
    shared::Shared,
};
use crate::store::{
    Expect, Record, Revision, Store, StoreError, Stored, WriteError,
    codec::{self, Decoder},
};

/// How often a write is tried while the whole state is being replaced.
const MAX_ATTEMPTS: usize = 3;

/// What a write does to a key.
#[derive(Clone)]
pub(super) enum KeyChange {
    Put(Record),
    Delete,
}

impl From<CallError> for WriteError {
    fn from(error: CallError) -> WriteError {
        WriteError::Store(error.into())
    }
}

impl From<StoreError> for WriteError {
    fn from(error: StoreError) -> WriteError {
        WriteError::Store(error)
    }
}

impl Shared {
    /// Writes if the key holds what is expected; returns when the state in memory shows it.
    pub(super) async fn write(
        &self,
        key: &str,
        change: KeyChange,
        expect: Expect,
    ) -> Result<Revision, WriteError> {
        self.health()?;
        for _ in 0..MAX_ATTEMPTS {
            let generation = self.generation();
            let place = self.keys.object(generation.id, key);
            let written = match &change {
                KeyChange::Put(record) => {
                    let mut bytes = Vec::with_capacity(record.canonical().as_bytes().len() * 2);
                    codec::encode_record(record, &mut bytes);
                    self.pending.add(&place, bytes.clone(), record.clone());
                    let put = TxnOp::put(place.clone(), bytes.clone(), None);
                    let written = self.swap(&place, put, expect, generation).await;
                    self.pending.remove(&place, &bytes);
                    written
                }
                KeyChange::Delete => {
                    self.swap(&place, TxnOp::delete(place.clone(), None), expect, generation).await
                }
            };
            if let Some(written) = written.transpose() {
                return written;
            }
        }
        Err(StoreError::new("the whole state in etcd is being replaced").into())
    }

    /// None if the generation is not the one that is served any more.
    async fn swap(
        &self,
        place: &str,
        operation: TxnOp,
        expect: Expect,
        generation: Generation,
    ) -> Result<Option<Revision>, WriteError> {
        let mut compares = vec![
            match expect {
                Expect::Absent => Compare::version(place, CompareOp::Equal, 0),
                Expect::Unchanged(revision) => {
                    Compare::mod_revision(place, CompareOp::Equal, signed(revision))
                }
            },
            Compare::mod_revision(self.keys.generation(), CompareOp::Equal, signed(generation.since)),
        ];
        let fence = self.fence().await?;
        compares.extend(fence.clone().map(|session| Compare::version(session, CompareOp::Greater, 0)));
        let mut reads = vec![place.to_string(), self.keys.generation(), self.keys.head()];
        reads.extend(fence);
        let reads: Vec<TxnOp> = reads.into_iter().map(|key| TxnOp::get(key, None)).collect();
        let writes = [operation, TxnOp::put(self.keys.head(), "", None)];
        let answered = self.connection.txn(Txn::new().when(compares).and_then(writes).or_else(reads)).await?;
        if answered.succeeded() {
            let revision = answered.header().map_or(0, |header| unsigned(header.revision()));
            self.reached(revision).await?;
            return Ok(Some(revision));
        }
        self.refused(found(&answered), generation).await
    }

    /// Why a transaction did not write, from what it found instead.
    async fn refused(
        &self,
        found: Vec<Option<KeyValue>>,
        generation: Generation,
    ) -> Result<Option<Revision>, WriteError> {
        let mut found = found.into_iter();
        let [held, served, head] = [(); 3].map(|()| found.next().flatten());
        // The answer must not be older than what the next read of this request shows.
        self.reached(head.map_or(0, |head| unsigned(head.mod_revision()))).await?;
        if served.is_some_and(|served| unsigned(served.mod_revision()) != generation.since) {
            return Ok(None);
        }
        if let Some(None) = found.next() {
            return Err(self.lost_session().await.into());
        }
        Err(WriteError::Mismatch(held.map(|held| self.stored(&held)).transpose()?))
    }

    /// What a key held at the moment of a transaction.
    fn stored(&self, held: &KeyValue) -> Result<Stored, StoreError> {
        let revision = unsigned(held.mod_revision());
        let key =
            held.key_str().ok().and_then(|key| key.strip_prefix(&self.keys.objects(self.generation().id)));
        if let Some(known) =
            key.and_then(|key| self.index.get(key)).filter(|known| known.revision == revision)
        {
            return Ok(known);
        }
        let record = Decoder::default().decode_record(held.value()).ok_or_else(|| damaged(held.key()))?;
        Ok(Stored { record, revision })
    }
}
