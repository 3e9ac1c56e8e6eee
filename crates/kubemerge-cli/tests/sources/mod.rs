//! One document means the same wherever it is given: to the library, to the bindings, to the command, and to the server as
//! `-f` or as `--schema`. Every entry point answers every question; the answers are compared.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use kubemerge::{Patch, PatchType, RuleSource, admit, apply};
use kubemerge_bindings::Engine;
use kubemerge_inspect::refusal_of_change;
use kubemerge_schema::{Dialect, Schema, SchemaBuilder, builtin};
use serde_json::{Value, json};

use crate::server_process::Server;

/// Reason and field of what is wrong with an object.
type Causes = BTreeSet<(String, String)>;

/// A document, an object of its kind, and changes of that object.
struct Source {
    name: &'static str,
    document: Value,
    object: Value,
    /// The field with its content.
    part: &'static str,
    /// Where the object is created.
    path: &'static str,
    wrong: Vec<Value>,
    strategic: Value,
    /// The dialects in which a server takes strategic merge patches of the kind.
    dialects: &'static [Dialect],
}

const BOTH: &[Dialect] = &[Dialect::Upstream, Dialect::Spec];

fn sources() -> Vec<Source> {
    let shapes = "/apis/g.io/v1/namespaces/default/shapes";
    let object = json!({"apiVersion": "g.io/v1", "kind": "Shape", "metadata": {"name": "a", "namespace": "default"},
        "spec": {"size": 1, "parts": [{"name": "a", "size": 1}, {"name": "b", "size": 2}]}});
    let wrong = [
        json!({"size": null}),
        json!({"size": 0}),
        json!({"color": "blue"}),
        json!({"city": 7}),
        json!({"city": "Nowhere"}),
        json!({"port": true}),
        json!({"parts": [{"name": "a"}, {"name": "a"}]}),
        json!({"parts": [{"size": 1}]}),
        json!({"color": "blue", "size": -1, "born": "yesterday"}),
    ];
    let shape = |name, document, dialects| Source {
        name,
        document,
        object: object.clone(),
        part: "spec",
        path: shapes,
        wrong: wrong.iter().map(|spec| json!({"spec": spec})).collect(),
        strategic: json!({"spec": {"parts": [{"name": "b", "size": 3}]}}),
        dialects,
    };
    let container = |name: &str| json!({"name": name, "image": "a"});
    let pods = |containers: Value| json!({"template": {"spec": {"containers": containers}}});
    let template = Source {
        name: "document about a built-in kind",
        document: about_pod_templates(),
        object: json!({"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "a", "namespace": "default"},
            "template": {"spec": {"containers": [container("a"), container("b")]}}}),
        part: "template",
        path: "/api/v1/namespaces/default/podtemplates",
        wrong: vec![
            pods(json!([])),
            pods(json!([{"name": "a", "image": "a", "imagePullPolicy": "Perhaps"}])),
            json!({"metadata": {"labels": {"bad key!": "a"}}}),
        ],
        // The document has no merge key: the list is replaced.
        strategic: pods(json!([{"name": "b", "image": "c"}])),
        dialects: BOTH,
    };
    vec![
        shape("definition", definition(), &[Dialect::Spec]),
        shape("OpenAPI v2", openapi("swagger"), BOTH),
        shape("OpenAPI v3", openapi("openapi"), BOTH),
        template,
    ]
}

fn spec_schema(int_or_string: &Value) -> Value {
    let parts = json!({"type": "array", "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name",
        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "required": ["name"],
            "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}}});
    json!({"type": "object", "required": ["size"], "properties": {
        "size": {"type": "integer", "minimum": 1}, "city": {"type": "string"},
        "color": {"type": "string", "enum": ["red", "green"], "default": "red"},
        "born": {"type": "string", "format": "date-time"}, "port": int_or_string, "parts": parts}})
}

fn definition() -> Value {
    let mut spec = spec_schema(&json!({"x-kubernetes-int-or-string": true}));
    spec["x-kubernetes-validations"] =
        json!([{"rule": "!has(self.city) || self.city != 'Nowhere'", "message": "go somewhere"}]);
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "shapes.g.io"},
        "spec": {"group": "g.io", "scope": "Namespaced",
            "names": {"plural": "shapes", "singular": "shape", "kind": "Shape", "listKind": "ShapeList"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}})
}

/// The same kind in an OpenAPI document.
fn openapi(syntax: &str) -> Value {
    let kind = json!({"group": "g.io", "version": "v1", "kind": "Shape"});
    let operation =
        |action: &str| json!({"x-kubernetes-action": action, "x-kubernetes-group-version-kind": kind});
    let paths = json!({
        "/apis/g.io/v1/namespaces/{namespace}/shapes": {"get": operation("list"), "post": operation("post")},
        "/apis/g.io/v1/namespaces/{namespace}/shapes/{name}":
            {"get": operation("get"), "put": operation("put"), "patch": operation("patch")},
    });
    let of = |spec: Value| {
        json!({"io.g.v1.Shape": {"type": "object", "x-kubernetes-group-version-kind": [kind], "properties": {
            "apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}, "spec": spec}}})
    };
    let info = json!({"title": "Shapes", "version": "v1"});
    match syntax {
        "swagger" => {
            let spec = spec_schema(&json!({"type": "string", "format": "int-or-string"}));
            json!({"swagger": "2.0", "info": info, "paths": paths, "definitions": of(spec)})
        }
        _ => {
            let spec = spec_schema(&json!({"x-kubernetes-int-or-string": true}));
            json!({"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": of(spec)}})
        }
    }
}

/// A document of a version of Kubernetes, with less about pod templates than it has.
fn about_pod_templates() -> Value {
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    let text = json!({"type": "string"});
    let container = object(json!({"name": text, "image": text, "imagePullPolicy": text}));
    let template =
        object(json!({"spec": object(json!({"containers": {"type": "array", "items": container}}))}));
    let mut kind = object(
        json!({"apiVersion": text, "kind": text, "metadata": {"type": "object"}, "template": template}),
    );
    kind["x-kubernetes-group-version-kind"] = json!([{"group": "", "version": "v1", "kind": "PodTemplate"}]);
    json!({"swagger": "2.0", "info": {"title": "Kubernetes", "version": "v1.30.2"}, "paths": {},
        "definitions": {"io.k8s.api.core.v1.PodTemplate": kind}})
}

/// What an entry point answers about one source.
trait EntryPoint {
    fn name(&self) -> &'static str;
    /// The spec that is stored of the object; none where it is not told.
    fn stored(&mut self, source: &Source) -> Option<Value>;
    /// Why the result of a merge patch is refused.
    fn refused(&mut self, source: &Source, change: &Value) -> Causes;
    /// The spec that a strategic merge patch results in.
    fn merged(&mut self, source: &Source, dialect: Dialect) -> Value;
}

struct Library;

impl Library {
    fn schema(source: &Source, dialect: Dialect) -> Schema {
        let version = builtin::version_for(None, std::iter::once(&source.document));
        let builder = SchemaBuilder::builtin(&version).unwrap().document(&source.document).unwrap();
        builder.compile(dialect).unwrap()
    }
}

fn patched(rules: RuleSource<'_>, patch_type: PatchType, source: &Source, change: &Value) -> Value {
    let (object, change) = (source.object.to_string(), change.to_string());
    let patch = Patch::new(patch_type, change.as_str()).unwrap();
    serde_json::from_str(&apply(rules, object.as_str(), &patch).unwrap()).unwrap()
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
        let new = patched(RuleSource::None, PatchType::Merge, source, change).to_string();
        let old = source.object.to_string();
        let schema = Library::schema(source, Dialect::Upstream);
        let causes = refusal_of_change(&schema, old.as_bytes(), new.as_bytes());
        causes.into_iter().map(|cause| (cause.reason.to_owned(), cause.field)).collect()
    }

    fn merged(&mut self, source: &Source, dialect: Dialect) -> Value {
        let schema = Library::schema(source, dialect);
        patched(RuleSource::Schema(&schema), PatchType::Strategic, source, &source.strategic)[source.part]
            .clone()
    }
}

/// The requests of the Python and JavaScript packages.
struct Bindings(Engine);

impl Bindings {
    fn call(&mut self, source: &Source, dialect: Dialect, mut request: Value) -> Value {
        request["object"] = source.object.to_string().into();
        request["settings"] = json!({"dialect": word(dialect), "schemas": [source.document.to_string()]});
        let answer: Value = serde_json::from_str(&self.0.answer(&request.to_string())).unwrap();
        assert!(answer["error"].is_null(), "{answer}");
        answer["answer"].clone()
    }
}

impl EntryPoint for Bindings {
    fn name(&self) -> &'static str {
        "bindings"
    }

    fn stored(&mut self, source: &Source) -> Option<Value> {
        let answer = self.call(source, Dialect::Upstream, json!({"call": "admit"}));
        let stored: Value = serde_json::from_str(answer["result"].as_str().unwrap()).unwrap();
        Some(stored[source.part].clone())
    }

    fn refused(&mut self, source: &Source, change: &Value) -> Causes {
        let request = json!({"call": "explain", "type": "merge", "patch": change.to_string()});
        causes(&self.call(source, Dialect::Upstream, request)["refusal"])
    }

    fn merged(&mut self, source: &Source, dialect: Dialect) -> Value {
        let request = json!({"call": "apply", "patch": source.strategic.to_string()});
        let answer = self.call(source, dialect, request);
        let result: Value = serde_json::from_str(answer["result"].as_str().unwrap()).unwrap();
        result[source.part].clone()
    }
}

fn word(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Spec => "spec",
        Dialect::Upstream | Dialect::Kustomize => "upstream",
    }
}

/// Reason and field of each cause of a list.
fn causes(list: &Value) -> Causes {
    let text = |cause: &Value, name: &str| cause[name].as_str().unwrap_or_default().to_owned();
    list.as_array().into_iter().flatten().map(|cause| (text(cause, "reason"), text(cause, "field"))).collect()
}

struct TheCommand(PathBuf);

impl TheCommand {
    fn run(&self, arguments: &[&str]) -> Value {
        let output = Command::new(env!("CARGO_BIN_EXE_kubemerge"))
            .args(arguments)
            .current_dir(&self.0)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        serde_json::from_str(&text).unwrap_or_else(|error| {
            panic!("{arguments:?}: {error}: {text} {}", String::from_utf8_lossy(&output.stderr))
        })
    }
}

impl EntryPoint for TheCommand {
    fn name(&self) -> &'static str {
        "command"
    }

    fn stored(&mut self, _: &Source) -> Option<Value> {
        None
    }

    fn refused(&mut self, _: &Source, change: &Value) -> Causes {
        let change = change.to_string();
        let answer = self.run(&[
            "explain",
            "-f",
            "object.json",
            "--type",
            "merge",
            "-p",
            &change,
            "--schema",
            "schema.json",
            "-o",
            "json",
        ]);
        causes(&answer[0]["refusal"])
    }

    fn merged(&mut self, source: &Source, dialect: Dialect) -> Value {
        let change = source.strategic.to_string();
        let dialect = word(dialect);
        let answer = self.run(&[
            "patch",
            "-f",
            "object.json",
            "-p",
            &change,
            "--dialect",
            dialect,
            "--schema",
            "schema.json",
            "-o",
            "json",
        ]);
        let object = if answer.is_array() { &answer[0] } else { &answer };
        object[source.part].clone()
    }
}

/// A server that is given the document by an option.
struct AServer {
    option: &'static str,
    folder: PathBuf,
    upstream: Server,
}

impl AServer {
    fn start(option: &'static str, folder: &Path, dialect: Dialect) -> Server {
        Server::start_in(folder, &[option, "schema.json", "--dialect", word(dialect)]).unwrap()
    }

    /// Creates the object.
    fn create(server: &Server, source: &Source, name: &str) -> Value {
        let mut object = source.object.clone();
        object["metadata"]["name"] = name.into();
        let answer =
            server.ask("POST", source.path, "content-type: application/json\r\n", &object.to_string());
        assert!(answer.starts_with("HTTP/1.1 201"), "{}: {answer}", source.name);
        body(&answer)
    }
}

fn body(answer: &str) -> Value {
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

impl EntryPoint for AServer {
    fn name(&self) -> &'static str {
        self.option
    }

    fn stored(&mut self, source: &Source) -> Option<Value> {
        Some(AServer::create(&self.upstream, source, "a")[source.part].clone())
    }

    fn refused(&mut self, source: &Source, change: &Value) -> Causes {
        // Like manifests, which have never been stored: a new object with the change.
        let mut object = patched(RuleSource::None, PatchType::Merge, source, change);
        // The name is taken.
        object["metadata"]["name"] = "b".into();
        let path = format!("{}?dryRun=All", source.path);
        let answer =
            self.upstream.ask("POST", &path, "content-type: application/json\r\n", &object.to_string());
        let status = body(&answer);
        match status["reason"].as_str() {
            Some("Invalid") => causes(&status["details"]["causes"]),
            _ if status["kind"] != "Status" => Causes::new(),
            reason => [(reason.unwrap_or_default().to_owned(), String::new())].into(),
        }
    }

    fn merged(&mut self, source: &Source, dialect: Dialect) -> Value {
        let server = AServer::start(self.option, &self.folder, dialect);
        AServer::create(&server, source, "a");
        let header = "content-type: application/strategic-merge-patch+json\r\n";
        let answer =
            server.ask("PATCH", &format!("{}/a", source.path), header, &source.strategic.to_string());
        assert!(answer.starts_with("HTTP/1.1 200"), "{}: {answer}", source.name);
        body(&answer)[source.part].clone()
    }
}

/// The parts of a spec that the sources are about: a server adds what it allocates.
fn content(spec: &Value) -> Value {
    let containers = |list: &Value| -> Value {
        let texts = |one: &Value| json!([one["name"], one["image"]]);
        list.as_array().into_iter().flatten().map(texts).collect()
    };
    match spec.pointer("/spec/containers") {
        Some(list) => containers(list),
        None => spec.clone(),
    }
}

#[test]
fn every_source_means_the_same_to_every_entry_point() {
    for source in sources() {
        let folder = std::env::temp_dir().join(format!(
            "kubemerge-sources-{}-{}",
            std::process::id(),
            source.name.replace(' ', "-")
        ));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("schema.json"), source.document.to_string()).unwrap();
        std::fs::write(folder.join("object.json"), source.object.to_string()).unwrap();
        let server = |option: &'static str| -> Box<dyn EntryPoint> {
            let upstream = AServer::start(option, &folder, Dialect::Upstream);
            Box::new(AServer { option, folder: folder.clone(), upstream })
        };
        let mut entry_points: Vec<Box<dyn EntryPoint>> =
            vec![Box::new(Library), Box::new(Bindings(Engine::new())), Box::new(TheCommand(folder.clone()))];
        entry_points.push(server("--schema"));
        // Objects are what `-f` takes, and only definitions are objects.
        if source.document["kind"] == "CustomResourceDefinition" {
            entry_points.push(server("-f"));
        }
        compare(&source, &mut entry_points);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

/// Asks all entry points all questions; the library answers first.
fn compare(source: &Source, entry_points: &mut [Box<dyn EntryPoint>]) {
    let name = source.name;
    let stored = Library.stored(source).unwrap();
    let refused: Vec<Causes> = source.wrong.iter().map(|change| Library.refused(source, change)).collect();
    // A CEL rule is what definitions have, and repeated keys are what they check.
    let is_refused = |(change, causes): &(&Value, &Causes)| !causes.is_empty() || may_pass(source, change);
    assert!(source.wrong.iter().zip(&refused).all(|one| is_refused(&one)), "{name}: {refused:?}");
    for entry_point in entry_points {
        let who = entry_point.name();
        if let Some(answer) = entry_point.stored(source) {
            assert_eq!(content(&answer), content(&stored), "{name}, stored by {who}");
        }
        for (change, causes) in source.wrong.iter().zip(&refused) {
            assert_eq!(&entry_point.refused(source, change), causes, "{name}, {change} refused by {who}");
        }
        for dialect in source.dialects {
            let expected = Library.merged(source, *dialect);
            let merged = entry_point.merged(source, *dialect);
            let is_same = content(&merged) == content(&expected)
                // A server stores the result with its defaults.
                || merged["parts"] == expected["parts"] && !merged["parts"].is_null();
            assert!(is_same, "{name}, merged by {who} in {dialect:?}: {merged}, not {expected}");
        }
    }
}

fn may_pass(source: &Source, change: &Value) -> bool {
    let is_document = source.document["kind"] != "CustomResourceDefinition";
    let spec = &change["spec"];
    is_document && (spec["city"] == "Nowhere" || spec["parts"][1]["name"] == "a")
}
