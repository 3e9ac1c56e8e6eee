//! Who owns the fields of an exported object, and changes of owners that are no writes: transfers, migrations.

use kubemerge_ssa::fieldpath::{FieldOrder, FieldPath, FieldSet};
use kubemerge_ssa::managed_fields::{ApplyError, ManagedFields, ManagerId, OwnedField, migrate_to_apply};
use kubemerge_ssa::value::{Arena, ParsedValue};

use crate::object::Object;
use crate::server_side_apply::{ServerSideApply, read, split, value_of, with_entries, written};

/// Every owned field of an object, and its owners.
///
/// # Errors
/// If the object is not JSON, or its entries cannot be read.
pub fn owners<O: Object + ?Sized>(object: &O) -> Result<Vec<OwnedField>, ApplyError> {
    let arena = Arena::new();
    let source = read(object)?;
    let (object, managed) = split(value_of(&source, &arena), FieldOrder::Path, &arena)?;
    managed.owned_fields(object).map_err(failed)
}

/// The owners of one field, by its path as messages print it.
///
/// ```
/// use kubemerge::{Applier, Dialect, Schema, ServerSideApply, owners_of};
///
/// let schema = Schema::builtin("1.37", Dialect::Upstream)?;
/// let config = r#"{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
///     "spec": {"ports": [{"port": 80, "protocol": "TCP"}]}}"#;
/// let service = ServerSideApply::new(&schema).apply(None::<&str>, config, &Applier::new("me"))?;
/// let owners = owners_of(&service.object, r#".spec.ports[port=80,protocol="TCP"].port"#)?;
/// assert_eq!(&*owners[0].manager, "me");
/// assert!(owners_of(&service.object, ".spec.type")?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`owners`].
pub fn owners_of<O: Object + ?Sized>(object: &O, path: &str) -> Result<Vec<ManagerId>, ApplyError> {
    let field = owners(object)?.into_iter().find(|field| field.path == path);
    Ok(field.map(|field| field.owners).unwrap_or_default())
}

/// Changes of owners, on exported objects.
///
/// ```
/// use kubemerge::{Applier, Dialect, ManagerId, Schema, ServerSideApply, owners_of};
///
/// let schema = Schema::builtin("1.37", Dialect::Upstream)?;
/// let server_side = ServerSideApply::new(&schema);
/// let config = r#"{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
///     "spec": {"replicas": 3, "paused": true}}"#;
/// let live = server_side.apply(None::<&str>, config, &Applier::new("helm"))?.object;
///
/// let autoscaler = ManagerId::updater("autoscaler", "apps/v1");
/// let moved = server_side.transfer(&live, &ManagerId::applier("helm"), &autoscaler, &[".spec.replicas"])?;
/// assert_eq!(owners_of(&moved, ".spec.replicas")?, [autoscaler]);
/// assert_eq!(owners_of(&moved, ".spec.paused")?, [ManagerId::applier("helm")]);
///
/// let migrated = server_side.migrate_to_apply(&moved, &["autoscaler"], "hpa")?;
/// assert_eq!(owners_of(&migrated, ".spec.replicas")?, [ManagerId::applier("hpa")]);
///
/// let older = server_side.move_to_version(&migrated, "apps/v1", "apps/v1beta1")?;
/// assert!(older.contains(r#"{"apiVersion":"apps/v1beta1","fieldsType":"FieldsV1","fieldsV1":{"f:spec""#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl ServerSideApply {
    /// The object after one manager has given some fields, and what is below them, to another. Fields that the first
    /// one does not own do not move.
    ///
    /// # Errors
    /// As [`owners`].
    pub fn transfer<O: Object + ?Sized>(
        &self,
        object: &O,
        from: &ManagerId,
        to: &ManagerId,
        paths: &[&str],
    ) -> Result<O::Output, ApplyError> {
        self.with_entries_changed(object, |managed, order| {
            let arena = Arena::new();
            let Some(giver) = managed.entry(from) else { return Ok(managed.clone()) };
            let owned = giver.fields.set_in(&arena).map_err(failed)?;
            let mut given = Vec::new();
            owned.each_path(|path| {
                let printed = FieldPath(path).to_string();
                if paths.iter().any(|wanted| is_at_or_below(&printed, wanted)) {
                    given.push(path.to_vec());
                }
            });
            managed.transferred(from, to, &FieldSet::of_paths(given, &arena), order).map_err(failed)
        })
    }

    /// The object after the fields of managers that applied on the client's side were given to one that applies on the
    /// server, as kubectl does at the first `apply --server-side`.
    ///
    /// # Errors
    /// As [`owners`].
    pub fn migrate_to_apply<O: Object + ?Sized>(
        &self,
        object: &O,
        client_side: &[&str],
        applier: &str,
    ) -> Result<O::Output, ApplyError> {
        self.with_entries_changed(object, |managed, order| {
            migrate_to_apply(managed, client_side, applier, "", order).map_err(failed)
        })
    }

    /// The object with the entries of one version moved to another, for a version that will no longer be served.
    ///
    /// # Errors
    /// As [`owners`].
    pub fn move_to_version<O: Object + ?Sized>(
        &self,
        object: &O,
        from: &str,
        to: &str,
    ) -> Result<O::Output, ApplyError> {
        self.with_entries_changed(object, |managed, order| {
            managed.moved_to_version(from, to, order).map_err(failed)
        })
    }

    fn with_entries_changed<O: Object + ?Sized>(
        &self,
        object: &O,
        change: impl FnOnce(&ManagedFields, FieldOrder) -> Result<ManagedFields, ApplyError>,
    ) -> Result<O::Output, ApplyError> {
        let arena = Arena::new();
        let source = read(object)?;
        let object = value_of(&source, &arena);
        let text = |name: &str| object.get(name).and_then(ParsedValue::as_str).unwrap_or_default();
        let order = self.order(text("apiVersion"), text("kind"));
        let (bare, managed) = split(object, order, &arena)?;
        written::<O>(&with_entries(bare, &change(&managed, order)?, &arena))
    }
}

fn failed(error: impl std::fmt::Display) -> ApplyError {
    ApplyError::Failed(error.to_string())
}

/// Whether a printed path is another one, or goes on from it.
fn is_at_or_below(path: &str, wanted: &str) -> bool {
    path.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
