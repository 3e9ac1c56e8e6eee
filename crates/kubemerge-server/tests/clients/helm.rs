//! helm with a small chart: install, upgrade over another client's change, rollback, uninstall.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use kubemerge_server::{ApiServer, ServeOptions, Serving};
use serde_json::{Value, json};
use tokio::process::Command;

/// helm with a folder of its own, so that it reads and leaves nothing of the user's.
struct Helm {
    program: String,
    home: PathBuf,
}

impl Helm {
    fn new(program: String, serving: &Serving) -> Helm {
        let home = std::env::temp_dir().join(format!("kubemerge-helm-{}", std::process::id()));
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(home.join("config"), serving.kubeconfig()).unwrap();
        // helm 4 applies on the server, helm 3 merges itself.
        Helm { program, home }
    }

    /// Runs helm; answers what it says.
    async fn run(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(&self.program);
        command.args(arguments).env("HOME", &self.home).env("KUBECONFIG", self.home.join("config"));
        for folder in ["HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"] {
            command.env(folder, self.home.join(folder));
        }
        let output = tokio::time::timeout(Duration::from_mins(10), command.kill_on_drop(true).output());
        let output = output.await.expect("helm ends").unwrap();
        let (text, faults) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "helm {arguments:?}: {text}\n{faults}");
        text.into_owned()
    }

    async fn release(&self, verb: &str, rest: &[&str]) -> String {
        self.run(&[&[verb, "shop"], rest].concat()).await
    }
}

impl Drop for Helm {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.home));
    }
}

fn deployment(server: &ApiServer) -> Value {
    server.get("apps/v1", "Deployment", "default", "shop").unwrap()
}

fn images(server: &ApiServer) -> Vec<String> {
    let deployment = deployment(server);
    let containers = deployment["spec"]["template"]["spec"]["containers"].as_array().unwrap();
    containers.iter().map(|one| one["image"].as_str().unwrap().to_string()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn helm() {
    let Some(program) = std::env::var("KUBEMERGE_HELM").ok().filter(|program| Path::new(program).exists())
    else {
        eprintln!("skipped clients::helm: KUBEMERGE_HELM names no program");
        return;
    };
    let server = ApiServer::builder().build().unwrap();
    let serving = server.serve(ServeOptions::default()).await.unwrap();
    let helm = Helm::new(program, &serving);
    let chart = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/chart").display().to_string();

    helm.release("install", &[&chart]).await;
    assert_eq!(images(&server), ["nginx:1.14"]);
    assert_eq!(server.get("x.io/v1", "Thing", "default", "shop").unwrap()["spec"], json!({"size": 1}));
    let listed = helm.run(&["list", "--short"]).await;
    assert_eq!(listed.trim(), "shop");

    // Another client adds a sidecar, which an upgrade leaves alone.
    let mut changed = deployment(&server);
    let containers = changed["spec"]["template"]["spec"]["containers"].as_array_mut().unwrap();
    containers.push(json!({"name": "sidecar", "image": "s:1"}));
    server.set(changed).unwrap();
    helm.release("upgrade", &[&chart, "--set", "replicas=3", "--set", "image=nginx:1.21"]).await;
    assert_eq!(deployment(&server)["spec"]["replicas"], 3);
    assert_eq!(images(&server), ["nginx:1.21", "s:1"]);
    assert_eq!(server.get("x.io/v1", "Thing", "default", "shop").unwrap()["spec"], json!({"size": 3}));

    helm.release("rollback", &["1"]).await;
    assert_eq!(images(&server), ["nginx:1.14", "s:1"]);
    helm.run(&["uninstall", "shop"]).await;
    assert!(server.get("apps/v1", "Deployment", "default", "shop").is_none());
    assert!(server.get("v1", "Service", "default", "shop").is_none());
    assert_eq!(helm.run(&["list", "--short"]).await.trim(), "");
    serving.stop().await;
}
