//! The examples of the guide for kube-rs users, as they are there.

use std::{error::Error, sync::Arc, time::Duration};

use futures_util::StreamExt;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Pod, Secret},
};
use kube::{
    Api, Client, CustomResource, CustomResourceExt, Resource, ResourceExt,
    api::{AttachParams, DeleteParams, ListParams, LogParams, Patch, PatchParams, PostParams},
    runtime::{
        controller::{Action, Controller},
        wait::await_condition,
        watcher,
    },
};
use kubemerge_server::{ApiServer, ExecProcess, Failure, ForwardedPort, On};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::server::support::{deployment, pod};

type Done = Result<(), Box<dyn Error>>;

mod first {
    use k8s_openapi::api::core::v1::Pod;
    use kube::{
        Api,
        api::{Patch, PatchParams},
    };
    use kubemerge_server::ApiServer;
    use serde_json::json;

    #[tokio::test]
    async fn patching_one_container_keeps_the_other() {
        let server = ApiServer::builder().yaml(include_str!("pod.yaml")).build().unwrap();
        let pods: Api<Pod> = Api::default_namespaced(server.client());
        let patch = json!({"spec": {"containers": [{"name": "nginx", "image": "nginx:1.21"}]}});
        let pod = pods.patch("web", &PatchParams::default(), &Patch::Strategic(patch)).await.unwrap();
        assert_eq!(pod.spec.unwrap().containers.len(), 2);
    }
}

#[tokio::test]
async fn direct_access_and_waiting() -> Done {
    let server = ApiServer::builder().objects([deployment("web"), pod("web")]).build()?;
    {
        server.set(json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}))?;
        let pod = server.get("v1", "Pod", "default", "web");
        server.remove("v1", "Pod", "default", "web");
        let maps = server.list("v1", "ConfigMap", "default"); // "" for all namespaces
        let everything = server.dump();
        assert!(maps.is_empty());
        assert!(pod.is_some() && everything.iter().any(|object| object["kind"] == "Node"));
    }
    server
        .apply_yaml("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 4}\n")?;
    let other = server.clone();
    tokio::spawn(async move {
        let mut web = other.get("apps/v1", "Deployment", "default", "web").unwrap();
        web["status"]["readyReplicas"] = json!(4);
        other.set(web).unwrap();
    });
    let web = server.object("apps/v1", "Deployment", "default", "web");
    web.assert_has(&json!({"spec": {"replicas": 4}})); // and whatever else
    let ready = |web: &Value| web["status"]["readyReplicas"] == 4;
    let web = web.wait_for(ready, Duration::from_mins(1)).await;
    assert_eq!(web["kind"], "Deployment");
    server.set(pod("web"))?;
    let pod = server.object_of::<Pod>("default", "web");
    assert_eq!(pod.value().and_then(|pod| pod.spec).unwrap().containers.len(), 2);
    pod.remove();
    assert_eq!(pod.wait_for(|pod| pod.is_none(), Duration::from_mins(1)).await, None);
    assert_eq!(server.list_of::<Pod>("default"), []);
    Ok(())
}

#[tokio::test]
async fn pod_logs() -> Done {
    let server = ApiServer::builder().objects([pod("web")]).build()?;
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    server.set_pod_log("default", "web", "nginx", "started\n");
    server.append_pod_log("default", "web", "nginx", "ready\n"); // clients that follow see the line
    server.set_previous_pod_log("default", "web", "nginx", "panicked\n");
    let params = LogParams { container: Some("nginx".into()), tail_lines: Some(1), ..LogParams::default() };
    assert_eq!(pods.logs("web", &params).await?, "ready\n");
    server.end_pod_log("default", "web", "nginx"); // the end for clients that follow
    Ok(())
}

#[tokio::test]
async fn exec() -> Done {
    let server = ApiServer::builder().objects([pod("web")]).build()?;
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    server.on_exec("default", "web", |mut process: ExecProcess| async move {
        let input = process.read_stdin().await?;
        process.print(&input.to_uppercase()).await?;
        Ok(0) // the exit code
    });
    server.on_port_forward("default", "web", |mut connection: ForwardedPort| async move {
        connection.stream.write_all(format!("this is port {}", connection.port).as_bytes()).await
    });
    let mut process =
        pods.exec("web", ["tr", "a-z", "A-Z"], &AttachParams::default().container("nginx")).await?;
    let status = process.take_status().ok_or("no status")?.await;
    assert_eq!(status.and_then(|status| status.status).as_deref(), Some("Success"));
    let mut forward = pods.portforward("web", &[80]).await?;
    let (mut text, mut port) = (String::new(), forward.take_stream(80).ok_or("no stream")?);
    port.read_to_string(&mut text).await?;
    assert_eq!(text, "this is port 80");
    Ok(())
}

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Widget", namespaced)]
struct WidgetSpec {}

fn widget(name: &str) -> Widget {
    Widget::new(name, WidgetSpec {})
}

mod my_operator {
    use super::*;

    /// Makes a pod for every widget, which it owns.
    pub(super) async fn run(client: Client) {
        let widgets: Api<Widget> = Api::default_namespaced(client.clone());
        let reconcile = async |widget: Arc<Widget>, client: Arc<Client>| {
            let mut made: Pod = serde_json::from_value(pod(&widget.name_any())).expect("a pod");
            made.metadata.owner_references = Some(widget.controller_owner_ref(&()).into_iter().collect());
            let pods: Api<Pod> = Api::default_namespaced((*client).clone());
            pods.create(&PostParams::default(), &made).await.map(|_| Action::await_change())
        };
        let policy = |_: Arc<Widget>, _: &kube::Error, _: Arc<Client>| Action::await_change();
        let controller = Controller::new(widgets, watcher::Config::default());
        controller.run(reconcile, policy, Arc::new(client)).for_each(async |_| {}).await;
    }
}

#[tokio::test]
async fn controllers() -> Done {
    let server = ApiServer::builder().crds([Widget::crd()]).build()?;
    let controller = tokio::spawn(my_operator::run(server.client()));
    let widgets: Api<Widget> = Api::default_namespaced(server.client());
    widgets.create(&PostParams::default(), &widget("w")).await?;

    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let made = await_condition(pods.clone(), "w", |pod: Option<&Pod>| pod.is_some());
    tokio::time::timeout(Duration::from_mins(1), made).await??;

    widgets.delete("w", &DeleteParams::default()).await?;
    assert_eq!(pods.get_opt("w").await?, None); // collected with its owner
    server.assert_requests_among_others(&[On::verb("create").resource("pods"), On::verb("delete")]);
    controller.abort();
    Ok(())
}

#[tokio::test]
async fn server_side_apply() -> Done {
    let server = ApiServer::builder().build()?;
    let deployments: Api<Deployment> = Api::default_namespaced(server.client());
    let config = deployment("web");
    let params = PatchParams::apply("operator");
    deployments.patch("web", &params, &Patch::Apply(&config)).await?;

    let owners = server.owners("apps/v1", "Deployment", "default", "web");
    owners.assert(".spec.replicas", &["operator"]);
    assert_eq!(owners.of_manager("autoscaler"), Vec::<&str>::new());
    Ok(())
}

#[tokio::test]
async fn faults() -> Done {
    let server = ApiServer::builder().build()?;
    {
        use kubemerge_server::{Failure, Fault, On};

        let conflict = Failure::new(409, "Conflict", "another client was faster");
        server.inject(On::verb("update").resource("deployments.apps").nth(1, Fault::Fail(conflict)));
        let busy = Failure::new(429, "TooManyRequests", "slow down").retry_after(1);
        server.inject(On::verb("list").first(2, Fault::Fail(busy)));
        server.inject(
            On::verb("create").resource("pods").always(Fault::LoseAnswer(Failure::new(500, "", "lost"))),
        );
        server.inject(On::verb("watch").resource("configmaps").always(Fault::DropEvent(1)));
        server.inject(On::any().sometimes(0.1, Fault::Delay(std::time::Duration::from_millis(20))));
        server.compact(); // older watches and pages get 410
        server.clear_faults();
    }
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    assert_eq!(pods.list(&ListParams::default()).await?.items.len(), 0);
    Ok(())
}

#[tokio::test]
async fn interceptors() -> Done {
    let server = ApiServer::builder().build()?;
    {
        use kubemerge_server::{CreateRequest, GetRequest, InterceptedAnswer, PatchRequest};

        server.intercept(On::any().resource("pods").before(|create: &mut CreateRequest<Pod>| {
            create.object.labels_mut().insert("injected".into(), "yes".into());
            Ok(()) // or Err(Failure) to refuse the request
        }));
        server.intercept(On::any().resource("secrets").instead(|get: &GetRequest| {
            let missing = Failure::new(404, "NotFound", "no secrets here");
            (get.address.name.as_deref() == Some("token")).then_some(Err::<Secret, _>(missing)) // None: as usual
        }));
        server.intercept(On::any().resource("deployments").after(
            |patch: &PatchRequest, answer: &mut InterceptedAnswer| {
                println!("{} was answered with {}", patch.patch, answer.code);
            },
        ));
    }
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let created = pods.create(&PostParams::default(), &serde_json::from_value(pod("p"))?).await?;
    assert_eq!(created.labels()["injected"], "yes");
    let secrets: Api<Secret> = Api::default_namespaced(server.client());
    let refused = crate::server::support::status(secrets.get("token").await);
    assert_eq!(refused.message, "no secrets here");
    Ok(())
}

#[tokio::test]
async fn a_service_around_the_server() -> Done {
    let server = ApiServer::builder().objects([pod("web")]).build()?;
    let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let server = server.clone();
        async move {
            let (parts, body) = request.into_parts();
            let request = http::Request::from_parts(parts, body.collect_bytes().await?);
            let response = server.handle(request).await;
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(response)
        }
    });
    let client = kube::Client::new(service, "default");
    let pods: Api<Pod> = Api::default_namespaced(client);
    assert_eq!(pods.list(&ListParams::default()).await?.items.len(), 1);
    Ok(())
}

#[tokio::test]
async fn the_request_log() -> Done {
    let server = ApiServer::builder().objects([deployment("web")]).build()?;
    let deployments: Api<Deployment> = Api::default_namespaced(server.client());
    deployments.get("web").await?;
    let scale = Patch::Merge(json!({"spec": {"replicas": 3}}));
    deployments.patch("web", &PatchParams::default(), &scale).await?;
    {
        let patches: Vec<_> =
            server.requests().into_iter().filter(|entry| entry.is("PATCH", "deployments")).collect();
        assert_eq!(
            patches[0].transitions[0].diff(),
            ["~ metadata.generation: 1 -> 2", "~ spec.replicas: 1 -> 3"]
        );
    }
    let patch = On::verb("patch").resource("deployments.apps").name("web");
    assert_eq!(server.requests_to(&patch).len(), 1);
    server.assert_requests(&[On::verb("get"), patch.clone()]); // exactly these, in this order
    server.clear_requests();
    deployments.list(&ListParams::default()).await?;
    deployments.patch("web", &PatchParams::default(), &scale).await?;
    server.assert_requests_among_others(&[On::verb("list"), patch]); // these, in this order
    Ok(())
}

mod admission {
    use std::error::Error;

    use kubemerge_server::{AdmissionPlugin, ApiServer};
    use serde_json::json;

    #[tokio::test]
    async fn plugins_are_options() -> Result<(), Box<dyn Error>> {
        let server = ApiServer::builder()
            .admission_plugin(AdmissionPlugin::LimitRanger) // defaults and bounds of LimitRanges
            .admission_plugin(AdmissionPlugin::ResourceQuota) // 403 beyond a quota; its status shows what is used
            .admission_plugin(AdmissionPlugin::ServiceAccount) // pods get an account, which must exist, and its token
            .build()?;
        server.set(json!({
            "apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l", "namespace": "default"},
            "spec": {"limits": [{"type": "Container", "defaultRequest": {"cpu": "1"}}]},
        }))?;
        server.set(json!({
            "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": "default"},
        }))?;
        server.apply_yaml(
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i}]}\n",
        )?;
        let pod = server.get("v1", "Pod", "default", "a").unwrap();
        assert_eq!(pod["spec"]["containers"][0]["resources"]["requests"]["cpu"], "1");
        assert_eq!(pod["spec"]["serviceAccountName"], "default");
        Ok(())
    }
}

/// Layout is the formatter's, and so are the last commas of lists.
fn without_layout(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != ',').collect()
}

/// Each statement of the guide is here; some tests do more between two of them.
#[test]
fn the_guide_shows_these_tests() {
    let guide = include_str!("../../../../docs/server-kube-rs.md");
    let here = without_layout(include_str!("guide.rs"));
    let blocks: Vec<&str> = guide
        .split("```rust\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("```").map(|(block, _)| block))
        .collect();
    assert!(blocks.len() > 10, "the guide has its examples");
    for line in blocks.iter().flat_map(|block| block.lines()) {
        assert!(here.contains(&without_layout(line)), "the tests lack this line of the guide: {line}");
    }
}
