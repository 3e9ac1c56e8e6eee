//! The servers that suites run against: ours in this process with a listener, and kube-apiserver.

use std::{
    fs,
    path::{Path, PathBuf},
};

use kubemerge_server::{ApiServer, ServeOptions};
use tokio::runtime::Runtime;

use crate::apiserver::{Instance, Settings};

/// Runs something with the kubeconfig of a fresh server.
pub(super) trait FreshServer {
    /// The name of the server in reports.
    const NAME: &'static str;

    /// Starts a server without objects of earlier tests, runs, and stops the server.
    fn with<T>(run: impl FnOnce(&Path) -> Result<T, String>) -> Result<T, String>;
}

/// Our server in this process, with a listener.
pub(super) struct OwnServer;

/// A kube-apiserver of its own.
pub(super) struct RealServer;

/// The port of kube-apiserver for suites, so that a server with other objects is left alone.
const REAL_PORT: u16 = 17443;

/// Where sources, reports and kubeconfigs are.
pub(super) fn folder() -> PathBuf {
    kubemerge_test_support::root().join("target/suites")
}

impl FreshServer for OwnServer {
    const NAME: &'static str = "ours";

    fn with<T>(run: impl FnOnce(&Path) -> Result<T, String>) -> Result<T, String> {
        let runtime = Runtime::new().map_err(|error| error.to_string())?;
        let server = ApiServer::builder().token("suites").build().map_err(|error| error.to_string())?;
        let serving = runtime.block_on(server.serve(ServeOptions::default().tls()));
        let serving = serving.map_err(|error| error.to_string())?;
        let kubeconfig = folder().join("kubeconfig");
        fs::create_dir_all(folder()).map_err(|error| error.to_string())?;
        fs::write(&kubeconfig, serving.kubeconfig())
            .map_err(|error| format!("{}: {error}", kubeconfig.display()))?;
        run(&kubeconfig)
    }
}

impl FreshServer for RealServer {
    const NAME: &'static str = "kube-apiserver";

    fn with<T>(run: impl FnOnce(&Path) -> Result<T, String>) -> Result<T, String> {
        let instance = Instance::start(&Settings { port: REAL_PORT, ..Settings::default() })?;
        let done = run(&instance.kubeconfig());
        instance.stop()?;
        done
    }
}
