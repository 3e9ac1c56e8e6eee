//! What the admission plugins of kube-apiserver 1.37 do, and the objects of a fresh cluster.

use kubemerge_server::ApiServer;
use serde_json::{Value, json};

use crate::server::support::*;

fn bare_pod(spec: &Value) -> Value {
    let mut pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c", "image": "i"}]}});
    for (name, value) in spec.as_object().unwrap() {
        pod["spec"][name] = value.clone();
    }
    pod
}

async fn create_pod(server: &ApiServer, spec: Value) -> Answer {
    ask(server, "POST", PODS, bare_pod(&spec)).await
}

#[tokio::test]
async fn pods_get_the_priority_of_their_class() {
    let server = server();
    let spec =
        create_pod(&server, json!({"priorityClassName": "system-node-critical"})).await.body["spec"].clone();
    assert_eq!(
        (&spec["priority"], &spec["preemptionPolicy"]),
        (&json!(2_000_001_000), &json!("PreemptLowerPriority"))
    );
    for (spec, message) in [
        (
            json!({"priorityClassName": "nope"}),
            "pods \"p\" is forbidden: no PriorityClass with name nope was found",
        ),
        (
            json!({"priority": 7}),
            "pods \"p\" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority \
             admission controller computed 0 from the given PriorityClass name",
        ),
        (
            json!({"runtimeClassName": "nope"}),
            "pods \"p\" is forbidden: pod rejected: RuntimeClass \"nope\" not found",
        ),
    ] {
        let answer = create_pod(&server, spec).await;
        assert_eq!((answer.code, answer.body["message"].as_str()), (403, Some(message)));
    }
}

#[tokio::test]
async fn pods_tolerate_nodes_that_fail_for_a_while() {
    let server = server();
    let own = json!([{"key": "node.kubernetes.io/not-ready", "operator": "Exists"}]);
    let tolerations =
        create_pod(&server, json!({"tolerations": own})).await.body["spec"]["tolerations"].clone();
    let added = json!({"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute",
        "tolerationSeconds": 300});
    assert_eq!(tolerations, json!([own[0], added]));
}

#[tokio::test]
async fn only_one_priority_class_is_the_default() {
    let server = server();
    let path = "/apis/scheduling.k8s.io/v1/priorityclasses";
    let class = |name: &str| json!({"metadata": {"name": name}, "value": 5, "globalDefault": true});
    assert_eq!(ask(&server, "POST", path, class("a")).await.code, 201);
    let second = ask(&server, "POST", path, class("b")).await;
    assert_eq!(
        second.body["message"],
        "priorityclasses.scheduling.k8s.io \"b\" is forbidden: PriorityClass a is already marked as default. Only \
         one default can exist"
    );
    assert_eq!(create_pod(&server, json!({})).await.body["spec"]["priorityClassName"], "a");
}

#[tokio::test]
async fn a_claim_stays_while_a_running_pod_uses_it() {
    let server = server();
    let claims = "/api/v1/namespaces/default/persistentvolumeclaims";
    let claim = json!({"metadata": {"name": "c"}, "spec": {"accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}}}});
    let created = ask(&server, "POST", claims, claim).await;
    assert_eq!(created.body["metadata"]["finalizers"], json!(["kubernetes.io/pvc-protection"]));
    let volumes = json!([{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]);
    create_pod(&server, json!({"nodeName": "n", "volumes": volumes})).await;
    let path = format!("{claims}/c");
    assert_ne!(
        ask(&server, "DELETE", &path, Value::Null).await.body["metadata"]["deletionTimestamp"],
        Value::Null
    );
    assert_eq!(get(&server, &path).await.code, 200);
    ask(&server, "DELETE", &format!("{PODS}/p?gracePeriodSeconds=0"), Value::Null).await;
    assert_eq!(get(&server, &path).await.code, 404);
}

fn warnings(answer: &Answer) -> Vec<&str> {
    answer.headers.get_all("warning").iter().map(|value| value.to_str().unwrap()).collect()
}

#[tokio::test]
async fn pods_that_deserve_it_get_a_warning() {
    let server = server();
    let port = json!({"containerPort": 80, "protocol": "TCP"});
    let env =
        json!([{"name": "A", "value": "1"}, {"name": "A", "value": "2"}, {"name": "A", "value": "$(A)3"}]);
    let container = json!({"name": "c", "image": "i", "ports": [port, port], "env": env});
    let answer = create_pod(&server, json!({"containers": [container]})).await;
    assert_eq!(
        warnings(&answer),
        [
            "299 - \"spec.containers[0].env[1]: hides previous definition of \\\"A\\\", which may be dropped when using \
             apply\"",
            "299 - \"spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]\"",
        ]
    );
}

#[tokio::test]
async fn deprecated_kinds_and_orphaned_pods_get_a_warning() {
    let server = server();
    assert_eq!(
        warnings(&get(&server, "/api/v1/namespaces/default/endpoints/nope").await),
        ["299 - \"v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice\""]
    );
    let jobs = "/apis/batch/v1/namespaces/default/jobs";
    let template = json!({"spec": {"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Never"}});
    ask(&server, "POST", jobs, json!({"metadata": {"name": "j"}, "spec": {"template": template}})).await;
    let deleted = ask(&server, "DELETE", &format!("{jobs}/j"), Value::Null).await;
    assert!(
        warnings(&deleted)[0].contains("child pods are preserved by default"),
        "{:?}",
        warnings(&deleted)
    );
}

#[tokio::test]
async fn reviews_are_answered_as_kube_apiserver_does() {
    let server = server();
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let spec = json!({"resourceAttributes": {"verb": "get", "resource": "pods"}});
    let allowed = ask(&server, "POST", path, json!({ "spec": spec })).await;
    assert_eq!(allowed.body["status"], json!({"allowed": true}));
    let refused = ask(&server, "POST", path, json!({"spec": {}})).await;
    assert_eq!(
        refused.body["message"],
        ".authorization.k8s.io \"\" is invalid: spec: Invalid value: null: exactly one of nonResourceAttributes or \
         resourceAttributes must be specified"
    );
    let path = "/apis/authentication.k8s.io/v1/tokenreviews";
    let token = ask(&server, "POST", path, json!({"spec": {"token": "t"}})).await;
    assert_eq!(token.body["status"], json!({"user": {}, "error": "invalid bearer token"}));
    assert_eq!(ask(&server, "POST", path, json!({"spec": {}})).await.code, 400);
}

#[tokio::test]
async fn tokens_of_service_accounts_are_known_until_they_end() {
    let server = server();
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    ask(&server, "POST", accounts, json!({"metadata": {"name": "bot"}})).await;
    let issued = ask(&server, "POST", &format!("{accounts}/bot/token"), json!({"spec": {}})).await;
    assert_eq!((issued.code, &issued.body["spec"]["expirationSeconds"]), (201, &json!(3600)));
    let review = json!({"spec": {"token": issued.body["status"]["token"], "audiences": ["https://kubernetes.default.svc"]}});
    let path = "/apis/authentication.k8s.io/v1/tokenreviews";
    let known = ask(&server, "POST", path, review.clone()).await;
    assert_eq!(known.body["status"]["user"]["username"], "system:serviceaccount:default:bot");
    assert_eq!(known.body["status"]["audiences"], json!(["https://kubernetes.default.svc"]));
    let mut elsewhere = review.clone();
    elsewhere["spec"]["audiences"] = json!(["x"]);
    let refused = ask(&server, "POST", path, elsewhere).await;
    assert_eq!(
        refused.body["status"]["error"],
        "[invalid bearer token, token audiences [\"https://kubernetes.default.svc\"] is invalid for the target \
         audiences [\"x\"]]"
    );
    ask(&server, "DELETE", &format!("{accounts}/bot"), Value::Null).await;
    let ended = ask(&server, "POST", path, review).await;
    let error = "[invalid bearer token, serviceaccounts \"bot\" not found]";
    assert_eq!(ended.body["status"]["error"], error);
}

#[tokio::test]
async fn a_fresh_cluster_has_its_objects_and_an_empty_one_has_none() {
    let service = get(&server(), "/api/v1/namespaces/default/services/kubernetes").await.body;
    assert_eq!(service["spec"]["clusterIP"], "10.0.0.1");
    let counts = server().counts();
    let count = |name: &str| counts.iter().find(|(kind, _)| kind == name).map_or(0, |(_, count)| *count);
    for (kind, wanted) in [
        ("namespaces", 4),
        ("services", 1),
        ("endpoints", 1),
        ("endpointslices.discovery.k8s.io", 1),
        ("servicecidrs.networking.k8s.io", 1),
        ("ipaddresses.networking.k8s.io", 1),
        ("priorityclasses.scheduling.k8s.io", 2),
    ] {
        assert_eq!(count(kind), wanted, "{kind}");
    }
    assert!(ApiServer::builder().empty().build().unwrap().dump().is_empty());
}

#[tokio::test]
async fn alpha_and_beta_versions_are_served_on_request() {
    let path = "/apis/resource.k8s.io/v1beta1";
    assert_eq!(get(&server(), path).await.code, 404);
    let all = ApiServer::builder().alpha_and_beta().build().unwrap();
    assert_eq!(get(&all, path).await.code, 200);
}

#[tokio::test]
async fn health_checks_are_named() {
    let request = http::Request::builder().uri("/readyz?verbose").body(bytes::Bytes::new()).unwrap();
    let response = server().handle(request).await;
    let text = String::from_utf8(response.body().as_bytes().unwrap().to_vec()).unwrap();
    assert!(text.starts_with("[+]ping ok\n[+]log ok\n[+]etcd ok\n"), "{text}");
    assert!(text.ends_with("[+]shutdown ok\nreadyz check passed\n"), "{text}");
}
