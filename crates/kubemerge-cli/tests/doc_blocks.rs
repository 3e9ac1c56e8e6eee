//! Runs the blocks of docs/cli.md, docs/lint.md and docs/ci.md that are no `console` blocks: scripts, workflows and
//! configuration files. A block that needs another tool is skipped by name where the tool is missing.

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const CLI: &str = include_str!("../../../docs/cli.md");
const LINT: &str = include_str!("../../../docs/lint.md");
const CI: &str = include_str!("../../../docs/ci.md");

/// The block of a page that has a line which starts like this.
fn block(page: &'static str, start: &str) -> &'static str {
    let found = blocks(page).into_iter().find(|block| block.lines().any(|line| line.starts_with(start)));
    found.unwrap_or_else(|| panic!("no block with a line {start}"))
}

/// All blocks but those that `console.rs` runs, without the line of their language.
fn blocks(page: &'static str) -> Vec<&'static str> {
    let fenced = page.split("\n```").skip(1).step_by(2);
    fenced
        .filter_map(|block| block.split_once('\n'))
        .filter(|one| one.0 != "console")
        .map(|one| one.1)
        .collect()
}

/// A fresh folder with the examples as `manifests`, their definition as `crds`, and an overlay.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("doc-blocks-{test}"));
        let _ = std::fs::remove_dir_all(&folder);
        let folder = Folder(folder);
        for name in
            ["manifests/deployment.yaml", "manifests/service.yaml", "crds/crd.yaml", "manifests/kiosk.yaml"]
        {
            folder.write(name, &example(name.split_once('/').unwrap().1));
        }
        folder
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Runs a script that has `kubemerge`.
    fn sh(&self, script: &str) -> Output {
        let binary = Path::new(env!("CARGO_BIN_EXE_kubemerge")).parent().unwrap();
        let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new("timeout");
        command.args(["60", "bash", "-c", script]).env("PATH", path).current_dir(&self.0);
        command.output().unwrap()
    }
}

fn example(name: &str) -> String {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    std::fs::read_to_string(examples.join(name)).unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Says so if a tool is missing.
fn has(test: &str, tools: &[&str]) -> bool {
    let is_missing = |tool: &&&str| {
        let found = Command::new("sh").args(["-c", &format!("command -v {tool}")]).output();
        !found.unwrap().status.success()
    };
    let missing = tools.iter().find(is_missing);
    if let Some(missing) = missing {
        eprintln!("skipped: {test}: there is no {missing}");
    }
    missing.is_none()
}

/// A block that is added must get a test here.
#[test]
fn every_block_has_a_test() {
    assert_eq!([CLI, LINT, CI].map(|page| blocks(page).len()), [3, 1, 5]);
}

#[test]
fn the_configuration_of_the_command_is_read() {
    let folder = Folder::new("configuration");
    folder.write("kubemerge.toml", block(CLI, "kubernetes ="));
    folder.write("config/crd/crd.yaml", &example("crd.yaml"));
    folder.write("overlays/service-ports.yaml", &example("overlays/service-ports.yaml"));
    folder.write("manifests/templates/broken.yaml", "{{ if }}");
    let output = folder.sh("kubemerge patch -R -f manifests --target ki/station -p '{spec: {counters: [{name: coffee, clerk: Grace}]}}'");
    assert!(output.status.success(), "{}", told(&output));
    // A strategic patch of a custom resource: the dialect and the definition come from the file.
    assert!(told(&output).contains("Ada") && told(&output).contains("Grace"), "{}", told(&output));
    let output = folder.sh("kubemerge schema show v1/Service spec.ports --dialect spec");
    assert!(told(&output).contains("the list merges by name,port"), "{}", told(&output));
}

#[test]
fn the_configuration_of_lint_is_read() {
    let folder = Folder::new("lint");
    folder.write("kubemerge.toml", block(LINT, "[lint]"));
    // The file names the folder to check.
    let output = folder.sh("kubemerge lint -o github");
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    assert!(told(&output).contains("::warning file=manifests/service.yaml"), "{}", told(&output));
}

#[test]
fn the_server_of_the_command_page_starts() {
    let folder = Folder::new("serve");
    let start = block(CLI, "kubemerge serve").trim();
    let script =
        format!("coproc {start}; read -r url <&\"${{COPROC[0]}}\"; kill $COPROC_PID; echo $url; ls config");
    let output = folder.sh(&script);
    assert!(told(&output).contains("https://127.0.0.1:") && output.status.success(), "{}", told(&output));
}

#[test]
fn kustomize_takes_the_exported_schema() {
    if !has("kustomize_takes_the_exported_schema", &["kubectl"]) {
        return;
    }
    let folder = Folder::new("kustomize");
    folder.write("kustomization.yaml", block(CLI, "# kustomization.yaml"));
    folder.write("kiosk.yaml", &example("kiosk.yaml"));
    folder.write("patches/kiosk.yaml", &example("patches/kiosk.yaml"));
    let output =
        folder.sh("kubemerge schema export --schema crds/crd.yaml > schema.json && kubectl kustomize .");
    assert!(told(&output).contains("Ada") && told(&output).contains("Grace"), "{}", told(&output));
}

/// The steps of the workflow that need nothing but the command.
#[test]
fn the_workflow_runs() {
    let folder = Folder::new("workflow");
    let workflow = block(CI, "# .github/workflows");
    let steps: Vec<&str> =
        workflow.lines().filter_map(|line| line.trim().strip_prefix("- run: kubemerge ")).collect();
    assert_eq!(steps.len(), 1);
    let output = folder.sh(&format!("kubemerge {}", steps[0]));
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    assert!(told(&output).contains("::warning file=manifests/service.yaml,line=12"), "{}", told(&output));
}

/// pre-commit itself where it is present, else what it does: the entry with the names of the files.
#[test]
fn the_hook_runs() {
    let folder = Folder::new("hook");
    let hook = block(CI, "# .pre-commit-config.yaml");
    let entry = hook.lines().find_map(|line| line.trim().strip_prefix("entry: ")).unwrap();
    let output = folder.sh(&format!("{entry} manifests/deployment.yaml manifests/service.yaml"));
    assert!(told(&output).contains("shared-merge-key"), "{}", told(&output));
    if has("the_hook_runs", &["pre-commit", "git"]) {
        folder.write(".pre-commit-config.yaml", hook);
        let output = folder.sh("git init -q . && git add . && pre-commit run --all-files");
        assert!(told(&output).contains("shared-merge-key"), "{}", told(&output));
    }
}

const CHART: [(&str, &str); 2] = [
    ("chart/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
    (
        "chart/templates/service.yaml",
        "apiVersion: v1\nkind: Service\nmetadata: {name: shop}\nspec: {ports: [{port: 80}], type: ClusterIP}\n",
    ),
];

#[test]
fn the_post_renderer_runs() {
    let folder = Folder::new("post-renderer");
    folder.write("patch.sh", block(CI, "#!/bin/sh"));
    folder.write("patches.yaml", "kind: Service\nmetadata: {name: shop}\nspec: {type: NodePort}\n");
    CHART.iter().for_each(|(name, text)| folder.write(name, text));
    let output = folder.sh("chmod +x patch.sh && ./patch.sh < chart/templates/service.yaml");
    assert!(output.status.success() && told(&output).contains("type: NodePort"), "{}", told(&output));
    if has("the_post_renderer_runs", &["helm"]) {
        let output = folder.sh("helm template shop ./chart --post-renderer ./patch.sh");
        assert!(output.status.success() && told(&output).contains("type: NodePort"), "{}", told(&output));
    }
}

/// The cluster is our own server. kubectl has a kustomize of its own.
#[test]
fn the_pipeline_ends_in_kubectl_apply() {
    if !has("the_pipeline_ends_in_kubectl_apply", &["kubectl"]) {
        return;
    }
    let folder = Folder::new("pipeline");
    folder.write("overlays/prod/kustomization.yaml", "resources: [map.yaml]\n");
    folder.write(
        "overlays/prod/map.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, labels: {app: web}}\n",
    );
    let pipeline = block(CI, "kustomize build");
    let script = format!(
        "kustomize() {{ kubectl kustomize \"$2\"; }}
        coproc kubemerge serve --kubeconfig config
        read -r url <&\"${{COPROC[0]}}\"
        export KUBECONFIG=config
        {pipeline}
        kubectl get configmap web -o jsonpath='{{.metadata.labels.team}}'
        kill $COPROC_PID"
    );
    let output = folder.sh(&script);
    assert!(
        told(&output).contains("configmap/web created") && told(&output).contains("shop"),
        "{}",
        told(&output)
    );
}

#[test]
fn a_change_of_a_chart_is_reviewed() {
    if !has("a_change_of_a_chart_is_reviewed", &["helm", "git"]) {
        return;
    }
    let folder = Folder::new("review");
    CHART.iter().for_each(|(name, text)| folder.write(name, text));
    let commit = "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -q -m chart";
    let change = "sed -i s/ClusterIP/NodePort/ chart/templates/service.yaml";
    let output = folder.sh(&format!("{commit} && {change} && {}", block(CI, "helm template")));
    assert!(told(&output).contains("+ NodePort"), "{}", told(&output));
}
