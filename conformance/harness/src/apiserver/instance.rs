//! One running kube-apiserver with its etcd: start, find again, stop.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use super::{
    build,
    client::Client,
    paths::{DEFAULT_PORT, directory},
};
use crate::{connection::Endpoint, process_figures::is_zombie};

/// In the order in which they are ended.
const PROCESSES: [&str; 2] = ["kube-apiserver", "etcd"];

/// How long a start may take on a busy machine.
const START_TIMEOUT: Duration = Duration::from_mins(3);

/// Plugins that change or refuse objects because of other objects; off unless asked for.
const OPTIONAL_PLUGINS: [&str; 3] = ["LimitRanger", "ResourceQuota", "ServiceAccount"];

/// What `start` was told.
pub(crate) struct Settings {
    pub(crate) port: u16,
    /// Optional plugins that stay on.
    pub(crate) plugins: Vec<String>,
    /// Further flags of kube-apiserver.
    pub(crate) flags: Vec<String>,
    pub(crate) durability: Durability,
}

/// Whether etcd waits for the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// It does not: tests are faster, and their data is deleted anyway.
    Unsynced,
    /// It does, as in a cluster.
    Synced,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            port: DEFAULT_PORT,
            plugins: Vec::new(),
            flags: Vec::new(),
            durability: Durability::Unsynced,
        }
    }
}

impl Settings {
    /// Reads the options of `start` and `stop`.
    pub(crate) fn read(arguments: &[String]) -> Result<Settings, String> {
        let mut settings = Settings::default();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            if word == "--" {
                settings.flags = words.cloned().collect();
                break;
            }
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--port" => {
                    settings.port = value.parse().map_err(|_| format!("--port {value}: not a port"))?;
                }
                "--plugins" => settings.plugins = value.split(',').map(str::to_string).collect(),
                other => return Err(format!("there is no option {other}")),
            }
        }
        let unknown = settings.plugins.iter().find(|plugin| !OPTIONAL_PLUGINS.contains(&plugin.as_str()));
        match unknown {
            Some(plugin) => Err(format!("{plugin} is not one of {}", OPTIONAL_PLUGINS.join(", "))),
            None => Ok(settings),
        }
    }

    fn disabled_plugins(&self) -> String {
        let off: Vec<&str> = OPTIONAL_PLUGINS
            .into_iter()
            .filter(|plugin| !self.plugins.iter().any(|wanted| wanted == plugin))
            .collect();
        off.join(",")
    }
}

/// A server and its folder.
pub(crate) struct Instance {
    port: u16,
    folder: PathBuf,
}

impl Instance {
    /// The server at a port, running or not.
    pub(crate) fn at(port: u16) -> Instance {
        Instance { port, folder: directory().join("instances").join(port.to_string()) }
    }

    /// All servers that were started and not stopped.
    pub(crate) fn all() -> Vec<Instance> {
        let entries = fs::read_dir(directory().join("instances")).into_iter().flatten().flatten();
        let mut ports: Vec<u16> =
            entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        ports.sort_unstable();
        ports.into_iter().map(Instance::at).collect()
    }

    /// Starts both processes and waits until the server is ready. A running server is used as it is.
    pub(crate) fn start(settings: &Settings) -> Result<Instance, String> {
        let instance = Instance::at(settings.port);
        if instance.is_running() {
            return Ok(instance);
        }
        // A start that failed may have left an etcd.
        instance.stop()?;
        instance.write_keys()?;
        instance.launch(settings)?;
        instance.write_kubeconfig()?;
        Ok(instance)
    }

    /// Ends both processes and deletes their data.
    pub(crate) fn stop(&self) -> Result<(), String> {
        self.end_processes();
        self.clear()
    }

    /// The processes that run.
    pub(crate) fn processes(&self) -> Vec<u32> {
        PROCESSES.iter().filter_map(|name| self.pid(name)).collect()
    }

    /// Starts both processes with the data that is there.
    pub(crate) fn launch(&self, settings: &Settings) -> Result<(), String> {
        self.spawn("etcd", &etcd_flags(&self.folder, self.port + 1, settings.durability))?;
        let mut server = self.spawn("kube-apiserver", &self.apiserver_flags(settings))?;
        self.wait_until_ready(&mut server)
    }

    /// Ends both processes and keeps their data.
    pub(crate) fn end_processes(&self) {
        for pid in self.processes() {
            signal(pid, "-TERM");
            wait_for_end(pid);
        }
    }

    /// Whether kube-apiserver is there.
    pub(crate) fn is_running(&self) -> bool {
        self.pid("kube-apiserver").is_some_and(is_alive)
    }

    pub(crate) fn address(&self) -> String {
        format!("https://127.0.0.1:{}", self.port)
    }

    /// A client of this server.
    pub(crate) fn client(&self) -> Result<Client, String> {
        Client::new(self.endpoint()?)
    }

    /// What clients of this server need.
    pub(crate) fn endpoint(&self) -> Result<Endpoint, String> {
        let certificate = read(&self.certificate())?;
        Endpoint::tls(([127, 0, 0, 1], self.port).into(), Some(self.token()?), certificate.as_bytes())
    }

    pub(crate) fn token(&self) -> Result<String, String> {
        let users = read(&self.folder.join("tokens.csv"))?;
        Ok(users.split(',').next().unwrap_or_default().to_string())
    }

    pub(crate) fn certificate(&self) -> PathBuf {
        self.folder.join("certs/apiserver.crt")
    }

    /// Where its data is: `etcd` has that of etcd.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.folder.join("kubeconfig")
    }

    fn clear(&self) -> Result<(), String> {
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(format!("{}: {error}", self.folder.display()))
            }
            _ => Ok(()),
        }
    }

    fn write_keys(&self) -> Result<(), String> {
        fs::create_dir_all(&self.folder).map_err(|error| format!("{}: {error}", self.folder.display()))?;
        let key = rcgen::KeyPair::generate().map_err(|error| error.to_string())?;
        write(&self.folder.join("sa.key"), &key.serialize_pem())?;
        write(&self.folder.join("sa.pub"), &key.public_key_pem())?;
        // The server listens on loopback only; the token keeps other users of the machine out by accident.
        let token = format!("{:016x}{:016x}", fastrand::u64(..), fastrand::u64(..));
        // The user that our server takes every client for.
        write(&self.folder.join("tokens.csv"), &format!("{token},system:admin,,system:masters\n"))
    }

    fn apiserver_flags(&self, settings: &Settings) -> Vec<String> {
        let file = |name: &str| self.folder.join(name).display().to_string();
        let mut flags = vec![
            format!("--etcd-servers=http://127.0.0.1:{}", self.port + 1),
            format!("--cert-dir={}", file("certs")),
            format!("--secure-port={}", self.port),
            "--bind-address=127.0.0.1".to_string(),
            "--service-account-issuer=https://kubernetes.default.svc".to_string(),
            format!("--service-account-key-file={}", file("sa.pub")),
            format!("--service-account-signing-key-file={}", file("sa.key")),
            format!("--token-auth-file={}", file("tokens.csv")),
            "--authorization-mode=AlwaysAllow".to_string(),
            format!("--disable-admission-plugins={}", settings.disabled_plugins()),
            "--allow-privileged".to_string(),
            "--service-cluster-ip-range=10.0.0.0/16".to_string(),
            // One client sends as fast as it can: no queue of the server may hold it up.
            "--max-requests-inflight=4000".to_string(),
            "--max-mutating-requests-inflight=4000".to_string(),
        ];
        flags.retain(|flag| flag != "--disable-admission-plugins=");
        flags.extend(settings.flags.iter().cloned());
        flags
    }

    fn spawn(&self, name: &str, flags: &[String]) -> Result<Child, String> {
        let program = build::program(name)?;
        let log = File::create(self.folder.join(format!("{name}.log"))).map_err(|error| error.to_string())?;
        let child = Command::new(&program)
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        write(&self.folder.join(format!("{name}.pid")), &child.id().to_string())?;
        Ok(child)
    }

    fn wait_until_ready(&self, server: &mut Child) -> Result<(), String> {
        let start = Instant::now();
        while start.elapsed() < START_TIMEOUT {
            if let Ok(Some(status)) = server.try_wait() {
                let log = self.folder.join("kube-apiserver.log");
                return Err(format!("kube-apiserver ended with {status}; see {}", log.display()));
            }
            let ready = self.client().and_then(|mut client| client.get("/readyz"));
            if ready.is_ok_and(|answer| answer.status == 200) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        Err(format!("kube-apiserver is not ready after {} s", START_TIMEOUT.as_secs()))
    }

    fn write_kubeconfig(&self) -> Result<(), String> {
        let config = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: apiserver\n\
             clusters:\n- name: apiserver\n  cluster:\n    server: {}\n    certificate-authority: {}\n\
             users:\n- name: admin\n  user:\n    token: {}\n\
             contexts:\n- name: apiserver\n  context:\n    cluster: apiserver\n    user: admin\n",
            self.address(),
            self.certificate().display(),
            self.token()?,
        );
        write(&self.kubeconfig(), &config)
    }

    fn pid(&self, name: &str) -> Option<u32> {
        fs::read_to_string(self.folder.join(format!("{name}.pid"))).ok()?.trim().parse().ok()
    }
}

/// An etcd of one member for clients on this machine; its peer port, which no peer uses, is the next one.
pub(crate) fn etcd_flags(folder: &Path, port: u16, durability: Durability) -> Vec<String> {
    let peer = port + 1;
    let mut flags = vec![
        format!("--data-dir={}", folder.join("etcd").display()),
        format!("--listen-client-urls=http://127.0.0.1:{port}"),
        format!("--advertise-client-urls=http://127.0.0.1:{port}"),
        format!("--listen-peer-urls=http://127.0.0.1:{peer}"),
        format!("--initial-advertise-peer-urls=http://127.0.0.1:{peer}"),
        format!("--initial-cluster=default=http://127.0.0.1:{peer}"),
    ];
    if durability == Durability::Unsynced {
        flags.push("--unsafe-no-fsync".to_string());
    }
    flags
}

fn is_alive(pid: u32) -> bool {
    signal(pid, "-0") && !is_zombie(pid)
}

fn signal(pid: u32, which: &str) -> bool {
    let sent = Command::new("kill").args([which, &pid.to_string()]).stderr(Stdio::null()).status();
    sent.is_ok_and(|status| status.success())
}

fn wait_for_end(pid: u32) {
    for _ in 0..100 {
        if !is_alive(pid) {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    // It had ten seconds; its data is deleted next.
    signal(pid, "-KILL");
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
