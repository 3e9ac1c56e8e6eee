//! The objects of a kustomization, layer by layer.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use kubemerge_value::deep;

use super::{KustomizeLint, notice_at};
use crate::cmd::lint::findings::MISSING_FILE;
use crate::input::Source;
use crate::load::{Identity, Kustomization, Manifest, Reference, real};
use crate::report::{Failure, Notice, Result};

/// The objects of a kustomization with its patches applied.
#[derive(Clone, Default)]
pub(super) struct Built {
    pub(super) objects: Vec<BuiltObject>,
    /// Whether there may be other objects: those of generators, and of bases that could not be read.
    pub(super) has_more: bool,
    /// Whether fields, names or labels may be other than they are here.
    pub(super) is_transformed: bool,
}

#[derive(Clone)]
pub(super) struct BuiltObject {
    pub(super) identity: Identity,
    pub(super) json: Rc<[u8]>,
}

impl Built {
    fn include(&mut self, other: &Built) {
        self.has_more |= other.has_more;
        self.is_transformed |= other.is_transformed;
        for object in &other.objects {
            // kustomize refuses the second; here it keeps bases that are included twice from doubling each time.
            if !self.objects.iter().any(|known| known.identity == object.identity) {
                self.objects.push(object.clone());
            }
        }
    }
}

impl KustomizeLint<'_> {
    /// The objects of a kustomization. Its patches are linted on the way, the first time.
    pub(super) fn build(&mut self, kustomization: &Arc<Kustomization>) -> Result<Rc<Built>> {
        if let Some(built) = self.built.get(&kustomization.folder) {
            return Ok(Rc::clone(built));
        }
        let built = Rc::new(self.layer(kustomization, Built::default())?);
        self.built.insert(kustomization.folder.clone(), Rc::clone(&built));
        Ok(built)
    }

    /// Lints the patches of a component that nothing in the run includes.
    pub(super) fn component_alone(&mut self, component: &Arc<Kustomization>) -> Result<()> {
        if self.built.contains_key(&component.folder) {
            return Ok(());
        }
        self.layer(component, Built { has_more: true, ..Built::default() }).map(drop)
    }

    /// Adds a layer to objects: its resources, its components, its patches, and what else it does.
    fn layer(&mut self, kustomization: &Arc<Kustomization>, below: Built) -> Result<Built> {
        // kustomize reports the circle; here the inner one has no objects.
        if !self.under_way.insert(kustomization.folder.clone()) {
            return Ok(Built { has_more: true, ..below });
        }
        let mut built = below;
        for resource in &kustomization.resources {
            deep(|| self.resource(kustomization, resource, &mut built))?;
        }
        built.has_more |= kustomization.generates;
        for reference in &kustomization.components {
            built = deep(|| self.component(kustomization, reference, built.clone()))?;
        }
        for patch in &kustomization.patches {
            self.patch(kustomization, patch, &mut built)?;
        }
        built.is_transformed |= kustomization.transforms;
        self.under_way.remove(&kustomization.folder);
        Ok(built)
    }

    fn resource(&mut self, of: &Arc<Kustomization>, resource: &Reference, built: &mut Built) -> Result<()> {
        let path = of.folder.join(&resource.name);
        if path.is_dir() {
            match self.kustomizations.in_folder(&real(&path), &of.source) {
                Some(base) => built.include(&*self.build(&base)?),
                None => self.missing(of, resource, built),
            }
            return Ok(());
        }
        match self.text(&path, &of.source) {
            Some(source) => match Manifest::all(&source) {
                Ok(manifests) => {
                    manifests.into_iter().for_each(|manifest| built.objects.push(manifest.into()));
                }
                // The text itself has a finding if it is among those of the run.
                Err(Failure::Error(_)) => built.has_more = true,
                Err(closed) => return Err(closed),
            },
            None => self.missing(of, resource, built),
        }
        Ok(())
    }

    fn component(&mut self, of: &Arc<Kustomization>, reference: &Reference, built: Built) -> Result<Built> {
        let folder = real(&of.folder.join(&reference.name));
        let Some(component) = self.kustomizations.in_folder(&folder, &of.source) else {
            let mut built = built;
            self.missing(of, reference, &mut built);
            return Ok(built);
        };
        let built = self.layer(&component, built)?;
        // It has been looked at, and has no objects without those of what includes it.
        self.built.entry(folder).or_default();
        Ok(built)
    }

    /// A text of the run, or another file.
    pub(super) fn text(&self, path: &Path, like: &Source) -> Option<Arc<Source>> {
        if let Some(source) = self.texts.get(&real(path)) {
            return Some(Arc::clone(source));
        }
        like.open_beside(path).ok().map(Arc::new)
    }

    /// Names what could not be read: something elsewhere is a note, a missing file a finding.
    fn missing(&mut self, of: &Kustomization, reference: &Reference, built: &mut Built) {
        built.has_more = true;
        built.is_transformed = true;
        if !self.is_given(of) {
            return;
        }
        let name = &reference.name;
        if is_elsewhere(name) {
            let title = format!("{}: {name} is not read", of.source.name);
            if self.unread.insert(title.clone()) {
                Notice::note(title).help("patches of its objects are checked without them").print();
            }
            return;
        }
        let path = of.folder.join(name);
        let title = if path.exists() {
            format!("there is no kustomization in {name}")
        } else {
            format!("there is no {name}")
        };
        self.add(missing_file(of, &reference.path, title));
    }
}

pub(super) fn missing_file(of: &Kustomization, path: &str, title: String) -> Notice {
    let notice = Notice::error(title).code(MISSING_FILE).reason("kustomize refuses the kustomization");
    notice_at(of, path, notice)
}

impl From<Manifest<'_>> for BuiltObject {
    fn from(manifest: Manifest<'_>) -> BuiltObject {
        BuiltObject { identity: manifest.identity, json: manifest.json.into() }
    }
}

/// Whether kustomize would fetch it: an address, or a repository on a host.
fn is_elsewhere(name: &str) -> bool {
    let host = name.split(['/', ':']).next().unwrap_or(name);
    let is_host = host.contains('.') && !host.starts_with('.') && name.len() > host.len();
    name.contains("://") || name.contains("?ref=") || name.contains('@') || is_host
}
