//! What the rules of a kind are made of; the folders of the API groups fill them in, `groups.rs` lists them.

use crate::field::{Field, FieldError};
use crate::meta::NameRule;
use crate::tree::{Map, Value};

/// Whether objects of a kind live in namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// They live in namespaces.
    Namespaced,
    /// They do not.
    Cluster,
}

/// When `metadata.generation` counts up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// Never: the kind has none.
    None,
    /// It starts at 1 and counts changes of `spec`.
    Spec,
    /// The rules of the kind set it themselves.
    Own,
}

/// What an update validates of the new object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnUpdate {
    /// [`Rules::validate`] and then [`Rules::validate_update`]; metadata of the new object in full.
    ValidateWhole,
    /// [`Rules::validate`] and then [`Rules::validate_update`]; of metadata only what may change.
    ValidateObject,
    /// Only [`Rules::validate_update`]; metadata of the new object in full.
    ValidateMetadata,
    /// Only [`Rules::validate_update`], and of metadata only what may change.
    ValidateChanges,
}

/// How the metadata of a kind is validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetadataRule {
    /// With the rest of the object, by the name rule of the kind.
    OfKind,
    /// In the same way, but finalizers need no domain.
    AnyFinalizers,
    /// Only as the API server validates every object, after the rest of it was found valid.
    Generic,
    /// Not at all: reviews have no name.
    Unchecked,
}

/// Facts that rules may depend on.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// The minor version of Kubernetes: 37 for 1.37.
    pub minor: u32,
}

impl Context {
    /// Whether the version of Kubernetes is this one or a later one.
    pub fn since(self, minor: u32) -> bool {
        self.minor >= minor
    }
}

/// Changes an object on its way in.
pub type ChangeObject = for<'a> fn(&mut Map<'a>, Context);
/// Changes an object that replaces a stored one.
pub type ChangeUpdate = for<'a> fn(&mut Map<'a>, &Map<'_>, Context);
/// Runs before an object is prepared: fills in what an allocation needs; answers what makes it impossible.
pub type Begin = for<'a> fn(&mut Map<'a>, Option<&Map<'_>>, Context) -> Vec<FieldError>;
/// Validates an object.
pub type Validate = for<'t> fn(Field<'t>);
/// Validates an object that replaces a stored one.
pub type ValidateUpdate = for<'t> fn(Field<'t>, Field<'t>);

/// The rules of a kind: what its types and its strategy do in Kubernetes.
///
/// Fill in what the kind has and take the rest from [`Rules::NAMESPACED`] or [`Rules::CLUSTER`].
#[derive(Clone, Copy)]
pub struct Rules {
    /// The kind, e.g. `ConfigMap`.
    pub kind: &'static str,
    /// The versions that the rules are for; empty for all.
    pub versions: &'static [&'static str],
    /// Whether objects live in namespaces.
    pub scope: Scope,
    /// How objects may be named.
    pub name: NameRule,
    /// How metadata is validated.
    pub metadata: MetadataRule,
    /// Fills in what is absent: `SetDefaults_*`. Runs on everything that is decoded, stored objects too.
    pub defaults: ChangeObject,
    /// `BeginCreate` and `BeginUpdate`, with the stored object for updates. Few kinds have it.
    pub begin: Begin,
    /// What the conversion to Kubernetes' internal type refuses: the API server answers 400 with this message.
    pub refuse_conversion: for<'a> fn(&Map<'a>) -> Option<String>,
    /// What the conversion to and from Kubernetes' internal type adds before owners of fields are tracked; the rules that
    /// prepare an object set it again. Few kinds have it.
    pub track: Option<for<'a> fn(&mut Map<'a>)>,
    /// `PrepareForCreate`: resets what clients may not set, drops disabled fields.
    pub prepare_create: ChangeObject,
    /// `PrepareForUpdate`.
    pub prepare_update: ChangeUpdate,
    /// `Validate`, without metadata: that is checked before by [`Rules::scope`] and [`Rules::name`].
    pub validate: Validate,
    /// What only new objects are held to.
    pub validate_create_only: Validate,
    /// `ValidateUpdate`, without metadata: what may not change.
    pub validate_update: ValidateUpdate,
    /// Whether an update validates the new object as if it were created, too.
    pub on_update: OnUpdate,
    /// When the generation counts.
    pub generation: Generation,
    /// The status of a new object of a kind whose status is reset.
    pub status_on_create: StatusOnCreate,
    /// Rules of subresources that speak the same kind, such as `status`.
    pub subresources: &'static [SubresourceRules],
}

/// The rules of a subresource that takes whole objects of the kind, such as `status`.
#[derive(Clone, Copy)]
pub struct SubresourceRules {
    /// Its name.
    pub name: &'static str,
    /// What happens to the object of the client before [`reset_fields`](crate::reset_fields) are taken from the stored one.
    pub before_reset: ChangeObject,
    /// `PrepareForUpdate`, after the reset.
    pub prepare_update: ChangeUpdate,
    /// `ValidateUpdate`, without metadata.
    pub validate_update: ValidateUpdate,
}

impl SubresourceRules {
    /// A `status` that anything goes for.
    pub const DEFAULT: SubresourceRules = SubresourceRules {
        name: "status",
        before_reset: |_, _| {},
        prepare_update: |_, _, _| {},
        validate_update: |_, _| {},
    };
}

/// The status of a new object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusOnCreate {
    /// What the client sends is dropped.
    Emptied,
    /// The kind sets it, or keeps what the client sends.
    Own,
}

impl Rules {
    /// A namespaced kind that anything goes for.
    pub const NAMESPACED: Rules = Rules {
        kind: "",
        versions: &[],
        scope: Scope::Namespaced,
        name: NameRule::Subdomain,
        metadata: MetadataRule::OfKind,
        defaults: |_, _| {},
        begin: |_, _, _| Vec::new(),
        refuse_conversion: |_| None,
        track: None,
        prepare_create: |_, _| {},
        prepare_update: |_, _, _| {},
        validate: |_| {},
        validate_create_only: |_| {},
        validate_update: |_, _| {},
        on_update: OnUpdate::ValidateWhole,
        generation: Generation::None,
        status_on_create: StatusOnCreate::Emptied,
        subresources: &[],
    };

    /// A cluster-scoped kind that anything goes for.
    pub const CLUSTER: Rules = Rules { scope: Scope::Cluster, ..Rules::NAMESPACED };
}

impl std::fmt::Debug for Rules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rules").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// A write to `status` that changes no metadata but who manages fields.
pub(crate) fn keep_whole_metadata<'a>(object: &mut Map<'a>, old: &Map<'_>, _: Context) {
    // Owners of the status change with it, although all other metadata stays.
    let managers = object.map_mut("metadata").and_then(|metadata| metadata.remove("managedFields"));
    keep_field(object, old, "metadata");
    let metadata = object.ensure_map("metadata");
    match managers {
        Some(managers) => metadata.set("managedFields", managers),
        None => drop(metadata.remove("managedFields")),
    }
}

/// Gives a field the value that the stored object has.
pub(crate) fn keep_field<'a>(object: &mut Map<'a>, old: &Map<'_>, name: &'static str) {
    match old.get(name) {
        Some(value) => {
            let copy = value.copy_in(object.arena());
            object.set(name, copy);
        }
        None => {
            object.remove(name);
        }
    }
}

/// Counts the generation up.
pub fn count_generation(object: &mut Map<'_>, old: &Map<'_>) {
    let generation = old.map("metadata").and_then(|metadata| metadata.int("generation")).unwrap_or_default();
    object.ensure_map("metadata").set("generation", Value::Int(generation.saturating_add(1)));
}
