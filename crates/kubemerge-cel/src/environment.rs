//! What an expression may refer to: variables, and types with fields.

use std::collections::BTreeMap;

use super::types::CelType;

/// Types with fields, by name.
pub type ObjectTypes = BTreeMap<String, BTreeMap<String, CelType>>;

/// The variables of an expression.
#[derive(Clone, Debug)]
#[must_use]
pub struct Environment {
    variables: Vec<(&'static str, CelType)>,
    /// The variables that a policy defines, as fields of `variables`.
    composed: Option<Vec<(String, CelType)>>,
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
            ("object", CelType::Dyn),
            ("oldObject", CelType::Dyn),
            ("request", CelType::named("kubernetes.AdmissionRequest")),
            ("namespaceObject", CelType::named("kubernetes.Namespace")),
        ];
        Environment::of(variables)
    }

    fn of(variables: Vec<(&'static str, CelType)>) -> Environment {
        Environment { variables, composed: None, structs: &[], objects: ObjectTypes::new() }
    }

    /// That of the rules of a custom resource: a value and the one that it replaces.
    pub fn of_rules(own: CelType, old: CelType, objects: ObjectTypes) -> Environment {
        Environment { objects, ..Environment::of(vec![("self", own), ("oldSelf", old)]) }
    }

    /// That of selectors of devices.
    pub fn of_devices() -> Environment {
        Environment::of(vec![("device", CelType::named(DEVICE))])
    }

    /// Adds the parameters of a policy.
    pub fn with_params(mut self) -> Environment {
        self.variables.push(("params", CelType::Dyn));
        self
    }

    /// Adds what asks for permissions.
    pub fn with_authorizer(mut self) -> Environment {
        let check = CelType::named("kubernetes.authorization.ResourceCheck");
        self.variables.push(("authorizer", CelType::named("kubernetes.authorization.Authorizer")));
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
    pub fn with_variables(mut self, variables: &[(String, CelType)]) -> Environment {
        self.variables.push(("variables", CelType::named(COMPOSED)));
        self.composed = Some(variables.to_vec());
        self
    }

    pub(super) fn variable(&self, name: &str) -> Option<CelType> {
        self.variables.iter().find(|(known, _)| *known == name).map(|(_, found)| found.clone())
    }

    /// Whether values of a type can be written. Types of parts of an object are those of its fields.
    pub(super) fn has_struct(&self, name: &str) -> bool {
        let root = name.split('.').next().unwrap_or_default();
        self.structs.contains(&name) || (root == "Object" && self.structs.contains(&root))
    }

    /// Whether the fields of an object are known. Upstream: those of the types of Kubernetes' libraries are not.
    pub(super) fn is_resolved(&self, of: &CelType) -> bool {
        const UNRESOLVED: [&str; 4] =
            ["kubernetes.NamedFormat", "kubernetes.Quantity", "kubernetes.Semver", "kubernetes.URL"];
        !matches!(of, CelType::Named(name)
            if UNRESOLVED.contains(&name.as_str()) || name.starts_with("kubernetes.authorization."))
    }

    /// The type of a field.
    pub(super) fn field(&self, of: &str, field: &str) -> Option<CelType> {
        match of {
            COMPOSED => {
                // Of variables with one name the last counts.
                let variables = self.composed.as_deref().unwrap_or_default();
                variables.iter().rev().find(|(name, _)| name == field).map(|(_, found)| found.clone())
            }
            _ if self.objects.contains_key(of) => self.objects.get(of)?.get(field).cloned(),
            _ if of.split('.').next() == Some("Object") || of == "JSONPatch" => Some(CelType::Dyn),
            _ => known_field(of, field),
        }
    }
}

fn known_field(of: &str, field: &str) -> Option<CelType> {
    let found = match (of, field) {
        ("kubernetes.AdmissionRequest", "kind" | "requestKind") => CelType::named(KIND),
        ("kubernetes.AdmissionRequest", "resource" | "requestResource") => CelType::named(RESOURCE),
        ("kubernetes.AdmissionRequest", "userInfo") => CelType::named(USER),
        ("kubernetes.AdmissionRequest", "dryRun") => CelType::Bool,
        ("kubernetes.AdmissionRequest", "options") => CelType::Dyn,
        (
            "kubernetes.AdmissionRequest",
            "subResource" | "requestSubResource" | "name" | "namespace" | "operation",
        ) => CelType::String,
        (KIND, "group" | "version" | "kind") | (RESOURCE, "group" | "version" | "resource") => {
            CelType::String
        }
        (USER, "username" | "uid") => CelType::String,
        (USER, "groups") => CelType::list(CelType::String),
        (USER, "extra") => CelType::map(CelType::list(CelType::String)),
        ("kubernetes.Namespace", "metadata") => CelType::named("kubernetes.NamespaceMetadata"),
        ("kubernetes.Namespace", "spec") => CelType::named("kubernetes.NamespaceSpec"),
        ("kubernetes.Namespace", "status") => CelType::named("kubernetes.NamespaceStatus"),
        ("kubernetes.NamespaceSpec" | "kubernetes.NamespaceMetadata", "finalizers") => {
            CelType::list(CelType::String)
        }
        ("kubernetes.NamespaceStatus", "phase") => CelType::String,
        ("kubernetes.NamespaceStatus", "conditions") => {
            CelType::list(CelType::named("kubernetes.NamespaceCondition"))
        }
        ("kubernetes.NamespaceCondition", "status" | "type" | "message" | "reason") => CelType::String,
        ("kubernetes.NamespaceCondition", "lastTransitionTime") => CelType::Timestamp,
        ("kubernetes.NamespaceMetadata", "labels" | "annotations") => CelType::map(CelType::String),
        ("kubernetes.NamespaceMetadata", "creationTimestamp" | "deletionTimestamp") => CelType::Timestamp,
        ("kubernetes.NamespaceMetadata", "deletionGracePeriodSeconds" | "generation") => CelType::Int,
        (
            "kubernetes.NamespaceMetadata",
            "name" | "generateName" | "namespace" | "UID" | "resourceVersion",
        ) => CelType::String,
        (DEVICE, "driver") => CelType::String,
        (DEVICE, "attributes") => CelType::map(CelType::map(CelType::Dyn)),
        (DEVICE, "capacity") => CelType::map(CelType::map(CelType::named("kubernetes.Quantity"))),
        (DEVICE, "allowMultipleAllocations") => CelType::Bool,
        _ => return None,
    };
    Some(found)
}
