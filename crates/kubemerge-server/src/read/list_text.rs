//! A list as text, written item by item while it is sent: a list whose client does not read costs its references to
//! objects, and one piece of text, instead of the text of all objects.

use std::{sync::Arc, vec};

use kubemerge_kinds::{columns::TableColumn, timestamp::Timestamp};
use serde_json::{Value, json};

use crate::{
    catalog::{Resource, cluster::Cluster},
    kind::{Kind, shown::Shown},
    protocol::{
        json::Members,
        media::{Include, MetaVersion},
        written::WrittenText,
    },
    read::{present::ListMeta, table},
    store::{Revision, Stored},
};

/// What a list found, with the keys of the objects.
pub(crate) type Found = Vec<(Arc<str>, Stored)>;

/// The text of a list.
pub(super) struct ListText {
    cluster: Arc<Cluster>,
    resource: Arc<Resource>,
    form: ItemForm,
    items: vec::IntoIter<(Arc<str>, Stored)>,
    /// Everything before the first item; empty once it is written.
    head: String,
    /// Everything after the last item; none once it is written.
    tail: Option<String>,
    is_first: bool,
}

/// How an item is written.
enum ItemForm {
    Whole(Revision),
    Partial(MetaVersion),
    Row { version: MetaVersion, include: Include, columns: Vec<TableColumn>, now: Timestamp },
}

impl ListText {
    /// Whole objects. They are joined as they are stored; those of built-in kinds carry no type of their own.
    pub(super) fn whole(
        cluster: &Arc<Cluster>,
        resource: &Arc<Resource>,
        items: Found,
        meta: &ListMeta,
    ) -> ListText {
        let mut metadata = meta.to_value();
        // Upstream: lists of custom resources have the token of the next page even if there is none.
        if Kind::of(cluster, resource).items_have_type() && meta.continue_token.is_none() {
            metadata.set_member("continue", "".into());
        }
        let head = format!(
            "{{\"kind\":\"{}\",\"apiVersion\":\"{}\",\"metadata\":{metadata},\"items\":[",
            resource.list_kind, resource.api_version
        );
        ListText::new(cluster, resource, ItemForm::Whole(meta.revision), items, (head, "]}".into()))
    }

    /// The metadata of objects.
    pub(super) fn partial(
        cluster: &Arc<Cluster>,
        resource: &Arc<Resource>,
        version: MetaVersion,
        items: Found,
        meta: &ListMeta,
    ) -> ListText {
        let list = json!({"kind": "PartialObjectMetadataList", "apiVersion": version.api_version(),
            "metadata": meta.to_value(), "items": []});
        ListText::new(cluster, resource, ItemForm::Partial(version), items, around(&list, "items"))
    }

    /// A table with a row for each object.
    pub(super) fn table(
        cluster: &Arc<Cluster>,
        resource: &Arc<Resource>,
        (version, include): (MetaVersion, Include),
        items: Found,
        meta: &ListMeta,
    ) -> ListText {
        let columns = Kind::of(cluster, resource).columns();
        let frame = around(&table::empty(version, &columns, Vec::new(), meta.to_value()), "rows");
        let form = ItemForm::Row { version, include, columns, now: cluster.clock.now() };
        ListText::new(cluster, resource, form, items, frame)
    }

    fn new(
        cluster: &Arc<Cluster>,
        resource: &Arc<Resource>,
        form: ItemForm,
        items: Found,
        (head, tail): (String, String),
    ) -> ListText {
        let (cluster, resource) = (cluster.clone(), resource.clone());
        ListText { cluster, resource, form, items: items.into_iter(), head, tail: Some(tail), is_first: true }
    }

    fn write_item(&self, stored: &Stored, out: &mut Vec<u8>) {
        let kind = Kind::of(&self.cluster, &self.resource);
        let shown = Shown::stored(stored).with(self.cluster.managed_fields);
        let value = match &self.form {
            // Upstream: items of custom resources keep apiVersion and kind, others lose them.
            ItemForm::Whole(_) if kind.items_have_type() => return shown.write(kind, out),
            ItemForm::Whole(_) => return shown.write_item(stored.revision, kind, out),
            ItemForm::Partial(version) => shown.partial(*version),
            ItemForm::Row { version, include, columns, now } => {
                table::one_row(kind, columns, shown, *version, *include, *now)
            }
        };
        out.extend_from_slice(value.to_string().as_bytes());
    }
}

impl WrittenText for ListText {
    fn size_hint(&self) -> usize {
        // Metadata and cells are much smaller than objects, and how much is not known.
        let ItemForm::Whole(revision) = self.form else { return self.items.len() * 512 };
        let items = self.items.as_slice().iter();
        self.head.len() + 256 + items.map(|(_, stored)| stored.record.max_size(revision)).sum::<usize>()
    }

    fn write_next(&mut self, out: &mut Vec<u8>) -> bool {
        out.extend_from_slice(std::mem::take(&mut self.head).as_bytes());
        if let Some((_, stored)) = self.items.next() {
            if !std::mem::replace(&mut self.is_first, false) {
                out.push(b',');
            }
            self.write_item(&stored, out);
            return true;
        }
        match self.tail.take() {
            Some(tail) => out.extend_from_slice(tail.as_bytes()),
            None => return false,
        }
        true
    }
}

/// The text of a list before and after the items of a member that is an empty list.
fn around(list: &Value, items: &str) -> (String, String) {
    let (text, member) = (list.to_string(), format!("\"{items}\":["));
    // Quotes in strings are escaped: only the member itself is found.
    let (before, after) = text.split_once(&member).unwrap_or((&text, ""));
    (format!("{before}{member}"), after.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_put_between_what_is_around_them() {
        let list = json!({"metadata": {"name": "\"items\":["}, "items": [], "z": 1});
        let (head, tail) = around(&list, "items");
        assert!(head.ends_with("\"items\":[") && tail.starts_with(']'), "{head} {tail}");
        let text = format!("{head}5{tail}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["items"], json!([5]));
    }
}
