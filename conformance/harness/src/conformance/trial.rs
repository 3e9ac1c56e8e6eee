//! One generated case, and the court that judges it.

use serde_json::{Map, Value, json};

use super::{
    document::{FaultRates, Writer},
    explained,
    shape::Subject,
};
use crate::answer::Runner;
use crate::rng::Rng;
use kubemerge_test_support::{
    reference::Reference,
    verdict::{Verdict, on_one_line},
};

/// Operations that cases are made for.
pub(crate) const OPERATIONS: &[&str] =
    &["apply", "diff", "three-way", "compose", "conflicts", "json-three-way", "merge-patch", "json-patch"];

/// Our interfaces; each must give the answer.
const INTERFACES: &[&str] = &["value", "checked", "canonical"];

/// How often a case that differs is asked again, in rounds: Go walks a small map from a random place of eight, so
/// an answer that needs a certain order on several levels is rare.
const AGAIN: [usize; 3] = [12, 300, 6000];

/// kustomize sorts what it walks, so it has one answer to a case.
const AGAIN_KUSTOMIZE: [usize; 1] = [2];

/// A case before it is asked.
#[derive(Clone)]
pub(crate) struct Trial<'a> {
    pub(crate) op: &'static str,
    pub(crate) dialect: &'static str,
    pub(crate) subject: &'a Subject,
    /// The documents and settings, by the names of the protocol.
    pub(crate) inputs: Map<String, Value>,
}

/// Makes a case of a subject, for one operation or for any.
pub(crate) fn make<'a>(rng: &mut Rng, subject: &'a Subject, op: Option<&str>) -> Trial<'a> {
    let op = match op {
        Some(op) => OPERATIONS.iter().find(|known| **known == op).expect("options are checked"),
        None => *rng.pick(&[
            "apply",
            "apply",
            "diff",
            "diff",
            "three-way",
            "three-way",
            "compose",
            "conflicts",
            "json-three-way",
            "merge-patch",
        ]),
    };
    let long_lists = rng.chance(10);
    let rates = FaultRates {
        // Long lists would have many faults at once, and only one of them would be compared.
        faults: if long_lists { 0 } else { *rng.pick(&[0, 0, 1, 3, 8]) },
        // Long lists with repeated keys are a class of their own: the sort routine decides.
        repeats: if long_lists { 0 } else { *rng.pick(&[0, 0, 10, 40]) },
        long_lists,
        whole_floats: rng.chance(50),
    };
    let mut writer = Writer { rng, shapes: &subject.shapes, rates };
    let inputs = inputs(&mut writer, subject.root, op);
    Trial { op, dialect: "upstream", subject, inputs }
}

/// Makes a case for the dialect `kustomize`, which only applies patches.
pub(crate) fn make_kustomize<'a>(rng: &mut Rng, subject: &'a Subject) -> Trial<'a> {
    let mut trial = Trial { dialect: "kustomize", ..make(rng, subject, Some("apply")) };
    let (version, kind) = subject.type_name.rsplit_once('/').unwrap_or(("kubemerge.example/v1", "Subject"));
    for document in trial.inputs.values_mut() {
        // kustomize takes no object and no patch without kind and name.
        document["apiVersion"] = json!(version);
        document["kind"] = json!(kind);
        if !document["metadata"].is_object() {
            document["metadata"] = json!({});
        }
        document["metadata"]["name"] = json!("subject");
        document["metadata"]["namespace"] = json!("default");
        for field in ["labels", "annotations"] {
            readable_names(&mut document["metadata"], field);
        }
    }
    trial
}

/// kustomize panics over labels that are no map, and writes names that look like numbers without quotes.
fn readable_names(metadata: &mut Value, field: &str) {
    let Some(Value::Object(metadata)) = Some(metadata) else { return };
    match metadata.remove(field) {
        Some(Value::Object(members)) => {
            let renamed = members.into_iter().map(|(name, value)| (format!("n{name}"), value));
            metadata.insert(field.into(), Value::Object(renamed.collect()));
        }
        Some(Value::Null) => drop(metadata.insert(field.into(), Value::Null)),
        _ => {}
    }
}

fn inputs(writer: &mut Writer<'_>, root: usize, op: &str) -> Map<String, Value> {
    let original = writer.document(root);
    let value = match op {
        "apply" | "merge-patch" => json!({ "patch": writer.patch(root, &original, 0), "original": original }),
        "diff" => json!({ "modified": writer.edit(root, &original, 0), "original": original }),
        "three-way" | "json-three-way" => json!({
            "modified": writer.edit(root, &original, 0),
            "current": writer.edit(root, &original, 0),
            "original": original,
            "overwrite": writer.rng.chance(60),
        }),
        "json-patch" => {
            json!({ "patch": super::json_patch::operations(writer, &original), "original": original })
        }
        // Both for one document, so that they touch the same fields.
        _ => json!({ "patches": [writer.patch(root, &original, 0), writer.patch(root, &original, 0)] }),
    };
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

impl Trial<'_> {
    /// The request.
    fn request(&self) -> String {
        let mut request = self.inputs.clone();
        request.insert("op".into(), json!(self.op));
        request.insert("dialect".into(), json!(self.dialect));
        // These three do not look at a schema.
        if !matches!(self.op, "merge-patch" | "json-patch" | "json-three-way") {
            request.insert("type".into(), json!(self.subject.type_name));
            if let Some(document) = &self.subject.schema {
                request.insert("schema".into(), json!(document.path()));
            }
        }
        Value::Object(request).to_string()
    }

    /// How often the case is asked again if it differs.
    fn again(&self) -> &'static [usize] {
        if self.dialect == "kustomize" { &AGAIN_KUSTOMIZE } else { &AGAIN }
    }
}

/// What came of a case.
pub(crate) enum Outcome {
    /// All sides agree.
    Same { result: bool },
    /// They differ in a way that is written down.
    Explained(&'static str),
    /// They differ.
    Different,
}

/// Both sides.
pub(crate) struct Court {
    reference: Reference,
    runner: Runner,
}

impl Court {
    /// A court with this judge.
    pub(crate) fn new(reference: Reference) -> Court {
        Court { reference, runner: Runner::default() }
    }

    /// Judges a batch.
    pub(crate) fn judge(&mut self, trials: &[Trial<'_>]) -> Result<Vec<Outcome>, String> {
        let requests: Vec<String> = trials.iter().map(Trial::request).collect();
        let (reference, runner) = (&mut self.reference, &mut self.runner);
        let (theirs, ours) = std::thread::scope(|scope| {
            let asked = scope.spawn(|| reference.ask(&requests));
            let ours: Vec<Vec<String>> = requests
                .iter()
                .zip(trials)
                .map(|(request, trial)| answers(runner, request, &trial.inputs))
                .collect();
            (asked.join().unwrap_or_else(|_| Err("the reference side crashed".into())), ours)
        });
        let mut outcomes = Vec::with_capacity(trials.len());
        for ((trial, theirs), ours) in trials.iter().zip(theirs?).zip(ours) {
            outcomes.push(self.compare(trial, &theirs, &ours)?);
        }
        Ok(outcomes)
    }

    fn compare(&mut self, trial: &Trial<'_>, theirs: &str, ours: &[String]) -> Result<Outcome, String> {
        let theirs = Verdict::read(theirs)?;
        let ours: Vec<Verdict> = ours.iter().map(|reply| Verdict::read(reply)).collect::<Result<_, _>>()?;
        if ours.iter().all(|answer| theirs.agrees(answer)) {
            return Ok(Outcome::Same { result: matches!(theirs, Verdict::Result(_)) });
        }
        let known = |variants: &[Verdict]| {
            ours.iter().all(|answer| variants.iter().any(|variant| variant.agrees(answer)))
        };
        let mut variants = Vec::new();
        for times in trial.again() {
            variants = self.variants(trial, *times)?;
            if known(&variants) {
                return Ok(Outcome::Explained("several-answers"));
            }
        }
        // Our interfaces may differ from each other: each must be a variant or explained.
        let mut class = "several-answers";
        for answer in ours {
            if variants.iter().any(|variant| variant.agrees(&answer)) {
                continue;
            }
            match explained::class(trial, &variants, &answer) {
                Some(explanation) => class = explanation,
                None => return Ok(Outcome::Different),
            }
        }
        Ok(Outcome::Explained(class))
    }

    /// Every answer that Kubernetes gives when it is asked often.
    fn variants(&mut self, trial: &Trial<'_>, times: usize) -> Result<Vec<Verdict>, String> {
        let replies = self.reference.ask(&[with_member(&trial.request(), "repeat", &times.to_string())])?;
        let reply: Value = serde_json::from_str(&replies[0]).map_err(|error| error.to_string())?;
        let several =
            reply.get("variants").and_then(Value::as_array).cloned().unwrap_or_else(|| vec![reply.clone()]);
        several.iter().map(|one| Verdict::of(one).ok_or_else(|| format!("no verdict: {one}"))).collect()
    }

    /// Whether a case (still) differs without an explanation.
    pub(crate) fn differs(&mut self, trial: &Trial<'_>) -> Result<bool, String> {
        let outcomes = self.judge(std::slice::from_ref(trial))?;
        Ok(matches!(outcomes[0], Outcome::Different))
    }

    /// In what way a case differs, for a quick look: the kinds of the answers; none where they agree.
    pub(crate) fn difference(&mut self, trial: &Trial<'_>) -> Result<Option<(String, Vec<String>)>, String> {
        let kind = |verdict: &Verdict| match verdict {
            Verdict::Result(_) => "result".to_string(),
            Verdict::Error(fault) => fault.kind.clone(),
        };
        let theirs = self.variants(trial, trial.again()[0])?;
        let mut ours = Vec::new();
        for reply in answers(&mut self.runner, &trial.request(), &trial.inputs) {
            ours.push(Verdict::read(&reply)?);
        }
        let agree = ours.iter().all(|answer| theirs.iter().any(|variant| variant.agrees(answer)));
        Ok((!agree).then(|| (kind(&theirs[0]), ours.iter().map(kind).collect())))
    }

    /// A case as the corpus would have it, with what each side says.
    pub(crate) fn report(&mut self, trial: Trial<'_>) -> Result<String, String> {
        let mut lines = vec![format!("- name: found by the differential run ({})", trial.op)];
        lines.push(format!("  type: {}", trial.subject.type_name));
        lines.extend(trial.inputs.iter().map(|(key, value)| format!("  {key}: {}", on_one_line(value))));
        let request = trial.request();
        let theirs = self.reference.ask(&[with_member(&request, "repeat", &AGAIN[0].to_string())])?;
        lines.push(format!("  {}: {}", trial.dialect, theirs[0]));
        for (interface, answer) in INTERFACES.iter().zip(answers(&mut self.runner, &request, &trial.inputs)) {
            lines.push(format!("  # ours, {interface}: {answer}"));
        }
        if let Some(document) = &trial.subject.schema {
            lines.push(format!("  # schema: {}", document.text()));
        }
        Ok(lines.join("\n"))
    }
}

fn answers(runner: &mut Runner, request: &str, inputs: &Map<String, Value>) -> Vec<String> {
    let mut ask =
        |interface: &str| runner.reply(with_member(request, "api", &format!("{interface:?}")).as_bytes());
    INTERFACES
        .iter()
        .filter(|interface| explained::can_carry(interface, inputs))
        .map(|interface| ask(interface))
        .collect()
}

/// A request with one more member in front.
fn with_member(request: &str, key: &str, value: &str) -> String {
    format!("{{\"{key}\":{value},{}", &request[1..])
}
