//! The values of enums and the order of required fields, which kube-apiserver publishes and no document in its
//! repository has: they are in the Go code that is generated for its documents.
//!
//! The generator writes gofmt's layout: a definition is a function, a property starts at a fixed depth.

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    fmt::Write as _,
    fs,
    path::Path,
};

use serde_json::Value;

/// Names of definitions that begin so are written without it.
const PREFIX: &str = "io.k8s.api.";

/// The table of a release, from its sources.
pub(super) fn table(kubernetes: &Path) -> Result<String, Box<dyn Error>> {
    let known = definitions(&kubernetes.join("api/openapi-spec/v3"))?;
    let source = fs::read_to_string(kubernetes.join("pkg/generated/openapi/zz_generated.openapi.go"))?;
    let found = Found::read(&source, |name| known.contains(name));
    let mut text = "# Enums: fields (`[]` items of a list, `{}` values of a map) = values\n".to_owned();
    let mut lines: Vec<(&BTreeSet<String>, &String)> =
        found.places.iter().map(|(values, places)| (places, values)).collect();
    lines.sort();
    for (places, values) in lines {
        let places: Vec<&str> = places.iter().map(|place| short(place)).collect();
        writeln!(text, "{} = {values}", places.join(" "))?;
    }
    text.push_str("# Required fields that are not in alphabetical order\n");
    for (definition, fields) in found.required.iter().filter(|(_, fields)| !fields.is_sorted()) {
        writeln!(text, "{}: {}", short(definition), fields.join(" "))?;
    }
    Ok(text)
}

fn short(name: &str) -> &str {
    name.strip_prefix(PREFIX).unwrap_or(name)
}

/// The definitions of stable versions in all documents.
fn definitions(folder: &Path) -> Result<BTreeSet<String>, Box<dyn Error>> {
    let mut known = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let document: Value = serde_json::from_slice(&fs::read(entry?.path())?)?;
        let schemas = document["components"]["schemas"].as_object();
        known.extend(
            schemas.into_iter().flat_map(|schemas| schemas.keys()).filter(|name| is_stable(name)).cloned(),
        );
    }
    Ok(known)
}

/// Whether the version in a name such as `io.k8s.api.apps.v1.Deployment` is neither alpha nor beta.
fn is_stable(name: &str) -> bool {
    let version = name.rsplit('.').nth(1).and_then(|version| version.strip_prefix('v'));
    version.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The name of the definition that a function such as `schema_k8sio_api_apps_v1_Deployment` makes.
fn definition_of(function: &str) -> Option<String> {
    const MODULES: [(&str, &str); 4] = [
        ("k8sio_api_", PREFIX),
        ("pkg_apis_apiextensions_", "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions."),
        ("pkg_apis_apiregistration_", "io.k8s.kube-aggregator.pkg.apis.apiregistration."),
        ("pkg_apis_meta_", "io.k8s.apimachinery.pkg.apis.meta."),
    ];
    let path = function.strip_prefix("schema_")?;
    let (rest, prefix) =
        MODULES.iter().find_map(|(start, prefix)| Some((path.strip_prefix(start)?, prefix)))?;
    Some(format!("{prefix}{}", rest.replace('_', ".")))
}

#[derive(Default)]
struct Found {
    /// The fields with the same values.
    places: BTreeMap<String, BTreeSet<String>>,
    required: BTreeMap<String, Vec<String>>,
}

impl Found {
    fn read(source: &str, is_known: impl Fn(&str) -> bool) -> Found {
        let mut found = Found::default();
        let (mut definition, mut place) = (None, String::new());
        for line in source.lines() {
            let inner = line.trim_start_matches('\t');
            if let Some(function) = line.strip_prefix("func ") {
                let name = function.split('(').next().unwrap_or_default();
                definition = definition_of(name).filter(|name| is_known(name));
            }
            let Some(name) = &definition else { continue };
            match (line.len() - inner.len(), inner) {
                (4, _) if inner.starts_with("Required:") => {
                    _ = found.required.insert(name.clone(), texts(inner))
                }
                (5, _) if inner.starts_with('"') && inner.ends_with("\": {") => {
                    place = format!("{name}.{}", texts(inner).concat());
                }
                _ if inner.starts_with("Items:") => place.push_str("[]"),
                _ if inner.starts_with("AdditionalProperties:") => place.push_str("{}"),
                _ if inner.starts_with("Enum:") => {
                    let mut values = texts(inner);
                    values.sort();
                    found.places.entry(values.join("|")).or_default().insert(place.clone());
                }
                _ => {}
            }
        }
        found
    }
}

/// The texts between quotes in a line of Go.
fn texts(line: &str) -> Vec<String> {
    line.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enums_and_required_fields_are_found() {
        let source = "func schema_k8sio_api_apps_v1_Thing(ref common.ReferenceCallback) common.OpenAPIDefinition {\n\
                      \t\t\t\tProperties: map[string]spec.Schema{\n\t\t\t\t\t\"type\": {\n\
                      \t\t\t\t\t\t\tEnum:        []interface{}{\"B\", \"A\"},\n\t\t\t\t\t\"verbs\": {\n\
                      \t\t\t\t\t\t\tItems: &spec.SchemaOrArray{\n\t\t\t\t\t\t\t\tEnum: []interface{}{\"A\", \"B\"},\n\
                      \t\t\t\tRequired: []string{\"verbs\", \"type\"},\n";
        let found = Found::read(source, |name| name == "io.k8s.api.apps.v1.Thing");
        let places: Vec<&str> = found.places["A|B"].iter().map(String::as_str).collect();
        assert_eq!(places, ["io.k8s.api.apps.v1.Thing.type", "io.k8s.api.apps.v1.Thing.verbs[]"]);
        assert_eq!(found.required["io.k8s.api.apps.v1.Thing"], ["verbs", "type"]);
        assert!(Found::read(source, |_| false).places.is_empty());
    }

    #[test]
    fn stable_versions_have_no_letters() {
        assert!(
            is_stable("io.k8s.api.autoscaling.v2.MetricSpec")
                && !is_stable("io.k8s.api.node.v1beta1.RuntimeClass")
        );
    }
}
