#!/usr/bin/env bash
# Prints the figures of docs/architecture-figures.md as a table, with the places that were counted.
#
#   xtask/architecture-figures.sh [FOLDER]     of the checkout in FOLDER, or of this one
#
# Only code counts: tests and comments are taken out first. A concept that can be searched for is counted by its regular
# expression. Any other is a list of rows below: the name of a thing, where it is searched for, and the expression that
# finds its definition or its use. A thing counts while it is found, so that the figure falls when it is deleted. A change that
# adds, moves or renames such a thing has to change its row; reviewers look for that.
set -euo pipefail

root=$(cd "${1:-$(dirname "$0")/..}" && pwd)
code=$(mktemp -d)
trap 'rm -rf "$code"' EXIT

# Prints source files without their modules of tests, which end with a brace at the start of a line.
without_tests() {
    awk '
        FNR == 1 { skipping = pending = 0 }
        skipping { if ($0 ~ /^}/) skipping = 0; next }
        /^#\[cfg\((test\)|all\(test)/ { pending = 1; next }
        pending && /^#\[/ { next }
        pending { pending = 0; if ($0 !~ /[;}]$/) skipping = 1; next }
        { print }
    ' "$@"
}

# Files that are modules of tests: `mod name;` after `#[cfg(test)]`.
test_files() {
    grep -rEA2 --include='*.rs' '^ *#\[cfg\((test\)|all\(test)' crates/*/src |
        sed -nE 's/^(.*)\.rs-[0-9]*-?(pub(\(crate\))? )?mod ([a-z_]+);$/\1 \4/p' |
        while read -r parent name; do
            folder=${parent%/mod}
            folder=${folder%/lib}
            printf '%s\n' "$folder/$name.rs" "$(dirname "$parent")/$name.rs"
        done
}

cd "$root"
test_files >"$code/tests"
git ls-files 'crates/*/src/*.rs' | grep -vE '/tests(/|\.rs$)' | grep -vxFf "$code/tests" >"$code/files"
while read -r file; do
    mkdir -p "$code/$(dirname "$file")"
    without_tests "$file" >"$code/$file"
done <"$code/files"
lines=$(cd "$code" && xargs cat <files | wc -l)
sed -i -E '/^ *\/\//d' $(sed "s#^#$code/#" "$code/files")
cd "$code/crates"

# Prints the names of the things that are found, one a line, each as often as it counts.
present() {
    while IFS='|' read -r name times where pattern; do
        name=$(echo $name) times=$(echo $times) where=$(echo $where) pattern=${pattern# }
        # shellcheck disable=SC2086 # several folders
        if grep -rqE --include='*.rs' -e "$pattern" $where 2>/dev/null; then
            for _ in $(seq "$times"); do echo "$name"; done
        fi
    done
}

# Prints a row of the table from such names.
row() {
    sort | uniq -c | awk -v concept="$1" '
        { times = $1; total += times; $1 = ""; sub(/^ /, "") }
        { found = found (NR > 1 ? ", " : "") $0 (times > 1 ? " ×" times : "") }
        END { printf "| %s | %d | %s |\n", concept, total, found }'
}

server=kubemerge-server/src
write=$server/write
kinds=kubemerge-kinds/src
ssa=kubemerge-ssa/src

echo "| concept | count | found |"
echo "|---|---:|---|"

present <<ROWS | row "forms of an object between body and record"
text in parts (\`server::Object\`)   | 1 | $server/object | ^pub\(crate\) struct Object \{
tree (\`value::tree::Map\`)           | 1 | $kinds/tree kubemerge-value/src/tree | ^pub struct Map<'a>
owned values (\`ssa::ParsedValue\`)  | 1 | $ssa           | ^    List\(&'a \[ParsedValue<'a>\]\)
\`serde_json::Value\`                | 1 | $kinds/custom/prune.rs $kinds/custom/check.rs | serde_json::(Value|\{.*Value)
\`OrderedJson\`                      | 1 | $kinds         | ^pub enum OrderedJson
canonical text (\`Canonical\`)       | 1 | $write         | Canonical::
lazy nodes (\`Node\`)                | 1 | $write $server/kind $server/object | \bNode(<'|::)
\`Record\`                           | 1 | $server/store  | ^pub struct Record \{
ROWS

present <<ROWS | row "readers of JSON"
lazy engine (\`value/check\`)            | 1 | kubemerge-value/src/check  | ^struct Checker
canonical text (\`value/reader\`)        | 1 | kubemerge-value/src/reader | ^pub struct Reader<'a>
pull reader (\`value/reader\`)           | 1 | kubemerge-value/src/reader | ^pub struct PullReader<'a>
typed objects (\`typed/scan.rs\`)        | 1 | $kinds/typed               | struct Scanner<'t>
parsed values (\`ssa/value/parse.rs\`)   | 1 | $ssa/value                 | ^struct Reader<'a>
\`fieldsV1\` (\`fieldpath/json_text.rs\`)  | 1 | $ssa/fieldpath             | struct JsonText<'a>
duplicate fields                         | 1 | $kinds/duplicate_fields.rs | ^fn inside_quotes
errors of Go's decoder (\`go_json.rs\`)  | 1 | $kinds                     | ^struct Scanner \{
JSON as YAML (\`yaml/json_text.rs\`)     | 1 | kubemerge-yaml/src/json_text.rs | ^struct Reader<'t>
serde_json (in the write path)           | 1 | $write $server/object      | serde_json::from_
ROWS

present <<ROWS | row "type systems"
graph (\`schema::model::Node\`)      | 1 | kubemerge-schema/src | ^pub\(crate\) struct Node \{
ownership (\`TypeTable\`)            | 1 | kubemerge-schema/src | ^pub struct TypeTable
Go types (\`GoTypes\`)               | 1 | kubemerge-schema/src | ^pub struct GoTypes \{
custom resources (\`Structural\`)    | 1 | $kinds               | ^pub struct Structural
CEL (\`cel::Type\`)                  | 1 | $kinds               | ^pub\(crate\) enum Type \{
CEL (\`CelType\`)                    | 1 | kubemerge-cel/src    | ^pub enum CelType \{
ROWS

present <<ROWS | row "ways to find owners"
create           | 1 | $ssa/managed_fields | ^pub fn create<
update           | 1 | $ssa/managed_fields | ^pub fn update<
update_valid     | 1 | $ssa/managed_fields | ^pub fn update_valid<
update_differing | 1 | $ssa/managed_fields | ^pub fn update_differing<
apply            | 1 | $ssa/managed_fields | ^pub fn apply<
the same as the object before (\`of_content\`) | 1 | $server | fn of_content\(
ROWS

# In the crates that decide how objects are written and shown.
grep -rlE --include='*.rs' '"Deployment"|\bDEPLOYMENT\b|"deployments"' $kinds $ssa $server kubemerge-schema/src |
    sed 's/^kubemerge-//; s/^/`/; s/$/`/; s#/src/#/#' | row "places that know a Deployment"

# A branch asks whether the kind is custom, whether it has rules, or whether rules are on. `FieldValidation` is a setting
# of a request and does not count; neither do imports and the definitions themselves.
branch='\.custom\(\)|kind_rules::of\(|\btyped\.is_(none|some)\(\)|\bis_typed\b|\bextent ==|if let Some\(typed\)|Some\(typed\) =>|\bValidation::(Off|Full)|KINDS_WITH_OTHER_FIELDS\.|is_tracked_as_is\(\)'
(grep -roE --include='*.rs' -e "$branch" $write || true) | sed -E "s#^$write/([^:]*):.*#\`\1\`#" |
    row "branches on the sort of kind in \`server/write\`"

# Files that compare a kind or a resource with a name. What is left are plugins and controllers of Kubernetes.
(grep -rlE --include='*.rs' '\.(kind|plural) == "|\.(kind|plural)\.as_str\(\)' $write $server/kind $server/object $server/load.rs || true) |
    sed "s#^$server/##; s/^/\`/; s/\$/\`/" | row "files on the way of a write that ask for kinds by name"

# What a merge patch of a custom resource runs: the stored object becomes a tree, of which the result of the patch takes
# the parts that are the same text, and the new object is printed as its record. Each site counts as often as such a
# request passes it.
present <<ROWS | row "times a custom resource is parsed in a PATCH"
\`object/custom.rs\` prune of stored and new   | 2 | $server/object/custom.rs | Value::Object\(mut tree\) = object.to_value
\`object/custom.rs\` fill of stored and new    | 2 | $server/object/custom.rs | let mut tree = object.to_value
\`write/track.rs\` owners of stored and new    | 2 | $write/track.rs          | ValuePair::from_canonical
\`write/validate.rs\` of stored and new        | 2 | $write/validate.rs       | let mut object = object.to_value
\`kind/custom.rs\` the stored object           | 1 | $server/kind/custom.rs   | = read_record\(
\`kind/contract.rs\` the stored object         | 1 | $server/kind/contract.rs | = edit::tree(_noting)?\(record
\`kind/contract.rs\` the result, all of it     | 1 | $server/kind/contract.rs | Source::Node\(node\) => read_node
ROWS
present <<ROWS | row "times a custom resource is printed in a PATCH"
result of the patch                            | 1 | $write/decode.rs         | document: &'p SharedValue
\`object/custom.rs\` prune of stored and new   | 2 | $server/object/custom.rs | replace_fields\(object
\`object/custom.rs\` fill of stored and new    | 2 | $server/object/custom.rs | object\.set\(name, value\)
\`write/tracking.rs\` form of stored and new   | 2 | $write/tracking.rs       | let record = object.record\(\)
record                                         | 1 | $write/sequence.rs       | (Ok\(|, )(object|draft)\.record\(\)\)
ROWS

present <<ROWS | row "second ways for \`Off\`, for owners that are not tracked and for bodies that repeat"
\`kinds/defaults.rs\`          | 1 | $kinds/defaults.rs        | .
\`kinds/pattern/\`             | 1 | $kinds/pattern            | .
\`kinds/unknown_fields.rs\`    | 1 | $kinds/unknown_fields.rs  | pub fn survey
\`write/unknown_fields.rs\`    | 1 | $write/unknown_fields.rs  | .
\`write/default.rs\`           | 1 | $write/default.rs         | fn fill_built_in
\`write/template.rs\`          | 1 | $write/template.rs        | .
\`write/prepare.rs\` first_state | 1 | $write/prepare.rs       | fn first_state
\`object/differing.rs\`        | 1 | $server/object/differing.rs | .
\`shared_owners.rs\` set_stored | 1 | $server/catalog           | fn set_stored
\`Rules::shares_content\`      | 1 | $kinds                    | shares_content
\`fieldpath/expected.rs\`      | 1 | $ssa/fieldpath/expected.rs | .
\`OwnerTracking::Off\`         | 1 | $server                   | OwnerTracking::Off
ROWS

# With comments.
echo "| lines in \`crates/*/src\` without tests | $lines | |"
