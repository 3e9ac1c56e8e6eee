//! The options that several commands share: typed words of the command line, nothing loaded yet.
//!
//! No input or output here, and no import of a layer above. The options of one command are in its own file in
//! `cmd`.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Args, Command, ValueEnum};
use kubemerge::PatchType;
use kubemerge_schema::{Dialect, builtin};
use kubemerge_yaml::DuplicateKeys;

/// Which schema to use.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Schema")]
pub(crate) struct SchemaOptions {
    #[arg(long, short = 'k', value_name = "VERSION", value_parser = kubernetes_version, help = newest("Kubernetes version of the built-in schema"))]
    pub(crate) kubernetes: Option<String>,
    /// OpenAPI document, folder of OpenAPI v3 documents, or CustomResourceDefinition, in addition to the
    /// built-in schema; repeatable. A document of a Kubernetes version chooses the built-in schema unless
    /// --kubernetes is given as well
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Vec<PathBuf>,
    /// File with your own merge rules for some fields, or `design-documents` for those that the design
    /// documents of Kubernetes list (dialect spec only); repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) overlay: Vec<PathBuf>,
}

/// Reads a version of Kubernetes. Of kubectl and kustomize many know -k with the folder of a kustomization.
fn kubernetes_version(word: &str) -> Result<String, String> {
    let starts_as_version = word.trim_start_matches('v').starts_with(|first: char| first.is_ascii_digit());
    if starts_as_version && !word.contains(['/', '\\']) {
        return Ok(word.to_owned());
    }
    Err(format!(
        "a version of Kubernetes is wanted here, such as {}, and no folder; of a kustomization, give what it \
         builds: `kubectl kustomize {word} | kubemerge ...`, with - as the file",
        builtin::NEWEST
    ))
}

/// The help of an option whose default is the newest version.
pub(crate) fn newest(help: &str) -> String {
    format!("{help} [default: {}]", builtin::NEWEST)
}

/// Which files to work on.
#[derive(Clone, Debug, Args)]
pub(crate) struct FileOptions {
    /// Manifests: files, folders, globs, or - for stdin; repeatable
    #[arg(long = "filename", short = 'f', value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Visit folders inside folders
    #[arg(long, short = 'R')]
    recursive: bool,
    /// Skip files and folders of this name or path, with wildcards; repeatable
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
}

impl FileOptions {
    pub(crate) fn recurse(&self) -> Recurse {
        Recurse::from(self.recursive)
    }
}

/// Whether folders inside folders are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recurse {
    No,
    Yes,
}

impl From<bool> for Recurse {
    fn from(recursive: bool) -> Recurse {
        if recursive { Recurse::Yes } else { Recurse::No }
    }
}

/// Which patch to apply.
#[derive(Clone, Debug, Args)]
#[group(id = "patch_source", required = true, multiple = true)]
pub(crate) struct PatchOptions {
    /// The patch, as JSON or YAML
    #[arg(long, short, value_name = "PATCH", group = "patch_source")]
    pub(crate) patch: Option<String>,
    /// File with one or more patches; repeatable
    #[arg(long, value_name = "FILE", group = "patch_source")]
    pub(crate) patch_file: Vec<PathBuf>,
}

/// Which objects patches are for.
#[derive(Clone, Debug, Args)]
pub(crate) struct TargetOptions {
    /// Patch these objects, whatever the patch names: [GROUP[/VERSION]/]KIND[/NAME], each part may
    /// have wildcards; repeatable
    #[arg(long, value_name = "TARGET", conflicts_with = "all")]
    pub(crate) target: Vec<String>,
    /// Only objects in this namespace
    #[arg(long, short, value_name = "NAMESPACE")]
    pub(crate) namespace: Option<String>,
    /// Only objects with these labels, e.g. app=web,tier!=db
    #[arg(long, short = 'l', value_name = "SELECTOR")]
    pub(crate) selector: Option<String>,
    /// Only objects with these annotations
    #[arg(long, value_name = "SELECTOR")]
    pub(crate) annotation_selector: Option<String>,
    /// Patch every object
    #[arg(long)]
    pub(crate) all: bool,
}

/// The types of patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PatchTypeArg {
    /// Strategic merge patch: fields merge as the schema says
    #[default]
    Strategic,
    /// JSON merge patch (RFC 7386): maps merge, lists are replaced
    Merge,
    /// JSON patch (RFC 6902): a list of operations
    Json,
}

impl From<PatchTypeArg> for PatchType {
    fn from(word: PatchTypeArg) -> PatchType {
        match word {
            PatchTypeArg::Strategic => PatchType::Strategic,
            PatchTypeArg::Merge => PatchType::Merge,
            PatchTypeArg::Json => PatchType::Json,
        }
    }
}

/// Output formats of objects and patches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ObjectFormat {
    /// YAML
    #[default]
    Yaml,
    /// JSON
    Json,
}

/// Merge rules: as Kubernetes merges, or as its design documents specify.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectArg {
    #[default]
    /// As Kubernetes 1.37 merges, bug for bug
    Upstream,
    /// As the design documents of Kubernetes specify
    Spec,
}

impl From<DialectArg> for Dialect {
    fn from(word: DialectArg) -> Dialect {
        match word {
            DialectArg::Upstream => Dialect::Upstream,
            DialectArg::Spec => Dialect::Spec,
        }
    }
}

/// Reads the dialect of a command that does more than apply patches.
#[derive(Clone, Debug)]
pub(crate) struct VerbDialect;

impl TypedValueParser for VerbDialect {
    type Value = DialectArg;

    fn parse_ref(
        &self,
        command: &Command,
        option: Option<&Arg>,
        word: &OsStr,
    ) -> Result<DialectArg, clap::Error> {
        // A known word deserves a better answer than the list of possible values.
        if word == Dialect::Kustomize.name() {
            let message = "the dialect kustomize only applies patches: use it with patch or explain";
            return Err(command.clone().error(ErrorKind::InvalidValue, message));
        }
        EnumValueParser::<DialectArg>::new().parse_ref(command, option, word)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values = DialectArg::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        Some(Box::new(values))
    }
}

/// Merge rules of commands that apply a patch: those of Kubernetes, of its design documents, or of kustomize.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PatchDialectArg {
    #[default]
    /// As Kubernetes 1.37 merges, bug for bug
    Upstream,
    /// As the design documents of Kubernetes specify
    Spec,
    /// As `patches:` in kustomize 5.8.1 merges, with its own schema
    Kustomize,
}

impl From<PatchDialectArg> for Dialect {
    fn from(word: PatchDialectArg) -> Dialect {
        match word {
            PatchDialectArg::Upstream => Dialect::Upstream,
            PatchDialectArg::Spec => Dialect::Spec,
            PatchDialectArg::Kustomize => Dialect::Kustomize,
        }
    }
}

/// How to handle duplicate keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DuplicateKeysArg {
    /// Report an error, as strict decoding of the API server does
    #[default]
    Error,
    /// Take the last one, as kubectl does
    Last,
}

impl From<DuplicateKeysArg> for DuplicateKeys {
    fn from(word: DuplicateKeysArg) -> DuplicateKeys {
        match word {
            DuplicateKeysArg::Error => DuplicateKeys::Error,
            DuplicateKeysArg::Last => DuplicateKeys::LastWins,
        }
    }
}

/// Output formats of results that are not objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for reading
    #[default]
    Text,
    /// JSON
    Json,
    /// YAML
    Yaml,
}
