//! The entry points without a process: the library, and the requests of the Python and JavaScript packages.

use kubemerge::{Applier, Patch, PatchType, RuleSource, ServerSideApply, admit, apply};
use kubemerge_bindings::Engine;
use kubemerge_inspect::{LintObject, Linter, refusal_of_change};
use kubemerge_schema::{Dialect, Overlay, Schema, SchemaBuilder, builtin};
use kubemerge_value::Document;
use kubemerge_yaml::Options;
use serde_json::{Value, json};

use super::{Causes, EntryPoint, Findings, MANAGERS, NOT_SUPPORTED, causes, given::Source, word};

pub(super) struct Library;

impl Library {
    fn schema(source: &Source, dialect: Dialect) -> Schema {
        let version = builtin::version_for(None, std::iter::once(&source.document));
        let builder = SchemaBuilder::builtin(&version).unwrap().document(&source.document).unwrap();
        let overlay = source.overlay.as_ref().map(|overlay| Overlay::read(overlay).unwrap());
        overlay.into_iter().fold(builder, SchemaBuilder::overlay).compile(dialect).unwrap()
    }
}

pub(super) fn patched(
    rules: RuleSource<'_>,
    patch_type: PatchType,
    source: &Source,
    change: &Value,
) -> Value {
    let (object, change) = (source.object.to_string(), change.to_string());
    let patch = Patch::new(patch_type, change.as_str()).unwrap();
    serde_json::from_str(&apply(rules, object.as_str(), &patch).unwrap()).unwrap()
}

/// The object of a source after a merge patch.
pub(super) fn changed(source: &Source, change: &Value) -> Value {
    patched(RuleSource::None, PatchType::Merge, source, change)
}

impl EntryPoint for Library {
    fn name(&self) -> &'static str {
        "library"
    }

    fn stored(&mut self, source: &Source) -> Option<Value> {
        let stored = admit(&Library::schema(source, Dialect::Upstream), &source.object).unwrap();
        Some(stored[source.part].clone())
    }

    fn refused(&mut self, source: &Source, change: &Value) -> Causes {
        let (old, new) = (source.object.to_string(), changed(source, change).to_string());
        let schema = Library::schema(source, source.judge);
        let causes = refusal_of_change(&schema, old.as_bytes(), new.as_bytes());
        causes.into_iter().map(|cause| (cause.reason.to_owned(), cause.field)).collect()
    }

    fn merged(&mut self, source: &Source, dialect: Dialect) -> Value {
        let schema = Library::schema(source, dialect);
        patched(RuleSource::Schema(&schema), PatchType::Strategic, source, &source.strategic)[source.part]
            .clone()
    }

    fn takes_strategic(&mut self, source: &Source, dialect: Dialect) -> bool {
        let schema = Library::schema(source, dialect);
        let (object, patch) = (source.object.to_string(), source.strategic.to_string());
        let patch = Patch::new(PatchType::Strategic, patch.as_str()).unwrap();
        let answer = apply(RuleSource::Schema(&schema), object.as_str(), &patch);
        answer.map_err(|error| assert_eq!(error.message(), NOT_SUPPORTED)).is_ok()
    }

    fn applied(&mut self, source: &Source, config: &Value) -> Value {
        let applies = ServerSideApply::new(&Library::schema(source, source.judge));
        let [first, second] = MANAGERS.map(|manager| Applier::new(manager).forced());
        let live = applies.apply(None::<&Value>, &source.object, &first).unwrap().object;
        let applied = applies.apply(Some(&live), config, &second).unwrap().object;
        applied[source.part].clone()
    }

    fn linted(&mut self, source: &Source, change: &Value) -> Option<Findings> {
        let [upstream, spec] =
            [Dialect::Upstream, Dialect::Spec].map(|dialect| Library::schema(source, dialect));
        let text = changed(source, change).to_string();
        let documents = kubemerge_yaml::parse(text.as_bytes(), &Options::default()).unwrap();
        let value = Document::check(text.as_bytes()).unwrap();
        let [api_version, kind] = ["apiVersion", "kind"].map(|name| source.object[name].as_str().unwrap());
        let object = LintObject { item: None, api_version, kind, value: value.node() };
        let linter = Linter::new(&upstream, &spec, upstream.minor().unwrap_or(u32::MAX));
        let found = linter.objects(&[(&documents[0], vec![object])]);
        Some(found.into_iter().map(|one| (one.rule.to_owned(), one.message)).collect())
    }
}

/// The requests of the Python and JavaScript packages.
pub(super) struct Bindings(pub(super) Engine);

impl Bindings {
    fn call(&mut self, source: &Source, dialect: Dialect, request: Value) -> Value {
        let answer = self.answer(source, dialect, request);
        assert!(answer["error"].is_null(), "{answer}");
        answer["answer"].clone()
    }

    fn answer(&mut self, source: &Source, dialect: Dialect, mut request: Value) -> Value {
        let overlays: Vec<String> = source.overlay.iter().map(Value::to_string).collect();
        let schemas = [source.document.to_string()];
        request["settings"] = json!({"dialect": word(dialect), "schemas": schemas, "overlays": overlays});
        serde_json::from_str(&self.0.answer(&request.to_string())).unwrap()
    }

    /// The same about the object of the source; answers the part of the result.
    fn result(&mut self, source: &Source, dialect: Dialect, mut request: Value) -> Value {
        request["object"] = source.object.to_string().into();
        result(&self.call(source, dialect, request))[source.part].clone()
    }
}

fn result(answer: &Value) -> Value {
    serde_json::from_str(answer["result"].as_str().unwrap()).unwrap()
}

impl EntryPoint for Bindings {
    fn name(&self) -> &'static str {
        "bindings"
    }

    fn stored(&mut self, source: &Source) -> Option<Value> {
        Some(self.result(source, Dialect::Upstream, json!({"call": "admit"})))
    }

    fn refused(&mut self, source: &Source, change: &Value) -> Causes {
        let object = source.object.to_string();
        let request =
            json!({"call": "explain", "type": "merge", "object": object, "patch": change.to_string()});
        causes(&self.call(source, source.judge, request)["refusal"])
    }

    fn merged(&mut self, source: &Source, dialect: Dialect) -> Value {
        self.result(source, dialect, json!({"call": "apply", "patch": source.strategic.to_string()}))
    }

    fn takes_strategic(&mut self, source: &Source, dialect: Dialect) -> bool {
        let (object, patch) = (source.object.to_string(), source.strategic.to_string());
        let request = json!({"call": "apply", "object": object, "patch": patch});
        let error = self.answer(source, dialect, request)["error"].take();
        assert!(error.is_null() || error["message"] == NOT_SUPPORTED, "{error}");
        error.is_null()
    }

    fn applied(&mut self, source: &Source, config: &Value) -> Value {
        let mut live = Value::Null;
        for (config, manager) in [&source.object, config].into_iter().zip(MANAGERS) {
            let request = json!({"call": "serverSideApply", "config": config.to_string(), "live": live,
                "manager": manager, "force": true});
            live = self.call(source, source.judge, request)["result"].clone();
        }
        result(&json!({"result": live}))[source.part].clone()
    }

    fn linted(&mut self, source: &Source, change: &Value) -> Option<Findings> {
        let request = json!({"call": "lint", "text": changed(source, change).to_string()});
        let found = self.call(source, Dialect::Upstream, request);
        let text = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
        Some(found.as_array().unwrap().iter().map(|one| (text(one, "rule"), text(one, "message"))).collect())
    }
}
