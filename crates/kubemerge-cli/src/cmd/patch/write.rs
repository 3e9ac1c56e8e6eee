//! Writes results to stdout, or into the files.

use std::sync::Arc;

use kubemerge_yaml::{self as yaml, KeptLayout};

use super::Destination;
use super::apply::{Effect, PatchedObject};
use crate::input::Source;
use crate::load::{ObjectChange, TextEdits, edits};
use crate::output::{NewText, Rewrites, Stdout, remove_leftovers};
use crate::render;
use crate::report::{Notice, Outcome, Result};

/// Writes all results. Nothing is written before all of them are known.
pub(super) fn results(
    destination: Destination,
    sources: &[Arc<Source>],
    objects: &[PatchedObject<'_, '_>],
) -> Result {
    report_deleted(destination, objects)?;
    let stay = || objects.iter().filter(|object| object.effect != Effect::Deleted);
    let text = match destination {
        Destination::Yaml => {
            stay().map(|object| render::yaml(&object.json)).collect::<Vec<_>>().join("---\n")
        }
        Destination::Json => stay().map(|object| render::pretty_json(&object.json)).collect(),
        Destination::Patch => patches(objects)?,
        Destination::Diff => diffs(objects)?,
        Destination::Check => {
            changed(objects).map(|object| format!("{}\n", object.manifest.title())).collect()
        }
        Destination::PassThrough => all_documents(sources, objects)?,
        Destination::InPlace => return in_place(sources, objects),
    };
    let mut out = Stdout::new();
    out.text(text)?;
    out.finish()?;
    // Only --check asks whether something would change.
    let found = destination == Destination::Check && changed(objects).next().is_some();
    Ok(if found { Outcome::Found } else { Outcome::Done })
}

fn changed<'o, 'm, 's>(
    objects: &'o [PatchedObject<'m, 's>],
) -> impl Iterator<Item = &'o PatchedObject<'m, 's>> {
    objects.iter().filter(|object| object.effect != Effect::Unchanged)
}

/// Names objects that patches delete: they are missing in what is written.
fn report_deleted(destination: Destination, objects: &[PatchedObject<'_, '_>]) -> Result<()> {
    for object in objects.iter().filter(|object| object.effect == Effect::Deleted) {
        let title = object.manifest.title();
        if destination == Destination::Patch {
            let notice = Notice::error(format!("{title} is deleted by the patch"));
            return Err(notice.help("no other patch does that: use another output format").into());
        }
        Notice::note(format!("{title} is deleted by the patch")).print();
    }
    Ok(())
}

fn patches(objects: &[PatchedObject<'_, '_>]) -> Result<String> {
    let patch = |object: &PatchedObject<'_, '_>| Ok(render::pretty_json(&object.difference()?));
    objects.iter().map(patch).collect()
}

/// The objects of each file, in the order of the files.
fn by_file<'o, 'm, 's>(
    objects: &'o [PatchedObject<'m, 's>],
) -> impl Iterator<Item = &'o [PatchedObject<'m, 's>]> {
    objects.chunk_by(|one, other| std::ptr::eq(one.manifest.source, other.manifest.source))
}

fn diffs(objects: &[PatchedObject<'_, '_>]) -> Result<String> {
    let mut text = String::new();
    for file in by_file(objects) {
        let source = file[0].manifest.source;
        let after = yaml::apply_edits(source.text(), &edits_of(file)?.edits);
        let [before, after] = source.shown_pair(source.text(), &after);
        text.push_str(&render::unified_diff(&source.name, &before, &after));
    }
    Ok(text)
}

/// The edits of the objects of one file.
fn edits_of(file: &[PatchedObject<'_, '_>]) -> Result<TextEdits> {
    // An object that does not change keeps its text, whatever its layout.
    let json = |object: &PatchedObject<'_, '_>| object.effect != Effect::Deleted;
    let changes = changed(file).map(|object| ObjectChange {
        manifest: object.manifest,
        json: json(object).then_some(object.json.as_slice()),
    });
    edits(&changes.collect::<Vec<_>>())
}

/// The texts of all sources with the edits of their objects, as one stream of documents.
fn all_documents(sources: &[Arc<Source>], objects: &[PatchedObject<'_, '_>]) -> Result<String> {
    let mut text = String::new();
    // Objects are in the order of their files.
    let mut files = by_file(objects).peekable();
    for source in sources {
        let own = files.next_if(|file| std::ptr::eq(file[0].manifest.source, std::sync::Arc::as_ptr(source)));
        let text_edits = own.map_or(Ok(TextEdits::default()), edits_of)?;
        let after = yaml::apply_edits(source.text(), &text_edits.edits);
        // A text may end without a newline, and the next one may start with a separator of its own.
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        if !text.is_empty() && !after.is_empty() && !after.starts_with("---") {
            text.push_str("---\n");
        }
        text.push_str(&after);
    }
    Ok(text)
}

/// Rewrites the files that change.
fn in_place(sources: &[Arc<Source>], objects: &[PatchedObject<'_, '_>]) -> Result {
    remove_leftovers(sources.iter().filter_map(|source| source.path()));
    let (mut texts, mut rewritten) = (Vec::new(), Vec::new());
    for file in by_file(objects) {
        let TextEdits { edits, rewritten: lost } = edits_of(file)?;
        rewritten.extend(lost);
        if !edits.is_empty() {
            texts.push(new_text(file[0].manifest.source, &edits)?);
        }
    }
    // All new texts exist before the first file changes, so only renames can fail.
    Rewrites::stage(&texts)?.commit()?;
    for (title, kept) in rewritten {
        report_lost_layout(&title, kept);
    }
    let (total, files) = (counted(objects.len(), "object"), counted(texts.len(), "file"));
    eprintln!("{} of {total} changed, in {files}", changed(objects).count());
    Ok(Outcome::Done)
}

/// Says that comments may be lost: the text could not be edited in place.
fn report_lost_layout(title: &str, kept: KeptLayout) {
    let lost = match kept {
        KeptLayout::All => return,
        KeptLayout::FirstLevels => "parts of the text were written anew: their comments may be lost",
        KeptLayout::Nothing => "the text was written anew: its comments may be lost",
    };
    Notice::warning(format!("{title}: {lost}")).help("compare the file with its earlier version").print();
}

fn new_text<'s>(source: &'s Source, edits: &[yaml::Edit]) -> Result<NewText<'s>> {
    let Some(path) = source.path() else {
        let notice = Notice::error("stdin cannot be changed in place");
        return Err(notice.help("leave --in-place out to get the result on stdout").into());
    };
    let after = yaml::apply_edits(source.text(), edits).into_bytes();
    Ok(NewText { path: path.to_owned(), before: source.bytes(), after })
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
