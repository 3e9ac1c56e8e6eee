//! kube-apiserver as envtest and jenvtest start it: the same flags, data in memory, no controllers.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use kubemerge_server::{ApiServer, ClientAuthentication, ServeOptions, ServerCertificate};

use super::answer::{self, PlaceFlags};
use super::flags::Flags;
use super::lifetime::{self, Parent};
use super::{admission_flags, version_file};
use crate::cmd::serve::{CertificateFiles, certificate_of_texts, server_certificate};
use crate::report::{Failure, Notice, Outcome, Result, plain};

/// The flags that are obeyed, and those whose effect is the same here.
const FLAGS: &[&str] = &[
    "advertise-address",
    "allow-privileged",
    "authorization-mode",
    "bind-address",
    "cert-dir",
    "client-ca-file",
    "disable-admission-plugins",
    "enable-admission-plugins",
    "etcd-servers",
    "feature-gates",
    "help",
    "runtime-config",
    "secure-port",
    "service-account-issuer",
    "service-account-key-file",
    "service-account-signing-key-file",
    "service-cluster-ip-range",
    CERTIFICATE_FLAG,
    KEY_FLAG,
    "version",
];

const PLACE: PlaceFlags = PlaceFlags { address: "--bind-address", port: "--secure-port" };

const CERTIFICATE_FLAG: &str = "tls-cert-file";
const KEY_FLAG: &str = "tls-private-key-file";

/// The port of kube-apiserver without a flag.
const DEFAULT_PORT: u16 = 6443;
/// The addresses of Services without a flag.
const DEFAULT_SERVICE_RANGE: &str = "10.0.0.0/24";

/// Serves until it is told to stop.
pub(super) fn run(flags: &Flags, program: &Path) -> Result {
    let parent = Parent::now();
    let version = version_file::version_of(program)?;
    if flags.has("help") || flags.has("h") {
        return answer::usage("kube-apiserver", FLAGS);
    }
    if flags.has("version") {
        return answer::print(&format!("Kubernetes v{version}.0\n"));
    }
    let address = address(flags)?;
    let options = ServeOptions::default().address(address).insecure();
    let options = options.certificate(certificate(flags, address.ip())?);
    let server = server(flags, &version)?;
    tell_ignored(flags);
    lifetime::runtime()?.block_on(async {
        let serving = server.serve(options).await;
        let serving = serving.map_err(|error| answer::cannot_listen(address, &error, &PLACE))?;
        lifetime::told_to_stop(parent).await;
        serving.stop().await;
        Ok(Outcome::Done)
    })
}

fn address(flags: &Flags) -> Result<SocketAddr> {
    let refuse = |name: &str, value: &str| Notice::error(format!("--{name}={value} is not valid"));
    let host = match flags.value("bind-address") {
        Some(text) => text.parse().map_err(|_| refuse("bind-address", text).help("give an IP address"))?,
        // kube-apiserver listens on all addresses; this one lets every client in.
        None => IpAddr::V4(Ipv4Addr::LOCALHOST),
    };
    let port = match flags.value("secure-port") {
        Some(text) => text.parse().map_err(|_| refuse("secure-port", text).help("give a port"))?,
        None => DEFAULT_PORT,
    };
    Ok(SocketAddr::new(host, port))
}

/// The certificate of the flags, or that of the folder. Where there is none one is made, and left in the folder.
fn certificate(flags: &Flags, address: IpAddr) -> Result<ServerCertificate> {
    let folder = flags.value("cert-dir").map(Path::new);
    let in_folder = |name: &str| folder.map(|folder| folder.join(name));
    let client_authority = flags.value("client-ca-file").map(Path::new);
    let (certificate, key) = match [CERTIFICATE_FLAG, KEY_FLAG].map(|flag| flags.value(flag)) {
        [Some(certificate), Some(key)] => (PathBuf::from(certificate), PathBuf::from(key)),
        [Some(certificate), None] => return Err(alone(CERTIFICATE_FLAG, certificate, KEY_FLAG)),
        [None, Some(key)] => return Err(alone(KEY_FLAG, key, CERTIFICATE_FLAG)),
        [None, None] => {
            let (Some(certificate), Some(key)) = (in_folder("apiserver.crt"), in_folder("apiserver.key"))
            else {
                return made_certificate(address, client_authority);
            };
            if !certificate.exists() && !key.exists() {
                write_certificate(address, &certificate, &key)?;
            }
            (certificate, key)
        }
    };
    let files = CertificateFiles { certificate: &certificate, key: &key, client_authority };
    server_certificate(files, ClientAuthentication::Optional)
}

/// A certificate without its key, or the other way round. Upstream: the folder does not have the other one.
fn alone(flag: &str, file: &str, missing: &str) -> Failure {
    Notice::error(format!("--{flag}={file} is given without --{missing}"))
        .help(format!("give --{missing} too"))
        .into()
}

fn generated(address: IpAddr) -> Result<(String, String)> {
    ServerCertificate::generate_pem(address)
        .map_err(|error| Notice::error(format!("cannot make a certificate: {}", plain(&error))).into())
}

fn write_certificate(address: IpAddr, certificate: &Path, key: &Path) -> Result<()> {
    let (chain, secret) = generated(address)?;
    for (path, text) in [(certificate, chain), (key, secret)] {
        let folder = path.parent().unwrap_or(Path::new(""));
        std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, text)).map_err(|error| {
            Notice::error(format!("cannot write {}: {}", path.display(), plain(&error)))
                .help("give a folder that can be written to --cert-dir")
        })?;
    }
    Ok(())
}

/// A certificate that is written nowhere: only clients that do not check it can connect.
fn made_certificate(address: IpAddr, client_authority: Option<&Path>) -> Result<ServerCertificate> {
    let (chain, key) = generated(address)?;
    let nowhere = Path::new("generated certificate");
    let files = CertificateFiles { certificate: nowhere, key: nowhere, client_authority };
    certificate_of_texts(files, (chain.as_bytes(), key.as_bytes()), ClientAuthentication::Optional)
}

fn server(flags: &Flags, version: &str) -> Result<ApiServer> {
    let mut builder = ApiServer::builder().request_log(0).kubernetes(version).controllers(&[]);
    for plugin in admission_flags::plugins(flags) {
        builder = builder.admission_plugin(plugin);
    }
    let choices: Vec<&str> = flags.values("runtime-config").collect();
    builder = builder.runtime_config(&choices.join(","));
    builder = builder.service_range(service_range(flags));
    builder.build().map_err(|error| {
        Notice::error(error.to_string()).help("see --runtime-config and --service-cluster-ip-range").into()
    })
}

/// The first range of IPv4; of a second one for IPv6 nothing is given out.
fn service_range(flags: &Flags) -> &str {
    let mut ranges: Vec<&str> = flags.values("service-cluster-ip-range").collect();
    ranges.sort_by_key(|range| range.contains(':'));
    ranges.first().copied().unwrap_or(DEFAULT_SERVICE_RANGE)
}

/// One line for all flags that change nothing here, and one for each that matters where it is obeyed.
fn tell_ignored(flags: &Flags) {
    let ignored = flags.others(FLAGS);
    if !ignored.is_empty() {
        Notice::note(format!("ignored: --{}", ignored.join(", --"))).print();
    }
    if flags.values("authorization-mode").any(|mode| mode != "AlwaysAllow") {
        Notice::note("every client may do everything: --authorization-mode has no effect yet").print();
    }
    let plugins = admission_flags::without_effect(flags);
    if !plugins.is_empty() {
        Notice::note(format!("admission plugins that are not switched here: {}", plugins.join(", "))).print();
    }
    if flags.value("feature-gates").is_some() {
        Notice::note("every feature gate is as by default: --feature-gates has no effect").print();
    }
    if flags.values("service-cluster-ip-range").count() > 1 {
        Notice::note(format!("Services get addresses of {} only", service_range(flags))).print();
    }
}
