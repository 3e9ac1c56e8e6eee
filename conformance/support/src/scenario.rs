//! Runs scenarios: writes to one object by several managers, and what is left after each.
//!
//! The reference program runs the same scenarios with Kubernetes' own code.

pub mod cases;
pub mod compare;

use kubemerge_schema::Schema;
use kubemerge_ssa::fieldpath::{FieldOrder, FieldSet};
use kubemerge_ssa::managed_fields::{
    ApplyError, Conflicting, Endpoint, Live, LiveForm, ManagedFields, Requested, ScaleMapping, Time, Writer,
    apply, chosen_for_update, migrate_to_apply, update,
};
use kubemerge_ssa::value::{Arena, ParsedValue};
use kubemerge_ssa::{SameForm, VersionConverter};
use serde_json::{Map, Value as Json, json};

/// Objects as Go's types hold them; `None` for objects that are maps.
pub type TypedForm<'f> = Option<&'f dyn Fn(&Json) -> Json>;

/// A scenario and what runs it.
pub struct Runner<'s> {
    scenario: &'s Json,
    versions: Vec<&'s str>,
    schema: &'s Schema,
    typed: TypedForm<'s>,
    live: Option<Json>,
    managed: ManagedFields,
}

/// The object after a step, with its entries as JSON text, or the error that left it as it was.
pub enum Answer {
    /// The object.
    Object {
        /// Without `managedFields`.
        object: Json,
        /// The text of its entries.
        managed: String,
    },
    /// What was wrong.
    Error {
        /// The code of HTTP.
        code: u64,
        /// Kubernetes' message.
        message: String,
        /// The causes of a conflict as `[message, field]`.
        causes: Vec<[String; 2]>,
    },
}

impl<'s> Runner<'s> {
    /// Starts with the live object of a scenario.
    pub fn new(scenario: &'s Json, schema: &'s Schema, typed: TypedForm<'s>) -> Self {
        let versions =
            scenario["versions"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        let mut runner =
            Runner { scenario, versions, schema, typed, live: None, managed: ManagedFields::new() };
        if let Some(live) = scenario.get("live") {
            let (object, managed) = runner.split(live.clone());
            let arena = Arena::new();
            runner.managed =
                ManagedFields::read(managed.as_ref().map(|json| value(json, &arena)), runner.order())
                    .expect("the live object of a scenario has readable managedFields");
            runner.live = Some(object);
        }
        runner
    }

    fn form(&self) -> &'s str {
        self.scenario["form"].as_str().unwrap_or_default()
    }

    fn order(&self) -> FieldOrder {
        if self.form() == "typed" { FieldOrder::Path } else { FieldOrder::Label }
    }

    /// The live object, for generators.
    pub fn live(&self) -> Option<&Json> {
        self.live.as_ref()
    }

    /// Runs a step; `number` is its time.
    pub fn step(&mut self, number: i64, step: &Json) -> Answer {
        match self.attempt(number, step) {
            Ok((object, managed)) => {
                let mut text = Vec::new();
                managed.write_json(&mut text);
                self.live = Some(object.clone());
                self.managed = managed;
                Answer::Object { object, managed: String::from_utf8(text).expect("JSON is UTF-8") }
            }
            Err(error) => {
                let causes = match &error {
                    ApplyError::Conflicts(conflicts) => {
                        conflicts.0.iter().map(|one| [one.cause(), one.path.clone()]).collect()
                    }
                    _ => Vec::new(),
                };
                let code = match error {
                    ApplyError::BadRequest(_) => 400,
                    ApplyError::Conflicts(_) => 409,
                    ApplyError::InvalidUnions(_) => 422,
                    _ => 500,
                };
                Answer::Error { code, message: error.to_string(), causes }
            }
        }
    }

    fn attempt(&self, number: i64, step: &Json) -> Result<(Json, ManagedFields), ApplyError> {
        let manager = step["manager"].as_str().unwrap_or_default();
        match step["op"].as_str().unwrap_or_default() {
            "migrate" => {
                let managers: Vec<&str> =
                    step["managers"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
                let subresource = step["subresource"].as_str().unwrap_or_default();
                let managed = migrate_to_apply(&self.managed, &managers, manager, subresource, self.order());
                Ok((self.live.clone().unwrap_or_default(), managed.map_err(failed)?))
            }
            "scale" => self.scale(step).map(|managed| (self.live.clone().unwrap_or_default(), managed)),
            op => self.write(number, step, op, manager),
        }
    }

    fn write(
        &self,
        number: i64,
        step: &Json,
        op: &str,
        manager: &str,
    ) -> Result<(Json, ManagedFields), ApplyError> {
        let arena = Arena::new();
        let version = step["version"].as_str().unwrap_or_default();
        let kind = self.scenario["kind"].as_str().unwrap_or_default();
        let bare = self.typed_form(json!({"apiVersion": version, "kind": kind}));
        let mut live = self.live.clone().unwrap_or_else(|| bare.clone());
        live["apiVersion"] = json!(version);
        let reset: Vec<Vec<&str>> = step["reset"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|path| path.as_array().into_iter().flatten().filter_map(Json::as_str).collect())
            .collect();
        let paths: Vec<&[&str]> = reset.iter().map(Vec::as_slice).collect();
        let reset_fields = FieldSet::of_names(&paths, &arena);
        let versions = self.same_form(kind);
        let endpoint = Endpoint {
            versions: &versions as &dyn VersionConverter,
            api_version: version,
            kind,
            subresource: step["subresource"].as_str().unwrap_or_default(),
            reset_fields: &reset_fields,
            order: self.order(),
            empty: value(&bare, &arena),
        };
        let (object, requested) = self.split(step["object"].clone());
        let writer = Writer { manager, time: Some(Time(number)) };
        if op == "apply" {
            let config = value(&step["object"], &arena);
            let conflicting = if step["force"] == true { Conflicting::Force } else { Conflicting::Refuse };
            let live_object = Live { object: value(&live, &arena), managed: &self.managed };
            let applied = apply(&endpoint, live_object, config, writer, conflicting, &arena)?;
            let object = match applied.object {
                Some(object) => self.typed_form(to_json(object)),
                None => live.clone(),
            };
            return Ok((object, applied.managed));
        }
        let requested = Requested::read(requested.as_ref().map(|json| value(json, &arena)), self.order());
        let chosen = chosen_for_update(&self.managed, requested, endpoint.subresource);
        let live_object = Live { object: value(&live, &arena), managed: &chosen };
        let managed =
            update(&endpoint, live_object, LiveForm::Unchecked, value(&object, &arena), writer, &arena);
        let managed = managed.unwrap_or_else(|_| self.managed.clone());
        Ok((object.clone(), managed))
    }

    fn same_form(&self, kind: &'s str) -> SameForm<'_> {
        match self.form() {
            "deduced" => SameForm::schemaless(),
            "custom-resource" => SameForm::custom_resource(self.schema, kind, &self.versions),
            _ => SameForm::built_in(self.schema, kind),
        }
    }

    fn scale(&self, step: &Json) -> Result<ManagedFields, ApplyError> {
        let replicas: Vec<&str> =
            step["replicas"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        let paths: Vec<(&str, Option<&[&str]>)> =
            self.versions.iter().map(|version| (*version, Some(&replicas[..]))).collect();
        let api_version = step["version"].as_str().unwrap_or_default();
        let mapping = ScaleMapping { paths: &paths, api_version, order: self.order() };
        let mut scale = mapping.to_scale(&self.managed).map_err(failed)?;
        if let Some(manager) = step["manager"].as_str().filter(|manager| !manager.is_empty()) {
            let arena = Arena::new();
            let entry = json!([{
                "manager": manager, "operation": "Update", "apiVersion": "autoscaling/v1", "subresource": "scale",
                "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:replicas": {}}},
            }]);
            scale = ManagedFields::read(Some(value(&entry, &arena)), self.order()).map_err(failed)?;
        } else {
            // Entries come back over the wire, where two of one manager become one.
            scale = ManagedFields::from_entries(scale.entries().iter().cloned());
        }
        mapping.to_parent(&self.managed, &scale).map_err(failed)
    }

    fn typed_form(&self, object: Json) -> Json {
        match self.typed {
            Some(typed) => typed(&object),
            None => object,
        }
    }

    /// An object in its form, without `managedFields`, and those.
    fn split(&self, mut object: Json) -> (Json, Option<Json>) {
        let metadata = object.get_mut("metadata").and_then(Json::as_object_mut);
        let managed = metadata.and_then(|metadata: &mut Map<String, Json>| metadata.remove("managedFields"));
        (self.typed_form(object), managed)
    }
}

fn failed(error: impl std::fmt::Display) -> ApplyError {
    ApplyError::Failed(error.to_string())
}

fn value<'a>(json: &'a Json, arena: &'a Arena) -> ParsedValue<'a> {
    ParsedValue::from_json(json, arena).expect("documents of scenarios are not deep")
}

fn to_json(value: ParsedValue<'_>) -> Json {
    serde_json::from_slice(&value.to_json()).expect("the writer writes JSON")
}
