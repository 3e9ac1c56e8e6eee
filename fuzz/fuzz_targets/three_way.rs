//! Any three documents: every API makes the same patch of them, in both dialects, or finds them at fault; it
//! fails on a conflict where there are conflicts. In the `spec` dialect a second apply has nothing to do, a
//! two-way diff is a three-way diff from the original, and what only the server knows stays.
#![no_main]

use kubemerge_fuzz::{
    answer::{Answer, DIALECTS, applied, ask, diffed, thing},
    choices::versions,
    sound::sound,
};
use kubemerge_schema::Dialect;
use kubemerge_strategic::{OnConflict, VersionNodes, three_way, three_way_conflicts};
use kubemerge_value::{Arena, Node};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};

fuzz_target!(|data: &[u8]| {
    let [original, modified, current] = versions(data);
    for dialect in DIALECTS {
        let _ = three(dialect, [&original, &modified, &current], OnConflict::Overwrite);
        check_conflicts(dialect, [&original, &modified, &current]);
    }
    check_laws([&original, &modified, &current].map(sound));
});

fn check_conflicts(dialect: Dialect, documents: [&Value; 3]) {
    let answer = three(dialect, documents, OnConflict::Fail);
    let [original, modified, current] = documents.map(|document| Node::from_value(document).unwrap());
    let arena = Arena::new();
    match three_way_conflicts(thing(dialect), &VersionNodes { original, modified, current }, &arena) {
        Ok(found) => assert_eq!(found.is_empty(), !is_conflict(&answer), "{found:?} {answer:?}"),
        Err(_) => assert!(answer.is_err()),
    }
}

fn is_conflict(answer: &Answer) -> bool {
    matches!(answer, Err(("conflict", _)))
}

fn check_laws([original, modified, current]: [Value; 3]) {
    let patch = three(Dialect::Spec, [&original, &modified, &current], OnConflict::Overwrite)
        .expect("sound documents have a patch");
    let result = applied(Dialect::Spec, &current, &patch).expect("a patch that was made applies");
    let again = three(Dialect::Spec, [&modified, &modified, &result], OnConflict::Overwrite);
    assert_eq!(again, Ok(json!({})), "{patch} made {result} of {current}");
    check_kept([&original, &modified, &current, &result]);
    let from_original = three(Dialect::Spec, [&original, &modified, &original], OnConflict::Overwrite);
    assert_eq!(from_original, diffed(Dialect::Spec, &original, &modified));
}

/// Nothing goes or changes that neither the original nor the configuration names.
fn check_kept([original, modified, current, result]: [&Value; 4]) {
    let members = |value: &Value| value.as_object().cloned().unwrap_or_default();
    let [original, modified] = [original, modified].map(members);
    let named = |field: &String| original.contains_key(field) || modified.contains_key(field);
    for (field, value) in members(current) {
        let kept = result.get(&field).unwrap_or(&Value::Null);
        if !named(&field) {
            assert_eq!(value, *kept, "{field}");
        } else if ["child", "free"].contains(&field.as_str()) && is_merged(&modified, &field) {
            let [original, modified] =
                [&original, &modified].map(|side| side.get(&field).unwrap_or(&Value::Null));
            check_kept([original, modified, &value, kept]);
        }
    }
}

fn is_merged(modified: &Map<String, Value>, field: &str) -> bool {
    modified.get(field).is_some_and(Value::is_object)
}

fn three(dialect: Dialect, documents: [&Value; 3], on_conflict: OnConflict) -> Answer {
    ask(documents, |[original, modified, current], arena| {
        three_way(thing(dialect), original, modified, current, on_conflict, arena)
    })
}
