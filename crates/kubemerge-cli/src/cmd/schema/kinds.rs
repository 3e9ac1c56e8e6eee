//! `kubemerge schema kinds`: every kind of a schema, with the names of its resource.

use clap::Args;
use kubemerge_schema::{Dialect, KindOf, Resource, Schema};
use serde::Serialize;

use crate::args::{Format, SchemaOptions};
use crate::input::Inputs;
use crate::load;
use crate::output::Stdout;
use crate::render::{Table, facts};
use crate::report::{Outcome, Result};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kubemerge schema kinds
  kubemerge schema kinds --schema crds/
  kubemerge schema kinds -o json")]
pub(crate) struct KindsArgs {
    /// Output format
    #[arg(long, short, value_enum, default_value_t)]
    output: Format,
    #[command(flatten)]
    schema: SchemaOptions,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Kind {
    api_version: String,
    kind: String,
    #[serde(flatten)]
    resource: Option<Names>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Names {
    resource: String,
    short_names: Vec<String>,
    namespaced: bool,
}

pub(crate) fn run(args: &KindsArgs, inputs: &mut Inputs) -> Result {
    let schema = load::schemas(&args.schema, inputs)?.compile(Dialect::Upstream)?;
    let mut out = Stdout::new();
    out.text(facts(args.output, &kinds(&schema), |kinds| text(kinds)))?;
    out.finish()?;
    Ok(Outcome::Done)
}

fn kinds(schema: &Schema) -> Vec<Kind> {
    let resources: Vec<Resource<'_>> = schema.resources().collect();
    let kind = |one: KindOf<'_>| {
        let is_its = |resource: &&Resource<'_>| {
            (resource.group(), resource.version(), resource.kind()) == (one.group, one.version, one.kind)
        };
        Kind {
            api_version: one.api_version(),
            kind: one.kind.to_owned(),
            // A definition from --schema comes after the built-in one and wins.
            resource: resources.iter().rfind(is_its).map(|resource| names(*resource)),
        }
    };
    schema.kinds().into_iter().map(kind).collect()
}

fn names(resource: Resource<'_>) -> Names {
    Names {
        resource: resource.plural().to_owned(),
        short_names: resource.short_names().map(str::to_owned).collect(),
        namespaced: resource.is_namespaced(),
    }
}

fn text(kinds: &[Kind]) -> String {
    let mut table = Table::new(&["APIVERSION", "KIND", "RESOURCE", "SHORT", "SCOPE"]);
    for kind in kinds {
        let (resource, short, scope) = match &kind.resource {
            Some(names) if names.namespaced => {
                (names.resource.as_str(), names.short_names.join(","), "namespace")
            }
            Some(names) => (names.resource.as_str(), names.short_names.join(","), "cluster"),
            // Kinds such as APIGroup are answers, not resources.
            None => ("", String::new(), ""),
        };
        table.row(&[&kind.api_version, &kind.kind, resource, &short, scope]);
    }
    table.to_string()
}
