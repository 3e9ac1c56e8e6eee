//! An etcd for the etcd store, with all that it writes synced.

use std::{
    fs::File,
    path::Path,
    process::{Child, Command, Stdio},
};

use crate::apiserver::{Durability, etcd_flags, program};

/// A running etcd; dropping it ends it.
pub(super) struct Etcd(Child);

impl Etcd {
    /// Starts it with the data in the folder.
    pub(super) fn start(folder: &Path, port: u16) -> Result<Etcd, String> {
        let log = File::create(folder.join("etcd.log")).map_err(|error| error.to_string())?;
        let child = Command::new(program("etcd")?)
            .args(etcd_flags(folder, port, Durability::Synced))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        child.map(Etcd).map_err(|error| format!("etcd: {error}"))
    }

    pub(super) fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Etcd {
    fn drop(&mut self) {
        // One that has ended already cannot be ended again.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}
