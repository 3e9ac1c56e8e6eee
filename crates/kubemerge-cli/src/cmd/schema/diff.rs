//! `kubemerge schema diff`: which fields merge differently in two versions or documents.

use std::path::Path;

use clap::Args;
use kubemerge_schema::{RuleChange, Schema, changes};
use serde::Serialize;

use crate::args::{DialectArg, Format, SchemaOptions, VerbDialect};
use crate::input::Inputs;
use crate::load;
use crate::output::Stdout;
use crate::render::facts;
use crate::report::{Outcome, Result, sanitize};

#[derive(Debug, Args)]
#[command(after_help = "\
Exits 1 if there is a difference.

Examples:
  kubemerge schema diff 1.36 1.37
  kubemerge schema diff 1.36 1.37 --dialect spec -o json
  kubemerge schema diff crd-v1.yaml crd-v2.yaml --dialect spec")]
pub(crate) struct DiffArgs {
    /// A Kubernetes version, or a schema file
    #[arg(value_name = "V1")]
    before: String,
    /// Another one
    #[arg(value_name = "V2")]
    after: String,
    /// Dialect to compare
    #[arg(long, value_parser = VerbDialect, default_value = "upstream")]
    dialect: DialectArg,
    /// Output format
    #[arg(long, short, value_enum, default_value_t)]
    output: Format,
}

#[derive(Debug, Serialize)]
struct ShownChange {
    definition: String,
    field: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
}

pub(crate) fn run(args: &DiffArgs, inputs: &mut Inputs) -> Result {
    let before = load(&args.before, args.dialect, inputs)?;
    let after = load(&args.after, args.dialect, inputs)?;
    let changes: Vec<ShownChange> = changes(&before, &after).into_iter().map(ShownChange::from).collect();
    let mut out = Stdout::new();
    out.text(facts(args.output, &changes, |changes| text(changes)))?;
    out.finish()?;
    Ok(if changes.is_empty() { Outcome::Done } else { Outcome::Found })
}

/// A word is a file if there is one of that name, else a version.
fn load(word: &str, dialect: DialectArg, inputs: &mut Inputs) -> Result<Schema> {
    // A missing file is reported as an unknown version, which names the word as well.
    let options = if Path::new(word).exists() {
        SchemaOptions { schema: vec![word.into()], ..SchemaOptions::default() }
    } else {
        SchemaOptions { kubernetes: Some(word.to_owned()), ..SchemaOptions::default() }
    };
    load::schemas(&options, inputs)?.compile(dialect.into())
}

impl From<RuleChange> for ShownChange {
    fn from(change: RuleChange) -> ShownChange {
        let RuleChange { definition, field, before, after } = change;
        ShownChange { definition, field, before, after }
    }
}

fn text(changes: &[ShownChange]) -> String {
    let mut text = String::new();
    for change in changes {
        text.push_str(&format!("{}.{}\n", sanitize(&change.definition), sanitize(&change.field)));
        // A field that is new or gone has one side only.
        let sides = [("-", &change.before), ("+", &change.after)];
        for (mark, rule) in sides {
            if let Some(rule) = rule {
                text.push_str(&format!("  {mark} {}\n", sanitize(rule)));
            }
        }
    }
    text
}
