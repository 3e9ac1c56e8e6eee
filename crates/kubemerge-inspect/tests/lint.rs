//! Every rule of the linter: texts in which it finds something, with line and message, and texts in which it does not.

use std::collections::BTreeSet;

use kubemerge::{Patch, PatchType};
use kubemerge_inspect::{Finding, LintObject, LintPatch, Linter, RULES, is_ignored};
use kubemerge_schema::{Dialect, Schema, SchemaBuilder, builtin};
use kubemerge_value::Document;
use kubemerge_yaml::{Options, YamlDocument, parse};
use serde_json::{Value, from_slice, json};

/// Rules about files and the schema as a whole, which the command applies.
const RULES_OF_THE_COMMAND: [&str; 7] = [
    "broken-definition",
    "broken-yaml",
    "missing-file",
    "no-schema",
    "no-target",
    "repeated-object",
    "unreadable",
];

/// A rule, a text, and what the rule finds in it: `LINE message`.
type Case = (&'static str, &'static str, &'static [&'static str]);

const OBJECTS: &[Case] = &[
    (
        "shared-merge-key",
        "apiVersion: v1\nkind: Service\nspec:\n  ports:\n  - {port: 53, protocol: UDP}\n  - {port: 53, protocol: TCP}\n",
        &["6 two entries share the merge key port=53"],
    ),
    (
        "shared-merge-key",
        "apiVersion: v1\nkind: Service\nspec:\n  ports:\n  - {port: 53, protocol: UDP}\n  - {port: 54, protocol: UDP}\n",
        &[],
    ),
    (
        "duplicate-item",
        "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - {name: a}\n  - {name: b}\n  - {name: a, image: x}\n",
        &["7 two entries have the key name=\"a\""],
    ),
    (
        "duplicate-item",
        "apiVersion: v1\nkind: Service\nspec:\n  ports:\n  - {port: 53, protocol: UDP}\n  - {port: 53, protocol: UDP}\n",
        &["6 two entries have the key port=53"],
    ),
    ("duplicate-item", "apiVersion: v1\nkind: Pod\nspec:\n  tolerations: [{key: a}, {key: a}]\n", &[]),
    (
        "misplaced-directive",
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  $patch: delete\n",
        &["4 $patch is a directive of patches; in an object it is an unknown field"],
    ),
    (
        "unknown-field",
        "apiVersion: v1\nkind: Pod\nspec:\n  contianers: []\n",
        &["4 the schema has no field contianers here"],
    ),
    (
        "api-warning",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: default}\nspec:\n  nodeSelector:\n    beta.kubernetes.io/os: linux\n  containers:\n  - name: a\n    image: b\n    resources:\n      limits: {memory: 512m}\n  volumes:\n  - {name: c, gitRepo: {repository: d}}\n",
        &[
            "6 spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use \"kubernetes.io/os\" instead",
            "13 spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+",
            "11 spec.containers[0].resources.limits[memory]: fractional byte value \"512m\" is invalid, must be an integer",
            "10 spec.containers[0].resources.requests[memory]: fractional byte value \"512m\" is invalid, must be an integer",
        ],
    ),
    (
        "api-warning",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: default}\nspec:\n  containers: [{name: a, image: b}]\n",
        &[],
    ),
    ("unknown-field", "apiVersion: v1\nkind: ConfigMap\ndata: {anything: a}\nimmutable: true\n", &[]),
    // Nothing is known of other groups.
    ("unknown-field", "apiVersion: example.com/v1\nkind: Other\nspec: {anything: a}\n", &[]),
    ("unknown-kind", "apiVersion: apps/v1\nkind: Deploymnet\n", &["2 there is no Deploymnet in apps/v1"]),
    ("unknown-kind", "apiVersion: example.com/v1\nkind: Deploymnet\n", &[]),
    (
        "removed-api",
        "apiVersion: extensions/v1beta1\nkind: Ingress\n",
        &["1 extensions/v1beta1 Ingress was removed in Kubernetes 1.22"],
    ),
    ("removed-api", "apiVersion: networking.k8s.io/v1\nkind: Ingress\n", &[]),
    (
        "deprecated-api",
        "apiVersion: v1\nkind: Endpoints\n",
        &["1 v1 Endpoints is deprecated since Kubernetes 1.33"],
    ),
    ("deprecated-api", "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\n", &[]),
    (
        "wrong-type",
        "apiVersion: apps/v1\nkind: Deployment\nspec:\n  replicas: \"3\"\n  paused: 1\n",
        &["4 \"3\" is not an integer", "5 1 is not a boolean"],
    ),
    ("wrong-type", "apiVersion: v1\nkind: Service\nspec: {ports: [{port: 80, targetPort: http}]}\n", &[]),
    (
        "invalid-field",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a/b: x}\n",
        &[
            "4 data[a/b]: Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
        ],
    ),
    ("invalid-field", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a.b: x}\n", &[]),
    (
        "invalid-union",
        "apiVersion: example.com/v1\nkind: Account\nmetadata: {name: a}\nspec: {account: User, user: eve, group: dev}\n",
        &["4 spec: account is \"User\": user must be set alone, found group, user"],
    ),
    (
        "invalid-union",
        "apiVersion: example.com/v1\nkind: Account\nmetadata: {name: a}\nspec: {account: User, user: eve}\n",
        &[],
    ),
    (
        "managed-fields",
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  managedFields: [{manager: a}]\n",
        &["4 the configuration has metadata.managedFields"],
    ),
    ("managed-fields", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", &[]),
    (
        "never-converges",
        "apiVersion: v1\nkind: LimitRange\nmetadata: {name: a}\nspec: {limits: [{type: Pod, max: {cpu: 1000m}}]}\n",
        &["4 spec.limits[0].max.cpu: \"1000m\" is stored as \"1\""],
    ),
    (
        "never-converges",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {token: abc}\n",
        &["4 stringData is stored as data"],
    ),
    (
        "never-converges",
        "apiVersion: v1\nkind: LimitRange\nmetadata: {name: a}\nspec: {limits: [{type: Pod, max: {cpu: 500m}}]}\n",
        &[],
    ),
    (
        "yaml-trap",
        "apiVersion: v1\nkind: ConfigMap\ndata: {country: NO, on: duty, version: 1.10}\n",
        &[
            "3 NO is read as the boolean false",
            "3 the key on is read as the boolean true",
            "3 1.10 is read as the number 1.1",
        ],
    ),
    ("yaml-trap", "apiVersion: v1\nkind: ConfigMap\ndata: {country: \"NO\", text: plain}\n", &[]),
    // A number where the schema has one.
    ("yaml-trap", "apiVersion: apps/v1\nkind: Deployment\nspec: {replicas: 0x10}\n", &[]),
];

/// A rule, a live object or nothing, a strategic patch, and what the rule finds in the patch.
const PATCHES: &[(&str, &str, &str, &[&str])] = &[
    (
        "shared-merge-key",
        "",
        "apiVersion: v1\nkind: Service\nspec:\n  ports:\n  - {port: 53, protocol: UDP}\n  - {port: 53, protocol: TCP}\n",
        &["6 two entries share the merge key port=53"],
    ),
    (
        "duplicate-item",
        "",
        "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - {name: a}\n  - {name: a}\n",
        &["6 two entries have the key name=\"a\""],
    ),
    (
        "lost-item",
        "apiVersion: v1\nkind: Service\nmetadata: {name: dns}\nspec: {ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]}\n",
        "apiVersion: v1\nkind: Service\nspec:\n  ports: [{port: 53, protocol: TCP, targetPort: 5353}]\n",
        &["4 spec.ports[port=53,protocol=\"UDP\"]: upstream: lost; spec: kept once"],
    ),
    (
        "lost-item",
        "apiVersion: v1\nkind: Service\nmetadata: {name: dns}\nspec: {ports: [{port: 53, protocol: UDP}]}\n",
        "apiVersion: v1\nkind: Service\nspec:\n  ports: [{port: 54, protocol: TCP}]\n",
        &[],
    ),
    (
        "replaced-list",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {tolerations: [{key: a}, {key: b}]}\n",
        "apiVersion: v1\nkind: Pod\nspec:\n  tolerations: [{key: b}]\n",
        &["4 spec.tolerations is replaced as a whole: live entries would be removed (1)"],
    ),
    (
        "replaced-list",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {tolerations: [{key: a}]}\n",
        "apiVersion: v1\nkind: Pod\nspec:\n  tolerations: [{key: a}, {key: b}]\n",
        &[],
    ),
    (
        "unknown-directive",
        "",
        "apiVersion: v1\nkind: Pod\nspec:\n  $patch: remove\n",
        &["4 $patch is delete, replace or merge, not \"remove\""],
    ),
    (
        "unknown-directive",
        "",
        "apiVersion: v1\nkind: Pod\nspec:\n  $setElementorder/containers: [{name: a}]\n",
        &["4 there is no directive $setElementorder/containers: it becomes a field of the object"],
    ),
    (
        "unknown-directive",
        "",
        "apiVersion: v1\nkind: Pod\nspec:\n  $setElementOrder/containers: [{name: a}]\n  containers: [{name: a}]\n",
        &[],
    ),
    (
        "misplaced-directive",
        "",
        "apiVersion: v1\nkind: Pod\nspec:\n  tolerations: [{key: a, $patch: delete}]\n",
        &["4 tolerations is replaced as a whole: $patch has no effect on its items"],
    ),
    (
        "misplaced-directive",
        "",
        "apiVersion: v1\nkind: Pod\nspec:\n  containers: [{name: a, $patch: delete}]\n",
        &[],
    ),
    (
        "invalid-field",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: default}\n",
        "apiVersion: v1\nkind: ConfigMap\ndata: {a/b: x}\n",
        &[
            "3 data[a/b]: Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
        ],
    ),
    (
        "custom-resource",
        "",
        "apiVersion: example.com/v1\nkind: Account\nspec: {user: eve}\n",
        &["2 a strategic patch of a custom resource"],
    ),
    ("custom-resource", "", "apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n", &[]),
];

fn schemas() -> [Schema; 2] {
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "accounts.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"kind": "Account", "plural": "accounts"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object",
                "properties": {"spec": {
                    "type": "object",
                    "properties": {
                        "account": {"type": "string"}, "user": {"type": "string"}, "group": {"type": "string"},
                    },
                    "x-kubernetes-unions": [
                        {"discriminator": "account", "fields-to-discriminateBy": {"user": "User", "group": "Group"}},
                    ],
                }},
            }}}],
        },
    });
    let builder = SchemaBuilder::builtin(builtin::NEWEST).unwrap().document(&definition).unwrap();
    [Dialect::Upstream, Dialect::Spec].map(|dialect| builder.compile(dialect).unwrap())
}

fn linter([upstream, spec]: &[Schema; 2]) -> Linter<'_> {
    Linter::new(upstream, spec, 37)
}

fn read(text: &str) -> YamlDocument<'_> {
    parse(text.as_bytes(), &Options::default()).unwrap().swap_remove(0)
}

fn findings_in_object(linter: &Linter<'_>, text: &str) -> Vec<Finding> {
    let document = read(text);
    let json = document.to_json().unwrap();
    let value: Value = from_slice(&json).unwrap();
    let [api_version, kind] = ["apiVersion", "kind"].map(|name| value[name].as_str().unwrap());
    let checked = Document::check(&json).unwrap();
    let object = LintObject { item: None, api_version, kind, value: checked.node() };
    linter.objects(&[(&document, vec![object])])
}

fn findings_in_patch(linter: &Linter<'_>, patch_type: PatchType, live: &str, text: &str) -> Vec<Finding> {
    let document = read(text);
    let json = document.to_json().unwrap();
    let value: Value = from_slice(&json).unwrap();
    let names = if live.is_empty() { value } else { from_slice(&read(live).to_json().unwrap()).unwrap() };
    let [api_version, kind] = ["apiVersion", "kind"].map(|name| names[name].as_str().unwrap_or_default());
    let live = if live.is_empty() { None } else { Some(read(live).to_json().unwrap()) };
    let live = live.as_ref().map(|json| Document::check(json).unwrap());
    let patch = Patch::new(patch_type, &json[..]).unwrap();
    let patch = LintPatch { document: &document, patch: &patch, api_version, kind };
    linter.patch(&patch, live.as_ref().map(|live| live.node()))
}

/// What a rule has found: `LINE message`.
fn of_rule(rule: &str, text: &str, findings: &[Finding]) -> Vec<String> {
    let line = |finding: &Finding| text[..finding.location.range.start].matches('\n').count() + 1;
    let found = findings.iter().filter(|finding| finding.rule == rule);
    found.map(|finding| format!("{} {}", line(finding), finding.message)).collect()
}

#[test]
fn rules_find_mistakes_in_objects() {
    let schemas = schemas();
    let mut wrong = Vec::new();
    for (rule, text, wanted) in OBJECTS {
        let found = of_rule(rule, text, &findings_in_object(&linter(&schemas), text));
        if found != *wanted {
            wrong.push(format!("{rule} in\n{text}found {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rules_find_mistakes_in_patches() {
    let schemas = schemas();
    let mut wrong = Vec::new();
    for (rule, live, text, wanted) in PATCHES {
        let found =
            of_rule(rule, text, &findings_in_patch(&linter(&schemas), PatchType::Strategic, live, text));
        if found != *wanted {
            wrong.push(format!("{rule} in\n{text}found {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_text_has_a_hundred_findings_at_most() {
    let schemas = schemas();
    let rest = |count: usize| {
        let fields: Vec<String> = (0..count).map(|number| format!("a{number}: 1\n")).collect();
        let text = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\n{}", fields.concat());
        of_rule("more-findings", &text, &findings_in_object(&linter(&schemas), &text))
    };
    assert_eq!(rest(99), [""; 0]);
    assert_eq!(rest(102), ["104 from here on there are more findings (2)"]);
}

#[test]
fn every_rule_has_cases() {
    let cases = OBJECTS.iter().map(|(rule, _, found)| (*rule, found.is_empty()));
    let cases: BTreeSet<(&str, bool)> =
        cases.chain(PATCHES.iter().map(|(rule, _, _, found)| (*rule, found.is_empty()))).collect();
    for rule in RULES.iter().filter(|rule| !RULES_OF_THE_COMMAND.contains(&rule.code)) {
        let has = |is_empty| cases.contains(&(rule.code, is_empty)) || rule.code == "more-findings";
        assert!(has(false), "{} has no case in which it finds something", rule.code);
        assert!(has(true), "{} has no case in which it finds nothing", rule.code);
    }
}

#[test]
fn patches_of_other_types_are_tried() {
    let schemas = schemas();
    let live = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: b}\n";
    let refused = |patch_type, text: &str| -> Vec<&'static str> {
        findings_in_patch(&linter(&schemas), patch_type, live, text).iter().map(|one| one.rule).collect()
    };
    assert_eq!(refused(PatchType::Json, "- {op: test, path: /data/a, value: c}\n"), ["json-patch-failed"]);
    assert_eq!(refused(PatchType::Json, "- {op: test, path: /data/a, value: b}\n"), [""; 0]);
    assert_eq!(refused(PatchType::Merge, "data: {a: NO}\n"), ["yaml-trap"]);
}

/// A type of patch, a patch, and what is found in it: `RULE LINE message`.
const BY_RFC: &[(PatchType, &str, &[&str])] = &[
    (PatchType::Merge, "spec: {replica: 3}\n", &["unknown-field 1 the schema has no field replica here"]),
    (PatchType::Merge, "spec: {replicas: null, paused: true}\n", &[]),
    (PatchType::Merge, "spec:\n  replicas: '3'\n", &["wrong-type 2 \"3\" is not an integer"]),
    (
        PatchType::Merge,
        "spec:\n  minReadySeconds: 1\n  replicas: -1\n",
        &["invalid-field 3 spec.replicas: Invalid value: -1: must be greater than or equal to 0"],
    ),
    (PatchType::Merge, "spec: {$patch: replace}\n", &["unknown-field 1 the schema has no field $patch here"]),
    (
        PatchType::Json,
        "- {op: add, path: /spec/replica, value: 3}\n",
        &["unknown-field 1 the schema has no field replica here"],
    ),
    (
        PatchType::Json,
        "- {op: add, path: /spec/template/spec/containers/0/resources,\n   value: {limit: {}}}\n",
        &["unknown-field 2 the schema has no field limit here"],
    ),
    (
        PatchType::Json,
        "- op: add\n  path: /spec/template/spec/containers/-\n  value: {name: [], image: b}\n",
        &["wrong-type 3 [] is not a string"],
    ),
    (
        PatchType::Json,
        "- {op: add, path: /metadata/labels, value: {a~b: c}}\n",
        &[
            "invalid-field 1 metadata.labels: Invalid value: \"a~b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        ],
    ),
    (
        PatchType::Json,
        "- {op: add, path: /spec/paused, value: true}\n- {op: replace, path: /spec/replicas, value: -1}\n",
        &["invalid-field 2 spec.replicas: Invalid value: -1: must be greater than or equal to 0"],
    ),
    (PatchType::Json, "- {op: move, from: /spec/replicas, path: /spec/minReadySeconds}\n", &[]),
];

#[test]
fn patches_of_other_types_are_compared_with_the_schema_and_their_results_judged() {
    let schemas = schemas();
    let live = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\nspec:\n  replicas: 2\n  \
                selector: {matchLabels: {app: web}}\n  template: {metadata: {labels: {app: web}}, spec: {containers: \
                [{name: a, image: b}]}}\n";
    for (patch_type, text, wanted) in BY_RFC {
        let found = findings_in_patch(&linter(&schemas), *patch_type, live, text);
        let found = found.iter().map(|one| format!("{} {}", one.rule, of_rule(one.rule, text, &found)[0]));
        assert_eq!(found.collect::<Vec<_>>(), *wanted, "{text}");
    }
}

#[test]
fn comments_hide_findings() {
    let schemas = schemas();
    let text = "apiVersion: v1\nkind: Pod\nspec:\n  a: 1\n  b: 1 # kubemerge: ignore unknown-field\n  # kubemerge: ignore unknown-field\n  c: 1\n  d: 1 # kubemerge: ignore yaml-trap\n";
    let findings = findings_in_object(&linter(&schemas), text);
    let shown: Vec<Finding> = findings.into_iter().filter(|finding| !is_ignored(text, finding)).collect();
    let wanted = ["4 the schema has no field a here", "8 the schema has no field d here"];
    assert_eq!(of_rule("unknown-field", text, &shown), wanted);
}
