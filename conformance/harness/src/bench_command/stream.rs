//! CPU time of `kubemerge patch` for long inputs: a stream of many objects, and one large object.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
};

/// How many objects the stream has; about 15 MB.
const OBJECTS: usize = 5_000;
/// How many variables each of them has.
const VARIABLES: usize = 33;
/// How many keys the large object has; about 15 MB.
const KEYS: usize = 300_000;

/// The fastest of this many runs counts: others share the machine.
const RUNS: usize = 5;

/// Prints a line for each input.
pub(super) fn report(kubemerge: &Path, folder: &Path) -> io::Result<()> {
    let stream = written(folder, "bench-stream.yaml", &documents())?;
    let large = written(folder, "bench-large.yaml", &large_object())?;
    let one = r#"{"kind":"Deployment","metadata":{"name":"web-7"},"spec":{"replicas":3}}"#;
    let rows = [
        ("a stream of 5,000 objects, one patched", &stream, vec!["-p", one]),
        ("the same, all patched", &stream, vec!["--all", "-p", r#"{"spec":{"replicas":3}}"#]),
        ("one object of 300,000 keys", &large, vec!["-p", r#"{"data":{"key-7":"other"}}"#]),
    ];
    println!("CPU time of kubemerge patch (fastest of {RUNS})");
    for (name, file, arguments) in rows {
        let megabytes = std::fs::metadata(file)?.len() as f64 / 1e6;
        let times: Vec<f64> = (0..RUNS).filter_map(|_| cpu_seconds(kubemerge, file, &arguments)).collect();
        match times.into_iter().min_by(f64::total_cmp) {
            Some(seconds) => println!("{name:<40} {megabytes:5.1} MB {seconds:6.2} s"),
            None => println!("{name:<40} failed"),
        }
    }
    Ok(())
}

fn written(folder: &Path, name: &str, text: &str) -> io::Result<PathBuf> {
    let path = folder.join(name);
    File::create(&path)?.write_all(text.as_bytes())?;
    Ok(path)
}

/// User and system time of one run, as the shell counts them for its children.
fn cpu_seconds(kubemerge: &Path, input: &Path, arguments: &[&str]) -> Option<f64> {
    let mut command = Command::new("sh");
    command
        .args(["-c", r#""$0" patch -f - "$@" > /dev/null || exit 1; times"#])
        .arg(kubemerge)
        .args(arguments);
    let output = command.stdin(File::open(input).ok()?).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    // The first line is about the shell itself.
    let children = text.lines().nth(1).filter(|_| output.status.success())?;
    children.split_whitespace().map(seconds).sum()
}

/// `0m1.25s`.
fn seconds(word: &str) -> Option<f64> {
    let (minutes, seconds) = word.strip_suffix('s')?.split_once('m')?;
    Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
}

fn documents() -> String {
    (0..OBJECTS).map(deployment).collect::<Vec<_>>().join("---\n")
}

/// A Deployment as charts render it, with a comment, a list in brackets and a script.
fn deployment(number: usize) -> String {
    let variable = |at| format!("        - name: VARIABLE_{at}\n          value: value-{number}-{at}\n");
    let variables: String = (0..VARIABLES).map(variable).collect();
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web-{number}\n  namespace: shop\n  labels:\n    \
         app: web-{number}\n    app.kubernetes.io/managed-by: Helm\n    tier: \"front\"\nspec:\n  replicas: 2\n  \
         selector:\n    matchLabels:\n      app: web-{number}\n  template:\n    metadata:\n      labels:\n        \
         app: web-{number}\n    spec:\n      serviceAccountName: web\n      containers:\n      # the web server\n      \
         - name: web\n        image: example.com/shop/web:1.{number}.2\n        args: [\"serve\", \"--port=8080\"]\n        \
         command:\n        - /bin/sh\n        - -c\n        - |\n          set -e\n          exec /usr/bin/web\n        \
         env:\n{variables}        ports:\n        - containerPort: 8080\n          name: http\n          protocol: TCP\n        \
         resources:\n          limits:\n            cpu: 500m\n            memory: 256Mi\n        livenessProbe:\n          \
         httpGet:\n            path: /healthz\n            port: http\n          initialDelaySeconds: 10\n        \
         volumeMounts:\n        - mountPath: /cache\n          name: cache\n      volumes:\n      - name: cache\n        \
         emptyDir: {{}}\n"
    )
}

fn large_object() -> String {
    let member = |at| format!("  key-{at}: the value of key number {at}, some text\n");
    let members: String = (0..KEYS).map(member).collect();
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: large\ndata:\n{members}")
}
