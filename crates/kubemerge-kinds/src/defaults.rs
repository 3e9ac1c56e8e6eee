//! The defaults of built-in kinds that patches and clients rely on.
//!
//! Kubernetes fills in many more; these are the ones without which a list key, a rollout or a scale would not
//! work as in a cluster. Each entry is a path and the value that is put there when its parent exists and it
//! does not; `[]` means every item of a list.

use std::{collections::BTreeMap, sync::LazyLock};

use kubemerge_value::{Arena, Canonical, Kind, MapEdit, Node, Reader, SharedValue, Str, list, to_canonical};

/// A path below the object and what belongs there.
type Default = (&'static str, &'static str);

/// Paths inside of a pod's spec.
const POD: &[Default] = &[
    ("restartPolicy", "\"Always\""),
    ("dnsPolicy", "\"ClusterFirst\""),
    ("schedulerName", "\"default-scheduler\""),
    ("securityContext", "{}"),
    ("terminationGracePeriodSeconds", "30"),
    ("containers[].ports[].protocol", "\"TCP\""),
    ("initContainers[].ports[].protocol", "\"TCP\""),
    ("containers[].terminationMessagePath", "\"/dev/termination-log\""),
    ("containers[].terminationMessagePolicy", "\"File\""),
    ("containers[].resources", "{}"),
];

const KINDS: &[(&str, &str, &[Default])] = &[
    (
        "apps",
        "Deployment",
        &[
            ("spec.replicas", "1"),
            ("spec.revisionHistoryLimit", "10"),
            ("spec.progressDeadlineSeconds", "600"),
            (
                "spec.strategy",
                "{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"maxSurge\":\"25%\",\"maxUnavailable\":\"25%\"}}",
            ),
        ],
    ),
    ("apps", "ReplicaSet", &[("spec.replicas", "1")]),
    (
        "apps",
        "StatefulSet",
        &[
            ("spec.replicas", "1"),
            ("spec.revisionHistoryLimit", "10"),
            ("spec.podManagementPolicy", "\"OrderedReady\""),
            ("spec.updateStrategy", "{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"partition\":0}}"),
        ],
    ),
    (
        "apps",
        "DaemonSet",
        &[
            ("spec.revisionHistoryLimit", "10"),
            (
                "spec.updateStrategy",
                "{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"maxSurge\":0,\"maxUnavailable\":1}}",
            ),
        ],
    ),
    ("", "ReplicationController", &[("spec.replicas", "1")]),
    (
        "batch",
        "Job",
        &[
            ("spec.completions", "1"),
            ("spec.parallelism", "1"),
            ("spec.backoffLimit", "6"),
            ("spec.completionMode", "\"NonIndexed\""),
            ("spec.suspend", "false"),
        ],
    ),
    (
        "batch",
        "CronJob",
        &[
            ("spec.concurrencyPolicy", "\"Allow\""),
            ("spec.suspend", "false"),
            ("spec.successfulJobsHistoryLimit", "3"),
            ("spec.failedJobsHistoryLimit", "1"),
        ],
    ),
    (
        "",
        "Service",
        &[
            ("spec.type", "\"ClusterIP\""),
            ("spec.sessionAffinity", "\"None\""),
            ("spec.internalTrafficPolicy", "\"Cluster\""),
            ("spec.ports[].protocol", "\"TCP\""),
        ],
    ),
    ("", "PersistentVolumeClaim", &[("spec.volumeMode", "\"Filesystem\"")]),
];

/// Where kinds keep a pod's spec.
const POD_SPECS: &[(&str, &str, &str)] = &[
    ("", "Pod", "spec"),
    ("", "ReplicationController", "spec.template.spec"),
    ("", "PodTemplate", "template.spec"),
    ("apps", "DaemonSet", "spec.template.spec"),
    ("apps", "Deployment", "spec.template.spec"),
    ("apps", "ReplicaSet", "spec.template.spec"),
    ("apps", "StatefulSet", "spec.template.spec"),
    ("batch", "CronJob", "spec.jobTemplate.spec.template.spec"),
    ("batch", "Job", "spec.template.spec"),
];

/// What belongs into a map: a default, or what belongs into the maps below. Sorted by name.
#[derive(Debug, Default)]
pub struct DefaultTree(Vec<(&'static str, DefaultAt)>);

/// A default, or where the next ones are.
#[derive(Debug)]
pub enum DefaultAt {
    /// A value, where there is none.
    Value(Canonical),
    /// Something in a map, where there is one.
    InMap(DefaultTree),
    /// Something in each map of a list, where there is one.
    InItems(DefaultTree),
}

/// The trees of all kinds that have defaults, by group and kind.
static TREES: LazyLock<BTreeMap<(&str, &str), DefaultTree>> = LazyLock::new(|| {
    let mut trees: BTreeMap<(&str, &str), DefaultTree> = BTreeMap::new();
    for (group, kind, own) in KINDS {
        let tree = trees.entry((group, kind)).or_default();
        own.iter().for_each(|(path, default)| tree.add(path.split('.'), default));
    }
    for (group, kind, pod) in POD_SPECS {
        let tree = trees.entry((group, kind)).or_default();
        POD.iter().for_each(|(path, default)| tree.add(pod.split('.').chain(path.split('.')), default));
    }
    trees
});

impl DefaultTree {
    /// The defaults of a kind, if it has any.
    pub fn of(group: &str, kind: &str) -> Option<&'static DefaultTree> {
        TREES.iter().find(|(known, _)| **known == (group, kind)).map(|(_, tree)| tree)
    }

    /// The default of a member, or those below it.
    pub fn get(&self, name: &str) -> Option<&DefaultAt> {
        self.0.iter().find(|(wanted, _)| *wanted == name).map(|(_, wanted)| wanted)
    }

    /// The members with their defaults, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &DefaultAt)> {
        self.0.iter().map(|(name, default)| (*name, default))
    }

    /// The members that have defaults, or defaults below them.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(name, _)| *name)
    }

    fn add(&mut self, mut path: impl Iterator<Item = &'static str>, default: &str) {
        let Some(name) = path.next() else { return };
        let mut rest = path.peekable();
        let plain = name.trim_end_matches("[]");
        let at = self.0.binary_search_by_key(&plain, |(name, _)| name).unwrap_or_else(|at| {
            let wanted = match rest.peek() {
                // The tables hold valid JSON, which a test reads.
                None => DefaultAt::Value(
                    Canonical::from_bytes(default.as_bytes()).unwrap_or_else(|_| to_canonical(Node::NULL)),
                ),
                Some(_) if plain == name => DefaultAt::InMap(DefaultTree::default()),
                Some(_) => DefaultAt::InItems(DefaultTree::default()),
            };
            self.0.insert(at, (plain, wanted));
            at
        });
        if let DefaultAt::InMap(tree) | DefaultAt::InItems(tree) = &mut self.0[at].1 {
            // A path is as long as its table says; the box ends the types' recursion, not the data's.
            tree.add(Box::new(rest) as Box<dyn Iterator<Item = &'static str>>, default);
        }
    }
}

/// A field with its missing defaults filled in; none if no default is missing.
pub fn fill(text: &SharedValue, default: &DefaultAt) -> Option<Canonical> {
    // Most objects were filled before: those are only read.
    if lacks(&mut text.reader(), default) != Some(true) {
        return None;
    }
    filled_value(text.node(), default, &Arena::new()).map(to_canonical)
}

/// Whether anything is missing in the next value. There always is an answer, since the text is canonical.
fn lacks(reader: &mut Reader<'_>, wanted: &DefaultAt) -> Option<bool> {
    let kind = reader.next_kind()?;
    match (wanted, kind) {
        (DefaultAt::InMap(tree), Kind::Map) => return map_lacks(reader, tree),
        (DefaultAt::InItems(tree), Kind::List) => return items_lack(reader, tree),
        _ => reader.pass()?,
    }
    Some(matches!(wanted, DefaultAt::Value(_)) && kind == Kind::Null)
}

/// Goes through the members of a map and what is wanted there side by side, since both are sorted.
fn map_lacks(reader: &mut Reader<'_>, tree: &DefaultTree) -> Option<bool> {
    let is_value = |(_, wanted): &(&str, DefaultAt)| matches!(wanted, DefaultAt::Value(_));
    let mut rest = tree.0.iter().peekable();
    reader.open_map()?;
    while let Some(name) = reader.name()?.map(Str::given) {
        while let Some(passed) = rest.next_if(|(wanted, _)| Str::plain(wanted) < name) {
            if is_value(passed) {
                return Some(true);
            }
        }
        match rest.next_if(|(wanted, _)| name.is(wanted)) {
            Some((_, wanted)) if lacks(reader, wanted)? => return Some(true),
            Some(_) => {}
            None => reader.pass()?,
        }
    }
    Some(rest.any(is_value))
}

fn items_lack(reader: &mut Reader<'_>, tree: &DefaultTree) -> Option<bool> {
    reader.open_list()?;
    while reader.item()? {
        if reader.next_kind()? != Kind::Map {
            reader.pass()?;
        } else if map_lacks(reader, tree)? {
            return Some(true);
        }
    }
    Some(false)
}

/// A value with what is missing in it; none if nothing is.
fn filled_value<'a>(value: Node<'a>, wanted: &'a DefaultAt, arena: &'a Arena) -> Option<Node<'a>> {
    match wanted {
        DefaultAt::Value(default) => value.is_null().then(|| default.node()),
        DefaultAt::InMap(tree) => filled(value, tree, arena),
        DefaultAt::InItems(tree) => {
            let items = value.elements(arena);
            let filled: Vec<_> = items.iter().map(|item| filled(*item, tree, arena)).collect();
            let any = filled.iter().any(Option::is_some);
            any.then(|| list(items.iter().zip(filled).map(|(item, filled)| filled.unwrap_or(*item)), arena))
        }
    }
}

/// A map with what is missing in it; none if nothing is, or if it is no map.
fn filled<'a>(map: Node<'a>, tree: &'a DefaultTree, arena: &'a Arena) -> Option<Node<'a>> {
    if map.kind() != Kind::Map {
        return None;
    }
    let mut members = map.entries(arena).iter().peekable();
    let mut changes = Vec::new();
    for (name, wanted) in &tree.0 {
        while members.next_if(|member| member.key < Str::plain(name)).is_some() {}
        let found = match (members.next_if(|member| member.key.is(name)), wanted) {
            (Some(member), wanted) => filled_value(member.value, wanted, arena),
            (None, DefaultAt::Value(default)) => Some(default.node()),
            (None, _) => None,
        };
        changes.extend(found.map(|value| (Str::plain(name), value)));
    }
    (!changes.is_empty()).then(|| changed(map, &changes, arena))
}

fn changed<'a>(map: Node<'a>, changes: &[(Str<'a>, Node<'a>)], arena: &'a Arena) -> Node<'a> {
    let mut edit = MapEdit::new(map, arena);
    for (name, value) in changes {
        match edit.seek(*name) {
            Some(_) => edit.replace(*value),
            None => edit.insert(*name, *value),
        }
    }
    edit.finish()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn every_default_is_json() {
        let kinds = KINDS.iter().flat_map(|(_, _, own)| own.iter());
        for (path, text) in kinds.chain(POD) {
            assert!(serde_json::from_str::<Value>(text).is_ok(), "{path}");
        }
    }

    fn check(tree: &DefaultTree, before: Value, after: Value) {
        let arena = Arena::new();
        let before = canonical(&before);
        let result = filled(before.node(), tree, &arena).map(to_canonical);
        assert_eq!(map_lacks(&mut before.reader(), tree), Some(result.is_some()));
        let expected = canonical(&after);
        assert_eq!(result, (expected != before).then_some(expected));
    }

    #[test]
    fn defaults_reach_into_lists_and_make_no_parents() {
        let mut tree = DefaultTree::default();
        tree.add("containers[].ports[].protocol".split('.'), "\"TCP\"");
        tree.add("initContainers[].ports[].protocol".split('.'), "\"TCP\"");
        tree.add("replicas".split('.'), "1");
        check(
            &tree,
            json!({"containers": [{"ports": [{"containerPort": 80}]}, {}], "replicas": null, "z": 1}),
            json!({"containers": [{"ports": [{"containerPort": 80, "protocol": "TCP"}]}, {}], "replicas": 1,
                "z": 1}),
        );
        let full = json!({"containers": "none", "replicas": 2});
        check(&tree, full.clone(), full);
        check(&tree, json!({"containers": [null, 3]}), json!({"containers": [null, 3], "replicas": 1}));
    }

    fn canonical(value: &Value) -> Canonical {
        to_canonical(Node::from_value(value).unwrap())
    }

    #[test]
    fn kinds_with_pods_have_the_defaults_of_both() {
        let spec: SharedValue = canonical(&json!({"template": {"spec": {}}})).into();
        let tree = DefaultTree::of("apps", "Deployment").unwrap();
        let filled = fill(&spec, tree.get("spec").unwrap()).unwrap();
        let filled: Value = serde_json::from_slice(filled.as_bytes()).unwrap();
        assert_eq!(filled["replicas"], json!(1));
        assert_eq!(filled["template"]["spec"]["restartPolicy"], json!("Always"));
    }
}
