//! `kubemerge schema stats`: counts definitions and merge metadata.

use clap::Args;
use kubemerge_schema::{Dialect, Stats};
use serde::Serialize;

use crate::args::{Format, SchemaOptions};
use crate::input::Inputs;
use crate::load;
use crate::output::Stdout;
use crate::render::facts;
use crate::report::{Outcome, Result};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kubemerge schema stats
  kubemerge schema stats --kubernetes 1.30
  kubemerge schema stats --schema swagger.json -o json")]
pub(crate) struct StatsArgs {
    /// Output format
    #[arg(long, short, value_enum, default_value_t)]
    output: Format,
    #[command(flatten)]
    schema: SchemaOptions,
}

/// The numbers under the names that the extensions have.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Counts {
    definitions: usize,
    kinds: usize,
    resources: usize,
    patch_strategy: usize,
    patch_merge_key: usize,
    list_type: usize,
    list_map_keys: usize,
    map_type: usize,
}

pub(crate) fn run(args: &StatsArgs, inputs: &mut Inputs) -> Result {
    // The counts are of the documents as they are; any dialect tells the same.
    let schema = load::schemas(&args.schema, inputs)?.compile(Dialect::Upstream)?;
    let mut out = Stdout::new();
    out.text(facts(args.output, &Counts::from(schema.stats()), text))?;
    out.finish()?;
    Ok(Outcome::Done)
}

impl From<Stats> for Counts {
    fn from(stats: Stats) -> Counts {
        // Taken apart in full, so that a new number cannot be forgotten.
        let Stats {
            definitions,
            kinds,
            resources,
            patch_strategy,
            patch_merge_key,
            list_type,
            list_map_keys,
            map_type,
        } = stats;
        Counts {
            definitions,
            kinds,
            resources,
            patch_strategy,
            patch_merge_key,
            list_type,
            list_map_keys,
            map_type,
        }
    }
}

fn text(counts: &Counts) -> String {
    let lines = [
        (counts.definitions, "definitions"),
        (counts.kinds, "kinds"),
        (counts.resources, "resources"),
        (counts.patch_strategy, "patch-strategy"),
        (counts.patch_merge_key, "patch-merge-key"),
        (counts.list_type, "list-type"),
        (counts.list_map_keys, "list-map-keys"),
        (counts.map_type, "map-type"),
    ];
    lines.iter().map(|(count, name)| format!("{count:5} {name}\n")).collect()
}
