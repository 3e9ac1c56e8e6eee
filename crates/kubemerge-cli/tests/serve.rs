//! `kubemerge serve` from start to stop.

use crate::server_process::Server;
use std::{
    path::{Path, PathBuf},
    process::Command,
};

impl Server {
    fn start(arguments: &[&str]) -> Server {
        Server::start_in(Path::new("."), arguments).unwrap()
    }

    fn get(&self, path: &str, headers: &str) -> String {
        self.ask("GET", path, headers, "")
    }

    /// Sends a strategic merge patch.
    fn patch(&self, path: &str, body: &str) -> String {
        self.ask("PATCH", path, "content-type: application/strategic-merge-patch+json\r\n", body)
    }
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

#[test]
fn it_prints_its_url_and_serves_the_manifests() {
    let server = Server::start(&["-f", example("deployment.yaml").to_str().unwrap()]);
    assert!(server.url.starts_with("http://127.0.0.1:"), "{}", server.url);
    let list = server.get("/apis/apps/v1/deployments", "");
    assert!(list.starts_with("HTTP/1.1 200") && list.contains("\"DeploymentList\""), "{list}");
    assert!(list.contains("\"replicas\""), "{list}");
}

#[test]
fn the_items_of_a_list_are_served() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/service-list.yaml");
    let server = Server::start(&["-f", list.to_str().unwrap()]);
    for name in ["shop", "cart"] {
        let service = server.get(&format!("/api/v1/namespaces/default/services/{name}"), "");
        assert!(service.starts_with("HTTP/1.1 200"), "{service}");
    }
}

#[test]
fn a_token_is_asked_for_and_written_down() {
    let kubeconfig = std::env::temp_dir().join(format!("kubemerge-serve-{}", std::process::id()));
    let server = Server::start(&["--token", "secret", "--kubeconfig", kubeconfig.to_str().unwrap()]);
    let written = std::fs::read_to_string(&kubeconfig).unwrap();
    std::fs::remove_file(&kubeconfig).unwrap();
    assert!(written.contains("secret") && written.contains(&server.url), "{written}");
    assert!(server.get("/api/v1/pods", "").starts_with("HTTP/1.1 401"));
    assert!(server.get("/api/v1/pods", "authorization: Bearer secret\r\n").starts_with("HTTP/1.1 200"));
}

#[test]
fn pods_end_at_once_if_told_so() {
    let pod = std::env::temp_dir().join(format!("kubemerge-pod-{}.yaml", std::process::id()));
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {nodeName: n1, containers: [{name: c, image: i}]}\n";
    std::fs::write(&pod, text).unwrap();
    let file = pod.to_str().unwrap();
    for (arguments, end) in [(vec!["-f", file], "200"), (vec!["-f", file, "--pods-end-at-once"], "404")] {
        let server = Server::start(&arguments);
        let path = "/api/v1/namespaces/default/pods/p";
        assert!(server.ask("DELETE", path, "", "").starts_with("HTTP/1.1 200"));
        let left = server.get(path, "");
        assert!(left.starts_with(&format!("HTTP/1.1 {end}")), "{left}");
    }
    std::fs::remove_file(&pod).unwrap();
}

/// With ports keyed by port and protocol, the item is merged into the TCP port and gives it a name that is taken.
/// With name and port as keys, it is merged into the UDP port of its name.
#[test]
fn overlays_change_the_keys_of_lists_in_spec() {
    let service = example("service.yaml");
    let own = example("overlays/service-ports.yaml");
    let overlays = [(None, "422"), (own.to_str(), "200"), (Some("design-documents"), "200")];
    for (overlay, expected) in overlays {
        let mut arguments = vec!["--dialect", "spec", "-f", service.to_str().unwrap()];
        arguments.extend(overlay.iter().flat_map(|overlay| ["--overlay", overlay]));
        let server = Server::start(&arguments);
        let item = r#"{"spec":{"ports":[{"name":"dns","port":53,"targetPort":5353}]}}"#;
        let answer = server.patch("/api/v1/namespaces/default/services/dns", item);
        assert!(answer.starts_with(&format!("HTTP/1.1 {expected}")), "{overlay:?}: {answer}");
        if expected == "200" {
            let merged = r#"{"name":"dns","port":53,"protocol":"UDP","targetPort":5353}"#;
            assert!(answer.contains(merged) && answer.contains("dns-tcp"), "{overlay:?}: {answer}");
        }
    }
}

#[test]
fn custom_resources_merge_by_their_list_keys_in_spec() {
    let (definition, kiosk) = (example("crd.yaml"), example("kiosk.yaml"));
    let files = ["-f", definition.to_str().unwrap(), "-f", kiosk.to_str().unwrap()];
    let path = "/apis/shop.example.com/v1/namespaces/default/kiosks/station";
    let patch = r#"{"spec":{"counters":[{"name":"coffee","clerk":"Grace"}]}}"#;
    let answer = Server::start(&[&["--dialect", "spec"], &files[..]].concat()).patch(path, patch);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(["Ada", "Grace", "06:30"].iter().all(|text| answer.contains(text)), "{answer}");
    let answer = Server::start(&files).patch(path, patch);
    assert!(answer.starts_with("HTTP/1.1 415"), "{answer}");
}

#[test]
fn what_only_other_dialects_have_is_told() {
    let text = refused(&["--dialect", "kustomize"]);
    assert!(text.contains("the dialect kustomize only applies patches"), "{text}");
    let text = refused(&["--overlay", "design-document", "--dialect", "spec"]);
    assert!(text.contains("cannot read design-document"), "{text}");
}

#[cfg(unix)]
#[test]
fn it_stops_cleanly_when_asked() {
    let mut server = Server::start(&[]);
    let asked = Command::new("kill").arg(server.child.id().to_string()).status().unwrap();
    assert!(asked.success());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn what_cannot_be_served_is_told() {
    let output = Command::new(env!("CARGO_BIN_EXE_kubemerge")).args(["serve", "-k", "1.2"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no built-in tables for Kubernetes \"1.2\""));
}

#[test]
fn an_object_that_is_given_twice_is_told_with_both_files() {
    let (file, name) = (example("deployment.yaml"), format!("kubemerge-twice-{}.yaml", std::process::id()));
    let copy = std::env::temp_dir().join(name);
    std::fs::copy(&file, &copy).unwrap();
    let server = Command::new(env!("CARGO_BIN_EXE_kubemerge"))
        .args(["serve", "-f", file.to_str().unwrap(), "-f", copy.to_str().unwrap()])
        .output();
    std::fs::remove_file(&copy).unwrap();
    let server = server.unwrap();
    assert_eq!(server.status.code(), Some(2));
    let text = String::from_utf8_lossy(&server.stderr);
    assert!(text.contains("the object is given twice, first in"), "{text}");
    assert!(text.contains("Deployment shop in"), "{text}");
    assert!(text.contains(&*file.to_string_lossy()) && text.contains(&*copy.to_string_lossy()), "{text}");
}

/// A file of this test alone.
fn own_file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("kubemerge-{name}-{}", std::process::id()))
}

fn refused(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kubemerge")).arg("serve").args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[cfg(unix)]
#[test]
fn an_own_kubeconfig_is_replaced_and_gets_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let file = own_file("own-kubeconfig");
    drop(Server::start(&["--kubeconfig", file.to_str().unwrap()]));
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    let server = Server::start(&["--kubeconfig", file.to_str().unwrap()]);
    let (text, mode) =
        (std::fs::read_to_string(&file).unwrap(), std::fs::metadata(&file).unwrap().permissions());
    std::fs::remove_file(&file).unwrap();
    assert!(text.contains(&server.url), "{text}");
    assert_eq!(mode.mode() & 0o777, 0o600);
}

#[test]
fn a_foreign_kubeconfig_is_kept() {
    let file = own_file("foreign-kubeconfig");
    std::fs::write(&file, "apiVersion: v1\nkind: Config\ncurrent-context: production\n").unwrap();
    let text = refused(&["--kubeconfig", file.to_str().unwrap()]);
    let kept = std::fs::read_to_string(&file).unwrap();
    drop(Server::start(&["--force", "--kubeconfig", file.to_str().unwrap()]));
    let replaced = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(text.contains("is not a kubeconfig of kubemerge") && text.contains("--force"), "{text}");
    assert!(kept.contains("production") && !replaced.contains("production"), "{replaced}");
}

#[test]
fn a_token_is_read_from_a_file() {
    let file = own_file("token");
    std::fs::write(&file, "from-file\n").unwrap();
    let server = Server::start(&["--token-file", file.to_str().unwrap()]);
    std::fs::remove_file(&file).unwrap();
    assert!(server.get("/api/v1/pods", "").starts_with("HTTP/1.1 401"));
    assert!(server.get("/api/v1/pods", "authorization: Bearer from-file\r\n").starts_with("HTTP/1.1 200"));
}

#[test]
fn a_token_that_no_client_can_send_is_refused_and_not_shown() {
    let file = own_file("wrong-token");
    for (token, expected) in [
        ("", "contains no token"),
        ("hunter2 \n hunter3", "without spaces"),
        ("hunter2\u{e9}", "without spaces"),
    ] {
        std::fs::write(&file, token).unwrap();
        let path = file.to_str().unwrap();
        for (arguments, place) in [(["--token-file", path], path), (["--token", token], "--token")] {
            let text = refused(&arguments);
            assert!(text.contains(expected) && text.contains(place), "{text}");
            assert!(!text.contains("hunter"), "{text}");
        }
    }
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn an_address_for_everybody_must_be_asked_for() {
    let text = refused(&["--address", "0.0.0.0"]);
    assert!(text.contains("is not a loopback address") && text.contains("--insecure"), "{text}");
}
