//! The laws of the `spec` dialect, on generated documents that fit their schema.

use serde_json::{Value, json};

use super::{
    document::{FaultRates, Writer},
    kinds,
    shape::{self, Subject},
};
use crate::answer::Runner;
use crate::rng::Rng;
use kubemerge_test_support::{seed::seed, verdict::Verdict};

const SCHEMAS: usize = 30;
const ROUNDS_PER_SCHEMA: usize = 10;
/// Documents that fit their schema.
const VALID: FaultRates = FaultRates { faults: 0, repeats: 0, long_lists: false, whole_floats: false };

/// Why a law could not be shown to hold.
enum Failure {
    /// Our engine refused an operation.
    Refused(String),
    /// The result is another one than the law says.
    Broken(String),
}

type Law = fn(&mut Asker<'_>, &mut Writer<'_>) -> Result<(), Failure>;

/// Holds our engine to a law, on generated schemas and on every built-in kind.
///
/// `KUBEMERGE_SEED` repeats a run.
fn check(law: Law) {
    let seed = seed();
    let mut runner = Runner::default();
    for schema in 0..SCHEMAS as u64 {
        let mut rng = Rng::new(seed.wrapping_add(schema));
        let subject = shape::synthetic(&mut rng).expect("a schema can be made");
        for _ in 0..ROUNDS_PER_SCHEMA {
            let text = || subject.schema.as_ref().map(|it| it.text()).unwrap_or_default();
            match round(law, &mut runner, &subject, &mut rng) {
                Ok(()) => {}
                Err(Failure::Refused(why) | Failure::Broken(why)) => {
                    panic!("schema {schema}: {why}\n{}", text())
                }
            }
        }
    }
    check_built_in_kinds(law, &mut runner, seed);
}

fn check_built_in_kinds(law: Law, runner: &mut Runner, seed: u64) {
    let tables = kinds::tables();
    let mut rng = Rng::new(seed);
    let (mut held, mut refused) = (0, 0);
    for kind in tables.kinds() {
        let Some(subject) = kinds::subject(&tables, &kind.api_version(), kind.kind) else { continue };
        match round(law, runner, &subject, &mut rng) {
            Ok(()) => held += 1,
            // Items may lack a key that has no default, which the writer does not know.
            Err(Failure::Refused(_)) => refused += 1,
            Err(Failure::Broken(why)) => panic!("{}: {why}", subject.type_name),
        }
    }
    println!("{held} kinds held, {refused} refused");
    // A law that holds only because nearly everything is refused would say nothing.
    assert!(held > 9 * refused, "{refused} refusals, {held} kinds");
}

fn round(law: Law, runner: &mut Runner, subject: &Subject, rng: &mut Rng) -> Result<(), Failure> {
    let mut writer = Writer { rng, shapes: &subject.shapes, rates: VALID };
    law(&mut Asker { runner, subject }, &mut writer)
}

/// Asks our engine about one type.
struct Asker<'a> {
    runner: &'a mut Runner,
    subject: &'a Subject,
}

impl Asker<'_> {
    fn ask(&mut self, op: &str, inputs: Value) -> Result<Value, Failure> {
        let mut request = inputs.clone();
        request["op"] = json!(op);
        request["dialect"] = json!("spec");
        request["type"] = json!(self.subject.type_name);
        request["schema"] = json!(self.subject.schema.as_ref().map(|file| file.path()));
        let reply = self.runner.reply(request.to_string().as_bytes());
        match Verdict::read(&reply).map_err(Failure::Broken)? {
            Verdict::Result(value) => Ok(value),
            Verdict::Error(fault) => Err(Failure::Refused(format!("{op} of {inputs}: {fault:?}"))),
        }
    }
}

fn two(writer: &mut Writer<'_>, asker: &Asker<'_>) -> (Value, Value) {
    let original = writer.document(asker.subject.root);
    let modified = writer.edit(asker.subject.root, &original, 0);
    (original, modified)
}

fn same(what: &str, wanted: &Value, given: &Value, of: &Value) -> Result<(), Failure> {
    if Verdict::Result(wanted.clone()).agrees(&Verdict::Result(given.clone())) {
        return Ok(());
    }
    Err(Failure::Broken(format!("{what}: wanted {wanted}, got {given}, of {of}")))
}

#[test]
fn applying_a_diff_gives_what_was_wanted() {
    check(|asker, writer| {
        let (original, modified) = two(writer, asker);
        let patch = asker.ask("diff", json!({ "original": original, "modified": modified }))?;
        let inputs = json!({ "original": original, "patch": patch });
        let result = asker.ask("apply", inputs.clone())?;
        same("apply(o, diff(o, m))", &printed(&modified), &result, &inputs)
    });
}

#[test]
fn a_diff_with_itself_is_empty() {
    check(|asker, writer| {
        let (document, _) = two(writer, asker);
        let patch = asker.ask("diff", json!({ "original": document, "modified": document }))?;
        same("diff(x, x)", &json!({}), &patch, &document)
    });
}

#[test]
fn a_second_three_way_apply_has_nothing_to_do() {
    check(|asker, writer| {
        let (original, modified) = two(writer, asker);
        let current = writer.edit(asker.subject.root, &original, 0);
        let inputs =
            json!({ "original": original, "modified": modified, "current": current, "overwrite": true });
        let patch = asker.ask("three-way", inputs.clone())?;
        let result = asker.ask("apply", json!({ "original": current, "patch": patch }))?;
        let again =
            json!({ "original": modified, "modified": modified, "current": result, "overwrite": true });
        same("second three-way", &json!({}), &asker.ask("three-way", again)?, &inputs)
    });
}

#[test]
fn a_three_way_diff_from_the_original_is_the_two_way_diff() {
    check(|asker, writer| {
        let (original, modified) = two(writer, asker);
        let patch = asker.ask("diff", json!({ "original": original, "modified": modified }))?;
        let inputs =
            json!({ "original": original, "modified": modified, "current": original, "overwrite": true });
        same("three-way(o, m, o)", &patch, &asker.ask("three-way", inputs.clone())?, &inputs)
    });
}

#[test]
fn a_composed_patch_does_what_its_parts_do() {
    check(|asker, writer| {
        let root = asker.subject.root;
        let original = writer.document(root);
        let patches = [writer.patch(root, &original, 0), writer.patch(root, &original, 0)];
        // Some patches cannot be composed or applied; the law is about the others.
        let Ok(composed) = asker.ask("compose", json!({ "patches": patches })) else { return Ok(()) };
        let live = writer.edit(root, &original, 0);
        let Ok(first) = asker.ask("apply", json!({ "original": live, "patch": patches[0] })) else {
            return Ok(());
        };
        let Ok(wanted) = asker.ask("apply", json!({ "original": first, "patch": patches[1] })) else {
            return Ok(());
        };
        let inputs = json!({ "original": live, "patch": composed, "patches": patches });
        same("compose", &wanted, &asker.ask("apply", inputs.clone())?, &inputs)
    });
}

#[test]
fn no_directive_and_no_null_stays_in_a_result() {
    check(|asker, writer| {
        let root = asker.subject.root;
        let original = writer.document(root);
        let inputs = json!({ "patch": writer.patch(root, &original, 0), "original": original });
        let Ok(result) = asker.ask("apply", inputs.clone()) else { return Ok(()) };
        match leak(&result) {
            Some(leaked) => Err(Failure::Broken(format!("{leaked} in {result} of {inputs}"))),
            None => Ok(()),
        }
    });
}

fn leak(value: &Value) -> Option<String> {
    match value {
        Value::Object(members) => members.iter().find_map(|(key, member)| {
            let directive = ["$patch", "$retainKeys", "$setElementOrder", "$deleteFromPrimitiveList"];
            let leaked = member.is_null() || directive.iter().any(|word| key.starts_with(word));
            if leaked { Some(key.clone()) } else { leak(member) }
        }),
        Value::Array(items) => items.iter().find_map(leak),
        _ => None,
    }
}

/// A document as a reply prints it: integral floats have no fraction.
fn printed(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 1e15 => {
                json!(float as i64)
            }
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(printed).collect(),
        Value::Object(members) => {
            members.iter().map(|(key, member)| (key.clone(), printed(member))).collect()
        }
        _ => value.clone(),
    }
}
