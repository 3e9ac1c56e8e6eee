//! kube-apiserver as envtest and jenvtest start it: the same flags, data in memory, no controllers.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use kubemerge_schema::builtin;
use kubemerge_server::{AdmissionPlugin, ApiServer, ClientAuthentication, ServeOptions};

use super::flags::Flags;
use super::{lifetime, version_file};
use crate::cmd::serve::{CertificateFiles, server_certificate};
use crate::report::{Notice, Outcome, Result, plain};

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
    "tls-cert-file",
    "tls-private-key-file",
    "version",
];

/// The port of kube-apiserver without a flag.
const DEFAULT_PORT: u16 = 6443;

/// Serves until it is told to stop.
pub(super) fn run(flags: &Flags, program: &Path) -> Result {
    let version = version_file::version_of(program).unwrap_or_else(|| builtin::NEWEST.to_owned());
    if flags.has("help") || flags.has("h") {
        println!("Usage:\n  kube-apiserver [flags]\n\nFlags:");
        FLAGS.iter().for_each(|name| println!("      --{name}"));
        return Ok(Outcome::Done);
    }
    if flags.has("version") {
        println!("Kubernetes v{version}.0");
        return Ok(Outcome::Done);
    }
    let address = address(flags)?;
    let options = certificate(flags, ServeOptions::default().address(address).insecure())?;
    let server = server(flags, &version)?;
    tell_ignored(flags);
    lifetime::runtime()?.block_on(async {
        let serving = server.serve(options).await.map_err(|error| {
            let text = format!("cannot listen on {address}: {}", plain(&error));
            Notice::error(text).help("give a free port to --secure-port")
        })?;
        lifetime::told_to_stop().await;
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

/// The certificate of the flags or of the folder; without one the server makes its own, as kube-apiserver does.
fn certificate(flags: &Flags, options: ServeOptions) -> Result<ServeOptions> {
    let file = |flag: &str, name: &str| match (flags.value(flag), flags.value("cert-dir")) {
        (Some(path), _) => Some(PathBuf::from(path)),
        (None, Some(folder)) => Some(Path::new(folder).join(name)).filter(|path| path.exists()),
        (None, None) => None,
    };
    let pair = (file("tls-cert-file", "apiserver.crt"), file("tls-private-key-file", "apiserver.key"));
    let (Some(certificate), Some(key)) = pair else { return Ok(options.tls()) };
    let client_authority = flags.value("client-ca-file").map(Path::new);
    let files = CertificateFiles { certificate: &certificate, key: &key, client_authority };
    Ok(options.certificate(server_certificate(files, ClientAuthentication::Optional)?))
}

fn server(flags: &Flags, version: &str) -> Result<ApiServer> {
    let mut builder = ApiServer::builder().request_log(0).kubernetes(version).controllers(&[]);
    let is_off = |name: &str| flags.values("disable-admission-plugins").any(|one| one == name);
    // On by default there. ResourceQuota is, too, and does nothing without the controller that counts.
    let plugins =
        [("LimitRanger", AdmissionPlugin::LimitRanger), ("ServiceAccount", AdmissionPlugin::ServiceAccount)];
    for (_, plugin) in plugins.into_iter().filter(|(name, _)| !is_off(name)) {
        builder = builder.admission_plugin(plugin);
    }
    if flags.values("enable-admission-plugins").any(|one| one == "ResourceQuota") {
        builder = builder.admission_plugin(AdmissionPlugin::ResourceQuota);
    }
    if flags.values("runtime-config").any(turns_on) {
        builder = builder.alpha_and_beta();
    }
    builder.build().map_err(|error| Notice::error(error.to_string()).into())
}

/// Whether a word of `--runtime-config` asks for versions that are off by default.
fn turns_on(word: &str) -> bool {
    let (name, value) = word.split_once('=').unwrap_or((word, "true"));
    value == "true" && name != "api/ga" && name != "api/legacy"
}

/// One line for all flags that change nothing here.
fn tell_ignored(flags: &Flags) {
    let ignored = flags.others(FLAGS);
    if !ignored.is_empty() {
        Notice::note(format!("ignored: --{}", ignored.join(", --"))).print();
    }
    if flags.values("authorization-mode").any(|mode| mode != "AlwaysAllow") {
        Notice::note("every client may do everything: --authorization-mode has no effect yet").print();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_that_are_off_by_default_are_turned_on() {
        for (word, on) in [
            ("api/all=true", true),
            ("api/all", true),
            ("resource.k8s.io/v1beta1=true", true),
            ("api/ga=true", false),
            ("batch/v1=false", false),
        ] {
            assert_eq!(turns_on(word), on, "{word}");
        }
    }
}
