//! Which live object a configuration is for. kubectl asks the server by kind, name and namespace.

use std::collections::HashMap;

use crate::failure::Result;
use crate::job::{Identity, Manifest};
use crate::notice::Notice;

/// The numbers of the objects that configurations are for. One object alone must be that of the only configuration.
pub(super) fn twins(configs: &[Manifest<'_>], objects: &[Manifest<'_>]) -> Result<Vec<Option<usize>>> {
    if let ([config], [object]) = (configs, objects) {
        return match difference(&config.identity, &object.identity) {
            None => Ok(vec![Some(0)]),
            Some(path) => Err(other_object(config, object, path).into()),
        };
    }
    let mut named: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    for (at, object) in objects.iter().enumerate() {
        named.entry((&object.identity.kind, &object.identity.name)).or_default().push(at);
    }
    let twin = |config: &Manifest<'_>| {
        let alike = named.get(&(config.identity.kind.as_str(), config.identity.name.as_str()));
        only(config, objects, alike.map_or(&[], Vec::as_slice))
    };
    let found = configs.iter().map(twin).collect::<Result<Vec<_>>>()?;
    check_once(configs, &found)?;
    Ok(found)
}

/// No object is configured twice.
fn check_once(configs: &[Manifest<'_>], found: &[Option<usize>]) -> Result<()> {
    let mut first: HashMap<usize, usize> = HashMap::new();
    for (config, at) in found.iter().enumerate() {
        let Some(other) = at.and_then(|at| first.insert(at, config)) else { continue };
        let [one, other] = [other, config].map(|config| configs[config].title());
        let title = format!("two configurations are for one object:\n  {one}\n  {other}");
        return Err(Notice::error(title).cure("give one of them").into());
    }
    Ok(())
}

/// The one of these objects that a configuration is for.
fn only(config: &Manifest<'_>, objects: &[Manifest<'_>], alike: &[usize]) -> Result<Option<usize>> {
    let is_same = |at: &&usize| difference(&config.identity, &objects[**at].identity).is_none();
    let mut fitting = alike.iter().filter(is_same);
    match (fitting.next(), fitting.next()) {
        (Some(one), Some(other)) => {
            let [one, other] = [one, other].map(|at| objects[*at].title());
            let title = format!("{} may be for more than one object:\n  {one}\n  {other}", config.title());
            Err(Notice::error(title).cure("tell them apart by metadata.namespace").into())
        }
        (found, _) => Ok(found.copied()),
    }
}

/// The first field that tells two objects apart; what one of them does not say tells nothing.
fn difference(wanted: &Identity, found: &Identity) -> Option<&'static str> {
    let differs = |wanted: &str, found: &str| !wanted.is_empty() && !found.is_empty() && wanted != found;
    match () {
        () if differs(&wanted.kind, &found.kind) => Some("kind"),
        () if differs(&wanted.name, &found.name) => Some("metadata.name"),
        () if differs(&wanted.namespace, &found.namespace) => Some("metadata.namespace"),
        () => None,
    }
}

fn other_object(config: &Manifest<'_>, object: &Manifest<'_>, path: &str) -> Notice {
    let (wanted, found) = (&config.identity, &object.identity);
    Notice::error(format!("the configuration is for {wanted}, {} holds {found}", object.source.name))
        .at(config.excerpt(path, ""))
        .at(object.excerpt(path, ""))
        .cure("give the object that the configuration is for")
}
