//! Values, errors and costs of expressions, as cel-go answered them in the environment of Kubernetes.
//!
//! `cargo xtask conformance --cel --record` makes the file.

use kubemerge_cel::{
    Compiled, Environment,
    evaluate::{EvaluationError, Program},
    value::CelValue,
};
use kubemerge_value::tree::{Arena, Value as Tree, ValueRef};
use serde_json::{Value, json};

/// What evaluating one expression may cost in Kubernetes.
const MAX_COST: u64 = 1_000_000;

fn answer(text: &str, object: &CelValue<'_>) -> Value {
    let compiled = match Compiled::new(text, &Environment::of_admission()) {
        Ok(compiled) => compiled,
        Err(problem) => {
            return json!({"compile": problem.message().trim_start_matches("compilation failed: "), "cost": 0});
        }
    };
    let program = match Program::new(&compiled) {
        Ok(program) => program,
        Err(problem) => return json!({"program": problem.message(), "cost": 0}),
    };
    let evaluation = program.run(&[("object", object)], MAX_COST);
    let cost = evaluation.cost;
    match evaluation.outcome {
        Ok(value) => json!({"value": value.literal(), "cost": cost}),
        Err(EvaluationError::Failed(error)) => json!({"error": error, "cost": cost}),
        Err(EvaluationError::Crashed(error)) => json!({"error": error, "cost": cost}),
        Err(EvaluationError::CostLimit) => json!({"error": "cost limit", "cost": cost}),
    }
}

#[test]
fn expressions_are_answered_as_cel_go_answers_them() {
    let recorded = include_str!("../../../conformance/cel/answers.jsonl");
    let mut lines = recorded.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let object = lines.next().unwrap();
    let arena = Arena::new();
    let tree = Tree::of_json(&object["object"], &arena);
    let object = CelValue::from(ValueRef::from(&tree));
    let (mut count, mut different) = (0, Vec::new());
    for case in lines {
        let text = case["text"].as_str().unwrap();
        let ours = answer(text, &object);
        if ours != case["answer"] {
            different.push(format!("{text}\n  cel-go: {}\n  ours:   {ours}", case["answer"]));
        }
        count += 1;
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(count > 1_500, "only {count} expressions");
}
