//! Replacing the whole state: the new objects are written below a generation of their own, which then becomes the state
//! in one transaction. Until then, no replica shows any of them.

use etcd_client::{Compare, CompareOp, DeleteOptions, Txn, TxnOp};
use futures_util::{StreamExt, TryStreamExt, stream};

use super::{
    connection::{CallError, signed, unsigned},
    shared::Shared,
};
use crate::store::{Page, StoreError, codec};

/// How many objects are on their way at once. etcd takes the writes that wait together to its disk.
const MAX_CONCURRENT_WRITES: usize = 64;

impl Shared {
    /// Takes over these values. Their revisions are new: they are etcd's.
    pub(super) async fn adopt(&self, page: Page) -> Result<(), StoreError> {
        self.health()?;
        let before = self.generation();
        let id = self.connection.put(self.keys.replacement(), Vec::new(), None).await?;
        // A call each: every object has a revision of its own.
        let writes = page.items.into_iter().map(|(key, stored)| {
            let mut bytes = Vec::new();
            codec::encode_record(&stored.record, &mut bytes);
            self.connection.put(self.keys.object(id, &key), bytes, None)
        });
        let written = stream::iter(writes).buffer_unordered(MAX_CONCURRENT_WRITES).map_ok(drop);
        written.try_collect::<()>().await?;
        let unchanged = Compare::mod_revision(self.keys.generation(), CompareOp::Equal, signed(before.since));
        let switch = [
            TxnOp::put(self.keys.generation(), id.to_string(), None),
            TxnOp::put(self.keys.head(), "", None),
        ];
        let answered = self.connection.txn(Txn::new().when([unchanged]).and_then(switch)).await?;
        if !answered.succeeded() {
            self.clear(id, id + 1).await?;
            return Err(StoreError::new("another server has replaced the whole state at the same time"));
        }
        self.reached(answered.header().map_or(0, |header| unsigned(header.revision()))).await?;
        // Not those after it: another replacement may be under way.
        self.clear(0, id).await?;
        Ok(())
    }

    /// Deletes all objects of these generations.
    async fn clear(&self, from: u64, before: u64) -> Result<(), CallError> {
        let options = DeleteOptions::new().with_range(self.keys.objects(before));
        self.connection.delete(self.keys.objects(from), Some(options)).await
    }
}
