//! From words of the command line to texts: files, folders, globs, pipes and stdin, each read once.

mod exclude;
mod find;
mod par_map;
mod secret;
mod source;

pub(crate) use exclude::Exclude;
pub(crate) use par_map::par_map;
pub(crate) use secret::Secrets;
pub(crate) use source::Source;

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kubemerge_yaml::DuplicateKeys;

use crate::args::{FileOptions, PatchOptions, Recurse};
use crate::report::{Failure, Notice, Result, plain};

/// The name of stdin in messages.
const STDIN: &str = "<stdin>";

/// All texts of a run.
///
/// A pipe can be read only once, so a text that two options name is read for the first of them and shared.
pub(crate) struct Inputs {
    duplicate_keys: DuplicateKeys,
    secrets: Secrets,
    /// The texts read so far, by path without links.
    read: HashMap<PathBuf, Arc<Source>>,
    /// The notes that were printed.
    said: HashSet<String>,
}

/// The texts that could be read, and the paths that could not, each with its error.
pub(crate) struct Readable {
    pub(crate) sources: Vec<Arc<Source>>,
    pub(crate) unreadable: Vec<(PathBuf, Notice)>,
}

impl Inputs {
    pub(crate) fn new(duplicate_keys: DuplicateKeys, secrets: Secrets) -> Inputs {
        Inputs { duplicate_keys, secrets, read: HashMap::new(), said: HashSet::new() }
    }

    /// Prints a note about what was given, once in a command.
    pub(crate) fn note(&mut self, text: String) {
        if !self.said.contains(&text) {
            Notice::note(text.clone()).print();
            self.said.insert(text);
        }
    }

    /// Whether values of Secrets are shown.
    pub(crate) fn secrets(&self) -> Secrets {
        self.secrets
    }

    /// The manifests of `-f`, without the files among them that hold patches.
    pub(crate) fn manifests(
        &mut self,
        options: &FileOptions,
        patches: &[Arc<Source>],
    ) -> Result<Vec<Arc<Source>>> {
        let exclude = Exclude::new(&options.exclude)?;
        let sources = self.read_excluding(&options.files, options.recurse(), &exclude)?;
        Ok(without(sources, patches))
    }

    /// The patches: the text after `-p`, and files.
    pub(crate) fn patches(&mut self, options: &PatchOptions) -> Result<Vec<Arc<Source>>> {
        // The text of -p comes first, as if it were the first file.
        let text = options.patch.iter().map(|text| self.patch(text));
        let mut sources: Vec<Arc<Source>> = text.collect();
        sources.extend(self.read(&options.patch_file, Recurse::No)?);
        Ok(sources)
    }

    /// The texts that the words mean, each once, in the order of the words; files of a folder sorted by name.
    pub(crate) fn read(&mut self, words: &[PathBuf], recurse: Recurse) -> Result<Vec<Arc<Source>>> {
        self.read_excluding(words, recurse, &Exclude::default())
    }

    /// As [`Inputs::read`], without the files that are excluded.
    pub(crate) fn read_excluding(
        &mut self,
        words: &[PathBuf],
        recurse: Recurse,
        exclude: &Exclude,
    ) -> Result<Vec<Arc<Source>>> {
        let readable = self.read_readable(words, recurse, exclude)?;
        match readable.unreadable.into_iter().next() {
            None => Ok(readable.sources),
            Some((_, notice)) => Err(notice.into()),
        }
    }

    /// As [`Inputs::read_excluding`], past what cannot be read.
    pub(crate) fn read_readable(
        &mut self,
        words: &[PathBuf],
        recurse: Recurse,
        exclude: &Exclude,
    ) -> Result<Readable> {
        let mut sources = Vec::new();
        let mut seen = HashSet::new();
        let mut unreadable = Vec::new();
        for word in words {
            let found = find::paths(word, recurse);
            unreadable.extend(found.unreadable.into_iter().filter(|(path, _)| !exclude.matches(path)));
            for path in found.files.into_iter().filter(|path| !exclude.matches(path)) {
                let key = real(&path);
                // Two words may mean one file, which must not be patched twice.
                if !seen.insert(key.clone()) {
                    continue;
                }
                match self.source(key, path.clone()) {
                    Ok(source) => sources.push(source),
                    // Nothing but a mistake in the command ends the run for stdin.
                    Err(Failure::Error(notice)) if !find::is_stdin(&path) => unreadable.push((path, *notice)),
                    Err(failure) => return Err(failure),
                }
            }
        }
        Ok(Readable { sources, unreadable })
    }

    /// The texts that one word means, for a comparison: what is passed over in folders inside a folder is said,
    /// because it would be taken for the same.
    pub(crate) fn read_one(&mut self, word: &Path, recurse: Recurse) -> Result<Vec<Arc<Source>>> {
        let sources = self.read(&[word.to_owned()], recurse)?;
        if recurse == Recurse::No && find::is_deep(word) {
            let title =
                format!("folders inside {} are not visited, and there are manifests in them", word.display());
            Notice::warning(title).help("-R visits them").print();
        }
        Ok(sources)
    }

    /// A patch of the command line.
    pub(crate) fn patch(&self, text: &str) -> Arc<Source> {
        self.text("<patch>", text.as_bytes())
    }

    fn text(&self, name: &str, bytes: &[u8]) -> Arc<Source> {
        Arc::new(Source::new(name.to_owned(), bytes.to_vec(), self.duplicate_keys).with_secrets(self.secrets))
    }

    fn source(&mut self, key: PathBuf, path: PathBuf) -> Result<Arc<Source>> {
        match self.read.get(&key) {
            // Objects and patches in one stream could not be distinguished.
            Some(_) if find::is_stdin(&path) => {
                let notice = Notice::error("stdin is given twice");
                Err(notice.help("give one of the two as a file").into())
            }
            Some(source) => Ok(Arc::clone(source)),
            None => {
                let source = Arc::new(self.open(path)?);
                self.read.insert(key, Arc::clone(&source));
                Ok(source)
            }
        }
    }

    fn open(&self, path: PathBuf) -> Result<Source> {
        if find::is_stdin(&path) {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut bytes);
            read.map_err(|error| unreadable("stdin", &error))?;
            return Ok(Source::new(STDIN.to_owned(), bytes, self.duplicate_keys).with_secrets(self.secrets));
        }
        let bytes = std::fs::read(&path).map_err(|error| unreadable(&path.display().to_string(), &error))?;
        let source = Source::new(path.display().to_string(), bytes, self.duplicate_keys);
        Ok(source.at(path).with_secrets(self.secrets))
    }
}

fn unreadable(name: &str, error: &std::io::Error) -> Notice {
    Notice::error(format!("cannot read {name}: {}", plain(error)))
}

/// The texts that are not among others: a patch in a folder of manifests is no manifest.
pub(crate) fn without(sources: Vec<Arc<Source>>, others: &[Arc<Source>]) -> Vec<Arc<Source>> {
    let is_other = |source: &Arc<Source>| others.iter().any(|other| Arc::ptr_eq(source, other));
    sources.into_iter().filter(|source| !is_other(source)).collect()
}

/// The path without links. Pipes have none: `/dev/fd/63` leads to no file.
fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
