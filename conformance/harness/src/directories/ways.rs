//! Pairs of folders, and the ways in which they are applied.

use std::path::{Path, PathBuf};

/// Two versions of a folder of manifests.
pub(super) struct Pair {
    folder: PathBuf,
    pub(super) old: PathBuf,
    pub(super) new: PathBuf,
}

impl Pair {
    /// The pair in a folder; one without versions is both.
    pub(super) fn of(folder: &Path) -> Pair {
        let [old, new] = ["old", "new"].map(|version| folder.join(version));
        if old.is_dir() && new.is_dir() {
            Pair { folder: folder.to_owned(), old, new }
        } else {
            Pair { folder: folder.to_owned(), old: folder.to_owned(), new: folder.to_owned() }
        }
    }

    pub(super) fn name(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// A way to apply a pair.
#[derive(Clone, Copy)]
pub(super) enum Way {
    /// Client-side, as an upgrade and once more without a change.
    ClientSide,
    /// Server-side, as an upgrade and once more without a change.
    ServerSide,
    /// The old version client-side, the new one server-side.
    Migration,
    /// The old version by another manager, the new one without and with force.
    OtherManager,
}

pub(super) const WAYS: [Way; 4] = [Way::ClientSide, Way::ServerSide, Way::Migration, Way::OtherManager];

impl Way {
    pub(super) fn name(self) -> &'static str {
        match self {
            Way::ClientSide => "client-side",
            Way::ServerSide => "server-side",
            Way::Migration => "client-side, then server-side",
            Way::OtherManager => "against another manager",
        }
    }

    /// The arguments of kubectl, command by command.
    pub(super) fn commands(self, pair: &Pair) -> Vec<Vec<String>> {
        let apply = |options: &[&str], folder: &Path| {
            let words = ["apply", "--recursive"].iter().chain(options).map(ToString::to_string);
            words.chain(["--filename".to_string(), folder.display().to_string()]).collect::<Vec<String>>()
        };
        let (server, other) = (["--server-side"], ["--server-side", "--field-manager=other"]);
        match self {
            Way::ClientSide => vec![apply(&[], &pair.old), apply(&[], &pair.new), apply(&[], &pair.new)],
            Way::ServerSide => {
                vec![apply(&server, &pair.old), apply(&server, &pair.new), apply(&server, &pair.new)]
            }
            Way::Migration => vec![apply(&[], &pair.old), apply(&server, &pair.new)],
            Way::OtherManager => vec![
                apply(&other, &pair.old),
                apply(&server, &pair.new),
                apply(&["--server-side", "--force-conflicts"], &pair.new),
            ],
        }
    }
}
