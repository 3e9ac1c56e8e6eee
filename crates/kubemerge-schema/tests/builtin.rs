//! The built-in tables of every version.

use kubemerge_schema::{Dialect, ListStrategy, Required, Schema, Shape, Stats, Type, builtin};

#[test]
fn the_newest_version_is_built_in() {
    for dialect in [Dialect::Upstream, Dialect::Spec, Dialect::Kustomize] {
        assert!(Schema::latest(dialect).type_of("apps/v1", "Deployment").is_some(), "{dialect:?}");
    }
}

fn newest(dialect: Dialect) -> Schema {
    Schema::builtin(builtin::NEWEST, dialect).unwrap()
}

/// The keys by which a list at a path of map fields merges.
fn keys(schema: &Schema, api_version: &str, kind: &str, path: &str) -> String {
    let mut fields: Vec<&str> = path.split('.').collect();
    let list = fields.pop().unwrap();
    let mut ty = schema.type_of(api_version, kind).unwrap();
    for field in fields {
        ty = ty.map_field(field).unwrap().value;
    }
    match ty.list_field(list).unwrap().strategy {
        ListStrategy::Keyed(keys) => {
            let keys = keys.iter().map(|key| match &key.default {
                Some(default) => format!("{}={default}", key.name),
                None => key.name.clone(),
            });
            keys.collect::<Vec<_>>().join(",")
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn every_version_has_its_numbers() {
    let lines: Vec<String> =
        builtin::releases().iter().map(|release| line(release.version, release.patch)).collect();
    let expected = include_str!("builtin_stats.txt");
    assert_eq!(lines.join("\n"), expected.trim_end(), "tests/builtin_stats.txt");
}

fn line(version: &str, patch: &str) -> String {
    let s: Stats = Schema::builtin(version, Dialect::Upstream).unwrap().stats();
    format!(
        "{patch}: {} definitions, {} kinds, {} resources, {} patch-strategy, {} patch-merge-key, {} list-type, {} list-map-keys, {} map-type",
        s.definitions,
        s.kinds,
        s.resources,
        s.patch_strategy,
        s.patch_merge_key,
        s.list_type,
        s.list_map_keys,
        s.map_type,
    )
}

#[test]
fn service_ports_differ_between_dialects() {
    assert_eq!(keys(&newest(Dialect::Upstream), "v1", "Service", "spec.ports"), "port");
    assert_eq!(keys(&newest(Dialect::Spec), "v1", "Service", "spec.ports"), "port=0,protocol=\"TCP\"");
}

#[test]
fn known_lists_merge_as_documented() {
    let schema = newest(Dialect::Upstream);
    assert_eq!(keys(&schema, "v1", "Pod", "spec.containers"), "name");
    assert_eq!(keys(&schema, "v1", "Pod", "spec.tolerations"), "Atomic");
    assert_eq!(keys(&schema, "v1", "Pod", "metadata.finalizers"), "Scalars");
    assert_eq!(keys(&schema, "v1", "Pod", "metadata.ownerReferences"), "uid");
    assert_eq!(keys(&schema, "apps/v1", "Deployment", "spec.template.spec.volumes"), "name");
}

fn failure<T>(result: Result<T, kubemerge_schema::LookupError>) -> String {
    result.err().map_or("no failure".to_owned(), |error| format!("{}: {}", error.kind.name(), error.message))
}

fn at<'s>(schema: &'s Schema, api_version: &str, kind: &str, path: &[&str]) -> Type<'s> {
    let root = schema.type_of(api_version, kind).unwrap();
    path.iter().fold(root, |ty, field| ty.map_field(field).unwrap().value)
}

#[test]
fn built_in_types_are_looked_up_as_go_types() {
    let schema = newest(Dialect::Upstream);
    let spec = at(&schema, "v1", "Pod", &["spec"]);
    assert!(
        matches!(spec.list_field("CONTAINERS").unwrap().strategy, ListStrategy::Keyed(_)),
        "case is ignored"
    );
    assert!(spec.list_field("toleration\u{17f}").is_ok(), "the long s is an s");
    assert_eq!(
        failure(spec.map_field("nothing")),
        "unknown-field: unable to find api field in struct PodSpec for the json field \"nothing\""
    );
    assert_eq!(
        failure(at(&schema, "v1", "Pod", &["metadata", "labels"]).map_field("app")),
        "schema-mismatch: merging an object in json but data type is not struct, instead is: map"
    );
    assert_eq!(
        failure(at(&schema, "v1", "Pod", &["spec", "containers"]).map_field("x")),
        "schema-mismatch: merging an object in json but data type is not struct, instead is: slice"
    );
    assert_eq!(
        failure(at(&schema, "v1", "Pod", &[]).list_field("metadata")),
        "schema-mismatch: expected slice or array type, but got: struct"
    );
    assert_eq!(
        failure(at(&schema, "apps/v1", "ControllerRevision", &["data"]).map_field("spec")),
        "unknown-field: unable to find api field in struct RawExtension for the json field \"spec\""
    );
}

/// The tables know which fields are pointers: Kubernetes takes a pointer to anything for a list.
#[test]
fn pointers_are_taken_for_lists() {
    let schema = newest(Dialect::Upstream);
    let spec = at(&schema, "v1", "Pod", &["spec"]);
    assert_eq!(spec.list_field("securityContext").unwrap().item.name(), "struct");
    assert_eq!(spec.map_field("securityContext").unwrap().value.name(), "ptr");
    let container = spec.list_field("containers").unwrap().item;
    let probe = container.map_field("livenessProbe").unwrap().value;
    assert!(probe.list_field("exec").is_ok(), "a pointer of an inlined struct");
    assert_eq!(
        failure(probe.list_field("periodSeconds")),
        "schema-mismatch: expected slice or array type, but got: ptr"
    );
}

#[test]
fn messages_name_go_kinds() {
    let schema = newest(Dialect::Upstream);
    let metadata = at(&schema, "v1", "Pod", &["metadata"]);
    assert_eq!(metadata.name(), "struct");
    assert_eq!(metadata.list_field("finalizers").unwrap().item.name(), "string");
    assert_eq!(at(&schema, "v1", "Pod", &["metadata", "labels"]).name(), "map");
}

#[test]
fn fields_tell_their_facts() {
    let schema = newest(Dialect::Spec);
    let port = schema.definition("io.k8s.api.core.v1.ServicePort").unwrap();
    let protocol = port.field("protocol").unwrap();
    assert_eq!((protocol.required, protocol.ty.shape()), (Required::No, Shape::String));
    assert_eq!(protocol.ty.default(), Some("TCP".into()));
    assert_eq!(port.field("port").unwrap().required, Required::Yes);
    assert_eq!(port.field("port").unwrap().ty.format(), Some("int32"));
    assert!(port.field("targetPort").unwrap().ty.is_int_or_string());
    assert_eq!(port.field("nothing").map(|field| field.name), None);
    let owners = schema.definition("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta").unwrap();
    let items = owners.field("ownerReferences").unwrap().ty.items().unwrap();
    assert_eq!(items.reference().unwrap().name(), "io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference");
}

#[test]
fn resources_tell_the_rest_interface() {
    let schema = newest(Dialect::Upstream);
    let pods = schema.resource("", "v1", "pods").unwrap();
    assert_eq!((pods.kind(), pods.singular(), pods.is_namespaced()), ("Pod", "pod", true));
    assert_eq!(pods.short_names().collect::<Vec<_>>(), ["po"]);
    assert_eq!(pods.categories().collect::<Vec<_>>(), ["all"]);
    assert_eq!(
        pods.verbs().collect::<Vec<_>>(),
        ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
    );
    let eviction = pods.subresources().find(|part| part.name() == "eviction").unwrap();
    assert_eq!((eviction.group(), eviction.version(), eviction.kind()), ("policy", "v1", "Eviction"));
    assert!(!schema.resource("", "v1", "nodes").unwrap().is_namespaced());
}

/// Releases without discovery files get the same facts from the paths of their OpenAPI documents.
#[test]
fn old_releases_have_resources_too() {
    let old = Schema::builtin("1.25", Dialect::Upstream).unwrap();
    let deployments = old.resource("apps", "v1", "deployments").unwrap();
    assert_eq!((deployments.singular(), deployments.is_namespaced()), ("deployment", true));
    assert_eq!(deployments.short_names().collect::<Vec<_>>(), ["deploy"]);
    let parts: Vec<&str> = deployments.subresources().map(|part| part.name()).collect();
    assert_eq!(parts, ["scale", "status"]);
    let scale = deployments.subresources().next().unwrap();
    assert_eq!((scale.group(), scale.version(), scale.kind()), ("autoscaling", "v1", "Scale"));
}

#[test]
fn versions_are_named_freely() {
    for name in ["1.37", "v1.37", "1.37.0", "v1.37.9"] {
        assert!(Schema::builtin(name, Dialect::Upstream).is_ok(), "{name}");
    }
    for name in ["", "1.3", "1.370", "2", "1.24"] {
        let error = Schema::builtin(name, Dialect::Upstream).unwrap_err();
        let text = format!(
            "there are no built-in tables for Kubernetes {name:?} (built-in versions are 1.25 to 1.37)"
        );
        assert_eq!(error.to_string(), text);
    }
}

/// Every reference of every version leads to a definition, and every kind has one.
#[test]
fn tables_are_whole() {
    for release in builtin::releases() {
        let schema = Schema::builtin(release.version, Dialect::Spec).unwrap();
        for definition in schema.definitions() {
            for field in definition.ty().fields() {
                let described = field.ty.reference().is_some() || field.ty.shape() != Shape::Any;
                assert!(described, "{}: {}.{}", release.version, definition.name(), field.name);
            }
        }
        for resource in schema.resources().filter(|resource| !resource.verbs().any(|verb| verb == "create")) {
            assert!(resource.verbs().count() > 0, "{}", resource.plural());
        }
    }
}

#[test]
fn schemas_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&newest(Dialect::Upstream));
}

#[test]
fn tables_stay_small() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/builtin");
    let size = |name: &str| std::fs::metadata(folder.join(name)).unwrap().len();
    let total = size("strings.txt") + size("tables.bin");
    assert!(total <= 400_000, "{total} bytes");
}

#[test]
fn kustomize_has_a_table_of_its_own() {
    let schema = newest(Dialect::Kustomize);
    assert_eq!(keys(&schema, "v1", "Service", "spec.ports"), "port,protocol");
    assert_eq!(keys(&schema, "v1", "Pod", "spec.containers"), "name");
    assert_eq!(keys(&schema, "v1", "Pod", "metadata.finalizers"), "Scalars");
    assert_eq!(keys(&schema, "v1", "Pod", "spec.tolerations"), "Atomic");
    assert!(schema.type_of("policy/v1beta1", "PodSecurityPolicy").is_some());
    assert!(schema.type_of("autoscaling/v2", "HorizontalPodAutoscaler").is_none());
    assert_eq!(schema.stats().definitions, 618);
}

#[test]
fn the_release_of_kustomize_cannot_be_asked_for() {
    assert!(Schema::builtin("1.21", Dialect::Upstream).is_err());
    assert!(builtin::releases().iter().all(|release| release.version != "1.21"));
}
