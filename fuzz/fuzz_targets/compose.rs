//! Any two patches: every API composes them alike, in both dialects, or finds them at fault. In the `spec`
//! dialect one patch does what the two do in turn. What undoes a patch leads back.
#![no_main]

use kubemerge_fuzz::{
    answer::{Answer, DIALECTS, applied, ask, diffed, thing},
    choices::{Choices, Role},
    sound::sound,
};
use kubemerge_schema::Dialect;
use kubemerge_strategic::{compose, conflicts, invert};
use kubemerge_value::{Arena, Node};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices(data);
    let live = choices.thing(Role::Object, 3);
    let first = patch(&mut choices, &live);
    let second = patch(&mut choices, &live);
    for dialect in DIALECTS {
        let both = composed(dialect, &first, &second);
        if let (Dialect::Spec, Ok(both)) = (dialect, both) {
            check_composition([&live, &first, &second, &both]);
        }
        check_inverse(dialect, &live, &first);
        check_conflicts(dialect, [&first, &second]);
    }
});

/// Anything that looks like a patch, or what leads from the document to another.
fn patch(choices: &mut Choices<'_>, live: &Value) -> Value {
    if choices.take(2) == 0 {
        return choices.thing(Role::Patch, 3);
    }
    let (original, modified) = (sound(live), sound(&choices.version(live, 3)));
    diffed(Dialect::Spec, &original, &modified).expect("sound documents have a patch")
}

/// Wherever the patches succeed in turn, so does the one, with the same result.
fn check_composition([live, first, second, both]: [&Value; 4]) {
    let in_turn = applied(Dialect::Spec, live, first).and_then(|once| applied(Dialect::Spec, &once, second));
    if let Ok(wanted) = in_turn {
        assert_eq!(applied(Dialect::Spec, live, both), Ok(wanted), "{first} and {second} became {both}");
    }
}

fn check_inverse(dialect: Dialect, live: &Value, patch: &Value) {
    let undo = ask([live, patch], |[live, patch], arena| invert(thing(dialect), live, patch, arena));
    let Ok(patched) = applied(dialect, live, patch) else {
        assert!(undo.is_err(), "{undo:?} undoes a patch that does not apply");
        return;
    };
    match undo {
        Ok(undo) => assert_eq!(applied(dialect, &patched, &undo).as_ref(), Ok(live)),
        // Between sound documents there is always a way.
        Err(fault) => assert!(
            dialect == Dialect::Upstream || sound(live) != *live || sound(&patched) != patched,
            "{fault:?}"
        ),
    }
}

/// No patch disagrees with itself.
fn check_conflicts(dialect: Dialect, [first, second]: [&Value; 2]) {
    let [first, second] = [first, second].map(|patch| Node::from_value(patch).unwrap());
    let (ty, arena) = (thing(dialect), Arena::new());
    let found = |one, other| conflicts(ty, one, other, &arena).map(|found| found.len());
    let _ = (found(first, second), found(second, first));
    if let (Dialect::Spec, Ok(with_itself)) = (dialect, found(first, first)) {
        assert_eq!(with_itself, 0);
    }
}

fn composed(dialect: Dialect, first: &Value, second: &Value) -> Answer {
    ask([first, second], |[first, second], arena| compose(thing(dialect), &[first, second], arena))
}
