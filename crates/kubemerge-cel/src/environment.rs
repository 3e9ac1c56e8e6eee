//! What an expression may refer to: variables, and types with fields.

use std::collections::BTreeMap;

use super::types::Type;

/// Types with fields, by name.
pub type ObjectTypes = BTreeMap<String, BTreeMap<String, Type>>;

/// The variables of an expression.
#[derive(Clone, Debug)]
pub struct Environment {
    variables: Vec<(&'static str, Type)>,
    /// The variables that a policy defines, as fields of `variables`.
    composed: Option<Vec<(String, Type)>>,
    structs: &'static [&'static str],
    /// The objects of a custom resource.
    objects: ObjectTypes,
}

/// The type of `variables`.
const COMPOSED: &str = "kubernetes.variables";
const KIND: &str = "kubernetes.GroupVersionKind";
const RESOURCE: &str = "kubernetes.GroupVersionResource";
const USER: &str = "kubernetes.UserInfo";
const DEVICE: &str = "kubernetes.DRADevice";

impl Environment {
    /// That of webhooks and policies: the request and its objects.
    pub fn of_admission() -> Environment {
        let variables = vec![
            ("object", Type::Dyn),
            ("oldObject", Type::Dyn),
            ("request", Type::named("kubernetes.AdmissionRequest")),
            ("namespaceObject", Type::named("kubernetes.Namespace")),
        ];
        Environment::of(variables)
    }

    fn of(variables: Vec<(&'static str, Type)>) -> Environment {
        Environment { variables, composed: None, structs: &[], objects: ObjectTypes::new() }
    }

    /// That of the rules of a custom resource: a value and the one that it replaces.
    pub fn of_rules(own: Type, old: Type, objects: ObjectTypes) -> Environment {
        Environment { objects, ..Environment::of(vec![("self", own), ("oldSelf", old)]) }
    }

    /// That of selectors of devices.
    pub fn of_devices() -> Environment {
        Environment::of(vec![("device", Type::named(DEVICE))])
    }

    /// Adds the parameters of a policy.
    pub fn with_params(mut self) -> Environment {
        self.variables.push(("params", Type::Dyn));
        self
    }

    /// Adds what asks for permissions.
    pub fn with_authorizer(mut self) -> Environment {
        let check = Type::named("kubernetes.authorization.ResourceCheck");
        self.variables.push(("authorizer", Type::named("kubernetes.authorization.Authorizer")));
        // A variable whose name has a dot, not a field of the one above.
        self.variables.push(("authorizer.requestResource", check));
        self
    }

    /// Adds the types of patches.
    pub fn with_patch_types(mut self) -> Environment {
        self.structs = &["JSONPatch", "Object"];
        self
    }

    /// Adds `variables`, with the variables that a policy has defined so far.
    pub fn with_variables(mut self, variables: &[(String, Type)]) -> Environment {
        self.variables.push(("variables", Type::named(COMPOSED)));
        self.composed = Some(variables.to_vec());
        self
    }

    pub(super) fn variable(&self, name: &str) -> Option<Type> {
        self.variables.iter().find(|(known, _)| *known == name).map(|(_, found)| found.clone())
    }

    /// Whether values of a type can be written. Types of parts of an object are those of its fields.
    pub(super) fn has_struct(&self, name: &str) -> bool {
        let root = name.split('.').next().unwrap_or_default();
        self.structs.contains(&name) || (root == "Object" && self.structs.contains(&root))
    }

    /// The type of a field.
    pub(super) fn field(&self, of: &str, field: &str) -> Option<Type> {
        match of {
            COMPOSED => {
                // Of variables with one name the last counts.
                let variables = self.composed.as_deref().unwrap_or_default();
                variables.iter().rev().find(|(name, _)| name == field).map(|(_, found)| found.clone())
            }
            _ if self.objects.contains_key(of) => self.objects.get(of)?.get(field).cloned(),
            _ if of.split('.').next() == Some("Object") || of == "JSONPatch" => Some(Type::Dyn),
            _ => known_field(of, field),
        }
    }
}

fn known_field(of: &str, field: &str) -> Option<Type> {
    let found = match (of, field) {
        ("kubernetes.AdmissionRequest", "kind" | "requestKind") => Type::named(KIND),
        ("kubernetes.AdmissionRequest", "resource" | "requestResource") => Type::named(RESOURCE),
        ("kubernetes.AdmissionRequest", "userInfo") => Type::named(USER),
        ("kubernetes.AdmissionRequest", "dryRun") => Type::Bool,
        ("kubernetes.AdmissionRequest", "options") => Type::Dyn,
        (
            "kubernetes.AdmissionRequest",
            "subResource" | "requestSubResource" | "name" | "namespace" | "operation",
        ) => Type::String,
        (KIND, "group" | "version" | "kind") | (RESOURCE, "group" | "version" | "resource") => Type::String,
        (USER, "username" | "uid") => Type::String,
        (USER, "groups") => Type::list(Type::String),
        (USER, "extra") => Type::map(Type::list(Type::String)),
        ("kubernetes.Namespace", "metadata") => Type::named("kubernetes.NamespaceMetadata"),
        ("kubernetes.Namespace", "spec") => Type::named("kubernetes.NamespaceSpec"),
        ("kubernetes.Namespace", "status") => Type::named("kubernetes.NamespaceStatus"),
        ("kubernetes.NamespaceSpec" | "kubernetes.NamespaceMetadata", "finalizers") => {
            Type::list(Type::String)
        }
        ("kubernetes.NamespaceStatus", "phase") => Type::String,
        ("kubernetes.NamespaceStatus", "conditions") => {
            Type::list(Type::named("kubernetes.NamespaceCondition"))
        }
        ("kubernetes.NamespaceCondition", "status" | "type" | "message" | "reason") => Type::String,
        ("kubernetes.NamespaceCondition", "lastTransitionTime") => Type::Timestamp,
        ("kubernetes.NamespaceMetadata", "labels" | "annotations") => Type::map(Type::String),
        ("kubernetes.NamespaceMetadata", "creationTimestamp" | "deletionTimestamp") => Type::Timestamp,
        ("kubernetes.NamespaceMetadata", "deletionGracePeriodSeconds" | "generation") => Type::Int,
        (
            "kubernetes.NamespaceMetadata",
            "name" | "generateName" | "namespace" | "UID" | "resourceVersion",
        ) => Type::String,
        (DEVICE, "driver") => Type::String,
        (DEVICE, "attributes") => Type::map(Type::map(Type::Dyn)),
        (DEVICE, "capacity") => Type::map(Type::map(Type::named("kubernetes.Quantity"))),
        (DEVICE, "allowMultipleAllocations") => Type::Bool,
        _ => return None,
    };
    Some(found)
}
