//! The extension module of the Python package: one function for all calls, and the API server.
//!
//! `python/kubemerge` turns dicts into text and faults into exceptions.

use std::sync::{Mutex, PoisonError};

use kubemerge_bindings::Engine;
use kubemerge_server::{ApiServer, ServeOptions, Serving};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use tokio::runtime::Runtime;

/// Schemas that were compiled stay in memory, for all threads.
#[pyclass(frozen)]
#[derive(Default)]
struct RequestEngine {
    engine: Mutex<Engine>,
}

#[pymethods]
impl RequestEngine {
    #[new]
    fn new() -> RequestEngine {
        RequestEngine::default()
    }

    /// Answers one request in JSON.
    fn answer(&self, python: Python<'_>, request: &str) -> String {
        // A panic in another thread leaves only a cache, which is safe to use.
        python.detach(|| self.engine.lock().unwrap_or_else(PoisonError::into_inner).answer(request))
    }
}

/// An API server on a port of its own.
#[pyclass]
struct RunningServer {
    server: ApiServer,
    serving: Option<Serving>,
    runtime: Runtime,
}

#[pymethods]
impl RunningServer {
    /// Starts a server with the given YAML documents in it.
    #[new]
    #[pyo3(signature = (documents, kubernetes=None))]
    fn new(python: Python<'_>, documents: Vec<String>, kubernetes: Option<&str>) -> PyResult<RunningServer> {
        python.detach(|| {
            let mut builder = ApiServer::builder();
            if let Some(version) = kubernetes {
                builder = builder.kubernetes(version);
            }
            let builder = documents.iter().fold(builder, |builder, text| builder.yaml(text));
            let server = builder.build().map_err(|error| PyValueError::new_err(error.to_string()))?;
            let runtime = Runtime::new().map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
            let serving = runtime
                .block_on(server.serve(ServeOptions::default()))
                .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
            Ok(RunningServer { server, serving: Some(serving), runtime })
        })
    }

    /// Such as `http://127.0.0.1:40123`.
    #[getter]
    fn url(&self) -> PyResult<String> {
        self.running().map(|serving| serving.url().to_owned())
    }

    /// A kubeconfig as JSON, which is YAML too.
    #[getter]
    fn kubeconfig(&self) -> PyResult<String> {
        self.running().map(|serving| serving.kubeconfig().to_owned())
    }

    /// The object as JSON, or nothing.
    fn get(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> Option<String> {
        self.server.get(api_version, kind, namespace, name).map(|object| object.to_string())
    }

    /// Closes the port. Doing so twice is no error.
    fn stop(&mut self, python: Python<'_>) {
        if let Some(serving) = self.serving.take() {
            python.detach(|| self.runtime.block_on(serving.stop()));
        }
    }
}

impl RunningServer {
    fn running(&self) -> PyResult<&Serving> {
        self.serving.as_ref().ok_or_else(|| PyRuntimeError::new_err("the server was stopped"))
    }
}

/// The extension module.
#[pymodule]
fn _kubemerge(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<RequestEngine>()?;
    module.add_class::<RunningServer>()
}
