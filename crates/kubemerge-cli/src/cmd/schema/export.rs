//! `kubemerge schema export`: the rules in force as an OpenAPI v2 document.

use clap::{Args, ValueEnum};

use crate::args::{DialectArg, Format, SchemaOptions, VerbDialect};
use crate::input::Inputs;
use crate::load;
use crate::output::Stdout;
use crate::render::facts;
use crate::report::{Outcome, Result};

#[derive(Debug, Args)]
#[command(after_help = "\
The document contains every kind, because kustomize replaces its own schema with it.

Examples:
  kubemerge schema export --schema crd.yaml > schema.json
  printf 'openapi:\\n  path: schema.json\\n' >> kustomization.yaml")]
pub(crate) struct ExportArgs {
    /// Dialect to export
    // kustomize merges by list-map-keys, which only the rules of `spec` follow.
    #[arg(long, value_parser = VerbDialect, default_value = "spec")]
    dialect: DialectArg,
    /// Output format
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

pub(crate) fn run(args: &ExportArgs, inputs: &mut Inputs) -> Result {
    let schema = load::schemas(&args.schema, inputs)?.compile(args.dialect.into())?;
    let format = match args.output {
        ExportFormat::Json => Format::Json,
        ExportFormat::Yaml => Format::Yaml,
    };
    let mut out = Stdout::new();
    out.text(facts(format, &schema.export(), |_| String::new()))?;
    out.finish()?;
    Ok(Outcome::Done)
}
