//! What the way of an object through the server asks of a kind, step by step.

use std::borrow::Cow;

use kubemerge::RuleSource;
use kubemerge_kinds::{
    User,
    columns::TableColumn,
    field_error::FieldError,
    ordered_json::OrderedJson,
    reset_fields::Names,
    tree::{Arena, KnownParts, Map, Value, read_finding_repeats, read_node},
};
use kubemerge_ssa::{VersionConverter, fieldpath::FieldOrder, value::ParsedValue};
use kubemerge_value::{Node, to_canonical};

use crate::{
    catalog::{Resource, cluster::Validation},
    object::edit,
    protocol::status::{Failure, Outcome},
    store::{Record, StoredForm},
};

/// An object to decode.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    pub(crate) source: Source<'a>,
    pub(crate) reading: Reading,
}

/// What an object is read from.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// Well-formed JSON.
    Text(&'a str),
    /// The result of a patch, which is not printed to be read, and the parts of the object that was patched.
    Node(Node<'a>, Option<&'a KnownParts<'a>>),
    /// The result of an apply that is not printed to be read.
    Tree(&'a Map<'a>),
}

impl<'a> Source<'a> {
    /// The text, for messages.
    pub(crate) fn text(self) -> Cow<'a, str> {
        match self {
            Source::Text(text) => Cow::Borrowed(text),
            Source::Node(node, _) => Cow::Owned(to_canonical(node).as_str().to_owned()),
            Source::Tree(tree) => Cow::Owned(tree.to_text()),
        }
    }

    /// The value as it is, and whether any map of a text has a name twice: what our own engine made has none.
    pub(crate) fn read(self, arena: &'a Arena) -> (Value<'a>, bool) {
        match self {
            Source::Text(text) => read_finding_repeats(arena, text),
            Source::Node(node, known) => (read_node(arena, node, known), false),
            Source::Tree(tree) => (Value::Map(tree.share()), false),
        }
    }
}

/// Where an object comes from: Kubernetes reads each in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// The body of a request.
    Body,
    /// The result of a JSON patch or a merge patch, which is read as a body is.
    Patched,
    /// The result of a strategic merge patch: a map that is converted, whatever it says its type is.
    Merged,
    /// The result of an apply, which is converted, too.
    Applied,
}

impl Reading {
    /// Whether `apiVersion` and `kind` of the text count, or else are replaced by those of the resource.
    pub(crate) fn has_type(self) -> bool {
        matches!(self, Reading::Body | Reading::Patched)
    }
}

/// An object that was decoded.
pub(crate) struct Decoded<'a> {
    pub(crate) object: Map<'a>,
    /// Unknown and duplicate fields, as strict field validation words them.
    pub(crate) complaints: Vec<String>,
}

/// Why a text cannot be decoded.
pub(crate) enum DecodeError {
    /// What the decoder says; the answer words it by where the text comes from.
    Undecodable(String),
    /// The answer itself.
    Refused(Failure),
}

/// When the type of an object is compared with that of the resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeCheck {
    /// Before its fields are decoded: that the type is wrong is said first.
    First,
    /// After its fields were decoded; both names must be given.
    Last,
}

/// How the owners of fields of a kind are described.
#[derive(Clone, Copy)]
pub(crate) struct OwnershipFacts {
    /// The order inside `fieldsV1`.
    pub(crate) order: FieldOrder,
    /// Fields that the endpoint does not write.
    pub(crate) reset_fields: &'static [Names],
}

/// What is known about a write besides its object.
#[derive(Clone, Copy)]
pub(crate) struct Storing<'o, 'a> {
    pub(crate) old: Option<&'o Map<'a>>,
    /// The subresource that was written, if it was one.
    pub(crate) subresource: Option<&'o str>,
    pub(crate) reading: Reading,
}

/// What a kind does with its objects, step by step.
pub(crate) trait Contract<'c> {
    /// The resource whose objects they are.
    fn resource(&self) -> &'c Resource;

    /// What messages add to the name of Go's scheme of types; `None` for kinds that Go has no types of.
    fn go_scheme(&self) -> Option<&'static str>;

    /// Whether bodies may be in protobuf, whose messages are those of Go's types.
    fn reads_protobuf(&self) -> bool {
        false
    }

    /// Whether the kind may cease to be served while the server runs.
    fn may_be_withdrawn(&self) -> bool {
        true
    }

    /// Whether the items of its lists have `apiVersion` and `kind`.
    fn items_have_type(&self) -> bool {
        true
    }

    /// Where kube-apiserver keeps its objects in etcd, for messages.
    fn storage_folder(&self) -> String {
        let Resource { group, plural, .. } = self.resource();
        format!("{group}/{plural}")
    }

    /// Where each version has its replicas; none for versions without scale.
    fn replicas_paths(&self) -> Vec<(String, Option<Vec<String>>)> {
        vec![(self.resource().api_version.clone(), Some(vec!["spec".into(), "replicas".into()]))]
    }

    /// Whether the result of an apply to `/scale` can be converted back. Upstream: it is converted as if it were the object
    /// itself, which fails without Go's types (case apply/custom-status).
    fn converts_scale(&self) -> bool {
        false
    }

    /// When the type of an object is checked.
    fn type_check(&self) -> TypeCheck;

    /// Reads a text; unknown fields are dropped and reported.
    fn decode(&self, given: Given<'c>, arena: &'c Arena) -> Result<Decoded<'c>, DecodeError>;

    /// The result of an apply in a form that outlives its types, from which it may borrow.
    fn keep_applied(&self, object: ParsedValue<'_>, arena: &'c Arena) -> Source<'c>;

    /// The rules by which strategic merge patches merge.
    fn merge_rules(&self) -> Outcome<RuleSource<'c>>;

    /// Fills in defaults, unless they make the object larger than any that is stored.
    fn default(&self, object: &mut Map<'c>) -> Outcome<()>;

    /// A stored object in the version of the resource, as it is decoded today.
    fn served(&self, record: &'c Record, arena: &'c Arena) -> Map<'c> {
        self.served_noting(record, arena, None)
    }

    /// The same; notes which parts the pieces of the stored text are, if a text that has such pieces is decoded to them.
    fn served_noting(
        &self,
        record: &'c Record,
        arena: &'c Arena,
        noted: Option<&mut KnownParts<'c>>,
    ) -> Map<'c> {
        let noted = noted.filter(|_| record.form() == StoredForm::Normalized && self.is_as_stored(record));
        let mut object = edit::tree_noting(record, arena, noted);
        self.to_served(&mut object, record.form());
        object
    }

    /// The same for the tree of a stored object, of which this much is known.
    fn to_served(&self, object: &mut Map<'c>, form: StoredForm);

    /// Whether a stored object is in that form as it is, but for its `apiVersion`.
    fn is_as_stored(&self, record: &Record) -> bool;

    /// How owners are described at an endpoint.
    fn ownership(&self, subresource: &str) -> OwnershipFacts;

    /// Runs an operation with the types of all versions, as field managers see them.
    fn with_versions(&self, run: &mut dyn FnMut(&dyn VersionConverter));

    /// An object without content, as field managers see it.
    fn empty<'a>(&self, arena: &'a Arena) -> ParsedValue<'a>
    where
        'c: 'a;

    /// Adds what has an owner although only the server sets it. Answers the metadata as it was, if it may have changed: what
    /// is added to it does not stay.
    fn complete_for_tracking(&self, _object: &mut Map<'c>) -> Option<Map<'c>> {
        None
    }

    /// Drops what clients cannot set on a new object, before defaults.
    fn reset_new(&self, _object: &mut Map<'c>) {}

    /// An object in the version whose rules apply, and the stored object in that version; `None` if they are already.
    fn in_rules_version(
        &self,
        _object: &Map<'c>,
        _old: Option<&'c Record>,
        _arena: &'c Arena,
    ) -> Option<(Map<'c>, Option<Map<'c>>)> {
        None
    }

    /// What comes before an allocation, and what makes it impossible.
    fn begin(&self, _object: &mut Map<'c>, _old: Option<&Map<'c>>) -> Vec<FieldError> {
        Vec::new()
    }

    /// Sets what the server owns, and takes from the stored object what the request does not write.
    fn prepare(&self, object: &mut Map<'c>, old: Option<&Map<'c>>, subresource: Option<&str>);

    /// Whether a new object that has its defaults, and had a status before or not, is stored without something that is
    /// filled in whenever it is read.
    fn is_completed_by_reading(&self, _had_status: bool, _object: &Map<'c>) -> bool {
        false
    }

    /// Writes down who creates a prepared new object, if the kind keeps that.
    fn record_user(&self, _object: &mut Map<'c>, _user: &User) {}

    /// Whether objects are validated, where the server is set to this.
    fn is_validated(&self, setting: Validation) -> bool {
        setting == Validation::Full
    }

    /// What is wrong with a prepared object.
    fn validate(&self, object: &Map<'c>, old: Option<&Map<'c>>, subresource: Option<&str>)
    -> Vec<FieldError>;

    /// Advice about a valid object.
    fn warnings(&self, _object: &Map<'c>, _old: Option<&Map<'c>>) -> Vec<String> {
        Vec::new()
    }

    /// The last changes of a valid object: times that the server sets, and what reading it again would change.
    fn finish(&self, _object: &mut Map<'c>, _storing: Storing<'_, 'c>) {}

    /// Gives an object the version and the names of fields in which it is stored.
    fn to_stored(&self, object: &mut Map<'c>);

    /// Completes an object that is loaded past the API: typed form and defaults. What cannot be decoded stays as it is.
    fn load(&self, object: Map<'c>, arena: &'c Arena) -> Map<'c>;

    /// The columns of its tables.
    fn columns(&self) -> Vec<TableColumn>;

    /// The condition of a row of its tables.
    fn row_condition(&self, _object: &serde_json::Value) -> Option<serde_json::Value> {
        None
    }

    /// Whether the cells of a table are those of the stored version.
    fn is_printed_as_stored(&self) -> bool {
        false
    }

    /// The text of an object with its fields in the order in which messages quote it.
    fn quoted(&self, object: OrderedJson) -> OrderedJson {
        object
    }

    /// Whether objects can be created; definitions that are being deleted take no new ones.
    fn is_terminating(&self) -> bool {
        false
    }
}
