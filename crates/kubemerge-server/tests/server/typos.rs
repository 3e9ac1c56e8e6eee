//! Kinds that are not served: no handle of a server takes one for an object that is missing.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use k8s_openapi::api::core::v1::{ConfigMap, Node};
use kubemerge_server::{ApiServer, Scope};
use serde_json::{Value, json};

use crate::server::support::{CONFIG_MAPS, ask, config_map};

const SHORT: Duration = Duration::from_millis(50);
const LONG: Duration = Duration::from_mins(1);
const TYPO: &str = r#"no kind "Configmap" is served in "v1"; did you mean "ConfigMap"?"#;

fn server() -> ApiServer {
    ApiServer::builder().objects([config_map("a")]).build().unwrap()
}

fn panic_of<T>(call: impl FnOnce() -> T) -> String {
    let payload = catch_unwind(AssertUnwindSafe(call)).err().expect("it panics");
    *payload.downcast::<String>().expect("a panic with a text")
}

fn no_values(_: &Value) -> Vec<String> {
    Vec::new()
}

#[test]
fn a_typo_passes_no_handle() {
    let server = server();
    assert_eq!(panic_of(|| server.get("v1", "Configmap", "default", "a")), TYPO);
    assert_eq!(panic_of(|| server.list("v1", "Configmap", "default")), TYPO);
    assert_eq!(panic_of(|| server.object("v1", "Configmap", "default", "a")), TYPO);
    assert_eq!(panic_of(|| server.owners("v1", "Configmap", "default", "a")), TYPO);
    assert_eq!(panic_of(|| server.remove("v1", "Configmap", "default", "a")), TYPO);
    assert_eq!(panic_of(|| server.field_index("v1", "Configmap", "data.a", no_values)), TYPO);
    let typo = json!({"apiVersion": "v1", "kind": "Configmap", "metadata": {"name": "a"}});
    assert_eq!(server.set(typo.clone()).unwrap_err().message(), TYPO);
    assert!(server.restore_dump(vec![typo.clone()]).unwrap_err().to_string().ends_with(TYPO));
    assert!(server.apply_yaml(&typo.to_string()).unwrap_err().to_string().ends_with(TYPO));
    assert!(ApiServer::builder().objects([typo]).build().err().unwrap().to_string().ends_with(TYPO));
    let indexed = ApiServer::builder().field_index("v1", "Configmap", "data.a", no_values).build();
    assert_eq!(indexed.err().unwrap().to_string(), format!("field index \"data.a\": {TYPO}"));
    assert!(server.remove("v1", "ConfigMap", "default", "a"), "nothing of it has an effect");
}

#[test]
fn the_cure_is_named_where_one_is_known() {
    let server = server();
    for (version, kind, hint) in [
        ("v1", "configmaps", "; did you mean \"ConfigMap\"?"),
        ("v1", "ConfgMap", "; did you mean \"ConfigMap\"?"),
        ("v1", "Deployment", ", but in \"apps/v1\""),
        ("apps/v1beta1", "Deployment", ", but in \"apps/v1\""),
        ("example.com/v1", "Widget", "; a custom resource needs its definition"),
        ("v1", "Wombat", ""),
    ] {
        let text = panic_of(|| server.get(version, kind, "default", "a"));
        assert_eq!(text, format!("no kind {kind:?} is served in {version:?}{hint}"));
    }
}

#[tokio::test]
async fn a_custom_resource_may_be_defined_later() {
    let server = server();
    let widget = server.object("example.com/v1", "Widget", "default", "w");
    let unserved =
        "no kind \"Widget\" is served in \"example.com/v1\"; a custom resource needs its definition";
    assert_eq!(panic_of(|| widget.value()), unserved);
    // A misspelt kind would pass as deleted.
    let failed = tokio::spawn(widget.wait_for(Value::is_null, SHORT)).await.unwrap_err().into_panic();
    let failed = *failed.downcast::<String>().unwrap();
    assert!(failed.ends_with(&format!("waited 50ms for Widget default/w, but {unserved}")), "{failed}");

    let gone = tokio::spawn(widget.wait_for(Value::is_null, LONG));
    tokio::task::yield_now().await;
    let other = ApiServer::builder().kind("example.com/v1", "Widget", "widgets", Scope::Namespaced).build();
    let definition = other.unwrap().list("apiextensions.k8s.io/v1", "CustomResourceDefinition", "").remove(0);
    server.set(definition).unwrap();
    assert!(gone.await.unwrap().is_null());
    assert_eq!(widget.value(), None);
    server.remove("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "widgets.example.com");
    assert_eq!(server.object("v1", "ConfigMap", "default", "a").value().unwrap()["kind"], "ConfigMap");
}

#[tokio::test]
async fn typed_handles_have_nothing_to_misspell() {
    let server = server();
    let map = server.object_of::<ConfigMap>("default", "a");
    assert_eq!(map.value().and_then(|map| map.data).unwrap()["a"], "1");
    assert_eq!(server.list_of::<ConfigMap>("default").len(), 1);
    assert_eq!(server.list_of::<ConfigMap>("other"), []);
    assert_eq!(server.list("v1", "ConfigMap", ""), server.list("v1", "ConfigMap", "default"));
    assert_eq!(server.object_of::<Node>("ignored", "n").value(), None);
    map.assert_has(&json!({"data": {"a": "1"}}));
    assert!(map.owners().fields().is_empty());
    let there = map.wait_for(|map| map.is_some_and(|map| map.data.is_some()), LONG).await;
    assert_eq!(there, map.value());
    let gone = map.wait_for(|map| map.is_none(), LONG);
    ask(&server, "DELETE", &format!("{CONFIG_MAPS}/a"), json!(null)).await;
    assert_eq!(gone.await, None);
    assert!(!map.remove());
}
