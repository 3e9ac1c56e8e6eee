//! Names of classes that Go knows.

/// Names of ASCII classes, as in `[:alpha:]`.
pub(super) const POSIX: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

/// Codes of categories of Unicode, each followed by its other names.
const CATEGORIES: &str = "\
Any
Assigned
ASCII
C Other
Cc Control Cntrl
Cf Format
Cn Unassigned
Co Privateuse
Cs Surrogate
L Letter
LC Casedletter
Ll Lowercaseletter
Lm Modifierletter
Lo Otherletter
Lt Titlecaseletter
Lu Uppercaseletter
M Mark Combiningmark
Mc Spacingmark
Me Enclosingmark
Mn Nonspacingmark
N Number
Nd Decimalnumber Digit
Nl Letternumber
No Othernumber
P Punctuation Punct
Pc Connectorpunctuation
Pd Dashpunctuation
Pe Closepunctuation
Pf Finalpunctuation
Pi Initialpunctuation
Po Otherpunctuation
Ps Openpunctuation
S Symbol
Sc Currencysymbol
Sk Modifiersymbol
Sm Mathsymbol
So Othersymbol
Z Separator
Zl Lineseparator
Zp Paragraphseparator
Zs Spaceseparator";

/// Scripts whose names are one word; Go does not find the others, whatever they are called.
const SCRIPTS: &str = "Adlam Ahom Arabic Armenian Avestan Balinese Bamum Batak Bengali Bhaiksuki Bopomofo Brahmi \
    Braille Buginese Buhid Carian Chakma Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot Cyrillic Deseret \
    Devanagari Dogra Duployan Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gurmukhi \
    Han Hangul Hanunoo Hatran Hebrew Hiragana Inherited Javanese Kaithi Kannada Katakana Kawi Kharoshthi Khmer \
    Khojki Khudawadi Lao Latin Lepcha Limbu Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean \
    Marchen Medefaidrin Miao Modi Mongolian Mro Multani Myanmar Nabataean Nandinagari Newa Nko Nushu Ogham Oriya \
    Osage Osmanya Palmyrene Phoenician Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham Sinhala Sogdian \
    Soyombo Sundanese Syriac Tagalog Tagbanwa Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh \
    Tirhuta Toto Ugaritic Vai Vithkuqi Wancho Yezidi Yi";

/// The name of a category or a script for the crate `regex`, if Go knows it.
pub(super) fn of_unicode(name: &str) -> Option<String> {
    // Letters count, not their case, and what separates words does not.
    let letters = name.replace(['_', '-', ' '], "");
    let is_name = |other: &&str| other.eq_ignore_ascii_case(&letters);
    let category = CATEGORIES.lines().find(|line| line.split(' ').any(|name| is_name(&name)));
    let script = || SCRIPTS.split_ascii_whitespace().find(is_name);
    category.and_then(|line| line.split(' ').next()).or_else(script).map(str::to_owned)
}
