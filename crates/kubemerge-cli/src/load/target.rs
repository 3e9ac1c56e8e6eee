//! Which objects a patch is for.

use globset::{GlobBuilder, GlobMatcher};
use kubemerge_inspect::nearest;
use kubemerge_kinds::label_selector::LabelSelector;
use kubemerge_schema::Schema;
use kubemerge_value::Node;

use super::manifest::{Identity, Manifest};
use super::patch::LoadedPatch;
use crate::args::TargetOptions;
use crate::report::{Notice, Result};

/// How many objects an error lists.
const MAX_LISTED: usize = 5;

/// Which objects the options select.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    scope: Scope,
    /// Only objects that pass are considered at all.
    pub(super) filter: Filter,
}

/// What decides about an object that passes the filter.
#[derive(Clone, Debug, Default)]
enum Scope {
    /// `--all`, or only selectors: every object.
    All,
    /// `--target`.
    Given(Vec<GivenTarget>),
    /// No option: each patch names its object.
    #[default]
    Patch,
}

/// `-n`, `-l` and `--annotation-selector`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    namespace: Option<Pattern>,
    labels: Option<LabelSelector>,
    annotations: Option<LabelSelector>,
}

/// Which objects a patch is for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target<'t> {
    /// Every object.
    All,
    /// The only document there is; all items of a list are patched, as by kubectl.
    Only,
    /// The one that the patch names.
    Named(&'t Identity),
    /// Those that the options name.
    Given(&'t [GivenTarget]),
}

/// `--target [GROUP[/VERSION]/]KIND[/NAME]`.
#[derive(Clone, Debug)]
pub(super) struct GivenTarget {
    /// As the user wrote it.
    word: String,
    group: Option<Pattern>,
    version: Option<Pattern>,
    kind: Pattern,
    name: Option<Pattern>,
    /// The kinds that have the word for the kind as the name of their resource.
    kinds: Vec<String>,
}

/// A word that may have wildcards.
#[derive(Clone, Debug)]
enum Pattern {
    Exact(String),
    Glob(Box<GlobMatcher>),
}

impl Pattern {
    fn parse(word: &str) -> Result<Pattern> {
        if !word.contains(['*', '?', '[', '{']) {
            return Ok(Pattern::Exact(word.to_owned()));
        }
        // Kinds are compared without case, and no name has upper-case letters.
        match GlobBuilder::new(word).case_insensitive(true).build() {
            Ok(glob) => Ok(Pattern::Glob(Box::new(glob.compile_matcher()))),
            Err(error) => Err(Notice::error(format!("bad pattern {word}: {}", error.kind())).into()),
        }
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            Pattern::Exact(word) => word == text,
            Pattern::Glob(glob) => glob.is_match(text),
        }
    }

    fn exact(&self) -> Option<&str> {
        match self {
            Pattern::Exact(word) => Some(word),
            Pattern::Glob(_) => None,
        }
    }
}

impl Selection {
    /// The selection of the options; the schema knows the names of kinds.
    pub(crate) fn new(options: &TargetOptions, schema: &Schema) -> Result<Selection> {
        let filter = Filter {
            namespace: options.namespace.as_deref().map(Pattern::parse).transpose()?,
            labels: options.selector.as_deref().map(selector).transpose()?,
            annotations: options.annotation_selector.as_deref().map(selector).transpose()?,
        };
        // -n alone restricts, but does not select: named patches still look for their object.
        let selects = filter.labels.is_some() || filter.annotations.is_some();
        let scope = match options.target.as_slice() {
            [] if options.all || selects => Scope::All,
            [] => Scope::Patch,
            words => {
                let targets = words.iter().map(|word| GivenTarget::parse(word, schema));
                Scope::Given(targets.collect::<Result<_>>()?)
            }
        };
        Ok(Selection { scope, filter })
    }
}

impl Filter {
    /// Whether an object is considered.
    pub(super) fn passes(&self, manifest: &Manifest<'_>) -> bool {
        let namespace = &manifest.identity.namespace;
        if !self.namespace.as_ref().is_none_or(|wanted| wanted.matches(namespace)) {
            return false;
        }
        if self.labels.is_none() && self.annotations.is_none() {
            return true;
        }
        // An object that cannot be read is reported when it is patched.
        let Ok(value) = manifest.value() else { return true };
        let metadata = value.node().get("metadata");
        // An object without labels still passes `!app`.
        let passes = |selector: &Option<LabelSelector>, field: &str| {
            let map = metadata.and_then(|metadata| metadata.get(field));
            let value = |key: &str| map?.get(key).and_then(Node::as_str).map(|text| text.text().into_owned());
            selector.as_ref().is_none_or(|selector| selector.matches(value))
        };
        passes(&self.labels, "labels") && passes(&self.annotations, "annotations")
    }
}

impl GivenTarget {
    fn parse(word: &str, schema: &Schema) -> Result<GivenTarget> {
        let parts: Vec<&str> = word.split('/').collect();
        let (group, version, kind, name) = match parts.as_slice() {
            [kind] => (None, None, *kind, None),
            [version, kind] if is_version(version) => (Some(""), Some(*version), *kind, None),
            // `apps/Deployment` and `Deployment/web` have the same form; known groups decide.
            [group, kind] if is_group(schema, group) => (Some(*group), None, *kind, None),
            [kind, name] => (None, None, *kind, Some(*name)),
            [version, kind, name] if is_version(version) => (Some(""), Some(*version), *kind, Some(*name)),
            [group, version, kind] if is_version(version) => (Some(*group), Some(*version), *kind, None),
            [group, kind, name] => (Some(*group), None, *kind, Some(*name)),
            [group, version, kind, name] => (Some(*group), Some(*version), *kind, Some(*name)),
            _ => return Err(bad_target(word).into()),
        };
        // An empty group is the core group; kind and name are never empty.
        if kind.is_empty() || name == Some("") {
            return Err(bad_target(word).into());
        }
        let pattern = |word: Option<&str>| word.map(Pattern::parse).transpose();
        Ok(GivenTarget {
            word: word.to_owned(),
            group: pattern(group)?,
            version: pattern(version)?,
            kind: Pattern::parse(kind)?,
            name: pattern(name)?,
            kinds: kinds_named(schema, kind),
        })
    }

    fn fits(&self, identity: &Identity) -> bool {
        let (group, version) = identity.group_and_version();
        let agrees = |wanted: &Option<Pattern>, given: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted.matches(given))
        };
        // `deployment`, `deployments` and `deploy` work as with kubectl.
        let is_kind = match &self.kind {
            Pattern::Exact(word) => {
                word.eq_ignore_ascii_case(&identity.kind) || self.kinds.contains(&identity.kind)
            }
            Pattern::Glob(glob) => glob.is_match(&identity.kind),
        };
        is_kind
            && agrees(&self.name, &identity.name)
            && agrees(&self.group, group)
            && agrees(&self.version, version)
    }

    /// The name of the only object that is meant, if it has no wildcards.
    fn only_name(&self) -> Option<&str> {
        self.kind.exact().and(self.name.as_ref()).and_then(Pattern::exact)
    }
}

fn selector(text: &str) -> Result<LabelSelector> {
    LabelSelector::parse(text).map_err(|error| Notice::error(format!("bad selector {text}: {error}")).into())
}

fn bad_target(word: &str) -> Notice {
    let help = "write [GROUP[/VERSION]/]KIND[/NAME], e.g. Deployment/shop or 'apps/*/web-*'";
    Notice::error(format!("bad target {word}")).help(help)
}

/// `v1`, `v2beta3`.
fn is_version(word: &str) -> bool {
    let digits =
        word.strip_prefix('v').map(|rest| rest.trim_start_matches(|char: char| char.is_ascii_digit()));
    word.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
        && digits.is_some_and(|rest| rest.is_empty() || rest.starts_with("alpha") || rest.starts_with("beta"))
}

/// Whether a word is the name of an API group rather than that of a kind.
fn is_group(schema: &Schema, word: &str) -> bool {
    // Names of kinds have no dots; apps and batch are groups without one.
    word.contains('.') || schema.kinds().iter().any(|kind| kind.group == word)
}

/// The kinds whose resource has this name.
fn kinds_named(schema: &Schema, word: &str) -> Vec<String> {
    // kubectl takes names of resources in any case.
    let word = word.to_lowercase();
    let has_name = |resource: &kubemerge_schema::Resource<'_>| {
        resource.plural() == word
            || resource.singular() == word
            || resource.short_names().any(|short| short == word)
    };
    schema.resources().filter(has_name).map(|resource| resource.kind().to_owned()).collect()
}

impl<'t> Target<'t> {
    /// The target of a patch, given the selection.
    pub(super) fn of(patch: &'t LoadedPatch<'_>, selection: &'t Selection) -> Target<'t> {
        match (&selection.scope, &patch.names) {
            (Scope::All, _) => Target::All,
            (Scope::Given(targets), _) => Target::Given(targets),
            (Scope::Patch, Some(names)) => Target::Named(names),
            (Scope::Patch, None) => Target::Only,
        }
    }

    /// Whether an object is meant.
    pub(super) fn fits(self, identity: &Identity) -> bool {
        match self {
            Target::All | Target::Only => true,
            Target::Named(wanted) => is_named(wanted, identity),
            Target::Given(targets) => targets.iter().any(|target| target.fits(identity)),
        }
    }

    /// Checks how many of all objects it fits.
    pub(super) fn check(
        self,
        patch: &LoadedPatch<'_>,
        fitting: &[&Manifest<'_>],
        all: &[Manifest<'_>],
    ) -> Result<()> {
        match self {
            Target::Given(targets) => targets.iter().try_for_each(|target| target.check(fitting, all)),
            _ if fitting.is_empty() => Err(self.fits_none(patch, all).into()),
            Target::Named(_) if fitting.len() > 1 => Err(self.fits_several(patch, fitting).into()),
            Target::Only if !fitting.iter().all(|one| one.is_beside(fitting[0])) => {
                Err(self.fits_several(patch, fitting).into())
            }
            Target::All | Target::Named(_) | Target::Only => Ok(()),
        }
    }

    fn fits_none(self, patch: &LoadedPatch<'_>, all: &[Manifest<'_>]) -> Notice {
        let Target::Named(names) = self else {
            return Notice::error("there is no object to patch")
                .help("the files contain no object with apiVersion and kind, or none that is selected");
        };
        let excerpt = patch.source.excerpt(&patch.document, "metadata.name", "names the target");
        let title = format!("the patch is for {}, which is not among the objects", names.in_full());
        let notice = Notice::error(title)
            .at(excerpt)
            .help("name another target with --target KIND/NAME, or patch every object with --all");
        let word = format!("{}/{}", names.kind, names.name);
        // The same name elsewhere says more than a similar name.
        match (elsewhere(&names.kind, &names.name, all), most_similar(&word, all)) {
            (Some(others), _) => notice.reason(others),
            (None, Some(other)) => notice.reason(format!("there is {other}")),
            (None, None) => notice,
        }
    }

    fn fits_several(self, patch: &LoadedPatch<'_>, fitting: &[&Manifest<'_>]) -> Notice {
        // Guessing would patch the wrong object.
        let notice = Notice::error(format!("the patch fits more than one object:{}", listed(fitting)));
        match self {
            Target::Named(_) => notice
                .at(patch.source.excerpt(&patch.document, "metadata.name", ""))
                .help("add apiVersion and metadata.namespace to the patch, or patch every object with --all"),
            _ => notice.help("select one with --target KIND/NAME, or patch every object with --all"),
        }
    }
}

impl GivenTarget {
    /// Every target must find an object, and one without wildcards only one.
    fn check(&self, fitting: &[&Manifest<'_>], all: &[Manifest<'_>]) -> Result<()> {
        let own: Vec<&Manifest<'_>> =
            fitting.iter().copied().filter(|manifest| self.fits(&manifest.identity)).collect();
        match (own.as_slice(), self.only_name()) {
            ([], _) => Err(self.fits_none(all).into()),
            ([_, _, ..], Some(_)) => {
                let title = format!("{} fits more than one object:{}", self.word, listed(&own));
                let help = "add --namespace or --target GROUP/VERSION/KIND/NAME, or give fewer files";
                Err(Notice::error(title).help(help).into())
            }
            _ => Ok(()),
        }
    }

    fn fits_none(&self, all: &[Manifest<'_>]) -> Notice {
        let notice = Notice::error(format!("there is no {} among the objects", self.word));
        let (Some(kind), Some(name)) = (self.kind.exact(), self.only_name()) else { return notice };
        let kind = self.kinds.first().map_or(kind, String::as_str);
        match (elsewhere(kind, name, all), most_similar(&format!("{kind}/{name}"), all)) {
            (Some(others), _) => notice.reason(others),
            (None, Some(other)) => notice.help(format!("did you mean {other}?")),
            (None, None) => notice,
        }
    }
}

/// The first objects, one a line. Items of one list are one document, but each has its name.
fn listed(fitting: &[&Manifest<'_>]) -> String {
    let shown = fitting.iter().take(MAX_LISTED).map(|one| format!("\n  {}", one.full_title()));
    let more = if fitting.len() > MAX_LISTED { "\n  and more" } else { "" };
    shown.chain([more.to_owned()]).collect()
}

/// Objects of the same kind and name, which differ in namespace or group.
fn elsewhere(kind: &str, name: &str, all: &[Manifest<'_>]) -> Option<String> {
    let is_same =
        |one: &&Manifest<'_>| one.identity.kind.eq_ignore_ascii_case(kind) && one.identity.name == name;
    let others: Vec<String> =
        all.iter().filter(is_same).take(MAX_LISTED).map(|one| one.identity.in_full()).collect();
    (!others.is_empty()).then(|| format!("there is {}", others.join(" and ")))
}

/// The object whose kind and name are most similar to these.
fn most_similar(word: &str, all: &[Manifest<'_>]) -> Option<String> {
    let words: Vec<String> =
        all.iter().map(|one| format!("{}/{}", one.identity.kind, one.identity.name)).collect();
    let nearest = nearest(word, &words.iter().map(String::as_str).collect::<Vec<_>>())?;
    let at = words.iter().position(|word| word == nearest)?;
    Some(all[at].identity.in_full())
}

/// Kind and name must be those wanted; group, version and namespace only where they are given.
fn is_named(wanted: &Identity, identity: &Identity) -> bool {
    let agrees = |wanted: &str, given: &str| wanted.is_empty() || wanted == given;
    wanted.kind == identity.kind
        && wanted.name == identity.name
        && agrees(&wanted.api_version, &identity.api_version)
        && agrees(&wanted.namespace, &identity.namespace)
}
