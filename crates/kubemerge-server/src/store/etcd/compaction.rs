//! Compaction of etcd's history, which is about all prefixes: one of all servers on a prefix does it.
//!
//! A key counts the compactions. Each server waits for an interval and then tries to count on from what it last saw; the
//! one that succeeds compacts to what was the newest revision an interval before, the others wait again.

use std::time::Duration;

use etcd_client::{Compare, CompareOp, GetOptions, Txn, TxnOp};
use tokio::time::sleep;

use super::{
    connection::{found, unsigned},
    roots::number,
    shared::Shared,
};
use crate::store::{Revision, StoreError};

/// What a server knows of the compactions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Turn {
    /// How many there were.
    count: i64,
    /// The newest revision when this was read: the next compaction goes there.
    newest: Revision,
}

/// Compacts in turn with other servers, until the store is dropped.
pub(super) async fn run(shared: &Shared, interval: Duration) {
    let mut turn = Turn::default();
    loop {
        // A failure leaves the turn as it is: the next one tries again.
        if let Ok(next) = take_turn(shared, turn).await {
            turn = next;
        }
        sleep(interval).await;
    }
}

async fn take_turn(shared: &Shared, turn: Turn) -> Result<Turn, StoreError> {
    let key = shared.keys.compaction();
    let is_next = Compare::version(key.clone(), CompareOp::Equal, turn.count);
    let write = TxnOp::put(key.clone(), turn.newest.to_string(), None);
    let read = TxnOp::get(key, None);
    let txn = Txn::new().when([is_next]).and_then([write]).or_else([read]);
    let answered = shared.connection.txn(txn).await?;
    let newest = answered.header().map_or(0, |header| unsigned(header.revision()));
    if answered.succeeded() {
        // A server that has just started knows no older revision yet.
        if turn.newest > 0 {
            shared.connection.compact(turn.newest).await?;
        }
        return Ok(Turn { count: turn.count + 1, newest });
    }
    let count = found(&answered).into_iter().next().flatten().map_or(0, |held| held.version());
    Ok(Turn { count, newest })
}

impl Shared {
    /// Forgets the history up to a revision, here and in all other servers.
    pub(super) async fn forget(&self, to: Revision) -> Result<(), StoreError> {
        let key = self.keys.oldest();
        // Only forward, whatever another server has written meanwhile.
        let held = self.connection.get(key.clone(), GetOptions::new()).await?;
        let (number, since) = held.kvs().first().map_or((0, 0), |held| (number(held), held.mod_revision()));
        if number < to {
            let unchanged = Compare::mod_revision(key.clone(), CompareOp::Equal, since);
            let write = TxnOp::put(key, to.to_string(), None);
            self.connection.txn(Txn::new().when([unchanged]).and_then([write])).await?;
        }
        Ok(())
    }
}
