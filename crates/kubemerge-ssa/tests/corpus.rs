//! The scenarios of the corpus: our engine gives the answers of Kubernetes, step by step.

use kubemerge_schema::{Dialect, Schema, SchemaBuilder};
use kubemerge_test_support::{
    corpus::folder,
    scenario::{Runner, cases, compare},
};
use serde_json::Value as Json;

fn schema() -> Schema {
    let text = std::fs::read_to_string(folder().join("ssa-schema.json")).unwrap();
    let document: Json = serde_json::from_str(&text).unwrap();
    let builder = SchemaBuilder::new().custom_resource_definition(&document["definition"]).unwrap();
    builder.compile(Dialect::Upstream).unwrap()
}

#[test]
fn scenarios_end_as_kubernetes_ends_them() {
    let schema = schema();
    let mut complaints = Vec::new();
    let mut steps = 0;
    for file in cases::load(&folder()) {
        for case in &file.cases {
            let mut runner = Runner::new(&case.scenario, &schema, None);
            for (number, step) in case.scenario["steps"].as_array().unwrap().iter().enumerate() {
                steps += 1;
                let expected = file.lines[case.answers[number]].split_once(": ").unwrap().1;
                let answer = runner.step(number as i64 + 1, step);
                let difference = compare::difference(&answer, expected);
                complaints
                    .extend(difference.map(|why| format!("{} step {}:\n{why}", case.place, number + 1)));
            }
        }
    }
    assert!(complaints.is_empty(), "{} answers differ:\n{}", complaints.len(), complaints.join("\n"));
    assert!(steps > 100, "the corpus has scenarios");
}
