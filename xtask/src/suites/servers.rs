//! The servers that suites run against: ours in this process behind a listener, and kube-apiserver.

use std::{fs, path::PathBuf};

use kubemerge_server::{ApiServer, ServeOptions, Serving};
use tokio::runtime::Runtime;

use crate::apiserver::{Instance, Settings};

/// The port of kube-apiserver for suites, so that a server with other objects is left alone.
const REAL_PORT: u16 = 17443;

/// Where sources, reports and kubeconfigs are.
pub(super) fn folder() -> PathBuf {
    crate::corpus::root().join("target/suites")
}

/// Our server, which runs until this is dropped.
pub(super) struct OwnServer {
    pub(super) kubeconfig: PathBuf,
    // Dropped before the runtime that serves it.
    _serving: Serving,
    _runtime: Runtime,
}

impl OwnServer {
    pub(super) fn start(suite: &str) -> Result<OwnServer, String> {
        let runtime = Runtime::new().map_err(|error| error.to_string())?;
        let server = ApiServer::builder().token("suites").build().map_err(|error| error.to_string())?;
        let serving = runtime.block_on(server.serve(ServeOptions::default().tls()));
        let serving = serving.map_err(|error| error.to_string())?;
        let kubeconfig = folder().join(format!("{suite}.kubeconfig"));
        fs::create_dir_all(folder()).map_err(|error| error.to_string())?;
        fs::write(&kubeconfig, serving.kubeconfig())
            .map_err(|error| format!("{}: {error}", kubeconfig.display()))?;
        Ok(OwnServer { kubeconfig, _serving: serving, _runtime: runtime })
    }
}

/// A kube-apiserver of its own.
pub(super) struct RealServer(Instance);

impl RealServer {
    pub(super) fn start() -> Result<RealServer, String> {
        let settings = Settings { port: REAL_PORT, ..Settings::default() };
        Ok(RealServer(Instance::start(&settings)?))
    }

    pub(super) fn kubeconfig(&self) -> PathBuf {
        self.0.kubeconfig()
    }

    pub(super) fn stop(self) -> Result<(), String> {
        self.0.stop()
    }
}
