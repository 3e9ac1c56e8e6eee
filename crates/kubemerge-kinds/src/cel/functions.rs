//! The functions of CEL in Kubernetes and the types they take and give.
//!
//! A signature is written in letters: what is before the dot, arguments, `>` and the result.
//! `"s.s>b"` is a function of a string with a string that gives a boolean: `a.startsWith(b)`.

use super::types::Type;

/// What a letter means.
fn type_of(letter: u8) -> Type {
    match letter {
        b'b' => Type::Bool,
        b'i' => Type::Int,
        b'u' => Type::Uint,
        b'd' => Type::Double,
        b's' => Type::String,
        b'y' => Type::Bytes,
        b'n' => Type::Null,
        b't' => Type::Timestamp,
        b'r' => Type::Duration,
        b'T' => Type::OfTypes,
        b'l' => Type::list(Type::Dyn),
        b'L' => Type::list(Type::String),
        b'm' => Type::Map(Box::new(Type::Dyn), Box::new(Type::Dyn)),
        b'A' => Type::named("kubernetes.authorization.Authorizer"),
        b'P' => Type::named("kubernetes.authorization.PathCheck"),
        b'G' => Type::named("kubernetes.authorization.GroupCheck"),
        b'C' => Type::named("kubernetes.authorization.ResourceCheck"),
        b'E' => Type::named("kubernetes.authorization.Decision"),
        b'U' => Type::named("kubernetes.URL"),
        b'Q' => Type::named("kubernetes.Quantity"),
        b'V' => Type::named("kubernetes.Semver"),
        b'F' => Type::named("kubernetes.NamedFormat"),
        b'I' => Type::named("net.IP"),
        b'N' => Type::named("net.CIDR"),
        _ => Type::Dyn,
    }
}

/// Functions by name. `*` is any type.
const FUNCTIONS: &[(&str, &str)] = &[
    // Operators.
    ("!_", "b>b"),
    ("-_", "i>i d>d"),
    ("+", "ii>i uu>u dd>d ss>s yy>y ll>l rr>r tr>t rt>t"),
    ("-", "ii>i uu>u dd>d rr>r tr>t tt>r"),
    ("*", "ii>i uu>u dd>d"),
    ("/", "ii>i uu>u dd>d"),
    ("%", "ii>i uu>u"),
    ("<", "bb>b ii>b uu>b dd>b ss>b yy>b tt>b rr>b id>b iu>b ud>b ui>b di>b du>b"),
    ("<=", "bb>b ii>b uu>b dd>b ss>b yy>b tt>b rr>b id>b iu>b ud>b ui>b di>b du>b"),
    (">", "bb>b ii>b uu>b dd>b ss>b yy>b tt>b rr>b id>b iu>b ud>b ui>b di>b du>b"),
    (">=", "bb>b ii>b uu>b dd>b ss>b yy>b tt>b rr>b id>b iu>b ud>b ui>b di>b du>b"),
    // Standard library.
    ("size", "s>i y>i l>i m>i s.>i y.>i l.>i m.>i"),
    ("startsWith", "s.s>b"),
    ("endsWith", "s.s>b"),
    ("contains", "s.s>b"),
    ("matches", "s.s>b ss>b"),
    ("type", "*>T"),
    ("dyn", "*>*"),
    ("bool", "b>b s>b"),
    ("bytes", "y>y s>y"),
    ("double", "d>d i>d u>d s>d"),
    ("int", "i>i d>i u>i s>i t>i"),
    ("uint", "u>u i>u d>u s>u"),
    ("string", "s>s b>s i>s u>s d>s y>s t>s r>s"),
    ("timestamp", "t>t s>t i>t"),
    ("duration", "r>r s>r i>r"),
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
    ("indexOf", "s.s>i s.si>i l.*>i"),
    ("lastIndexOf", "s.s>i s.si>i l.*>i"),
    ("join", "L.>s L.s>s"),
    ("lowerAscii", "s.>s"),
    ("upperAscii", "s.>s"),
    ("replace", "s.ss>s s.ssi>s"),
    ("reverse", "s.>s"),
    ("split", "s.s>L s.si>L"),
    ("substring", "s.i>s s.ii>s"),
    ("trim", "s.>s"),
    ("format", "s.l>s"),
    ("find", "s.s>s"),
    ("findAll", "s.s>L s.si>L"),
    // Lists and sets.
    ("isSorted", "l.>b"),
    ("sum", "l.>*"),
    ("min", "l.>*"),
    ("max", "l.>*"),
    ("sets.contains", "ll>b"),
    ("sets.equivalent", "ll>b"),
    ("sets.intersects", "ll>b"),
    // Optional values.
    ("optional.of", "*>*"),
    ("optional.ofNonZeroValue", "*>*"),
    ("optional.none", ">*"),
    ("hasValue", "*.>b"),
    ("value", "*.>*"),
    ("or", "*.*>*"),
    ("orValue", "*.*>*"),
    // URLs, addresses, quantities, versions and formats.
    ("url", "s>U"),
    ("isURL", "s>b"),
    ("getScheme", "U.>s"),
    ("getHost", "U.>s"),
    ("getHostname", "U.>s"),
    ("getPort", "U.>s"),
    ("getEscapedPath", "U.>s"),
    ("getQuery", "U.>m"),
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
    ("containsIP", "N.I>b N.s>b"),
    ("containsCIDR", "N.N>b N.s>b"),
    ("masked", "N.>N"),
    ("prefixLength", "N.>i"),
    ("quantity", "s>Q"),
    ("isQuantity", "s>b"),
    ("isInteger", "Q.>b"),
    ("asInteger", "Q.>i"),
    ("asApproximateFloat", "Q.>d"),
    ("sign", "Q.>i"),
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
    ("format.named", "s>*"),
    ("validate", "F.s>*"),
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

/// What a call comes to.
pub(super) enum Resolution {
    /// There is no function of this name.
    Unknown,
    /// There is one, for other types.
    NoOverload,
    /// It gives this.
    Result(Type),
}

/// Finds the result of a function for the types of its arguments.
pub(super) fn resolve(name: &str, target: Option<&Type>, arguments: &[Type]) -> Resolution {
    let Some((_, signatures)) = FUNCTIONS.iter().find(|(known, _)| *known == name) else {
        return Resolution::Unknown;
    };
    let fitting = signatures.split(' ').filter(|signature| fits(signature, target, arguments));
    let mut results: Vec<Type> =
        fitting.filter_map(|signature| signature.bytes().last()).map(type_of).collect();
    // Overloads that differ in their arguments only are one result.
    results.dedup();
    match results.len() {
        0 => Resolution::NoOverload,
        1 => Resolution::Result(results.remove(0)),
        // Which one is meant is seen when it runs.
        _ => Resolution::Result(Type::Dyn),
    }
}

fn fits(signature: &str, target: Option<&Type>, arguments: &[Type]) -> bool {
    let types = signature.split('>').next().unwrap_or_default();
    let (receiver, letters) = match types.split_once('.') {
        Some((receiver, letters)) => (receiver.bytes().next(), letters),
        None => (None, types),
    };
    let fits_target = match (receiver, target) {
        (Some(letter), Some(target)) => target.fits(&type_of(letter)),
        (None, None) => true,
        _ => false,
    };
    fits_target
        && letters.len() == arguments.len()
        && letters.bytes().zip(arguments).all(|(letter, argument)| argument.fits(&type_of(letter)))
}
