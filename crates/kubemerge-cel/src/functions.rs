//! The functions of CEL in Kubernetes and the types they take and give.
//!
//! An overload is written in letters: what is before the dot, arguments, `>` and the result. `"s.s>b"` is a function
//! of a string with a string that gives a boolean: `a.startsWith(b)`. `[s]` is a list of strings, `{sb}` a map from
//! strings to booleans, `?s` an optional string, `Ts` the type string, `*` any type; `1` and `2` are type parameters.

use super::types::CelType;

/// What a letter means.
fn simple_type(letter: u8) -> CelType {
    match letter {
        b'b' => CelType::Bool,
        b'i' => CelType::Int,
        b'u' => CelType::Uint,
        b'd' => CelType::Double,
        b's' => CelType::String,
        b'y' => CelType::Bytes,
        b't' => CelType::Timestamp,
        b'r' => CelType::Duration,
        b'A' => CelType::named("kubernetes.authorization.Authorizer"),
        b'P' => CelType::named("kubernetes.authorization.PathCheck"),
        b'G' => CelType::named("kubernetes.authorization.GroupCheck"),
        b'C' => CelType::named("kubernetes.authorization.ResourceCheck"),
        b'E' => CelType::named("kubernetes.authorization.Decision"),
        b'U' => CelType::named("kubernetes.URL"),
        b'Q' => CelType::named("kubernetes.Quantity"),
        b'V' => CelType::named("kubernetes.Semver"),
        b'F' => CelType::named("kubernetes.NamedFormat"),
        b'I' => CelType::named("net.IP"),
        b'N' => CelType::named("net.CIDR"),
        _ => CelType::Dyn,
    }
}

/// Functions by name and their overloads.
const FUNCTIONS: &[(&str, &str)] = &[
    // Operators.
    ("_?_:_", "b11>1"),
    ("_&&_", "bb>b"),
    ("_||_", "bb>b"),
    ("_==_", "11>b"),
    ("_!=_", "11>b"),
    ("!_", "b>b"),
    ("-_", "d>d i>i"),
    ("_+_", "yy>y dd>d rr>r rt>t tr>t ii>i [1][1]>[1] ss>s uu>u"),
    ("_-_", "dd>d rr>r ii>i tr>t tt>r uu>u"),
    ("_*_", "dd>d ii>i uu>u"),
    ("_/_", "dd>d ii>i uu>u"),
    ("_%_", "ii>i uu>u"),
    ("_<_", ORDER),
    ("_<=_", ORDER),
    ("_>_", ORDER),
    ("_>=_", ORDER),
    ("@in", "1[1]>b 1{12}>b"),
    ("_[_]", "[1]i>1 {12}1>2 ?[1]i>?1 ?{12}1>?2"),
    ("_[?_]", "[1]i>?1 ?[1]i>?1 {12}1>?2 ?{12}1>?2"),
    ("@not_strictly_false", "b>b"),
    // Standard library.
    ("size", "y>i y.>i [1]>i [1].>i {12}>i {12}.>i s>i s.>i"),
    ("startsWith", "s.s>b"),
    ("endsWith", "s.s>b"),
    ("contains", "s.s>b"),
    ("matches", "ss>b s.s>b"),
    ("type", "1>T1"),
    ("dyn", "1>*"),
    ("bool", "b>b s>b"),
    ("bytes", "y>y s>y"),
    ("double", "d>d i>d s>d u>d"),
    ("int", "i>i d>i r>i s>i t>i u>i"),
    ("uint", "u>u d>u i>u s>u"),
    ("string", "s>s b>s y>s d>s r>s i>s t>s u>s I>s N>s"),
    ("timestamp", "t>t i>t s>t"),
    ("duration", "r>r s>r"),
    ("getFullYear", "t.>i t.s>i"),
    ("getMonth", "t.>i t.s>i"),
    ("getDate", "t.>i t.s>i"),
    ("getDayOfMonth", "t.>i t.s>i"),
    ("getDayOfWeek", "t.>i t.s>i"),
    ("getDayOfYear", "t.>i t.s>i"),
    ("getHours", "t.>i t.s>i r.>i"),
    ("getMinutes", "t.>i t.s>i r.>i"),
    ("getSeconds", "t.>i t.s>i r.>i"),
    ("getMilliseconds", "t.>i t.s>i r.>i"),
    // Strings.
    ("charAt", "s.i>s"),
    ("indexOf", "s.s>i s.si>i [1].1>i"),
    ("lastIndexOf", "s.s>i s.si>i [1].1>i"),
    ("join", "[s].>s [s].s>s"),
    ("lowerAscii", "s.>s"),
    ("upperAscii", "s.>s"),
    ("replace", "s.ss>s s.ssi>s"),
    ("split", "s.s>[s] s.si>[s]"),
    ("substring", "s.i>s s.ii>s"),
    ("trim", "s.>s"),
    ("format", "s.[*]>s"),
    ("strings.quote", "s>s"),
    ("find", "s.s>s"),
    ("findAll", "s.s>[s] s.si>[s]"),
    // Lists, maps and sets.
    ("isSorted", "[i].>b [u].>b [d].>b [b].>b [r].>b [t].>b [s].>b [y].>b"),
    ("sum", "[i].>i [u].>u [d].>d [r].>r"),
    ("min", "[i].>i [u].>u [d].>d [b].>b [r].>r [t].>t [s].>s [y].>y"),
    ("max", "[i].>i [u].>u [d].>d [b].>b [r].>r [t].>t [s].>s [y].>y"),
    ("slice", "[1].ii>[1]"),
    ("flatten", "[[1]].>[1] [*].i>[*]"),
    ("sort", "[i].>[i] [u].>[u] [d].>[d] [b].>[b] [r].>[r] [t].>[t] [s].>[s] [y].>[y]"),
    (
        "@sortByAssociatedKeys",
        "[1].[i]>[1] [1].[u]>[1] [1].[d]>[1] [1].[b]>[1] [1].[r]>[1] [1].[t]>[1] [1].[s]>[1] [1].[y]>[1]",
    ),
    ("lists.range", "i>[i]"),
    ("reverse", "[1].>[1]"),
    ("distinct", "[1].>[1]"),
    ("first", "[1].>?1"),
    ("last", "[1].>?1"),
    ("cel.@mapInsert", "{12}12>{12} {12}{12}>{12}"),
    ("sets.contains", "[1][1]>b"),
    ("sets.equivalent", "[1][1]>b"),
    ("sets.intersects", "[1][1]>b"),
    // Optional values.
    ("optional.of", "1>?1"),
    ("optional.ofNonZeroValue", "1>?1"),
    ("optional.none", ">?1"),
    ("optional.unwrap", "[?1]>[1]"),
    ("unwrapOpt", "[?1].>[1]"),
    ("hasValue", "?1.>b"),
    ("value", "?1.>1"),
    ("or", "?1.?1>?1"),
    ("orValue", "?1.1>1"),
    // URLs, addresses, quantities, versions and formats.
    ("url", "s>U"),
    ("isURL", "s>b"),
    ("getScheme", "U.>s"),
    ("getHost", "U.>s"),
    ("getHostname", "U.>s"),
    ("getPort", "U.>s"),
    ("getEscapedPath", "U.>s"),
    ("getQuery", "U.>{s[s]}"),
    ("ip", "s>I N.>I"),
    ("isIP", "s>b"),
    ("ip.isCanonical", "s>b"),
    ("family", "I.>i"),
    ("isUnspecified", "I.>b"),
    ("isLoopback", "I.>b"),
    ("isLinkLocalMulticast", "I.>b"),
    ("isLinkLocalUnicast", "I.>b"),
    ("isGlobalUnicast", "I.>b"),
    ("cidr", "s>N"),
    ("isCIDR", "s>b"),
    ("containsIP", "N.s>b N.I>b"),
    ("containsCIDR", "N.s>b N.N>b"),
    ("masked", "N.>N"),
    ("prefixLength", "N.>i"),
    ("quantity", "s>Q"),
    ("isQuantity", "s>b"),
    ("isInteger", "Q.>b"),
    ("asInteger", "Q.>i"),
    ("asApproximateFloat", "Q.>d"),
    ("sign", "Q>i"),
    ("add", "Q.Q>Q Q.i>Q"),
    ("sub", "Q.Q>Q Q.i>Q"),
    ("isLessThan", "Q.Q>b V.V>b"),
    ("isGreaterThan", "Q.Q>b V.V>b"),
    ("compareTo", "Q.Q>i V.V>i"),
    ("semver", "s>V sb>V"),
    ("isSemver", "s>b sb>b"),
    ("major", "V.>i"),
    ("minor", "V.>i"),
    ("patch", "V.>i"),
    ("format.named", "s>?F"),
    ("format.dns1123Label", ">F"),
    ("format.dns1123Subdomain", ">F"),
    ("format.dns1035Label", ">F"),
    ("format.qualifiedName", ">F"),
    ("format.dns1123LabelPrefix", ">F"),
    ("format.dns1123SubdomainPrefix", ">F"),
    ("format.dns1035LabelPrefix", ">F"),
    ("format.labelValue", ">F"),
    ("format.uri", ">F"),
    ("format.uuid", ">F"),
    ("format.byte", ">F"),
    ("format.date", ">F"),
    ("format.datetime", ">F"),
    ("validate", "F.s>?[s]"),
    ("jsonpatch.escapeKey", "s>s"),
    // Authorization.
    ("path", "A.s>P"),
    ("group", "A.s>G"),
    ("serviceAccount", "A.ss>A"),
    ("resource", "G.s>C"),
    ("subresource", "C.s>C"),
    ("namespace", "C.s>C"),
    ("name", "C.s>C"),
    ("fieldSelector", "C.s>C"),
    ("labelSelector", "C.s>C"),
    ("check", "P.s>E C.s>E"),
    ("allowed", "E.>b"),
    ("errored", "E.>b"),
    ("error", "E.>s"),
    ("reason", "E.>s"),
];

/// The overloads of operators that order values: numbers of different types have an order, too.
const ORDER: &str = "bb>b ii>b id>b iu>b uu>b ud>b ui>b dd>b di>b du>b ss>b yy>b tt>b rr>b";

/// The overloads of a function, as they are written in the table; none if there is no such function.
pub(super) fn overloads(name: &str) -> Option<impl Iterator<Item = &'static str>> {
    FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, overloads)| overloads.split(' '))
}

/// The types of an overload, with parameters of this call.
pub(super) struct Signature {
    /// Whether the first parameter is before the dot.
    pub(super) is_member: bool,
    pub(super) parameters: Vec<CelType>,
    pub(super) result: CelType,
}

impl Signature {
    /// Reads an overload of the table; `fresh` makes type parameters.
    pub(super) fn read(overload: &str, mut fresh: impl FnMut() -> CelType) -> Signature {
        let mut reader =
            DeclarationReader { letters: overload.bytes(), known: [None, None], fresh: &mut fresh };
        let mut signature = Signature { is_member: false, parameters: Vec::new(), result: CelType::Dyn };
        while let Some(letter) = reader.letters.next() {
            match letter {
                b'.' => signature.is_member = true,
                b'>' => signature.result = reader.next_type(),
                _ => signature.parameters.push(reader.type_of(letter)),
            }
        }
        signature
    }
}

struct DeclarationReader<'o, F> {
    letters: std::str::Bytes<'o>,
    /// What `1` and `2` are.
    known: [Option<CelType>; 2],
    fresh: &'o mut F,
}

impl<F: FnMut() -> CelType> DeclarationReader<'_, F> {
    fn next_type(&mut self) -> CelType {
        let letter = self.letters.next().unwrap_or(b'*');
        self.type_of(letter)
    }

    fn type_of(&mut self, letter: u8) -> CelType {
        match letter {
            b'[' => {
                let item = self.next_type();
                self.letters.next();
                CelType::list(item)
            }
            b'{' => {
                let (key, value) = (self.next_type(), self.next_type());
                self.letters.next();
                CelType::map_of(key, value)
            }
            b'?' => CelType::optional(self.next_type()),
            b'T' => CelType::of_type(self.next_type()),
            b'1' | b'2' => {
                let [first, second] = &mut self.known;
                let place = if letter == b'1' { first } else { second };
                place.get_or_insert_with(&mut *self.fresh).clone()
            }
            _ => simple_type(letter),
        }
    }
}
