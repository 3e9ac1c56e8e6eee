//! Any document and any patch: what a patch of one type does, its conversion to another type does too. A JSON
//! merge patch that was made three-way leaves nothing to do for a second one.
#![no_main]

use kubemerge::{Canonical, RuleSource, Patch, PatchType, Target, Tests, Versions, apply, convert, diff, json_three_way};
use kubemerge_fuzz::{
    answer::{DIALECTS, thing},
    choices::{Choices, Role},
    sound::sound,
};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

const TARGETS: [Target; 4] =
    [Target::Strategic, Target::Merge, Target::Json(Tests::Without), Target::Json(Tests::With)];

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices(data);
    let live = choices.thing(Role::Object, 3);
    let modified = choices.version(&live, 3);
    let body = canonical(&choices.thing(Role::Patch, 3));
    let live_text = canonical(&live);
    for guide in DIALECTS.map(|dialect| RuleSource::Type(thing(dialect))) {
        for patch_type in [PatchType::Strategic, PatchType::Merge] {
            check_conversions(guide, &live_text, &Patch::new(patch_type, &body).unwrap());
        }
        for target in TARGETS {
            if let Ok(patch) = diff(guide, &live_text, &canonical(&modified), target) {
                check_conversions(guide, &live_text, &patch);
            }
        }
    }
    check_three_way(&sound(&live), &sound(&modified), &sound(&choices.version(&live, 3)));
});

fn check_conversions(guide: RuleSource<'_>, live: &Canonical, patch: &Patch<'_>) {
    let Ok(wanted) = apply(guide, live, patch) else { return };
    for target in TARGETS {
        if let Ok(converted) = convert(guide, live, patch, target) {
            let result = apply(guide, live, &converted).expect("a patch that was made applies");
            assert_eq!(result, wanted, "{patch} became {converted}");
        }
    }
}

fn check_three_way(original: &Value, modified: &Value, current: &Value) {
    let Ok(patch) = json_three_way(&Versions { original, modified, current }, &[]) else { return };
    let result = apply(RuleSource::None, current, &patch).expect("a patch that was made applies");
    let again = json_three_way(&Versions { original: modified, modified, current: &result }, &[])
        .expect("nothing changed");
    assert_eq!(again.to_string(), json!({}).to_string(), "{patch} made {result} of {current}");
}

fn canonical(value: &Value) -> Canonical {
    Canonical::from_bytes(value.to_string().as_bytes()).unwrap()
}
