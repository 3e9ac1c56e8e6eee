//! Fixtures from files: by path, by folder, by pattern.

use std::{fs, path::PathBuf};

use kubemerge_server::ApiServer;

/// A folder of its own that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("fixtures-{name}-{}", std::process::id()));
        fs::create_dir_all(path.join("deep/er")).unwrap();
        let folder = Folder(path);
        folder.write("a.yaml", &format!("{}---\n{}", map("a"), map("b")));
        folder.write("c.json", r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}"#);
        folder.write("notes.txt", "no manifest");
        folder.write("deep/er/d.yaml", &map("d"));
        folder
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn map(name: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n")
}

fn names(server: &ApiServer) -> Vec<String> {
    let maps = server.dump().into_iter().filter(|object| object["kind"] == "ConfigMap");
    maps.map(|object| object["metadata"]["name"].as_str().unwrap().to_string()).collect()
}

#[test]
fn files_folders_and_patterns_are_read() {
    let folder = Folder::new("read");
    let loaded =
        |path: &str| names(&ApiServer::builder().files(folder.0.join(path)).empty().build().unwrap());
    assert_eq!(loaded("a.yaml"), ["a", "b"]);
    assert_eq!(loaded(""), ["a", "b", "c"]);
    assert_eq!(loaded("*.yaml"), ["a", "b"]);
    assert_eq!(loaded("**/*.yaml"), ["a", "b", "d"]);
    assert_eq!(loaded("deep/*/d.y?ml"), ["d"]);
}

#[test]
fn what_cannot_be_loaded_is_named_with_its_file_and_line() {
    let folder = Folder::new("refused");
    folder.write("bad.yaml", &format!("{}---\napiVersion: v1\nkind: Pot\nmetadata: {{name: p}}\n", map("x")));
    folder.write("broken.yaml", "a: [");
    let error = |path: &str| {
        let Err(error) = ApiServer::builder().files(folder.0.join(path)).build() else {
            panic!("{path} is loaded")
        };
        error.to_string().replace(folder.0.to_str().unwrap(), "F")
    };
    assert_eq!(
        error("bad.yaml"),
        "Pot p in F/bad.yaml:5: no kind \"Pot\" is served in \"v1\"; did you mean \"Pod\"?"
    );
    assert!(error("broken.yaml").starts_with("F/broken.yaml: line 1"), "{}", error("broken.yaml"));
    assert!(error("missing.yaml").starts_with("cannot read F/missing.yaml: "), "{}", error("missing.yaml"));
    assert_eq!(error("*.nothing"), "there are no manifests at F/*.nothing");
    assert!(error("[").starts_with("bad pattern"), "{}", error("["));
}
