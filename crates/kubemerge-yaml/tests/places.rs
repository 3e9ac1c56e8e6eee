//! Places in YAML texts: errors, field paths, traps and limits.

use kubemerge_value::MAX_DEPTH;
use kubemerge_yaml::{self as yaml, DuplicateKeys, Options, Role, Style, TrapKind, YamlErrorKind};

fn document(text: &str) -> yaml::YamlDocument<'_> {
    yaml::parse(text.as_bytes(), &Options::default()).unwrap().remove(0)
}

fn error(text: &str) -> yaml::YamlError {
    let read = |document: yaml::YamlDocument<'_>| document.to_json();
    yaml::parse(text.as_bytes(), &Options::default())
        .and_then(|documents| documents.into_iter().map(read).collect::<Result<Vec<_>, _>>())
        .unwrap_err()
}

#[track_caller]
fn check_error(text: &str, expected: &str) {
    assert_eq!(error(text).to_string(), expected);
}

#[test]
fn errors_name_line_column_cause_and_cure() {
    check_error("a: 1\nb: @x\n", "line 2, column 4: unexpected character: `@' (quote the value)");
    check_error("a: 1\n---\nb:\n  c: .inf\n", "line 4, column 6: `.inf` has no JSON form (quote it)");
    check_error("a: 1\n~: 2\n", "line 2, column 1: null cannot be a key (quote it)");
    check_error("a: !!int x\n", "line 1, column 10: cannot decode !!str `x` as a !!int");
    check_error("a: &x [1, *x]\n", "line 1, column 11: the value of anchor `x` contains itself");
    check_error("b: {<<: 1}\n", "line 1, column 9: `<<` needs a map or a list of maps as its value");
    check_error(
        "%YAML 1.2\n---\na: 1\n",
        "line 2, column 1: incompatible %YAML directive (Kubernetes reads YAML 1.1; remove the line)",
    );
    check_error(
        "a: 1\n--- b: 2\n",
        "line 2, column 1: invalid Yaml document separator: b: 2 (put the document on the line after `---`)",
    );
    check_error(
        "a: 1\n...\nb: 2\n",
        "line 3, column 1: kubectl ignores what follows `...` (separate documents with `---`)",
    );
    check_error(
        "é: 1\nü: \"\\/\"\n",
        "line 2, column 5: found unknown escape character `\\/` (write the character itself)",
    );
}

#[test]
fn a_repeated_key_shows_both_places() {
    let text = "spec:\n  a: 1\n  b: 2\n  \"a\": 3\n";
    check_error(
        text,
        "line 4, column 3: key `a` is duplicated, first at line 2, column 3 (keep one of them)",
    );
    let YamlErrorKind::DuplicateKey { first } = error(text).kind().clone() else { panic!("another error") };
    assert_eq!(&text[first.offset..=first.offset], "a");
    check_error(
        "{\"a\": 1,\n \"a\": 2}",
        "line 2, column 2: key `a` is duplicated, first at line 1, column 2 (keep one of them)",
    );

    let many: String = (0..20).map(|index| format!("k{}: {index}\n", index % 19)).collect();
    assert_eq!(error(&many).position().line, 20);

    let options = Options { duplicate_keys: DuplicateKeys::LastWins, ..Options::default() };
    let documents = yaml::parse(text.as_bytes(), &options).unwrap();
    assert_eq!(documents[0].to_json().unwrap(), br#"{"spec":{"a":3,"b":2}}"#);
    assert_eq!(documents[0].locate("spec.a").unwrap().value.position().line, 4);
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let refuse = |bytes: &[u8]| yaml::parse(bytes, &Options::default()).unwrap_err().to_string();
    assert_eq!(refuse(b"a: 1\nb: \xff\n"), "line 2, column 4: invalid UTF-8");
    assert_eq!(refuse(b"\xff\xfea\0"), "line 1, column 1: the text is UTF-16, not UTF-8");
    assert_eq!(refuse(b"\x7fELF\0\xff"), "line 1, column 6: not a text: it looks like a binary file");
}

#[test]
fn an_error_in_one_document_leaves_the_next_readable() {
    let read = yaml::documents(b"a: 1\n---\nb: ]\n---\nc: 3\n", &Options::default()).unwrap();
    let outcomes: Vec<bool> = read.map(|document| document.is_ok()).collect();
    assert_eq!(outcomes, [true, false, true]);
}

const MANIFEST: &str = "\
# a pod
metadata:
  labels: {app.kubernetes.io/name: web, 'x]y': z}
spec:
  containers:
  - name: web   # first
    image: &image web:1
    args:
    - |  # script
      one
      two

    - >-
      three
    -
  -
    name: side
    image: *image
    env: &env {A: b}
  - <<: *env
    B: c
";

#[track_caller]
fn check_place(path: &str, expected: &str) {
    let document = document(MANIFEST);
    let location = document.locate(path).unwrap_or_else(|| panic!("{path} not found"));
    assert_eq!(&MANIFEST[location.value.range()], expected, "{path}");
}

#[test]
fn paths_lead_to_ranges() {
    check_place("spec.containers[0].name", "web");
    check_place("metadata.labels", "{app.kubernetes.io/name: web, 'x]y': z}");
    check_place("metadata.labels[app.kubernetes.io/name]", "web");
    check_place("metadata.labels[x]y]", "z");
    check_place("spec.containers[0].args[0]", "|  # script\n      one\n      two");
    check_place("spec.containers[0].args[1]", ">-\n      three");
    check_place("spec.containers[0].args[2]", "");
    check_place(
        "spec.containers[0].args",
        &MANIFEST[MANIFEST.find("- |").unwrap()..]
            [.."- |  # script\n      one\n      two\n\n    - >-\n      three\n    -".len()],
    );
    check_place("spec.containers[1].image", "web:1");
    check_place("spec.containers[2].A", "b");
    check_place("spec.containers[2].B", "c");

    let document = document(MANIFEST);
    assert!(document.locate("spec.nothing").is_none());
    assert!(document.locate("spec.containers[9]").is_none());
    let nearest = document.locate_nearest("spec.containers[1].ports[0]");
    assert_eq!(nearest.value.position().line, 17);
    let name = document.locate("spec.containers[0].name").unwrap();
    assert_eq!(&MANIFEST[name.key.unwrap().range()], "name");
    assert_eq!((name.value.position().line, name.value.position().column), (6, 11));
}

#[test]
fn places_know_anchors_aliases_merges_and_styles() {
    let document = document(MANIFEST);
    let image = document.locate("spec.containers[0].image").unwrap().value;
    assert!(image.is_anchored());
    assert_eq!(&MANIFEST[image.outer_range()], "&image web:1");
    let containers = document.locate("spec.containers").unwrap().value;
    assert_eq!(containers.style(), Style::Block);
    let side = containers.elements().nth(1).unwrap();
    let (_, alias) = side.entries().nth(1).unwrap();
    assert_eq!(alias.style(), Style::Alias);
    assert_eq!(alias.alias_target().unwrap().range(), image.range());
    let (merge, _) = containers.elements().nth(2).unwrap().entries().next().unwrap();
    assert!(merge.is_merge_key());
    assert_eq!(document.locate("metadata.labels").unwrap().value.style(), Style::Flow);
}

#[test]
fn a_left_out_value_has_its_place_after_the_colon() {
    let text = "a:\n  b:\nc: &x\nd: [x, {e, f: }]\n";
    let document = document(text);
    let end_of = |path: &str| document.locate(path).unwrap().value.range();
    assert_eq!(end_of("a.b"), 7..7);
    assert_eq!(end_of("a"), 5..7);
    assert_eq!(end_of("c"), 13..13);
    assert_eq!(&text[end_of("d[1]")], "{e, f: }");
}

#[test]
fn carriage_returns_break_lines() {
    let text = "#8 ] -\r-\r-\t\n- a # x\r- |\r  b\r";
    let document = document(text);
    assert_eq!(document.to_json().unwrap(), br#"[null,null,"a","b\n"]"#);
    let ranges: Vec<_> = document.root().elements().map(|element| &text[element.range()]).collect();
    assert_eq!(ranges, ["", "", "a", "|\r  b"]);
}

#[test]
fn traps_are_listed_with_their_places() {
    let text = "name: N\nmode: 0644\nzip: 0888\nbig: 1_000\nsha: 12e3\nver: 1.10\nhex: 0x1F\nplus: +1\n\
                on: \"N\"\n8080: x\nok: true\nid: 18446744073709551615\nplain: 1.5\n";
    let document = document(text);
    let found: Vec<_> = document
        .traps()
        .iter()
        .map(|trap| (trap.kind, trap.role, &text[trap.range.clone()], trap.read_as.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            (TrapKind::BoolWord, Role::Value, "N", "false"),
            (TrapKind::Octal, Role::Value, "0644", "420"),
            (TrapKind::LeadingZero, Role::Value, "0888", "888"),
            (TrapKind::Underscore, Role::Value, "1_000", "1000"),
            (TrapKind::Exponent, Role::Value, "12e3", "12000"),
            (TrapKind::TrailingZero, Role::Value, "1.10", "1.1"),
            (TrapKind::OtherBase, Role::Value, "0x1F", "31"),
            (TrapKind::PlusSign, Role::Value, "+1", "1"),
            (TrapKind::BoolWord, Role::Key, "on", "true"),
            (TrapKind::HugeInteger, Role::Value, "18446744073709551615", "18446744073709551615"),
        ]
    );
    let late = "a: &a {x: 1}\nb:\n  x: 2\n  <<: *a\n";
    assert_eq!(self::document(late).traps()[0].kind, TrapKind::LateMerge);
}

#[test]
fn nesting_is_limited_and_never_costs_the_stack() {
    let run = || {
        for (open, close) in [("[", "]"), ("- ", ""), ("{a: ", "}"), ("{\"a\":", "}")] {
            let nested = |levels: usize| format!("{}1{}", open.repeat(levels), close.repeat(levels));
            let deepest = nested(MAX_DEPTH);
            let json = document(&deepest).to_json().unwrap();
            assert!(json.len() > 2 * MAX_DEPTH, "{open}");
            assert_eq!(error(&nested(MAX_DEPTH + 1)).kind(), &YamlErrorKind::Limit, "{open}");
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
}

#[test]
fn alias_bombs_are_refused() {
    let mut laughs = String::from("a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    let mut merges = String::from("a0: &a0 {x: 1}\n");
    let mut chain = String::from("a0: &a0 [1]\n");
    for level in 1..=12 {
        let below = format!("*a{}", level - 1);
        laughs += &format!("a{level}: &a{level} [{}]\n", [below.as_str(); 9].join(", "));
        merges += &format!("a{level}: &a{level} {{<<: [{}]}}\n", [below.as_str(); 9].join(", "));
    }
    for level in 1..=20_000 {
        chain += &format!("a{level}: &a{level} [*a{}]\n", level - 1);
    }
    for bomb in [laughs, merges, chain] {
        let error = error(&bomb);
        assert_eq!(error.kind(), &YamlErrorKind::Limit, "{error}");
    }
}

/// The rule of yaml.v2 counts values, not bytes: 80 KB became 500 MB.
#[test]
fn aliases_of_large_values_are_refused() {
    let value = "x".repeat(50_000);
    let bomb = format!("x: &x {value}\nlist: [{}]\n", vec!["*x"; 10_000].join(", "));
    let nested = format!(
        "a: &a {{k: {value}}}\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\nd: [{}]\n",
        vec!["*c"; 100].join(", ")
    );
    let merged = format!("a: &a {{k: {value}}}\nlist: [{}]\n", vec!["{<<: *a}"; 10_000].join(", "));
    // Each document for itself is small enough.
    let stream = format!("x: &x {value}\nlist: [{}]\n---\n", vec!["*x"; 50].join(", ")).repeat(10);
    for bomb in [bomb, nested, merged, stream] {
        let error = error(&bomb);
        assert_eq!(error.kind(), &YamlErrorKind::Limit, "{error}");
        assert_eq!(error.message(), "aliases expand to too many bytes");
    }
    let some = format!("x: &x {value}\nlist: [{}]\n", vec!["*x"; 50].join(", "));
    assert!(
        yaml::parse(some.as_bytes(), &Options::default()).unwrap()[0].to_json().unwrap().len() > 2_500_000
    );
}

#[test]
fn nodes_are_limited() {
    let options = Options { max_nodes: 10, ..Options::default() };
    let error = yaml::parse(b"[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", &options).unwrap_err();
    assert_eq!(error.to_string(), "line 1, column 29: more than 10 values in one document");
}
