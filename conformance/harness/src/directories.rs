//! `cargo xtask conformance --directories`: folders of manifests, applied by kubectl to our server and to a real
//! kube-apiserver.
//!
//! A pair is a folder with `old` and `new`; a folder without them is applied twice. Each pair is applied in several ways;
//! what kubectl prints and what both servers hold afterwards is compared. `--record` keeps the requests of kubectl with
//! the answers of kube-apiserver, which `cargo test` replays without kubectl.

mod clean;
mod compare;
mod kubectl;
mod record;
mod ways;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use crate::{
    apiserver::{Instance, Settings, program},
    serve_process::{self, ServeCommand, ServeProcess},
};
use compare::Tally;
use kubectl::Kubectl;
use ways::{Pair, WAYS};

/// What `cargo xtask conformance --directories --help` prints.
pub(crate) const HELP: &str = "\
usage: cargo xtask conformance --directories [options] [FOLDER...]

Applies folders of manifests by kubectl to our server and to a real kube-apiserver (see `cargo xtask apiserver`), and
compares what kubectl prints, the objects and their owners. Folders with `old` and `new` are upgrades. Without a folder
those of conformance/directories are applied. Exits 1 if something differs.

options:
  --port N      port of the real server (16443); it is started if it is not running
  --record yes  keep the requests of kubectl with the answers of the real server in conformance/api/directories
";

struct Options {
    settings: Settings,
    folders: Vec<PathBuf>,
    records: bool,
}

impl Options {
    fn read(arguments: &[String]) -> Result<Options, String> {
        let mut options = Options { settings: Settings::default(), folders: Vec::new(), records: false };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--port" => {
                    let value = value()?;
                    options.settings.port =
                        value.parse().map_err(|_| format!("--port {value}: not a port"))?;
                }
                "--record" => options.records = value()? == "yes",
                other if other.starts_with('-') => return Err(format!("there is no option {other}")),
                folder => options.folders.push(folder.into()),
            }
        }
        if options.folders.is_empty() {
            options.folders = own_folders()?;
        }
        Ok(options)
    }
}

/// The pairs of this repository.
fn own_folders() -> Result<Vec<PathBuf>, String> {
    let folder = kubemerge_test_support::root().join("conformance/directories");
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut folders: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    Ok(folders)
}

/// Compares or records. Exits 1 if something differs, 2 if it cannot be done.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    if arguments.iter().any(|word| matches!(word.as_str(), "--help" | "-h")) {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let done = Options::read(arguments).and_then(|options| {
        let instance = Instance::start(&options.settings)?;
        let pairs: Vec<Pair> = options.folders.iter().map(|folder| Pair::of(folder)).collect();
        if options.records {
            record::record(&pairs, &instance).map(|()| true)
        } else {
            compared(&pairs, &instance)
        }
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(complaint) => {
            eprintln!("conformance: {complaint}");
            ExitCode::from(2)
        }
    }
}

/// The kubectl that asks the real server.
fn real_kubectl(instance: &Instance) -> Result<Kubectl, String> {
    Ok(Kubectl { program: program("kubectl")?, kubeconfig: instance.kubeconfig() })
}

fn compared(pairs: &[Pair], instance: &Instance) -> Result<bool, String> {
    let scratch = std::env::temp_dir().join(format!("kubemerge-directories-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let program = serve_process::build("dev")?;
    let (real, mut tally) = (real_kubectl(instance)?, Tally::default());
    for pair in pairs {
        for way in WAYS {
            // A server of its own for each: ours starts in milliseconds.
            let (served, ours) = our_server(&program, &scratch)?;
            let commands = way.commands(pair);
            let there = commands.iter().map(|command| real.run(command)).collect::<Result<Vec<_>, _>>()?;
            let here = commands.iter().map(|command| ours.run(command)).collect::<Result<Vec<_>, _>>()?;
            let (there_objects, here_objects) = (real.objects(pair)?, ours.objects(pair)?);
            tally.outcomes(&format!("{} {}", pair.name(), way.name()), &there, &here);
            tally.objects(&format!("{} {}", pair.name(), way.name()), &there_objects, &here_objects);
            clean::remove(&real, &mut instance.client()?, pair)?;
            drop(served);
        }
    }
    // The folder is of no use after the run; one that stays is in no one's way.
    drop(std::fs::remove_dir_all(&scratch));
    tally.print(pairs.len());
    Ok(tally.is_clean())
}

fn our_server(program: &Path, scratch: &Path) -> Result<(ServeProcess, Kubectl), String> {
    let command =
        ServeCommand { program: program.to_owned(), options: Vec::new(), log: scratch.join("serve.log") };
    let served = ServeProcess::start(command)?;
    let kubeconfig = scratch.join("kubeconfig");
    let text = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: own\nclusters:\n- name: own\n  cluster:\n    server: {}\n\
         contexts:\n- name: own\n  context:\n    cluster: own\n    user: own\nusers:\n- name: own\n  user: {{}}\n",
        served.url()
    );
    std::fs::write(&kubeconfig, text).map_err(|error| format!("{}: {error}", kubeconfig.display()))?;
    Ok((served, Kubectl { program: crate::apiserver::program("kubectl")?, kubeconfig }))
}
