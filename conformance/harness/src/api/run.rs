//! The loop of a comparison: make trials, ask both servers, compare, count.

use http::Method;
use kubemerge_test_support::recording::normal::{
    Identity, Owners, normalise, normalise_table, without_descriptions,
};
use serde_json::Value;

use super::{
    custom::{self, Custom},
    difference::{self, Compared},
    documents, empties,
    exchange::{Answers, Call, Identities, Pair, Server, json},
    immutable,
    kinds::{self, Kind, is_changed_by_server},
    managers::{self, Subject},
    options::{AREAS, Options},
    report::Report,
    schema::Schema,
    stored::{Shelf, Stored, delete, delete_everywhere, read, renamed},
    trial::{self, Trial},
};
use crate::{apiserver::Instance, rng::Rng};

/// Definitions of a run that has custom resources.
const DEFINITIONS: usize = 8;

/// How long a definition may take until its resources are served.
const MAX_ESTABLISH_ATTEMPTS: usize = 100;

/// Kinds whose objects change the answers to other requests, or cannot be deleted without a controller.
const CHANGES_OTHER_REQUESTS: [&str; 9] = [
    "APIService",
    "CustomResourceDefinition",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "Namespace",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
];

/// Requests without an answer before the server counts as dead: this many, and one in fifty of those that were asked for.
const MAX_DROPPED: usize = 20;

struct Run<'o> {
    options: &'o Options,
    pair: Pair,
    rng: Rng,
    shelf: Shelf,
    report: Report,
    customs: Vec<Custom>,
    /// Requests without an answer.
    dropped: Vec<String>,
    /// Part of all names of this run.
    name: String,
}

/// Compares until there were enough requests.
pub(crate) fn run(options: &Options, instance: &Instance) -> Result<Report, String> {
    let mut run = Run {
        options,
        pair: Pair::connect(instance)?,
        rng: Rng::new(options.seed),
        shelf: Shelf::default(),
        report: Report::default(),
        customs: Vec::new(),
        dropped: Vec::new(),
        name: format!("{:x}", options.seed % 0xfffff),
    };
    let result = run.compare();
    // Objects that stay would be in the way of other runs on this server.
    run.clear()?;
    run.dropped.iter().for_each(|error| println!("no answer: {error}"));
    result.map(|()| run.report)
}

impl Run<'_> {
    fn compare(&mut self) -> Result<(), String> {
        self.documents()?;
        let kinds = kinds::served(&mut self.pair.real, self.options.manifests.as_deref())?;
        let kinds: Vec<Kind> =
            kinds.into_iter().filter(|kind| kind.label().contains(&self.options.only)).collect();
        // The real server's: it is the reference for types as well.
        let document = kinds::fetch(&mut self.pair.real, "/openapi/v2")?;
        if self.options.has("custom") || self.options.has("managers") {
            self.define()?;
        }
        let areas: Vec<&str> = self.random_areas(&kinds);
        while self.report.requests() < self.options.requests && !areas.is_empty() {
            match *self.rng.pick(&areas) {
                "custom" => self.custom()?,
                "empties" => self.empties(&kinds, &document)?,
                "immutable" => self.immutable(&kinds)?,
                "lifecycle" => self.lifecycle(&kinds, &document)?,
                "managers" => self.managers(&kinds, &document)?,
                area => self.built_in(area, &kinds, &document)?,
            }
        }
        // Last, because a watch needs seconds on the real server.
        if self.options.has("watch") { self.watches(&kinds) } else { Ok(()) }
    }

    fn random_areas(&self, kinds: &[Kind]) -> Vec<&'static str> {
        // Random requests need kinds; these areas have requests of their own.
        let is_random = |area: &&str| !["watch", "custom", "discovery", "openapi"].contains(area);
        let random = AREAS.into_iter().filter(is_random);
        let mut areas: Vec<&'static str> =
            random.filter(|area| self.options.has(area) && !kinds.is_empty()).collect();
        areas.extend((self.options.has("custom") && !self.customs.is_empty()).then_some("custom"));
        areas
    }

    fn documents(&mut self) -> Result<(), String> {
        let mut trials = Vec::new();
        if self.options.has("discovery") {
            trials.extend(documents::discovery(&mut self.pair)?);
        }
        if self.options.has("openapi") {
            trials.extend(documents::openapi(&mut self.pair)?);
        }
        trials.into_iter().try_for_each(|trial| self.judge(&trial))?;
        if self.options.has("openapi") {
            let name = self.name.clone();
            let trial = documents::custom_openapi(&mut self.pair, &name)?;
            self.judge(&trial)?;
            documents::undefine(&mut self.pair, &name)?;
        }
        Ok(())
    }

    fn built_in(&mut self, area: &str, kinds: &[Kind], document: &Value) -> Result<(), String> {
        let kind = match area {
            "definition" => {
                kinds.iter().find(|kind| kind.kind == "CustomResourceDefinition").unwrap_or(&kinds[0])
            }
            _ => self.rng.pick(kinds),
        };
        let schema = Schema::of_kind(document, &kind.api_version, &kind.kind);
        // Definitions in files have few rules: half of the requests are about random ones.
        if area == "definition" && self.rng.chance(50) {
            let mut kind = kind.clone();
            kind.objects =
                vec![custom::random(&self.name, self.rng.below(1_000_000), &mut self.rng).definition];
            let mut trial = trial::create(&kind, 0, schema, &mut self.rng);
            trial.area = "definition";
            return self.judge(&trial);
        }
        let number = self.rng.below(kind.objects.len());
        // Kinds that only answer, such as reviews, can be asked in this way alone.
        if area == "create" || !kind.can("update") {
            let mut trial = trial::create(kind, number, schema, &mut self.rng);
            trial.area = definition_or(kind, "create");
            return self.judge(&trial);
        }
        let name = self.name.clone();
        let Some(stored) = self.shelf.get(&mut self.pair, kind, number, &name)? else { return Ok(()) };
        let trial = match area {
            "update" => Some(trial::update(kind, &stored, schema, &mut self.rng)),
            "patch" => Some(trial::patch(kind, &stored, schema, &mut self.rng)),
            "apply" => Some(trial::apply(kind, number, &stored, schema, &name, &mut self.rng)),
            "subresource" => trial::subresource(kind, &stored, schema, &mut self.rng),
            "definition" if self.rng.chance(60) => Some(trial::create(kind, number, schema, &mut self.rng)),
            "definition" => Some(trial::update(kind, &stored, schema, &mut self.rng)),
            _ => Some(trial::read(kind, &stored, &mut self.rng)),
        };
        let Some(mut trial) = trial else { return Ok(()) };
        if matches!(trial.area, "create" | "update" | "patch") {
            trial.area = definition_or(kind, trial.area);
        }
        self.judge(&trial)
    }

    /// Creates an object with empty fields for real and lets another manager apply it, or writes to a stored one.
    fn empties(&mut self, kinds: &[Kind], document: &Value) -> Result<(), String> {
        let kind = self.rng.pick(kinds);
        // Controllers inside kube-apiserver own fields of some; others change what requests are about.
        if !kind.can("update") || is_changed_by_server(&kind.kind) {
            return Ok(());
        }
        let schema = Schema::of_kind(document, &kind.api_version, &kind.kind);
        let number = self.rng.below(kind.objects.len());
        let (name, own) = (self.name.clone(), format!("{}e{}", self.name, self.report.requests()));
        let manifest = renamed(&kind.objects[number], &own);
        // An object whose name is fixed is the one that updates are about.
        let is_fixed = manifest["metadata"]["name"] == kind.objects[number]["metadata"]["name"];
        if self.rng.chance(50)
            || is_fixed
            || !kind.can("delete")
            || CHANGES_OTHER_REQUESTS.contains(&kind.kind.as_str())
        {
            let Some(stored) = self.shelf.get(&mut self.pair, kind, number, &name)? else { return Ok(()) };
            let manifest = renamed(&kind.objects[number], &name);
            let trial = empties::write(kind, &stored, &manifest, schema, &mut self.rng);
            return self.judge(&trial);
        }
        let create = empties::create(kind, manifest.clone(), schema, &mut self.rng);
        self.judge(&create)?;
        let name = manifest["metadata"]["name"].as_str().unwrap_or_default();
        let path = format!("{}/{name}", kind.collection());
        let Some(stored) = read(&mut self.pair, &path)? else {
            return delete_everywhere(&mut self.pair, &path);
        };
        let identities = stored.identities;
        let look = Trial {
            area: "empties",
            kind: kind.label(),
            call: Call::get(&path),
            identities: identities.clone(),
        };
        self.judge(&look)?;
        self.judge(&empties::apply_after(kind, &path, &manifest, identities))?;
        delete_everywhere(&mut self.pair, &path)
    }

    /// Changes several fields at once and compares the order of errors, where kube-apiserver has a fixed one.
    fn immutable(&mut self, kinds: &[Kind]) -> Result<(), String> {
        let kind = self.rng.pick(kinds);
        if !kind.can("update") {
            return Ok(());
        }
        let number = self.rng.below(kind.objects.len());
        let name = self.name.clone();
        let Some(stored) = self.shelf.get(&mut self.pair, kind, number, &name)? else { return Ok(()) };
        let trial = immutable::update(kind, &stored, &mut self.rng);
        let Some(answers) = self.answers(&trial)? else { return Ok(()) };
        if !immutable::are_invalid(&answers.real, &answers.ours) {
            return Ok(());
        }
        let (real, ours) = (json(&answers.real), json(&answers.ours));
        let (wanted, given) = (immutable::order(&real), immutable::order(&ours));
        let as_set = |order: &[String]| order.iter().cloned().collect::<std::collections::BTreeSet<_>>();
        // What is missing or too much has been counted as such.
        if wanted == given || as_set(&wanted) != as_set(&given) {
            return Ok(());
        }
        for _ in 0..immutable::MAX_REPEATS {
            let again = Server::send(&mut self.pair.real, &trial.call, &trial.identities.real)?;
            // Upstream: some errors are found in the order of a Go map.
            if immutable::order(&json(&again)) != wanted {
                return Ok(());
            }
        }
        let reason = format!("order: {} there, {} here", immutable::fields(&real), immutable::fields(&ours));
        self.report.add("immutable", &trial.kind, &trial.call, &answers, &Compared::only(reason));
        Ok(())
    }

    /// Creates an object for real, reads it and deletes it.
    fn lifecycle(&mut self, kinds: &[Kind], document: &Value) -> Result<(), String> {
        let kind = self.rng.pick(kinds);
        if !kind.can("delete") || CHANGES_OTHER_REQUESTS.contains(&kind.kind.as_str()) {
            return Ok(());
        }
        let schema = Schema::of_kind(document, &kind.api_version, &kind.kind);
        let number = self.rng.below(kind.objects.len());
        let mut create = trial::create(kind, number, schema, &mut self.rng);
        // Without the dry run that other areas have.
        create.call.path = kind.collection();
        create.area = "lifecycle";
        self.judge(&create)?;
        let body: Value = serde_json::from_str(&create.call.body).unwrap_or_default();
        // The damage may have removed the name or made it unfit for a path.
        let Some(name) = body["metadata"]["name"].as_str().filter(|name| fits_path(name)) else {
            return Ok(());
        };
        let path = format!("{}/{name}", kind.collection());
        let read = self.pair.ask(&Call::get(&path), &Identities::default())?;
        let identities =
            Identities { real: Identity::of(&json(&read.real)), ours: Identity::of(&json(&read.ours)) };
        if read.real.status != 200 || read.ours.status != 200 {
            // One of them has stored it, which would disturb later requests.
            return delete(&mut self.pair, &path);
        }
        // What a reader sees after the deletion is compared as well: finalizers, grace periods.
        for call in [Call::get(&path), Call::new(Method::DELETE, &path, &Value::Null), Call::get(&path)] {
            self.judge(&Trial {
                area: "lifecycle",
                kind: kind.label(),
                call,
                identities: identities.clone(),
            })?;
        }
        delete(&mut self.pair, &path)
    }

    fn custom(&mut self) -> Result<(), String> {
        let custom = self.rng.pick(&self.customs).clone();
        let mut kind = custom.kind.clone();
        let schema = Schema::standalone(&custom.schema);
        // A fresh valid object each time, since a random schema has no examples.
        kind.objects[1]["spec"] = custom::valid(&custom.schema["properties"]["spec"], &mut self.rng);
        let mut trial = match self.rng.below(3) {
            0 => {
                let name = self.name.clone();
                let Some(stored) = self.shelf.get(&mut self.pair, &custom.kind, 1, &name)? else {
                    return Ok(());
                };
                if self.rng.chance(50) {
                    trial::update(&kind, &stored, Some(schema), &mut self.rng)
                } else {
                    custom_patch(&kind, &stored, schema, &mut self.rng)
                }
            }
            _ => trial::create(&kind, 1, Some(schema), &mut self.rng),
        };
        trial.area = "custom";
        trial.kind = "custom".to_string();
        self.judge(&trial)
    }

    /// A sequence of writes by several managers, stored for real, to one object in all versions of its kind.
    fn managers(&mut self, kinds: &[Kind], document: &Value) -> Result<(), String> {
        let customs = self.customs.clone();
        let is_custom = !customs.is_empty() && self.rng.chance(25);
        let of_custom = |custom: &Custom| (custom.kind.clone(), custom.schema.clone());
        let chosen = is_custom.then(|| of_custom(self.rng.pick(&customs)));
        let kind = chosen.as_ref().map_or_else(|| self.rng.pick(kinds).clone(), |(kind, _)| kind.clone());
        if !kind.can("delete") || !kind.can("update") || CHANGES_OTHER_REQUESTS.contains(&kind.kind.as_str())
        {
            return Ok(());
        }
        // Controllers inside kube-apiserver own fields of these.
        if is_changed_by_server(&kind.kind) {
            return Ok(());
        }
        let versions: Vec<&Kind> = match &chosen {
            Some((kind, _)) => vec![kind],
            None => kinds.iter().filter(|other| other.kind == kind.kind).collect(),
        };
        let number = self.rng.below(kind.objects.len());
        let name = format!("{}w{}", self.name, self.report.requests());
        let manifests: Vec<Value> = versions
            .iter()
            .map(|version| renamed(version.objects.get(number).unwrap_or(&version.objects[0]), &name))
            .collect();
        let subjects: Vec<Subject<'_>> = versions
            .iter()
            .zip(&manifests)
            .map(|(kind, manifest)| {
                let schema = match &chosen {
                    Some((_, schema)) => Some(Schema::standalone(schema)),
                    None => Schema::of_kind(document, &kind.api_version, &kind.kind),
                };
                Subject { kind, schema, manifest }
            })
            .collect();
        self.sequence(&subjects)
    }

    fn sequence(&mut self, subjects: &[Subject<'_>]) -> Result<(), String> {
        let path = |subject: &Subject<'_>| {
            let name = subject.manifest["metadata"]["name"].as_str().unwrap_or_default();
            format!("{}/{name}", subject.kind.collection())
        };
        let first = self.rng.pick(subjects);
        let create = managers::create(*first, &path(first), &mut self.rng);
        self.judge(&create)?;
        for _ in 0..4 + self.rng.below(8) {
            let subject = self.rng.pick(subjects);
            let Some(before) = read(&mut self.pair, &path(subject))? else { break };
            // Entries have times of whole seconds; a write that changes nothing must not count, however late.
            if self.rng.chance(4) {
                std::thread::sleep(std::time::Duration::from_millis(1100));
            }
            let mut write = managers::write(*subject, &before, &mut self.rng);
            write.identities = before.identities.clone();
            let answers = self.answers(&write)?;
            let Some(after) = read(&mut self.pair, &path(subject))? else { break };
            let (real, ours) = (
                before.identities.real.resource_version != after.identities.real.resource_version,
                before.identities.ours.resource_version != after.identities.ours.resource_version,
            );
            if let Some(answers) = answers.filter(|_| real != ours) {
                let reason = format!("stored there: {real}, here: {ours}");
                self.report.add("managers", &write.kind, &write.call, &answers, &Compared::only(reason));
            }
            let known = self.report.differences();
            let look = Trial { call: Call::get(path(subject)), identities: after.identities, ..write };
            self.judge(&look)?;
            // What differs now would differ in every answer that follows.
            if self.report.differences() > known {
                break;
            }
        }
        delete_everywhere(&mut self.pair, &path(first))
    }

    fn watches(&mut self, kinds: &[Kind]) -> Result<(), String> {
        let name = self.name.clone();
        for kind in kinds.iter().filter(|kind| kind.can("watch")) {
            if let Some(stored) = self.shelf.get(&mut self.pair, kind, 0, &name)? {
                self.judge(&trial::watch(kind, &stored))?;
            }
        }
        Ok(())
    }

    /// Creates the random definitions and waits until the real server serves their resources.
    fn define(&mut self) -> Result<(), String> {
        for number in 0..DEFINITIONS {
            let custom = custom::random(&self.name, number, &mut self.rng);
            let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
            let call = Call::new(Method::POST, path, &custom.definition);
            let answers = self.pair.ask(&call, &Identities::default())?;
            if answers.real.status != 201 {
                // A random default may break a random rule: the definition itself is what is compared then.
                continue;
            }
            let served = Call::get(custom.kind.collection());
            for _ in 0..MAX_ESTABLISH_ATTEMPTS {
                let answer = Server::send(&mut self.pair.real, &served, &Identity::default())?;
                if answer.status == 200 {
                    self.customs.push(custom);
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(100));
            }
        }
        Ok(())
    }

    fn judge(&mut self, trial: &Trial) -> Result<(), String> {
        self.answers(trial).map(drop)
    }

    /// Asks both servers and counts what differs; none if the real one drops the connection.
    fn answers(&mut self, trial: &Trial) -> Result<Option<Answers>, String> {
        let answers = match self.pair.ask(&trial.call, &trial.identities) {
            Ok(answers) => answers,
            // kube-apiserver drops the connection where a request makes it panic.
            Err(error) if self.dropped.len() < MAX_DROPPED + self.options.requests / 50 => {
                self.dropped.push(error);
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let real = normalised(&answers, trial, Side::Real);
        let ours = normalised(&answers, trial, Side::Ours);
        let compared = difference::compare(&answers.real, &real, &answers.ours, &ours);
        self.report.add(trial.area, &trial.kind, &trial.call, &answers, &compared);
        Ok(Some(answers))
    }

    fn clear(&mut self) -> Result<(), String> {
        self.shelf.clear(&mut self.pair)?;
        for custom in std::mem::take(&mut self.customs) {
            let name = custom.definition["metadata"]["name"].as_str().unwrap_or_default();
            delete(
                &mut self.pair,
                &format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}"),
            )?;
        }
        Ok(())
    }
}

/// Whether a name, which may be damaged, can be part of a path as it is.
fn fits_path(name: &str) -> bool {
    let mut characters = name.chars();
    name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && characters.all(|character| character.is_ascii_alphanumeric() || "-.:".contains(character))
}

fn definition_or(kind: &Kind, area: &'static str) -> &'static str {
    if kind.kind == "CustomResourceDefinition" { "definition" } else { area }
}

/// Custom resources have no strategic merge patch.
fn custom_patch(kind: &Kind, stored: &Stored, schema: Schema<'_>, rng: &mut Rng) -> Trial {
    let mut trial = trial::patch(kind, stored, Some(schema), rng);
    if trial.call.content_type.contains("strategic") {
        trial.call.content_type = "application/merge-patch+json".to_string();
    }
    trial
}

enum Side {
    Real,
    Ours,
}

fn normalised(answers: &Answers, trial: &Trial, side: Side) -> Value {
    let (answer, identity) = match side {
        Side::Real => (&answers.real, &trial.identities.real),
        Side::Ours => (&answers.ours, &trial.identities.ours),
    };
    let mut body = if trial.area == "watch" { events(&answer.body) } else { json(answer) };
    match trial.area {
        "openapi" | "discovery" => without_descriptions(&mut body),
        "table" => normalise_table(&mut body),
        _ => {}
    }
    // Tables and watches have a form of their own for metadata, and controllers write to definitions.
    let owners = match trial.area {
        "table" | "watch" | "definition" => Owners::Ignored,
        _ => Owners::Compared,
    };
    normalise(&mut body, identity, owners);
    body
}

/// The events of a watch, one JSON document per line.
fn events(body: &[u8]) -> Value {
    let lines = body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap_or(Value::Null)).collect()
}
