//! What the command line says.

use std::time::{SystemTime, UNIX_EPOCH};

use super::operation::Operation;

pub(crate) const HELP: &str = "\
Compare the rules of built-in kinds with Kubernetes' own strategies (needs the oracle)

usage: cargo xtask conformance --kinds [--kind K] [--cases N] [--seed S] [--op OP] [--show N] [--requests]

The oracle is built by `cargo xtask apiserver build`; KUBEMERGE_APISERVER_DIR names its directory.
Exits 1 if an answer differs.

options:
  --kind K      only this kind: Pod, Service, ...; may be given more than once
  --cases N     how many objects (20000)
  --seed S      repeat the run of a seed; a fresh one is printed otherwise
  --op OP       only create, update or status; for Pods also ephemeralcontainers or resize
  --show N      how many causes to show (40)
  --requests    print a request to the oracle with each cause
";

/// Options of a run.
pub(super) struct Options {
    pub(super) kinds: Vec<String>,
    pub(super) cases: usize,
    pub(super) seed: u64,
    pub(super) operation: Option<Operation>,
    pub(super) show: usize,
    pub(super) requests: bool,
}

impl Options {
    pub(super) fn read(arguments: &[String]) -> Result<Options, String> {
        let mut options = Options {
            kinds: Vec::new(),
            cases: 20_000,
            seed: fresh_seed(),
            operation: None,
            show: 40,
            requests: false,
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().cloned().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--kinds" => {}
                "--kind" => options.kinds.push(value()?),
                "--cases" => options.cases = number(&value()?)?,
                "--seed" => options.seed = number(&value()?)?,
                "--show" => options.show = number(&value()?)?,
                "--op" => options.operation = Some(operation(&value()?)?),
                "--requests" => options.requests = true,
                other => return Err(format!("there is no option `{other}`")),
            }
        }
        Ok(options)
    }

    /// Whether a kind takes part.
    pub(super) fn wants(&self, kind: &str) -> bool {
        self.kinds.is_empty() || self.kinds.iter().any(|wanted| wanted.eq_ignore_ascii_case(kind))
    }
}

fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_nanos() as u64 & 0xffff_ffff
}

fn number<N: std::str::FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

fn operation(text: &str) -> Result<Operation, String> {
    let all = [
        Operation::Create,
        Operation::Update,
        Operation::UpdateStatus,
        Operation::EphemeralContainers,
        Operation::Resize,
    ];
    all.into_iter()
        .find(|operation| operation.word() == text)
        .ok_or_else(|| format!("there is no operation `{text}`"))
}
