//! What becomes of a stored object when one of its fields changes and everything else stays: most patches do that.
//! Then the new text needs neither to be taken apart nor to be written again.

use kubemerge_value::{Difference, Excerpt};

use crate::{
    object::{
        Object,
        meta::Field,
        pattern::{Older, Pattern, Verdict},
    },
    store::Record,
};

/// The text that follows on that of a record.
#[derive(Clone, Debug)]
pub(crate) struct Successor {
    before: Record,
    text: Excerpt,
    difference: Difference,
}

impl Successor {
    /// The object that a new text makes of an old one which is stored, if both differ in a single field and the
    /// field is sure to match the pattern.
    pub(crate) fn read(text: &Excerpt, before: &Record, old: &Object, pattern: &Pattern) -> Option<Object> {
        let difference = Difference::between(before.canonical().as_bytes(), text.as_bytes());
        let (name, spot) = before.fields().find(|(_, spot)| difference.is_inside(*spot))?;
        let field = text.at(difference.moved(spot));
        // The walk also finds out whether there is one value in the place of the old one, and nothing beside it.
        let behind = before.canonical().as_bytes().len() - spot.range().end;
        let common_end = difference.common_end() - behind;
        let older = old.text(name).map(|text| Older { text, common_end });
        let verdict = pattern.judge(name, &field, older);
        if verdict == Verdict::Unsure {
            return None;
        }
        let successor = Successor { before: before.clone(), text: text.clone(), difference };
        Some(old.succeeded_by(successor, (name, field), verdict))
    }

    /// The record of an object that was read from the text, unless something was changed since.
    pub(crate) fn record(&self, object: &Object) -> Option<Record> {
        self.is_whole(object).then(|| self.before.followed_by(&self.text, &self.difference, object.pattern()))
    }

    /// Whether an object is all that the text says.
    fn is_whole(&self, object: &Object) -> bool {
        let old = self.before.canonical().as_bytes();
        let spots = Field::all().zip(self.before.metadata_spots()).filter(|(_, spot)| !spot.is_nowhere());
        let metadata = spots.map(|(field, spot)| (field, &old[spot.range()]));
        let fields = self.before.fields().map(|(name, spot)| (name, self.difference.moved(spot)));
        object.api_version == self.before.api_version()
            && object.kind == self.before.kind()
            && metadata.eq(object.metadata.fields().map(|(field, text)| (field, text.as_bytes())))
            && fields.map(|(name, spot)| (name, &self.text.as_bytes()[spot.range()])).eq(object.texts())
    }
}
