//! Documents and patches nested to the limit, on a small stack, and wide ones.

use kubemerge::{Canonical, Patch, RuleSource, Target, Tests, Versions, apply, diff, json_three_way};

const LIMIT: usize = 10_000;

fn on_small_thread(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(test).unwrap().join().unwrap();
}

fn nested(levels: usize, bottom: &str) -> String {
    format!("{}{bottom}{}", r#"{"a":"#.repeat(levels), "}".repeat(levels))
}

#[test]
fn merge_patches_nested_to_the_limit() {
    on_small_thread(|| {
        let live = nested(LIMIT, "1");
        for body in [nested(LIMIT, "2"), nested(LIMIT - 2, "[{}]"), nested(LIMIT - 1, r#"{"b":null}"#)] {
            let patch = Patch::merge(&body).unwrap();
            assert!(apply(RuleSource::None, &live, &patch).is_ok());
            assert!(
                apply(RuleSource::None, &Canonical::from_bytes(live.as_bytes()).unwrap(), &patch).is_ok()
            );
            assert!(apply(RuleSource::None, "{}", &patch).is_ok());
        }
    });
}

#[test]
fn json_patches_at_the_bottom() {
    on_small_thread(|| {
        let live = nested(LIMIT - 1, r#"{"x":1}"#);
        let path = "/a".repeat(LIMIT - 1);
        let body = format!(
            r#"[{{"op":"test","path":"","value":{live}}},{{"op":"replace","path":"{path}/x","value":2}},{{"op":"copy","from":"/a","path":"/b"}}]"#
        );
        // The whole document fits into a test only two levels below the limit.
        assert!(Patch::json(&body).is_err());
        let body = format!(
            r#"[{{"op":"replace","path":"{path}/x","value":2}},{{"op":"copy","from":"/a","path":"/b"}}]"#
        );
        let patch = Patch::json(&body).unwrap();
        let result = apply(RuleSource::None, &live, &patch).unwrap();
        assert_eq!(result.len(), 2 * live.len() - 1);
        assert!(apply(RuleSource::None, &Canonical::from_bytes(live.as_bytes()).unwrap(), &patch).is_ok());
    });
}

#[test]
fn results_beyond_the_limit_are_refused() {
    on_small_thread(|| {
        let live = nested(LIMIT - 1, "{}");
        let deep = nested(LIMIT - 3, "1");
        let path = "/a".repeat(LIMIT / 2);
        for body in [
            format!(r#"[{{"op":"add","path":"{path}","value":{deep}}}]"#),
            r#"[{"op":"add","path":"/b","value":{}},{"op":"move","from":"/a","path":"/b/a"},{"op":"move","from":"/b","path":"/c"},
                {"op":"add","path":"/b","value":{}},{"op":"move","from":"/c","path":"/b/c"}]"#
                .to_owned(),
        ] {
            let patch = Patch::json(&body).unwrap();
            let error = apply(RuleSource::None, &live, &patch).unwrap_err();
            assert!(error.message().starts_with("the result cannot be a document: nested deeper than 10000"), "{error}");
        }
    });
}

#[test]
fn diffs_at_the_bottom_do_not_blow_up() {
    on_small_thread(|| {
        let members = |value: usize| {
            let members: Vec<String> = (0..2_000).map(|at| format!("\"m{at}\":{value}")).collect();
            nested(LIMIT - 10, &format!("{{{}}}", members.join(",")))
        };
        let (original, modified) = (members(1), members(2));
        let patch = diff(RuleSource::None, &original, &modified, Target::Json(Tests::Without)).unwrap();
        assert!(patch.to_string().starts_with(r#"[{"op":"replace","path":"","value":"#));
        let patch = diff(RuleSource::None, &original, &modified, Target::Merge).unwrap();
        let result =
            apply(RuleSource::None, &Canonical::from_bytes(original.as_bytes()).unwrap(), &patch).unwrap();
        assert!(result == Canonical::from_bytes(modified.as_bytes()).unwrap());
    });
}

/// Every member of one map against every member of another would take minutes.
#[test]
fn wide_objects_are_compared_member_by_member() {
    let wide = |letter: char| {
        let members: Vec<String> = (0..50_000).map(|at| format!("\"{letter}{at}\":1")).collect();
        format!("{{\"spec\":{{{}}}}}", members.join(","))
    };
    let (before, after) = (wide('a'), wide('b'));
    let versions = Versions { original: &before, modified: &after, current: &before };
    let patch = json_three_way(&versions, &[]).unwrap();
    assert_eq!(apply(RuleSource::None, &before, &patch).unwrap().len(), after.len());
}
