//! `kubemerge schema show`: how a kind or a field merges in each dialect, and why.

use clap::Args;
use kubemerge_schema::{
    ExplainError, FieldExplanation, ListStrategy, MapStrategy, Merge, Required, Schema, Shape,
    StrategicPatch, Type,
};
use serde::Serialize;

use crate::args::{DialectArg, Format, SchemaOptions, VerbDialect};
use crate::input::Inputs;
use crate::load::{self, find_type, name_of};
use crate::output::Stdout;
use crate::render::{Table, facts};
use crate::report::{Notice, Outcome, Result, sanitize};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kubemerge schema show v1/Service spec.ports
  kubemerge schema show deploy spec.template.spec.containers
  kubemerge schema show Kiosk spec.counters --schema crd.yaml
  kubemerge schema show v1/Pod --dialect upstream -o json")]
pub(crate) struct ShowArgs {
    /// A kind (`v1/Service`, `Deployment`, `deploy`) or the name of a definition
    #[arg(value_name = "KIND")]
    kind: String,
    /// Path of a field, e.g. `spec.ports`; leave out the indexes of lists
    #[arg(value_name = "FIELD.PATH", default_value = "", hide_default_value = true)]
    path: String,
    /// Show the rules of one dialect only
    #[arg(long, value_parser = VerbDialect)]
    dialect: Option<DialectArg>,
    /// Output format
    #[arg(long, short, value_enum, default_value_t)]
    output: Format,
    #[command(flatten)]
    schema: SchemaOptions,
}

/// What there is to know about a place.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Facts {
    kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    path: String,
    value: String,
    rules: Vec<Rule>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<FieldFacts>,
}

/// How a field merges in one dialect.
#[derive(Debug, Serialize)]
struct Rule {
    dialect: &'static str,
    merges: String,
    because: Vec<String>,
}

/// A field of the place, with its rules in short.
#[derive(Debug, Serialize)]
struct FieldFacts {
    name: String,
    required: bool,
    value: String,
    rules: Vec<String>,
}

pub(crate) fn run(args: &ShowArgs, inputs: &mut Inputs) -> Result {
    let schemas = load::schemas(&args.schema, inputs)?;
    let compiled = match args.dialect {
        Some(dialect) => vec![schemas.compile(dialect.into())?],
        // Both by default: where they differ is what most users look for.
        None => Vec::from(schemas.compile_both()?),
    };
    let mut out = Stdout::new();
    out.text(facts(args.output, &facts_of(&compiled, &args.kind, &args.path)?, text))?;
    out.finish()?;
    Ok(Outcome::Done)
}

fn facts_of(schemas: &[Schema], kind: &str, path: &str) -> Result<Facts> {
    let mut kind_name = String::new();
    let mut explained = Vec::new();
    for schema in schemas {
        let ty = find_type(schema, kind)?;
        kind_name = name_of(schema, ty);
        explained.push((ty, ty.explain(path).map_err(|error| no_such_field(&kind_name, &error))?));
    }
    let path = path.trim_matches('.').to_owned();
    let value = explained.first().map(|(_, one)| one.value.clone()).unwrap_or_default();
    let rules = explained.iter().map(|(ty, one)| rule(*ty, one)).collect();
    let fields = fields(&explained, &path);
    Ok(Facts { kind: kind_name, path, value, rules, fields })
}

fn no_such_field(kind: &str, error: &ExplainError) -> Notice {
    Notice::error(format!("{kind}: {error}"))
}

fn rule(root: Type<'_>, explanation: &FieldExplanation<'_>) -> Rule {
    let dialect = explanation.dialect.name();
    // The rules of a definition would be shown as if the API server followed them.
    if root.strategic_patch() == StrategicPatch::Refused {
        let because = "the API server has no strategic merge for custom resources".to_owned();
        return Rule {
            dialect,
            merges: "a strategic patch is refused (415)".to_owned(),
            because: vec![because],
        };
    }
    Rule { dialect, merges: explanation.sentence(), because: explanation.because.clone() }
}

/// The fields of the place, or of the elements of the list there.
fn fields(explained: &[(Type<'_>, FieldExplanation<'_>)], path: &str) -> Vec<FieldFacts> {
    let Some((_, first)) = explained.first() else { return Vec::new() };
    let facts = |field: kubemerge_schema::DeclaredField<'_>| {
        let field_path = format!("{path}.{}", field.name);
        let own: Vec<_> =
            explained.iter().filter_map(|(ty, _)| Some((*ty, ty.explain(&field_path).ok()?))).collect();
        FieldFacts {
            name: field.name.to_owned(),
            required: field.required == Required::Yes,
            value: own.first().map(|(_, one)| short_value(&one.value)).unwrap_or_default(),
            rules: own.iter().map(|(ty, one)| short_rule(*ty, one)).collect(),
        }
    };
    // The fields of a list are those of its items.
    inside_lists(first.ty).fields().map(facts).collect()
}

/// The type of the elements, of the elements' elements, and so on.
fn inside_lists(ty: Type<'_>) -> Type<'_> {
    let mut ty = ty;
    while ty.shape() == Shape::List
        && let Some(items) = ty.items()
    {
        ty = items;
    }
    ty
}

/// A value in words, definitions by the last part of their names.
fn short_value(value: &str) -> String {
    let (around, name) = value.rsplit_once(' ').map_or(("", value), |(around, name)| (around, name));
    // Full definition names are too wide for a table.
    let short = name.rsplit('.').next().unwrap_or(name);
    format!("{around} {short}").trim_start().to_owned()
}

/// The rule in a table cell; nothing for a scalar.
fn short_rule(root: Type<'_>, explanation: &FieldExplanation<'_>) -> String {
    // The table would show rules that the API server never applies.
    let refused = root.strategic_patch() == StrategicPatch::Refused;
    let mut rule = match &explanation.merge {
        Merge::Scalar => return String::new(),
        _ if refused => return "refused".to_owned(),
        Merge::Map(MapStrategy::Merge) => "merge".to_owned(),
        Merge::Map(MapStrategy::Replace) => "replace".to_owned(),
        Merge::List { strategy, .. } => short_list_rule(*strategy),
        Merge::Untyped => "untyped".to_owned(),
        Merge::Invalid => "invalid".to_owned(),
    };
    if explanation.retain_keys {
        rule.push_str(", retainKeys");
    }
    if explanation.clears_unions {
        rule.push_str(", unions");
    }
    rule
}

fn short_list_rule(strategy: ListStrategy<'_>) -> String {
    match strategy {
        ListStrategy::Atomic => "replace".to_owned(),
        ListStrategy::Scalars => "by value".to_owned(),
        ListStrategy::Set => "set".to_owned(),
        ListStrategy::Keyed(keys) => {
            let names: Vec<&str> = keys.iter().map(|key| key.name.as_str()).collect();
            format!("by {}", names.join(","))
        }
    }
}

fn text(facts: &Facts) -> String {
    let mut text = sanitize(format!("{} {}", facts.kind, facts.path).trim_end()).into_owned();
    text.push_str(&format!(": {}\n\n", sanitize(&facts.value)));
    for rule in &facts.rules {
        text.push_str(&format!("{:8}  {}\n", rule.dialect, sanitize(&rule.merges)));
        rule.because.iter().for_each(|fact| text.push_str(&format!("          - {}\n", sanitize(fact))));
    }
    if !facts.fields.is_empty() {
        text.push_str(&format!("\n{}", table(facts)));
    }
    text
}

fn table(facts: &Facts) -> Table {
    let mut headings = vec!["FIELD".to_owned(), "VALUE".to_owned()];
    headings.extend(facts.rules.iter().map(|rule| rule.dialect.to_uppercase()));
    let mut table = Table::new(&headings);
    for field in &facts.fields {
        let mark = if field.required { "*" } else { "" };
        let mut cells = vec![format!("{}{mark}", field.name), field.value.clone()];
        cells.extend(field.rules.iter().cloned());
        table.row(&cells);
    }
    table
}
