//! The stores that the command can use, by their addresses.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use kubemerge_server::Builder;
use kubemerge_server::store::FileStore;

use crate::report::{Notice, Result};

const ETCD_SCHEME: &str = "etcd:";
const FORMS: &str = "a store is `memory`, `file:FOLDER` or `etcd://HOST:PORT[,HOST:PORT…][/PREFIX]`";

/// The address of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum StoreArg {
    /// In memory, until the process ends.
    #[default]
    Memory,
    /// In a folder.
    File(PathBuf),
    /// In etcd, by the address.
    Etcd(String),
}

impl fmt::Display for StoreArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreArg::Memory => f.write_str("memory"),
            StoreArg::File(folder) => write!(f, "file:{}", folder.display()),
            StoreArg::Etcd(address) => f.write_str(address),
        }
    }
}

impl FromStr for StoreArg {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        // Not read yet: an error here would show the address, and before an @ there may be a password.
        if text.starts_with(ETCD_SCHEME) || (text.contains('@') && !text.starts_with("file:")) {
            return Ok(StoreArg::Etcd(text.to_string()));
        }
        match text.split_once(':') {
            None if text == "memory" => Ok(StoreArg::Memory),
            // `file:///var/lib/x` is a URL of the same folder as `file:/var/lib/x`.
            Some(("file", folder)) if !folder.trim_start_matches("//").is_empty() => {
                Ok(StoreArg::File(folder.strip_prefix("//").unwrap_or(folder).into()))
            }
            _ => Err(FORMS.into()),
        }
    }
}

/// How to get into etcd.
#[derive(Debug, Args)]
#[command(next_help_heading = "Store in etcd")]
pub(super) struct EtcdArgs {
    /// Connect to etcd with TLS and trust certificates of the authority in this file
    #[arg(long, value_name = "FILE")]
    etcd_cafile: Option<PathBuf>,
    /// Client certificate for etcd, in PEM
    #[arg(long, value_name = "FILE", requires = "etcd_keyfile")]
    etcd_certfile: Option<PathBuf>,
    /// Key of the client certificate for etcd, in PEM
    #[arg(long, value_name = "FILE", requires = "etcd_certfile")]
    etcd_keyfile: Option<PathBuf>,
    /// User of etcd, whose password is in --etcd-password-file or in KUBEMERGE_ETCD_PASSWORD
    #[arg(long, value_name = "NAME")]
    etcd_user: Option<String>,
    /// File with the password of --etcd-user
    #[arg(long, value_name = "FILE", requires = "etcd_user")]
    etcd_password_file: Option<PathBuf>,
}

impl StoreArg {
    /// Opens the store for a server. An etcd is compacted that often; never if this is zero.
    pub(super) fn give_to(
        &self,
        builder: Builder,
        access: &EtcdArgs,
        compaction: Duration,
    ) -> Result<Builder> {
        match self {
            StoreArg::Memory => Ok(builder),
            StoreArg::File(folder) => match FileStore::open(folder) {
                Ok(store) => Ok(builder.store(store)),
                Err(error) => Err(Notice::error(error.to_string()).into()),
            },
            StoreArg::Etcd(address) if !address.starts_with(ETCD_SCHEME) => Err(Notice::error(FORMS).into()),
            StoreArg::Etcd(address) => etcd::give_to(address, builder, access, compaction),
        }
    }
}

#[cfg(feature = "etcd")]
mod etcd {
    use std::path::Path;

    use kubemerge_server::store::{EtcdOptions, EtcdStore};

    use super::{Builder, Duration, EtcdArgs, Notice, Result};
    use crate::report::plain;

    const PASSWORD: &str = "KUBEMERGE_ETCD_PASSWORD";

    pub(super) fn give_to(
        address: &str,
        builder: Builder,
        access: &EtcdArgs,
        compaction: Duration,
    ) -> Result<Builder> {
        let opened = options(address, access)?.compaction_interval(compaction);
        match EtcdStore::open(opened) {
            Ok(store) => Ok(builder.store(store)),
            Err(error) => Err(Notice::error(error.to_string()).into()),
        }
    }

    fn options(address: &str, access: &EtcdArgs) -> Result<EtcdOptions> {
        let mut options = EtcdOptions::new(address).map_err(|error| Notice::error(error.to_string()))?;
        if let Some(authority) = &access.etcd_cafile {
            options = options.certificate_authority(read(authority)?);
        }
        if let (Some(certificate), Some(key)) = (&access.etcd_certfile, &access.etcd_keyfile) {
            options = options.client_certificate(read(certificate)?, read(key)?);
        }
        if let Some(user) = &access.etcd_user {
            options = options.user(user, password(access)?);
        }
        Ok(options)
    }

    /// The password of the file or of the environment. A file may end with a newline, which editors add.
    fn password(access: &EtcdArgs) -> Result<String> {
        let missing = || {
            Notice::error("the user of etcd has no password")
                .help(format!("give --etcd-password-file FILE, or set {PASSWORD}"))
        };
        let text = match &access.etcd_password_file {
            Some(path) => read(path)?.trim_end_matches(['\r', '\n']).to_string(),
            None => std::env::var(PASSWORD).unwrap_or_default(),
        };
        if text.is_empty() { Err(missing().into()) } else { Ok(text) }
    }

    fn read(path: &Path) -> Result<String> {
        std::fs::read_to_string(path).map_err(|error| {
            Notice::error(format!("cannot read {}: {}", path.display(), plain(&error))).into()
        })
    }
}

/// A command that was built without etcd.
#[cfg(not(feature = "etcd"))]
mod etcd {
    use super::{Builder, Duration, EtcdArgs, Notice, Result};

    const MISSING: &str = "this build of kubemerge has no store in etcd: use a released one, or build it with \
                           `--features etcd`, which needs protoc";

    pub(super) fn give_to(_: &str, _: Builder, _: &EtcdArgs, _: Duration) -> Result<Builder> {
        Err(Notice::error(MISSING).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let read = |text: &str| text.parse::<StoreArg>();
        assert_eq!(read("memory"), Ok(StoreArg::Memory));
        for (text, folder) in
            [("file:a/b", "a/b"), ("file:/a", "/a"), ("file:///a", "/a"), ("file:a:b", "a:b")]
        {
            assert_eq!(read(text), Ok(StoreArg::File(folder.into())), "{text}");
        }
        // The second is refused when it is opened, where nothing shows its password.
        for address in ["etcd://a:1,b:2/prefix", "http://user:secret@a:1"] {
            assert_eq!(read(address), Ok(StoreArg::Etcd(address.into())));
        }
        for text in ["", "file", "file:", "file://", "disk:a", "a/b", "etcd"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
