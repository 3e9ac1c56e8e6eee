//! Requests as other languages write them.

use serde::Deserialize;
use serde_json::{Error, Map, Value};

/// A call and the schema that it works with.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) call: Call,
    pub(crate) settings: Settings,
}

impl Request {
    /// Reads `{"call": name, "settings": {…}, …}`, where the rest is the arguments.
    pub(crate) fn read(text: &str) -> Result<Request, Error> {
        let mut members: Map<String, Value> = serde_json::from_str(text)?;
        let settings = members.remove("settings").filter(|settings| !settings.is_null());
        let name = String::deserialize(members.remove("call").unwrap_or_default())?;
        // Serde's own tags inside of maps would take much more code, which browsers would have to load.
        let call = Map::from_iter([(name, Value::Object(members))]);
        Ok(Request {
            call: Call::deserialize(Value::Object(call))?,
            settings: settings.map(Settings::deserialize).transpose()?.unwrap_or_default(),
        })
    }
}

/// What is asked for. Every document is a text, YAML or JSON.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Call {
    /// What is the patched object?
    Apply(PatchedObject),
    /// What does the patch do to each field, where do dialects differ, and would the API server refuse it?
    Explain(PatchedObject),
    /// Which patch makes one object of the other?
    Diff {
        from: String,
        to: String,
        #[serde(default, rename = "type")]
        patch_type: PatchTypeName,
    },
    /// Which patch brings the object on the server to the wanted state, and what did both sides change?
    ThreeWay { original: String, modified: String, current: String },
    /// What is wrong in these documents?
    Lint { text: String },
    /// What is wrong in this patch of that object?
    LintPatch(PatchedObject),
    /// What does the API server store of the object, or why does it refuse it?
    Admit {
        object: String,
        /// The object that it replaces, if it is not new.
        old: Option<String>,
    },
    /// What does a server-side apply do?
    ServerSideApply(ServerSideApplyCall),
    /// Which manager owns which field?
    Owners {
        object: String,
        /// The text that places are told in, if it is another one: without `metadata.managedFields`, say.
        shown: Option<String>,
    },
    /// Which kinds does the schema have?
    Kinds {},
    /// Which versions of Kubernetes are built in?
    Versions {},
}

/// An object and a patch of it.
#[derive(Debug, Deserialize)]
pub(crate) struct PatchedObject {
    pub(crate) object: String,
    pub(crate) patch: String,
    #[serde(default, rename = "type")]
    pub(crate) patch_type: PatchTypeName,
}

/// A configuration that a manager applies.
#[derive(Debug, Deserialize)]
pub(crate) struct ServerSideApplyCall {
    /// The object on the server with its `metadata.managedFields`; none if it is new.
    pub(crate) live: Option<String>,
    pub(crate) config: String,
    pub(crate) manager: String,
    /// Take fields from other managers.
    #[serde(default)]
    pub(crate) force: bool,
}

/// The types of patches, as `--type` names them.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PatchTypeName {
    #[default]
    Strategic,
    Merge,
    Json,
}

/// The dialects, as `--dialect` names them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DialectName {
    #[default]
    Upstream,
    Spec,
    Kustomize,
}

/// Which schema to use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    #[serde(default)]
    pub(crate) dialect: DialectName,
    /// A version such as `1.37`; the newest one if it is not given.
    #[serde(default)]
    pub(crate) kubernetes: Option<String>,
    /// CustomResourceDefinitions and OpenAPI documents, as texts of one or more documents.
    #[serde(default)]
    pub(crate) schemas: Vec<String>,
    /// Overlays as texts, or the name `design-documents`.
    #[serde(default)]
    pub(crate) overlays: Vec<String>,
}
