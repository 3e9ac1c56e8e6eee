//! The calls.

mod admit;
mod explain;
mod lint;
mod make;
mod patch;
mod server_side_apply;

use kubemerge_schema::builtin::releases;
use serde::Serialize;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::request::{Call, DialectName};
use crate::schemas::Schemas;

/// Does the work of one call.
pub(crate) fn run(call: &Call, schemas: &Schemas, dialect: DialectName) -> Result<Value, Failure> {
    match call {
        Call::Apply(patched) => to_json(&patch::apply(patched, schemas.of(dialect))?),
        Call::Explain(patched) => to_json(&explain::explain(patched, schemas, dialect)?),
        Call::Diff { from, to, patch_type } => {
            to_json(&make::diff(from, to, *patch_type, schemas.of(dialect))?)
        }
        Call::ThreeWay { original, modified, current } => {
            to_json(&make::three_way([original, modified, current], schemas.of(dialect))?)
        }
        Call::Lint { text } => to_json(&lint::documents_of(text, schemas)?),
        Call::LintPatch(patched) => to_json(&lint::patch(patched, schemas)?),
        Call::Admit { object, old } => to_json(&admit::admitted(object, old.as_deref(), &schemas.upstream)?),
        Call::ServerSideApply(call) => to_json(&server_side_apply::run(call, schemas.of_server(dialect))?),
        Call::Owners { object, shown } => to_json(&server_side_apply::owned(object, shown.as_deref())?),
        Call::Kinds {} => Ok(kinds(schemas)),
        Call::Versions {} => Ok(releases().iter().map(|release| Value::from(release.version)).collect()),
    }
}

fn to_json(answer: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(answer).map_err(|error| Failure::new("unwritable-answer", error.to_string()))
}

fn kinds(schemas: &Schemas) -> Value {
    let kinds = schemas.spec.kinds();
    kinds.iter().map(|one| json!({"apiVersion": one.api_version(), "kind": one.kind})).collect()
}
