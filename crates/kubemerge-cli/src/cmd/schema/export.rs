//! `kubemerge schema export`: the rules in force as an OpenAPI v2 document.

use clap::{Args, ValueEnum};

use crate::args::{DialectWord, Format, SchemaOptions};
use crate::failure::{Outcome, Result};
use crate::job;
use crate::output::Output;
use crate::render::facts;

#[derive(Debug, Args)]
#[command(after_help = "\
The document holds every kind, because kustomize replaces its own schema by the one it is given.

Examples:
  kubemerge schema export --schema crd.yaml > schema.json
  printf 'openapi:\\n  path: schema.json\\n' >> kustomization.yaml")]
pub(crate) struct ExportArgs {
    /// The dialect whose rules are written
    #[arg(long, value_enum, default_value = "spec")]
    dialect: DialectWord,
    /// How to write the document
    #[arg(long, short, value_enum, default_value = "json")]
    output: ExportFormat,
    #[command(flatten)]
    schema: SchemaOptions,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ExportFormat {
    Json,
    Yaml,
}

pub(crate) fn run(args: &ExportArgs) -> Result {
    let schema = job::load(&args.schema)?.compile(args.dialect.into())?;
    let format = match args.output {
        ExportFormat::Json => Format::Json,
        ExportFormat::Yaml => Format::Yaml,
    };
    let mut out = Output::new();
    out.text(facts(format, &schema.export(), |_| String::new()))?;
    out.finish()?;
    Ok(Outcome::Done)
}
