//! kubectl against one server: what it prints, which requests it sends, which objects a folder names.

use std::{path::PathBuf, process::Command};

use serde_json::{Value, json};

use super::ways::Pair;

/// A kubectl with the configuration of one server.
pub(super) struct Kubectl {
    pub(super) program: PathBuf,
    pub(super) kubeconfig: PathBuf,
}

/// What a command printed.
pub(super) struct Printed {
    pub(super) succeeded: bool,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Kubectl {
    pub(super) fn run(&self, arguments: &[String]) -> Result<Printed, String> {
        let output = Command::new(&self.program)
            .arg("--kubeconfig")
            .arg(&self.kubeconfig)
            .args(arguments)
            .output()
            .map_err(|error| format!("{}: {error}", self.program.display()))?;
        Ok(Printed {
            succeeded: output.status.success(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// The objects of both versions of a pair, as far as the server has them.
    pub(super) fn objects(&self, pair: &Pair) -> Result<Vec<Value>, String> {
        let mut objects: Vec<Value> = Vec::new();
        for folder in [&pair.old, &pair.new] {
            let words =
                ["get", "--recursive", "--ignore-not-found", "--show-managed-fields", "--output=json"];
            let mut arguments: Vec<String> = words.map(str::to_string).to_vec();
            arguments.extend(["--filename".to_string(), folder.display().to_string()]);
            let printed = self.run(&arguments)?;
            let found: Value = serde_json::from_str(&printed.stdout).unwrap_or_default();
            let items = match found["items"].as_array() {
                Some(items) => items.clone(),
                // One object is printed without a list.
                None if found.is_object() => vec![found],
                None => Vec::new(),
            };
            for item in items {
                if !objects.iter().any(|known| identity(known) == identity(&item)) {
                    objects.push(item);
                }
            }
        }
        Ok(objects)
    }
}

/// What tells objects apart, in the words of kubectl.
pub(super) fn identity(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let metadata = &object["metadata"];
    format!("{} {}/{}", text(&object["kind"]), text(&metadata["namespace"]), text(&metadata["name"]))
}

/// The writes in a log of kubectl at level 9, as requests of a recording.
pub(super) fn writes(log: &str) -> Vec<Value> {
    let (mut writes, mut body) = (Vec::new(), String::new());
    let mut lines = log.lines();
    while let Some(line) = lines.next() {
        if let Some((_, text)) = line.split_once("\"Request Body\" body=") {
            body = value_of(text, &mut lines);
        } else if let Some((_, text)) = line.split_once("\"Request\" curlCommand=") {
            writes.extend(write(&value_of(text, &mut lines), &body));
        }
    }
    writes
}

/// A value as klog writes it: in quotes, or as lines between angle brackets.
fn value_of<'l>(text: &str, lines: &mut impl Iterator<Item = &'l str>) -> String {
    if !text.starts_with('<') {
        return serde_json::from_str(text).unwrap_or_default();
    }
    let inner: Vec<&str> =
        lines.take_while(|line| *line != " >").map(|line| line.trim_start_matches('\t')).collect();
    inner.join("\n")
}

/// A request that writes, from the command that curl would send it with.
fn write(curl: &str, body: &str) -> Option<Value> {
    let method = curl.split("-X").nth(1)?.split_whitespace().next()?;
    if method == "GET" {
        return None;
    }
    let url = curl.rsplit('\'').nth(1)?;
    let path = url.splitn(4, '/').nth(3)?;
    let header = |name: &str| {
        let (_, rest) = curl.split_once(&format!("\"{name}: "))?;
        rest.split('"').next()
    };
    let mut send = json!({"method": method, "path": format!("/{path}")});
    if let Some(content_type) = header("Content-Type") {
        send["type"] = content_type.into();
    }
    if !body.is_empty() {
        send["body"] = without_version(serde_json::from_str(body).ok()?);
    }
    Some(send)
}

/// A patch that moves owners also says which version it is about, which another run does not have.
fn without_version(mut body: Value) -> Value {
    if let Some(operations) = body.as_array_mut() {
        operations.retain(|operation| operation["path"] != "/metadata/resourceVersion");
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_are_read_from_a_log() {
        let log = "I1 1 a.go:1] \"Request Body\" body=\"\"\nI1 1 b.go:2] \"Request\" curlCommand=<\n\tcurl -v -XGET  -H \
                   \"Accept: x\" 'https://h:1/api'\n >\nI1 1 a.go:1] \"Request Body\" body=\"{\\\"a\\\":1}\"\nI1 1 \
                   b.go:2] \"Request\" curlCommand=<\n\tcurl -v -XPOST  -H \"Content-Type: application/json\" \
                   'https://h:1/api/v1/x?y=z'\n >\n";
        let expected =
            json!({"method": "POST", "path": "/api/v1/x?y=z", "type": "application/json", "body": {"a": 1}});
        assert_eq!(writes(log), [expected]);
    }

    #[test]
    fn bodies_of_several_lines_are_read() {
        let log = "I1 1 a.go:1] \"Request Body\" body=<\n\t{\"a\":\n\t1}\n >\nI1 1 b.go:2] \"Request\" curlCommand=<\n\tcurl \
                   -v -XPATCH  'https://h:1/api/v1/x'\n >\n";
        assert_eq!(writes(log), [json!({"method": "PATCH", "path": "/api/v1/x", "body": {"a": 1}})]);
    }
}
