//! Layers: packages depend only on packages below them, and folders import only from folders below them.

use super::complaint::Complaint;
use super::repository::{Repository, folder};
use super::rust::modules::{CrateModules, ModulePath};

/// Where layers are declared.
const HERE: &str = "xtask/src/tidy/layers.rs";

/// The packages, lowest first. Those of one line do not depend on each other.
const PACKAGES: &[&[&str]] = &[
    &["kubemerge-value"],
    &["kubemerge-yaml"],
    &["kubemerge-schema"],
    &["kubemerge-strategic", "kubemerge-ssa", "kubemerge-cel"],
    &["kubemerge-kinds"],
    &["kubemerge-test-support"],
    &["kubemerge"],
    &["kubemerge-inspect"],
    &["kubemerge-bindings"],
    &["kubemerge-server"],
    &["kubemerge-cli"],
    &["kubemerge-harness", "xtask"],
];

/// The top-level modules of a package, lowest first. Those of one line do not import each other. Modules that
/// are not listed are above all others.
struct Layers {
    package: &'static str,
    modules: &'static [&'static [&'static str]],
    /// Pairs that import each other: two folders of one subject.
    together: &'static [[&'static str; 2]],
}

/// In the order in which ARCHITECTURE.md lists the packages.
const FOLDERS: &[Layers] = &[
    Layers {
        package: "kubemerge-value",
        modules: &[
            &["part"],
            &["error", "number", "scan", "stack"],
            &["string"],
            &["text"],
            &["check", "node"],
            &["document", "shared"],
            &["list_view", "map_edit", "path", "walk"],
            &["write"],
            &["reader"],
            &["canonicalize", "tree"],
        ],
        together: &[["document", "shared"]],
    },
    Layers {
        package: "kubemerge-yaml",
        modules: &[
            &["binary", "error", "number", "options", "timestamp"],
            &["resolve", "utf8"],
            &["trap"],
            &["tree"],
            &["build", "emit", "expand"],
            &["block", "events", "json_text", "locate"],
            &["stream"],
            &["edit"],
        ],
        together: &[],
    },
    Layers {
        package: "kubemerge-schema",
        modules: &[
            &["releases"],
            &["error", "pattern"],
            &["document"],
            &["model"],
            &["check"],
            &["load"],
            &["builtin", "overlay", "compile", "ownership"],
            &["schema"],
            &["lookup"],
            &["explain", "export", "stats"],
            &["builder"],
        ],
        together: &[],
    },
    Layers {
        package: "kubemerge-strategic",
        modules: &[
            &["error_details"],
            &["depth", "directive", "element", "error", "go_text", "observe", "order"],
            &["patch_map", "precondition", "repeats", "strategy", "string_form", "versions"],
            &["difference", "identity", "unions"],
            &["partial", "register"],
            &["apply"],
            &["conflict", "diff"],
            &["invert"],
            &["compose"],
            &["verbs"],
            &["three_way"],
            &["skew"],
        ],
        together: &[],
    },
    Layers {
        package: "kubemerge-ssa",
        modules: &[&["value"], &["fieldpath"], &["typed"], &["unions"], &["managed_fields", "update"]],
        together: &[["managed_fields", "update"]],
    },
    Layers {
        package: "kubemerge-cel",
        modules: &[
            &["error"],
            &["problem", "reserved", "timestamp", "token", "types"],
            &["literal"],
            &["expr"],
            &["environment", "functions", "unify"],
            &["macros", "parse"],
            &["check"],
            &["format_string"],
            &["after_types"],
            &["cost"],
            &["evaluate", "library", "value"],
        ],
        // Values of Kubernetes' types are those of the library, whose functions take calls as the evaluator plans them.
        together: &[
            ["macros", "parse"],
            ["evaluate", "library"],
            ["evaluate", "value"],
            ["library", "value"],
        ],
    },
    Layers {
        package: "kubemerge-kinds",
        modules: &[
            &["text"],
            &["object"],
            &["rules"],
            &["admission", "custom"],
            &["columns"],
            &["registry"],
            &["groups"],
            &["declared"],
            &["admit"],
        ],
        together: &[],
    },
    Layers {
        package: "kubemerge",
        modules: &[
            &["applier", "error", "merge_patch"],
            &["rule_source", "json_patch", "merge_compose", "merge_diff", "object"],
            &["admit", "json_diff", "patch_body", "server_side_apply"],
            &["ownership", "patch"],
            &["apply", "compose", "three_way"],
            &["diff", "json_three_way"],
            &["kubectl_apply"],
        ],
        together: &[],
    },
    Layers {
        package: "kubemerge-inspect",
        modules: &[
            &["finding", "nearest", "place", "short"],
            &["difference", "refusal", "unions"],
            &["explain", "lint", "object_diff"],
        ],
        together: &[["refusal", "unions"]],
    },
    Layers {
        package: "kubemerge-bindings",
        modules: &[&["place", "request"], &["failure"], &["text"], &["schemas"], &["calls"]],
        together: &[],
    },
    Layers {
        package: "kubemerge-server",
        modules: &[
            &["protocol"],
            &["store"],
            &["catalog"],
            &["object"],
            &["kind"],
            &["read", "write"],
            &["api"],
            &["transport"],
            &["testing"],
            // `load`, `server` and `builder` are the top.
        ],
        together: &[],
    },
    Layers {
        package: "kubemerge-cli",
        modules: &[
            &["report"],
            &["args"],
            &["input"],
            &["load", "render", "output", "config"],
            &["cmd"],
            &["main"],
        ],
        together: &[],
    },
    Layers {
        package: "kubemerge-test-support",
        modules: &[
            &["documents", "etcd", "go_module", "history", "reference", "stopwatch", "verdict"],
            &["corpus", "recording", "scenario"],
        ],
        together: &[],
    },
    Layers {
        package: "kubemerge-harness",
        modules: &[
            &["answer", "bench_command", "connection", "rng", "process_figures", "serve_process"],
            &["apiserver"],
            &["api", "controllers", "suites"],
            &["admission", "bless", "directories", "stores"],
            &["conformance"],
            &["bench"],
        ],
        together: &[],
    },
    Layers { package: "xtask", modules: &[&["hand_over", "krew", "tables", "tidy"]], together: &[] },
];

/// Complains about dependencies and imports that go upwards.
pub(crate) fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for name in repository.packages.keys() {
        let manifest = repository.file(&format!("{}/Cargo.toml", folder(name)));
        complaints.extend(dependencies(name, manifest.map_or("", |file| file.text.as_str())));
    }
    for (name, modules) in &repository.packages {
        match FOLDERS.iter().find(|layers| layers.package == name) {
            Some(layers) => complaints.extend(folders(layers, modules)),
            None => complaints
                .push(Complaint::new(name, format!("{HERE} does not have the layers of its modules"))),
        }
    }
    complaints
}

/// The layer of a name, counted from below.
fn layer_of(layers: &[&[&str]], name: &str) -> Option<usize> {
    layers.iter().position(|layer| layer.contains(&name))
}

fn dependencies(package: &str, manifest: &str) -> Vec<Complaint> {
    let Some(own) = layer_of(PACKAGES, package) else {
        return vec![Complaint::new(package, format!("{HERE} does not say in which layer it is"))];
    };
    let upwards =
        dependency_names(manifest).filter(|name| layer_of(PACKAGES, name).is_some_and(|it| it >= own));
    upwards.map(|name| Complaint::new(package, format!("depends on {name}, which is not below it"))).collect()
}

/// The names in `[dependencies]`; tests and benchmarks may depend on anything.
fn dependency_names(manifest: &str) -> impl Iterator<Item = &str> {
    // A search is enough: manifests of this workspace have one line per dependency.
    let after = manifest.lines().skip_while(|line| line.trim() != "[dependencies]").skip(1);
    let lines = after.take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| line.split(['.', ' ', '=']).next()).filter(|name| !name.is_empty())
}

fn folders(layers: &Layers, modules: &CrateModules) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for reference in modules.references() {
        let (from, to) = (top(&reference.from), top(&reference.to));
        let (Some(from), Some(to)) = (from, to) else { continue };
        let is_pair = layers.together.iter().any(|pair| pair.contains(&from) && pair.contains(&to));
        if from == to || is_pair {
            continue;
        }
        let place = |name: &str| layer_of(layers.modules, name);
        let complain = |problem: &str| {
            let imports = format!("{} imports {}", reference.from.join("/"), reference.to.join("/"));
            Complaint::new(layers.package, format!("{imports}, which {problem}"))
        };
        match (place(from), place(to)) {
            (Some(above), Some(below)) if above > below => {}
            (Some(_), Some(_)) => complaints.push(complain("is not below it")),
            // A module without a layer is above all others: only `lib.rs` may use it.
            (None, _) => {}
            // A new module must be given its place before lower ones use it.
            (Some(_), None) => complaints.push(complain("has no layer")),
        }
    }
    complaints
}

fn top(path: &ModulePath) -> Option<&str> {
    path.first().map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: Layers =
        Layers { package: "made-up", modules: &[&["low"], &["left", "right"]], together: &[] };

    fn complaints(files: &[(&str, &str)]) -> Vec<String> {
        let found = folders(&TWO, &CrateModules::read("src", files.iter().copied()));
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn imports_from_below_are_fine() {
        let files = [
            ("src/lib.rs", "mod low; mod left; use left::L;"),
            ("src/low.rs", "pub struct A;"),
            ("src/left.rs", "use crate::low::A; pub struct L;"),
        ];
        assert_eq!(complaints(&files), [""; 0]);
    }

    #[test]
    fn imports_from_above_and_from_the_side_are_named() {
        let files = [
            ("src/lib.rs", "mod low; mod left; mod right; pub use left::L;"),
            ("src/low.rs", "use crate::L;"),
            ("src/left.rs", "pub struct L;"),
            ("src/right.rs", "fn f(l: crate::left::L) {}"),
        ];
        let wanted = [
            "made-up: low imports left, which is not below it",
            "made-up: right imports left, which is not below it",
        ];
        assert_eq!(complaints(&files), wanted);
    }

    #[test]
    fn a_pair_may_import_each_other() {
        let pair = Layers { together: &[["left", "right"]], ..TWO };
        let files = [
            ("src/lib.rs", "mod left; mod right;"),
            ("src/left.rs", "use crate::right::R; pub struct L;"),
            ("src/right.rs", "use crate::left::L; pub struct R;"),
        ];
        assert_eq!(folders(&pair, &CrateModules::read("src", files.iter().copied())), []);
        assert_eq!(complaints(&files).len(), 2);
    }

    #[test]
    fn every_package_has_layers() {
        let mut packages: Vec<&str> = PACKAGES.iter().flat_map(|layer| layer.iter().copied()).collect();
        let mut declared: Vec<&str> = FOLDERS.iter().map(|layers| layers.package).collect();
        packages.sort_unstable();
        declared.sort_unstable();
        assert_eq!(packages, declared);
    }

    #[test]
    fn packages_depend_downwards() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\nkubemerge-server.workspace = true\nserde = \"1\"\n\
                        [dev-dependencies]\nkubemerge.workspace = true\n";
        let wanted = "kubemerge-schema: depends on kubemerge-server, which is not below it";
        assert_eq!(dependencies("kubemerge-schema", manifest)[0].to_string(), wanted);
        assert_eq!(dependencies("kubemerge-cli", manifest), []);
        assert_eq!(dependencies("kubemerge-new", "").len(), 1);
    }
}
