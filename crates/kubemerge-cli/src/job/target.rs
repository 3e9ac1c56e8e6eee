//! Which objects a patch is for.

use kubemerge_schema::Schema;

use super::manifest::{Identity, Manifest};
use super::patch::LoadedPatch;
use crate::args::TargetOptions;
use crate::nearest::nearest;
use crate::report::{Notice, Result};

/// How many objects an error lists.
const MAX_LISTED: usize = 5;

/// Which objects a patch is for.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// Every object.
    All,
    /// The only document there is; all items of a list are patched, as by kubectl.
    Only,
    /// The one that the patch names.
    Named(Identity),
    /// The one that the user names.
    Given(GivenTarget),
}

/// `--target [APIVERSION/]KIND/NAME`, and `--namespace`.
#[derive(Clone, Debug)]
pub(crate) struct GivenTarget {
    api_version: Option<String>,
    kind: String,
    name: String,
    namespace: Option<String>,
    /// The kinds that have this word as the name of their resource.
    kinds: Vec<String>,
}

/// Which objects the options select.
#[derive(Clone, Debug)]
pub(crate) enum Selection {
    /// `--all`.
    All,
    /// `--target KIND/NAME`.
    One(GivenTarget),
    /// No option: each patch names its object.
    Nothing,
}

impl Selection {
    /// The selection of the options; the schema knows the names of kinds.
    pub(crate) fn new(options: &TargetOptions, schema: &Schema) -> Result<Selection> {
        match &options.target {
            _ if options.all => Ok(Selection::All),
            Some(word) => GivenTarget::parse(word, options.namespace.as_deref(), schema).map(Selection::One),
            None => Ok(Selection::Nothing),
        }
    }
}

impl GivenTarget {
    /// Reads `KIND/NAME`, and an apiVersion before it; a kind may be given by the names of its resource.
    fn parse(word: &str, namespace: Option<&str>, schema: &Schema) -> Result<GivenTarget> {
        let Some((kind, name)) =
            word.rsplit_once('/').filter(|(kind, name)| !kind.is_empty() && !name.is_empty())
        else {
            return Err(Notice::error(format!("bad target {word}"))
                .help("write KIND/NAME, e.g. Deployment/shop")
                .into());
        };
        let (api_version, kind) =
            kind.rsplit_once('/').map_or((None, kind), |(version, kind)| (Some(version), kind));
        let has_name = |resource: &kubemerge_schema::Resource<'_>| {
            let wanted = kind.to_lowercase();
            resource.plural() == wanted
                || resource.singular() == wanted
                || resource.short_names().any(|short| short == wanted)
        };
        let kinds = schema.resources().filter(has_name).map(|resource| resource.kind().to_owned()).collect();
        let [api_version, namespace] = [api_version, namespace].map(|word| word.map(str::to_owned));
        Ok(GivenTarget { api_version, kind: kind.to_owned(), name: name.to_owned(), namespace, kinds })
    }

    fn fits(&self, identity: &Identity) -> bool {
        let kind = identity.kind.eq_ignore_ascii_case(&self.kind) || self.kinds.contains(&identity.kind);
        let agrees =
            |wanted: &Option<String>, told: &str| wanted.as_ref().is_none_or(|wanted| wanted == told);
        kind && identity.name == self.name
            && agrees(&self.api_version, &identity.api_version)
            && agrees(&self.namespace, &identity.namespace)
    }

    /// `Service/dns in default (v1)`, as far as it is given.
    fn in_full(&self) -> String {
        let or_empty = |word: &Option<String>| word.clone().unwrap_or_default();
        let (api_version, namespace) = (or_empty(&self.api_version), or_empty(&self.namespace));
        Identity { api_version, kind: self.kind.clone(), namespace, name: self.name.clone() }.in_full()
    }
}

impl Target {
    /// The target of a patch, given the selection.
    pub(crate) fn of(patch: &LoadedPatch<'_>, selection: &Selection) -> Target {
        match (selection, &patch.names) {
            (Selection::All, _) => Target::All,
            (Selection::One(target), _) => Target::Given(target.clone()),
            (Selection::Nothing, Some(names)) => Target::Named(names.clone()),
            (Selection::Nothing, None) => Target::Only,
        }
    }

    /// The titles of what is counted: documents or objects.
    fn titles(&self, fitting: &[&Manifest<'_>]) -> Vec<String> {
        match self {
            Target::Only => {
                fitting.chunk_by(|one, other| one.is_beside(other)).map(|all| all[0].full_title()).collect()
            }
            Target::All | Target::Named(_) | Target::Given(_) => {
                fitting.iter().map(|manifest| manifest.full_title()).collect()
            }
        }
    }

    /// Whether an object is meant.
    pub(crate) fn fits(&self, identity: &Identity) -> bool {
        match self {
            Target::All | Target::Only => true,
            Target::Named(wanted) => is_named(wanted, identity),
            Target::Given(target) => target.fits(identity),
        }
    }

    /// Whether only one object may be meant.
    fn is_single(&self) -> bool {
        !matches!(self, Target::All)
    }

    /// Checks how many of all objects it fits.
    pub(crate) fn check(
        &self,
        patch: &LoadedPatch<'_>,
        fitting: &[&Manifest<'_>],
        all: &[Manifest<'_>],
    ) -> Result<()> {
        match fitting {
            [] => Err(self.fits_none(patch, all).into()),
            [_, _, ..] if self.is_single() => match self.titles(fitting).as_slice() {
                [_] => Ok(()),
                titles => Err(self.fits_several(patch, titles).into()),
            },
            _ => Ok(()),
        }
    }

    fn fits_none(&self, patch: &LoadedPatch<'_>, others: &[Manifest<'_>]) -> Notice {
        match self {
            Target::All | Target::Only => Notice::error("there is no object to patch")
                .help("the files are empty, or contain only comments or empty lists"),
            Target::Given(target) => {
                let notice = Notice::error(format!("there is no {} among the objects", target.in_full()));
                let kind = target.kinds.first().unwrap_or(&target.kind);
                match most_similar(&format!("{kind}/{}", target.name), others) {
                    Some(other) => notice.help(format!("did you mean {other}?")),
                    None => notice,
                }
            }
            Target::Named(names) => {
                let excerpt = patch.source.excerpt(&patch.document, "metadata.name", "names the target");
                let title = format!("the patch is for {}, which is not among the objects", names.in_full());
                let notice = Notice::error(title)
                    .at(excerpt)
                    .help("name another target with --target KIND/NAME, or patch every object with --all");
                match most_similar(&format!("{}/{}", names.kind, names.name), others) {
                    Some(other) => notice.reason(format!("there is {other}")),
                    None => notice,
                }
            }
        }
    }

    fn fits_several(&self, patch: &LoadedPatch<'_>, fitting: &[String]) -> Notice {
        let subject = match self {
            Target::Given(target) => target.in_full(),
            _ => "the patch".to_owned(),
        };
        let shown: Vec<&str> = fitting.iter().take(MAX_LISTED).map(String::as_str).collect();
        let more = if fitting.len() > shown.len() { "\n  and more" } else { "" };
        let title = format!("{subject} fits more than one object:\n  {}{more}", shown.join("\n  "));
        let help = match self {
            Target::Named(_) => {
                "add apiVersion and metadata.namespace to the patch, or patch every object with --all"
            }
            Target::Given(GivenTarget { namespace: None, .. }) => {
                "add --namespace or --target APIVERSION/KIND/NAME, or give fewer files"
            }
            Target::Given(_) => "give fewer files",
            _ => "select one with --target KIND/NAME, or patch every object with --all",
        };
        let notice = Notice::error(title).help(help);
        match self {
            Target::Named(_) => notice.at(patch.source.excerpt(&patch.document, "metadata.name", "")),
            _ => notice,
        }
    }
}

/// The object whose kind and name are most similar to these.
fn most_similar(word: &str, others: &[Manifest<'_>]) -> Option<String> {
    let words: Vec<String> =
        others.iter().map(|one| format!("{}/{}", one.identity.kind, one.identity.name)).collect();
    let nearest = nearest(word, &words.iter().map(String::as_str).collect::<Vec<_>>())?;
    let at = words.iter().position(|word| word == nearest)?;
    Some(others[at].identity.in_full())
}

/// Kind and name must be those wanted; group, version and namespace only where they are given.
fn is_named(wanted: &Identity, identity: &Identity) -> bool {
    let agrees = |wanted: &str, given: &str| wanted.is_empty() || wanted == given;
    wanted.kind == identity.kind
        && wanted.name == identity.name
        && agrees(&wanted.api_version, &identity.api_version)
        && agrees(&wanted.namespace, &identity.namespace)
}
