//! Names that one replica has for itself for a while: addresses and ports that a request has chosen.
//!
//! A claim is a key with the lease of the process. A process that is away for longer than its lease loses its claims;
//! as long as it believes that it has some, its writes succeed only while its session is there.

use std::{sync::atomic::Ordering, time::Duration};

use etcd_client::{Compare, CompareOp, PutOptions, Txn, TxnOp};
use tokio::time::sleep;

use super::{
    connection::{found, unsigned},
    shared::Shared,
};
use crate::store::StoreError;

/// How long the claims of a process that was killed stay.
const LEASE_SECONDS: i64 = 10;
const RENEWAL: Duration = Duration::from_secs(3);

impl Shared {
    /// Takes a name, unless another process has it.
    pub(super) async fn claim(&self, name: &str) -> Result<bool, StoreError> {
        self.health()?;
        let lease = self.open_session().await?;
        let (claim, session) = (self.keys.claim(name), self.keys.session(lease));
        let compares = [
            Compare::version(claim.clone(), CompareOp::Equal, 0),
            Compare::version(session.clone(), CompareOp::Greater, 0),
        ];
        let reads = [TxnOp::get(self.keys.head(), None), TxnOp::get(session, None)];
        let put = TxnOp::put(claim, "", Some(PutOptions::new().with_lease(lease)));
        let taken = [&[put], &reads[..]].concat();
        // Before the answer: from the first moment, no write may go without the fence.
        self.claims().fetch_add(1, Ordering::AcqRel);
        let claimed = self.take(Txn::new().when(compares).and_then(taken).or_else(reads)).await;
        if !matches!(claimed, Ok(true)) {
            self.claims().fetch_sub(1, Ordering::AcqRel);
        }
        claimed
    }

    async fn take(&self, txn: Txn) -> Result<bool, StoreError> {
        let answered = self.connection.txn(txn).await?;
        let [head, session] = {
            let mut found = found(&answered).into_iter();
            [(); 2].map(|()| found.next().flatten())
        };
        if session.is_none() {
            return Err(self.lost_session().await);
        }
        // What the process that had the name before has written must be seen.
        self.reached(head.map_or(0, |head| unsigned(head.mod_revision()))).await?;
        Ok(answered.succeeded())
    }

    /// Gives a name back.
    pub(super) async fn release(&self, name: &str) -> Result<(), StoreError> {
        let lease = *self.session.lock().await;
        let claim = self.keys.claim(name);
        let is_own = Compare::lease(claim.clone(), CompareOp::Equal, lease.unwrap_or(0));
        let deleted =
            self.connection.txn(Txn::new().when([is_own]).and_then([TxnOp::delete(claim, None)])).await;
        self.claims().fetch_sub(1, Ordering::AcqRel);
        deleted.map(drop).map_err(StoreError::from)
    }

    /// The key that must be there for a write to happen, as long as this process has claims.
    pub(super) async fn fence(&self) -> Result<Option<String>, StoreError> {
        if !self.has_claims() {
            return Ok(None);
        }
        let lost = || {
            StoreError::new("the session of this server in etcd has ended while a request was carried out")
        };
        let lease = (*self.session.lock().await).ok_or_else(lost)?;
        Ok(Some(self.keys.session(lease)))
    }

    async fn open_session(&self) -> Result<i64, StoreError> {
        let mut session = self.session.lock().await;
        if let Some(lease) = *session {
            return Ok(lease);
        }
        let lease = self.connection.grant(LEASE_SECONDS).await?;
        let options = PutOptions::new().with_lease(lease);
        self.connection.put(self.keys.session(lease), Vec::new(), Some(options)).await?;
        *session = Some(lease);
        Ok(lease)
    }

    /// Forgets a session that has ended; the next claim opens another.
    pub(super) async fn lost_session(&self) -> StoreError {
        *self.session.lock().await = None;
        StoreError::new("this server was away from etcd for too long: its reservations have ended")
    }
}

/// Keeps the session of this process.
pub(super) async fn keep_session(shared: &Shared) {
    loop {
        sleep(RENEWAL).await;
        let lease = *shared.session.lock().await;
        if let Some(lease) = lease {
            // A lease that has ended is noticed by the next write that needs it.
            drop(shared.connection.keep_alive(lease).await);
        }
    }
}
