//! The servers that are compared: `kubemerge serve` over each store, and kube-apiserver with etcd. All serve HTTPS.

use std::{
    fs,
    net::TcpStream,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::etcd::Etcd;
use crate::{
    apiserver::{Durability, Instance, Settings},
    connection::Endpoint,
    serve_process::{Ending, ServeCommand, ServeProcess},
    stores::options::{LoadOptions, fresh_folder},
};

/// Ports of kube-apiserver and of the etcd of the etcd store; the two ports after each are used, too.
const APISERVER_PORT: u16 = 26443;
const ETCD_PORT: u16 = 26453;
/// How long etcd may take until it listens.
const ETCD_TIMEOUT: Duration = Duration::from_mins(1);

/// One of the servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contender {
    Memory,
    File,
    Etcd,
    Apiserver,
}

impl Contender {
    const ALL: [Contender; 4] = [Contender::Memory, Contender::File, Contender::Etcd, Contender::Apiserver];

    pub(super) fn name(self) -> &'static str {
        match self {
            Contender::Memory => "memory",
            Contender::File => "file",
            Contender::Etcd => "etcd",
            Contender::Apiserver => "kube-apiserver",
        }
    }

    /// Those of a list with commas.
    pub(super) fn named(list: &str) -> Result<Vec<Contender>, String> {
        let one = |name: &str| Contender::ALL.into_iter().find(|one| one.name() == name);
        list.split(',').map(|name| one(name).ok_or_else(|| format!("there is no store `{name}`"))).collect()
    }
}

/// A server that runs; dropping it ends it.
pub(super) struct Running {
    pub(super) endpoint: Endpoint,
    folder: PathBuf,
    processes: Processes,
}

enum Processes {
    // Dropped in this order: the server goes before its etcd.
    Ours { server: ServeProcess, etcd: Option<Etcd>, contender: Contender },
    Theirs { instance: Instance, settings: Settings },
}

impl Running {
    pub(super) fn start(contender: Contender, options: &LoadOptions) -> Result<Running, String> {
        if contender == Contender::Apiserver {
            return start_apiserver();
        }
        let folder = kubemerge_test_support::root().join("target/stores/load").join(contender.name());
        fresh_folder(&folder)?;
        let etcd = if contender == Contender::Etcd { Some(start_etcd(&folder)?) } else { None };
        let kubeconfig = folder.join("kubeconfig");
        let store = match contender {
            Contender::File => format!("file:{}", folder.join("store").display()),
            Contender::Etcd => format!("etcd://127.0.0.1:{ETCD_PORT}"),
            _ => "memory".to_owned(),
        };
        let options_of_serve =
            ["--store", &store, "--tls", "--kubeconfig", &kubeconfig.display().to_string()]
                .map(str::to_owned);
        let server = ServeProcess::start(ServeCommand {
            program: options.program()?,
            options: options_of_serve.to_vec(),
            log: folder.join("serve.log"),
        })?;
        let endpoint = endpoint_of(&kubeconfig)?;
        Ok(Running { endpoint, folder, processes: Processes::Ours { server, etcd, contender } })
    }

    pub(super) fn processes(&self) -> Vec<u32> {
        match &self.processes {
            Processes::Ours { server, etcd, .. } => {
                [Some(server.pid()), etcd.as_ref().map(Etcd::pid)].into_iter().flatten().collect()
            }
            Processes::Theirs { instance, .. } => instance.processes(),
        }
    }

    /// What is kept on the disk.
    pub(super) fn disk_bytes(&self) -> u64 {
        match &self.processes {
            Processes::Ours { contender: Contender::Memory, .. } => 0,
            Processes::Ours { contender: Contender::File, .. } => size_of(&self.folder.join("store")),
            _ => size_of(&self.folder.join("etcd")),
        }
    }

    /// Ends all processes and starts them again; answers when that began. Without effect if nothing would be left.
    pub(super) fn restart(&mut self) -> Result<Option<Instant>, String> {
        let start = match &mut self.processes {
            Processes::Ours { contender: Contender::Memory, .. } => return Ok(None),
            Processes::Ours { server, etcd, .. } => {
                server.end(Ending::Terminated)?;
                let had_etcd = etcd.take().is_some();
                let start = Instant::now();
                if had_etcd {
                    *etcd = Some(start_etcd(&self.folder)?);
                }
                server.start_again()?;
                // The certificate is a new one.
                self.endpoint = endpoint_of(&self.folder.join("kubeconfig"))?;
                start
            }
            Processes::Theirs { instance, settings } => {
                instance.end_processes();
                let start = Instant::now();
                instance.launch(settings)?;
                start
            }
        };
        Ok(Some(start))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Processes::Theirs { instance, .. } = &self.processes {
            // Ports and files are those of this task alone; the next run clears them if this fails.
            drop(instance.stop());
        }
    }
}

fn start_apiserver() -> Result<Running, String> {
    let settings = Settings { port: APISERVER_PORT, durability: Durability::Synced, ..Settings::default() };
    let instance = Instance::at(settings.port);
    // One that a run before has left may have other data.
    instance.stop()?;
    let instance = Instance::start(&settings)?;
    let (endpoint, folder) = (instance.endpoint()?, instance.folder().to_owned());
    Ok(Running { endpoint, folder, processes: Processes::Theirs { instance, settings } })
}

/// Starts etcd and waits until it listens.
fn start_etcd(folder: &Path) -> Result<Etcd, String> {
    let (etcd, start) = (Etcd::start(folder, ETCD_PORT)?, Instant::now());
    while TcpStream::connect(("127.0.0.1", ETCD_PORT)).is_err() {
        if start.elapsed() > ETCD_TIMEOUT {
            return Err("etcd does not listen".to_string());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(etcd)
}

fn endpoint_of(kubeconfig: &Path) -> Result<Endpoint, String> {
    let text =
        fs::read_to_string(kubeconfig).map_err(|error| format!("{}: {error}", kubeconfig.display()))?;
    Endpoint::of_kubeconfig(&text)
}

/// The size of all files in a folder.
fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size_of(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}
