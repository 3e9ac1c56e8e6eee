//! [`Schema`]: a model with the rules of one dialect, and an index of its kinds.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use kubemerge_value::part::{item_at, part_of};

use crate::check::SchemaFinding;
use crate::compile::{Dialect, GoFacts, PlainTypes, Rules, compile};
use crate::model::{DefinitionId, Model, Origin, split_api_version};
use crate::ownership::{Ownership, TypeRef};
use crate::schema::attached::Attachments;

/// Compiled rules of one dialect: a flat table that threads can share, and that is cheap to clone, since clones share it.
///
/// Making one takes half a millisecond in an optimized build, and the first server-side apply as long again. Programs
/// keep one schema for all calls, such as in a static:
///
/// ```
/// use kubemerge_schema::{Dialect, Schema};
/// use std::sync::LazyLock;
///
/// static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::latest(Dialect::Upstream));
/// assert!(SCHEMA.type_of("apps/v1", "Deployment").is_some());
/// ```
#[derive(Clone, Debug)]
pub struct Schema {
    model: Arc<Model>,
    dialect: Dialect,
    rules: Rules,
    kinds: KindIndex,
    warnings: Arc<[SchemaFinding]>,
    on_first_use: Arc<OnFirstUse>,
}

/// What most callers never ask for.
#[derive(Debug, Default)]
struct OnFirstUse {
    plain_types: OnceLock<PlainTypes>,
    go_facts: OnceLock<GoFacts>,
    ownership: OnceLock<Ownership>,
    attached: Attachments,
}

impl Schema {
    /// Compiles the rules of one dialect.
    pub(crate) fn compile(model: Arc<Model>, dialect: Dialect, warnings: Vec<SchemaFinding>) -> Schema {
        let rules = compile(&model, dialect);
        let kinds = KindIndex::new(&model);
        Schema { model, dialect, rules, kinds, warnings: warnings.into(), on_first_use: Arc::default() }
    }

    /// A schema without kinds.
    pub fn empty(dialect: Dialect) -> Schema {
        Schema::compile(Arc::default(), dialect, Vec::new())
    }

    /// The dialect of the rules.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// What the caller should know about the overlays.
    #[doc(hidden)]
    pub fn warnings(&self) -> &[SchemaFinding] {
        &self.warnings
    }

    /// Sentences for those who gave documents: which built-in kinds they describe again, and which kinds of them no server
    /// can serve.
    #[doc(hidden)]
    pub fn notes_for_servers(&self) -> Vec<String> {
        self.model.replaced().into_iter().chain(self.model.unserved()).collect()
    }

    /// The minor version of Kubernetes whose built-in tables were loaded, e.g. 37 of 1.37.
    pub fn minor(&self) -> Option<u32> {
        self.model.minor
    }

    /// How the fields of a kind are owned, e.g. of `apps/v1` and `Deployment`. The first call looks at all types.
    #[doc(hidden)]
    pub fn ownership_of(&self, api_version: &str, kind: &str) -> Option<TypeRef<'_>> {
        let (group, version) = split_api_version(api_version);
        let definition = self.definition_of_kind([kind, group, version])?;
        Some(self.on_first_use.ownership.get_or_init(|| Ownership::of(&self.model)).of_definition(definition))
    }

    pub(crate) fn go_facts(&self) -> &GoFacts {
        self.on_first_use.go_facts.get_or_init(|| GoFacts::of(&self.model))
    }

    /// What a crate above has compiled from the schema: kept beside it, one value of each type.
    #[doc(hidden)]
    pub fn attached<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        self.on_first_use.attached.get()
    }

    /// The model, for those who keep it.
    pub(crate) fn shared_model(&self) -> &Arc<Model> {
        &self.model
    }

    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// The definition of a kind: of several a custom resource definition, then that of a document, then the built-in one; of
    /// equals the one that was loaded last.
    pub(crate) fn definition_of_kind(&self, [kind, group, version]: [&str; 3]) -> Option<DefinitionId> {
        self.kinds.find(&self.model, [kind, group, version])
    }

    /// The built-in definition of a kind, whatever documents say about the kind.
    pub(crate) fn built_in_definition(&self, wanted: [&str; 3]) -> Option<DefinitionId> {
        let is_built_in = |id: &DefinitionId| self.model.definition(*id).origin == Origin::BuiltIn;
        self.kinds.all(&self.model, wanted).find(is_built_in)
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    pub(crate) fn plain_types(&self) -> &PlainTypes {
        self.on_first_use.plain_types.get_or_init(|| PlainTypes::of(&self.model, &self.rules))
    }
}

/// The kinds of a model, sorted by kind, group and version.
#[derive(Clone, Debug)]
struct KindIndex {
    places: Arc<[u32]>,
}

impl KindIndex {
    fn new(model: &Model) -> KindIndex {
        let mut places: Vec<u32> = (0..model.kinds.len() as u32).collect();
        places.sort_by_key(|place| {
            (KindIndex::key(model, *place), model.rank(item_at(&model.kinds, *place as usize)))
        });
        KindIndex { places: places.into() }
    }

    fn key(model: &Model, place: u32) -> [&str; 3] {
        let entry = item_at(&model.kinds, place as usize);
        [entry.kind, entry.group, entry.version].map(|part| model.text(part))
    }

    /// The definition of a kind; of several the one that counts.
    fn find(&self, model: &Model, wanted: [&str; 3]) -> Option<DefinitionId> {
        self.all(model, wanted).next()
    }

    /// All definitions of a kind, the one that counts first.
    fn all<'m>(&'m self, model: &'m Model, wanted: [&'m str; 3]) -> impl Iterator<Item = DefinitionId> + 'm {
        // From the last of equal kinds back: sorting is stable, and of equal ranks later documents count.
        let after = self.places.partition_point(|place| KindIndex::key(model, *place) <= wanted);
        let equal = move |place: &&u32| KindIndex::key(model, **place) == wanted;
        let places = part_of(&self.places, ..after).iter().rev().take_while(equal);
        places.map(|place| item_at(&model.kinds, *place as usize).definition)
    }
}
