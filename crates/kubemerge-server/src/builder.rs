//! The builder of a server.

use std::{
    path::Path,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use kubemerge_kinds::namespaces::INITIAL_NAMESPACES;
use kubemerge_schema::{Dialect, Overlay, SchemaBuilder, builtin};
use serde::Serialize;
use serde_json::Value;

use crate::protocol::json::Members;
use crate::{
    api::{
        metrics::Metrics,
        openapi::V2Cache,
        patch::CustomStrategicMerge,
        state::{Api, ApiSettings},
        watch_settings::{BookmarkTrigger, WatchSettings},
    },
    catalog::{
        Catalog, Scope,
        cluster::{Cluster, Validation},
        definition_names::DefinitionNames,
        field_index::{FieldIndex, FieldIndexes},
        reservations::Reservations,
        served::ServedVersions,
        shared_owners::SharedOwners,
    },
    fixtures, fresh_cluster,
    given::{self, BuildError, Given},
    load,
    protocol::{address_range::AddressRange, clock::Clock, entropy::Entropy},
    server::ApiServer,
    store::{ManagedFieldsView, MemoryStore, Revision, Store},
    testing::{TestHooks, log::Log},
    write::{
        commit::transaction::Transaction,
        namespace,
        settings::{
            AdmissionPlugin, Controller, GarbageCollection, MissingNamespaces, ObjectSizeLimit,
            PodTermination, WriteSettings,
        },
    },
};

/// How many requests the log holds by default.
const MAX_LOG_ENTRIES: usize = 10_000;
/// The time of deterministic servers: 2026-01-01T00:00:00Z.
const FIXED_TIME: i64 = 1_767_225_600;

/// Builds a server; [`ApiServer::builder`] returns one.
#[must_use]
pub struct Builder {
    settings: ApiSettings,
    /// None until a caller chooses: documents of Kubernetes decide then, else it is the newest version.
    kubernetes: Option<String>,
    field_indexes: Vec<FieldIndex>,
    dialect: Dialect,
    overlays: Vec<Overlay>,
    /// None until a caller chooses: the dialect decides then.
    custom_strategic_merge: Option<CustomStrategicMerge>,
    validation: Validation,
    managed_fields: ManagedFieldsView,
    documents: Vec<Value>,
    objects: Vec<Given>,
    first_objects: FirstObjects,
    served: ServedVersions,
    store: Option<Arc<dyn Store>>,
    history: Option<usize>,
    clock: Clock,
    seed: Option<u64>,
    log: usize,
    fault: Option<String>,
}

/// What a server has besides the objects it is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FirstObjects {
    /// What every cluster has.
    #[default]
    FreshCluster,
    /// Nothing.
    None,
}

impl Default for Builder {
    fn default() -> Self {
        Builder {
            settings: ApiSettings {
                version: builtin::NEWEST.into(),
                custom_strategic_merge: CustomStrategicMerge::default(),
                token: None,
                watch: WatchSettings {
                    bookmark_interval: Duration::from_mins(1),
                    lifetime: Duration::from_mins(30),
                },
                write: WriteSettings::default(),
            },
            kubernetes: None,
            field_indexes: Vec::new(),
            dialect: Dialect::default(),
            overlays: Vec::new(),
            custom_strategic_merge: None,
            validation: Validation::default(),
            managed_fields: ManagedFieldsView::default(),
            documents: Vec::new(),
            objects: Vec::new(),
            first_objects: FirstObjects::default(),
            served: ServedVersions::default(),
            store: None,
            history: None,
            clock: Clock::default(),
            seed: None,
            log: MAX_LOG_ENTRIES,
            fault: None,
        }
    }
}

impl Builder {
    /// The version of Kubernetes whose built-in kinds are served, such as `1.37`; the newest by default.
    pub fn kubernetes(mut self, version: &str) -> Self {
        // Tags have the letter, tables do not.
        self.kubernetes = Some(version.trim_start_matches('v').to_string());
        self
    }

    /// How strategic merge patches merge: as Kubernetes does, or as its design documents specify. In
    /// [`Dialect::Spec`] custom resources merge by their list keys. [`Dialect::Kustomize`] is refused: kustomize
    /// is no API server.
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Your own merge rules for some fields, in [`Dialect::Spec`]. [`Overlay::design_documents`] has those that the
    /// design documents of Kubernetes list.
    pub fn overlay(mut self, overlay: Overlay) -> Self {
        self.overlays.push(overlay);
        self
    }

    /// How objects of built-in kinds are checked: as the API server does by default.
    pub fn validation(mut self, validation: Validation) -> Self {
        self.validation = validation;
        self
    }

    /// Whether answers have `metadata.managedFields`; they do by default. Ownership is tracked either way, so that
    /// server-side apply works the same.
    pub fn managed_fields(mut self, view: ManagedFieldsView) -> Self {
        self.managed_fields = view;
        self
    }

    /// Custom resource definitions, served from the start: anything that serializes to one.
    pub fn crds<T: Serialize>(self, definitions: impl IntoIterator<Item = T>) -> Self {
        self.objects(definitions)
    }

    /// A kind without a schema, served from the start: its objects are kept as they are.
    pub fn kind(self, api_version: &str, kind: &str, plural: &str, scope: Scope) -> Self {
        self.objects([load::schemaless(api_version, kind, plural, scope)])
    }

    /// Objects that are there from the start: with the status and the uid they have, without admission. Missing
    /// namespaces are created; defaults, `stringData` and missing server-owned metadata are dealt with as in a
    /// cluster. No object may be given twice; [`ApiServer::set`] replaces one later.
    pub fn objects<T: Serialize>(self, objects: impl IntoIterator<Item = T>) -> Self {
        self.add(None, objects)
    }

    /// The same for objects from a named source, such as a file; errors name it.
    pub fn objects_from<T: Serialize>(self, source: &str, objects: impl IntoIterator<Item = T>) -> Self {
        self.add(Some(source.into()), objects)
    }

    fn add<T: Serialize>(mut self, source: Option<Arc<str>>, objects: impl IntoIterator<Item = T>) -> Self {
        for object in objects {
            match serde_json::to_value(object) {
                Ok(value) => self.objects.push(Given { value, source: source.clone() }),
                // Builders return themselves, so errors wait for `build`.
                Err(error) => self.complain(format!("an object cannot be serialized: {error}")),
            }
        }
        self
    }

    /// Objects from a YAML or JSON text with any number of documents; definitions may come after their objects.
    pub fn yaml(mut self, text: &str) -> Self {
        match given::of_yaml(text) {
            Ok(objects) => self.objects.extend(objects),
            Err(error) => self.complain(error),
        }
        self
    }

    /// Objects from files: the path of a file, of a folder, or a pattern such as `fixtures/**/*.yaml`. Paths are
    /// relative to the current folder, which `cargo test` sets to that of the package.
    pub fn files(mut self, pattern: impl AsRef<Path>) -> Self {
        match fixtures::objects(pattern.as_ref()) {
            Ok(objects) => self.objects.extend(objects),
            Err(error) => self.complain(error),
        }
        self
    }

    /// Loads an OpenAPI document (v2 or v3) beside the built-in tables. Its kinds are served at its paths, merged by its
    /// rules and validated by it: required fields, enums, formats, ranges. Kinds that are built in keep their types,
    /// defaults and validation, and merge by the rules of the document; a document of Kubernetes itself chooses the
    /// version of the built-in rules unless [`Builder::kubernetes`] does. A custom resource definition is the same as
    /// with [`Builder::crds`].
    pub fn openapi(mut self, document: Value) -> Self {
        self.documents.push(document);
        self
    }

    /// Leaves out the objects that every cluster has: the namespaces `default` and `kube-*`, the Service `kubernetes`,
    /// system priority classes. Nothing can be created in a namespace before that is created.
    pub fn empty(mut self) -> Self {
        self.first_objects = FirstObjects::None;
        self
    }

    /// Serves alpha and beta versions, too. kube-apiserver does not unless it is told to.
    pub fn alpha_and_beta(mut self) -> Self {
        self.served = ServedVersions::all();
        self
    }

    /// Serves other versions of the built-in APIs than by default: the value of kube-apiserver's flag `--runtime-config`,
    /// such as `api/beta=true,batch/v1=false`. Versions that Kubernetes has no more are left out.
    ///
    /// ```
    /// use kubemerge_server::ApiServer;
    ///
    /// assert!(ApiServer::builder().runtime_config("resource.k8s.io/v1beta1=true").build().is_ok());
    /// assert!(ApiServer::builder().runtime_config("api/all=perhaps").build().is_err());
    /// ```
    pub fn runtime_config(mut self, choices: &str) -> Self {
        match ServedVersions::parse(choices) {
            Ok(served) => self.served = served,
            Err(why) => self.complain(why),
        }
        self
    }

    /// The range of the addresses of Services, such as `10.0.0.0/24`; `10.0.0.0/16` by default. Only IPv4 is known.
    ///
    /// ```
    /// use kubemerge_server::ApiServer;
    ///
    /// assert!(ApiServer::builder().service_range("10.96.0.0/12").build().is_ok());
    /// assert!(ApiServer::builder().service_range("10.96.0.0").build().is_err());
    /// ```
    pub fn service_range(mut self, range: &str) -> Self {
        match AddressRange::parse(range) {
            Some(range) => self.settings.write.service_range = range,
            None => self.complain(format!("{range} is not a range of IPv4 addresses such as 10.0.0.0/24")),
        }
        self
    }

    /// A store in place of the one in memory. What is in it stays: objects that the server is given, and those of a fresh
    /// cluster, are created only if they are missing.
    pub fn store(mut self, store: impl Store + 'static) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// How many events the store in memory keeps: watches and pages that are older get 410.
    pub fn history(mut self, events: usize) -> Self {
        self.history = Some(events);
        self
    }

    /// Where timestamps come from.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Fixes uids, generated names and probabilities.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Fixes everything that differs from run to run: the clock does not move, randomness has a seed.
    pub fn deterministic(self) -> Self {
        self.clock(Clock::fixed(FIXED_TIME)).seed(0)
    }

    /// Creates namespaces when something is first created in them.
    pub fn create_namespaces(mut self) -> Self {
        self.settings.write.missing_namespaces = MissingNamespaces::Created;
        self
    }

    /// Turns on an admission plugin of kube-apiserver.
    ///
    /// ```
    /// use kubemerge_server::{AdmissionPlugin, ApiServer};
    ///
    /// let server = ApiServer::builder().admission_plugin(AdmissionPlugin::LimitRanger).build();
    /// assert!(server.is_ok());
    /// ```
    pub fn admission_plugin(mut self, plugin: AdmissionPlugin) -> Self {
        self.settings.write.plugins.add(plugin);
        self
    }

    /// How large an object may be that is stored, in bytes, with its key: etcd's flag `--max-request-bytes`, 1.5 MiB by
    /// default. Larger ones are answered with 500, as by kube-apiserver; a body has at most 3 MiB anyway.
    pub fn max_request_bytes(mut self, bytes: usize) -> Self {
        self.settings.write.object_size = ObjectSizeLimit { max_request_bytes: bytes };
        self
    }

    /// Removes pods as soon as they are deleted, because there is no kubelet.
    pub fn pods_end_at_once(mut self) -> Self {
        self.settings.write.pod_termination = PodTermination::Immediate;
        self
    }

    /// Whether dependents are deleted with their owners.
    pub fn garbage_collection(mut self, collection: GarbageCollection) -> Self {
        if collection == GarbageCollection::Off {
            self.settings.write.controllers.stop(Controller::GarbageCollector);
            self.settings.write.controllers.stop(Controller::StorageProtection);
        }
        self
    }

    /// Runs only these controllers; all by default. With none of them the server does what kube-apiserver alone does.
    ///
    /// ```
    /// use kubemerge_server::{ApiServer, Controller};
    ///
    /// let server = ApiServer::builder().controllers(&[Controller::Namespace]).build();
    /// assert!(server.is_ok());
    /// ```
    pub fn controllers(mut self, running: &[Controller]) -> Self {
        self.settings.write.controllers.set(running);
        self
    }

    /// Whether custom resources accept strategic merge patches, which Kubernetes refuses. They do in
    /// [`Dialect::Spec`] unless this says otherwise.
    pub fn custom_strategic_merge(mut self, choice: CustomStrategicMerge) -> Self {
        self.custom_strategic_merge = Some(choice);
        self
    }

    /// How often watches that want bookmarks get one; a minute by default.
    pub fn bookmark_interval(mut self, interval: Duration) -> Self {
        self.settings.watch.bookmark_interval = interval;
        self
    }

    /// How long watches without a timeout of their own live at least; half an hour by default.
    pub fn watch_lifetime(mut self, lifetime: Duration) -> Self {
        self.settings.watch.lifetime = lifetime;
        self
    }

    /// Requires this bearer token.
    pub fn token(mut self, token: &str) -> Self {
        self.settings.token = Some(token.to_string());
        self
    }

    /// Lets field selectors name a field that the kind has none for, as an index does: `read` finds its values in
    /// an object, any of which may be asked for. It is known in all versions of the kind. `build` refuses a kind that is
    /// not served and that no definition can add.
    pub fn field_index(
        mut self,
        api_version: &str,
        kind: &str,
        field: &str,
        read: impl Fn(&Value) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        self.field_indexes.push(FieldIndex::new(api_version, kind, field, read));
        self
    }

    /// How many requests the log remembers; 10,000 by default, none for 0.
    pub fn request_log(mut self, max_entries: usize) -> Self {
        self.log = max_entries;
        self
    }

    /// Moves the definitions among the documents to the objects. One that is given in both ways is one definition.
    fn take_definitions(&mut self) -> Result<(), BuildError> {
        let documents = std::mem::take(&mut self.documents);
        let (definitions, documents): (Vec<Value>, Vec<Value>) =
            documents.into_iter().partition(is_definition);
        self.documents = documents;
        for value in definitions {
            let name = value.member("metadata").member("name");
            let same = self
                .objects
                .iter()
                .find(|one| is_definition(&one.value) && one.value.member("metadata").member("name") == name);
            match same {
                Some(same) if same.value == value => {}
                Some(same) => {
                    return Err(BuildError::about(
                        same,
                        "another definition of that name is given as a schema",
                    ));
                }
                None => self.objects.push(Given { value, source: None }),
            }
        }
        Ok(())
    }

    fn complain(&mut self, text: String) {
        // The first error is the one to fix; `build` reports it.
        self.fault.get_or_insert(text);
    }

    /// Builds the server.
    ///
    /// # Errors
    /// If there are no tables for the version, or a document or an object cannot be loaded.
    pub fn build(mut self) -> Result<ApiServer, BuildError> {
        if let Some(text) = self.fault {
            return Err(BuildError::new(text));
        }
        self.settings.custom_strategic_merge = match (self.custom_strategic_merge, self.dialect) {
            (_, Dialect::Kustomize) => {
                return Err(BuildError::new(
                    "the dialect kustomize only applies patches: no API server merges like that",
                ));
            }
            (Some(choice), _) => choice,
            (None, Dialect::Spec) => CustomStrategicMerge::ByListKeys,
            (None, _) => CustomStrategicMerge::Refused,
        };
        self.take_definitions()?;
        self.settings.version = builtin::version_for(self.kubernetes.as_deref(), self.documents.iter());
        let mut schema = SchemaBuilder::builtin(&self.settings.version).map_err(BuildError::new)?;
        if self.dialect == Dialect::Spec {
            schema = schema.with_merge_rules_in_definitions();
        }
        for document in &self.documents {
            schema = schema.document(document).map_err(BuildError::new)?;
        }
        // After the documents: an overlay may be about their types, or else about those of definitions, which are objects.
        let overlays = self.overlays.iter().map(|overlay| overlay.split(|rule| schema.has_type_of(rule)));
        let (own, others): (Vec<Overlay>, Vec<Overlay>) = overlays.map(|[own, others]| (own, others)).unzip();
        let schema = own.into_iter().fold(schema, SchemaBuilder::overlay);
        let schema = schema.compile(self.dialect).map_err(BuildError::new)?;
        self.served.check(&schema).map_err(BuildError::new)?;
        let overlays: Arc<[Overlay]> = match self.dialect {
            Dialect::Spec => others.into(),
            // Upstream is what Kubernetes does.
            _ => Arc::default(),
        };
        let store = self.store.unwrap_or_else(|| {
            Arc::new(self.history.map_or_else(MemoryStore::default, MemoryStore::with_history))
        });
        let since = store.revision();
        let ticket = store.begin().wait().map_err(BuildError::new)?;
        let field_indexes = self.field_indexes;
        let cluster = Cluster {
            catalog: Catalog::new(&schema, &self.served),
            store,
            schema,
            shared_owners: SharedOwners::default(),
            validation: self.validation,
            overlays,
            managed_fields: self.managed_fields,
            clock: self.clock,
            entropy: Arc::new(self.seed.map_or_else(Entropy::system, Entropy::seeded)),
            field_indexes: FieldIndexes::new(field_indexes.clone()),
            reservations: Reservations::default(),
            names: DefinitionNames::default(),
            followed: AtomicU64::new(0),
        };
        // A store that is given may have definitions already.
        cluster.serve_definitions();
        let testing = Arc::new(TestHooks::new(Log::new(self.log), cluster.entropy.clone()));
        let api = Api {
            cluster: Arc::new(cluster),
            settings: self.settings,
            hooks: testing.clone(),
            pod_logs: Arc::default(),
            #[cfg(feature = "serve")]
            streams: Default::default(),
            bookmarks: BookmarkTrigger::default(),
            metrics: Metrics::default(),
            open_api: V2Cache::default(),
        };
        // A transaction of their own: nothing follows from the objects a server begins with.
        let transaction = api.transaction();
        if self.first_objects == FirstObjects::FreshCluster {
            begin_fresh(&transaction, since)?;
        }
        load::begin_with(&transaction, self.objects, since)?;
        drop(transaction);
        api.cluster.check_overlays().map_err(BuildError::new)?;
        for index in &field_indexes {
            let found = load::resource_if_defined(&api.cluster, &index.api_version, &index.kind);
            found.map_err(|failure| {
                BuildError::new(format!("field index {:?}: {}", index.field, failure.message()))
            })?;
        }
        api.cluster.store.finish(ticket).wait().map_err(BuildError::new)?;
        let follower = api.cluster.spawn_follower();
        follower.map_err(|error| BuildError::new(format!("cannot start a thread: {error}")))?;
        Ok(ApiServer::new(api, testing))
    }
}

fn is_definition(document: &Value) -> bool {
    document["kind"] == "CustomResourceDefinition"
}

/// Creates what every cluster has, as far as the version of Kubernetes knows it.
fn begin_fresh(transaction: &Transaction<'_>, since: Revision) -> Result<(), BuildError> {
    INITIAL_NAMESPACES.iter().for_each(|name| namespace::create(transaction, name));
    // Older versions lack some of the kinds.
    let is_served = |object: &Value| {
        let text = |name: &str| object[name].as_str().unwrap_or_default();
        load::resource(transaction.cluster, text("apiVersion"), text("kind")).is_ok()
    };
    let range = transaction.settings.service_range;
    let objects = fresh_cluster::objects(&transaction.cluster.clock.now().to_string(), range);
    let objects = objects.into_iter().filter(is_served);
    let objects = objects.map(|value| Given { value, source: None }).collect();
    load::begin_with(transaction, objects, since)
}
