//! Names of classes that Go knows.

/// Ranges of ASCII characters.
pub(super) type Ranges = &'static [(u8, u8)];

pub(super) const DIGITS: Ranges = &[(b'0', b'9')];
pub(super) const SPACES: Ranges = &[(b'\t', b'\n'), (0x0C, b'\r'), (b' ', b' ')];
pub(super) const WORDS: Ranges = &[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')];

/// The characters of a class with a name, as in `[:alpha:]`.
pub(super) fn posix(name: &str) -> Option<Ranges> {
    Some(match name {
        "alnum" => &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')],
        "alpha" => &[(b'A', b'Z'), (b'a', b'z')],
        "ascii" => &[(0, 0x7F)],
        "blank" => &[(b'\t', b'\t'), (b' ', b' ')],
        "cntrl" => &[(0, 0x1F), (0x7F, 0x7F)],
        "digit" => DIGITS,
        "graph" => &[(b'!', b'~')],
        "lower" => &[(b'a', b'z')],
        "print" => &[(b' ', b'~')],
        "punct" => &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')],
        "space" => &[(b'\t', b'\r'), (b' ', b' ')],
        "upper" => &[(b'A', b'Z')],
        "word" => WORDS,
        "xdigit" => &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')],
        _ => return None,
    })
}

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
