//! The words of the command line, typed but not yet loaded.
//!
//! What several commands share is here; the words of a command stand beside it in `cmd`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use kubemerge::PatchType;
use kubemerge_schema::{Dialect, Schema, builtin};
use kubemerge_yaml::DuplicateKeys;

use crate::cmd;
use crate::failure::Result;
use crate::input::{Origin, Recurse, find};
use crate::job::{Asked, GivenTarget};

/// What will Kubernetes make of this object and this patch? Offline, for every kind.
#[derive(Debug, Parser)]
#[command(name = "kubemerge", version, max_term_width = 100, subcommand_required = true)]
#[command(after_help = "Exit codes: 0 done, 1 a difference, conflict or finding, 2 an error.")]
pub(crate) struct Args {
    /// What becomes of a key that stands twice in one map
    #[arg(long, global = true, value_enum, default_value_t, value_name = "RULE", help_heading = "Input")]
    pub(crate) duplicate_keys: DuplicateKeysWord,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Apply a patch to objects in files
    Patch(cmd::patch::PatchArgs),
    /// Make the patch that leads from one object to another
    Diff(cmd::diff::DiffArgs),
    /// Tell what `kubectl apply` would send, and what the object would become
    Apply(cmd::apply::ApplyArgs),
    /// Make a patch of another type that does the same to an object
    Convert(cmd::convert::ConvertArgs),
    /// Make one patch of several
    Compose(cmd::compose::ComposeArgs),
    /// Make the patch that takes another one back
    Invert(cmd::convert::InvertArgs),
    /// Tell what a patch does to each field, which rule decides, and where the dialects differ
    Explain(cmd::explain::ExplainArgs),
    /// Find what bites people in manifests and patches
    Lint(cmd::lint::LintArgs),
    /// Make the same change with clients and servers of two versions
    Skew(cmd::skew::SkewArgs),
    /// Tell how the fields of every kind merge, and why
    #[command(subcommand)]
    Schema(cmd::schema::Verb),
    /// Write completions for a shell
    Completions(cmd::completions::CompletionsArgs),
    /// Write the manual page
    Man(cmd::completions::ManArgs),
    /// Be an API server for kubectl and other clients
    Serve(Box<cmd::serve::ServeArgs>),
}

/// Which schema to use.
#[derive(Clone, Debug, Default, ClapArgs)]
#[command(next_help_heading = "Schema")]
pub(crate) struct SchemaOptions {
    /// The Kubernetes version whose built-in tables are used [default: 1.37]
    #[arg(long, short = 'k', value_name = "VERSION")]
    pub(crate) kubernetes: Option<String>,
    /// OpenAPI document, folder of OpenAPI v3 documents, or CustomResourceDefinition; repeatable.
    /// Definitions of custom resources join the built-in tables, OpenAPI documents take their place
    /// unless --kubernetes is given, too
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Vec<PathBuf>,
    /// File with rules of your own for some fields, in the dialect spec; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) overlay: Vec<PathBuf>,
}

impl SchemaOptions {
    /// The version to use where tables are used.
    pub(crate) fn version(&self) -> &str {
        self.kubernetes.as_deref().unwrap_or(builtin::NEWEST)
    }
}

/// Which files to work on.
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct FileOptions {
    /// Manifests: files, folders, globs, or - for standard input; repeatable
    #[arg(long = "filename", short = 'f', value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Look into folders inside folders, too
    #[arg(long, short = 'R')]
    recursive: bool,
}

impl FileOptions {
    /// The files that are meant.
    pub(crate) fn find(&self) -> Result<Vec<Origin>> {
        find(&self.files, if self.recursive { Recurse::Yes } else { Recurse::No })
    }
}

/// Which patch to apply.
#[derive(Clone, Debug, ClapArgs)]
#[group(id = "patch_source", required = true, multiple = true)]
pub(crate) struct PatchOptions {
    /// The patch, as JSON or YAML
    #[arg(long, short, value_name = "PATCH", group = "patch_source")]
    pub(crate) patch: Option<String>,
    /// A file with one or more patches; repeatable
    #[arg(long, value_name = "FILE", group = "patch_source")]
    pub(crate) patch_file: Vec<PathBuf>,
}

impl PatchOptions {
    /// The files that hold patches.
    pub(crate) fn find(&self) -> Result<Vec<Origin>> {
        find(&self.patch_file, Recurse::No)
    }
}

/// Which objects patches are for.
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct TargetOptions {
    /// Take this object, whatever the patch says
    #[arg(long, value_name = "KIND/NAME", conflicts_with = "all")]
    target: Option<String>,
    /// The namespace of the target
    #[arg(long, short, value_name = "NAMESPACE", requires = "target")]
    namespace: Option<String>,
    /// Take every object
    #[arg(long)]
    all: bool,
}

impl TargetOptions {
    /// What is asked for; a schema knows the names of kinds.
    pub(crate) fn asked(&self, schema: &Schema) -> Result<Asked> {
        match &self.target {
            _ if self.all => Ok(Asked::All),
            Some(word) => GivenTarget::parse(word, self.namespace.as_deref(), schema).map(Asked::One),
            None => Ok(Asked::Nothing),
        }
    }
}

/// The types of patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TypeWord {
    /// Strategic merge patch: fields merge as the schema says
    #[default]
    Strategic,
    /// JSON merge patch (RFC 7386): maps merge, lists are replaced
    Merge,
    /// JSON patch (RFC 6902): a list of operations
    Json,
}

impl From<TypeWord> for PatchType {
    fn from(word: TypeWord) -> PatchType {
        match word {
            TypeWord::Strategic => PatchType::Strategic,
            TypeWord::Merge => PatchType::Merge,
            TypeWord::Json => PatchType::Json,
        }
    }
}

/// How objects and patches are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ObjectFormat {
    /// YAML
    #[default]
    Yaml,
    /// JSON
    Json,
}

/// Which promise the rules keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectWord {
    #[default]
    /// Exactly as Kubernetes 1.37 does it, bug for bug
    Upstream,
    /// As the design documents say it should be
    Spec,
}

impl From<DialectWord> for Dialect {
    fn from(word: DialectWord) -> Dialect {
        match word {
            DialectWord::Upstream => Dialect::Upstream,
            DialectWord::Spec => Dialect::Spec,
        }
    }
}

/// What becomes of keys that stand twice in one map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DuplicateKeysWord {
    /// It is refused, as by Kubernetes' strict decoding
    #[default]
    Error,
    /// The last one counts, as for kubectl and Kubernetes' other readers
    Last,
}

impl From<DuplicateKeysWord> for DuplicateKeys {
    fn from(word: DuplicateKeysWord) -> DuplicateKeys {
        match word {
            DuplicateKeysWord::Error => DuplicateKeys::Error,
            DuplicateKeysWord::Last => DuplicateKeys::LastWins,
        }
    }
}

/// How tables and facts are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// For both
    Yaml,
}
