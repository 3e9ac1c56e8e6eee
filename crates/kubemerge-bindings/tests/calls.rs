//! What each call answers, as other languages see it.

use kubemerge_bindings::Engine;
use serde_json::{Value, json};

const SERVICE: &str = "\
apiVersion: v1
kind: Service
metadata:
  name: dns
spec:
  ports:
  - name: dns  # UDP
    port: 53
    protocol: UDP
  - name: dns-tcp
    port: 53
    protocol: TCP
";

const PORT_PATCH: &str = "\
spec:
  ports:
  - port: 53
    protocol: TCP
    targetPort: 5353
";

fn answer(request: Value) -> Value {
    let answer: Value = serde_json::from_str(&Engine::new().answer(&request.to_string())).unwrap();
    assert!(answer["error"].is_null(), "{answer:#}");
    answer["answer"].clone()
}

fn error(request: Value) -> Value {
    let answer: Value = serde_json::from_str(&Engine::new().answer(&request.to_string())).unwrap();
    assert!(answer["answer"].is_null(), "{answer:#}");
    answer["error"].clone()
}

#[test]
fn apply_keeps_comments_and_layout() {
    let answer = answer(json!({"call": "apply", "object": SERVICE, "patch": PORT_PATCH}));
    assert_eq!(answer["hasChanged"], true);
    let expected = SERVICE.replace("    protocol: UDP\n", "    protocol: TCP\n    targetPort: 5353\n");
    assert_eq!(answer["result"], expected);
}

#[test]
fn the_dialect_is_a_setting() {
    let request = json!({
        "call": "apply", "object": SERVICE, "patch": PORT_PATCH, "settings": {"dialect": "spec"},
    });
    assert_eq!(answer(request)["result"], format!("{SERVICE}    targetPort: 5353\n"));
}

#[test]
fn json_in_json_out() {
    let object = r#"{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1"}}"#;
    let request =
        json!({"call": "apply", "object": object, "patch": r#"{"data":{"a":"2"}}"#, "type": "merge"});
    assert_eq!(answer(request)["result"], object.replace("\"1\"", "\"2\""));
}

#[test]
fn explain_tells_steps_differences_and_the_refusal_with_their_lines() {
    let answer = answer(json!({"call": "explain", "object": SERVICE, "patch": PORT_PATCH}));
    let steps = answer["steps"].as_array().unwrap();
    let list = steps.iter().find(|step| step["path"] == "spec.ports").unwrap();
    assert_eq!((&list["action"], &list["keys"]), (&json!("list-merged"), &json!(["port"])));
    assert_eq!((&list["inPatch"]["line"], &list["inResult"]["line"]), (&json!(2), &json!(6)));
    let target = steps.iter().find(|step| step["path"] == "spec.ports[port=53].targetPort").unwrap();
    assert_eq!((&target["inPatch"]["line"], &target["inResult"]["line"]), (&json!(5), &json!(10)));
    assert!(answer["differences"].as_array().is_some_and(|all| !all.is_empty()), "{answer:#}");
    assert_eq!(answer["refusal"][0]["reason"], "FieldValueDuplicate");
    assert_eq!(answer["refusal"][0]["inResult"]["line"], 11);
    assert_eq!(answer["changes"][0]["path"], "spec.ports[port=53,protocol=UDP]");
}

#[test]
fn kustomize_is_compared_with_the_others() {
    let request = json!({
        "call": "explain", "object": SERVICE, "patch": PORT_PATCH, "settings": {"dialect": "kustomize"},
    });
    assert!(answer(request)["differences"].to_string().contains("kustomize"));
}

#[test]
fn diff_makes_patches_of_every_type() {
    let new = SERVICE.replace("name: dns-tcp", "name: tcp");
    let diff = |kind: &str| {
        answer(json!({"call": "diff", "from": SERVICE, "to": new, "type": kind}))["patch"].clone()
    };
    assert!(diff("strategic").as_str().unwrap().contains("$setElementOrder/ports"));
    assert!(diff("merge").as_str().unwrap().contains("name: tcp"));
    assert!(diff("json").as_str().unwrap().contains("path: /spec/ports/1/name"));
}

#[test]
fn three_way_names_conflicts() {
    let scaled = |to: u32| format!("apiVersion: apps/v1\nkind: Deployment\nspec:\n  replicas: {to}\n");
    let request =
        json!({"call": "threeWay", "original": scaled(1), "modified": scaled(2), "current": scaled(3)});
    let answer = answer(request);
    assert_eq!(answer["patch"], "spec:\n  replicas: 2\n");
    assert_eq!(answer["conflicts"][0]["path"], "spec.replicas");
    assert_eq!(answer["conflicts"][0]["current"], json!({"change": "set", "value": 3}));
}

#[test]
fn lint_finds_mistakes_with_their_place() {
    let text = "apiVersion: apps/v1\nkind: Deploymnet\n---\nnot: a manifest\n";
    let found = answer(json!({"call": "lint", "text": text}));
    assert_eq!(found.as_array().unwrap().len(), 1, "{found:#}");
    assert_eq!(found[0]["place"]["line"], 2);
    let patch = "spec:\n  portz: []\n";
    let found = answer(json!({"call": "lintPatch", "object": SERVICE, "patch": patch}));
    assert_eq!((&found[0]["rule"], &found[0]["place"]["line"]), (&json!("unknown-field"), &json!(2)));
}

#[test]
fn admit_fills_defaults_or_refuses() {
    let pod =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: [{name: c, image: nginx}]\n";
    let stored = answer(json!({"call": "admit", "object": pod}));
    assert!(stored["result"].as_str().unwrap().contains("imagePullPolicy: Always"));
    let refused = answer(json!({"call": "admit", "object": pod.replace("name: c,", "")}));
    assert_eq!(refused["refusal"][0]["field"], "spec.containers[0].name");
    let stored = stored["result"].as_str().unwrap();
    let changed = stored.replace("restartPolicy: Always", "restartPolicy: Never");
    let refused = answer(json!({"call": "admit", "old": stored, "object": changed}));
    assert_eq!((&refused["refusal"][0]["field"], &refused["result"]), (&json!("spec"), &Value::Null));
}

#[test]
fn server_side_apply_answers_with_a_plan_and_conflicts() {
    let config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: '1'}\n";
    let first = answer(json!({"call": "serverSideApply", "config": config, "manager": "me"}));
    let live = first["result"].as_str().unwrap();
    let other = config.replace("'1'", "'2'");
    let request = json!({"call": "serverSideApply", "live": live, "config": other, "manager": "you"});
    let refused = answer(request.clone());
    assert_eq!(refused["conflict"], r#"Apply failed with 1 conflict: conflict with "me": .data.a"#);
    assert_eq!(refused["plan"][0]["effect"], "conflict");
    let mut forced = request;
    forced["force"] = json!(true);
    let taken = answer(forced)["result"].clone();
    let owners = answer(json!({"call": "owners", "object": taken}));
    assert_eq!(owners[0]["path"], ".data.a");
    assert_eq!(owners[0]["owners"][0]["manager"], "you");
    let shown = answer(json!({"call": "owners", "object": taken, "shown": config}));
    assert_eq!(shown[0]["place"]["line"], 4);
}

#[test]
fn schemas_of_the_request_count() {
    let definition = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          parts:
            type: array
            x-kubernetes-list-type: map
            x-kubernetes-list-map-keys: [id]
            items: {type: object, required: [id], properties: {id: {type: string}, size: {type: integer}}}
";
    let object = "apiVersion: example.com/v1\nkind: Widget\nparts:\n- id: a\n- id: b\n";
    let settings = json!({"schemas": [definition], "dialect": "spec"});
    let request = json!({
        "call": "apply", "object": object, "patch": "parts: [{id: b, size: 1}]", "settings": settings,
    });
    assert_eq!(answer(request)["result"], format!("{object}  size: 1\n"));
    assert_eq!(
        error(json!({"call": "kinds", "settings": {"schemas": ["kind: CustomResourceDefinition"]}}))["text"],
        "schemas[0]"
    );
}

#[test]
fn faults_name_the_text_and_the_place() {
    let fault = error(json!({"call": "apply", "object": "a: [", "patch": "{}"}));
    assert_eq!((&fault["kind"], &fault["text"]), (&json!("invalid-yaml"), &json!("object")));
    let fault = error(json!({"call": "apply", "object": SERVICE, "patch": "spec:\n  ports:\n  - name: x\n"}));
    assert_eq!((&fault["text"], &fault["place"]["line"]), (&json!("patch"), &json!(3)));
    assert_eq!(fault["kind"], "missing-merge-key");
    assert_eq!(
        error(json!({"call": "apply", "object": "a: 1\n---\nb: 1\n", "patch": ""}))["kind"],
        "too-many-documents"
    );
    assert_eq!(error(json!({"call": "unknown"}))["kind"], "invalid-request");
    let fault = error(json!({"call": "kinds", "settings": {"kubernetes": "1.2"}}));
    assert!(fault["message"].as_str().unwrap().contains("1.2"), "{fault:#}");
}

#[test]
fn versions_are_listed_oldest_first() {
    let versions = answer(json!({"call": "versions"}));
    assert_eq!(
        (&versions[0], versions.as_array().unwrap().last().unwrap()),
        (&json!("1.25"), &json!("1.37"))
    );
}

#[test]
fn requests_of_one_engine_do_not_affect_each_other() {
    let mut engine = Engine::new();
    let mut ask = |version: &str| {
        let request = json!({"call": "kinds", "settings": {"kubernetes": version}}).to_string();
        engine.answer(&request).len()
    };
    let sizes: Vec<usize> = ["1.25", "1.37", "1.30", "1.31", "1.32", "1.25", "1.37"].map(&mut ask).into();
    assert_eq!((sizes[0], sizes[1]), (sizes[5], sizes[6]));
    assert_ne!(sizes[0], sizes[1]);
}
