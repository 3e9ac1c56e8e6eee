//! Does what other servers on the same store have left undone, because they were killed.

use std::{sync::Arc, time::Duration};

use tokio::sync::watch;

use crate::{
    api::state::Api,
    protocol::status::Outcome,
    write::followups::recovery::{Writes, finish_deletions, finish_followups},
};

/// How long a server may take for what follows from a write before others do it, too.
const RECOVERY_INTERVAL: Duration = Duration::from_secs(15);

/// Looks after the writes of others until the server stops. Nothing to do if the store has no other server.
pub(super) async fn recover_followups(api: Arc<Api>, mut stopped: watch::Receiver<bool>) {
    if !api.cluster.store.is_shared() {
        return;
    }
    let mut writes = Writes { after: 0, until: api.cluster.store.revision() };
    loop {
        tokio::select! {
            () = tokio::time::sleep(RECOVERY_INTERVAL) => {}
            _ = stopped.changed() => return,
        }
        let newest = api.cluster.store.revision();
        match recover(&api, writes) {
            Ok(()) => writes = Writes { after: writes.until, until: newest },
            // A store that fails is tried again: these writes stay among the next.
            Err(_) => writes.until = newest,
        }
    }
}

fn recover(api: &Api, writes: Writes) -> Outcome<()> {
    let transaction = api.transaction();
    // The first time: what was being deleted when the last server was killed may be older than the history.
    if writes.after == 0 {
        finish_deletions(&transaction)?;
    }
    if writes.after < writes.until {
        finish_followups(&transaction, writes)?;
    }
    Ok(())
}
